//! `flockwork simulate`: states and figures to files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::advance::Pace;
use super::interrupt::{Interrupt, Interrupted};
use super::options::{FlockArgs, MachineArgs};
use super::output::{OutputFile, counted, say, size_text};
use super::progress::progress;
use super::state_file::StateWriter;
use super::usage::{whole, wrong};
use crate::engine::Engine;
use crate::model::scene::Scene;
use crate::model::state::FlockState;
use crate::model::statistics::{COLUMNS, Metrics};

/// Its arguments.
#[derive(Clone, Debug, Args)]
pub struct SimulateArgs {
    /// Which flock.
    #[command(flatten)]
    pub flock: FlockArgs,
    /// On what.
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Ticks to simulate
    #[arg(long, value_name = "T", value_parser = whole::<u64>(0..=u64::MAX), allow_negative_numbers = true)]
    pub ticks: u64,
    /// Ticks from one written state to the next, from tick 0 on [default: T]
    #[arg(long, value_name = "E", value_parser = whole::<u64>(1..=u64::MAX), allow_negative_numbers = true)]
    pub every: Option<u64>,
    /// State of every agent, at tick 0, every E ticks and at the end
    #[arg(long, value_name = "FILE.csv|.npz")]
    pub out: PathBuf,
    /// Figures of the flock, one row every tick
    #[arg(long, value_name = "FILE.csv")]
    pub metrics: Option<PathBuf>,
}

/// Runs the command.
///
/// States are written at ticks 0, E, 2E, … and T, counted from the first state's tick. On Ctrl-C
/// the files end with the tick reached, as if `--ticks` had asked for no more.
pub fn simulate(args: &SimulateArgs) -> anyhow::Result<()> {
    let interrupt = Interrupt::listen();
    // What cannot be written must fail before anything is simulated.
    let mut files = Files::create(args)?;
    let mut engine = args.machine.open()?.engine;
    let (scene, state) = args.flock.prepare(Some(engine.as_ref()))?;
    let run = run(engine.as_mut(), &scene, state, args, &mut files, interrupt)?;
    let sizes = files.keep(args)?;
    let Run { agents, ticks, stepping } = run;
    let each = if ticks == 0 { 0.0 } else { stepping.as_secs_f64() * 1e3 / ticks as f64 };
    let engine = engine.describe();
    let (agents, did) = (counted(agents as u64, "agent"), counted(ticks, "tick"));
    say(&format!("{agents}, {did} on {engine}, {each:.3} ms/tick; {sizes}\n"))?;
    if ticks < args.ticks {
        let kept = format!("ticks done and kept: {ticks} of {}; {sizes}", args.ticks);
        return Err(Interrupted { kept }.into());
    }
    Ok(())
}

/// What is written.
struct Files {
    states: StateWriter,
    metrics: Option<csv::Writer<OutputFile>>,
}

impl Files {
    fn create(args: &SimulateArgs) -> anyhow::Result<Self> {
        let states = StateWriter::create(&args.out)?;
        let metrics = args.metrics.as_deref().map(|path| metrics_file(path, &args.out));
        Ok(Self { states, metrics: metrics.transpose()? })
    }

    /// Gives the files their names. Returns their names and sizes for people.
    fn keep(self, args: &SimulateArgs) -> anyhow::Result<String> {
        let size = self.states.finish()?;
        let mut text = format!("{} ({})", args.out.display(), size_text(size));
        if let (Some(writer), Some(path)) = (self.metrics, &args.metrics) {
            // The writer's own error holds the writer; only the cause is of use.
            let file = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
            text += &format!(", {} ({})", path.display(), size_text(file.keep()?));
        }
        Ok(text)
    }
}

fn metrics_file(path: &Path, out: &Path) -> anyhow::Result<csv::Writer<OutputFile>> {
    if path.extension().is_none_or(|e| !e.eq_ignore_ascii_case("csv")) {
        let problem = format!("--metrics {}: the figures are written as NAME.csv", path.display());
        return Err(wrong(problem));
    }
    let file = OutputFile::create(path)?;
    if file.has_name(out) {
        let problem =
            format!("--metrics {}: --out is the same file; choose another", path.display());
        return Err(wrong(problem));
    }
    let mut writer = csv::Writer::from_writer(file);
    writer.write_record(COLUMNS)?;
    Ok(writer)
}

/// What a run came to.
struct Run {
    agents: usize,
    ticks: u64,
    stepping: Duration,
}

