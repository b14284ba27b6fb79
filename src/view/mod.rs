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
    /// What draws, for the summary of a capture.
    fn describe(&self) -> String;

    /// Draws the scenery, the current flock, and the shapes `above` over it; as large as `camera`
    /// says.
    fn paint(
        &mut self,
        engine: &mut dyn Engine,
        scene: &Scene,
        camera: &Camera,
        above: &[StyledShape],
    ) -> Result<Frame, EngineError>;

    /// Begins the same picture. Returns the oldest picture begun before, if it is done or must make
    /// room. The flock may move on at once. [`Painter::finish`] returns the pictures that are left.
    fn begin(
        &mut self,
        engine: &mut dyn Engine,
        scene: &Scene,
        camera: &Camera,
        above: &[StyledShape],
    ) -> Result<Option<Frame>, EngineError> {
        self.paint(engine, scene, camera, above).map(Some)
    }

    /// Waits for the oldest picture that was begun and not yet returned; none when there is none.
    fn finish(&mut self) -> Result<Option<Frame>, EngineError> {
        Ok(None)
    }
}

/// Reads the state back and draws it on the CPU.
#[derive(Clone, Copy, Debug)]
pub struct RasterPainter {
    /// Pixels per point.
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
