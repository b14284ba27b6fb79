//! `flockwork adapters`: the GPUs found.

/// Runs the command.
pub fn adapters() -> anyhow::Result<()> {
    anyhow::bail!("not built")
}
