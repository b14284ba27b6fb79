//! `flockwork capture`: frames to files.
//!
//! A film or a sequence shows the ticks 0, E, 2E, … up to T; a single PNG shows tick T. Ticks count
//! from the first state's.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use super::advance::Pace;
use super::capture_output::{Output, Plan};
use super::interrupt::{Interrupt, Interrupted};
use super::options::{FlockArgs, Machine, MachineArgs, Size, painter};
use super::output::{counted, say};
use super::progress::progress;
use super::usage::{frame_rate, whole, wrong};
use crate::engine::Engine;
use crate::model::scene::Scene;
use crate::model::scenery::Scenery;
use crate::view::Painter;
use crate::view::camera::Camera;
use crate::view::recorder::{RecordError, Recorder};
use crate::view::shapes::StyledShape;
use crate::view::shapes::geometry::{self, MOST_AGENTS};

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
    #[arg(long, value_name = "T", value_parser = whole::<u64>(0..=u64::MAX), allow_negative_numbers = true)]
    pub ticks: u64,
    /// Ticks from one frame to the next; the first shows tick 0, a single PNG the last tick
    #[arg(long, value_name = "E", default_value_t = 1, value_parser = whole::<u64>(1..=u64::MAX), allow_negative_numbers = true)]
    pub every: u64,
    /// Frames a second of GIF, APNG and MP4; real time is 60 ticks a second
    #[arg(long, value_name = "R", default_value_t = 30.0, value_parser = frame_rate, allow_negative_numbers = true)]
    pub fps: f64,
    /// Draw what agents steer by over them, in flocks of 64 at most: circles, paths, lines of sight
    #[arg(long)]
    pub geometry: bool,
    /// A folder for a PNG sequence, or a file: .png (one picture), .gif, .apng, .mp4 (by ffmpeg)
    #[arg(long, value_name = "DIR|FILE")]
    pub out: PathBuf,
}

/// Runs the command. On Ctrl-C the film ends with the last frame drawn.
pub fn capture(args: &CaptureArgs) -> anyhow::Result<()> {
    capture_on(args, || args.machine.open())
}

/// The same on a machine of the caller's own, opened when it is known that `--out` can be written.
pub fn capture_on(
    args: &CaptureArgs,
    machine: impl FnOnce() -> anyhow::Result<Machine>,
) -> anyhow::Result<()> {
    let plan = Plan::of(args);
    let interrupt = Interrupt::listen();
    // What cannot be written must fail before anything is simulated.
    let mut output = Output::open(args, &plan)?;
    let mut recorder = output.recorder(&plan)?;
    if let Some(unseen) = plan.unseen() {
        eprintln!("flockwork: {unseen}");
    }
    let Machine { mut engine, gpu } = machine()?;
    let (scene, state) = args.flock.prepare(Some(engine.as_ref()))?;
    let agents = state.len();
    if args.geometry && agents > MOST_AGENTS {
        return Err(wrong(format!(
            "--geometry: of {agents} agents nothing could be made out; it takes a --count of \
             {MOST_AGENTS} at most"
        )));
    }
    engine.load(&scene, &state)?;
    drop(state);
    let mut painter = painter(gpu, args.size)?;
    let pace = Pace::new(interrupt);
    let start = Instant::now();
    let shown = film(engine.as_mut(), painter.as_mut(), recorder.as_mut(), &scene, &plan, pace)
        .and_then(|shown| Ok(recorder.finish().map(|()| shown)?))
        .map_err(|error| named(error, &args.out))?;
    let kept = output.keep(&plan, shown.frames)?;
    say(&format!(
        "{}, {} on {}, {} of {} × {} by {} in {:.1} s; {kept}\n",
        counted(agents as u64, "agent"),
        counted(shown.ticks, "tick"),
        engine.describe(),
        counted(shown.frames, "frame"),
        plan.film.width,
        plan.film.height,
        painter.describe(),
        start.elapsed().as_secs_f64()
    ))?;
    if shown.interrupted {
        let kept = match plan.every {
            Some(_) => format!("frames kept: {} of {}; {kept}", shown.frames, plan.frames()),
            None => format!("the picture shows tick {} of {}; {kept}", shown.ticks, plan.ticks),
        };
        return Err(Interrupted { kept }.into());
    }
    Ok(())
}

/// With the name of the film: ffmpeg knows only the one that the file has until it is whole.
fn named(error: anyhow::Error, out: &Path) -> anyhow::Error {
    match error.downcast_ref() {
        Some(RecordError::Ffmpeg(_)) => error.context(format!("cannot write {}", out.display())),
        _ => error,
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
    let scenery = plan.geometry.then(|| scene.scenery());
    let mut shown = Shown { frames: 0, ticks: 0, interrupted: false };
    if plan.every.is_none() {
        shown.ticks = pace.advance(engine, plan.ticks, |ticks| bar.inc(ticks))?;
        shown.interrupted = shown.ticks < plan.ticks;
    }
    loop {
        let above = match &scenery {
            Some(scenery) => geometry_of(engine, scene, scenery)?,
            None => Vec::new(),
        };
        // While the device draws and copies it the flock moves on.
        let earlier = painter.begin(engine, scene, &camera, &above)?;
        earlier.map_or(Ok(()), |frame| recorder.push(frame))?;
        shown.frames += 1;
        let Some(every) = plan.every else { break };
        bar.inc(1);
        if shown.frames == plan.frames() {
            break;
        }
        let ticks = pace.advance_ahead(engine, every)?;
        shown.ticks += ticks;
        if ticks < every || pace.is_interrupted() {
            shown.interrupted = true;
            break;
        }
    }
    while let Some(frame) = painter.finish()? {
        recorder.push(frame)?;
    }
    bar.finish_and_clear();
    Ok(shown)
}

/// What every agent steers by at this tick.
fn geometry_of(
    engine: &mut dyn Engine,
    scene: &Scene,
    scenery: &Scenery,
) -> anyhow::Result<Vec<StyledShape>> {
    let (state, targets) = (engine.read_back()?, engine.targets()?);
    let agents: Vec<usize> = (0..state.len()).collect();
    Ok(geometry::shapes_of_all(&scene.at(state.tick), scenery, &targets, &state, &agents))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::advance::tests::Straight;
    use crate::model::state::FlockState;
    use crate::model::vector::Point;
    use crate::view::RasterPainter;
    use crate::view::frame::Frame;
    use crate::view::recorder::Film;

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
        let mut engine =
            Straight { state, stop_after, interrupt: interrupt.clone(), ..Straight::default() };
        let film = Film { width: 640, height: 360, rate: 30.0 };
        let plan = Plan { film, ticks, every, geometry: false };
        let mut kept = Kept::default();
        let pace = Pace::new(interrupt);
        let shown = super::film(
            &mut engine,
            &mut RasterPainter { scale: 1.0 },
            &mut kept,
            &scene,
            &plan,
            pace,
        )
        .unwrap();
        assert_eq!(engine.state.tick, shown.ticks);
        (shown, kept.0)
    }

    /// Column of the rightmost pixel that is not background: the dart's nose.
    fn nose(frame: &Frame) -> u32 {
        let lit = |x: u32| frame.rgb(x, 259) != Some(crate::view::style::BACKGROUND);
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
}
