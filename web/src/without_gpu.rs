//! A flock where the browser has no WebGPU: the CPU moves and draws it. There are no panels, and the view is the
//! scene's.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use flockwork_app::{Action, Command};
use flockwork_engine::{AgentsAt, EngineKind};
use flockwork_session::{Opening, RealTime, Recording, Session, Source};
use flockwork_view::camera::Camera;
use flockwork_view::{Motif, Painter, RasterPainter};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

use crate::page::engine;
use crate::page_files::{check_room, make, make_named};
use crate::script::{WISHES, tell_end, tell_notice, tell_tick};

/// Longest side of the picture; the browser enlarges it. Pixels.
const MAX_SIDE: f64 = 1280.0;

/// The function that draws a frame.
type NextFrame = RefCell<Option<Closure<dyn FnMut()>>>;

/// A flock in a canvas.
struct Flock {
    session: Session<RealTime>,
    canvas: HtmlCanvasElement,
    pixels: CanvasRenderingContext2d,
}

/// Shows a flock in a canvas until the page is left.
pub fn show(canvas: HtmlCanvasElement, opening: Opening) -> Result<(), String> {
    let context = canvas.get_context("2d").ok().flatten();
    let pixels =
        context.and_then(|own| own.dyn_into().ok()).ok_or("this canvas cannot be drawn on")?;
    let mut flock = Flock { session: session(opening)?, canvas, pixels };
    // A frame asks for the next one, which is the same function.
    let next: Rc<NextFrame> = Rc::default();
    let again = Rc::clone(&next);
    *next.borrow_mut() = Some(Closure::new(move || match flock.frame() {
        Ok(()) => ask(&again),
        Err(problem) => tell_end(&format!("The flock has ended: {problem}.")),
    }));
    ask(&next);
    Ok(())
}

fn ask(frame: &NextFrame) {
    if let (Some(window), Some(frame)) = (web_sys::window(), &*frame.borrow()) {
        // It fails only where the page is gone.
        let _ = window.request_animation_frame(frame.as_ref().unchecked_ref());
    }
}

fn session(opening: Opening) -> Result<Session<RealTime>, String> {
    let engine = engine(EngineKind::Cpu, None).map_err(|error| error.to_string())?;
    let begin = web_time::Instant::now();
    let time = Arc::new(move || -> Duration { begin.elapsed() });
    let state = Arc::new(opening.state);
    let made = Session::new(engine, &opening.scene, state, RealTime::default(), time);
    let mut session = made.map_err(|error| error.to_string())?;
    session.set_room(check_room);
    Ok(session)
}

impl Flock {
    fn frame(&mut self) -> Result<(), String> {
        for wish in WISHES.take() {
            if let Err(problem) = self.grant(wish) {
                tell_notice(&problem);
            }
        }
        let advanced = self.session.advance();
        advanced.map_err(|error| error.to_string())?;
        self.draw()?;
        tell_tick(self.session.tick());
        Ok(())
    }

    fn grant(&mut self, wish: Command) -> Result<(), String> {
        match wish {
            Command::Edit(edit) => self.session.edit(edit).map_err(|error| error.to_string()),
            Command::OpenText { text, .. } if Recording::is_meant_by(&text) => {
                let recording = Recording::read(&text)?;
                let opening = make(recording.source.clone())?;
                let events = recording.events(&opening.scene)?;
                self.session = session(opening)?;
                let replayed = self.session.replay(events, recording.ticks);
                replayed.map_err(|error| error.to_string())
            }
            Command::OpenText { name, text } => {
                let opening = make_named(&name, Source { text, ..Source::default() })?;
                self.session = session(opening)?;
                // The sentence about another text no longer holds.
                tell_notice("");
                Ok(())
            }
            Command::Act(Action::Pause) => {
                self.session.clock.toggle();
                Ok(())
            }
            _ => Err("without WebGPU there are no panels".into()),
        }
    }

    fn draw(&mut self) -> Result<(), String> {
        let ratio = web_sys::window().map_or(1.0, |window| window.device_pixel_ratio());
        let (width, height) = (self.canvas.client_width(), self.canvas.client_height());
        let (width, height) = (f64::from(width), f64::from(height));
        let scale = ratio.min(MAX_SIDE / width.max(height)).max(f64::MIN_POSITIVE);
        let size = ((width * scale) as u32, (height * scale) as u32);
        if size.0 == 0 || size.1 == 0 {
            return Ok(());
        }
        if (self.canvas.width(), self.canvas.height()) != size {
            self.canvas.set_width(size.0);
            self.canvas.set_height(size.1);
        }
        let scene = self.session.scene();
        let followed = match self.session.engine().agents() {
            AgentsAt::Host(agents) => Camera::followed_among(scene, &agents),
            AgentsAt::Device(_) => None,
        };
        let camera = Camera::of(scene, self.session.tick(), followed, size);
        let (engine, scene) = self.session.engine_and_scene();
        let mut painter = RasterPainter { scale: scale as f32 };
        let painted = painter.paint(engine, Motif::of(scene, &camera));
        let frame = painted.map_err(|error| error.to_string())?;
        let pixels = Clamped(&frame.pixels[..]);
        ImageData::new_with_u8_clamped_array_and_sh(pixels, frame.width, frame.height)
            .and_then(|image| self.pixels.put_image_data(&image, 0.0, 0.0))
            .map_err(|_| "the browser takes no picture".into())
    }
}
