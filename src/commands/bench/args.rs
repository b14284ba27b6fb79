//! The arguments of `flockwork bench`.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::plot::MAX_DENSITIES;
use crate::commands::host::arg_parsers::{self, scene_name, whole};
use crate::commands::host::errors::wrong;
use crate::commands::host::ranks;
use flockwork_engine::gpu::AdapterChoice;
use flockwork_model::behaviours::Uses;
use flockwork_model::scene::{Request, Scene, StartLayout};

/// Ticks in which flocks form. (The scene `flock` goes from 10 mean neighbours to 29 in 100 ticks
/// and changes slowly after 1,000.)
const SETTLED: u64 = 1000;
/// Larger flocks get fewer ticks: this many agent-ticks in all, which take a CPU seconds to
/// minutes.
const AFFORDABLE: u64 = 1_000_000_000;
/// Fewest ticks for a flock of any size: flocks should have begun to form.
const MIN_TICKS: u64 = 100;

/// Agents, if the user says nothing.
const DEFAULT_COUNT: u64 = 200_000;
/// The same where agents look at everybody: the work grows with the square.
const COUNT_OF_EVERYBODY: u64 = 10_000;

/// Its arguments.
#[derive(Clone, Debug, Args)]
pub struct BenchArgs {
    #[command(flatten)]
    pub flock: BenchFlockArgs,
    /// GPU to use: part of its name, or its number in `flockwork adapters`
    #[arg(long, value_name = "NAME|INDEX")]
    pub adapter: Option<AdapterChoice>,
    /// Threads of the CPU engine [default: one per core]
    #[arg(long, value_name = "T", value_parser = whole::<u32>(1..=4096), allow_negative_numbers = true)]
    pub threads: Option<u32>,
    /// Ticks to time, after the warm-up. Times are medians of samples; a sample is the mean of as many
    /// ticks as take 5 ms. A short run is repeated
    #[arg(long, value_name = "T", default_value_t = 100, value_parser = whole::<u32>(1..=u32::MAX.into()), allow_negative_numbers = true)]
    pub ticks: u32,
    /// Engines, in the order of the table [default: gpu,cpu,cpu1; cpu,cpu1 without a GPU; cpu on
    /// several processes]
    #[arg(long, value_enum, value_delimiter = ',')]
    pub engines: Vec<BenchEngine>,
    /// Leave the borders between several processes where they are at the start, however uneven the work
    /// becomes
    #[arg(long)]
    pub keep_borders: bool,
    /// Write the results as JSON too; docs/bench.schema.json describes its fields
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Draw the results: time per agent against the count (for one count, the engines side by side),
    /// and the passes of each engine
    #[arg(long, value_name = "FILE.svg|.png")]
    pub plot: Option<PathBuf>,
}

/// Which flock, for `bench`: several counts and densities are allowed.
#[derive(Clone, Debug, Args)]
pub struct BenchFlockArgs {
    /// A built-in scene, or the path of a scene file
    #[arg(long, value_name = "NAME|FILE", default_value = "flock", value_parser = scene_name())]
    pub scene: String,
    /// Numbers of agents; one table for each count and density [default: 200000, or 10000 where
    /// agents look at everybody]
    #[arg(
        long, visible_alias = "counts", value_name = "N[,N…]", value_delimiter = ',',
        value_parser = arg_parsers::count, allow_negative_numbers = true
    )]
    pub count: Vec<u64>,
    /// Seed of the random numbers [default: the scene's]
    #[arg(long, value_name = "S", value_parser = whole::<u32>(0..=u32::MAX.into()), allow_negative_numbers = true)]
    pub seed: Option<u32>,
    /// Mean number of neighbours within the largest radius; sizes the world [default: the scene's]
    #[arg(
        long,
        visible_alias = "densities",
        value_name = "K[,K…]",
        value_delimiter = ',',
        value_parser = arg_parsers::density,
        allow_negative_numbers = true
    )]
    pub density: Vec<f32>,
    /// How the flock starts [default: as in the scene; `flock` starts uniform above its own 120 agents]
    #[arg(long, value_enum)]
    pub state: Option<StartState>,
    /// Ticks before the measurement, on the fastest engine [default: 1000 for flocked, fewer for counts
    /// above a million; else 0]
    #[arg(long, value_name = "T", value_parser = whole::<u64>(0..=u64::MAX), allow_negative_numbers = true)]
    pub settle: Option<u64>,
    /// Override a scene key, for example --set starling.separation.weight=2; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
}

