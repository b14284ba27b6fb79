//! A film of the window: a thread encodes it while the flock goes on.

use std::io::{Seek, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, channel, sync_channel};

use super::interrupt::Interrupt;
use super::messages::sentence;
use crate::commands::files::capture_output::ask_ffmpeg;
use crate::commands::files::output::{OutputFile, new_name};
use flockwork_app::Filming;
use flockwork_view::frame::Frame;
use flockwork_view::recorder::{ApngRecorder, Film, Mp4Recorder, Recorder, apng};
use flockwork_view::words::size_text;

/// Frames that wait for the encoder.
const WAITING: usize = 3;

/// A film under way.
pub struct WindowFilm {
    frames: Option<SyncSender<(u64, Frame)>>,
    waiting: Arc<AtomicUsize>,
    done: Receiver<Result<String, String>>,
}

/// Begins a film in the current folder: MP4 where ffmpeg is there and the background is not transparent, else APNG.
pub fn begin(stem: &str, film: Film, comment: String) -> anyhow::Result<WindowFilm> {
    begin_in(Path::new(""), stem, ending(film, ask_ffmpeg().is_ok()), film, comment)
}

/// The ending of the film's name. MP4 knows no transparency.
fn ending(film: Film, has_ffmpeg: bool) -> &'static str {
    if has_ffmpeg && !film.alpha { "mp4" } else { "apng" }
}

fn begin_in(
    folder: &Path,
    stem: &str,
    ending: &str,
    film: Film,
    comment: String,
) -> anyhow::Result<WindowFilm> {
    let name = new_name(folder, stem, ending);
    let file = OutputFile::create(&folder.join(&name))?;
    let (frames, queue) = sync_channel(WAITING);
    let (report, done) = channel();
    let waiting = Arc::new(AtomicUsize::new(0));
    let taken = Arc::clone(&waiting);
    let is_mp4 = ending == "mp4";
    let thread = std::thread::Builder::new().name("film".into());
    thread.spawn(move || {
        let written = encode(file, is_mp4, (film, &comment), &queue, &taken);
        let result = written.map(|size| format!("{name} ({})", size_text(size)));
        // Fails only if the window is gone.
        let _ = report.send(result.map_err(sentence));
    })?;
    Ok(WindowFilm { frames: Some(frames), waiting, done })
}

/// Encodes all frames. Returns the size of the file in bytes.
fn encode(
    mut file: OutputFile,
    is_mp4: bool,
    (film, comment): (Film, &str),
    queue: &Receiver<(u64, Frame)>,
    waiting: &AtomicUsize,
) -> anyhow::Result<u64> {
    // An empty film is no file that a player could open.
    let Ok(first) = queue.recv() else {
        anyhow::bail!("the film has no frame: nothing was saved");
    };
    if is_mp4 {
        let interrupt = Interrupt::watch();
        let recorder = Mp4Recorder::start(file.lend(), film, comment)?;
        let recorder = Box::new(recorder.stopped_by(move || interrupt.is_raised()));
        record(recorder, first, queue, waiting)?;
        return Ok(file.publish()?);
    }
    // The true number of frames is written at the end.
    let recorder = ApngRecorder::new(&mut file, film, apng::MAX_FRAMES, comment)?;
    let recorder = Box::new(recorder.ending_early());
    let frames = record(recorder, first, queue, waiting)?;
    apng::correct_count(&mut file, film, frames)?;
    file.flush()?;
    file.rewind()?;
    Ok(file.publish()?)
}

