//! `flockwork capture`: frames to files.
//!
//! A film or a sequence shows the ticks 0, E, 2E, … up to T; a single PNG shows tick T. Ticks count
//! from the first state's.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use indicatif::ProgressBar;

use super::capture_output::{Output, Plan};
use super::drive::{self, Host, Run, Stop, drive};
use super::interrupt::{Interrupt, Interrupted};
use super::options::{FlockArgs, Machine, MachineArgs, Prepared, Size, painter};
use super::output::{counted, say};
use super::progress::progress;
use super::replay::{self, Replayed};
use super::usage::{frame_rate, whole, wrong};
use crate::engine::EngineError;
use crate::model::scene::Follow;
use crate::model::scenery::Scenery;
use crate::session::Opening;
use crate::view::Painter;
use crate::view::camera::Camera;
use crate::view::cpu::{raster, shape_raster};
use crate::view::recorder::averaged::Averaged;
use crate::view::recorder::mp4::Quality;
use crate::view::recorder::{RecordError, Recorder};
use crate::view::shapes::StyledShape;
use crate::view::shapes::geometry::{self, MOST_AGENTS};
use crate::view::style::{Ground, scale_of};
use crate::view::trails::{Trails, visible_ticks};

/// Its arguments.
#[derive(Clone, Debug, Args)]
pub struct CaptureArgs {
    /// Which flock.
    #[command(flatten)]
    pub flock: FlockArgs,
    /// On what.
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Replay a session that the window saved (Ctrl+Shift+S)
    #[arg(
        long,
        value_name = "SESSION.toml",
        conflicts_with_all = ["scene", "count", "seed", "density", "overrides", "init"]
    )]
    pub replay: Option<PathBuf>,
    /// Size of the pictures
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    pub size: Size,
    /// Ticks to simulate [default: with --replay as many as the session has]
    #[arg(long, value_name = "T", required_unless_present = "replay", value_parser = whole::<u64>(0..=u64::MAX), allow_negative_numbers = true)]
    pub ticks: Option<u64>,
    /// Ticks between frames; a film starts at tick 0, a single PNG shows the last tick
    #[arg(long, value_name = "E", default_value_t = 1, value_parser = whole::<u64>(1..=u64::MAX), allow_negative_numbers = true)]
    pub every: u64,
    /// Frames per second of GIF, APNG and MP4; real time is 60 ticks per second
    #[arg(long, value_name = "R", default_value_t = 30.0, value_parser = frame_rate, allow_negative_numbers = true)]
    pub fps: f64,
    /// Draw the geometry of steering over the agents (64 at most): circles, paths, lines of sight
    #[arg(long)]
    pub geometry: bool,
    /// Draw no background: .png, .apng and folders of PNGs become transparent; the same as --set
    /// style.background=none
    #[arg(long)]
    pub transparent: bool,
    /// What to show: the middle in world units of the scene file, the magnification, and degrees to
    /// turn; the same as --set camera.centre, camera.zoom and camera.rotation
    #[arg(long, value_name = "X,Y[,ZOOM[,DEGREES]]", allow_hyphen_values = true)]
    pub view: Option<View>,
    /// Blur motion: a frame averages the pictures of up to 8 ticks before it, over half of --every
    #[arg(long)]
    pub blur: bool,
    /// How much an .mp4 film keeps: draft, good or best
    #[arg(long, value_name = "Q", default_value = "best", value_parser = quality)]
    pub quality: Quality,
    /// Folder for a PNG sequence, or file: .png (one picture), .gif, .apng, .mp4 (needs ffmpeg)
    #[arg(long, value_name = "DIR|FILE")]
    pub out: PathBuf,
}

/// Parses the value of `--quality`.
fn quality(text: &str) -> Result<Quality, String> {
    let known = Quality::NAMES.iter().find(|(name, _)| *name == text);
    known.map(|(_, quality)| *quality).ok_or_else(|| "expected draft, good or best".into())
}

/// The value of `--view`.
#[derive(Clone, Debug, PartialEq)]
pub struct View(Vec<f64>);

impl std::str::FromStr for View {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Option<Vec<f64>> =
            text.split(',').map(|part| part.trim().parse().ok()).collect();
        let known = numbers.filter(|numbers| (2..=4).contains(&numbers.len()));
        known.filter(|numbers| numbers.iter().all(|n| n.is_finite())).map(Self).ok_or_else(|| {
            "expected X,Y or X,Y,ZOOM or X,Y,ZOOM,DEGREES, for example 320,180,4".into()
        })
    }
}

