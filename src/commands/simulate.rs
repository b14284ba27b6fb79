//! `flockwork simulate`: states and figures to files.

use std::path::PathBuf;

use clap::Args;

use super::options::{FlockArgs, MachineArgs};

/// Its arguments.
#[derive(Clone, Debug, Args)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub flock: FlockArgs,
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Ticks to simulate
    #[arg(long, value_name = "T")]
    pub ticks: u64,
    /// Ticks from one written state to the next [default: T]
    #[arg(long, value_name = "E", value_parser = clap::value_parser!(u64).range(1..))]
    pub every: Option<u64>,
    /// State of every agent
    #[arg(long, value_name = "FILE.csv|.npz")]
    pub out: PathBuf,
    /// Figures of the flock, one row a tick
    #[arg(long, value_name = "FILE.csv")]
    pub metrics: Option<PathBuf>,
}

/// Runs the command.
pub fn simulate(args: &SimulateArgs) -> anyhow::Result<()> {
    let _ = args;
    anyhow::bail!("not built")
}
