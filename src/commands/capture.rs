//! `flockwork capture`: frames to files.
//!
//! A film or a sequence shows the ticks F, F + E, F + 2E, … up to T. F is the tick of `--from`, and 0 without
//! it. A single PNG shows tick T. Ticks count from the first state's.

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};

use super::files::capture_output::Kind;
pub use super::files::capture_output::{FilmPlan, Output};
use super::files::state_files::ran_on;
use super::host::arg_parsers::{Size, arguments, frame_rate, whole};
use super::host::drive;
use super::host::errors::{Interrupted, wrong};
pub use super::host::filming::{check_film, picture, take};
use super::host::interrupt::Interrupt;
use super::host::memory_check;
use super::host::messages::{note, say};
use super::host::options::{FlockArgs, Machine, MachineArgs, Prepared};
use super::host::ranks;
use super::host::replay;
use super::host::windowless::painter;
use flockwork_model::io::RunRecord;
use flockwork_model::scene::{CameraPlan, Follow, Scene};
use flockwork_session::Opening;
use flockwork_view::recorder::Film;
use flockwork_view::recorder::mp4::{self, Quality};
use flockwork_view::words::counted;

/// Its arguments.
#[derive(Clone, Debug, Args)]
pub struct CaptureArgs {
    #[command(flatten)]
    pub flock: FlockArgs,
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
    /// Tick of the first frame of a film or a sequence; ticks before are simulated, but not shown
    #[arg(long, value_name = "T", default_value_t = 0, value_parser = whole::<u64>(0..=u64::MAX), allow_negative_numbers = true)]
    pub from: u64,
    /// Ticks between frames; a film starts at --from, a single PNG shows the last tick
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
    /// The view: the middle in world units of the scene file, the magnification, and degrees to
    /// turn; the same as --set camera.centre, camera.zoom and camera.rotation. In space
    /// X,Y,Z,ZOOM,AZIMUTH,ELEVATION or the first three to five of them. The camera stands, whatever
    /// the scene says
    #[arg(long, value_name = "X,Y[,ZOOM[,DEGREES]]", allow_hyphen_values = true)]
    pub view: Option<View>,
    /// Where a plane's world and the picture differ in shape: show all of the world, or give it the picture's
    /// shape, with the same area
    #[arg(long, value_enum, default_value_t = Fit::World, conflicts_with = "replay")]
    pub fit: Fit,
    /// Blur motion: a frame averages N pictures (8 if no N is given) over half of --every, between ticks
    /// too; 1 for none
    #[arg(long, value_name = "N", default_value_t = 1, num_args = 0..=1, default_missing_value = "8", value_parser = whole::<u64>(1..=64), allow_negative_numbers = true)]
    pub blur: u64,
    /// Average N pictures a frame, with edges that are smooth and, in space, the blur of camera.lens; with
    /// --blur each has its own moment
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(1..=256), allow_negative_numbers = true)]
    pub samples: u64,
    /// Make a film that repeats without a jump: its last N frames fade into its first N, which it leaves
    /// out
    #[arg(long = "loop", value_name = "N", default_value_t = 0, value_parser = whole::<u64>(0..=1000), allow_negative_numbers = true)]
    pub fade: u64,
    /// How much an .mp4 film keeps: draft, good or best
    #[arg(long, value_name = "Q", default_value = "best", value_parser = quality)]
    pub quality: Quality,
    /// The most megabytes of a file: an .mp4 film keeps less where it must, another one ends with an error
    #[arg(long, value_name = "M", value_parser = megabytes, allow_negative_numbers = true)]
    pub max_mb: Option<f64>,
    /// Folder for a PNG sequence, or file: .png (one picture), .gif, .apng, .mp4 (needs ffmpeg)
    #[arg(long, value_name = "DIR|FILE")]
    pub out: PathBuf,
}

/// The values of `--fit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Fit {
    /// All of the world is in the picture
    World,
    /// The world fills the picture
    Frame,
}

/// The share of a picture that a world fills at least; below it a hint says how it could.
const MOSTLY: f32 = 0.5;