impl View {
    /// The same as overrides of the scene.
    fn overrides(&self) -> Vec<String> {
        let Self(numbers) = self;
        let mut overrides = vec![format!("camera.centre=[{}, {}]", numbers[0], numbers[1])];
        let more = ["zoom", "rotation"].into_iter().zip(&numbers[2..]);
        overrides.extend(more.map(|(key, number)| format!("camera.{key}={number}")));
        overrides
    }
}

impl CaptureArgs {
    /// What is seen otherwise than the scene says, as overrides of the scene.
    fn looks(&self) -> Vec<String> {
        let background = self.transparent.then(|| "style.background=none".to_string());
        background.into_iter().chain(self.view.iter().flat_map(View::overrides)).collect()
    }
}

/// Runs the command. After Ctrl-C the film ends with the last frame drawn.
pub fn capture(args: &CaptureArgs) -> anyhow::Result<()> {
    capture_on(args, || args.machine.open())
}

/// The same on the caller's machine, which is opened once it is certain that `--out` can be
/// written.
pub fn capture_on(
    args: &CaptureArgs,
    machine: impl FnOnce() -> anyhow::Result<Machine>,
) -> anyhow::Result<()> {
    let looks = args.looks();
    let replayed = args.replay.as_deref().map(|path| replay::read(path, &looks)).transpose()?;
    let last = replayed.as_ref().map(|session| session.ticks);
    let mut plan = Plan::of(args, args.ticks.or(last).unwrap_or(0));
    if args.blur && plan.every.is_none_or(|every| every < 2) {
        return Err(wrong(
            "--blur: it averages the ticks between two frames; make a film, with an --every of at least 2",
        ));
    }
    let interrupt = Interrupt::watch();
    // Output that cannot be written must fail before anything is simulated.
    let mut output = Output::open(args, &plan)?;
    let mut flock = args.flock.clone();
    flock.overrides.extend(looks);
    let Machine { engine, gpu } = machine()?;
    let (scene, state, record) = match replayed {
        Some(Replayed { opening: Opening { scene, state, .. }, events, ticks }) => {
            engine.check_count(state.len() as u64)?;
            (scene, state, Some((events, ticks)))
        }
        None => {
            let Prepared { scene, state, .. } = flock.prepare(Some(engine.as_ref()))?;
            (scene, state, None)
        }
    };
    plan.film.alpha = scene.style.background.is_none();
    let mut recorder = output.recorder(&plan)?;
    if let Some(unseen) = plan.unseen() {
        eprintln!("flockwork: {unseen}");
    }
    let agents = state.len();
    if args.geometry && agents > MOST_AGENTS {
        return Err(wrong(format!(
            "--geometry: {agents} agents are too many to tell apart; use a --count of {MOST_AGENTS} \
             at most"
        )));
    }
    let mut run = drive::load(engine, &scene, &state)?;
    drop(state);
    if let Some((events, last)) = record {
        run.replay(events, last)?;
    }
    let mut painter = painter(gpu, args.size)?;
    let start = Instant::now();
    let shown = film(&mut run, painter.as_mut(), recorder.as_mut(), &plan, &interrupt)
        .and_then(|shown| Ok(recorder.finish().map(|()| shown)?))
        .map_err(|error| named(error, &args.out))?;
    let kept = output.publish(&plan, shown.frames)?;
    if let Some(told) = run.take_notice() {
        eprintln!("flockwork: {told}");
    }
    say(&format!(
        "{}, {} on {}, {} of {} × {} by {} in {:.1} s; {kept}\n",
        counted(agents as u64, "agent"),
        counted(shown.ticks, "tick"),
        run.engine().describe(),
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

/// Adds the film's name: ffmpeg knows only the temporary one.
fn named(error: anyhow::Error, out: &Path) -> anyhow::Error {
    match error.downcast_ref() {
        Some(RecordError::Ffmpeg(_)) => error.context(format!("cannot write {}", out.display())),
        _ => error,
    }
}

/// The result of a capture.
struct Shown {
    frames: u64,
    ticks: u64,
    interrupted: bool,
}

/// Steps, draws and records, until all frames are drawn or the user interrupts.
fn film(
    run: &mut Run,
    painter: &mut dyn Painter,
    recorder: &mut dyn Recorder,
    plan: &Plan,
    interrupt: &Interrupt,
) -> anyhow::Result<Shown> {
    // A single picture spends its time on ticks, a film on frames.
    let bar = match plan.every {
        Some(_) => progress(plan.frames(), "frames"),
        None => progress(plan.ticks, "ticks"),
    };
    let parts = plan.every.map_or(1, |every| plan.exposed(every).count() as u32);
    let mut averaged;
    let recorder: &mut dyn Recorder = if plan.blur {
        averaged = Averaged::new(recorder, parts);
        &mut averaged
    } else {
        recorder
    };
    let mut film = Filming {
        scenery: plan.geometry.then(|| run.scene().scenery()),
        painter,
        recorder,
        plan,
        bar,
        frames: 0,
        trails: run.scene().style.trail.map(|half_life| (half_life, None)),
    };
    let ticks = plan.every.map_or(plan.ticks, |every| (plan.frames() - 1) * every);
    let outcome = drive(run, &mut film, ticks, interrupt)?;
    while let Some(frame) = film.painter.finish()? {
        film.recorder.push(frame)?;
    }
    film.bar.finish_and_clear();
    Ok(Shown { frames: film.frames, ticks: outcome.ticks, interrupted: outcome.interrupted })
}

/// A capture under way.
struct Filming<'a> {
    /// For the geometry, if that is drawn.
    scenery: Option<Scenery>,
    painter: &'a mut dyn Painter,
    recorder: &'a mut dyn Recorder,
    plan: &'a Plan,
    bar: ProgressBar,
    frames: u64,
    /// If the style has them: their half-life in ticks, and those so far.
    trails: Option<(f32, Option<Trails>)>,
}

impl Filming<'_> {
    /// The scene's view at this tick.
    fn camera(&self, run: &mut Run) -> Result<Camera, EngineError> {
        let followed = match run.scene().camera.follow {
            Follow::None => None,
            _ => {
                let state = run.state()?;
                Camera::followed(run.scene(), &state)
            }
        };
        let size = (self.plan.film.width, self.plan.film.height);
        Ok(Camera::of(run.scene(), run.tick(), followed, size))
    }
}

impl Filming<'_> {
    /// Adds the trails of this tick; takes a picture of them if it is `wanted`, which completes a frame
    /// if it is the `whole`.
    fn show_trails(&mut self, run: &mut Run, wanted: bool, whole: bool) -> anyhow::Result<()> {
        let camera = self.camera(run)?;
        let (engine, scene) = run.engine_and_scene();
        let agents = self.painter.paint_agents(engine, scene, &camera)?;
        let Some((half_life, trails)) = &mut self.trails else { return Ok(()) };
        let trails = trails.get_or_insert_with(|| Trails::new(*half_life, &camera));
        trails.add(&agents, &camera);
        if !wanted {
            return Ok(());
        }
        let targets = engine.targets()?;
        let scale = scale_of(self.plan.film.width, self.plan.film.height);
        let behind = raster::backdrop(scene, &targets, &camera, scale);
        let mut frame = trails.picture(behind, &agents);
        if let Some(scenery) = &self.scenery {
            let above = geometry_of(run, scenery)?;
            let above = Ground::of(&run.scene().style.background).suited(&above);
            shape_raster::draw(&above, &camera, scale, &mut frame);
        }
        self.recorder.push(frame)?;
        self.count(whole);
        Ok(())
    }

    /// Counts a frame if it is complete.
    fn count(&mut self, whole: bool) {
        self.frames += u64::from(whole);
        if self.plan.every.is_some() && whole {
            self.bar.inc(1);
        }
    }
}

