//! The row of an agent: its bytes on the device. Declared once, here, for buffers, uploads, copies
//! and drawing; a test compares it with the shaders (`shaders/space.wgsl`, `shaders/tag.wgsl` and
//! `shaders/memory.wgsl`).

use flockwork_model::memory::Memory;
use flockwork_model::vector::{Point, flat};
use flockwork_model::world::World;

/// How the buffer `state` stores position and velocity, the values that every tick changes: in rows
/// of four numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionLayout {
    /// One row for an agent of a plane: x and y of its position (world units), then of its velocity
    /// (world units per tick).
    Plane,
    /// Two rows for an agent of a space: its position and its velocity, each with an unused number
    /// at the end.
    Space,
}

/// Four numbers of a [`MotionLayout`].
pub type MotionRow = [f32; 4];

impl MotionLayout {
    /// The layout for the agents of a world.
    #[must_use]
    pub fn of(world: &World) -> Self {
        if world.is_flat() { Self::Plane } else { Self::Space }
    }

    /// Rows of an agent.
    #[inline]
    #[must_use]
    pub const fn rows(self) -> usize {
        match self {
            Self::Plane => 1,
            Self::Space => 2,
        }
    }

    /// Bytes of an agent.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        (self.rows() * size_of::<MotionRow>()) as u64
    }

    /// Writes the motion of an agent to its rows.
    #[inline]
    pub fn write(self, position: Point, velocity: Point, rows: &mut [MotionRow]) {
        match (self, rows) {
            (Self::Plane, [row, ..]) => *row = [position.x, position.y, velocity.x, velocity.y],
            (Self::Space, [place, way, ..]) => {
                *place = position.extend(0.0).to_array();
                *way = velocity.extend(0.0).to_array();
            }
            (Self::Plane | Self::Space, _) => {}
        }
    }

    /// The rows of several agents.
    #[must_use]
    pub fn rows_of(self, position: &[Point], velocity: &[Point]) -> Vec<MotionRow> {
        let mut rows = vec![[0.0; 4]; position.len() * self.rows()];
        let motions = position.iter().zip(velocity);
        for (rows, (position, velocity)) in rows.chunks_exact_mut(self.rows()).zip(motions) {
            self.write(*position, *velocity, rows);
        }
        rows
    }

    /// Position and velocity in an agent's rows.
    #[inline]
    #[must_use]
    pub fn read(self, rows: &[MotionRow]) -> [Point; 2] {
        match (self, rows) {
            (Self::Plane, [[x, y, vx, vy], ..]) => [flat(*x, *y), flat(*vx, *vy)],
            (Self::Space, [[x, y, z, _], [vx, vy, vz, _], ..]) => {
                [Point::new(*x, *y, *z), Point::new(*vx, *vy, *vz)]
            }
            (Self::Plane | Self::Space, _) => [Point::ZERO; 2],
        }
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
pub const MAX_AGENTS: u64 = 1 << ID_BITS;

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

/// Bytes of an agent in the buffer `tag`.
pub const TAG_BYTES: u64 = size_of::<Tag>() as u64;
/// Bytes of an agent in the buffer `memory`.
pub const MEMORY_BYTES: u64 = size_of::<Memory>() as u64;

/// The buffers of the agents, for a renderer.
#[derive(Clone, Debug)]
pub struct AgentBuffers {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_motion_comes_back() {
        let (position, velocity) = (Point::new(1.0, 2.0, 3.0), Point::new(-4.0, 5.0, -6.0));
        for (layout, bytes) in [(MotionLayout::Plane, 16), (MotionLayout::Space, 32)] {
            let depth = if layout == MotionLayout::Plane { 0.0 } else { 1.0 };
            let wanted = [position, velocity].map(|point| point * Point::new(1.0, 1.0, depth));
            let rows = layout.rows_of(&[Point::ONE, position], &[Point::ONE, velocity]);
            assert_eq!(layout.read(&rows[layout.rows()..]), wanted);
            assert_eq!(layout.bytes(), bytes);
        }
    }

    #[test]
    fn a_tag_holds_the_largest_id_and_the_last_species() {
        let tag = Tag::of(31, MAX_AGENTS as u32 - 1);
        assert_eq!((tag.0, tag.species(), tag.id()), (u32::MAX, 31, ID_MASK));
        assert_eq!(Tag::of(1, 2).0, (1 << 27) + 2);
    }
}
