//! A film of what the window shows.

use std::collections::VecDeque;
use std::time::Duration;

use egui::{Align2, Color32, RichText};
use web_time::Instant;

use super::OpenWindow;
use super::picture::PictureUnderWay;
use super::scenes::stem;
use crate::{Filming, WindowError};
use flockwork_engine::EngineError;
use flockwork_session::TICKS_PER_SECOND;
use flockwork_view::Painter;
use flockwork_view::frame::Frame;
use flockwork_view::gpu::offscreen::Offscreen;
use flockwork_view::recorder::Film;

/// Frames a second.
const RATE: f64 = 30.0;

/// Ticks between two frames of a film that has every one of them.
pub(super) const TICKS_A_FRAME: u32 = (TICKS_PER_SECOND / RATE) as u32;

/// A window that showed nothing for longer than this, such as a minimised one, was not filmed.
const MAX_GAP: Duration = Duration::from_secs(1);

/// A film under way.
pub(super) struct FilmUnderWay {
    painter: Offscreen,
    writer: Box<dyn Filming>,
    film: Film,
    /// True if no frame is dropped, and the flock waits instead.
    exact: bool,
    /// Time filmed until the last frame of the window.
    filmed: Duration,
    last: Instant,
    /// The tick of the last frame of an exact film.
    tick: Option<u64>,
    /// The number of the next frame.
    next: u64,
    /// Numbers of the frames that the device is drawing.
    drawing: VecDeque<u64>,
}

/// The films and pictures of a window.
#[derive(Default)]
pub(super) struct Films {
    pub under_way: Option<FilmUnderWay>,
    /// Pictures that the device is drawing.
    pub pictures: Vec<PictureUnderWay>,
    /// The films that are being completed.
    pub completing: Vec<Box<dyn Filming>>,
    /// The size of pictures and films; `None`: the window's. Pixels.
    pub size: Option<(u32, u32)>,
}

impl FilmUnderWay {
    /// Hands a frame on to be encoded.
    fn hand_on(&mut self, frame: Option<Frame>) {
        if let Some((frame, number)) = frame.zip(self.drawing.front().copied()) {
            self.drawing.pop_front();
            self.writer.push(number, frame);
        }
    }

    /// The number of the frame that is due; none: it is not time for one.
    fn due(&mut self, tick: u64) -> Option<u64> {
        if self.exact {
            let is_new = self.tick.replace(tick) != Some(tick);
            return is_new.then_some(self.next);
        }
        let now = Instant::now();
        let passed = now - std::mem::replace(&mut self.last, now);
        if passed < MAX_GAP {
            self.filmed += passed;
        }
        let number = (self.filmed.as_secs_f64() * RATE) as u64;
        (number >= self.next && self.writer.is_ready()).then_some(number)
    }

    /// Waits for the frames that the device is drawing, and ends the film.
    fn end(mut self) -> Box<dyn Filming> {
        while let Ok(Some(frame)) = self.painter.finish() {
            self.hand_on(Some(frame));
        }
        self.writer.end();
        self.writer
    }
}

