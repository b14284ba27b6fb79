//! The command line: what can be asked for, and the help that teaches it.

use clap::{Parser, Subcommand};

use flockwork::commands::bench::BenchArgs;
use flockwork::commands::capture::CaptureArgs;
use flockwork::commands::run::RunArgs;
use flockwork::commands::simulate::SimulateArgs;

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

const KEYS: &str = "\
In the window:
  left press     what the scene's `click` says: calls the flock, makes a new path, makes seekers
                 flee, moves the nearest target or obstacle, or adds an agent
  left drag with D or Shift held
                 drops new agents; 1 to 9 choose their species
  P              draws a path: click or drag; Enter ends it, Esc lets it be
  W              paints walls
  right drag     pans; in space it goes round the focus, and Shift or the middle button pans
  wheel          zooms; in space it goes nearer
  Home           shows the whole world again
  V              writes the present view into the scene
  Space          pauses and resumes
  . ,            pauses and runs one tick, or goes back one; hold it for more
  Left, Right    a second back or forward; hold it for more
  End            the last tick reached
  - +            slower and faster: 1/4 to 64 ticks a frame, or as fast as it goes
  T              the timeline, to drag to any tick; marks are edits. An edit in the past cuts what
                 came after it
  J              asks for a tick to go to
  R              goes back to the start; Ctrl+Z undoes that
  O              the scene menu: a name, a word, or the path of a scene file
  PageUp, PageDown
                 the previous, the next built-in scene
  Ctrl+N         a new scene
  Ctrl+S         saves the scene to a new file in the current folder
  Ctrl+Shift+S   saves the session, with every edit and click, for --replay
  Ctrl+Shift+O   opens the edits that the last window has kept because they were in no file
  Ctrl+C, Ctrl+V
                 copies the scene as text, and opens the scene that was copied
  Ctrl+Shift+C   copies a command line that shows the scene
  Ctrl+Z, Ctrl+Shift+Z
                 undoes and redoes the last edit: parameters, agents, moved things, resets, scenes
  E              switches between GPU and CPU
  G              shows the geometry of steering: of the agent under the pointer, then of all (up
                 to 64), then of none
  Ctrl + click   inspects an agent: facts, and the force of each behaviour as an arrow
  F              the camera follows the inspected agent, or no longer
  B              in space the camera rides behind it, or no longer
  Down           goes into the parameters if they are shown: Tab goes on, Esc leaves them
  Tab            shows and hides the parameters
  M              figures over time, histograms, times of frames and ticks
  Ctrl+M         saves the figures to a new CSV file in the current folder
  H              shows more in the overlay (time of each pass, metrics with a graph of the
                 polarisation), then nothing, then one line again
  F1             a card of all keys
  F11            full screen
  Ctrl+, Ctrl-, Ctrl+0
                 larger, smaller, usual panels and words
  F9             starts and ends a film in the current folder (MP4, or APNG without ffmpeg)
  Shift+F9       the same with every frame: the flock waits for the film
  F12            saves a picture to a new PNG file in the current folder
  Esc            closes what is open, the topmost first; the window stays
  Ctrl+Q         quits

Without a display it simulates --frames ticks (300 by default) and draws the last one to
flockwork.png.";

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

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show a flock in a window (the default command)
    #[command(after_help = KEYS)]
    Run(RunArgs),
    /// Draw frames to files, without a window: PNG, GIF, APNG or MP4 (needs ffmpeg)
    Capture(CaptureArgs),
    /// Write the state of every agent, and metrics of the flock, to files
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
