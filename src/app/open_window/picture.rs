//! A picture of what the window shows.

use std::sync::Arc;

use glam::Vec2;

use super::OpenWindow;
use super::display::scale;
use super::scenes::stem;
use crate::{WindowError, WindowOptions};
use flockwork_engine::EngineError;
use flockwork_view::Painter;
use flockwork_view::camera::Camera;
use flockwork_view::gpu::offscreen::Offscreen;
use flockwork_view::gpu::trails::TrailLight;
use flockwork_view::recorder::png;
use flockwork_view::style::scale_of;

impl OpenWindow {
    /// Saves a picture of the flock and of the geometry that is shown, without panels, to a new file.
    pub(super) fn save_picture(&mut self, options: &WindowOptions<'_>) -> Result<(), WindowError> {
        let name = format!("{}-tick{}", stem(&self.session.scene().name), self.session.tick());
        let saved = match self.picture(&self.record(options)) {
            Ok(bytes) => options.host.save(&name, "png", &bytes),
            Err(error @ EngineError::Lost { .. }) => return Err(error.into()),
            Err(error) => Err(error.to_string()),
        };
        self.tell_saved(saved);
        Ok(())
    }

    /// The comment of a picture or a film: its scene, with the edits so far.
    pub(super) fn record(&self, options: &WindowOptions<'_>) -> String {
        let scene = self.session.edited_scene().fixed(self.session.starters());
        options.host.record(&scene, self.session.engine().kind(), self.display.screen.gpu())
    }

    /// Draws pictures of the chosen size; with the size.
    pub(super) fn painter(&self) -> Result<(Offscreen, (u32, u32)), EngineError> {
        let (width, height) = self.films.size.unwrap_or(self.display.screen.size());
        let mut painter = Offscreen::new(Arc::clone(self.display.screen.gpu()), width, height)?;
        painter.set_scale(match self.films.size {
            Some((width, height)) => scale_of(width, height),
            None => scale(&self.window, (width, height)),
        });
        Ok((painter, (width, height)))
    }

    /// The window's view in a picture of another size: at least as much of the world.
    pub(super) fn camera_of(&self, (width, height): (u32, u32)) -> Camera {
        let camera = self.hand.pointer.camera;
        let size = Vec2::new(width as f32, height as f32);
        let ratio = (size / camera.size).min_element();
        camera.resized(size, ratio)
    }

    /// The bytes of a PNG file.
    fn picture(&mut self, record: &str) -> Result<Vec<u8>, EngineError> {
        let (mut painter, size) = self.painter()?;
        let camera = self.camera_of(size);
        let (shapes, _) = self.panels.inspector.shapes(&mut self.session, &camera, 0.0)?;
        let (engine, scene) = self.session.engine_and_scene();
        painter.set_trails(self.display.trails.as_ref().and_then(TrailLight::view));
        let frame = painter.paint(engine, scene, &camera, &shapes)?;
        let mut bytes = Vec::new();
        let written = png::write(&mut bytes, &frame, record);
        written.map_err(|error| self.display.screen.gpu().error(error.to_string()))?;
        Ok(bytes)
    }
}
