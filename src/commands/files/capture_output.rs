//! The output of a capture: pictures in a folder, one picture or a film, chosen by the file name.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::super::host::arg_parsers::Size;
use super::output::{OutputError, OutputFile};
use super::output_folder::{OutputFolder, names_folder};
use crate::commands::host::errors::{Interrupted, wrong};
use crate::commands::host::interrupt::Interrupt;
use crate::commands::host::messages::{note, shown};
use flockwork_model::scene::Scene;
use flockwork_view::frame::Frame;
use flockwork_view::recorder::mp4::Quality;
use flockwork_view::recorder::{
    ApngRecorder, Film, GifRecorder, Mp4Recorder, PngRecorder, RecordError, Recorder,
    SequenceRecorder, apng, mp4,
};
use flockwork_view::words::{counted, size_text};

/// The frames to draw.
#[derive(Clone, Debug)]
pub struct FilmPlan {
    /// Where the frames go.
    pub out: PathBuf,
    pub film: Film,
    /// The tick of the first frame of a film.
    pub from: u64,
    pub ticks: u64,
    /// Ticks between frames; `None` if only the last tick is drawn.
    pub every: Option<u64>,
    /// True if the geometry of steering is drawn.
    pub geometry: bool,
    /// Pictures that a frame averages over time; 1 for no motion blur.
    pub blur: u64,
    /// Pictures that a frame averages within pixels and over the lens; 1 for one as the renderer draws it.
    pub samples: u64,
    /// Frames at the end of a film that fade into its first ones, which are left out; 0 for no loop.
    pub fade: u64,
    /// How much an MP4 film keeps.
    pub quality: Quality,
    /// The most bytes of a file.
    pub most: Option<u64>,
}

impl FilmPlan {
    /// The plan of one picture, which shows the flock after so many ticks.
    pub fn of_picture(out: PathBuf, size: Size, alpha: bool, ticks: u64) -> Self {
        let Size { width, height } = size;
        Self {
            out,
            film: Film { width, height, rate: 1.0, alpha },
            from: 0,
            ticks,
            every: None,
            geometry: false,
            blur: 1,
            samples: 1,
            fade: 0,
            quality: Quality::default(),
            most: None,
        }
    }

    /// The moments whose pictures a frame at `tick` averages, in ticks: spread over the half of the time since
    /// the frame before (a shutter of 180°). The first frame is one picture.
    pub fn exposed(&self, tick: u64) -> impl Iterator<Item = f64> + use<> {
        let every = self.every.filter(|_| self.blur > 1 && tick > self.from);
        let before = every.map_or(0, |_| self.pictures() - 1);
        let step = every.unwrap_or_default() as f64 / (2 * before).max(1) as f64;
        let moment = move |part| tick as f64 - step * (before - part) as f64;
        // Farther apart than ticks, moments need no more than whole ticks.
        (0..=before).map(moment).map(move |at| if step < 1.0 { at } else { at.round() })
    }

    /// Pictures of a frame; with motion blur each has its own moment, but for the first frame's.
    pub fn pictures(&self) -> u64 {
        self.blur.max(self.samples)
    }

    /// The moments after the tick before `tick`, and up to it, whose pictures are parts of a frame.
    pub fn needs(&self, tick: u64) -> Vec<f64> {
        let frame = if self.is_frame(tick) { tick } else { self.frame_after(tick) };
        let parts = self.exposed(frame).filter(|_| self.every.is_some());
        parts.filter(|at| *at > tick as f64 - 1.0 && *at <= tick as f64).collect()
    }

    /// True if a film has a frame at `tick`.
    pub fn is_frame(&self, tick: u64) -> bool {
        let since = tick.checked_sub(self.from);
        self.every.zip(since).is_some_and(|(every, since)| since.is_multiple_of(every))
    }

    /// The tick of the first frame after `tick`: without a film, the last tick.
    pub fn frame_after(&self, tick: u64) -> u64 {
        match (self.every, tick.checked_sub(self.from)) {
            (None, _) => self.ticks,
            (Some(_), None) => self.from,
            (Some(every), Some(since)) => (tick - since % every).saturating_add(every),
        }
    }

    /// Number of frames of the output.
    pub fn frames(&self) -> u64 {
        self.drawn() - self.fade
    }

