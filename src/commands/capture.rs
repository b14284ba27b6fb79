//! `flockwork capture`: frames to files.

use std::path::PathBuf;

use clap::Args;

use super::options::{FlockArgs, MachineArgs, Size};

/// Its arguments.
#[derive(Clone, Debug, Args)]
pub struct CaptureArgs {
    #[command(flatten)]
    pub flock: FlockArgs,
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Size of the pictures
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    pub size: Size,
    /// Ticks to simulate
    #[arg(long, value_name = "T")]
    pub ticks: u64,
    /// Ticks from one frame to the next; a single PNG shows the last tick
    #[arg(long, value_name = "E", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,
    /// Frames a second of GIF, APNG and MP4
    #[arg(long, value_name = "R", default_value_t = 30.0)]
    pub fps: f64,
    /// A folder for a PNG sequence, or a file: .png (one picture), .gif, .apng, .mp4
    #[arg(long, value_name = "DIR|FILE")]
    pub out: PathBuf,
}

/// Runs the command.
pub fn capture(args: &CaptureArgs) -> anyhow::Result<()> {
    let _ = args;
    anyhow::bail!("not built")
}
