//! `flockwork run`: a flock in a window.

use clap::Args;

use super::options::{FlockArgs, MachineArgs, Size};

/// Its arguments.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    #[allow(missing_docs, reason = "clap shows a flattened field's doc as help")]
    #[command(flatten)]
    pub flock: FlockArgs,
    #[allow(missing_docs, reason = "clap shows a flattened field's doc as help")]
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Size of the window
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    pub size: Size,
    /// Close the window after F frames
    #[arg(long, value_name = "F")]
    pub frames: Option<u64>,
}

/// Runs the command.
pub fn run(args: &RunArgs) -> anyhow::Result<()> {
    let _ = args;
    anyhow::bail!("not built")
}