/// How a flock starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StartState {
    /// At random places all over the world
    Uniform,
    /// Uniform, then --settle ticks in which flocks form
    Flocked,
    /// In a square in the middle with 1 % of the world's area
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
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Cpu => "cpu",
            Self::Cpu1 => "cpu1",
        }
    }
}

impl BenchFlockArgs {
    /// The densities to measure; one `None` means the scene's own.
    pub(super) fn densities(&self) -> Vec<Option<f32>> {
        if self.density.is_empty() {
            return vec![None];
        }
        self.density.iter().copied().map(Some).collect()
    }

    /// The numbers of agents to measure.
    pub(super) fn counts(&self, scene: &Scene) -> Vec<u64> {
        if !self.count.is_empty() {
            return self.count.clone();
        }
        let everybody = scene.uses().has(Uses::EVERYBODY);
        vec![if everybody { COUNT_OF_EVERYBODY } else { DEFAULT_COUNT }]
    }

    /// Ticks between the start and the measurement. They are the same for all counts, so that the
    /// figures are comparable.
    pub(super) fn settle_ticks(&self) -> u64 {
        let largest = self.count.iter().copied().max().unwrap_or(DEFAULT_COUNT).max(1);
        let formed = match self.state {
            Some(StartState::Flocked) => (AFFORDABLE / largest).clamp(MIN_TICKS, SETTLED),
            _ => 0,
        };
        self.settle.unwrap_or(formed)
    }

    pub(super) fn layout(&self) -> StartLayout {
        match self.state {
            None => StartLayout::AsWritten,
            Some(StartState::Uniform | StartState::Flocked) => StartLayout::Even,
            Some(StartState::Clumped) => StartLayout::Clump,
        }
    }

    /// The name of the start state in reports.
    pub(super) fn state_name(&self, scene: &Scene, count: u64) -> &'static str {
        match self.state {
            Some(StartState::Uniform) => "uniform",
            Some(StartState::Flocked) => "flocked",
            Some(StartState::Clumped) => "clumped",
            None if scene.starts_evenly(count) => "uniform",
            None => "scene",
        }
    }

    /// Fails before the first measurement if a count or a density is invalid, alone or together.
    pub(super) fn check(&self, scene: &Scene) -> anyhow::Result<()> {
        for count in self.counts(scene) {
            for density in self.densities() {
                let request = Request { count: Some(count), density, seed: self.seed };
                let place = || match density {
                    Some(density) => format!("--count {count} with --density {density}"),
                    None => format!("--count {count}"),
                };
                scene.clone().resize(&request).with_context(place)?;
            }
        }
        Ok(())
    }
}

impl BenchArgs {
    /// Fails if a table or a plot would have two equal rows or columns.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        if self.keep_borders && ranks::ranks().is_none() {
            let problem = "--keep-borders: one process has no borders; start several with mpirun";
            return Err(wrong(problem));
        }
        let labels = self.engines.iter().map(|engine| engine.label());
        if let Some(label) = arg_parsers::repeated(labels) {
            return Err(wrong(format!("--engines: {label} is named twice; name each engine once")));
        }
        let mut densities: Vec<f32> = self.flock.density.clone();
        densities.sort_by(f32::total_cmp);
        densities.dedup();
        let (found, most) = (densities.len(), MAX_DENSITIES);
        if self.plot.is_some() && self.flock.count.len() > 1 && found > most {
            return Err(wrong(format!(
                "--plot: {found} densities, but a plot has only {most} kinds of lines; leave some out, \
                 or make several plots"
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Parses the arguments of a command line.
    pub fn parsed(options: &str) -> BenchArgs {
        arg_parsers::arguments(["bench"].into_iter().chain(options.split_whitespace())).unwrap()
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
}
