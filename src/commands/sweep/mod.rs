//! `flockwork sweep`: the averages of metrics over many runs, each with other values.
//!
//! A run writes its result into a file of its own, named by a hash of all that decides it. So what is
//! there is never computed twice, and any number of processes may share one folder.

mod args;
mod one_run;
mod plan;
mod plot;
mod results;
mod runs;
mod vary;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

pub use self::args::SweepArgs;

use self::one_run::Worker;
use self::plan::Plan;
use self::plot::{Curves, Reference};
use self::results::RunResult;
use self::runs::{Run, Sweep};
use super::charts::PlotFile;
use super::files::output::OutputError;
use super::host::errors::Interrupted;
use super::host::interrupt::Interrupt;
use super::host::messages::{say, tell};
use super::host::options::Machine;
use super::host::progress::progress;
use flockwork_model::quote::listed;
use flockwork_view::words::counted;

/// Flocks of more agents run one after another, on all threads each.
const LARGE: u64 = 100_000;

/// Small flocks in flight on one GPU: while one waits for its copy, another moves.
const ON_GPU: usize = 4;

/// Runs the command.
pub fn sweep(args: &SweepArgs) -> anyhow::Result<()> {
    let interrupt = Interrupt::watch();
    let file = args.file.as_deref().map(Plan::read).transpose()?.unwrap_or_default();
    let sweep = Sweep::new(file.overridden_by(args.plan.clone()))?;
    let chosen = args.chosen(sweep.runs.len())?;
    let chosen: Vec<&Run> = sweep.runs.iter().filter(|run| chosen(run.number)).collect();
    if args.list {
        let is_done = |run: &Run| args.out.as_ref().is_some_and(|out| done(out, run).is_some());
        let line = |run: &&Run| results::line(run, &sweep.keys, is_done(run)) + "\n";
        return say(&chosen.iter().map(line).collect::<String>());
    }
    let out = args.out()?;
    create(out)?;
    args.plot.as_ref().map_or(Ok(()), |_| plot::check(&sweep))?;
    let plot = args.plot.as_deref().map(PlotFile::create).transpose()?;
    let reference = args.reference.as_deref().map(|path| Reference::read(path, &sweep));
    let reference = reference.transpose()?.unwrap_or_default();
    let others = results::others(out, &sweep);
    if others > 0 {
        let results = counted(others as u64, "result");
        tell(&format!(
            "flockwork: {}: {results} of other plans; they stay as they are",
            out.display()
        ));
    }
    let before: Vec<bool> = chosen.iter().map(|run| done(out, run).is_some()).collect();
    let left: Vec<&Run> =
        chosen.iter().zip(&before).filter(|(_, done)| !**done).map(|(run, _)| *run).collect();
    let wanted = if args.collect { &[] } else { &left[..] };
    let computed = compute(args, &sweep, wanted, out, &interrupt);
    // Also after an error: what is there is not lost.
    let results: Vec<Option<RunResult>> =
        sweep.runs.iter().map(|run| results::read(out, &run.hash)).collect();
    let there = results.iter().flatten().count();
    let is_whole = there == results.len();
    if is_whole || args.collect {
        results::collect(out, &sweep, &results)?;
        if let Some(plot) = plot {
            plot.write(&Curves::new(&sweep, &results, &reference)?)?;
        }
    }
    let computed = computed?;
    report(args, &sweep, &results, [before.iter().filter(|done| **done).count(), computed])?;
    if computed < wanted.len() {
        let kept = format!(
            "{there} of {} are there; the same command goes on",
            counted_runs(results.len())
        );
        return Err(Interrupted { kept }.into());
    }
    let failed = sweep.runs.iter().zip(&results).filter_map(|(run, result)| {
        let failure = result.as_ref()?.failure.as_ref()?;
        Some(format!("run {}: {failure}", run.number))
    });
    let failed: Vec<String> = failed.collect();
    match failed.first() {
        Some(first) => {
            Err(anyhow::anyhow!("{} of {} failed; {first}", failed.len(), counted_runs(there)))
        }
        None => Ok(()),
    }
}

