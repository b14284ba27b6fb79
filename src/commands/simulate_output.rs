//! The output of a simulation: states, figures and the checkpoint of the end, each in its file.

use std::path::PathBuf;

use super::figures::FiguresFile;
use super::output::size_text;
use super::ranks;
use super::simulate::SimulateArgs;
use super::state_file::StateWriter;

/// The output files; of several ranks, the first has them. A file that cannot be written does not end
/// the others: its error stands in its place until all are published.
pub struct Files {
    /// Of `--out`.
    pub states: Option<anyhow::Result<StateWriter>>,
    /// Of `--metrics`.
    pub figures: Option<anyhow::Result<FiguresFile>>,
    /// The checkpoint of the end, and its size in bytes.
    pub checkpoint: Option<(PathBuf, anyhow::Result<u64>)>,
}

impl Files {
    /// Checks that the files can be written, and begins them.
    pub fn create(args: &SimulateArgs) -> anyhow::Result<Self> {
        if !ranks::speaks() {
            return Ok(Self { states: None, figures: None, checkpoint: None });
        }
        let states = args.out.as_deref().map(StateWriter::create).transpose()?;
        let out = args.out.as_deref();
        let figures = args.metrics.as_deref().map(|path| FiguresFile::create(path, out));
        let figures = figures.transpose()?.map(Ok);
        Ok(Self { states: states.map(Ok), figures, checkpoint: None })
    }

    /// Renames the files into place. Returns their names and sizes for display. If one file cannot
    /// be written, the other still is, and the error lists what was written.
    pub fn publish(self, args: &SimulateArgs) -> anyhow::Result<String> {
        let mut kept = Vec::new();
        if let (Some(states), Some(path)) = (self.states, &args.out) {
            kept.push((path.clone(), states.and_then(StateWriter::finish)));
        }
        if let (Some(figures), Some(path)) = (self.figures, &args.metrics) {
            kept.push((path.clone(), figures.and_then(FiguresFile::publish)));
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
