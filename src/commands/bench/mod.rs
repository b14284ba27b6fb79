//! `flockwork bench`: times both engines on one flock, in one run, pass by pass.
//!
//! All engines start from the same state and take turns, a batch of ticks each, so that noise of
//! the machine affects all of them. The device is synchronised before the clock is read.
//! Compilation and the first ticks are not counted. Several ranks time one flock together.

mod agreement;
mod args;
pub mod document;
mod measure;
mod plot;
pub mod report;
mod shares;
mod system;

pub use self::args::{BenchArgs, BenchEngine, BenchFlockArgs, StartState};

use self::document::{Adapter, Document};
use self::measure::Named;
use self::plot::BenchPage;
use self::report::{Report, summary};
use super::charts::PlotFile;
use super::files::output::OutputFile;
use super::files::scene_files::{check_inputs, read_scene, tell_idle};
use super::host::drive::forewarn;
use super::host::errors::{Interrupted, UsageError, wrong};
use super::host::interrupt::Interrupt;
use super::host::memory_check;
use super::host::messages::{note, say, tell};
use super::host::options::{EngineArg, MachineArgs};
use super::host::ranks;
use flockwork_engine::EngineError;
use flockwork_model::io::RunRecord;
use flockwork_model::scene::{Request, Scene};

/// Runs the command. After Ctrl-C, or if an engine or stdout fails, it still prints and writes the
/// measured results.
pub fn bench(args: &BenchArgs) -> anyhow::Result<()> {
    // Invalid arguments must fail before anything is timed.
    ranks::agree(args.check())?;
    // A pipe may never give the scene: until it is read, the first Ctrl-C ends the program.
    let scene = read_scene(&args.flock.scene, &args.flock.overrides);
    let scene = ranks::agree(scene.and_then(|scene| args.flock.check(&scene).map(|()| scene)))?;
    let interrupt = Interrupt::watch();
    ranks::agree(check_files(args))?;
    let BenchFlockArgs { overrides, density, seed, .. } = &args.flock;
    tell_idle(overrides, !density.is_empty(), seed.is_some());
    let mut reports = Vec::new();
    let mut printer =
        Printer { is_needed: args.json.is_none() && args.plot.is_none(), fault: None };
    let mut adapter = None;
    let outcome = bench_all(args, &scene, &interrupt, &mut printer, &mut reports, &mut adapter);
    let summed_up = match reports.len() {
        0 | 1 => Ok(()),
        _ => printer.say(&summary(&reports)),
    };
    let kept = match reports.len() {
        0 => Ok(String::new()),
        _ => write_files(args, &reports, adapter),
    };
    // After an error on one rank the others may be anywhere.
    let kept = if outcome.is_ok() { ranks::agree(kept)? } else { kept? };
    if !outcome? {
        let wanted = args.flock.count.len().max(1) * args.flock.densities().len();
        let whole = reports.iter().filter(|report| report.ticks == report.ticks_asked).count();
        let part = if whole < reports.len() { ", one more in part" } else { "" };
        let kept = match reports.len() {
            0 => "nothing has been measured or written".into(),
            _ if kept.is_empty() => format!("tables done: {whole} of {wanted}{part}"),
            _ => format!("tables done: {whole} of {wanted}{part}; {kept}"),
        };
        return Err(Interrupted { kept }.into());
    }
    summed_up?;
    match printer.fault {
        Some(fault) => Err(anyhow::anyhow!("{fault:#}; the results are in {kept}")),
        None => Ok(()),
    }
}

/// Prints results until printing fails.
struct Printer {
    /// False if files hold everything that is printed: then an error of stdout must not stop the
    /// work.
    is_needed: bool,
    fault: Option<anyhow::Error>,
}

impl Printer {
    fn say(&mut self, text: &str) -> anyhow::Result<()> {
        if self.fault.is_some() {
            return Ok(());
        }
        match say(text) {
            Err(fault) if !self.is_needed => {
                note(&format!("{fault:#}; continuing for --json and --plot"));
                self.fault = Some(fault);
                Ok(())
            }
            done => done,
        }
    }
}

