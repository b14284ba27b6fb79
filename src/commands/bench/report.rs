//! The report of `flockwork bench`: a table for people, JSON for scripts. `docs/bench.schema.json` describes
//! the fields.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

use super::agreement::Agreement;
use super::shares::{self, RankRow};
use flockwork_engine::Profile;
use flockwork_model::io::RunRecord;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::statistics::Metrics;
use flockwork_view::words::counted;

/// A median of fewer samples is not meaningful.
pub const FEW: usize = 5;

/// The figures of one engine.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ReportRow {
    pub engine: &'static str,
    pub runs_on: String,
    pub ms_p50: f64,
    pub ms_min: f64,
    pub ms_p95: f64,
    pub million_agent_ticks: f64,
    pub ns_per_agent: f64,
    pub samples: usize,
    /// Name and milliseconds per tick of each pass.
    pub passes: Vec<(&'static str, f64)>,
    pub passes_by_timestamps: bool,
    /// Empty for one process.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<RankRow>,
    /// `None` for one process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub borders_moved: Option<u32>,
}

/// How crowded the agents are, at the start and at the end.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Crowding {
    pub mean_neighbours: [f64; 2],
    pub largest_cell: [u64; 2],
    pub sampled_agents: u64,
}

impl Crowding {
    pub fn of(scene: &Scene, states: [&FlockState; 2]) -> Self {
        let [start, end] = states.map(|state| Metrics::of(scene, state));
        Self {
            mean_neighbours: [start.mean_neighbours, end.mean_neighbours],
            largest_cell: [start.largest_cell, end.largest_cell],
            sampled_agents: end.sampled_agents,
        }
    }
}

/// One flock, several engines.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    pub scene: String,
    pub agents: usize,
    pub processes: usize,
    pub seed: u32,
    pub processor: String,
    pub state: &'static str,
    pub settle_ticks: u64,
    /// `None` without `--density`.
    pub density: Option<f32>,
    pub ticks: u32,
    pub ticks_asked: u32,
    pub ticks_before_the_end: u32,
    pub runs: u32,
    pub ticks_a_sample: u32,
    pub uniform_neighbours: f64,
    /// `None` on several ranks, or where Ctrl-C left no time for it.
    #[serde(flatten)]
    pub crowding: Option<Crowding>,
    pub rows: Vec<ReportRow>,
    pub agreements: Vec<Agreement>,
    pub run: RunRecord,
}

/// The value below which `share` of the sorted samples lie.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let index = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(index.clamp(1, sorted.len()) - 1).copied().unwrap_or(f64::NAN)
}

impl ReportRow {
    /// Makes a row from samples in milliseconds per tick.
    pub fn new(
        engine: &'static str,
        runs_on: String,
        samples: &[f64],
        profile: &Profile,
        agents: usize,
    ) -> Self {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let ms_p50 = percentile(&sorted, 0.5);
        Self {
            engine,
            runs_on,
            ms_p50,
            ms_min: percentile(&sorted, 0.0),
            ms_p95: percentile(&sorted, 0.95),
            million_agent_ticks: agents as f64 / ms_p50 / 1e3,
            ns_per_agent: ms_p50 * 1e6 / agents as f64,
            samples: samples.len(),
            passes: profile.passes.iter().map(|p| (p.pass, p.time.as_secs_f64() * 1e3)).collect(),
            passes_by_timestamps: profile.by_timestamps,
            ..Self::default()
        }
    }

    /// The clock that measured the passes, in words.
    pub fn clock(&self) -> &'static str {
        if self.passes_by_timestamps { "timestamps" } else { "wall time" }
    }
}

impl Report {
    /// Describes how the flock starts.
    pub fn start(&self) -> String {
        match (self.state, self.settle_ticks) {
            ("flocked", ticks) => format!("flocked (uniform, then {})", counted(ticks, "tick")),
            ("scene", 0) => "where the scene says".into(),
            ("scene", ticks) => format!("where the scene says, then {}", counted(ticks, "tick")),
            (state, 0) => state.into(),
            (state, ticks) => format!("{state}, then {}", counted(ticks, "tick")),
        }
    }

    /// The smallest number of samples of any engine.
    pub fn fewest_samples(&self) -> usize {
        self.rows.iter().map(|row| row.samples).min().unwrap_or(0)
    }