/// Parses the value of `--quality`.
fn quality(text: &str) -> Result<Quality, String> {
    let known = Quality::NAMES.iter().find(|(name, _)| *name == text);
    known.map(|(_, quality)| *quality).ok_or_else(|| "expected draft, good or best".into())
}

/// Parses the value of `--max-mb`.
fn megabytes(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|most| (1e-3..=1e6).contains(most));
    number.ok_or_else(|| "expected a number of megabytes from 0.001 to 1000000".into())
}

/// The value of `--view`.
#[derive(Clone, Debug, PartialEq)]
pub struct View(Vec<f64>);

impl std::str::FromStr for View {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Option<Vec<f64>> =
            text.split(',').map(|part| part.trim().parse().ok()).collect();
        let known = numbers.filter(|numbers| (2..=6).contains(&numbers.len()));
        known.filter(|numbers| numbers.iter().all(|n| n.is_finite())).map(Self).ok_or_else(|| {
            "expected X,Y or X,Y,ZOOM or X,Y,ZOOM,DEGREES, for example 320,180,4; in space \
             X,Y,Z,ZOOM,AZIMUTH,ELEVATION, or the first of them"
                .into()
        })
    }
}

impl View {
    /// The same as overrides of a scene, whose camera then moves no more; or why there are none.
    fn overrides(&self, scene: &Scene) -> Result<Vec<String>, String> {
        let (Self(numbers), axes) = (self, scene.world.axes());
        let keys: &[&str] =
            if axes == 2 { &["zoom", "rotation"] } else { &["zoom", "azimuth", "elevation"] };
        if numbers.len() < axes || numbers.len() > axes + keys.len() {
            let (world, wanted) = match axes {
                2 => ("a plane", "X,Y,ZOOM,DEGREES"),
                _ => ("a space", "X,Y,Z,ZOOM,AZIMUTH,ELEVATION"),
            };
            return Err(format!(
                "--view: {} numbers, and the world of this scene is {world}; give {wanted}, or the \
                 first {axes} of them or more",
                numbers.len()
            ));
        }
        let centre: Vec<String> = numbers[..axes].iter().map(f64::to_string).collect();
        let mut overrides = vec![format!("camera.centre=[{}]", centre.join(", "))];
        let more = keys.iter().zip(&numbers[axes..]);
        overrides.extend(more.map(|(key, number)| format!("camera.{key}={number}")));
        let CameraPlan { keys, follow, ride, .. } = &scene.camera;
        let moves = [
            (axes == 3, "camera.orbit=\"none\""),
            (!keys.is_empty(), "camera.keys=none"),
            (*follow != Follow::None, "camera.follow=\"none\""),
            (*ride, "camera.ride=false"),
        ];
        overrides.extend(moves.into_iter().filter(|(is_so, _)| *is_so).map(|(_, set)| set.into()));
        Ok(overrides)
    }
}

impl CaptureArgs {
    /// The arguments in these words; the error is one line.
    pub fn parse(words: &[String]) -> Result<Self, String> {
        let words = words.iter().map(String::as_str);
        arguments(["capture"].into_iter().chain(words)).map_err(|error| {
            let text = error.render().to_string();
            let first = text.lines().next().unwrap_or_default();
            first.trim_start_matches("error: ").to_string()
        })
    }

