//! `flockwork bench`: both engines timed on one flock, in one run, pass by pass.
//!
//! All engines start from the same state and take the same ticks in turn, a batch each, so that a
//! noisy machine is noisy for all of them. The device is synchronised before the clock is read;
//! compilation and the first ticks are left out.

mod axis;
mod chart;
mod drawing;
mod measure;
mod plot;
mod processor;
pub mod report;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use self::measure::{Labels, Named};
use self::plot::PlotFile;
use self::report::{Report, Summary};
use super::options;
use super::output::{Interrupt, Interrupted, OutputFile, say};
use crate::engine::cpu::CpuEngine;
use crate::engine::gpu::{AdapterChoice, Gpu, GpuEngine};
use crate::engine::{Engine, EngineError};
use crate::model::scene::{Layout, PopulateError, Request, Scene};

/// Ticks in which flocks have formed. (From 10 mean neighbours the scene `flock` comes to 29 in 100
/// ticks and changes slowly after 1,000.)
const SETTLED: u64 = 1000;
/// A larger flock gets fewer ticks: as many agent-ticks as this, seconds to minutes of a CPU.
const AFFORDABLE: u64 = 1_000_000_000;
/// However large it is, flocks should have begun to form.
const BEGUN: u64 = 100;

/// Its arguments.
#[derive(Clone, Debug, Args)]
pub struct BenchArgs {
    /// Which flock.
    #[command(flatten)]
    pub flock: BenchFlockArgs,
    /// Which GPU: part of its name, or its number in `flockwork adapters`
    #[arg(long, value_name = "NAME|INDEX")]
    pub adapter: Option<AdapterChoice>,
    /// Threads of the CPU engine [default: one a core]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,
    /// Ticks to time, after the warm-up; the figures are medians of at least 5 samples from 5 on
    #[arg(long, value_name = "T", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub ticks: u32,
    /// Engines, in the order of the table [default: gpu,cpu,cpu1; no gpu where there is none]
    #[arg(long, value_enum, value_delimiter = ',')]
    pub engines: Vec<BenchEngine>,
    /// Write the figures as JSON too
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Draw them too: time per agent against the count, and the passes of each engine
    #[arg(long, value_name = "FILE.svg|.png")]
    pub plot: Option<PathBuf>,
}

/// Which flock, for `bench`: several counts and densities are allowed.
#[derive(Clone, Debug, Args)]
pub struct BenchFlockArgs {
    /// A built-in scene, or the path of a scene file
    #[arg(long, value_name = "NAME|FILE", default_value = "flock")]
    pub scene: String,
    /// Numbers of agents; one table for each of them and each density
    #[arg(
        long, visible_alias = "counts", value_name = "N[,N…]", value_delimiter = ',',
        default_value = "200000", value_parser = options::count, allow_negative_numbers = true
    )]
    pub count: Vec<u64>,
    /// Seed of the random numbers [default: the scene's]
    #[arg(long, value_name = "S")]
    pub seed: Option<u32>,
    /// Mean neighbours within the largest radius; the world grows to fit [default: the scene's]
    #[arg(
        long,
        visible_alias = "densities",
        value_name = "K[,K…]",
        value_delimiter = ',',
        allow_negative_numbers = true
    )]
    pub density: Vec<f32>,
    /// How the flock starts [default: as the scene says; `flock` starts uniform]
    #[arg(long, value_enum)]
    pub state: Option<StartState>,
    /// Ticks between the start and the measurement, on the fastest engine [default: for flocked
    /// 1000, fewer if the largest count is above a million; else 0]
    #[arg(long, value_name = "T")]
    pub settle: Option<u64>,
    /// Override a scene key, as in --set starling.separation.weight=2; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
}

/// How a flock starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StartState {
    /// At random places all over the world
    Uniform,
    /// The same after --settle ticks, in which flocks form
    Flocked,
    /// In a square in the middle that has 1 % of the world's area
    Clumped,
}

/// An engine to time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchEngine {
    /// The GPU
    Gpu,
    /// The CPU on all cores
    Cpu,
    /// The CPU on one core
    Cpu1,
}

impl BenchEngine {
    fn label(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Cpu => "cpu",
            Self::Cpu1 => "cpu1",
        }
    }
}

impl BenchFlockArgs {
    /// The densities asked for; one that says nothing stands for the scene's own.
    fn densities(&self) -> Vec<Option<f32>> {
        if self.density.is_empty() {
            return vec![None];
        }
        self.density.iter().copied().map(Some).collect()
    }

    /// Ticks between the start and the measurement; the same for all counts, whose figures would
    /// not compare otherwise.
    fn settle_ticks(&self) -> u64 {
        let largest = self.count.iter().copied().max().unwrap_or(1).max(1);
        let formed = match self.state {
            Some(StartState::Flocked) => (AFFORDABLE / largest).clamp(BEGUN, SETTLED),
            _ => 0,
        };
        self.settle.unwrap_or(formed)
    }

