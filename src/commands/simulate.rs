//! `flockwork simulate`: states and metrics to files.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{ArgGroup, Args};
use indicatif::ProgressBar;

use super::files::checkpoints::{Checkpoints, Every, check_apart, latest, write_portions};
use super::files::metrics_file::{MetricsFile, MetricsThread};
use super::files::output_folder::names_folder;
use super::files::scene_files::{check_flow, check_inputs};
use super::files::state_files::{StateWriter, ran_on, replaced};
use super::host::arg_parsers::{selection, whole};
use super::host::beginning::{Beginning, Span};
use super::host::drive::{self, DrivenSession, Host, Outcome, Stop, drive};
use super::host::errors::{Interrupted, wrong};
use super::host::interrupt::Interrupt;
use super::host::memory_check;
use super::host::messages::{note, say, shown};
use super::host::options::{FlockArgs, Machine, MachineArgs, Prepared};
use super::host::progress::progress;
use super::host::ranks;
use flockwork_engine::Snapshot;
use flockwork_model::statistics::{Selection, Unwrapping};
use flockwork_view::words::{counted, size_text};

/// Its arguments.
#[derive(Clone, Debug, Args)]
#[command(group = ArgGroup::new("outputs").args(["out", "metrics", "checkpoint"]).required(true).multiple(true))]
pub struct SimulateArgs {
    #[command(flatten)]
    pub flock: FlockArgs,
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Ticks to simulate
    #[arg(long, value_name = "T", required_unless_present = "until", conflicts_with = "until", value_parser = whole::<u64>(0..=u64::MAX), allow_negative_numbers = true)]
    pub ticks: Option<u64>,
    /// Tick of the flock at which the run ends, in place of --ticks: with --init fewer ticks are left
    #[arg(long, value_name = "TICK", value_parser = whole::<u64>(0..=u64::MAX), allow_negative_numbers = true)]
    pub until: Option<u64>,
    /// Ticks between written states, from tick 0 on [default: T]
    #[arg(long, value_name = "E", requires = "out", value_parser = whole::<u64>(1..=u64::MAX), allow_negative_numbers = true)]
    pub every: Option<u64>,
    /// File for the state of every agent: at tick 0, every E ticks and the last tick. A name without an
    /// ending is a folder, with a PLY file a tick for 3D programs
    #[arg(long, value_name = "FILE.csv|.npz|DIR")]
    pub out: Option<PathBuf>,
    /// Write how often agents have crossed each edge of a wrapped world since the file began: the columns
    /// image_x, image_y and image_z, or the array image. An agent has come to position + image × size
    #[arg(long, requires = "out")]
    pub unwrap: bool,
    /// File for metrics of the flock, one row per tick; works with or without --out
    #[arg(long, value_name = "FILE.csv")]
    pub metrics: Option<PathBuf>,
    /// Metrics in place of the usual ones, in this order: polarisation,clusters; one species alone:
    /// starling.polarisation [all: docs/formats.md]
    #[arg(long, value_name = "NAME[,NAME…]", requires = "metrics", value_parser = selection)]
    pub metric: Option<Selection>,
    /// Ticks between rows of metrics, from tick 0 on; the last tick has a row too
    #[arg(long, value_name = "E", requires = "metrics", default_value_t = 1, value_parser = whole::<u64>(1..=u64::MAX), allow_negative_numbers = true)]
    pub metrics_every: u64,
    /// Folder for checkpoints. The same command goes on from the latest, the only one kept, on any
    /// number of processes; so does --init DIR
    #[arg(long, value_name = "DIR")]
    pub checkpoint: Option<PathBuf>,
    /// Ticks or time between checkpoints: 5000, 30s, 10m, 2h; the end of the run is one too
    #[arg(long, value_name = "E|Ts|Tm|Th", requires = "checkpoint", default_value = "10m")]
    pub every_checkpoint: Every,
}

impl SimulateArgs {
    /// Ticks between states.
    fn states_every(&self, span: Span) -> u64 {
        self.every.unwrap_or(span.before + span.ticks)
    }

    /// Follows the agents, if the output says how far they come.
    fn unwrapping(&self, begun: &Prepared) -> anyhow::Result<Option<Unwrapping>> {
        let measured = self.metric.as_ref().is_some_and(Selection::needs_travels);
        if self.unwrap && self.out.as_deref().is_some_and(names_folder) {
            return Err(wrong("--unwrap: a folder of PLY files has no images; write .npz or .csv"));
        }
        let option = if self.unwrap { "--unwrap" } else { "--metric mean_square_displacement" };
        let own = (self.unwrap || measured)
            .then(|| Unwrapping::new(&begun.scene, &begun.state))
            .transpose();
        own.map_err(|problem| wrong(format!("{option}: {problem}")))
    }
}

