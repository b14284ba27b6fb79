//! `flockwork run`: a flock in a window, or in a picture if there is no display.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::files::capture_output::{FilmPlan, Output};
use super::files::state_files::ran_on;
use super::host::arg_parsers::{Size, memory, whole};
use super::host::drive;
use super::host::errors::Interrupted;
use super::host::filming::take;
use super::host::interrupt::Interrupt;
use super::host::memory_check;
use super::host::messages::{note, say};
use super::host::options::{FlockArgs, Machine, MachineArgs, Prepared};
use super::host::replay::{self, Edits};
use super::host::window_host::WindowFiles;
use super::host::windowless::painter;
use flockwork_app::{self as app, WindowError};
use flockwork_engine::gpu::MotionLayout;
use flockwork_engine::gpu::buffers::check_count_for;
use flockwork_engine::gpu::{Gpu, GpuEngine};
use flockwork_engine::{Engine, EngineError, EngineKind};
use flockwork_model::io::RunRecord;
use flockwork_model::scene::{Request, Scene};
use flockwork_model::state::FlockState;
use flockwork_session::{Opening, Source};
use flockwork_view::words::counted;

/// Its arguments.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub flock: FlockArgs,
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Size of the window, or of the picture where there is no display
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    pub size: Size,
    /// Close the window after F frames; without a display, simulate F ticks
    #[arg(long, value_name = "F", value_parser = whole::<u64>(0..=u64::MAX), allow_negative_numbers = true)]
    pub frames: Option<u64>,
    /// Whether the window draws light (exposure, bloom, matter, the sky); its pictures and films always
    /// have it
    #[arg(long, value_name = "QUALITY", default_value = "auto")]
    pub quality: WindowQuality,
    /// Memory for going back in time: the window keeps snapshots of the flock in it and computes
    /// the ticks between them again
    #[arg(long, value_name = "SIZE", default_value = "256MB", value_parser = memory, allow_negative_numbers = true)]
    pub history: u64,
    /// Replay a session that the window saved (Ctrl+Shift+S): its flock, with every edit and click at
    /// its tick
    #[arg(
        long,
        value_name = "SESSION.toml",
        conflicts_with_all = ["scene", "count", "seed", "density", "overrides", "init"]
    )]
    pub replay: Option<PathBuf>,
}

/// The values of `--quality`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WindowQuality {
    /// High, unless the adapter is software
    Auto,
    /// Without light
    Low,
    /// With all that the style has
    High,
}

/// Ticks of a run without a window and without `--frames`: five seconds of real time.
const TICKS_WITHOUT_WINDOW: u64 = 300;

/// Number of agents that fit any adapter: WebGPU's smallest storage binding is 128 MiB.
const FITS_EVERYWHERE: u64 = 8 << 20;

/// The file for the picture of a run without a window.
const PICTURE: &str = "flockwork.png";

/// Runs the command.
pub fn run(args: &RunArgs) -> anyhow::Result<()> {
    run_with(args, &mut |kind, gpu| engine(kind, gpu, &args.machine))
}

/// The same, with the caller's engines.
pub fn run_with(args: &RunArgs, engines: &mut app::EngineFactory<'_>) -> anyhow::Result<()> {
    // The window opens the device; check first whether the flock fits it.
    if let Some(count) = args.flock.count.filter(|count| *count > FITS_EVERYWHERE)
        && args.machine.wants_gpu()
    {
        let adapter = args.machine.adapter.clone().unwrap_or_default();
        // The scene is not read yet. A plane takes the fewest bytes.
        check_count_for(&adapter, MotionLayout::PLANE, count)?;
    }
    let (Opening { source, scene, state }, made, edits) = start(args)?;
    drive::forewarn(&scene, &state);
    let interrupt = Interrupt::watch();
    let state = Arc::new(state);
    let stopped = || interrupt.is_raised();
    let engine = |gpu: &Gpu| args.machine.kind_for_window(gpu);
    let mut lent = |kind, gpu: Option<&Arc<Gpu>>| engines(kind, gpu);
    let flock = (&scene, Arc::clone(&state));
    let mut options = app::WindowOptions::new(&WindowFiles, flock, &engine, &mut lent);
    options.source = source;
    options.size = (args.size.width, args.size.height);
    (options.frames, options.history) = (args.frames, args.history);
    options.record.clone_from(&edits);
    options.stopped = &stopped;
    options.light = match args.quality {
        WindowQuality::Auto => None,
        quality => Some(quality == WindowQuality::High),
    };
    options.adapter = args.machine.adapter.clone().unwrap_or_default();
    options.room = memory_check::check_more;
    options.tell = &note;
    match app::run(options) {
        Ok(summary) => {
            say(&format!("{summary}\n"))?;
            if interrupt.is_raised() {
                let kept = format!("the window is closed after {}", counted(summary.ticks, "tick"));
                return Err(Interrupted { kept }.into());
            }
            Ok(())
        }
        Err(error @ (WindowError::NoDisplay(_) | WindowError::NoSurface(_))) => {
            let whole = edits.as_ref().map(|(_, last)| *last);
            let ticks = args.frames.or(whole).unwrap_or(TICKS_WITHOUT_WINDOW);
            note(&format!(
                "{error}; simulating {} and drawing the last to {PICTURE} instead",
                counted(ticks, "tick")
            ));
            run_without_window(args, made, (&scene, &state), edits, ticks)
        }
        Err(error) => Err(error.into()),
    }
}

