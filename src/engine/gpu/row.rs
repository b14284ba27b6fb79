//! The row of an agent: its bytes on the device. Declared once, here, for buffers, uploads, copies
//! and drawing; a test compares it with the shaders (`shaders/space.wgsl`, `shaders/tag.wgsl` and
//! `shaders/memory.wgsl`).

use std::sync::Arc;

use super::device::Gpu;
use flockwork_model::kept::{KeptNames, KeptRow};
use flockwork_model::memory::Memory;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::vector::{Point, flat};
use flockwork_model::world::World;

/// How the buffer `state` stores the values that every tick changes: in rows of four numbers.
///
/// In a plane one row has x and y of the position (world units), then of the velocity (world units per
/// tick). In a space position and velocity have a row each, with an unused number at the end. Where agents
/// keep numbers for their rules in text, one row more has these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MotionLayout {
    is_flat: bool,
    /// True if agents keep numbers.
    pub keeps: bool,
}

/// Four numbers of a [`MotionLayout`].
pub type MotionRow = [f32; 4];

impl MotionLayout {
    /// Agents of a plane that keep no numbers.
    pub const PLANE: Self = Self { is_flat: true, keeps: false };
    /// Agents of a space that keep no numbers.
    pub const SPACE: Self = Self { is_flat: false, keeps: false };

    /// The layout for the agents of a world, if they keep no numbers.
    #[must_use]
    pub fn of(world: &World) -> Self {
        if world.is_flat() { Self::PLANE } else { Self::SPACE }
    }

    /// The layout for the agents of a scene.
    #[must_use]
    pub fn of_scene(scene: &Scene) -> Self {
        Self::of(&scene.world).keeping(scene.kept_names())
    }

    /// The same for agents that keep these numbers.
    #[must_use]
    pub fn keeping(self, names: KeptNames) -> Self {
        Self { keeps: !names.is_empty(), ..self }
    }

    /// Rows of the motion alone.
    const fn of_motion(self) -> usize {
        if self.is_flat { 1 } else { 2 }
    }

    /// Rows of an agent.
    #[inline]
    #[must_use]
    pub const fn rows(self) -> usize {
        self.of_motion() + self.keeps as usize
    }

    /// Bytes of an agent.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        (self.rows() * size_of::<MotionRow>()) as u64
    }

    /// Writes an agent to its rows.
    #[inline]
    pub fn write(self, position: Point, velocity: Point, kept: KeptRow, rows: &mut [MotionRow]) {
        match (self.is_flat, &mut *rows) {
            (true, [row, ..]) => *row = [position.x, position.y, velocity.x, velocity.y],
            (false, [place, way, ..]) => {
                *place = position.extend(0.0).to_array();
                *way = velocity.extend(0.0).to_array();
            }
            _ => {}
        }
        if let Some(row) = rows.get_mut(self.of_motion()) {
            *row = kept;
        }
    }

    /// The rows of several agents. `kept` are their numbers; empty if they keep none.
    #[must_use]
    pub fn rows_of(self, agents: &FlockState, kept: &[KeptRow]) -> Vec<MotionRow> {
        let mut rows = vec![[0.0; 4]; agents.len() * self.rows()];
        for (agent, rows) in rows.chunks_exact_mut(self.rows()).enumerate() {
            let kept = kept.get(agent).copied().unwrap_or_default();
            self.write(agents.position[agent], agents.velocity[agent], kept, rows);
        }
        rows
    }

    /// Position and velocity in an agent's rows.
    #[inline]
    #[must_use]
    pub fn read(self, rows: &[MotionRow]) -> [Point; 2] {
        match (self.is_flat, rows) {
            (true, [[x, y, vx, vy], ..]) => [flat(*x, *y), flat(*vx, *vy)],
            (false, [[x, y, z, _], [vx, vy, vz, _], ..]) => {
                [Point::new(*x, *y, *z), Point::new(*vx, *vy, *vz)]
            }
            _ => [Point::ZERO; 2],
        }
    }

    /// The numbers that an agent keeps; `None` if agents keep none.
    #[inline]
    #[must_use]
    pub fn kept(self, rows: &[MotionRow]) -> Option<KeptRow> {
        rows.get(self.of_motion()).copied().filter(|_| self.keeps)
    }
}

/// An agent's id, with its species in the bits above: an element of the buffer `tag`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Tag(pub u32);

/// Bits of the id in a tag; the species is above.
pub const ID_BITS: u32 = 27;
/// The bits of the id.
pub const ID_MASK: u32 = (1 << ID_BITS) - 1;

/// The largest number of agents: every id fits.
pub const MAX_DEVICE_AGENTS: u64 = 1 << ID_BITS;

impl Tag {
    /// The tag of an agent.
    #[inline]
    #[must_use]
    pub fn of(species: u8, id: u32) -> Self {
        Self(u32::from(species) << ID_BITS | (id & ID_MASK))
    }

    /// Index into the scene's species.
    #[inline]
    #[must_use]
    pub fn species(self) -> u8 {
        (self.0 >> ID_BITS) as u8
    }

    /// The agent's id.
    #[inline]
    #[must_use]
    pub fn id(self) -> u32 {
        self.0 & ID_MASK
    }
}

/// The tags of agents.
pub fn tags_of(agents: &FlockState) -> Vec<Tag> {
    let tags = agents.species.iter().zip(&agents.id);
    tags.map(|(species, id)| Tag::of(*species, *id)).collect()
}

/// Bytes of an agent in the buffer `tag`.
pub const TAG_BYTES: u64 = size_of::<Tag>() as u64;
/// Bytes of an agent in the buffer `memory`.
pub const MEMORY_BYTES: u64 = size_of::<Memory>() as u64;

/// The buffers of the agents, for a renderer.
#[derive(Clone, Debug)]
pub struct AgentBuffers {
    /// The GPU that they are on.
    pub gpu: Arc<Gpu>,
    /// Ticks that the flock has run.
    pub tick: u64,
    /// The agents' motion, in this layout.
    pub state: wgpu::Buffer,
    /// The layout of `state`.
    pub layout: MotionLayout,
    /// One [`Tag`] per agent.
    pub tag: wgpu::Buffer,
    /// One [`Memory`] per agent; `None` if agents have no memory.
    pub memory: Option<wgpu::Buffer>,
    /// Number of agents. Buffers may be longer.
    pub count: u32,
    /// Larger than all ids.
    pub ids: u32,
    /// Its first word is the number of agents in the fullest grid cell.
    pub grid_stats: wgpu::Buffer,
    /// The grid that the agents are sorted by; `None` if they are in any order.
    pub cells: Option<CellBuffers>,
}

/// The buffers of a grid, for passes that look at an agent's neighbours.
#[derive(Clone, Debug)]
pub struct CellBuffers {
    /// The uniform of `shaders/flock.wgsl`.
    pub flock: wgpu::Buffer,
    /// The first agent of each cell.
    pub start: wgpu::Buffer,
    /// Bytes in use of `start`.
    pub bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_holds_the_largest_id_and_the_last_species() {
        let tag = Tag::of(31, MAX_DEVICE_AGENTS as u32 - 1);
        assert_eq!((tag.0, tag.species(), tag.id()), (u32::MAX, 31, ID_MASK));
        assert_eq!(Tag::of(1, 2).0, (1 << 27) + 2);
    }
}
