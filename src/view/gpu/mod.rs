//! Draws on a GPU, directly from the engine's buffers if possible.

mod background;
mod bloom;
mod bodies;
mod chunks;
mod clusters;
mod dither;
mod drawing;
mod exposure;
mod meter;
pub mod offscreen;
pub mod order;
pub mod picture;
pub mod renderer;
mod shade;
mod sky;
mod solids;
mod space;
pub mod splat;
pub mod subject;
pub mod trails;
mod triangles;
pub mod upload;