    /// The plan for pictures with a background.
    pub fn plan(&self, ticks: u64) -> anyhow::Result<FilmPlan> {
        let Size { width, height } = self.size;
        let single = Kind::of(&self.out).is_ok_and(|kind| kind == Kind::Png);
        let of_films =
            [("--from", self.from, 0), ("--loop", self.fade, 0), ("--blur", self.blur, 1)];
        let asked = of_films.into_iter().find(|(_, value, none)| single && value > none);
        if let Some((option, value, _)) = asked {
            return Err(wrong(format!(
                "{option} {value}: a single picture shows the last tick, which --ticks sets; for a film name a .gif, \
                 .apng or .mp4, or a folder"
            )));
        }
        let is_other = Kind::of(&self.out).is_ok_and(|kind| kind != Kind::Mp4);
        let less = self.quality != Quality::Best && is_other;
        let known = Quality::NAMES.iter().find(|(_, own)| less && *own == self.quality);
        if let Some((name, _)) = known {
            return Err(wrong(format!(
                "--quality {name}: only an .mp4 film can keep less; name one, or leave --quality out"
            )));
        }
        if self.from > ticks {
            return Err(wrong(format!(
                "--from {}: the run has {}; raise --ticks, or begin earlier",
                self.from,
                counted(ticks, "tick")
            )));
        }
        let plan = FilmPlan {
            out: self.out.clone(),
            film: Film { width, height, rate: self.fps, alpha: false },
            from: self.from,
            ticks,
            every: (!single).then_some(self.every),
            geometry: self.geometry,
            blur: self.blur,
            samples: self.samples,
            fade: self.fade,
            quality: self.quality,
            most: self.max_mb.map(|most| (most * 1e6) as u64),
        };
        let most = plan.drawn().saturating_sub(1) / 2;
        if plan.fade > most {
            return Err(wrong(format!(
                "--loop {}: a film of {} fades at most {most} of them into its first; raise --ticks, or lower \
                 --every or --loop",
                plan.fade,
                counted(plan.drawn(), "frame")
            )));
        }
        Ok(plan)
    }

    /// The options that change what is seen, as overrides of the scene.
    fn looks(&self) -> anyhow::Result<Vec<String>> {
        let mut looks = Vec::from_iter(self.transparent.then(|| "style.background=none".into()));
        if self.fit == Fit::Frame {
            looks.extend(self.flock.world_in_shape(self.size)?);
        }
        if let Some(view) = &self.view {
            looks.extend(view.overrides(&self.unscaled()?).map_err(wrong)?);
        }
        Ok(looks)
    }

    /// A hint for pictures that are mostly empty, because a plane's world has another shape.
    fn hint(&self, flock: &FlockArgs) -> anyhow::Result<Option<String>> {
        let asked = self.view.is_some() || self.fit == Fit::Frame;
        if self.replay.is_some() || flock.init.is_some() || asked {
            return Ok(None);
        }
        let (scene, _) = flock.read()?;
        let Size { width, height } = self.size;
        let (world, wanted) = (scene.world.size, width as f32 / height as f32);
        let fit = world.x / world.y / wanted;
        let share = fit.min(fit.recip());
        if !scene.world.is_flat() || scene.camera != CameraPlan::default() || share >= MOSTLY {
            return Ok(None);
        }
        let fits = flock.world_in_shape(self.size).is_ok();
        let remedy = if fits { "for one in its shape add --fit frame, or " } else { "" };
        Ok(Some(format!(
            "the world fills {:.0} % of a picture of {width}x{height}; {remedy}show a part with --view X,Y,ZOOM",
            100.0 * share,
        )))
    }

    /// An error of an override that stands for `--view`, with the option that the user wrote.
    fn own_words(&self, error: anyhow::Error) -> anyhow::Error {
        let Some(View(numbers)) = &self.view else { return error };
        let text = format!("{error:#}");
        let found = text.split_once("--set ").and_then(|(place, rest)| {
            let (set, problem) = rest.split_once(": ")?;
            let is_own = self.flock.overrides.iter().any(|own| own == set);
            Some((place, problem)).filter(|_| set.starts_with("camera.") && !is_own)
        });
        let Some((place, problem)) = found else { return error };
        let numbers: Vec<String> = numbers.iter().map(f64::to_string).collect();
        wrong(format!("{place}--view {}: {problem}", numbers.join(",")))
    }

    /// The scene whose camera `--view` sets.
    fn unscaled(&self) -> anyhow::Result<Scene> {
        match &self.replay {
            Some(path) => Ok(replay::read(path, &[])?.0.scene),
            None => self.flock.unscaled(),
        }
    }
}

