//! `flockwork bench`: both engines timed on one flock.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::engine::gpu::AdapterChoice;

/// Its arguments.
#[derive(Clone, Debug, Args)]
pub struct BenchArgs {
    #[command(flatten)]
    pub flock: BenchFlockArgs,
    /// Which GPU: part of its name, or its number in `flockwork adapters`
    #[arg(long, value_name = "NAME|INDEX")]
    pub adapter: Option<AdapterChoice>,
    /// Threads of the CPU engine [default: one a core]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,
    /// Ticks to time, after the warm-up
    #[arg(long, value_name = "T", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub ticks: u64,
    /// Engines, in the order of the table [default: gpu,cpu,cpu1, without gpu where there is none]
    #[arg(long, value_enum, value_delimiter = ',')]
    pub engines: Vec<BenchEngine>,
    /// Write the figures as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// Which flock, for `bench`: several counts are allowed.
#[derive(Clone, Debug, Args)]
pub struct BenchFlockArgs {
    /// A built-in scene, or the path of a scene file
    #[arg(long, value_name = "NAME|FILE", default_value = "flock")]
    pub scene: String,
    /// Numbers of agents
    #[arg(long, value_name = "N[,N…]", value_delimiter = ',', default_value = "200000")]
    pub count: Vec<u64>,
    /// Seed of the random numbers [default: the scene's]
    #[arg(long, value_name = "S")]
    pub seed: Option<u32>,
    /// Mean neighbours within the largest radius [default: the scene's]
    #[arg(long, value_name = "K")]
    pub density: Option<f32>,
    /// Override a scene key, as in --set starling.separation.weight=2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchEngine {
    /// The GPU
    Gpu,
    /// The CPU on all cores
    Cpu,
    /// The CPU on one core
    Cpu1,
}

/// Runs the command.
pub fn bench(args: &BenchArgs) -> anyhow::Result<()> {
    let _ = args;
    anyhow::bail!("not built")
}
