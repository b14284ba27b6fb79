//! Draws on a GPU, directly from the engine's buffers if possible.

mod background;
mod chunks;
pub mod offscreen;
pub mod picture;
pub mod renderer;
pub mod splat;
pub mod trails;
mod triangles;
pub mod upload;