impl Host for Filming<'_> {
    fn next_stop(&self, done: u64) -> u64 {
        if let Some((half_life, _)) = self.trails {
            // A film needs the trails of every tick, a picture those that are still visible.
            let first = self.plan.ticks.saturating_sub(visible_ticks(half_life));
            return if self.plan.every.is_some() { done + 1 } else { (done + 1).max(first) };
        }
        let Some(every) = self.plan.every else { return self.plan.ticks };
        let next = done.saturating_add(every);
        (done + 1..next).find(|tick| self.plan.blur && self.plan.needs(*tick)).unwrap_or(next)
    }

    fn ticked(&mut self, ticks: u64) {
        if self.plan.every.is_none() {
            self.bar.inc(ticks);
        }
    }

    /// No: the device draws the picture after the ticks.
    fn waits(&self) -> bool {
        false
    }

    fn show(&mut self, run: &mut Run, stop: Stop) -> anyhow::Result<bool> {
        let wanted = match self.plan.every {
            // An interrupted film ends with the last due frame, but it has at least one.
            Some(_) => !stop.interrupted || stop.done == 0,
            None => stop.last,
        };
        let whole = self.plan.every.is_none_or(|every| stop.done.is_multiple_of(every));
        let wanted = wanted && (whole || self.plan.needs(stop.done));
        if self.trails.is_some() {
            self.show_trails(run, wanted, whole)?;
            return Ok(true);
        }
        if !wanted {
            return Ok(true);
        }
        let above = match &self.scenery {
            Some(scenery) => geometry_of(run, scenery)?,
            None => Vec::new(),
        };
        let camera = self.camera(run)?;
        // The flock moves on while the device draws the picture and copies it.
        let (engine, scene) = run.engine_and_scene();
        let earlier = self.painter.begin(engine, scene, &camera, &above)?;
        earlier.map_or(Ok(()), |frame| self.recorder.push(frame))?;
        self.count(whole);
        Ok(true)
    }
}

