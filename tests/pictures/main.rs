//! Level 5: pictures, of both renderers.

#[path = "../adapter/mod.rs"]
mod adapter;
#[path = "../loses_device/mod.rs"]
mod loses_device;
#[path = "../picture/mod.rs"]
mod picture;
#[path = "../png_file/mod.rs"]
mod png_file;

mod clusters;
mod files;
mod light;
mod looks;
mod lost_device;
mod measured;
mod order;
mod renderer;
mod samples;
mod scenery;
mod sizes;
mod space_pictures;
mod splat;
