//! MP4 films (H.264), encoded by ffmpeg.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

use super::{Film, Frame, RecordError, Recorder, without_frames};

/// Threads of the encoder. Its output depends on their number, and the same frames must give the
/// same bytes on any machine with the same ffmpeg.
const THREADS: &str = "4";

const REMEDY: &str = "install it (Debian: apt-get install ffmpeg), or write .gif, .apng or a \
                      folder of PNGs instead";
const INSTEAD: &str = "write .gif, .apng or a folder of PNGs instead";

/// Most bytes of a comment. ffmpeg gets it on its command line, which Windows limits to 32,767
/// characters.
pub const MAX_COMMENT: usize = 30_000;

const OTHERS: &str = "write .gif, .apng or a folder of PNGs instead, or try another ffmpeg";

/// Bits go to dark flat places, where the encoder would take the pattern of a gradient for noise.
const DARK: &str = "aq-mode=3:aq-strength=1.3";

/// Most pixels of a side: the encoder's own limit.
const MAX_SIDE: u32 = 16_384;

/// How long ffmpeg may do nothing once the film is to end: the encoder thinks for seconds about large
/// frames.
const PATIENCE: Duration = Duration::from_secs(20);

/// Interval between looks at ffmpeg.
const POLL: Duration = Duration::from_millis(20);

/// How much of the pictures an MP4 film keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quality {
    /// Small and fast, with visible blocks in dense flocks.
    Draft,
    /// Hardly a visible loss.
    Good,
    /// No visible loss.
    #[default]
    Best,
}

