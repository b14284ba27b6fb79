//! Draws on a GPU, directly from the engine's buffers if possible.

mod background;
mod bloom;
mod bodies;
mod chunks;
mod cluster_passes;
mod dither;
mod drawing;
mod exposure;
mod meter;
pub mod offscreen;
mod order;
mod picture;
pub mod renderer;
mod resources;
mod shade;
mod sky;
mod solids;
mod space;
mod splat;
pub mod subject;
pub mod trails;
mod triangles;
pub mod upload;