impl OpenWindow<'_> {
    /// Starts a film, or ends the one under way.
    pub(super) fn film(&mut self, exact: bool) -> Result<(), WindowError> {
        if self.end_film() {
            return Ok(());
        }
        let begun = self.begin_film(exact);
        self.notify(match begun {
            Ok(()) if exact => "filming every frame; F9 ends the film".into(),
            Ok(()) => "filming; F9 ends the film".into(),
            Err(problem) => problem,
        });
        Ok(())
    }

    fn begin_film(&mut self, exact: bool) -> Result<(), String> {
        let (painter, (width, height)) = self.painter().map_err(|error| error.to_string())?;
        let alpha = self.session.scene().style.background.is_none();
        let film = Film { width, height, rate: RATE, alpha };
        let name = format!("{}-tick{}", stem(&self.session.scene().name), self.session.tick());
        let writer = self.options.host.film(&name, film, exact, self.record())?;
        self.session.clock.lock(exact.then_some(TICKS_A_FRAME));
        self.films.under_way = Some(FilmUnderWay {
            painter,
            writer,
            film,
            exact,
            filmed: Duration::ZERO,
            last: Instant::now(),
            tick: None,
            next: 0,
            drawing: VecDeque::new(),
        });
        Ok(())
    }

    /// Ends the film under way; false if there is none.
    pub(super) fn end_film(&mut self) -> bool {
        let Some(film) = self.films.under_way.take() else { return false };
        self.session.clock.lock(None);
        self.films.completing.push(film.end());
        true
    }

    /// Films the frame that is shown, and tells the user which films are complete.
    pub(super) fn film_frame(&mut self) -> Result<(), EngineError> {
        if let Some(mut film) = self.films.under_way.take() {
            let drawn = self.draw_for(&mut film);
            let failed = film.writer.poll();
            match drawn {
                Ok(()) if failed.is_none() => self.films.under_way = Some(film),
                drawn => {
                    self.session.clock.lock(None);
                    match failed {
                        Some(told) => self.tell_film(told),
                        None => self.films.completing.push(film.end()),
                    }
                    drawn?;
                }
            }
        }
        let mut told = Vec::new();
        let completing = &mut self.films.completing;
        completing.retain_mut(|film| film.poll().map(|done| told.push(done)).is_none());
        told.into_iter().for_each(|told| self.tell_film(told));
        Ok(())
    }

    fn draw_for(&mut self, film: &mut FilmUnderWay) -> Result<(), EngineError> {
        let Some(number) = film.due(self.session.tick()) else { return Ok(()) };
        let before = self.submit(&mut film.painter, (film.film.width, film.film.height))?;
        film.hand_on(before);
        film.drawing.push_back(number);
        film.next = number + 1;
        Ok(())
    }

    fn tell_film(&mut self, done: Result<String, String>) {
        self.tell_saved(done.map_err(|problem| format!("no film: {problem}")));
    }

    /// True while a film is encoded or a picture is drawn.
    pub(super) fn is_filming(&self) -> bool {
        let Films { under_way, pictures, completing, .. } = &self.films;
        under_way.is_some() || !pictures.is_empty() || !completing.is_empty()
    }

    /// Completes all pictures and films before the window closes.
    pub fn finish_films(&mut self) {
        for mut picture in std::mem::take(&mut self.films.pictures) {
            let frame = picture.painter.finish();
            if let Some(Err(problem)) = picture.save(frame, self.options.host) {
                (self.options.tell)(&problem);
            }
        }
        self.end_film();
        for film in std::mem::take(&mut self.films.completing) {
            match film.finish() {
                Ok(name) => (self.options.tell)(&format!("saved: {name}")),
                Err(problem) => (self.options.tell)(&format!("no film: {problem}")),
            }
        }
    }

    /// Seconds filmed, to be shown; none without a film.
    pub(super) fn seconds_filmed(&self) -> Option<f64> {
        self.films.under_way.as_ref().map(|film| match film.exact {
            true => film.next as f64 / RATE,
            false => film.filmed.as_secs_f64(),
        })
    }
}

/// Width of the mark with the room beside it; points.
pub(super) const MARK: f32 = 70.0;

/// Shows that a film is under way, left of the panel, which begins at `edge`. Other panels lie over the
/// mark. The film itself does not show it.
pub(super) fn mark(context: &egui::Context, seconds: f64, edge: f32) {
    let covered = (context.content_rect().right() - edge).max(0.0);
    let area = egui::Area::new(egui::Id::unique("film"))
        .anchor(Align2::RIGHT_TOP, [-10.0 - covered, 10.0])
        .order(egui::Order::Background)
        .interactable(false);
    area.show(context, |ui| {
        let text = format!("● {}:{:02}", seconds as u64 / 60, seconds as u64 % 60);
        let red = Color32::from_rgb(255, 90, 80);
        ui.label(RichText::new(text).monospace().size(13.0).color(red));
    });
}