    fn layout(&self) -> Layout {
        match self.state {
            None => Layout::AsWritten,
            Some(StartState::Uniform | StartState::Flocked) => Layout::Even,
            Some(StartState::Clumped) => Layout::Clump,
        }
    }

    /// The start's name in reports.
    fn state_name(&self, scene: &Scene, count: u64) -> &'static str {
        match self.state {
            Some(StartState::Uniform) => "uniform",
            Some(StartState::Flocked) => "flocked",
            Some(StartState::Clumped) => "clumped",
            None if scene.starts_evenly(count) => "uniform",
            None => "scene",
        }
    }

    /// Refuses densities that no count could have: before the first of many is timed.
    fn check_densities(&self, scene: &Scene) -> Result<(), PopulateError> {
        for density in &self.density {
            let request = Request { count: Some(1), density: Some(*density), ..Request::default() };
            let refused = scene.clone().populate(&request).err();
            if let Some(error @ (PopulateError::Density { .. } | PopulateError::DeafFlock { .. })) =
                refused
            {
                return Err(error);
            }
        }
        Ok(())
    }
}

/// Runs the command. On Ctrl-C, or when an engine fails, what has been measured is printed and
/// written all the same.
pub fn bench(args: &BenchArgs) -> anyhow::Result<()> {
    let interrupt = Interrupt::listen();
    // What cannot be written must fail before anything is timed.
    check_files(args)?;
    let mut reports = Vec::new();
    let outcome = bench_all(args, &interrupt, &mut reports);
    if reports.len() > 1 {
        say(&format!("{}", Summary(&reports)))?;
    }
    let kept = if reports.is_empty() { String::new() } else { write_files(args, &reports)? };
    if !outcome? {
        let wanted = args.flock.count.len() * args.flock.densities().len();
        let kept = format!("{} of {wanted} tables are done{kept}", reports.len());
        return Err(Interrupted { kept }.into());
    }
    Ok(())
}

fn check_files(args: &BenchArgs) -> anyhow::Result<()> {
    let plot = args.plot.as_deref().map(PlotFile::create).transpose()?;
    let json = args.json.as_deref().map(OutputFile::create).transpose()?;
    if let (Some(json), Some(path)) = (json, &args.plot)
        && plot.is_some()
        && json.has_name(path)
    {
        anyhow::bail!("--plot {}: --json is the same file; choose another", path.display());
    }
    Ok(())
}

/// Writes what was asked for; the names, for a message.
fn write_files(args: &BenchArgs, reports: &[Report]) -> anyhow::Result<String> {
    let mut names = String::new();
    if let Some(path) = &args.json {
        let mut file = OutputFile::create(path)?;
        serde_json::to_writer_pretty(&mut file, reports)?;
        file.keep()?;
        names += &format!(", {}", path.display());
    }
    if let Some(path) = &args.plot {
        PlotFile::create(path)?.write(reports)?;
        names += &format!(", {}", path.display());
    }
    Ok(names)
}

