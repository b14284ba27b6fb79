//! The command line: what can be asked for, and the help that teaches it.

use clap::{Parser, Subcommand};

use super::bench::BenchArgs;
use super::capture::CaptureArgs;
use super::run::RunArgs;
use super::simulate::SimulateArgs;
use super::sweep::SweepArgs;

/// Massive flocks on the GPU, and on the CPU.
///
/// Without a command it opens a window with 3,000 agents of the scene `flock`; with `--count 200000`,
/// a larger one.
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
  flockwork --count 200000
      a window with 200,000 agents
  flockwork capture --count 10000 --ticks 600 --every 2 --out film.mp4
      a film, frame by frame, without a window
  flockwork simulate --ticks 100 --out states.npz --metrics metrics.csv
      the state of every agent for NumPy, and metrics of the flock
  flockwork bench --counts 10000,100000,1000000 --plot speed.svg
      CPU against GPU, pass by pass, with a plot
  flockwork scenes flock --set starling.separation.weight=2 > mine.toml
      a scene file to edit, here with a key overridden; run it with --scene mine.toml

`flockwork help COMMAND` explains a command. `flockwork help run` lists the keys of the window.";

/// The keys of the window, and what happens without one.
fn keys() -> String {
    format!(
        "In the window (README.md explains each key):\n{}\n\
         Without a display it simulates --frames ticks (300 by default) and draws the last one to\n\
         flockwork.png.",
        flockwork_app::list_of_keys()
    )
}

const BENCHES: &str = "\
Examples:
  flockwork bench --count 200000
      one table: time of a tick, and of its passes, on each engine
  flockwork bench --counts 10000,100000,1000000 --densities 10,30,100 --plot speed.svg
      nine tables, a summary and a plot
  flockwork bench --state flocked --count 200000
      after flocks have formed; --state clumped starts all agents in 1 % of the world's area
  flockwork bench --scene benches/scenes/one-point.toml --count 1000000 --ticks 5
      all agents start at one point; other crowds are one-row.toml and seek-one-point.toml

Times depend on the number of neighbours, which grows while flocks form. Compare only runs of the
same scene, density, state and ticks. After Ctrl-C the results so far are printed and written.";

const SWEEPS: &str = "\
Examples:
  flockwork sweep --scene vicsek --vary agent.rules.align.parameters.noise.value=0..5:11
                  --seeds 5 --ticks 3000 --metric polarisation --out noise --plot noise.svg
      order against noise: 55 runs, averages with error bars, a plot
  flockwork sweep plan.toml --out results
      the same from a file; the same command again computes what is missing
  flockwork sweep plan.toml --out results --shard 1/4
      a quarter of it, on one of four machines that share the folder

A run writes one file, named by a hash of its values, whole or not at all. After Ctrl-C the same
command goes on. Standard errors count the correlation of a metric over time (by blocking).";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show a flock in a window (the default command)
    #[command(after_help = keys())]
    Run(RunArgs),
    /// Draw frames to files, without a window: PNG, GIF, APNG or MP4 (needs ffmpeg)
    Capture(CaptureArgs),
    /// Write the state of every agent, and metrics of the flock, to files
    Simulate(SimulateArgs),
    /// Average metrics over many runs, each with other values, with error bars
    #[command(after_help = SWEEPS)]
    Sweep(SweepArgs),
    /// Time both engines on the same flock, pass by pass
    #[command(after_help = BENCHES)]
    Bench(BenchArgs),
    /// List the built-in scenes, or print one
    Scenes {
        /// Print this scene's file, ready to copy and edit
        name: Option<String>,
        /// Override a key of the printed file, which keeps its comments; may be repeated
        #[arg(long = "set", value_name = "KEY=VALUE", requires = "name")]
        overrides: Vec<String>,
    },
    /// List the GPUs, their limits, and the largest flock each holds
    Adapters,
}
