//! Draws on a GPU, directly from the engine's buffers if possible.

mod background;
mod bodies;
mod chunks;
mod drawing;
pub mod offscreen;
pub mod order;
pub mod picture;
pub mod renderer;
mod solids;
mod space;
pub mod splat;
pub mod trails;
mod triangles;
pub mod upload;