/// Takes frames to the last. Returns their number.
fn record(
    mut recorder: Box<dyn Recorder + '_>,
    first: (u64, Frame),
    queue: &Receiver<(u64, Frame)>,
    waiting: &AtomicUsize,
) -> anyhow::Result<u32> {
    let (mut last, mut frame) = first;
    let mut count = 1;
    waiting.fetch_sub(1, Ordering::AcqRel);
    recorder.push(frame.clone())?;
    while let Ok((number, next)) = queue.recv() {
        waiting.fetch_sub(1, Ordering::AcqRel);
        // Dropped frames show the one before, so that the film lasts as long as what it shows.
        for _ in last + 1..number {
            recorder.push(frame.clone())?;
            count += 1;
        }
        recorder.push(next.clone())?;
        count += 1;
        (last, frame) = (number, next);
    }
    recorder.finish()?;
    Ok(count)
}

impl Filming for WindowFilm {
    fn is_ready(&self) -> bool {
        self.waiting.load(Ordering::Acquire) < WAITING
    }

    fn push(&mut self, number: u64, frame: Frame) {
        if let Some(frames) = &self.frames {
            self.waiting.fetch_add(1, Ordering::AcqRel);
            // The thread ends early only when it has failed; `poll` says why.
            let _ = frames.send((number, frame));
        }
    }

    fn end(&mut self) {
        self.frames = None;
    }

    fn poll(&mut self) -> Option<Result<String, String>> {
        match self.done.try_recv() {
            Ok(done) => Some(done),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(GONE.into())),
        }
    }

    fn finish(mut self: Box<Self>) -> Result<String, String> {
        self.end();
        self.done.recv().unwrap_or_else(|_| Err(GONE.into()))
    }
}

const GONE: &str = "the film is lost: its thread has ended";

#[cfg(test)]
mod tests {
    use super::*;
    use flockwork_view::recorder::mp4;

    const FILM: Film = Film { width: 16, height: 8, rate: 30.0, alpha: false };

    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.unwrap().file_name().into_string().unwrap()
        };
        std::fs::read_dir(folder).unwrap().map(name).collect()
    }

    #[test]
    fn a_film_without_a_background_is_no_mp4() {
        let of = |alpha, has_ffmpeg| ending(Film { alpha, ..FILM }, has_ffmpeg);
        assert_eq!([of(false, true), of(true, true), of(false, false)], ["mp4", "apng", "apng"]);
    }

    #[test]
    fn dropped_frames_are_repeated_and_the_file_appears_when_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let mut film =
            Box::new(begin_in(folder.path(), "flock-tick0", "apng", FILM, "a = 1".into()).unwrap());
        for number in [0, 1, 4] {
            film.push(number, Frame::filled(16, 8, [number as u8 * 40, 0, 0]));
        }
        assert!(names(folder.path()).iter().all(|name| name.starts_with('.')));
        let told = film.finish().unwrap();
        let names = names(folder.path());
        assert!(names.len() == 1 && told.starts_with(&names[0]), "{told}: {names:?}");
        let bytes = std::fs::read(folder.path().join(&names[0])).unwrap();
        let reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        assert_eq!(reader.info().animation_control().unwrap().num_frames, 5);
    }

    #[test]
    fn a_film_of_no_frames_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        for ending in ["apng", "mp4"] {
            let film = Box::new(begin_in(folder.path(), "a", ending, FILM, String::new()).unwrap());
            assert!(film.finish().unwrap_err().contains("no frame"));
            assert_eq!(names(folder.path()), [""; 0]);
        }
    }

    #[test]
    fn a_film_that_cannot_be_written_is_one_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing");
        let error = begin_in(&missing, "a", "apng", FILM, String::new()).err().unwrap().to_string();
        assert!(error.contains("missing") && !error.contains('\n'), "{error}");
        if mp4::check().is_err() {
            return;
        }
        // A film that the encoder does not begin.
        let absurd = Film { rate: f64::NAN, ..FILM };
        let mut film =
            Box::new(begin_in(folder.path(), "a", "mp4", absurd, String::new()).unwrap());
        film.push(0, Frame::filled(16, 8, [0; 3]));
        let error = film.finish().unwrap_err();
        assert!(error.contains("--fps NaN") && !error.contains('\n'), "{error}");
        assert_eq!(names(folder.path()), [""; 0]);
    }
}
