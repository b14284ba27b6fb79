//! MP4 films (H.264), encoded by ffmpeg.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread::JoinHandle;

use super::{Film, Frame, RecordError, Recorder};
use crate::style;

/// Threads of the encoder. Its output depends on their number, and the same frames must give the
/// same bytes on any machine with the same ffmpeg.
const THREADS: &str = "4";

const REMEDY: &str = "install it (Debian: apt-get install ffmpeg), or write .gif, .apng or a \
                      folder of PNGs instead";

/// Most bytes of a comment. ffmpeg gets it on its command line, which Windows limits to 32,767
/// characters.
pub const LONGEST_COMMENT: usize = 30_000;

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
            Self::Draft => ("28", "veryfast"),
            Self::Good => ("23", "medium"),
            Self::Best => ("18", "medium"),
        }
    }
}

/// Feeds raw frames to an ffmpeg process.
pub struct Mp4Recorder {
    process: Child,
    input: Option<ChildStdin>,
    complaints: Option<JoinHandle<String>>,
}

/// Checks for ffmpeg before anything is simulated. The error says what is missing.
pub fn check() -> Result<(), RecordError> {
    let listing = Command::new("ffmpeg")
        .args(["-hide_banner", "-loglevel", "error", "-encoders"])
        .stdin(Stdio::null())
        .output();
    match listing {
        Ok(listing) if String::from_utf8_lossy(&listing.stdout).contains("libx264") => Ok(()),
        Ok(_) => Err(RecordError::Ffmpeg(format!(
            "this ffmpeg cannot encode MP4 (it lacks libx264); {REMEDY}"
        ))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(RecordError::Ffmpeg(
            format!("MP4 films need ffmpeg, which is not installed; {REMEDY}"),
        )),
        Err(error) => Err(RecordError::Ffmpeg(format!("cannot start ffmpeg: {error}; {REMEDY}"))),
    }
}

impl Mp4Recorder {
    /// Starts ffmpeg. It writes to `path` and replaces what is there.
    pub fn start(path: &Path, film: Film, comment: &str) -> Result<Self, RecordError> {
        Self::start_in(Quality::default(), path, film, comment)
    }

    /// The same in another quality. A comment longer than [`LONGEST_COMMENT`] is left out.
    pub fn start_in(
        quality: Quality,
        path: &Path,
        film: Film,
        comment: &str,
    ) -> Result<Self, RecordError> {
        check()?;
        let (rate_factor, preset) = quality.arguments();
        let Film { width, height, rate, .. } = film;
        let [r, g, b] = style::BACKGROUND;
        // H.264 halves the resolution of colour, so the sides must be even. The rest declares
        // screen colours; without it players guess by the size of the picture.
        let filters = format!(
            "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=0x{r:02x}{g:02x}{b:02x},\
             scale=out_color_matrix=bt709:out_range=tv:flags=bitexact+accurate_rnd"
        );
        let comment = Some(comment).filter(|text| text.len() <= LONGEST_COMMENT);
        let mut target = std::ffi::OsString::from("file:");
        target.push(path);
        let mut command = Command::new("ffmpeg");
        command
            .args(["-hide_banner", "-loglevel", "error", "-y"])
            // Without this an ffmpeg that cannot write the end of the film prints an error and
            // exits with success (seen in 5.1).
            .args(["-xerror", "-f", "rawvideo"])
            .args(["-pix_fmt", "rgba", "-video_size", &format!("{width}x{height}")])
            .args(["-framerate", &rate.to_string(), "-i", "pipe:0"])
            .args(["-vf", &filters, "-c:v", "libx264", "-pix_fmt", "yuv420p"])
            .args(["-crf", rate_factor, "-preset", preset])
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
        let mut process = command.spawn()?;
        let input = process.stdin.take();
        let complaints = process.stderr.take().map(|mut pipe| {
            std::thread::spawn(move || {
                let mut text = Vec::new();
                // What ffmpeg wrote before the pipe broke is all that there is.
                let _ = pipe.read_to_end(&mut text);
                String::from_utf8_lossy(&text).trim().to_owned()
            })
        });
        Ok(Self { process, input, complaints })
    }

    /// Waits for ffmpeg to end. If it failed, the error says why.
    fn wait(&mut self) -> Result<(), RecordError> {
        drop(self.input.take());
        let status = self.process.wait()?;
        let complaints = self.complaints.take().and_then(|thread| thread.join().ok());
        if status.success() {
            return Ok(());
        }
        // The first line has the cause; the others are its consequences.
        let said = complaints.as_deref().and_then(|text| text.lines().next());
        let said = said.map_or_else(|| status.to_string(), str::to_owned);
        let full = said.contains("No space left") || said.contains("File too large");
        let remedy = if full { "; free some space or write to another disk" } else { "" };
        Err(RecordError::Ffmpeg(format!("ffmpeg failed: {said}{remedy}")))
    }
}

impl Recorder for Mp4Recorder {
    fn push(&mut self, frame: Frame) -> Result<(), RecordError> {
        let written = match &mut self.input {
            Some(input) => input.write_all(&frame.pixels),
            None => Err(std::io::ErrorKind::BrokenPipe.into()),
        };
        let Err(error) = written else { return Ok(()) };
        // A broken pipe says little; ffmpeg's own message says why it ended.
        self.wait()?;
        Err(RecordError::Ffmpeg(format!("ffmpeg took no more frames: {error}")))
    }

    fn finish(mut self: Box<Self>) -> Result<(), RecordError> {
        self.wait()
    }
}

impl Drop for Mp4Recorder {
    fn drop(&mut self) {
        // Dropped without `finish`: the film is abandoned, so do not wait for its encoding.
        if self.input.is_some() {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::png::tests::pattern;
    use super::*;
    use crate::recorder::Recorder;

    /// The film's frames as ffmpeg decodes them; RGB.
    fn decoded(path: &Path) -> Vec<u8> {
        let output = Command::new("ffmpeg")
            .args(["-loglevel", "error", "-i"])
            .arg(path)
            .args(["-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
            .output()
            .unwrap();
        output.stdout
    }

    #[test]
    fn a_film_of_odd_size_is_padded_and_repeatable() {
        if let Err(reason) = check() {
            eprintln!("skipped: {reason}");
            return;
        }
        let film = Film { width: 63, height: 47, rate: 30.0, alpha: false };
        let record = || {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            let mut recorder = Box::new(Mp4Recorder::start(file.path(), film, "").unwrap());
            for n in 0..12_u8 {
                let grey = Frame::filled(63, 47, [n * 20, 100, 200 - n * 10]);
                recorder.push(grey).unwrap();
            }
            recorder.finish().unwrap();
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).unwrap();
            (file, bytes)
        };
        let ((file, first), (_, second)) = (record(), record());
        assert!(!first.is_empty() && first == second);
        let pixels = decoded(file.path());
        assert_eq!(pixels.len(), 64 * 48 * 3 * 12);
        for n in 0..12 {
            let middle = (n * 64 * 48 + 20 * 64 + 20) * 3;
            let expected = [n * 20, 100, 200 - n * 10];
            for (found, expected) in pixels[middle..middle + 3].iter().zip(expected) {
                assert!(usize::from(*found).abs_diff(expected) < 8, "{found} and {expected}");
            }
        }
    }

    #[test]
    fn a_better_film_is_larger() {
        if check().is_err() {
            return;
        }
        let film = Film { width: 96, height: 64, rate: 30.0, alpha: false };
        let sizes = Quality::NAMES.map(|(_, quality)| {
            let file = tempfile::NamedTempFile::new().unwrap();
            let mut recorder =
                Box::new(Mp4Recorder::start_in(quality, file.path(), film, "").unwrap());
            (0..8).for_each(|n| recorder.push(pattern(96, 64, n)).unwrap());
            recorder.finish().unwrap();
            file.path().metadata().unwrap().len()
        });
        assert!(sizes[0] < sizes[1] && sizes[1] < sizes[2], "{sizes:?}");
    }

    #[test]
    fn an_error_repeats_what_ffmpeg_said() {
        if check().is_err() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let film = Film { width: 64, height: 64, rate: 30.0, alpha: false };
        let path = folder.path().join("missing/a.mp4");
        let mut recorder = Box::new(Mp4Recorder::start(&path, film, "").unwrap());
        let pushed = (0..200).try_for_each(|n| recorder.push(pattern(64, 64, n)));
        let error = pushed.and_then(|()| recorder.finish()).unwrap_err();
        assert!(error.to_string().contains("No such file"), "{error}");
    }
}
