//! `flockwork run`: a flock in a window, or in a picture where there is no display.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;

use super::options::{EngineArg, FlockArgs, MachineArgs, Size};
use crate::engine::gpu::{AdapterChoice, Gpu, GpuEngine};
use crate::engine::{Engine, EngineError, EngineKind};
use crate::model::scene::Scene;
use crate::model::state::FlockState;
use crate::view::camera::Camera;
use crate::view::frame::Frame;
use crate::view::offscreen::Offscreen;
use crate::view::upload::UploadedAgents;
use crate::view::window::{self, WindowError};

/// Its arguments.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub flock: FlockArgs,
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Size of the window
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    pub size: Size,
    /// Close the window after F frames
    #[arg(long, value_name = "F")]
    pub frames: Option<u64>,
}

/// Ticks of a run without a window when `--frames` does not say: five seconds of real time.
const TICKS_WITHOUT_WINDOW: u64 = 300;

/// Where the picture of a run without a window goes.
const PICTURE: &str = "flockwork.png";

/// Ticks between two looks at the clock, in a run without a window.
const PORTION: u32 = 10;

/// Runs the command.
pub fn run(args: &RunArgs) -> anyhow::Result<()> {
    let (scene, state) = args.flock.prepare()?;
    let options = window::Options {
        scene: &scene,
        state: &state,
        size: (args.size.width, args.size.height),
        frames: args.frames,
        adapter: args.machine.adapter.clone().unwrap_or_default(),
        engine: match args.machine.engine {
            EngineArg::Auto | EngineArg::Gpu => EngineKind::Gpu,
            EngineArg::Cpu => EngineKind::Cpu,
        },
        engines: &mut |kind, gpu| engine(kind, gpu, &args.machine),
    };
    match window::run(options) {
        Ok(summary) => {
            println!("{summary}");
            Ok(())
        }
        Err(error @ (WindowError::NoDisplay(_) | WindowError::NoSurface(_))) => {
            let ticks = args.frames.unwrap_or(TICKS_WITHOUT_WINDOW);
            eprintln!(
                "{error}; simulating {ticks} ticks and drawing the last to {PICTURE} instead"
            );
            run_without_window(args, &scene, &state, ticks)
        }
        Err(error) => Err(error.into()),
    }
}

/// An engine of a kind. One on the GPU uses `gpu` if that is open already.
fn engine(
    kind: EngineKind,
    gpu: Option<&Arc<Gpu>>,
    machine: &MachineArgs,
) -> Result<Box<dyn Engine>, EngineError> {
    match (kind, gpu) {
        (EngineKind::Gpu, Some(gpu)) => Ok(Box::new(GpuEngine::new(Arc::clone(gpu)))),
        (EngineKind::Gpu, None) => {
            let gpu = Gpu::open(&machine.adapter.clone().unwrap_or_default())?;
            Ok(Box::new(GpuEngine::new(gpu)))
        }
        // CALL SITE: CpuEngine::new(machine.threads.map(|threads| threads as usize))
        (EngineKind::Cpu, _) => Err(EngineError::NoAdapter("the CPU engine is not built".into())),
    }
}

/// The same run with its last tick in a picture.
fn run_without_window(
    args: &RunArgs,
    scene: &Scene,
    state: &FlockState,
    ticks: u64,
) -> anyhow::Result<()> {
    let gpu = open_gpu(&args.machine)?;
    let kind = match (args.machine.engine, &gpu) {
        (EngineArg::Gpu, _) | (EngineArg::Auto, Some(_)) => EngineKind::Gpu,
        (EngineArg::Cpu, _) | (EngineArg::Auto, None) => EngineKind::Cpu,
    };
    let mut engine = engine(kind, gpu.as_ref(), &args.machine)?;
    engine.load(scene, state)?;
    let time = simulate(engine.as_mut(), ticks)?;
    let camera = Camera::fit(&scene.world, args.size.width, args.size.height);
    let frame = picture(engine.as_mut(), gpu.as_ref(), scene, &camera)?;
    write_png(Path::new(PICTURE), &frame)?;
    println!(
        "{} agents, {ticks} ticks in {:.2} s, {:.3} ms a tick; engine {kind} ({}); {PICTURE}",
        state.len(),
        time.as_secs_f64(),
        1e3 * time.as_secs_f64() / ticks.max(1) as f64,
        engine.describe(),
    );
    Ok(())
}

/// The device, if there is one. That there is none is an error only for those who asked for one.
fn open_gpu(machine: &MachineArgs) -> anyhow::Result<Option<Arc<Gpu>>> {
    let choice = machine.adapter.clone().unwrap_or_default();
    match Gpu::open(&choice) {
        Ok(gpu) => Ok(Some(gpu)),
        Err(EngineError::NoAdapter(reason))
            if choice == AdapterChoice::Best && machine.engine != EngineArg::Gpu =>
        {
            eprintln!("{reason}: the CPU simulates and draws");
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

fn simulate(engine: &mut dyn Engine, ticks: u64) -> Result<Duration, EngineError> {
    let begin = Instant::now();
    let mut left = ticks;
    while left > 0 {
        let portion = left.min(u64::from(PORTION)) as u32;
        engine.step(portion)?;
        left -= u64::from(portion);
    }
    engine.finish()?;
    Ok(begin.elapsed())
}

fn picture(
    engine: &mut dyn Engine,
    gpu: Option<&Arc<Gpu>>,
    scene: &Scene,
    camera: &Camera,
) -> anyhow::Result<Frame> {
    let Some(gpu) = gpu else {
        // CALL SITE: raster::draw(scene, &engine.read_back()?, camera)
        anyhow::bail!("the CPU rasteriser is not built");
    };
    let size = camera.size.as_uvec2();
    let mut offscreen = Offscreen::new(Arc::clone(gpu), size.x, size.y)?;
    if engine.gpu_agents().is_none() {
        let mut agents = UploadedAgents::new(Arc::clone(gpu));
        agents.upload(&engine.read_back()?)?;
        return Ok(offscreen.render(agents.agents(), scene, camera)?);
    }
    let agents = engine.gpu_agents().context("the engine's flock is gone")?;
    Ok(offscreen.render(agents, scene, camera)?)
}

fn write_png(path: &Path, frame: &Frame) -> anyhow::Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    let file = std::fs::File::create(path).with_context(cannot)?;
    let mut encoder = png::Encoder::new(std::io::BufWriter::new(file), frame.width, frame.height);
    encoder.set_color(png::ColorType::Rgba);
    let mut writer = encoder.write_header().with_context(cannot)?;
    writer.write_image_data(&frame.pixels).with_context(cannot)?;
    writer.finish().with_context(cannot)
}
