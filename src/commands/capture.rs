//! `flockwork capture`: frames to files.
//!
//! A film or a sequence shows the ticks 0, E, 2E, … up to T; a single PNG shows tick T. Ticks count
//! from the first state's.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use clap::Args;

use super::advance::{Pace, progress};
use super::options::{FlockArgs, Machine, MachineArgs, Size, painter};
use super::output::{
    HandedOver, Interrupt, Interrupted, OutputError, OutputFile, OutputFolder, say, size_text,
};
use crate::engine::Engine;
use crate::model::scene::Scene;
use crate::view::Painter;
use crate::view::camera::Camera;
use crate::view::recorder::{
    ApngRecorder, Film, GifRecorder, Mp4Recorder, PngRecorder, RecordError, Recorder,
    SequenceRecorder, apng,
};

/// Its arguments.
#[derive(Clone, Debug, Args)]
pub struct CaptureArgs {
    /// Which flock.
    #[command(flatten)]
    pub flock: FlockArgs,
    /// On what.
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Size of the pictures
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    pub size: Size,
    /// Ticks to simulate
    #[arg(long, value_name = "T")]
    pub ticks: u64,
    /// Ticks from one frame to the next; the first shows tick 0, a single PNG the last tick
    #[arg(long, value_name = "E", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,
    /// Frames a second of GIF, APNG and MP4; real time is 60 ticks a second
    #[arg(long, value_name = "R", default_value_t = 30.0, value_parser = frame_rate)]
    pub fps: f64,
    /// A folder for a PNG sequence, or a file: .png (one picture), .gif, .apng, .mp4 (by ffmpeg)
    #[arg(long, value_name = "DIR|FILE")]
    pub out: PathBuf,
}

fn frame_rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (0.1..=1000.0).contains(rate));
    rate.ok_or_else(|| "a rate is a number of frames a second from 0.1 to 1000".into())
}

/// Runs the command. On Ctrl-C the film ends with the last frame drawn.
pub fn capture(args: &CaptureArgs) -> anyhow::Result<()> {
    let plan = Plan::of(args);
    let interrupt = Interrupt::listen();
    // What cannot be written must fail before anything is simulated.
    let mut output = Output::open(args, &plan)?;
    let mut recorder = output.recorder(&plan)?;
    let Machine { mut engine, gpu } = args.machine.open()?;
    let (scene, state) = args.flock.prepare(Some(engine.as_ref()))?;
    engine.load(&scene, &state)?;
    let agents = state.len();
    drop(state);
    let mut painter = painter(gpu, args.size)?;
    let pace = Pace::new(interrupt);
    let start = Instant::now();
    let shown = film(engine.as_mut(), painter.as_mut(), recorder.as_mut(), &scene, &plan, pace)
        .and_then(|shown| Ok(recorder.finish().map(|()| shown)?))
        .map_err(|error| match error.downcast_ref() {
            // ffmpeg knows only the name that the file has until it is whole.
            Some(RecordError::Ffmpeg(_)) => {
                error.context(format!("cannot write {}", args.out.display()))
            }
            _ => error,
        })?;
    let kept = output.keep(&plan, shown.frames)?;
    say(&format!(
        "{agents} agents, {} ticks on {}, {} frame{} of {} × {} by {} in {:.1} s; {kept}\n",
        shown.ticks,
        engine.describe(),
        shown.frames,
        if shown.frames == 1 { "" } else { "s" },
        plan.film.width,
        plan.film.height,
        painter.describe(),
        start.elapsed().as_secs_f64()
    ))?;
    if shown.interrupted {
        let kept = match plan.every {
            Some(_) => format!("{} of {} frames are kept; {kept}", shown.frames, plan.frames()),
            None => format!("the picture shows tick {} of {}; {kept}", shown.ticks, plan.ticks),
        };
        return Err(Interrupted { kept }.into());
    }
    Ok(())
}

/// What is to be drawn.
#[derive(Clone, Copy, Debug)]
struct Plan {
    film: Film,
    ticks: u64,
    /// Ticks between frames; none: only the last tick is drawn.
    every: Option<u64>,
}

impl Plan {
    fn of(args: &CaptureArgs) -> Self {
        let Size { width, height } = args.size;
        let single = Kind::of(&args.out).is_ok_and(|kind| kind == Kind::Png);
        Self {
            film: Film { width, height, rate: args.fps },
            ticks: args.ticks,
            every: (!single).then_some(args.every),
        }
    }

