//! The command line: what can be asked for, and the help that teaches it.

use clap::{Parser, Subcommand};

use flockwork::commands::bench::BenchArgs;
use flockwork::commands::capture::CaptureArgs;
use flockwork::commands::run::RunArgs;
use flockwork::commands::simulate::SimulateArgs;

/// Massive flocks on the GPU, and on the CPU.
///
/// Without a command it opens a window with 3,000 agents of the scene `flock`, or as many as you like:
/// `flockwork --count 200000`.
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
  flockwork simulate --ticks 100 --out states.npz --metrics figures.csv
      every agent's state for NumPy, and figures of the flock
  flockwork bench --counts 10000,100000,1000000 --plot speed.svg
      CPU against GPU, pass by pass, and a picture of it
  flockwork scenes flock --set starling.separation.weight=2 > mine.toml
      a scene to edit, here with a key overridden; run it with --scene mine.toml

`flockwork help COMMAND` tells what a command takes. `flockwork help run` lists the keys.";

const KEYS: &str = "\
In the window:
  left press     what the scene's `click` says: calls the flock, makes a new path, lets those that
                 seek flee, moves the nearest target or obstacle, adds an agent
  left drag with D or Shift held
                 drops new agents; 1 to 9 choose their species
  right drag     pans
  wheel          zooms
  Home           shows the whole world again
  Space          pauses, and goes on
  .              pauses and does one tick; held down, tick after tick
  R              goes back to the first state
  Ctrl+Z, Ctrl+Y
                 undoes and redoes the last edit: parameters, new agents, what was moved
  E              switches between GPU and CPU
  G              shows the geometry of steering: of the agent under the pointer, of all (up to 64),
                 of none
  Tab            shows and hides the sliders
  H              shows more in the overlay (times of the passes, metrics and the course of the
                 polarisation), then nothing, then one line again
  F11            full screen
  Esc            quits

Without a display it simulates --frames ticks (300 by default), draws the last into flockwork.png
and says so.";

const BENCHES: &str = "\
Examples:
  flockwork bench --count 200000
      one table: time of a tick, and of its passes, on each engine
  flockwork bench --counts 10000,100000,1000000 --densities 10,30,100 --plot speed.svg
      nine tables, a summary, and a picture of them
  flockwork bench --state flocked --count 200000
      after the flocks have formed; --state clumped: all in a hundredth of the world
  flockwork bench --scene benches/scenes/one-point.toml --count 1000000 --ticks 5
      a whole flock that starts at one point; one-row.toml, seek-one-point.toml: other crowds

A figure says nothing without its number of neighbours, which grows while flocks form: compare
runs of the same scene, density, state and ticks. After Ctrl-C what has been measured is printed
and written.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show a flock in a window (what happens without a command)
    #[command(after_help = KEYS)]
    Run(RunArgs),
    /// Draw frames to files, without a window: PNG, GIF, APNG or MP4 (needs ffmpeg)
    Capture(CaptureArgs),
    /// Write the state of every agent, and figures of the flock, to files
    Simulate(SimulateArgs),
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