/// Runs the command on a machine, which is opened once it is certain that `--out` can be written. After Ctrl-C
/// the film ends with the last frame drawn.
pub fn capture(
    args: &CaptureArgs,
    machine: impl FnOnce() -> anyhow::Result<Machine>,
) -> anyhow::Result<()> {
    if args.replay.is_some() && ranks::ranks().is_some() {
        return Err(wrong("--replay: a session is replayed in one process; leave mpirun out"));
    }
    let looks = args.looks()?;
    let replayed = args.replay.as_deref().map(|path| replay::read(path, &looks)).transpose();
    let replayed = replayed.map_err(|error| args.own_words(error))?;
    let last = replayed.as_ref().map(|(_, (_, last))| *last);
    let mut plan = args.plan(args.ticks.or(last).unwrap_or(0))?;
    ranks::agree(args.flock.read_ahead())?;
    let interrupt = Interrupt::watch();
    // Output that cannot be written must fail before anything is simulated. Of several ranks the first
    // draws; the others keep step with a picture of one pixel.
    let open = || ranks::is_root().then(|| Output::open(&plan)).transpose();
    let output = ranks::agree(open())?;
    if output.is_none() {
        (plan.film.width, plan.film.height) = (1, 1);
    }
    let mut flock = args.flock.clone();
    flock.overrides.extend(looks);
    let Machine { engine, gpu } = ranks::agree(machine())?;
    let (scene, state, mut agents, record, edits) = match replayed {
        Some((Opening { source, scene, state }, edits)) => {
            let (request, overrides) = (&source.request, &source.overrides);
            let record = RunRecord::new(&scene, request, scene.world.size, overrides);
            engine.check_count(&scene, state.len() as u64)?;
            let agents = state.len();
            (scene, state, agents, record, Some(edits))
        }
        None => {
            let prepared = flock.prepare(Some(engine.as_ref()));
            let prepared = ranks::agree(prepared.map_err(|error| args.own_words(error)))?;
            prepared.compare()?;
            let record = prepared.record();
            let Prepared { scene, state, agents, .. } = prepared;
            (scene, state, agents as usize, record, None)
        }
    };
    let from = args.flock.init.as_deref().or(args.replay.as_deref());
    let comment = ran_on(record, engine.kind(), gpu.as_deref(), from).text();
    plan.film.alpha = scene.style.background.is_none();
    if let Some(hint) = ranks::agree(args.hint(&flock))? {
        note(&hint);
    }
    if scene.camera.lens > 0.0 && args.samples == 1 {
        note("camera.lens blurs what is out of focus only in a mean of pictures; add --samples 64");
    }
    if let Some(unseen) = plan.unseen() {
        note(&unseen);
    }
    ranks::agree(if ranks::is_root() { check_film(&plan, &scene, agents) } else { Ok(()) })?;
    drive::forewarn(&scene, &state);
    let mut run = ranks::agree(drive::load(engine, &scene, &state).map_err(Into::into))?;
    drop(state);
    run.set_room(memory_check::check_more);
    if let Some((events, last)) = edits {
        run.replay(events, last)?;
    }
    let mut painter = painter(gpu, args.size, &scene.style)?;
    let start = Instant::now();
    let (shown, kept) = take(&mut run, painter.as_mut(), (output, &plan, &comment), &interrupt)?;
    shown.run.tell();
    // The events of a session add and remove agents.
    if args.replay.is_some() {
        agents = run.agents();
    }
    if let Some(notice) = run.take_notice() {
        note(&notice);
    }
    let Film { width, height, .. } = plan.film;
    let size = match Kind::of(&plan.out) {
        Ok(Kind::Mp4) => mp4::even(width, height),
        _ => [width, height],
    };
    say(&format!(
        "{}, {} on {}, {} of {} × {} by {} in {:.1} s; {kept}\n",
        counted(agents as u64, "agent"),
        counted(shown.run.ticks, "tick"),
        run.engine().describe(),
        counted(shown.frames, "frame"),
        size[0],
        size[1],
        painter.describe(),
        start.elapsed().as_secs_f64()
    ))?;
    if shown.run.interrupted {
        let kept = match plan.every {
            Some(_) => format!("frames kept: {} of {}; {kept}", shown.frames, plan.frames()),
            None => {
                let part =
                    shown.cut.map(|drawn| format!(" by {drawn} of {} samples", plan.samples));
                let (tick, part) = (shown.run.ticks, part.unwrap_or_default());
                format!("the picture shows tick {tick} of {}{part}; {kept}", plan.ticks)
            }
        };
        return Err(Interrupted { kept }.into());
    }
    Ok(())
}