fn run(
    engine: &mut dyn Engine,
    scene: &Scene,
    state: FlockState,
    args: &SimulateArgs,
    files: &mut Files,
    interrupt: Interrupt,
) -> anyhow::Result<Run> {
    let every = args.every.unwrap_or(args.ticks).max(1);
    let agents = state.len();
    engine.load(scene, &state)?;
    write(&state, scene, files, true)?;
    drop(state);

    let bar = progress(args.ticks, "ticks");
    let mut pace = Pace::new(interrupt);
    let mut done = 0;
    while done < args.ticks && !pace.is_interrupted() {
        let to_next = (every - done % every).min(args.ticks - done);
        // Figures are wanted of every tick.
        let portion = if files.metrics.is_some() { 1 } else { to_next };
        done += pace.advance(engine, portion, |ticks| bar.inc(ticks))?;
        let whole = done % every == 0 || done == args.ticks || pace.is_interrupted();
        if whole || files.metrics.is_some() {
            write(&engine.read_back()?, scene, files, whole)?;
        }
    }
    bar.finish_and_clear();
    Ok(Run { agents, ticks: done, stepping: pace.stepping })
}

/// Writes the figures of a tick, and its state if it is due.
fn write(state: &FlockState, scene: &Scene, files: &mut Files, due: bool) -> anyhow::Result<()> {
    if due {
        files.states.write(state)?;
    }
    if let Some(metrics) = &mut files.metrics {
        metrics.write_record(Metrics::of(scene, state).row())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::commands::advance::tests::Straight;
    use crate::commands::state_file::read_state;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: SimulateArgs,
    }

    fn simulated(options: &str, stop_after: Option<u64>) -> (tempfile::TempDir, Run) {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let mut words = vec!["simulate".to_string(), "--out".into(), path("states.csv")];
        words.extend(["--metrics".to_string(), path("metrics.csv")]);
        words.extend(options.split_whitespace().map(str::to_string));
        let args = Line::parse_from(words).args;
        let mut files = Files::create(&args).unwrap();
        let (scene, state) = args.flock.prepare(None).unwrap();
        let interrupt = Interrupt::default();
        let mut engine =
            Straight { stop_after, interrupt: interrupt.clone(), ..Straight::default() };
        let run = run(&mut engine, &scene, state, &args, &mut files, interrupt).unwrap();
        files.keep(&args).unwrap();
        (folder, run)
    }

    /// First column of a CSV file, repetitions left out.
    fn ticks(folder: &tempfile::TempDir, name: &str) -> Vec<u64> {
        let mut reader = csv::Reader::from_path(folder.path().join(name)).unwrap();
        let rows = reader.records().map(|row| row.unwrap()[0].parse().unwrap());
        let mut ticks: Vec<u64> = rows.collect();
        ticks.dedup();
        ticks
    }

    #[test]
    fn states_are_written_at_every_multiple_and_at_the_end() {
        let (folder, run) = simulated("--ticks 10 --every 4 --set world.boundary=open", None);
        assert_eq!(run.ticks, 10);
        assert_eq!(ticks(&folder, "states.csv"), [0, 4, 8, 10]);
        assert_eq!(ticks(&folder, "metrics.csv"), (0..=10).collect::<Vec<u64>>());
        let (folder, _) = simulated("--ticks 7", None);
        assert_eq!(ticks(&folder, "states.csv"), [0, 7]);
        let (folder, _) = simulated("--ticks 0", None);
        assert_eq!(ticks(&folder, "states.csv"), [0]);
        assert_eq!(ticks(&folder, "metrics.csv"), [0]);
    }

    #[test]
    fn an_interrupted_run_is_that_of_fewer_ticks() {
        let (folder, run) = simulated("--ticks 1000 --every 4", Some(6));
        assert_eq!(run.ticks, 6);
        assert_eq!(ticks(&folder, "states.csv"), [0, 4, 6]);
        assert_eq!(ticks(&folder, "metrics.csv"), (0..=6).collect::<Vec<u64>>());
    }

    #[test]
    fn a_run_goes_on_where_another_ended() {
        let options = "--count 50 --set world.boundary=open";
        let (first, _) = simulated(&format!("{options} --ticks 5"), None);
        let path = first.path().join("states.csv");
        let again = format!("{options} --ticks 5 --init {}", path.display());
        let (second, _) = simulated(&again, None);
        assert_eq!(ticks(&second, "states.csv"), [5, 10]);
        let (whole, _) = simulated(&format!("{options} --ticks 10"), None);
        let scene = crate::commands::options::read_scene("flock", &["world.boundary=open".into()]);
        let scene = scene.unwrap();
        let last = |folder: &tempfile::TempDir| {
            read_state(&folder.path().join("states.csv"), &scene).unwrap()
        };
        assert_eq!(last(&second), last(&whole));
    }
}