    fn frames(&self) -> u64 {
        self.every.map_or(1, |every| self.ticks / every + 1)
    }
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Folder,
    Png,
    Gif,
    Apng,
    Mp4,
}

impl Kind {
    fn of(path: &Path) -> anyhow::Result<Self> {
        let slash = path.as_os_str().to_string_lossy().ends_with(std::path::is_separator);
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            None => Ok(Self::Folder),
            Some(_) if slash || path.is_dir() => Ok(Self::Folder),
            Some("png") => Ok(Self::Png),
            Some("gif") => Ok(Self::Gif),
            Some("apng") => Ok(Self::Apng),
            Some("mp4") => Ok(Self::Mp4),
            Some(_) => anyhow::bail!(
                "--out {path}: a capture is a .png, .gif, .apng or .mp4 file, or a folder of PNGs \
                 (for a folder with a dot in its name write {path}/)",
                path = path.display()
            ),
        }
    }
}

/// Where the frames go.
enum Output {
    Folder(OutputFolder, PathBuf),
    Film(Kind, OutputFile),
    Mp4(HandedOver),
}

/// Name of a frame in a folder.
fn frame_name(number: u64) -> String {
    format!("frame_{number:06}.png")
}

/// The number in such a name.
fn frame_number(name: &str) -> Option<u64> {
    name.strip_prefix("frame_")?.strip_suffix(".png")?.parse().ok()
}

impl Output {
    fn open(args: &CaptureArgs, plan: &Plan) -> anyhow::Result<Self> {
        let kind = Kind::of(&args.out)?;
        if kind == Kind::Folder {
            let folder = OutputFolder::create(&args.out)?;
            let beyond = |name: &&String| frame_number(name).is_some_and(|n| n >= plan.frames());
            if let Some(name) = folder.names()?.iter().find(beyond) {
                let problem = format!(
                    "it holds {name} of a longer capture, which would mix with this one; delete \
                     the old frames or name another folder"
                );
                return Err(OutputError::new(&args.out, problem).into());
            }
            return Ok(Self::Folder(folder, args.out.clone()));
        }
        let file = OutputFile::create(&args.out)?;
        if kind == Kind::Mp4 {
            return Ok(Self::Mp4(file.hand_over()));
        }
        Ok(Self::Film(kind, file))
    }

    /// Begins to record.
    fn recorder<'a>(&'a mut self, plan: &Plan) -> anyhow::Result<Box<dyn Recorder + 'a>> {
        let film = plan.film;
        Ok(match self {
            Self::Folder(folder, _) => {
                let folder = folder.clone();
                let write = move |number: u64, bytes: &[u8]| {
                    let written = folder.write(&frame_name(number), bytes);
                    written.map(|_| ()).map_err(std::io::Error::other)
                };
                Box::new(SequenceRecorder::new(Box::new(write))?)
            }
            Self::Film(Kind::Gif, file) => Box::new(GifRecorder::new(file, film)?),
            Self::Film(Kind::Apng, file) => {
                let frames = u32::try_from(plan.frames()).context("too many frames for an APNG")?;
                Box::new(ApngRecorder::new(file, film, frames)?)
            }
            Self::Film(_, file) => Box::new(PngRecorder::new(file)),
            Self::Mp4(file) => Box::new(Mp4Recorder::start(file.temporary_path(), film)?),
        })
    }

    /// Gives the file its name. Returns name and size for people.
    fn keep(self, plan: &Plan, frames: u64) -> anyhow::Result<String> {
        let (path, size) = match self {
            Self::Folder(_, path) => return Ok(format!("{}", path.display())),
            Self::Film(kind, mut file) => {
                if kind == Kind::Apng && frames != plan.frames() {
                    apng::correct_count(&mut file, plan.film, frames as u32)?;
                }
                (file.path().to_owned(), file.keep()?)
            }
            Self::Mp4(file) => (file.path().to_owned(), file.keep()?),
        };
        Ok(format!("{} ({})", path.display(), size_text(size)))
    }
}

/// What a capture came to.
struct Shown {
    frames: u64,
    ticks: u64,
    interrupted: bool,
}

