//! Draws on the CPU with tiny-skia: for machines without a GPU, and to check the GPU renderer.

mod body_raster;
mod clip;
mod cover;
pub mod raster;
mod samples;
pub mod shape_raster;
mod space_raster;
mod splat_raster;