    /// Number of frames to draw.
    pub fn drawn(&self) -> u64 {
        self.every.map_or(1, |every| ((self.ticks - self.from) / every).saturating_add(1))
    }

    /// Bytes of memory for each pixel of a picture: as it is drawn, kept for trails and blur, and encoded.
    pub fn bytes_per_pixel(&self, scene: &Scene) -> u64 {
        let trails = if scene.style.trail.is_some() { TRAILS } else { 0 };
        let blur = if self.pictures() > 1 { BLUR } else { 0 };
        let depths = if scene.world.axes() == 2 { 0 } else { DEPTHS };
        PICTURE + depths + trails + blur + self.fade.saturating_mul(8)
    }

    /// The most bits per second of an MP4 film of limited size: beside a comment and an index they fill it, with
    /// half a second's worth that the encoder may take in advance.
    fn most_rate(&self, comment: usize) -> Option<u32> {
        let seconds = self.frames() as f64 / self.film.rate + 0.5;
        let beside = (HEADER + comment) as f64 + INDEXED * self.frames() as f64;
        let bits = (self.most? as f64 - beside) * 8.0 * 0.95 / seconds;
        (bits < f64::from(i32::MAX)).then_some(bits.max(MIN_RATE) as u32)
    }

    /// Fails if a file of `bytes` is larger than it may be after `frames` frames.
    fn check_size(&self, bytes: u64, frames: u64) -> Result<(), RecordError> {
        let Some(most) = self.most.filter(|most| bytes > *most) else { return Ok(()) };
        let otherwise = match Kind::of(&self.out) {
            Ok(Kind::Mp4) => "",
            _ => ", or write an .mp4, which then keeps less",
        };
        Err(RecordError::Unsuitable(format!(
            "--max-mb {}: {} has {} after {frames} of {}; lower --size or --ticks, or raise --every{otherwise}",
            most as f64 / 1e6,
            self.out.display(),
            size_text(bytes),
            counted(self.frames(), "frame")
        )))
    }

    /// A notice about ticks after the last frame, which the film does not show.
    pub fn unseen(&self) -> Option<String> {
        let every = self.every?;
        let left = Some((self.ticks - self.from) % every).filter(|left| *left > 0)?;
        Some(format!(
            "--every {every}: the last frame shows tick {}; {} of --ticks {} not simulated",
            self.ticks - left,
            if left == 1 { "the last".into() } else { format!("the last {left}") },
            if left == 1 { format!("{} is", self.ticks) } else { format!("{} are", self.ticks) },
        ))
    }
}

/// Bytes for each pixel of a picture that is drawn, copied and encoded; measured, like those below.
const PICTURE: u64 = 24;
/// More bytes for a picture of a space: how far its bodies are away.
const DEPTHS: u64 = 16;
/// Bytes for each pixel of trails: their light, and the light that another camera sees.
const TRAILS: u64 = 32;
/// Bytes for each pixel of the sums of a frame that is a mean.
const BLUR: u64 = 16;

/// Bytes of an MP4 film beside its pictures: in all, and for each frame in the index.
const HEADER: usize = 2_000;
const INDEXED: f64 = 16.0;
/// The least bits per second that the encoder takes for a limit.
const MIN_RATE: f64 = 2_000.0;

/// The kind of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Folder,
    Png,
    Gif,
    Apng,
    Mp4,
}

impl Kind {
    pub fn of(path: &Path) -> anyhow::Result<Self> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            _ if names_folder(path) => Ok(Self::Folder),
            None => Err(wrong(format!(
                "--out {path}: a hidden folder, or an ending without a name? For a file write a \
                 name before it, such as flock.png; for the folder write {path}/",
                path = path.display()
            ))),
            Some("png") => Ok(Self::Png),
            Some("gif") => Ok(Self::Gif),
            Some("apng") => Ok(Self::Apng),
            Some("mp4") => Ok(Self::Mp4),
            Some(_) => Err(wrong(format!(
                "--out {path}: a capture is a .png, .gif, .apng or .mp4 file, or a folder of PNGs \
                 (for a folder with a dot in its name write {path}/)",
                path = path.display()
            ))),
        }
    }
}

