//! The command line: what can be asked for, and the help that teaches it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use flockwork::engine::gpu::AdapterChoice;

/// Massive flocks on the GPU, and on the CPU.
///
/// Without a subcommand it opens a window: `flockwork --count 200000`.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub run: RunArgs,
}

const EXAMPLES: &str = "\
Examples:
  flockwork --count 200000                              a window with 200,000 agents
  flockwork capture --ticks 600 --every 2 --out film.mp4   a film, frame by frame, without a window
  flockwork simulate --ticks 100 --out states.npz       every agent's state, for NumPy
  flockwork bench --count 200000                        CPU against GPU, pass by pass
  flockwork scenes flock > mine.toml                    a scene to edit; run it with --scene mine.toml

In the window: right drag pans, wheel zooms, space pauses, . steps once, R resets, left press calls
the flock to the pointer, E switches engines, Tab shows the sliders, F11 full screen, Esc quits.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show a flock in a window (what happens without a subcommand)
    Run(RunArgs),
    /// Draw frames to files, without a window: PNG, GIF, APNG or MP4
    Capture(CaptureArgs),
    /// Write the state of every agent, and figures of the flock, to files
    Simulate(SimulateArgs),
    /// Time both engines on the same flock, pass by pass
    Bench(BenchArgs),
    /// List the built-in scenes, or print one
    Scenes {
        /// Print this scene's file, ready to copy and edit
        name: Option<String>,
    },
    /// List the GPUs, their limits, and the largest flock each holds
    Adapters,
}

/// Which flock.
#[derive(Clone, Debug, Args)]
pub struct FlockArgs {
    /// A built-in scene, or the path of a scene file
    #[arg(long, value_name = "NAME|FILE", default_value = "flock")]
    pub scene: String,
    /// Number of agents [default: the scene's]
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,
    /// Seed of the random numbers [default: the scene's]
    #[arg(long, value_name = "S")]
    pub seed: Option<u32>,
    /// Mean neighbours within the largest radius; the world grows to fit [default: the scene's]
    #[arg(long, value_name = "K")]
    pub density: Option<f32>,
    /// Override a scene key, as in --set starling.separation.weight=2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
    /// Start from a state that `simulate` wrote (its last tick)
    #[arg(long, value_name = "STATE.csv|.npz")]
    pub init: Option<PathBuf>,
}

/// On what.
#[derive(Clone, Debug, Args)]
pub struct MachineArgs {
    /// Which engine
    #[arg(long, value_enum, default_value_t = EngineArg::Auto)]
    pub engine: EngineArg,
    /// Which GPU: part of its name, or its number in `flockwork adapters`
    #[arg(long, value_name = "NAME|INDEX")]
    pub adapter: Option<AdapterChoice>,
    /// Threads of the CPU engine [default: one a core]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineArg {
    /// The GPU when there is one, else the CPU
    Auto,
    /// The GPU
    Gpu,
    /// The CPU
    Cpu,
}

/// Width and height of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

impl std::str::FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides = text.split_once(['x', 'X']);
        let sides = sides.and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
        match sides {
            Some((width, height)) if (1..=16384).contains(&width) && (1..=16384).contains(&height) => {
                Ok(Self { width, height })
            }
            _ => Err("write WIDTHxHEIGHT in pixels, each from 1 to 16384, such as 1280x720".into()),
        }
    }
}

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

#[derive(Clone, Debug, Args)]
pub struct CaptureArgs {
    #[command(flatten)]
    pub flock: FlockArgs,
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Size of the pictures
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    pub size: Size,
    /// Ticks to simulate
    #[arg(long, value_name = "T")]
    pub ticks: u64,
    /// Ticks from one frame to the next; a single PNG shows the last tick
    #[arg(long, value_name = "E", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,
    /// Frames a second of GIF, APNG and MP4
    #[arg(long, value_name = "R", default_value_t = 30.0)]
    pub fps: f64,
    /// A folder for a PNG sequence, or a file: .png (one picture), .gif, .apng, .mp4
    #[arg(long, value_name = "DIR|FILE")]
    pub out: PathBuf,
}

#[derive(Clone, Debug, Args)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub flock: FlockArgs,
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Ticks to simulate
    #[arg(long, value_name = "T")]
    pub ticks: u64,
    /// Ticks from one written state to the next [default: T]
    #[arg(long, value_name = "E", value_parser = clap::value_parser!(u64).range(1..))]
    pub every: Option<u64>,
    /// State of every agent
    #[arg(long, value_name = "FILE.csv|.npz")]
    pub out: PathBuf,
    /// Figures of the flock, one row a tick
    #[arg(long, value_name = "FILE.csv")]
    pub metrics: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub struct BenchArgs {
    #[command(flatten)]
    pub flock: BenchFlockArgs,
    /// Which GPU: part of its name, or its number in `flockwork adapters`
    #[arg(long, value_name = "NAME|INDEX")]
    pub adapter: Option<AdapterChoice>,
    /// Threads of the CPU engine [default: one a core]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,
    /// Ticks to time, after the warm-up
    #[arg(long, value_name = "T", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub ticks: u64,
    /// Engines, in the order of the table [default: gpu,cpu,cpu1, without gpu where there is none]
    #[arg(long, value_enum, value_delimiter = ',')]
    pub engines: Vec<BenchEngine>,
    /// Write the figures as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// Which flock, for `bench`: several counts are allowed.
#[derive(Clone, Debug, Args)]
pub struct BenchFlockArgs {
    /// A built-in scene, or the path of a scene file
    #[arg(long, value_name = "NAME|FILE", default_value = "flock")]
    pub scene: String,
    /// Numbers of agents
    #[arg(long, value_name = "N[,N…]", value_delimiter = ',', default_value = "200000")]
    pub count: Vec<u64>,
    /// Seed of the random numbers [default: the scene's]
    #[arg(long, value_name = "S")]
    pub seed: Option<u32>,
    /// Mean neighbours within the largest radius [default: the scene's]
    #[arg(long, value_name = "K")]
    pub density: Option<f32>,
    /// Override a scene key, as in --set starling.separation.weight=2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchEngine {
    /// The GPU
    Gpu,
    /// The CPU on all cores
    Cpu,
    /// The CPU on one core
    Cpu1,
}
