//! The runs of a plan one by one, for a host that spreads them itself.

use std::path::Path;
use std::sync::Arc;

use indicatif::ProgressBar;
use serde_json::json;

use super::one_run::Worker;
use super::plan::SweepPlan;
use super::runs::Sweep;
use crate::commands::host::errors::wrong;
use crate::commands::host::interrupt::Interrupt;
use flockwork_engine::gpu::Gpu;

/// The runs of a plan. They count from 1.
pub struct SingleRuns(Sweep);

impl SingleRuns {
    /// The runs of the plan in a file.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        Ok(Self(Sweep::new(SweepPlan::read(path)?)?))
    }

    /// The runs of the plan in a text, whose files are relative to the current folder.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        Ok(Self(Sweep::new(SweepPlan::parse(text, "plan", Path::new(""))?)?))
    }

    /// Number of runs.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Computes a run on a device, or on `threads` threads. Returns it as JSON: its values, its seed, its
    /// metrics in the plan's order, their averages, and the reason if it failed; an interrupted run has no result.
    pub fn compute(
        &mut self,
        number: usize,
        gpu: Option<Arc<Gpu>>,
        threads: usize,
        interrupt: &Interrupt,
    ) -> anyhow::Result<String> {
        let Self(sweep) = self;
        let run = sweep.runs(|other| other == number).pop();
        let run = run.ok_or_else(|| {
            wrong(format!("run {number}: the plan has the runs 1 to {}", sweep.len()))
        })?;
        sweep.learn(&[run], interrupt)?;
        let bar = ProgressBar::hidden();
        let result = Worker::new(gpu, threads).run(sweep, run, &bar, interrupt);
        Ok(json!({
            "run": number,
            "values": sweep.json(run),
            "way": sweep.way(run.point),
            "seed": sweep.seed(run),
            "metrics": sweep.plan.metrics(),
            "result": result,
        })
        .to_string())
    }
}