/// Every count and density in turn. False when interrupted.
fn bench_all(
    args: &BenchArgs,
    interrupt: &Interrupt,
    reports: &mut Vec<Report>,
) -> anyhow::Result<bool> {
    let scene = options::read_scene(&args.flock.scene, &args.flock.overrides)?;
    args.flock.check_densities(&scene)?;
    let mut engines = open_all(args)?;
    for (count, (_, engine)) in
        args.flock.count.iter().flat_map(|count| engines.iter().map(move |named| (count, named)))
    {
        engine.check_count(*count)?;
    }
    for count in &args.flock.count {
        for density in args.flock.densities() {
            let report =
                bench_one(args, &mut engines, scene.clone(), (*count, density), interrupt)?;
            let Some(report) = report else { return Ok(false) };
            say(&format!("{report}"))?;
            let whole = report.ticks == report.ticks_asked;
            reports.push(report);
            if !whole {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn bench_one(
    args: &BenchArgs,
    engines: &mut [Named],
    mut scene: Scene,
    (count, density): (u64, Option<f32>),
    interrupt: &Interrupt,
) -> anyhow::Result<Option<Report>> {
    if interrupt.is_raised() {
        return Ok(None);
    }
    let labels = Labels {
        processor: processor::processor(),
        state: args.flock.state_name(&scene, count),
        settle_ticks: args.flock.settle_ticks(),
        density,
    };
    let request = Request { count: Some(count), density, seed: args.flock.seed };
    let mut state = scene.populate_as(&request, args.flock.layout())?;
    if labels.settle_ticks > 0 {
        let settled = measure::settle(engines, &scene, state, labels.settle_ticks, interrupt)?;
        let Some(settled) = settled else { return Ok(None) };
        state = settled;
    }
    Ok(measure::measure(engines, &scene, &state, args.ticks, labels, interrupt)?)
}

fn open_all(args: &BenchArgs) -> anyhow::Result<Vec<Named>> {
    let wanted = if args.engines.is_empty() {
        vec![BenchEngine::Gpu, BenchEngine::Cpu, BenchEngine::Cpu1]
    } else {
        args.engines.clone()
    };
    let mut engines: Vec<Named> = Vec::new();
    for which in wanted {
        let engine: Box<dyn Engine> = match which {
            BenchEngine::Gpu => match Gpu::open(&args.adapter.clone().unwrap_or_default()) {
                Ok(gpu) => Box::new(GpuEngine::new(gpu)),
                // Nobody asked for the GPU by name: the table says that it is missing.
                Err(EngineError::NoAdapter(why))
                    if args.engines.is_empty() && args.adapter.is_none() =>
                {
                    eprintln!("{why}. Timing the CPU engine alone.");
                    continue;
                }
                Err(error) => return Err(error.into()),
            },
            BenchEngine::Cpu => Box::new(CpuEngine::new(args.threads.map(|t| t as usize))?),
            BenchEngine::Cpu1 => Box::new(CpuEngine::new(Some(1))?),
        };
        engines.push((which.label(), engine));
    }
    Ok(engines)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::commands::advance::tests::Straight;
    use crate::model::scene::BuiltIn;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: BenchArgs,
    }

    fn parsed(options: &str) -> BenchArgs {
        Line::parse_from(["bench"].into_iter().chain(options.split_whitespace())).args
    }

    #[test]
    fn lists_have_two_names() {
        let plural = parsed("--counts 10,2000 --densities 10,30.5");
        let singular = parsed("--count 10,2000 --density 10,30.5");
        for args in [plural, singular] {
            assert_eq!(args.flock.count, [10, 2000]);
            assert_eq!(args.flock.densities(), [Some(10.0), Some(30.5)]);
        }
        assert_eq!(parsed("").flock.densities(), [None]);
    }

    #[test]
    fn a_flock_settles_for_a_thousand_ticks_where_that_is_affordable() {
        let ticks = |options: &str| parsed(options).flock.settle_ticks();
        assert_eq!(ticks("--count 1000000"), 0);
        assert_eq!(ticks("--state clumped --settle 7"), 7);
        assert_eq!(ticks("--state flocked --count 10,1000000"), 1000);
        assert_eq!(ticks("--state flocked --count 10,5000000"), 200);
        assert_eq!(ticks("--state flocked --count 100000000"), 100);
        assert_eq!(ticks("--state flocked --settle 3"), 3);
    }

    #[test]
    fn a_density_that_no_flock_can_have_is_refused_at_once() {
        let scene =
            |name: &str| Scene::parse(name, BuiltIn::named(name).unwrap().text, &[]).unwrap();
        let refused =
            |options: &str, name: &str| parsed(options).flock.check_densities(&scene(name));
        assert!(matches!(refused("--density 10,-1", "flock"), Err(PopulateError::Density { .. })));
        assert!(matches!(refused("--density 10", "seek"), Err(PopulateError::DeafFlock { .. })));
        assert_eq!(refused("--density 0.001,10000", "flock"), Ok(()));
    }

    fn interrupted(stop_after: Option<u64>) -> Option<Report> {
        let args = parsed("--count 200 --ticks 40");
        let scene = options::read_scene("flock", &["world.boundary=open".into()]).unwrap();
        let interrupt = Interrupt::default();
        let straight =
            || Straight { interrupt: interrupt.clone(), stop_after, ..Straight::default() };
        let mut engines: Vec<Named> =
            vec![("gpu", Box::new(straight())), ("cpu", Box::new(straight()))];
        bench_one(&args, &mut engines, scene, (200, None), &interrupt).unwrap()
    }

    #[test]
    fn an_interrupted_bench_reports_what_it_has_done() {
        let whole = interrupted(None).unwrap();
        assert_eq!((whole.ticks, whole.ticks_asked), (40, 40));
        assert_eq!(whole.agreements.len(), 1);
        assert!(whole.fewest_samples() >= 20);
        // 1 + 10 ticks are not timed; the first engine does three more batches of 2.
        let part = interrupted(Some(17)).unwrap();
        assert_eq!((part.ticks, part.ticks_asked), (4, 40));
        assert!(part.agreements.is_empty(), "one engine is ahead of the other");
        let text = part.to_string();
        assert!(text.contains("interrupted after 4 of 40 ticks"), "{text}");
        assert!(text.contains("too few to trust"), "{text}");
        assert!(interrupted(Some(5)).is_none());
    }

    #[test]
    fn the_summary_has_a_line_for_each_table() {
        let report = interrupted(None).unwrap();
        let reports = [report.clone(), Report { agents: 5000, ..report }];
        let text = Summary(&reports).to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 6, "{text}");
        assert!(lines[2].ends_with("gpu        cpu"), "{text}");
        assert!(lines[3].contains(" 200 ") && lines[4].contains(" 5000 "), "{text}");
    }
}
