//! How several ranks share the work: a table for people, a list in JSON. `docs/bench.schema.json` describes
//! the fields.

use std::fmt;

use serde::Serialize;

use crate::commands::host::ranks;
use flockwork_engine::distributed::RankStats;
use flockwork_view::words::counted;

/// The work of this rank in the timed ticks, in the order of [`RankRow::of`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Shares([u64; 7]);

/// The work of one rank. All figures are means a tick.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RankRow {
    pub rank: usize,
    pub agents: f64,
    pub ghosts: f64,
    pub cpu_ms: f64,
    pub work_ms: f64,
    pub exchange_ms: f64,
    pub sent_bytes: f64,
}

impl Shares {
    /// Adds the work between two moments.
    pub fn add(&mut self, before: Option<RankStats>, after: Option<RankStats>) {
        let sums = |RankStats { sent, ghosts, agents, work, exchange, cpu, ticks }| {
            [sent, ghosts, agents, work, exchange, cpu, ticks]
        };
        let (Some(before), Some(after)) = (before.map(sums), after.map(sums)) else { return };
        self.0 = std::array::from_fn(|at| self.0[at] + after[at] - before[at]);
    }

    /// A row for each rank; none if there is only one process. All ranks must ask together.
    pub fn of_all_ranks(&self) -> Vec<RankRow> {
        if ranks::ranks().is_none() {
            return Vec::new();
        }
        let all = ranks::of_all(self.0);
        all.into_iter().enumerate().map(|(rank, sums)| RankRow::of(rank, sums)).collect()
    }
}

impl RankRow {
    fn of(rank: usize, [sent, ghosts, agents, work, exchange, cpu, ticks]: [u64; 7]) -> Self {
        let each = |sum: u64| sum as f64 / ticks.max(1) as f64;
        let ms = |nanoseconds: u64| each(nanoseconds) / 1e6;
        // Without a clock for it, the processor is as busy as the rank.
        let cpu = if cpu == 0 { work } else { cpu };
        Self {
            rank,
            agents: each(agents),
            ghosts: each(ghosts),
            cpu_ms: ms(cpu),
            work_ms: ms(work),
            exchange_ms: ms(exchange),
            sent_bytes: each(sent),
        }
    }
}

/// The largest of some figures divided by their mean: 1 if all are equal.
pub fn imbalance(rows: &[RankRow], figure: impl Fn(&RankRow) -> f64) -> f64 {
    let sum: f64 = rows.iter().map(&figure).sum();
    let largest = rows.iter().map(figure).fold(0.0, f64::max);
    if sum > 0.0 { largest * rows.len() as f64 / sum } else { 1.0 }
}

/// Writes the table of one engine; nothing without ranks.
pub fn write(
    f: &mut fmt::Formatter<'_>,
    engine: &str,
    rows: &[RankRow],
    borders_moved: u32,
) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(f, "\nranks of {engine}, means a tick")?;
    writeln!(
        f,
        "{:>6} {:>11} {:>10} {:>8} {:>10} {:>10} {:>12} {:>10}",
        "rank", "agents", "ghosts", "share", "CPU ms", "work ms", "exchange ms", "sent kB"
    )?;
    let line = |f: &mut fmt::Formatter<'_>, name: &str, row: &RankRow| {
        writeln!(
            f,
            "{name:>6} {:>11.0} {:>10.0} {:>6.1} % {:>10.3} {:>10.3} {:>12.3} {:>10.1}",
            row.agents,
            row.ghosts,
            100.0 * row.ghosts / row.agents.max(1.0),
            row.cpu_ms,
            row.work_ms,
            row.exchange_ms,
            row.sent_bytes / 1e3
        )
    };
    let mut sum = RankRow::default();
    for row in rows {
        line(f, &row.rank.to_string(), row)?;
        sum.agents += row.agents;
        sum.ghosts += row.ghosts;
        sum.cpu_ms += row.cpu_ms;
        sum.work_ms += row.work_ms;
        sum.exchange_ms += row.exchange_ms;
        sum.sent_bytes += row.sent_bytes;
    }
    line(f, "all", &sum)?;
    writeln!(
        f,
        "  largest / mean: {:.2} of the CPU time, {:.2} of the agents; borders moved {}",
        imbalance(rows, |row| row.cpu_ms),
        imbalance(rows, |row| row.agents),
        counted(borders_moved.into(), "time")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_means_over_the_timed_ticks() {
        let at = |ticks: u64, agents: u64| {
            Some(RankStats {
                ticks,
                agents,
                sent: 9 * ticks,
                work: 4_000_000 * ticks,
                ..RankStats::default()
            })
        };
        let mut shares = Shares::default();
        shares.add(at(1, 5_000), at(3, 5_200));
        // The flock was loaded again in between.
        shares.add(at(0, 0), at(2, 400));
        assert_eq!(shares.0, [36, 0, 600, 16_000_000, 0, 0, 4]);
        let row = RankRow::of(3, shares.0);
        assert_eq!((row.rank, row.agents, row.sent_bytes), (3, 150.0, 9.0));
        assert_eq!((row.work_ms, row.cpu_ms), (4.0, 4.0), "no clock, so the same");
        assert!(shares.of_all_ranks().is_empty(), "one process has no ranks");
    }

    #[test]
    fn the_table_has_a_line_for_each_rank_and_one_for_all() {
        let row = |rank, cpu_ms| RankRow {
            rank,
            agents: 1000.0,
            ghosts: 25.0,
            cpu_ms,
            ..RankRow::default()
        };
        let rows = [row(0, 1.0), row(1, 3.0)];
        assert_eq!(imbalance(&rows, |row| row.cpu_ms), 1.5);
        assert_eq!(imbalance(&[], |row| row.cpu_ms), 1.0);
        let text = fmt::from_fn(|f| write(f, "cpu", &rows, 2)).to_string();
        assert_eq!(text.lines().count(), 1 + 1 + 1 + 2 + 1 + 1, "{text}");
        assert!(text.contains("   2000         50    2.5 %      4.000"), "{text}");
        let all = "1.50 of the CPU time, 1.00 of the agents; borders moved 2 times";
        assert!(text.contains(all), "{text}");
        assert_eq!(fmt::from_fn(|f| write(f, "cpu", &[], 0)).to_string(), "");
    }
}