/// The flock that a window begins with, its record, and the edits to replay.
fn start(args: &RunArgs) -> anyhow::Result<(Opening, RunRecord, Option<Edits>)> {
    if let Some(path) = &args.replay {
        let (opening, edits) = replay::read(path, &[])?;
        let Opening { source, scene, .. } = &opening;
        let made = RunRecord::new(scene, &source.request, scene.world.size, &source.overrides);
        return Ok((opening, made, Some(edits)));
    }
    let prepared = args.flock.prepare(None)?;
    let made = prepared.record();
    let Prepared { scene, state, written, request, .. } = prepared;
    let count = Some(state.len() as u64).filter(|count| *count != scene.own_count());
    // A scene that a state file has brought has no file of its own.
    let argument = written.is_none().then(|| scene.name.clone());
    let text = match written {
        Some(text) => text,
        // A pipe gives its text only once.
        None => args.flock.read_text().map_or_else(|_| scene.to_toml(), str::to_owned),
    };
    let overrides = args.flock.overrides.clone();
    let source = Source { argument, text, overrides, request: Request { count, ..request } };
    Ok((Opening { source, scene, state }, made, None))
}

/// An engine of a kind. On the GPU it uses `gpu` if that is open already.
fn engine(
    kind: EngineKind,
    gpu: Option<&Arc<Gpu>>,
    machine: &MachineArgs,
) -> Result<Box<dyn Engine>, EngineError> {
    Ok(match (kind, gpu) {
        (EngineKind::Cpu, _) => Box::new(machine.cpu_engine()?),
        (EngineKind::Gpu, Some(gpu)) => Box::new(GpuEngine::new(Arc::clone(gpu))),
        (EngineKind::Gpu, None) => {
            Box::new(GpuEngine::new(Gpu::open(&machine.adapter.clone().unwrap_or_default())?))
        }
    })
}

/// The same run, with its last tick in a picture.
fn run_without_window(
    args: &RunArgs,
    made: RunRecord,
    (scene, state): (&Scene, &FlockState),
    edits: Option<Edits>,
    ticks: u64,
) -> anyhow::Result<()> {
    let interrupt = Interrupt::watch();
    let plan =
        FilmPlan::of_picture(PICTURE.into(), args.size, scene.style.background.is_none(), ticks);
    let output = Output::open(&plan)?;
    memory_check::check_pictures(args.size, plan.bytes_per_pixel(scene))?;
    let Machine { engine, gpu } = args.machine.open()?;
    let from = args.flock.init.as_deref().or(args.replay.as_deref());
    let comment = ran_on(made, engine.kind(), gpu.as_deref(), from).text();
    let mut run = drive::load(engine, scene, state)?;
    run.set_room(memory_check::check_more);
    if let Some((events, last)) = edits {
        run.replay(events, last)?;
    }
    let mut painter = painter(gpu, args.size, &scene.style)?;
    let output = (Some(output), &plan, comment.as_str());
    let (shown, _) = take(&mut run, painter.as_mut(), output, &interrupt)?;
    shown.run.tell();
    if let Some(notice) = run.take_notice() {
        note(&notice);
    }
    let (done, stepping) = (shown.run.ticks, shown.run.stepping.as_secs_f64());
    say(&format!(
        "{}, {} in {:.2} s, {:.3} ms a tick; engine {} ({}), drawn by {}; {PICTURE}\n",
        counted(run.agents() as u64, "agent"),
        counted(done, "tick"),
        stepping,
        1e3 * stepping / done.max(1) as f64,
        run.engine().kind(),
        run.engine().describe(),
        painter.describe(),
    ))?;
    if done < ticks {
        let kept = format!("ticks done: {done} of {ticks}; {PICTURE} shows the last one");
        return Err(Interrupted { kept }.into());
    }
    Ok(())
}
