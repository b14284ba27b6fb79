//! `flockwork bench`: both engines timed on one flock, in one run, pass by pass.
//!
//! All engines start from the same state and take the same ticks in turn, a batch each, so that a
//! noisy machine is noisy for all of them. The device is synchronised before the clock is read;
//! compilation and the first ticks are left out.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use indicatif::ProgressBar;

use super::advance::progress;
use super::bench_report::{Agreement, Report, Row};
use super::options;
use super::output::{OutputFile, say};
use crate::engine::cpu::CpuEngine;
use crate::engine::gpu::{AdapterChoice, Gpu, GpuEngine};
use crate::engine::{Engine, EngineError, Profile};
use crate::model::scene::{Request, Scene};
use crate::model::state::FlockState;
use crate::model::statistics::Metrics;

/// Ticks before the clock starts: caches and clocks settle, agents leave their first order.
const WARM_UP: u32 = 10;
/// Ticks whose passes are timed after the run.
const PROFILED: u32 = 10;
/// A sample is at least this long, so that submitting and waiting do not count.
const SHORTEST_SAMPLE: Duration = Duration::from_millis(5);
/// Samples wanted at least, for a 95th percentile.
const SAMPLES: u32 = 20;

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
    /// Ticks to time, after the warm-up
    #[arg(long, value_name = "T", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub ticks: u32,
    /// Engines, in the order of the table [default: gpu,cpu,cpu1; no gpu where there is none]
    #[arg(long, value_enum, value_delimiter = ',')]
    pub engines: Vec<BenchEngine>,
    /// Write the figures as JSON too
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// Which flock, for `bench`: several counts are allowed.
#[derive(Clone, Debug, Args)]
pub struct BenchFlockArgs {
    /// A built-in scene, or the path of a scene file
    #[arg(long, value_name = "NAME|FILE", default_value = "flock")]
    pub scene: String,
    /// Numbers of agents; one table each
    #[arg(
        long, value_name = "N[,N…]", value_delimiter = ',', default_value = "200000",
        value_parser = options::count, allow_negative_numbers = true
    )]
    pub count: Vec<u64>,
    /// Seed of the random numbers [default: the scene's]
    #[arg(long, value_name = "S")]
    pub seed: Option<u32>,
    /// Mean neighbours within the largest radius; the world grows to fit [default: the scene's]
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub density: Option<f32>,
    /// Override a scene key, as in --set starling.separation.weight=2; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
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

/// An engine under test and what has been measured of it.
struct Contestant {
    label: &'static str,
    engine: Box<dyn Engine>,
    /// Milliseconds a tick, one for each sample.
    samples: Vec<f64>,
    after_one_tick: FlockState,
}

/// Runs the command.
pub fn bench(args: &BenchArgs) -> anyhow::Result<()> {
    // What cannot be written must fail before anything is timed.
    if let Some(path) = &args.json {
        OutputFile::create(path)?;
    }
    let mut reports = Vec::new();
    for count in &args.flock.count {
        let report = bench_count(args, *count)?;
        say(&format!("{report}"))?;
        reports.push(report);
    }
    if let Some(path) = &args.json {
        let mut file = OutputFile::create(path)?;
        serde_json::to_writer_pretty(&mut file, &reports)?;
        file.keep()?;
    }
    Ok(())
}