/// Steps, draws and records, until all frames are drawn or Ctrl-C is heard.
fn film(
    engine: &mut dyn Engine,
    painter: &mut dyn Painter,
    recorder: &mut dyn Recorder,
    scene: &Scene,
    plan: &Plan,
    mut pace: Pace,
) -> anyhow::Result<Shown> {
    let camera = Camera::fit(&scene.world, plan.film.width, plan.film.height);
    // A single picture takes its time in ticks, a film in frames.
    let bar = match plan.every {
        Some(_) => progress(plan.frames(), "frames"),
        None => progress(plan.ticks, "ticks"),
    };
    let mut shown = Shown { frames: 0, ticks: 0, interrupted: false };
    if plan.every.is_none() {
        shown.ticks = pace.advance(engine, plan.ticks, |ticks| bar.inc(ticks))?;
        shown.interrupted = shown.ticks < plan.ticks;
    }
    loop {
        recorder.push(painter.paint(engine, scene, &camera, &[])?)?;
        shown.frames += 1;
        let Some(every) = plan.every else { break };
        bar.inc(1);
        if shown.frames == plan.frames() {
            break;
        }
        let ticks = pace.advance(engine, every, |_| {})?;
        shown.ticks += ticks;
        if ticks < every || pace.is_interrupted() {
            shown.interrupted = true;
            break;
        }
    }
    bar.finish_and_clear();
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::advance::tests::Straight;
    use crate::model::state::FlockState;
    use crate::model::vector::Point;
    use crate::view::RasterPainter;
    use crate::view::frame::Frame;

    /// Keeps the frames.
    #[derive(Default)]
    struct Kept(Vec<Frame>);

    impl Recorder for Kept {
        fn push(&mut self, frame: Frame) -> Result<(), RecordError> {
            self.0.push(frame);
            Ok(())
        }
        fn finish(self: Box<Self>) -> Result<(), RecordError> {
            Ok(())
        }
    }

    fn filmed(ticks: u64, every: Option<u64>, stop_after: Option<u64>) -> (Shown, Vec<Frame>) {
        let scene = crate::commands::options::read_scene("flock", &[]).unwrap();
        let interrupt = Interrupt::default();
        let state = FlockState {
            tick: 0,
            id: vec![0],
            species: vec![0],
            position: vec![Point::new(100.5, 100.5)],
            velocity: vec![Point::X],
            memory: Vec::new(),
        };
        let mut engine = Straight { state, stop_after, interrupt: interrupt.clone() };
        let film = Film { width: 640, height: 360, rate: 30.0 };
        let plan = Plan { film, ticks, every };
        let mut kept = Kept::default();
        let pace = Pace::new(interrupt);
        let shown =
            super::film(&mut engine, &mut RasterPainter, &mut kept, &scene, &plan, pace).unwrap();
        assert_eq!(engine.state.tick, shown.ticks);
        (shown, kept.0)
    }

    /// Column of the rightmost pixel that is not background: the dart's nose.
    fn nose(frame: &Frame) -> u32 {
        let lit = |x: u32| frame.rgb(x, 259) != Some(crate::view::look::BACKGROUND);
        (0..640).rev().find(|x| lit(*x)).unwrap()
    }

    #[test]
    fn a_film_shows_tick_0_and_every_multiple() {
        let (shown, frames) = filmed(47, Some(10), None);
        assert_eq!((shown.frames, shown.ticks, shown.interrupted), (5, 40, false));
        let noses: Vec<u32> = frames.iter().map(nose).collect();
        assert!(noses.windows(2).all(|pair| pair[1] == pair[0] + 10), "{noses:?}");
    }

    #[test]
    fn a_picture_shows_the_last_tick() {
        let (_, first) = filmed(0, None, None);
        let (shown, frames) = filmed(47, None, None);
        assert_eq!((shown.frames, shown.ticks), (1, 47));
        assert_eq!(nose(&frames[0]), nose(&first[0]) + 47);
    }

    #[test]
    fn an_interrupted_film_keeps_what_was_drawn() {
        let (shown, frames) = filmed(1000, Some(10), Some(20));
        assert!(shown.interrupted);
        assert_eq!((shown.frames, frames.len()), (2, 2));
    }

    #[test]
    fn the_name_says_what_is_written() {
        for (name, kind) in [
            ("frames", Kind::Folder),
            ("a.b/", Kind::Folder),
            ("a.PNG", Kind::Png),
            ("a.gif", Kind::Gif),
            ("a.apng", Kind::Apng),
            ("a.mp4", Kind::Mp4),
        ] {
            assert_eq!(Kind::of(Path::new(name)).unwrap(), kind, "{name}");
        }
        assert!(Kind::of(Path::new("a.avi")).unwrap_err().to_string().contains("a.avi"));
        assert_eq!(frame_number(&frame_name(12)), Some(12));
    }
}
