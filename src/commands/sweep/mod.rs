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
mod single;
mod vary;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Context;

pub use self::args::SweepArgs;
pub use self::single::SingleRuns;

use self::one_run::Worker;
use self::plan::SweepPlan;
use self::plot::{Curves, Reference};
use self::results::RunResult;
use self::runs::{Sweep, SweepRun};
use super::charts::PlotFile;
use super::files::output::{OutputError, check_place, whole};
use super::files::scene_files::tell_idle;
use super::host::errors::{Interrupted, wrong};
use super::host::interrupt::Interrupt;
use super::host::messages::{note, say, shown};
use super::host::options::Machine;
use super::host::progress::progress;
use flockwork_model::quote::listed;
use flockwork_view::words::counted;

/// With a flock of more agents, runs go one after another, on all threads each.
const LARGE_FLOCK: u64 = 100_000;

/// Small flocks in flight on one GPU: while one waits for its copy, another moves.
const JOBS_ON_GPU: usize = 4;

/// Runs the command.
pub fn sweep(args: &SweepArgs) -> anyhow::Result<()> {
    let file = args.file.as_deref().map(SweepPlan::read).transpose()?.unwrap_or_default();
    let mut sweep = Sweep::new(file.overridden_by(args.plan.clone())?)?;
    // A scene from a pipe is read now: before, the first Ctrl-C ends the program.
    let interrupt = Interrupt::watch();
    let SweepPlan { set, density, seed, .. } = &sweep.plan;
    tell_idle(set, density.is_some(), seed.is_some());
    let is_chosen = args.chosen(sweep.len(), sweep.flocks())?;
    let chosen = sweep.runs(&is_chosen);
    sweep.learn(&chosen, &interrupt)?;
    if args.list {
        let out = args.out.as_deref();
        let is_done = |run: SweepRun| out.is_some_and(|out| is_done(out, &sweep, run));
        let line = |run: &SweepRun| results::line(&sweep, *run, is_done(*run)) + "\n";
        return say(&chosen.iter().map(line).collect::<String>());
    }
    let out = args.out()?;
    let table = out.join(results::TABLE);
    let is_table = |path: &PathBuf| whole(path) == whole(&table);
    let read = [("--values", &sweep.plan.values), ("--reference", &args.reference)];
    if let Some((option, _)) = read.iter().find(|(_, path)| path.as_ref().is_some_and(is_table)) {
        let problem = format!("it would replace {}, which {option} reads", table.display());
        return Err(wrong(format!("--out: {problem}; choose another name")));
    }
    let reference = match &args.reference {
        Some(path) => plot::read_reference(path, &sweep)
            .with_context(|| format!("--reference {}", path.display()))?,
        None => Reference::default(),
    };
    args.plot.as_ref().map_or(Ok(()), |_| plot::check(&sweep))?;
    create(out, args.collect)?;
    let plot = args.plot.as_deref().map(PlotFile::create).transpose()?;
    let (there, left): (Vec<SweepRun>, Vec<SweepRun>) =
        chosen.iter().partition(|run| is_done(out, &sweep, **run));
    let wanted = if args.collect { &[] } else { &left[..] };
    let computed = compute(args, &sweep, wanted, out, &interrupt);
    // Also after an error: the results that are there are not lost.
    let collected = collect(args, &mut sweep, out, plot, &reference, &interrupt);
    let computed = computed?;
    let (results, is_whole) = collected?;
    report(args, &sweep, (&results, is_whole), [there.len(), computed])?;
    // The part that ends last leaves the table out after a signal.
    let is_cut = interrupt.is_raised() && !is_whole && !args.collect;
    if computed < wanted.len() || is_cut {
        let of = counted_runs(chosen.len());
        let kept = format!("{} of {of} are there; the same command goes on", results.len());
        return Err(Interrupted { kept }.into());
    }
    let failed = results.iter().filter_map(|(run, result)| Some((run, result.failure.as_ref()?)));
    let failed: Vec<_> = failed.filter(|(run, _)| is_chosen(run.number)).collect();
    match failed.first() {
        Some((run, failure)) => {
            let (number, of) = (failed.len(), counted_runs(chosen.len()));
            Err(anyhow::anyhow!("{number} of {of} failed; {}: {failure}", sweep.place(**run)))
        }
        None => Ok(()),
    }
}

/// The results of all runs if they are there, else of what is; and true if all are. Writes the table and the plot
/// then, or when asked to.
fn collect(
    args: &SweepArgs,
    sweep: &mut Sweep,
    out: &Path,
    plot: Option<PlotFile>,
    reference: &Reference,
    interrupt: &Interrupt,
) -> anyhow::Result<(Vec<(SweepRun, RunResult)>, bool)> {
    // A part of many does not read all of them, unless it may be the last. Nor does one that was stopped.
    let is_last = !interrupt.is_raised() && results::count(out) >= sweep.len();
    let may_be_whole = args.collect || is_last;
    let chosen = args.chosen(sweep.len(), sweep.flocks())?;
    let runs = sweep.runs(|number| may_be_whole || chosen(number));
    sweep.learn(&runs, interrupt)?;
    let read = |run: SweepRun| Some((run, results::read(out, sweep, run)?));
    let results: Vec<_> = runs.into_iter().filter_map(read).collect();
    let is_whole = results.len() == sweep.len();
    if is_whole || args.collect {
        anyhow::ensure!(
            !results.is_empty(),
            "--collect: {} has no result of this plan",
            out.display()
        );
        // Where all runs failed, their reasons say more than a plot without curves.
        let has_curves = results.iter().any(|(_, result)| result.failure.is_none());
        let plot = plot.filter(|_| has_curves || args.collect);
        // If one cannot be written, the other still may be.
        let tables = results::collect(out, sweep, &results);
        let plotted = plot.map(|plot| plot.write(&Curves::new(sweep, &results, reference)?));
        tables.and(plotted.unwrap_or(Ok(())))?;
    }
    Ok((results, is_whole))
}