fn check_files(args: &BenchArgs) -> anyhow::Result<()> {
    if !ranks::is_root() {
        return Ok(());
    }
    let files = [("--json", args.json.clone()), ("--plot", args.plot.clone())];
    let files = files.into_iter().filter_map(|(option, path)| Some((option, path?)));
    check_inputs(files, &args.flock.scene, None)?;
    args.plot.as_deref().map(PlotFile::create).transpose()?;
    let json = args.json.as_deref().map(OutputFile::create).transpose()?;
    match (json, &args.plot) {
        (Some(json), Some(path)) if json.has_name(path) => Err(wrong(format!(
            "--plot {}: --json is the same file; choose another",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// Writes the requested files. Returns their names for a message. If one file fails, the other is
/// still written.
fn write_files(
    args: &BenchArgs,
    reports: &[Report],
    adapter: Option<Adapter>,
) -> anyhow::Result<String> {
    if !ranks::is_root() {
        return Ok(String::new());
    }
    let plot = args
        .plot
        .as_deref()
        .map(|path| PlotFile::create(path)?.write(&BenchPage::new(reports)))
        .transpose();
    let json = args.json.as_deref().map(|path| {
        let document = serde_json::to_vec_pretty(&Document::of(reports, adapter))?;
        Ok::<_, anyhow::Error>(OutputFile::create(path)?.publish_whole(&document)?)
    });
    json.transpose()?;
    plot?;
    let names = args.json.iter().chain(&args.plot).map(|path| path.display().to_string());
    Ok(names.collect::<Vec<_>>().join(", "))
}

/// Measures every count and density in turn. False if interrupted.
fn bench_all(
    args: &BenchArgs,
    scene: &Scene,
    interrupt: &Interrupt,
    printer: &mut Printer,
    reports: &mut Vec<Report>,
    adapter: &mut Option<Adapter>,
) -> anyhow::Result<bool> {
    ranks::keep_borders(args.keep_borders);
    let mut engines;
    (engines, *adapter) = open_all(args, scene)?;
    ranks::same("the scene", &format!("{scene:?}"))?;
    let gpu = match adapter {
        Some(Adapter { name, backend, driver, driver_version, .. }) => {
            format!("{name}, {backend}, {driver} {driver_version}")
        }
        None => "GPU engine not timed".into(),
    };
    let mut head = format!("flockwork {}, {gpu}\n\n", env!("CARGO_PKG_VERSION"));
    for count in args.flock.counts(scene) {
        for density in args.flock.densities() {
            let report = bench_one(args, &mut engines, scene.clone(), (count, density), interrupt)?;
            let Some(report) = report else { return Ok(false) };
            let text = std::mem::take(&mut head) + &report.to_string();
            reports.push(report);
            printer.say(&text)?;
            if ranks::any(interrupt.is_raised()) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn bench_one(
    args: &BenchArgs,
    engines: &mut [Named],
    scene: Scene,
    (count, density): (u64, Option<f32>),
    interrupt: &Interrupt,
) -> anyhow::Result<Option<Report>> {
    if ranks::any(interrupt.is_raised()) {
        return Ok(None);
    }
    let (state_name, plain) = (args.flock.state_name(&scene, count), scene.clone());
    let request = Request { count: Some(count), density, seed: args.flock.seed };
    let room =
        memory_check::check(&scene, &request, engines.iter().map(|(_, engine)| engine.as_ref()));
    ranks::agree(room)?;
    let (layout, rows) = (args.flock.layout(), ranks::own_rows(count));
    let made = interrupt
        .unless_raised("making the flock", move || scene.populate_as(&request, layout, |_| rows));
    if ranks::any(made.is_none()) {
        return Ok(None);
    }
    let Some(made) = made else { return Ok(None) };
    let (scene, mut state) = ranks::agree(made.map_err(Into::into))?;
    forewarn(&scene, &state);
    let asked = Report {
        scene: scene.name.clone(),
        processes: ranks::ranks().map_or(1, |ranks| ranks.size()),
        seed: scene.seed,
        processor: system::processor(),
        state: state_name,
        settle_ticks: args.flock.settle_ticks(),
        density,
        ticks_asked: args.ticks,
        run: RunRecord::new(&plain, &request, scene.world.size, &args.flock.overrides),
        ..Report::default()
    };
    if asked.settle_ticks > 0 {
        let settled = measure::settle(engines, &scene, state, asked.settle_ticks, interrupt);
        let Some(settled) = settled.map_err(own_words)? else { return Ok(None) };
        state = settled;
    }
    measure::measure(engines, &scene, state, asked, interrupt).map_err(own_words)
}

/// An error, perhaps the user's, with the option named as in this command.
fn own_words(error: impl Into<anyhow::Error>) -> anyhow::Error {
    let error = error.into();
    let sentence = format!("{error:#}").replace("--engine ", "--engines ");
    if error.is::<UsageError>() { wrong(sentence) } else { anyhow::anyhow!(sentence) }
}

/// Opens the engines, if they can take all counts of the scene. Also returns the adapter of the
/// GPU engine. All ranks must ask together, and fail together.
fn open_all(args: &BenchArgs, scene: &Scene) -> anyhow::Result<(Vec<Named>, Option<Adapter>)> {
    let wanted = match (args.engines.is_empty(), ranks::ranks()) {
        (false, _) => args.engines.clone(),
        (true, Some(_)) => vec![BenchEngine::Cpu],
        (true, None) => vec![BenchEngine::Gpu, BenchEngine::Cpu, BenchEngine::Cpu1],
    };
    let lacks = |engine| !wanted.contains(&engine);
    if args.adapter.is_some() && lacks(BenchEngine::Gpu) {
        note("--adapter has no effect on the CPU engine");
    }
    if args.threads.is_some() && lacks(BenchEngine::Cpu) {
        let engine = if lacks(BenchEngine::Cpu1) { "the GPU engine" } else { "cpu1" };
        note(&format!("--threads has no effect on {engine}"));
    }
    let mut engines: Vec<Named> = Vec::new();
    let mut adapter = None;
    for which in wanted {
        let (engine, named, threads) = match which {
            BenchEngine::Gpu => (EngineArg::Gpu, args.adapter.clone(), None),
            BenchEngine::Cpu => (EngineArg::Cpu, None, args.threads),
            BenchEngine::Cpu1 => (EngineArg::Cpu, None, Some(1)),
        };
        let machine = MachineArgs { engine, adapter: named, threads };
        let machine = match machine.open() {
            // The GPU was not requested by name, so the table says that it is missing.
            Err(error)
                if matches!(error.downcast_ref(), Some(EngineError::NoAdapter(_)))
                    && args.engines.is_empty()
                    && args.adapter.is_none() =>
            {
                tell(&format!("{:#}. Timing the CPU engine alone.", own_words(error)));
                continue;
            }
            opened => ranks::agree(opened.map_err(own_words))?,
        };
        adapter = adapter.or(machine.gpu.as_deref().map(Adapter::of));
        engines.push((which.label(), machine.engine));
    }
    let counts = args.flock.counts(scene);
    let mut all = counts.iter().flat_map(|count| engines.iter().map(move |e| (count, e)));
    let fits = all
        .try_for_each(|(count, (_, engine))| engine.check_count(scene, *count).map_err(own_words));
    ranks::agree(fits)?;
    Ok((engines, adapter))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::args::tests::parsed;
    use super::*;
    use crate::commands::host::drive::tests::Straight;

    /// A bench of engines whose ticks take 6 ms, longer than a sample.
    fn interrupted(stop_after: Option<u64>) -> Option<Report> {
        let args = parsed("--count 200 --ticks 20");
        let scene = read_scene("flock", &["world.boundary=open".into()]).unwrap();
        let interrupt = Interrupt::default();
        let straight = |stop_after| Straight {
            interrupt: interrupt.clone(),
            stop_after,
            sleeps: Duration::from_millis(6),
            ..Straight::default()
        };
        let mut engines: Vec<Named> =
            vec![("gpu", Box::new(straight(stop_after))), ("cpu", Box::new(straight(None)))];
        bench_one(&args, &mut engines, scene, (200, None), &interrupt).unwrap()
    }

    #[test]
    fn an_interrupted_bench_reports_what_it_has_done() {
        let whole = interrupted(None).unwrap();
        assert_eq!((whole.ticks, whole.ticks_asked, whole.ticks_a_sample), (20, 20, 1));
        assert_eq!(whole.agreements.len(), 1);
        // Twenty ticks take 120 ms: too short.
        assert!(whole.runs > 1 && whole.fewest_samples() == 20 * whole.runs as usize);
        // 1 + 10 ticks are not timed; the first engine does one more than the second.
        let part = interrupted(Some(11 + 16)).unwrap();
        assert_eq!((part.ticks, part.ticks_asked), (15, 20));
        assert!(part.agreements.is_empty(), "one engine is ahead of the other");
        assert!(part.to_string().contains("interrupted after 15 of 20 ticks"), "{part}");
        assert!(interrupted(Some(5)).is_none());
        // Interrupted in the second run, so none of it counts.
        for stop_after in [31 + 5, 31 + 11 + 5] {
            let first = interrupted(Some(stop_after)).unwrap();
            assert_eq!((first.ticks, first.runs, first.agreements.len()), (20, 1, 1));
            assert!(first.rows.iter().all(|row| row.samples == 20));
        }
    }
}
