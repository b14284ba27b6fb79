//! How a flock is seen: camera, looks, renderers, recorder and window.

pub mod camera;
pub mod frame;
pub mod geometry;
pub mod look;
pub mod offscreen;
pub mod picture;
pub mod raster;
pub mod recorder;
pub mod renderer;
pub mod sketch;
pub mod upload;
pub mod window;

use crate::engine::{Engine, EngineError};
use crate::model::scene::Scene;
use camera::Camera;
use frame::Frame;

/// Makes pictures of the flock that an engine holds.
pub trait Painter {
    /// What draws: for the summary of a capture.
    fn describe(&self) -> String;

    /// The flock as it is now, as large as `camera` says.
    fn paint(
        &mut self,
        engine: &mut dyn Engine,
        scene: &Scene,
        camera: &Camera,
    ) -> Result<Frame, EngineError>;
}

/// Reads the state back and draws it on the CPU.
#[derive(Clone, Copy, Debug, Default)]
pub struct RasterPainter;

impl Painter for RasterPainter {
    fn describe(&self) -> String {
        "CPU rasteriser".into()
    }

    fn paint(
        &mut self,
        engine: &mut dyn Engine,
        scene: &Scene,
        camera: &Camera,
    ) -> Result<Frame, EngineError> {
        let state = engine.read_back()?;
        Ok(raster::draw(scene, &state, camera))
    }
}
