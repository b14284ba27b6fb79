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
    /// Shapes over the flock, in a whole picture.
    pub above: &'a [StyledShape],
    /// The part of it that is drawn.
    pub layer: Layer,
}

/// The part of a picture that is drawn. Only the whole one has a legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// All of it.
    Whole,
    /// The agents, without a background.
    Agents,
    /// All that is behind the agents and their trails, with the agents' shadows.
    Behind,
}

impl<'a> Motif<'a> {
    /// The whole picture of a scene, without shapes over the flock.
    #[must_use]
    pub fn of(scene: &'a Scene, camera: &'a Camera) -> Self {
        Self { scene, camera, above: &[], layer: Layer::Whole }
    }
}

/// Draws pictures of an engine's flock.
pub trait Painter {
    /// The renderer's name, for the summary of a capture.
    fn describe(&self) -> String;

    /// Draws the scenery, the current flock, and the shapes over it; or a layer of this picture.
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
        let Motif { scene, camera, above, layer } = motif;
        let targets = engine.targets()?;
        // Behind the agents, only a floor in a space shows where they are: it has their shadows.
        let state = match layer {
            Layer::Behind if scene.style.ground == Ground::None => FlockState::default(),
            _ => engine.read_back()?,
        };
        let scene = &without_light(scene);
        let mut frame = raster::draw_layer(scene, &state, &targets, camera, self.scale, layer);
        if layer == Layer::Whole {
            let above = Backdrop::of(&scene.style.background).suited(above);
            shape_raster::draw(&above, camera, self.scale, &mut frame);
            if let Some(legend) = Legend::asked_for(scene, camera) {
                legend.draw(self.scale, &mut frame);
            }
        }
        Ok(frame)
    }
}