/// Checks for an ffmpeg that can encode films. One that does not answer can be interrupted.
pub fn ask_ffmpeg() -> anyhow::Result<()> {
    let kept = "ffmpeg does not answer, and nothing is written".into();
    let interrupt = Interrupt::watched();
    let answer = interrupt.unless_raised("asking ffmpeg", mp4::check);
    // The signal may have ended ffmpeg, too.
    let answer = answer.filter(|answer| answer.is_ok() || !interrupt.is_raised());
    Ok(answer.ok_or(Interrupted { kept })??)
}

/// Ends a recording with an error once its file is larger than it may be.
struct Within<'a> {
    recorder: Box<dyn Recorder + 'a>,
    temporary: PathBuf,
    plan: FilmPlan,
    frames: u64,
}

impl Recorder for Within<'_> {
    fn push(&mut self, frame: Frame) -> Result<(), RecordError> {
        self.recorder.push(frame)?;
        self.frames += 1;
        self.plan.check_size(self.temporary.metadata()?.len(), self.frames)
    }

    fn finish(self: Box<Self>) -> Result<(), RecordError> {
        self.recorder.finish()
    }
}

/// The destination of the frames.
pub enum Output {
    Folder(Arc<OutputFolder>),
    File(Kind, OutputFile),
}

/// The name of a frame in a folder.
pub fn frame_name(number: u64) -> String {
    format!("frame_{number:06}.png")
}

/// The number of a frame, from its name.
pub fn frame_number(name: &str) -> Option<u64> {
    name.strip_prefix("frame_")?.strip_suffix(".png")?.parse().ok()
}

impl Output {
    pub fn open(plan: &FilmPlan) -> anyhow::Result<Self> {
        let kind = Kind::of(&plan.out)?;
        if kind == Kind::Folder && plan.most.is_some() {
            return Err(wrong("--max-mb limits a file; a folder has one for each frame"));
        }
        if kind == Kind::Folder {
            let folder = OutputFolder::create(
                &plan.out,
                "name a folder, or a file ending in .png, .gif, .apng or .mp4",
            )?;
            let is_beyond = |name: &str| frame_number(name).is_some_and(|n| n >= plan.frames());
            folder.check(is_beyond, ["a longer capture", "frames"])?;
            return Ok(Self::Folder(Arc::new(folder)));
        }
        if matches!(kind, Kind::Gif | Kind::Apng) && plan.frames() > apng::MAX_FRAMES.into() {
            return Err(wrong(format!(
                "--ticks {}: that is {} frames, and a GIF or APNG has at most {}; lower --ticks, or raise \
                 --every",
                plan.ticks,
                plan.frames(),
                apng::MAX_FRAMES
            )));
        }
        let file = OutputFile::create(&plan.out)?;
        if kind == Kind::Mp4 {
            ask_ffmpeg()?;
        }
        Ok(Self::File(kind, file))
    }