fn open_all(args: &BenchArgs) -> anyhow::Result<Vec<(&'static str, Box<dyn Engine>)>> {
    let wanted = if args.engines.is_empty() {
        vec![BenchEngine::Gpu, BenchEngine::Cpu, BenchEngine::Cpu1]
    } else {
        args.engines.clone()
    };
    let mut engines: Vec<(&'static str, Box<dyn Engine>)> = Vec::new();
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

fn bench_count(args: &BenchArgs, count: u64) -> anyhow::Result<Report> {
    let mut scene = options::read_scene(&args.flock.scene, &args.flock.overrides)?;
    let request =
        Request { count: Some(count), density: args.flock.density, seed: args.flock.seed };
    let engines = open_all(args)?;
    for (_, engine) in &engines {
        engine.check_count(count)?;
    }
    let state = scene.populate(&request)?;
    let mut contestants = Vec::new();
    for (label, mut engine) in engines {
        engine.load(&scene, &state)?;
        engine.step(1)?;
        engine.finish()?;
        let after_one_tick = engine.read_back()?;
        contestants.push(Contestant { label, engine, samples: Vec::new(), after_one_tick });
    }
    let bar = progress(u64::from(args.ticks), "ticks");
    run_in_turn(&mut contestants, args.ticks, &bar)?;
    bar.finish_and_clear();
    report(args, &scene, &state, contestants)
}

/// The warm-up, then `ticks` ticks of every engine in turn, a batch each.
fn run_in_turn(
    contestants: &mut [Contestant],
    ticks: u32,
    bar: &ProgressBar,
) -> Result<(), EngineError> {
    let mut slowest = Duration::ZERO;
    let mut fastest = Duration::MAX;
    for contestant in contestants.iter_mut() {
        let begin = Instant::now();
        contestant.engine.step(WARM_UP)?;
        contestant.engine.finish()?;
        slowest = slowest.max(begin.elapsed() / WARM_UP);
        fastest = fastest.min(begin.elapsed() / WARM_UP);
    }
    // One length of batch for all, so that all are at the same tick when it is each one's turn.
    let wanted = SHORTEST_SAMPLE.as_nanos().div_ceil(fastest.as_nanos().max(1)) as u32;
    let batch = wanted.clamp(1, (ticks / SAMPLES).max(1));
    let mut done = 0;
    while done < ticks {
        let now = batch.min(ticks - done);
        for contestant in contestants.iter_mut() {
            let begin = Instant::now();
            contestant.engine.step(now)?;
            contestant.engine.finish()?;
            contestant.samples.push(begin.elapsed().as_secs_f64() * 1e3 / f64::from(now));
        }
        done += now;
        bar.set_position(done.into());
    }
    Ok(())
}

fn report(
    args: &BenchArgs,
    scene: &Scene,
    start: &FlockState,
    mut contestants: Vec<Contestant>,
) -> anyhow::Result<Report> {
    let mut after_the_run = Vec::new();
    for contestant in &mut contestants {
        after_the_run.push(contestant.engine.read_back()?);
    }
    let first = Metrics::of(scene, start);
    let Some(last) = after_the_run.first().map(|state| Metrics::of(scene, state)) else {
        anyhow::bail!("--engines: name at least one engine");
    };
    let mut agreements = Vec::new();
    for (contestant, state) in contestants.iter().zip(&after_the_run).skip(1) {
        agreements.push(Agreement {
            engines: [contestants[0].label, contestant.label],
            after_one_tick: deviation(
                scene,
                &contestants[0].after_one_tick,
                &contestant.after_one_tick,
            ),
            after_the_run: deviation(scene, &after_the_run[0], state),
        });
    }
    let mut rows = Vec::new();
    for contestant in &mut contestants {
        let profile = profile(contestant.engine.as_mut())?;
        let describe = contestant.engine.describe();
        rows.push(Row::new(contestant.label, describe, &contestant.samples, &profile, start.len()));
    }
    Ok(Report {
        scene: scene.name.clone(),
        agents: start.len(),
        seed: scene.seed,
        ticks: args.ticks,
        ticks_before_the_end: args.ticks.saturating_add(1 + WARM_UP),
        uniform_neighbours: scene.uniform_neighbours(start.len()),
        mean_neighbours: [first.mean_neighbours, last.mean_neighbours],
        largest_cell: [first.largest_cell, last.largest_cell],
        sampled_agents: last.sampled_agents,
        rows,
        agreements,
    })
}

/// The mean over some ticks, one at a time: an engine may measure only a part of many at once.
fn profile(engine: &mut dyn Engine) -> Result<Profile, EngineError> {
    let mut sum = Profile::default();
    engine.set_profiling(true);
    for _ in 0..PROFILED {
        engine.step(1)?;
        engine.finish()?;
        let tick = engine.profile();
        if sum.passes.is_empty() {
            sum = tick;
        } else {
            for (total, pass) in sum.passes.iter_mut().zip(tick.passes) {
                total.time += pass.time;
            }
        }
    }
    sum.passes.iter_mut().for_each(|pass| pass.time /= PROFILED);
    Ok(sum)
}

/// Median and largest distance between the same agents of two states; world units.
fn deviation(scene: &Scene, a: &FlockState, b: &FlockState) -> [f64; 2] {
    let between = |(p, q): (&crate::model::vector::Point, &crate::model::vector::Point)| {
        let difference = crate::model::vector::Vector { x: p.x - q.x, y: p.y - q.y };
        f64::from(scene.world.shortest(difference).length())
    };
    let mut distances: Vec<f64> = a.position.iter().zip(&b.position).map(between).collect();
    distances.sort_by(f64::total_cmp);
    [distances[distances.len() / 2], distances[distances.len() - 1]]
}