/// The shapes of everything that the agents react to at this tick.
fn geometry_of(run: &mut Run, scenery: &Scenery) -> Result<Vec<StyledShape>, EngineError> {
    let (state, targets) = (run.state()?, run.targets()?);
    let agents: Vec<usize> = (0..state.len()).collect();
    let scene = run.scene().at(state.tick);
    Ok(geometry::shapes_of_all(&scene, scenery, &targets, &state, &agents))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::drive::tests::Straight;
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
        styled((&[], false), ticks, every, stop_after)
    }

    fn styled(
        (overrides, blur): (&[String], bool),
        ticks: u64,
        every: Option<u64>,
        stop_after: Option<u64>,
    ) -> (Shown, Vec<Frame>) {
        let scene = crate::commands::options::read_scene("flock", overrides).unwrap();
        let interrupt = Interrupt::default();
        let state = FlockState {
            tick: 0,
            id: vec![0],
            species: vec![0],
            position: vec![Point::new(100.5, 100.5)],
            velocity: vec![Point::X],
            memory: Vec::new(),
        };
        let engine = Straight { stop_after, interrupt: interrupt.clone(), ..Straight::default() };
        let film = Film { width: 640, height: 360, rate: 30.0, alpha: false };
        let quality = Quality::default();
        let plan = Plan { film, ticks, every, geometry: false, blur, quality };
        let mut kept = Kept::default();
        let mut run = drive::load(Box::new(engine), &scene, &state).unwrap();
        let painter = &mut RasterPainter { scale: 1.0 };
        let shown = super::film(&mut run, painter, &mut kept, &plan, &interrupt).unwrap();
        assert_eq!(run.tick(), shown.ticks);
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
    fn a_blurred_frame_is_the_mean_of_the_ticks_before_it() {
        let (shown, frames) = styled((&[], true), 16, Some(8), None);
        assert_eq!((shown.frames, shown.ticks, frames.len()), (3, 16, 3));
        let all = filmed(16, Some(1), None).1;
        assert!(frames[0] == all[0]);
        for (frame, last) in [(1, 8), (2, 16)] {
            for (i, channel) in frames[frame].pixels.iter().enumerate() {
                let sum: u32 = (last - 4..=last).map(|tick| u32::from(all[tick].pixels[i])).sum();
                assert_eq!(u32::from(*channel), (sum + 2) / 5);
            }
        }
        let trails = ["style.trail=3".to_string()];
        let (shown, frames) = styled((&trails, true), 16, Some(8), None);
        assert_eq!((shown.frames, frames.len()), (3, 3));
    }

    #[test]
    fn trails_do_not_depend_on_the_frames() {
        let trail = |every| styled((&["style.trail=3".into()], false), 40, every, None);
        let (shown, all) = trail(Some(1));
        assert_eq!((shown.frames, shown.ticks), (41, 40));
        let (shown, some) = trail(Some(8));
        assert_eq!((shown.frames, shown.ticks), (6, 40));
        assert!(
            (0..6).all(|number| some[number] == all[8 * number]),
            "the same ticks look the same"
        );
        let (shown, last) = trail(None);
        assert_eq!((shown.frames, shown.ticks), (1, 40));
        let apart = |a: &Frame, b: &Frame| {
            a.pixels.iter().zip(&b.pixels).map(|(a, b)| a.abs_diff(*b)).max().unwrap()
        };
        assert!(apart(&last[0], &all[40]) <= 1, "what a picture leaves out has faded");
        let plain = filmed(40, None, None).1;
        assert_eq!(nose(&plain[0]), nose(&last[0]));
        assert!(apart(&plain[0], &last[0]) > 30);
    }

    #[test]
    fn an_interrupted_film_keeps_what_was_drawn() {
        let (shown, frames) = filmed(1000, Some(10), Some(20));
        assert!(shown.interrupted);
        assert_eq!((shown.frames, frames.len()), (2, 2));
    }
}
