//! A film of a page: the browser records the canvas, with all that is shown on it.

use std::cell::Cell;
use std::rc::Rc;

use flockwork_app::Filming;
use flockwork_view::frame::Frame;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{BlobEvent, HtmlCanvasElement, MediaRecorder, MediaRecorderOptions};

use crate::page_files::download_blob;

/// The formats of films, the best first, and the endings of their files.
/// Not avc1, which ends when the canvas changes its size.
const FORMATS: [(&str, &str); 3] = [
    ("video/mp4;codecs=avc3.640034", "mp4"),
    ("video/webm;codecs=vp9", "webm"),
    ("video/webm", "webm"),
];

/// Bits of a second: thin bright marks on a dark ground need more than a face.
const BITS: u32 = 16_000_000;

/// The name of a film's file, or why there is none; once it is known.
type Outcome = Rc<Cell<Option<Result<String, String>>>>;

/// A film that the browser records.
pub struct PageFilm {
    recorder: MediaRecorder,
    outcome: Outcome,
    /// Called with the whole film.
    _saves: Closure<dyn FnMut(BlobEvent)>,
}

impl PageFilm {
    /// Begins to record a canvas, with at most `rate` frames a second.
    pub fn begin(canvas: &HtmlCanvasElement, stem: &str, rate: f64) -> Result<Self, String> {
        let (format, ending) = FORMATS
            .into_iter()
            .find(|(format, _)| MediaRecorder::is_type_supported(format))
            .ok_or("this browser records no films")?;
        let refused = |_| "this browser records no films of the canvas".to_owned();
        let stream = canvas.capture_stream_with_frame_request_rate(rate).map_err(refused)?;
        let options = MediaRecorderOptions::new();
        options.set_mime_type(format);
        options.set_video_bits_per_second(BITS);
        let recorder =
            MediaRecorder::new_with_media_stream_and_media_recorder_options(&stream, &options)
                .map_err(refused)?;
        let outcome = Outcome::default();
        let (name, result) = (format!("{stem}.{ending}"), Rc::clone(&outcome));
        let saves = Closure::new(move |event: BlobEvent| {
            let saved = match event.data() {
                Some(film) if film.size() > 0.0 => download_blob(&name, &film),
                _ => Err(format!("{name}: the browser has recorded nothing")),
            };
            result.set(Some(saved.map(|()| name.clone())));
        });
        recorder.set_ondataavailable(Some(saves.as_ref().unchecked_ref()));
        recorder.start().map_err(refused)?;
        Ok(Self { recorder, outcome, _saves: saves })
    }
}

impl Filming for PageFilm {
    /// The browser takes its frames by itself.
    fn is_ready(&self) -> bool {
        false
    }

    fn push(&mut self, _: u64, _: Frame) {}

    fn end(&mut self) {
        if self.recorder.stop().is_err() {
            self.outcome.set(Some(Err("the browser has ended the film".into())));
        }
    }

    fn poll(&mut self) -> Option<Result<String, String>> {
        self.outcome.take()
    }

    fn finish(self: Box<Self>) -> Result<String, String> {
        Err("the page was left".into())
    }
}