fn counted_runs(number: usize) -> String {
    counted(number as u64, "run")
}

/// The result of a run that needs no other try.
fn done(out: &Path, run: &Run) -> Option<RunResult> {
    results::read(out, &run.hash).filter(|result| result.failure.is_none())
}

/// Creates the folder of the results, unless it is there. Several processes may share it.
fn create(out: &Path) -> anyhow::Result<()> {
    if out.is_file() {
        return Err(OutputError::new(out, "that is a file; name a folder").into());
    }
    std::fs::create_dir_all(out).map_err(|error| OutputError::of_system(out, &error))?;
    Ok(())
}

/// Computes the runs, several at once. Returns how many there are: fewer after Ctrl-C.
fn compute(
    args: &SweepArgs,
    sweep: &Sweep,
    runs: &[&Run],
    out: &Path,
    interrupt: &Interrupt,
) -> anyhow::Result<usize> {
    if runs.is_empty() {
        return Ok(0);
    }
    let Machine { gpu, .. } = args.machine.open()?;
    let agents = runs.iter().filter_map(|run| run.record.as_ref().ok());
    let largest = agents.map(|record| record.count).max().unwrap_or(0);
    let threads = args.machine.threads.map_or_else(rayon::current_num_threads, |own| own as usize);
    let by_itself = match gpu {
        _ if largest > LARGE => 1,
        Some(_) => ON_GPU,
        None => threads,
    };
    let jobs = args.jobs.map_or(by_itself, |jobs| jobs as usize).min(runs.len());
    let bar = progress(sweep.plan.ticks().saturating_mul(runs.len() as u64), "ticks");
    let (next, written, fault) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(None));
    let work = || {
        let mut worker = Worker::new(gpu.clone(), (threads / jobs).max(1));
        while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Some(result) = worker.run(sweep, run, &bar, interrupt) else { return };
            match results::write(out, &run.hash, &result) {
                Ok(()) => drop(written.fetch_add(1, Ordering::Relaxed)),
                Err(error) => {
                    // The next runs could not be written either.
                    next.store(runs.len(), Ordering::Relaxed);
                    if let Ok(mut fault) = fault.lock() {
                        *fault = Some(error);
                    }
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(work);
        }
    });
    bar.finish_and_clear();
    let fault = fault.into_inner().ok().flatten();
    fault.map_or_else(|| Ok(written.into_inner()), Err)
}

/// Says what was done, and which runs are too short.
fn report(
    args: &SweepArgs,
    sweep: &Sweep,
    results: &[Option<RunResult>],
    [before, computed]: [usize; 2],
) -> anyhow::Result<()> {
    let there = results.iter().flatten().count();
    let out = args.out()?;
    let mut text = format!("{}: {computed} computed", counted_runs(sweep.runs.len()));
    if before > 0 {
        text += &format!(", {before} there before");
    }
    if there == results.len() || args.collect {
        let table = out.join(results::TABLE);
        text += &format!("; {} ({})", table.display(), counted(there as u64, "row"));
    } else {
        text += &format!(
            "; {there} of {} are there, {} comes with the last",
            results.len(),
            results::TABLE
        );
    }
    say(&(text + "\n"))?;
    let short = |name: &&str| {
        let averages = results.iter().flatten().filter_map(|result| result.metrics.get(*name));
        averages.into_iter().any(|average| !average.is_long_enough)
    };
    let short: Vec<&str> = sweep.plan.metrics().into_iter().filter(short).collect();
    if !short.is_empty() {
        tell(&format!(
            "flockwork: some runs are too short to tell the error of {}: it is a lower bound there; raise \
             --ticks",
            listed(&short)
        ));
    }
    Ok(())
}
