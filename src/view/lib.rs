//! The looks of a flock: camera, style, and two renderers that draw the same picture.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

pub mod between;
pub mod camera;
mod clusters;
pub mod cpu;
pub mod frame;
pub mod gpu;
pub mod legend;
pub mod recorder;
pub mod shapes;
pub mod space;
pub mod splats;
pub mod style;
pub mod trails;
pub mod words;

use std::borrow::Cow;

use camera::Camera;
use cpu::{raster, shape_raster};
use flockwork_engine::{Engine, EngineError};
use flockwork_model::scene::{Ground, Scene};
use flockwork_model::state::FlockState;
use frame::Frame;
use legend::Legend;
use shapes::StyledShape;
use style::Backdrop;

/// A picture of an engine's flock.
#[derive(Clone, Copy, Debug)]
pub struct Motif<'a> {
    /// The scene, whose scenery and style are drawn.
    pub scene: &'a Scene,
    /// The camera. [`RasterPainter`] draws a picture of its size; `Offscreen` has a size of its own.
    pub camera: &'a Camera,
    /// Shapes over the flock.
    pub above: &'a [StyledShape],
}

impl<'a> Motif<'a> {
    /// The picture of a scene without shapes over the flock.
    #[must_use]
    pub fn of(scene: &'a Scene, camera: &'a Camera) -> Self {
        Self { scene, camera, above: &[] }
    }
}

/// Draws pictures of an engine's flock.
pub trait Painter {
    /// The renderer's name, for the summary of a capture.
    fn describe(&self) -> String;

    /// Draws the scenery, the current flock, and the shapes over it.
    fn paint(&mut self, engine: &mut dyn Engine, motif: Motif<'_>) -> Result<Frame, EngineError>;

    /// Begins the same picture; the flock may move on at once. Returns the oldest picture begun
    /// before, if it is done or must make room. [`Painter::finish`] returns the remaining pictures.
    fn begin(
        &mut self,
        engine: &mut dyn Engine,
        motif: Motif<'_>,
    ) -> Result<Option<Frame>, EngineError> {
        self.paint(engine, motif).map(Some)
    }

    /// Draws the agents alone, without a background. No picture may be under way.
    fn paint_agents(
        &mut self,
        engine: &mut dyn Engine,
        motif: Motif<'_>,
    ) -> Result<Frame, EngineError>;

    /// Draws what is behind the agents and their trails, with the agents' shadows. No picture may be under way.
    fn paint_behind(
        &mut self,
        engine: &mut dyn Engine,
        motif: Motif<'_>,
    ) -> Result<Frame, EngineError>;

    /// Waits for the oldest picture not yet returned; `None` if all have been.
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

/// The scene without the parts of its style that only a graphics adapter draws.
#[must_use]
pub fn without_light(scene: &Scene) -> Cow<'_, Scene> {
    if !scene.style.needs_adapter() {
        return Cow::Borrowed(scene);
    }
    let mut drawn = scene.clone();
    drawn.style = scene.style.without_adapter();
    Cow::Owned(drawn)
}

impl Painter for RasterPainter {
    fn describe(&self) -> String {
        "CPU rasteriser".into()
    }

    fn paint(&mut self, engine: &mut dyn Engine, motif: Motif<'_>) -> Result<Frame, EngineError> {
        let Motif { scene, camera, above } = motif;
        let (state, targets) = (engine.read_back()?, engine.targets()?);
        let scene = &without_light(scene);
        let mut frame = raster::draw(scene, &state, &targets, camera, self.scale);
        let above = Backdrop::of(&scene.style.background).suited(above);
        shape_raster::draw(&above, camera, self.scale, &mut frame);
        if let Some(legend) = Legend::asked_for(scene, camera) {
            legend.draw(self.scale, &mut frame);
        }
        Ok(frame)
    }

    fn paint_agents(
        &mut self,
        engine: &mut dyn Engine,
        Motif { scene, camera, .. }: Motif<'_>,
    ) -> Result<Frame, EngineError> {
        let scene = &without_light(scene);
        Ok(raster::draw_agents(scene, &engine.read_back()?, camera, self.scale))
    }

    fn paint_behind(
        &mut self,
        engine: &mut dyn Engine,
        Motif { scene, camera, .. }: Motif<'_>,
    ) -> Result<Frame, EngineError> {
        let targets = engine.targets()?;
        // Only a floor in a space shows shadows.
        let state = match scene.style.ground {
            Ground::None => FlockState::default(),
            _ => engine.read_back()?,
        };
        Ok(raster::backdrop(&without_light(scene), &state, &targets, camera, self.scale))
    }
}