fn counted_runs(number: usize) -> String {
    counted(number as u64, "run")
}

/// True if a run needs no other try.
fn is_done(out: &Path, sweep: &Sweep, run: SweepRun) -> bool {
    results::read(out, sweep, run).is_some_and(|result| result.failure.is_none())
}

/// Creates the folder of the results, unless it is there or must be. Several processes may share it.
fn create(out: &Path, must_be: bool) -> anyhow::Result<()> {
    check_place(out)?;
    if !out.is_dir() {
        if out.exists() || out.is_symlink() {
            return Err(OutputError::new(out, "that is no folder; name another one").into());
        }
        if must_be {
            return Err(wrong(format!("--collect: there is no folder {}", out.display())));
        }
        std::fs::create_dir_all(out).map_err(|error| OutputError::of_system(out, &error))?;
    }
    for name in [results::TABLE, results::ARRAYS] {
        let file = out.join(name);
        if file.is_dir() {
            return Err(OutputError::new(&file, "that is a folder; name another --out").into());
        }
    }
    Ok(())
}

/// Computes the runs, several at once. Returns how many there are: fewer after Ctrl-C.
fn compute(
    args: &SweepArgs,
    sweep: &Sweep,
    runs: &[SweepRun],
    out: &Path,
    interrupt: &Interrupt,
) -> anyhow::Result<usize> {
    if runs.is_empty() {
        return Ok(0);
    }
    let Machine { gpu, .. } = args.machine.open()?;
    let largest = runs.iter().map(|run| sweep.agents(*run)).max().unwrap_or(0);
    let threads = args.machine.threads.map_or_else(rayon::current_num_threads, |own| own as usize);
    let by_itself = match gpu {
        _ if largest > LARGE_FLOCK => 1,
        Some(_) => JOBS_ON_GPU,
        None => threads,
    };
    let groups = sweep.groups(runs);
    let jobs = args.jobs.map_or(by_itself, |jobs| jobs as usize).min(groups.len());
    let bar = progress(sweep.plan.ticks().saturating_mul(runs.len() as u64), "ticks");
    let (next, written, fault) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(None));
    let work = || {
        let mut worker = Worker::new(gpu.clone(), (threads / jobs).max(1));
        while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
            // A run cannot go on from one that failed.
            let mut failure = None;
            for run in group {
                let result = match &failure {
                    Some(failure) => Some(RunResult::failed(String::clone(failure))),
                    None => worker.run(sweep, *run, &bar, interrupt),
                };
                let Some(result) = result else { return };
                if sweep.flocks().is_some() && failure.is_none() {
                    let place = |reason| format!("{}: {reason}", sweep.place(*run));
                    failure = result.failure.as_ref().map(place);
                }
                if let Err(error) = results::write(out, sweep, *run, &result) {
                    // The next runs could not be written either, so no worker takes one.
                    next.store(groups.len(), Ordering::Relaxed);
                    if let Ok(mut fault) = fault.lock() {
                        *fault = Some(error);
                    }
                    return;
                }
                written.fetch_add(1, Ordering::Relaxed);
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

/// Says what was done, and how far the results can be trusted. `is_whole`: all runs have one. So many runs were
/// there `before`, and so many were `computed`.
fn report(
    args: &SweepArgs,
    sweep: &Sweep,
    (results, is_whole): (&[(SweepRun, RunResult)], bool),
    [before, computed]: [usize; 2],
) -> anyhow::Result<()> {
    let out = args.out()?;
    let mut text = format!("{}: {computed} computed", counted_runs(sweep.len()));
    if before > 0 {
        text += &format!(", {before} there before");
    }
    if is_whole || args.collect {
        let table = out.join(results::TABLE);
        text += &format!("; {} ({})", shown(&table), counted(results.len() as u64, "row"));
    } else {
        let plot = if args.plot.is_some() { " and the plot come" } else { " comes" };
        text += &format!("; {}{plot} with the last", results::TABLE);
    }
    say(&(text + "\n"))?;
    let others = results::count(out).saturating_sub(sweep.len());
    if others > 0 && is_whole {
        let others = counted(others as u64, "result");
        note(&format!("{}: {others} of other plans; they stay as they are", out.display()));
    }
    let mut versions: Vec<&str> = results.iter().map(|(_, own)| own.version.as_str()).collect();
    versions.sort_unstable();
    versions.dedup();
    if versions.len() > 1 {
        note(&format!("the results are of different versions: {}", versions.join(", ")));
    }
    let metrics = sweep.plan.metrics();
    let all = results.iter().map(|(_, own)| own.short(&metrics));
    let of_runs: Vec<Vec<&str>> = all.filter(|own| !own.is_empty()).collect();
    let is_short = |name: &&&str| of_runs.iter().any(|own| own.contains(*name));
    let short: Vec<&str> = metrics.iter().filter(is_short).copied().collect();
    let runs = of_runs.len();
    if runs > 0 {
        note(&format!(
            "{runs} of {} too short to settle or to tell the error of {}: it is a lower bound \
                 there; raise --ticks",
            if results.len() == 1 {
                "1 run is".into()
            } else {
                format!("{} runs are", results.len())
            },
            listed(&short)
        ));
    }
    Ok(())
}
