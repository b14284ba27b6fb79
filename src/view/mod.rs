//! What a flock looks like: camera, style, and two renderers that draw the same picture.

pub mod camera;
pub mod cpu;
pub mod frame;
pub mod gpu;
pub mod recorder;
pub mod shapes;
pub mod splats;
pub mod style;
pub mod words;

use crate::engine::{Engine, EngineError};
use crate::model::scene::Scene;
use camera::Camera;
use cpu::{raster, shape_raster};
use frame::Frame;
use shapes::StyledShape;

/// Makes pictures of the flock that an engine holds.
pub trait Painter {
    /// What draws: for the summary of a capture.
    fn describe(&self) -> String;

    /// The scenery, the flock as it is now, and over it the shapes `above`; as large as `camera`
    /// says.
    fn paint(
        &mut self,
        engine: &mut dyn Engine,
        scene: &Scene,
        camera: &Camera,
        above: &[StyledShape],
    ) -> Result<Frame, EngineError>;

    /// Begins the same picture and returns the oldest one begun before, if that is done or has to make
    /// room. The flock may move on at once. Nothing is lost: [`Painter::finish`] returns the rest.
    fn begin(
        &mut self,
        engine: &mut dyn Engine,
        scene: &Scene,
        camera: &Camera,
        above: &[StyledShape],
    ) -> Result<Option<Frame>, EngineError> {
        self.paint(engine, scene, camera, above).map(Some)
    }

    /// Waits for the oldest picture that was begun and not returned; none when there is no such.
    fn finish(&mut self) -> Result<Option<Frame>, EngineError> {
        Ok(None)
    }
}

/// Reads the state back and draws it on the CPU.
#[derive(Clone, Copy, Debug)]
pub struct RasterPainter {
    /// Pixels to the point.
    pub scale: f32,
}

impl Painter for RasterPainter {
    fn describe(&self) -> String {
        "CPU rasteriser".into()
    }

    fn paint(
        &mut self,
        engine: &mut dyn Engine,
        scene: &Scene,
        camera: &Camera,
        above: &[StyledShape],
    ) -> Result<Frame, EngineError> {
        let (state, targets) = (engine.read_back()?, engine.targets()?);
        let mut frame = raster::draw(scene, &state, &targets, camera, self.scale);
        shape_raster::draw(above, camera, self.scale, &mut frame);
        Ok(frame)
    }
}
