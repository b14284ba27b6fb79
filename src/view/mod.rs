//! How a flock is seen: camera, looks, renderers, recorder and window.

pub mod camera;
pub mod look;