/// Runs the command on a machine, which is opened once it is certain that the files can be written.
///
/// States are written at ticks 0, E, 2E, … and T, counted from the first state's tick. After Ctrl-C
/// the files end with the current tick, as if `--ticks` had been smaller.
pub fn simulate(
    args: &SimulateArgs,
    machine: impl FnOnce() -> anyhow::Result<Machine>,
) -> anyhow::Result<()> {
    ranks::agree(args.flock.read_ahead())?;
    let interrupt = Interrupt::watch();
    let (out, metrics) = (args.out.as_deref(), args.metrics.as_deref());
    let folder = args.checkpoint.as_deref();
    let outputs = [("--out", out), ("--metrics", metrics)];
    let outputs = outputs.into_iter().filter_map(|(option, path)| Some((option, path?)));
    if let Some(folder) = folder {
        let apart = outputs.clone().try_for_each(|output| check_apart(output, folder));
        ranks::agree(apart)?;
    }
    // Asked before a folder is created.
    let missing = outputs.clone().find(|(_, path)| !path.exists());
    let written = outputs.flat_map(|(option, path)| replaced(path).map(move |path| (option, path)));
    let written: Vec<_> = written.collect();
    // A folder without a checkpoint is refused later.
    let (scene, init) = (args.flock.scene_name(), args.flock.init.as_deref());
    let init = init.and_then(|init| latest(init).ok());
    ranks::agree(check_inputs(written.clone(), scene, init.as_deref()))?;
    // Output that cannot be written must fail before anything is simulated.
    let chosen = args.metric.clone().unwrap_or_default();
    let mut files = ranks::agree(RunFiles::create(out, metrics, &chosen))?;
    let Machine { engine, gpu } = ranks::agree(machine())?;
    let begun = ranks::agree(Beginning::new(&args.flock, folder, engine.as_ref()))?;
    ranks::agree(check_flow(written, &begun.prepared.scene, scene))?;
    let fitting = chosen.check(&begun.prepared.scene);
    ranks::agree(fitting.map_err(|problem| wrong(format!("--metric: {problem}"))))?;
    let unwrapping = ranks::agree(args.unwrapping(&begun.prepared))?;
    begun.prepared.compare()?;
    let span = ranks::agree(begun.span(args.ticks, args.until))?;
    if ranks::agree(begun.is_complete(span, args.until.is_some(), missing))? {
        return Ok(());
    }
    let init = args.flock.init.as_deref();
    let record = ran_on(begun.prepared.record(), engine.kind(), gpu.as_deref(), init);
    let first = begun.prepared.state.tick;
    if let Some(Ok(states)) = &mut files.states {
        let every = args.states_every(span);
        states.describe(record.clone())?;
        states
            .check(first, |tick| tick - first <= span.ticks && span.is_due(every, tick - first))?;
    }
    if let Some(Ok(metrics)) = &mut files.metrics {
        metrics.describe(&record)?;
    }
    let folder = folder.filter(|_| ranks::is_root());
    let keeper =
        folder.map(|folder| Checkpoints::create(folder, record, begun.checkpoint.as_deref()));
    let keeper = ranks::agree(keeper.transpose())?;
    ranks::agree(begun.set_outputs_aside([out, metrics], unwrapping.is_some()))?;
    let Prepared { scene, state, agents, .. } = begun.prepared;
    if args.metrics.is_some() && ranks::is_root() {
        let follows = unwrapping.is_some();
        memory_check::check_metrics(&scene, agents as usize, follows, engine.as_ref())?;
    }
    drive::forewarn(&scene, &state);
    let mut run = ranks::agree(drive::load(engine, &scene, &state).map_err(Into::into))?;
    drop(state);
    let outcome =
        write_run(&mut run, args, (agents, span), (&mut files, keeper, unwrapping), &interrupt)?;
    let sizes = ranks::agree(files.publish(out, metrics))?;
    outcome.tell();
    let Outcome { ticks, stepping, .. } = outcome;
    let each = if ticks == 0 { 0.0 } else { stepping.as_secs_f64() * 1e3 / ticks as f64 };
    let engine = run.engine().describe();
    let shares = run
        .engine()
        .distributed()
        .map(|own| ranks::summary(&own.load_balance()))
        .unwrap_or_default();
    let (agents, did) = (counted(agents, "agent"), counted(ticks, "tick"));
    say(&format!("{agents}, {did} on {engine}, {each:.3} ms/tick; {sizes}\n{shares}"))?;
    if ticks < span.ticks {
        let kept = format!("ticks done and kept: {ticks} of {}; {sizes}", span.ticks);
        return Err(Interrupted { kept }.into());
    }
    Ok(())
}

