//! Draws on a GPU, from the engine's own buffers where possible.

mod background;
mod chunks;
pub mod offscreen;
pub mod picture;
pub mod renderer;
pub mod splat;
mod triangles;
pub mod upload;
