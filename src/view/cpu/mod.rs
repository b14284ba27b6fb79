//! Draws on the CPU with tiny-skia: for machines without a GPU, and to check the GPU renderer.

mod clip;
pub mod raster;
pub mod shape_raster;
pub mod splat_raster;
