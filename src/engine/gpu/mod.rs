//! The GPU engine: compute passes through wgpu.

pub mod device;

pub use device::{AdapterChoice, Gpu};

/// A flock where the GPU engine keeps it, for those who draw it.
#[derive(Clone, Copy, Debug)]
pub struct Agents<'a> {
    /// `array<vec4<f32>>`: position in xy, velocity in zw.
    pub state: &'a wgpu::Buffer,
    /// `array<u32>`: species in the bits from [`ID_BITS`] up, id below.
    pub tag: &'a wgpu::Buffer,
    /// Number of agents; the buffers may be longer.
    pub count: u32,
}

/// Bits of a tag that hold the id; [`crate::model::scene::MAX_AGENTS`] ids fit.
pub const ID_BITS: u32 = crate::model::scene::MAX_AGENTS.trailing_zeros();

/// An agent's species and id in one word.
#[inline]
#[must_use]
pub const fn tag(species: u8, id: u32) -> u32 {
    ((species as u32) << ID_BITS) | (id & ((1 << ID_BITS) - 1))
}