impl Quality {
    /// Every variant, with its name on the command line.
    pub const NAMES: [(&'static str, Self); 3] =
        [("draft", Self::Draft), ("good", Self::Good), ("best", Self::Best)];

    /// The constant rate factor and the preset of libx264.
    fn arguments(self) -> (&'static str, &'static str) {
        match self {
            Self::Draft => ("27", "veryfast"),
            Self::Good => ("22", "medium"),
            Self::Best => ("17", "medium"),
        }
    }
}

/// The sides of a film of pictures of this size: H.264 halves the resolution of colour, so they are even.
#[must_use]
pub fn even(width: u32, height: u32) -> [u32; 2] {
    [width.next_multiple_of(2), height.next_multiple_of(2)]
}

/// The pixels of a frame with even sides; the last column and the last row are repeated where one is missing.
fn padded(frame: Frame) -> Vec<u8> {
    let [width, height] = even(frame.width, frame.height);
    if [frame.width, frame.height] == [width, height] {
        return frame.pixels;
    }
    let row = 4 * width as usize;
    let mut pixels = Vec::with_capacity(row * height as usize);
    for own in frame.pixels.chunks_exact(4 * frame.width as usize) {
        pixels.extend_from_slice(own);
        pixels.extend_from_slice(&own[2 * own.len() - row..]);
    }
    if frame.height < height {
        pixels.extend_from_within(pixels.len() - row..);
    }
    pixels
}

/// Feeds raw frames to an ffmpeg process.
pub struct Mp4Recorder {
    process: Child,
    path: PathBuf,
    film: Film,
    is_empty: bool,
    /// Frames for the thread that feeds ffmpeg; it answers each when ffmpeg has taken it.
    frames: Option<SyncSender<Vec<u8>>>,
    taken: Receiver<io::Result<()>>,
    complaints: Receiver<String>,
    stopped: Box<dyn Fn() -> bool + Send>,
}

/// An ffmpeg that ends with the thread that starts it: with this program at the latest, however that ends.
fn ffmpeg() -> Command {
    let mut command = Command::new("ffmpeg");
    command.args(["-hide_banner", "-loglevel", "error"]);
    #[cfg(target_os = "linux")]
    #[expect(
        unsafe_code,
        reason = "the standard library cannot tie a child's life to its parent's"
    )]
    // SAFETY: the call sets a number of the child's process, and may come between fork and exec.
    unsafe {
        std::os::unix::process::CommandExt::pre_exec(&mut command, || {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
    command
}

/// Checks for ffmpeg before anything is simulated. The error says what is missing.
pub fn check() -> Result<(), RecordError> {
    let listing = ffmpeg().arg("-encoders").stdin(Stdio::null()).output();
    match listing {
        Ok(listing) if String::from_utf8_lossy(&listing.stdout).contains("libx264") => Ok(()),
        Ok(listing) if listing.status.success() => Err(RecordError::Ffmpeg(format!(
            "this ffmpeg cannot encode MP4 (it lacks libx264); {REMEDY}"
        ))),
        Ok(listing) => {
            let said = String::from_utf8_lossy(&listing.stderr);
            let said =
                said.lines().next_back().map_or_else(String::new, |line| format!(": {line}"));
            let status = listing.status;
            Err(RecordError::Ffmpeg(format!("ffmpeg does not run ({status}){said}; {INSTEAD}")))
        }
        Err(error) => Err(unstartable(&error)),
    }
}

/// The error of an ffmpeg that does not start.
fn unstartable(error: &io::Error) -> RecordError {
    RecordError::Ffmpeg(match error.kind() {
        io::ErrorKind::NotFound => {
            format!("MP4 films need ffmpeg, which is not installed; {REMEDY}")
        }
        _ => format!("cannot start ffmpeg: {error}; {INSTEAD}"),
    })
}

impl Mp4Recorder {
    /// Starts ffmpeg. It writes to `path` and replaces what is there.
    pub fn start(path: &Path, film: Film, comment: &str) -> Result<Self, RecordError> {
        Self::start_in(Quality::default(), None, path, film, comment)
    }

    /// The same in another quality, or in a lower one where a film would have more than `most` bits per
    /// second. A comment longer than [`MAX_COMMENT`] is left out.
    pub fn start_in(
        quality: Quality,
        most: Option<u32>,
        path: &Path,
        film: Film,
        comment: &str,
    ) -> Result<Self, RecordError> {
        film.check("an MP4 film", MAX_SIDE)?;
        let (rate_factor, preset) = quality.arguments();
        let [width, height] = even(film.width, film.height);
        // Declares screen colours; without that players guess by the size of the picture. On its way from 12
        // to 8 bits ffmpeg dithers: without that the few shades of colour of a dark gradient are bands.
        let filters = "scale=out_color_matrix=bt709:out_range=tv:flags=bitexact+accurate_rnd,\
                       format=yuv420p12le,scale=flags=bitexact+accurate_rnd";
        let comment = Some(comment).filter(|text| text.len() <= MAX_COMMENT);
        let mut target = std::ffi::OsString::from("file:");
        target.push(path);
        let mut command = ffmpeg();
        command
            // Without this an ffmpeg that cannot write the end of the film prints an error and
            // exits with success (seen in 5.1).
            .args(["-y", "-xerror", "-f", "rawvideo"])
            .args(["-pix_fmt", "rgba", "-video_size", &format!("{width}x{height}")])
            .args(["-framerate", &film.rate.to_string(), "-i", "pipe:0"])
            .args(["-vf", filters, "-c:v", "libx264", "-pix_fmt", "yuv420p"])
            .args(["-crf", rate_factor, "-preset", preset, "-x264-params", DARK])
            .args(most.iter().flat_map(|most| {
                ["-maxrate".into(), most.to_string(), "-bufsize".into(), (most / 2).to_string()]
            }))
            .args(["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"])
            .args(["-threads", THREADS, "-flags", "+bitexact", "-fflags", "+bitexact"])
            .args(["-map_metadata", "-1"])
            .args(["-metadata", &format!("comment={}", comment.unwrap_or_default())])
            .args(["-movflags", "+faststart", "-f", "mp4"])
            .arg(target)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        {
            // Ctrl-C in a terminal reaches the whole process group. ffmpeg must not end before its
            // frames do.
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
        }
        let (say, complaints) = channel();
        let (tell, started) = channel();
        // Linux ends a child with the thread that has started it, so this one lives as long as ffmpeg.
        std::thread::spawn(move || {
            let started = command.spawn().map(|mut process| (process.stderr.take(), process));
            let (pipe, process) =
                started.map_or_else(|error| (None, Err(error)), |(pipe, own)| (pipe, Ok(own)));
            let _ = tell.send(process);
            let mut text = Vec::new();
            // ffmpeg's text from before the pipe broke is all that there is.
            let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut text));
            let _ = say.send(String::from_utf8_lossy(&text).trim().to_owned());
        });
        let process = started.recv().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()));
        let mut process = process.map_err(|error| unstartable(&error))?;
        let (frames, queue) = sync_channel::<Vec<u8>>(0);
        let (answer, taken) = channel();
        let input = process.stdin.take();
        std::thread::spawn(move || {
            let Some(mut input) = input else { return };
            while let Ok(pixels) = queue.recv() {
                if answer.send(input.write_all(&pixels)).is_err() {
                    return;
                }
            }
        });
        let (path, frames) = (path.to_path_buf(), Some(frames));
        let stopped = Box::new(|| false);
        Ok(Self { process, path, film, is_empty: true, frames, taken, complaints, stopped })
    }

    /// Says when the film is to end early. An ffmpeg that does nothing from then on is ended, and the
    /// film is lost.
    #[must_use]
    pub fn stopped_by(mut self, stopped: impl Fn() -> bool + Send + 'static) -> Self {
        self.stopped = Box::new(stopped);
        self
    }

    /// Waits until `done` returns something; it may take [`POLL`] each time.
    fn until<T>(&mut self, mut done: impl FnMut(&mut Self) -> Option<T>) -> Result<T, RecordError> {
        let (mut last, mut written) = (Instant::now(), None);
        loop {
            if let Some(done) = done(self) {
                return Ok(done);
            }
            let file = self.path.metadata().ok();
            let now = file.map(|file| (file.len(), file.modified().ok()));
            if now != written || !(self.stopped)() {
                (last, written) = (Instant::now(), now);
            } else if last.elapsed() > PATIENCE {
                self.end();
                let what = format!("did nothing for {} s and was ended", PATIENCE.as_secs());
                return Err(self.failed(&what, "it said nothing"));
            }
        }
    }

    /// Waits for ffmpeg to end. If it failed, the error says why.
    fn wait(&mut self) -> Result<(), RecordError> {
        self.frames = None;
        let status = self.until(|film| {
            let ended = film.process.try_wait().transpose();
            if ended.is_none() {
                std::thread::sleep(POLL);
            }
            ended
        })??;
        let what = match self.path.metadata() {
            _ if !status.success() => "failed",
            Ok(file) if file.len() > 0 => return Ok(()),
            _ => "wrote no film",
        };
        Err(self.failed(what, &status.to_string()))
    }

    /// The error of an ffmpeg that has ended, with its own words or, if it had none, `otherwise`.
    fn failed(&self, what: &str, otherwise: &str) -> RecordError {
        // A program that ffmpeg has started may still hold the pipe.
        let complaints = self.complaints.recv_timeout(POLL * 10).unwrap_or_default();
        // The first line has the cause; the others are its consequences.
        let said = complaints.lines().next().unwrap_or(otherwise);
        let full = said.contains("No space left") || said.contains("File too large");
        let remedy = if full { "free some space or write to another disk" } else { OTHERS };
        RecordError::Ffmpeg(format!("ffmpeg {what}: {said}; {remedy}"))
    }

    fn end(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Recorder for Mp4Recorder {
    fn push(&mut self, frame: Frame) -> Result<(), RecordError> {
        self.film.check_frame(&frame)?;
        self.is_empty = false;
        let sent = self.frames.as_ref().is_some_and(|frames| frames.send(padded(frame)).is_ok());
        let taken = self.until(|film| match film.taken.recv_timeout(POLL) {
            Err(RecvTimeoutError::Timeout) if sent => None,
            taken => Some(taken.is_ok_and(|written| written.is_ok())),
        })?;
        if taken {
            return Ok(());
        }
        // A broken pipe says little; ffmpeg's own message says why it ended.
        self.wait()?;
        Err(RecordError::Ffmpeg(format!("ffmpeg took no more frames; {OTHERS}")))
    }

    fn finish(mut self: Box<Self>) -> Result<(), RecordError> {
        if self.is_empty { Err(without_frames()) } else { self.wait() }
    }
}

impl Drop for Mp4Recorder {
    fn drop(&mut self) {
        // Dropped without `finish`: the film is abandoned, so do not wait for its encoding.
        if self.frames.is_some() {
            self.end();
        }
    }
}

#[cfg(test)]
mod tests;
