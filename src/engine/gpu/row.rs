//! The row of an agent: its bytes on the device. Declared once, here, for buffers, uploads, copies
//! and drawing; a test compares it with the shaders (`shaders/space.wgsl`, `shaders/tag.wgsl` and
//! `shaders/memory.wgsl`).

use crate::model::memory::Memory;
use crate::model::scene::MAX_AGENTS;
use crate::model::vector::{Point, components};

/// The values that every tick changes: an element of the buffer `state`.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct MotionRow {
    /// World units.
    pub position: [f32; 2],
    /// World units per tick.
    pub velocity: [f32; 2],
}

impl MotionRow {
    /// The row of an agent.
    #[must_use]
    pub fn of(position: Point, velocity: Point) -> Self {
        Self { position: components(position), velocity: components(velocity) }
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

// Every id fits.
const _: () = assert!(MAX_AGENTS == 1 << ID_BITS);

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

/// Bytes of an agent in the buffer `state`.
pub const STATE_BYTES: u64 = size_of::<MotionRow>() as u64;
/// Bytes of an agent in the buffer `tag`.
pub const TAG_BYTES: u64 = size_of::<Tag>() as u64;
/// Bytes of an agent in the buffer `memory`.
pub const MEMORY_BYTES: u64 = size_of::<Memory>() as u64;

/// The buffers of the agents, for a renderer.
#[derive(Clone, Debug)]
pub struct AgentBuffers {
    /// One [`MotionRow`] per agent.
    pub state: wgpu::Buffer,
    /// One [`Tag`] per agent.
    pub tag: wgpu::Buffer,
    /// One [`Memory`] per agent; `None` if agents have no memory.
    pub memory: Option<wgpu::Buffer>,
    /// Number of agents. Buffers may be longer.
    pub count: u32,
    /// Its first word is the number of agents in the fullest grid cell.
    pub grid_stats: wgpu::Buffer,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_holds_the_largest_id_and_the_last_species() {
        let tag = Tag::of(31, MAX_AGENTS as u32 - 1);
        assert_eq!((tag.0, tag.species(), tag.id()), (u32::MAX, 31, ID_MASK));
        assert_eq!(Tag::of(1, 2).0, (1 << 27) + 2);
    }
}