    /// Starts recording, with a comment in each file.
    pub fn recorder<'a>(
        &'a mut self,
        plan: &FilmPlan,
        comment: &str,
    ) -> anyhow::Result<Box<dyn Recorder + 'a>> {
        let film = plan.film;
        let opaque = match self {
            Self::File(Kind::Gif, _) => Some("GIF film"),
            Self::File(Kind::Mp4, _) => Some("MP4 film"),
            _ => None,
        };
        if let Some(what) = opaque.filter(|_| film.alpha) {
            return Err(wrong(format!(
                "--out {}: this program writes no transparent {what}; write .png, .apng or a folder, or \
                 choose another style.background",
                plan.out.display()
            )));
        }
        let temporary = match self {
            Self::File(_, file) => file.temporary().to_path_buf(),
            Self::Folder(_) => PathBuf::new(),
        };
        let recorder: Box<dyn Recorder + 'a> = match self {
            Self::Folder(folder) => {
                let (folder, begun) = (Arc::clone(folder), Mutex::new(false));
                let write = move |number: u64, bytes: &[u8]| {
                    // Several threads write; the first removes an older film before any other goes on.
                    let mut begun = begun.lock().unwrap_or_else(PoisonError::into_inner);
                    if !std::mem::replace(&mut *begun, true) {
                        let is_frame = |name: &str| frame_number(name).is_some();
                        folder.remove(is_frame).map_err(std::io::Error::other)?;
                    }
                    drop(begun);
                    let written = folder.write(&frame_name(number), bytes);
                    written.map(|_| ()).map_err(std::io::Error::other)
                };
                Box::new(SequenceRecorder::new(Box::new(write), comment)?)
            }
            Self::File(Kind::Gif, file) => {
                let recorder = GifRecorder::new(file, film, comment).map_err(|error| match error {
                    RecordError::Unsuitable(problem) => wrong(problem),
                    error => error.into(),
                });
                Box::new(recorder?)
            }
            Self::File(Kind::Apng, file) => {
                let frames = u32::try_from(plan.frames())?;
                Box::new(ApngRecorder::new(file, film, frames, comment)?.ending_early())
            }
            Self::File(Kind::Mp4, file) => {
                let (mut length, most) = (comment.len(), mp4::MAX_COMMENT);
                if length > most {
                    note(&format!(
                        "the record of this run has {length} bytes, and an MP4 film holds \
                         {most}: the film has none; write a .png of it too"
                    ));
                    length = 0;
                }
                let interrupt = Interrupt::watched();
                let recorder = Mp4Recorder::start_in(
                    plan.quality,
                    plan.most_rate(length),
                    file.lend(),
                    film,
                    comment,
                )?;
                Box::new(recorder.stopped_by(move || interrupt.is_raised()))
            }
            Self::File(_, file) => Box::new(PngRecorder::new(file, comment)),
        };
        Ok(match plan.most {
            Some(_) => Box::new(Within { recorder, temporary, plan: plan.clone(), frames: 0 }),
            None => recorder,
        })
    }

    /// Renames the file into place. Returns its name and size for display.
    pub fn publish(self, plan: &FilmPlan, frames: u64) -> anyhow::Result<String> {
        let Self::File(kind, mut file) = self else { return Ok(shown(&plan.out)) };
        if kind == Kind::Apng && frames != plan.frames() {
            apng::correct_count(&mut file, plan.film, frames as u32)?;
        }
        file.flush()?;
        let size = file.temporary().metadata();
        let size = size.map_err(|error| OutputError::of_system(&plan.out, &error))?.len();
        plan.check_size(size, frames)?;
        Ok(format!("{} ({})", shown(&plan.out), size_text(file.publish()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blurred_frame_is_exposed_for_half_of_its_time() {
        let picture = FilmPlan::of_picture(PathBuf::new(), Size { width: 8, height: 8 }, false, 99);
        let ticks = |every, blur, tick| {
            let plan = FilmPlan { every, blur, ..picture.clone() };
            plan.exposed(tick).collect::<Vec<_>>()
        };
        assert_eq!(ticks(Some(4), 5, 8), [6.0, 6.5, 7.0, 7.5, 8.0]);
        assert_eq!(ticks(Some(4), 8, 0), [0.0]);
        assert_eq!(ticks(Some(1), 2, 2), [1.5, 2.0]);
        let long = ticks(Some(40), 8, 40);
        assert_eq!((long.len(), long[0], long[7]), (8, 20.0, 40.0));
        let steps = long.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(steps.into_iter().all(|step| step == 2.0 || step == 3.0), "{long:?}");
        assert_eq!(ticks(Some(4), 1, 8), [8.0]);
        assert_eq!(ticks(None, 8, 8), [8.0]);
    }

    #[test]
    fn the_file_name_chooses_the_format() {
        for (name, kind) in [
            ("frames", Kind::Folder),
            ("a.b/", Kind::Folder),
            (".frames/", Kind::Folder),
            ("a.PNG", Kind::Png),
            ("a.gif", Kind::Gif),
            ("a.apng", Kind::Apng),
            ("a.mp4", Kind::Mp4),
        ] {
            assert_eq!(Kind::of(Path::new(name)).unwrap(), kind, "{name}");
        }
        assert!(Kind::of(Path::new(".png")).unwrap_err().to_string().contains("flock.png"));
        assert!(Kind::of(Path::new("a.avi")).unwrap_err().to_string().contains("a.avi"));
        assert_eq!(frame_number(&frame_name(12)), Some(12));
    }
}
