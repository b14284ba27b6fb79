//! The output of a simulation: states, figures and the checkpoint of the end, each in its file.

use std::path::{Path, PathBuf};

use super::metrics_file::MetricsFile;
use super::state_files::StateWriter;
use crate::commands::host::ranks;
use flockwork_model::statistics::Selection;
use flockwork_view::words::size_text;

/// The output files; of several ranks, the first has them. A file that cannot be written does not end
/// the others: its error stands in its place until all are published.
pub struct Files {
    /// Of `--out`.
    pub states: Option<anyhow::Result<StateWriter>>,
    /// Of `--metrics`.
    pub figures: Option<anyhow::Result<MetricsFile>>,
    /// The checkpoint of the end, and its size in bytes.
    pub checkpoint: Option<(PathBuf, anyhow::Result<u64>)>,
}

impl Files {
    /// Checks that the files can be written, and begins them. `metrics`: its file has the `chosen` ones.
    pub fn create(
        out: Option<&Path>,
        metrics: Option<&Path>,
        chosen: &Selection,
    ) -> anyhow::Result<Self> {
        if !ranks::is_root() {
            return Ok(Self { states: None, figures: None, checkpoint: None });
        }
        let states = out.map(StateWriter::create).transpose()?;
        let figures = metrics.map(|path| MetricsFile::create(path, out, chosen.clone()));
        let figures = figures.transpose()?.map(Ok);
        Ok(Self { states: states.map(Ok), figures, checkpoint: None })
    }

    /// Renames the files into place. Returns their names and sizes for display. If one file cannot
    /// be written, the other still is, and the error lists what was written.
    pub fn publish(self, out: Option<&Path>, metrics: Option<&Path>) -> anyhow::Result<String> {
        let mut kept = Vec::new();
        if let (Some(states), Some(path)) = (self.states, out) {
            kept.push((path.to_path_buf(), states.and_then(StateWriter::finish)));
        }
        if let (Some(figures), Some(path)) = (self.figures, metrics) {
            kept.push((path.to_path_buf(), figures.and_then(MetricsFile::publish)));
        }
        kept.extend(self.checkpoint);
        let mut written = Vec::new();
        let mut faults = Vec::new();
        for (path, size) in kept {
            match size {
                Ok(size) => written.push(format!("{} ({})", path.display(), size_text(size))),
                Err(fault) => faults.push(format!("{fault:#}")),
            }
        }
        let written = written.join(", ");
        if faults.is_empty() {
            return Ok(written);
        }
        if !written.is_empty() {
            faults.push(format!("{written} is complete"));
        }
        Err(anyhow::anyhow!(faults.join("; ")))
    }
}
