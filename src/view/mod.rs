//! How a flock is seen: camera, looks, renderers, recorder and window.

pub mod camera;
pub mod frame;
pub mod look;
pub mod offscreen;
pub mod picture;
pub mod renderer;
pub mod upload;
pub mod window;