/// The output files; of several ranks, the first has them. A file that cannot be written does not end
/// the others: its error stands in its place until all are published.
struct RunFiles {
    /// Of `--out`.
    states: Option<anyhow::Result<StateWriter>>,
    /// Of `--metrics`.
    metrics: Option<anyhow::Result<MetricsFile>>,
    /// The checkpoint of the end: its tick, the file, and its folder, which is removed after the file if it is empty.
    checkpoint: Option<(u64, anyhow::Result<StateWriter>, Checkpoints)>,
}

impl RunFiles {
    /// Checks that the files can be written, and begins them. `metrics`: its file has the `chosen` ones.
    fn create(
        out: Option<&Path>,
        metrics: Option<&Path>,
        chosen: &Selection,
    ) -> anyhow::Result<Self> {
        if !ranks::is_root() {
            return Ok(Self { states: None, metrics: None, checkpoint: None });
        }
        let states = out.map(StateWriter::create).transpose()?;
        let metrics = metrics.map(|path| MetricsFile::create(path, out, chosen.clone()));
        let metrics = metrics.transpose()?.map(Ok);
        Ok(Self { states: states.map(Ok), metrics, checkpoint: None })
    }

    /// Renames the files into place, and the checkpoint of the end if all are. Returns their names and sizes for
    /// display. If one file cannot be written, the other still is, and the error lists what was written.
    fn publish(self, out: Option<&Path>, metrics: Option<&Path>) -> anyhow::Result<String> {
        let mut kept = Vec::new();
        if let (Some(states), Some(path)) = (self.states, out) {
            kept.push((path.to_path_buf(), states.and_then(StateWriter::finish)));
        }
        if let (Some(metrics), Some(path)) = (self.metrics, metrics) {
            kept.push((path.to_path_buf(), metrics.and_then(MetricsFile::publish)));
        }
        // With a checkpoint of its end a run is complete. Without all files it is not, and goes on.
        let is_whole = kept.iter().all(|(_, size)| size.is_ok());
        if let Some((tick, file, mut keeper)) = self.checkpoint.filter(|_| is_whole) {
            kept.push((keeper.name(tick), keeper.finish(tick, file)));
        }
        let mut written = Vec::new();
        let mut faults = Vec::new();
        for (path, size) in kept {
            match size {
                Ok(size) => written.push(format!("{} ({})", shown(&path), size_text(size))),
                Err(fault) => faults.push(format!("{fault:#}")),
            }
        }
        let are = if written.len() == 1 { "is" } else { "are" };
        let written = written.join(", ");
        if faults.is_empty() {
            return Ok(written);
        }
        if !written.is_empty() {
            faults.push(format!("{written} {are} complete"));
        }
        Err(anyhow::anyhow!(faults.join("; ")))
    }
}

/// Runs all ticks, or fewer if interrupted, and writes the due states and metrics.
fn write_run(
    run: &mut DrivenSession,
    args: &SimulateArgs,
    (agents, span): (u64, Span),
    (files, keeper, unwrapping): (&mut RunFiles, Option<Checkpoints>, Option<Unwrapping>),
    interrupt: &Interrupt,
) -> anyhow::Result<Outcome> {
    let metrics = files.metrics.take().transpose()?;
    let metrics = metrics.map(|file| MetricsThread::start(file, run.scene(), agents as usize));
    let mut log = Outputs {
        states: args.out.is_some().then(|| args.states_every(span)),
        metrics: args.metrics.is_some().then_some(args.metrics_every),
        checkpoints: args.checkpoint.is_some().then_some(args.every_checkpoint),
        checked: Instant::now(),
        keeper,
        files,
        measuring: metrics.transpose()?,
        unwrapping,
        has_images: args.unwrap,
        span,
        bar: progress(span.ticks, "ticks"),
    };
    let outcome = drive(run, &mut log, span.ticks, interrupt)?;
    log.bar.finish_and_clear();
    log.files.metrics = log.measuring.map(MetricsThread::finish);
    Ok(outcome)
}

