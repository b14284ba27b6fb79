//! The command line: what can be asked for, and the help that teaches it.

use clap::{Parser, Subcommand};

use flockwork::commands::bench::BenchArgs;
use flockwork::commands::capture::CaptureArgs;
use flockwork::commands::run::RunArgs;
use flockwork::commands::simulate::SimulateArgs;

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