    fn head(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "scene {}, {}, seed {}, {} after {}; start: {}",
            self.scene,
            counted(self.agents as u64, "agent"),
            self.seed,
            counted(self.ticks.into(), "timed tick"),
            counted((self.ticks_before_the_end - self.ticks).into(), "other"),
            self.start()
        )?;
        match &self.crowding {
            Some(crowding) => writeln!(
                f,
                "mean neighbours {:.1} at the start, {:.1} at the end (evenly spread: {:.1}); \
                 largest cell {} and {}; {} sampled",
                crowding.mean_neighbours[0],
                crowding.mean_neighbours[1],
                self.uniform_neighbours,
                crowding.largest_cell[0],
                crowding.largest_cell[1],
                counted(crowding.sampled_agents, "agent")
            )?,
            None => writeln!(
                f,
                "mean neighbours not counted{} (evenly spread: {:.1})",
                if self.processes > 1 { " on several ranks" } else { ", interrupted" },
                self.uniform_neighbours
            )?,
        }
        let samples = self.fewest_samples();
        write!(f, "medians, min and p95 of {}", counted(samples as u64, "sample"))?;
        if self.runs > 1 {
            write!(f, " in {} runs", self.runs)?;
        }
        match self.ticks_a_sample {
            1 => write!(f, ", each of 1 tick")?,
            ticks => write!(f, ", each the mean of {ticks} ticks")?,
        }
        write!(f, ", on {}", self.processor)?;
        if samples < FEW {
            write!(f, ": too few to trust, use --ticks {FEW} or more")?;
        }
        if self.ticks < self.ticks_asked {
            write!(f, "; interrupted after {} of {} ticks", self.ticks, self.ticks_asked)?;
        }
        writeln!(f)
    }

    fn engines(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\n{:6} {:>10} {:>10} {:>10} {:>16} {:>9}  runs on",
            "engine", "ms/tick", "min", "p95", "M agent-ticks/s", "speed-up"
        )?;
        let slowest = self.rows.iter().map(|row| row.ms_p50).fold(0.0, f64::max);
        for row in &self.rows {
            writeln!(
                f,
                "{:6} {:>10.3} {:>10.3} {:>10.3} {:>16.2} {:>8.1}x  {}",
                row.engine,
                row.ms_p50,
                row.ms_min,
                row.ms_p95,
                row.million_agent_ticks,
                slowest / row.ms_p50,
                row.runs_on
            )?;
        }
        Ok(())
    }

    fn passes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.rows.iter().filter(|row| !row.passes.is_empty()) {
            writeln!(f, "\npasses of {} after the run (ms a tick, {})", row.engine, row.clock())?;
            let total: f64 = row.passes.iter().map(|(_, ms)| ms).sum();
            for (pass, ms) in &row.passes {
                writeln!(f, "  {pass:16} {ms:>9.3}  {:>3.0} %", 100.0 * ms / total)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.head(f)?;
        self.engines(f)?;
        self.passes(f)?;
        for row in &self.rows {
            shares::write(f, row.engine, &row.ranks, row.borders_moved.unwrap_or(0))?;
        }
        for agreement in &self.agreements {
            agreement.write(f, self.ticks_before_the_end)?;
        }
        writeln!(f)
    }
}

/// How the flocks of reports start, each way once.
pub fn starts(reports: &[Report]) -> String {
    let all: BTreeSet<String> = reports.iter().map(Report::start).collect();
    all.into_iter().collect::<Vec<_>>().join("; ")
}

/// One line per report.
pub fn summary(reports: &[Report]) -> String {
    let Some(first) = reports.first() else { return String::new() };
    let (scene, start) = (&first.scene, starts(reports));
    let mut text = format!("scene {scene}, start: {start}; ns for one agent and tick, medians\n\n");
    text += &format!("{:>11} {:>11} {:>16}", "agents", "neighbours", "start and end");
    text.extend(first.rows.iter().map(|row| format!(" {:>10}", row.engine)));
    for report in reports {
        let counted = report.crowding.map_or_else(
            || "not counted".into(),
            |Crowding { mean_neighbours: [start, end], .. }| format!("{start:.1} {end:>7.1}"),
        );
        let (agents, even) = (report.agents, report.uniform_neighbours);
        text += &format!("\n{agents:>11} {even:>11.1} {counted:>16}");
        text.extend(report.rows.iter().map(|row| format!(" {:>10.3}", row.ns_per_agent)));
    }
    text + "\n\n"
}

#[cfg(test)]
mod tests {
    use super::super::plot::tests::reports;
    use super::*;

    #[test]
    fn percentiles_are_samples() {
        let sorted: Vec<f64> = (1..=20).map(f64::from).collect();
        assert_eq!(percentile(&sorted, 0.5), 10.0);
        assert_eq!(percentile(&sorted, 0.95), 19.0);
        assert_eq!(percentile(&[7.0], 0.95), 7.0);
    }

    #[test]
    fn the_table_says_when_samples_are_too_few() {
        let [mut report] = reports(&[1000], &[None], 1.0).try_into().unwrap();
        assert!(report.to_string().contains("of 20 samples, each the mean of 5 ticks, on Some"));
        report.rows[1].samples = FEW - 1;
        let text = report.to_string();
        assert!(text.contains("p95 of 4 samples") && text.contains("--ticks 5 or more"), "{text}");
    }
}