/// The output and its ticks: every E ticks from 0 on, and the last.
struct Outputs<'a> {
    /// Ticks between states, and between metrics.
    states: Option<u64>,
    metrics: Option<u64>,
    checkpoints: Option<Every>,
    /// When the last one was written.
    checked: Instant,
    keeper: Option<Checkpoints>,
    files: &'a mut RunFiles,
    measuring: Option<MetricsThread>,
    unwrapping: Option<Unwrapping>,
    /// Whether the states say how far agents have come; metrics may need it without.
    has_images: bool,
    span: Span,
    bar: ProgressBar,
}

impl Host for Outputs<'_> {
    fn next_stop(&self, done: u64) -> u64 {
        let next = |every: u64| done.saturating_add(every - (self.span.before + done) % every);
        let checkpoint = self.checkpoints.map(|every| every.next_stop(done));
        let every = [self.states, self.metrics].into_iter().flatten().filter(|every| *every > 0);
        let look = self.unwrapping.as_ref().map(|own| own.next_look(done));
        every.map(next).chain(checkpoint).chain(look).fold(self.span.ticks, u64::min)
    }

    fn ticked(&mut self, ticks: u64) {
        self.bar.inc(ticks);
    }

    /// Writes the due output. False once none can be written.
    fn show(&mut self, run: &mut DrivenSession, stop: Stop) -> anyhow::Result<bool> {
        let span = self.span;
        let due = |every: u64| stop.last || span.is_due(every, stop.done);
        if self.checkpoints.is_some_and(|every| every.is_due(stop, self.checked)) {
            self.write_checkpoint(run, stop.last)?;
        }
        let states = self.states.is_some_and(due);
        let mut measured = self.measuring.is_some();
        if self.metrics.is_some_and(due) {
            // Metrics need the whole flock.
            let Snapshot { state, targets } = run.snapshot()?;
            let travels = self.unwrapping.as_mut().map(|own| own.look(0, &state).to_vec());
            let travels = travels.unwrap_or_default();
            let images = if self.has_images { &travels[..] } else { &[] };
            if let Some(writer) = self.states().filter(|_| states) {
                let written = writer.write_portion(&state, images, true, &targets);
                self.keep(written);
            }
            measured = self.measuring.as_mut().is_some_and(|metrics| metrics.write(state, travels));
        } else if states || self.unwrapping.as_ref().is_some_and(|own| own.is_due(stop.done)) {
            let writer = self.files.states.as_mut().filter(|_| states);
            let writer = writer.and_then(|writer| writer.as_mut().ok());
            let written = write_portions(run, writer, self.unwrapping.as_mut(), self.has_images)?;
            self.keep(written);
        }
        let others = self.checkpoints.is_some() || !ranks::is_root();
        Ok(measured || others || self.states().is_some())
    }
}

impl Outputs<'_> {
    /// The writer of states, unless that has failed.
    fn states(&mut self) -> Option<&mut StateWriter> {
        self.files.states.as_mut()?.as_mut().ok()
    }

    /// Keeps the error of the writer of states in its place.
    fn keep(&mut self, written: anyhow::Result<()>) {
        if let (Some(writer), Err(error)) = (&mut self.files.states, written) {
            *writer = Err(error);
        }
    }

    /// Writes a checkpoint. If that fails, the run goes on. The `last` one is published after the files.
    fn write_checkpoint(&mut self, run: &mut DrivenSession, last: bool) -> anyhow::Result<()> {
        let tick = run.tick();
        let mut file = self.keeper.as_ref().map(|keeper| keeper.begin(tick));
        let writer = file.as_mut().and_then(|file| file.as_mut().ok());
        let written = write_portions(run, writer, None, false)?;
        if let (Some(mut keeper), Some(file)) = (self.keeper.take(), file) {
            let written = written.and(file);
            if last {
                self.files.checkpoint = Some((tick, written, keeper));
            } else {
                if let Err(error) = keeper.finish(tick, written) {
                    note(&format!("{error:#}"));
                }
                self.keeper = Some(keeper);
            }
        }
        self.checked = Instant::now();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::host::arg_parsers::arguments;

    #[test]
    fn something_must_be_written() {
        let parsed = |line: &str| arguments::<SimulateArgs>(line.split(' ')).is_ok();
        assert!(parsed("s --ticks 1 --out a.csv") && parsed("s --ticks 1 --metrics a.csv"));
        assert!(!parsed("s --ticks 1"));
        assert!(parsed("s --until 1 --out a.csv") && !parsed("s --out a.csv"));
        assert!(!parsed("s --ticks 1 --until 1 --out a.csv"), "which of both?");
        assert!(!parsed("s --ticks 1 --metrics a.csv --every 2"), "of what?");
        assert!(!parsed("s --ticks 1 --out a.csv --metrics-every 2"), "of what?");
    }
}
