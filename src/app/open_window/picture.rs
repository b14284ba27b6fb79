//! A picture of what the window shows.

use std::sync::Arc;

use super::scenes::stem;
use super::{OpenWindow, scale};
use crate::app::{WindowError, WindowOptions};
use crate::engine::EngineError;
use crate::view::Painter;
use crate::view::gpu::offscreen::Offscreen;
use crate::view::gpu::trails::TrailLight;
use crate::view::recorder::png;

impl OpenWindow {
    /// Saves a picture of the flock and of the geometry that is shown, without panels, to a new file.
    pub(super) fn save_picture(&mut self, options: &WindowOptions<'_>) -> Result<(), WindowError> {
        let name = format!("{}-tick{}", stem(&self.session.scene().name), self.session.tick());
        let saved = match self.picture() {
            Ok(bytes) => options.host.save(&name, "png", &bytes),
            Err(error @ EngineError::Lost { .. }) => return Err(error.into()),
            Err(error) => Err(error.to_string()),
        };
        self.notify(Some(match saved {
            Ok(name) => format!("saved: {name}"),
            Err(problem) => problem,
        }));
        Ok(())
    }

    /// The bytes of a PNG file, in the size of the window.
    fn picture(&mut self) -> Result<Vec<u8>, EngineError> {
        let (width, height) = self.screen.size();
        let mut painter = Offscreen::new(Arc::clone(self.screen.gpu()), width, height)?;
        painter.set_scale(scale(&self.window, (width, height)));
        let camera = self.pointer.camera;
        let (shapes, _) = self.inspector.shapes(&mut self.session, &camera, 0.0)?;
        let (engine, scene) = self.session.engine_and_scene();
        painter.set_trails(self.trails.as_ref().and_then(TrailLight::view));
        let frame = painter.paint(engine, scene, &camera, &shapes)?;
        let mut bytes = Vec::new();
        let written = png::write(&mut bytes, &frame);
        written.map_err(|error| self.screen.gpu().error(error.to_string()))?;
        Ok(bytes)
    }
}
