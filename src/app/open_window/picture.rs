//! A picture of what the window shows.

use std::sync::Arc;

use glam::Vec2;

use super::OpenWindow;
use super::display::scale;
use super::scenes::stem;
use crate::{WindowError, WindowHost};
use flockwork_engine::EngineError;
use flockwork_view::frame::Frame;
use flockwork_view::gpu::offscreen::Offscreen;
use flockwork_view::gpu::trails::TrailLight;
use flockwork_view::recorder::png;
use flockwork_view::style::scale_of;
use flockwork_view::{Motif, Painter};

/// A picture that the device is drawing.
pub(super) struct PictureUnderWay {
    pub painter: Offscreen,
    /// The beginning of the name of its file.
    name: String,
    /// Its comment.
    record: String,
}

impl PictureUnderWay {
    /// Saves the picture if it is here; the name of its file, or why there is none.
    pub fn save(
        &self,
        drawn: Result<Option<Frame>, EngineError>,
        host: &dyn WindowHost,
    ) -> Option<Result<String, String>> {
        let encode = |frame: Frame| {
            let mut bytes = Vec::new();
            let written = png::write(&mut bytes, &frame, &self.record);
            written.map_err(|error| error.to_string())?;
            host.save(&self.name, "png", &bytes)
        };
        drawn.map_err(|error| error.to_string()).transpose().map(|drawn| drawn.and_then(encode))
    }
}

impl OpenWindow<'_> {
    /// Begins a picture of the flock and of the geometry that is shown, without panels.
    pub(super) fn begin_picture(&mut self) -> Result<(), WindowError> {
        let name = format!("{}-tick{}", stem(&self.session.scene().name), self.session.tick());
        let record = self.record();
        match self.submit_picture() {
            Ok(painter) => self.films.pictures.push(PictureUnderWay { painter, name, record }),
            Err(error @ (EngineError::Lost { .. } | EngineError::NotYet)) => {
                return Err(error.into());
            }
            Err(error) => self.notify(error.to_string()),
        }
        Ok(())
    }

    /// Saves the pictures that the device has drawn, each to a new file.
    pub(super) fn take_pictures(&mut self) {
        let (host, mut saved) = (self.options.host, Vec::new());
        self.films.pictures.retain_mut(|picture| {
            let drawn = picture.painter.arrived();
            picture.save(drawn, host).map(|done| saved.push(done)).is_none()
        });
        saved.into_iter().for_each(|saved| self.tell_saved(saved));
    }

    /// The comment of a picture or a film: its scene, with the edits so far.
    pub(super) fn record(&self) -> String {
        let scene = self.session.edited_scene().fixed(self.session.start_count());
        self.options.host.record(&scene, self.session.engine().kind(), self.display.screen.gpu())
    }

    /// Draws pictures of the chosen size; with the size.
    pub(super) fn painter(&self) -> Result<(Offscreen, (u32, u32)), EngineError> {
        let (width, height) = self.films.size.unwrap_or(self.display.screen.size());
        let mut painter = Offscreen::new(Arc::clone(self.display.screen.gpu()), width, height)?;
        painter.set_scale(match self.films.size {
            Some((width, height)) => scale_of(width, height),
            None => scale(&self.window, (width, height)),
        });
        painter.expose_like(&self.display.renderer);
        Ok((painter, (width, height)))
    }

    /// Hands a picture of the flock and of the geometry that is shown to the device. It shows at least as much
    /// of the world as the window. Returns a picture that was handed over before, if it is here.
    pub(super) fn submit(
        &mut self,
        painter: &mut Offscreen,
        (width, height): (u32, u32),
    ) -> Result<Option<Frame>, EngineError> {
        let camera = self.hand.pointer.camera;
        let size = Vec2::new(width as f32, height as f32);
        let camera = camera.resized(size, (size / camera.size).min_element());
        let (shapes, _) = self.panels.inspector.shapes(&mut self.session, &camera, 0.0)?;
        let (engine, scene) = self.session.engine_and_scene();
        painter.set_trails(self.display.trails.as_ref().and_then(TrailLight::view));
        painter.begin(engine, Motif { above: &shapes, ..Motif::of(scene, &camera) })
    }

    fn submit_picture(&mut self) -> Result<Offscreen, EngineError> {
        // Without them a picture would be prepared in vain.
        self.session.engine_and_scene().0.targets()?;
        let (mut painter, size) = self.painter()?;
        self.submit(&mut painter, size)?;
        Ok(painter)
    }
}
