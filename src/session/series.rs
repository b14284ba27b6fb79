//! The metrics of a flock over time.
//!
//! The session decides which states are measured and keeps the results. It measures nothing itself:
//! the host takes each [`Sample`], computes its metrics on a thread, and hands them back.

use std::sync::Arc;
use std::time::Duration;

use super::history::TIMES_THE_COST;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::statistics::Metrics;

/// How often states are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Watch {
    /// Never.
    #[default]
    Off,
    /// A few times a second at most, so that there is a past to look at.
    Seldom,
    /// As often as it hardly slows the flock down: in small flocks once a frame.
    Closely,
}

/// Shortest time between two samples while the metrics are not shown. It is also at least `RARELY`
/// times as long as a sample costs.
const MIN_TIME_UNSEEN: Duration = Duration::from_millis(250);
const RARELY: u32 = 50;

/// While they are shown: times the cost of measuring a state, which other threads do.
const TIMES_THE_MEASURING: u32 = 10;

/// The most rows kept, about 400 kB.
pub const MAX_ROWS: usize = 4096;

/// The most samples that are measured at a time.
const MAX_AWAITED: usize = 4;

/// A state to measure.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Its number, for [`Session::measured`](crate::Session::measured).
    pub number: u64,
    /// The scene at this state.
    pub scene: Arc<Scene>,
    /// The agents.
    pub state: Arc<FlockState>,
}

/// A sample that has not been measured yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Awaited {
    pub number: u64,
    pub tick: u64,
    pub revision: u64,
}

/// Metrics by tick.
#[derive(Debug, Default)]
pub struct Series {
    /// Ascending ticks.
    rows: Vec<Metrics>,
    /// Least number of ticks between two rows.
    spacing: u64,
    /// The metrics of the state that was measured last.
    latest: Option<Metrics>,
    /// Samples that the host has or will take.
    pub(super) awaited: Vec<Awaited>,
    /// The revision of the last sample.
    pub(super) sampled: Option<u64>,
    /// When the last sample was taken, and what copying and measuring it cost.
    at: Duration,
    copying: Duration,
    measuring: Option<Duration>,
}

impl Series {
    /// The rows, by tick. There is at most one for a tick. After a step back, the last rows belong
    /// to ticks that are still to come.
    #[must_use]
    pub fn rows(&self) -> &[Metrics] {
        &self.rows
    }

    /// The rows up to a tick.
    #[must_use]
    pub fn rows_until(&self, tick: u64) -> &[Metrics] {
        &self.rows[..self.rows.partition_point(|row| row.tick <= tick)]
    }

    /// The metrics of the state that was measured last.
    #[must_use]
    pub fn latest(&self) -> Option<&Metrics> {
        self.latest.as_ref()
    }

    /// True if the flock of this revision is to be measured now. A paused flock is measured at once.
    pub(super) fn is_due(&self, watch: Watch, revision: u64, now: Duration, paused: bool) -> bool {
        let most = if self.measuring.is_some() { MAX_AWAITED } else { 1 };
        if watch == Watch::Off || self.awaited.len() >= most || self.sampled == Some(revision) {
            return false;
        }
        let measuring = self.measuring.unwrap_or_default();
        let wait = match watch {
            _ if paused || self.sampled.is_none() => Duration::ZERO,
            Watch::Closely => (self.copying * TIMES_THE_COST).max(measuring * TIMES_THE_MEASURING),
            _ => MIN_TIME_UNSEEN.max((self.copying + measuring) * RARELY),
        };
        now.saturating_sub(self.at) >= wait
    }

    /// Notes that a state is going to be measured.
    pub(super) fn await_sample(&mut self, awaited: Awaited, now: Duration, copying: Duration) {
        (self.sampled, self.at, self.copying) = (Some(awaited.revision), now, copying);
        self.awaited.push(awaited);
    }

    /// Adds the metrics of an awaited sample. If its state no longer belongs to this past, they are
    /// ignored, and this returns false.
    pub(super) fn note(&mut self, number: u64, metrics: Metrics, took: Duration) -> bool {
        let Some(index) = self.awaited.iter().position(|awaited| awaited.number == number) else {
            return false;
        };
        self.awaited.remove(index);
        self.measuring = Some(took);
        self.latest = Some(metrics);
        let at = self.rows.partition_point(|row| row.tick < metrics.tick);
        if let Some(row) = self.rows.get_mut(at).filter(|row| row.tick == metrics.tick) {
            // The same tick again, or edited.
            *row = metrics;
            return true;
        }
        let before = at.checked_sub(1).map(|index| metrics.tick - self.rows[index].tick);
        let after = self.rows.get(at).map(|row| row.tick - metrics.tick);
        if before.into_iter().chain(after).any(|distance| distance < self.spacing) {
            return true;
        }
        self.rows.insert(at, metrics);
        if self.rows.len() > MAX_ROWS {
            self.thin();
        }
        true
    }

    /// Keeps about half of the rows, at even distances.
    fn thin(&mut self) {
        let (Some(first), Some(last)) = (self.rows.first(), self.rows.last()) else { return };
        let span = last.tick - first.tick;
        self.spacing = span.div_ceil(MAX_ROWS as u64 / 2).max(self.spacing);
        let (spacing, mut kept) = (self.spacing, None);
        self.rows.retain(|row| {
            let far = kept.is_none_or(|kept| row.tick - kept >= spacing);
            if far {
                kept = Some(row.tick);
            }
            far
        });
    }

    /// Removes what comes after a tick.
    pub(super) fn cut(&mut self, tick: u64) {
        self.rows.truncate(self.rows_until(tick).len());
        self.awaited.retain(|awaited| awaited.tick <= tick);
        self.latest.take_if(|latest| latest.tick > tick);
    }

    /// Forgets the samples under way: the flock is not shown any more.
    pub(super) fn rest(&mut self) {
        self.awaited.clear();
        self.sampled = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(tick: u64) -> Metrics {
        let mut metrics = Metrics::default();
        (metrics.tick, metrics.agents) = (tick, 7);
        metrics
    }

    /// Measures the state of a tick.
    fn measure(series: &mut Series, tick: u64, took: Duration) {
        let awaited = Awaited { number: tick, tick, revision: tick };
        series.await_sample(awaited, Duration::ZERO, Duration::ZERO);
        series.note(tick, measured(tick), took);
    }

    fn of(ticks: impl IntoIterator<Item = u64>) -> Series {
        let mut series = Series::default();
        ticks.into_iter().for_each(|tick| measure(&mut series, tick, Duration::ZERO));
        series
    }

    fn ticks(series: &Series) -> Vec<u64> {
        series.rows().iter().map(|row| row.tick).collect()
    }

    #[test]
    fn a_tick_that_is_computed_again_has_one_row() {
        let mut series = of([0, 10, 20, 30, 10, 15, 20]);
        assert_eq!(ticks(&series), [0, 10, 15, 20, 30]);
        let mut other = measured(20);
        other.agents = 9;
        series.await_sample(
            Awaited { number: 99, tick: 20, revision: 99 },
            Duration::ZERO,
            Duration::ZERO,
        );
        series.note(99, other, Duration::ZERO);
        assert_eq!((ticks(&series).len(), series.rows()[3]), (5, other));
        assert_eq!(series.rows_until(29).len(), 4);
    }

    #[test]
    fn what_is_cut_has_no_metrics_even_if_they_come_later() {
        let mut series = of([0, 10, 20, 30]);
        for (number, tick) in [(100, 20), (101, 21)] {
            let awaited = Awaited { number, tick, revision: number };
            series.await_sample(awaited, Duration::ZERO, Duration::ZERO);
        }
        series.cut(20);
        assert_eq!((ticks(&series), series.latest()), (vec![0, 10, 20], None));
        series.note(101, measured(21), Duration::ZERO);
        assert_eq!(ticks(&series), [0, 10, 20]);
        series.note(100, measured(20), Duration::ZERO);
        assert_eq!((ticks(&series).len(), series.latest()), (3, Some(&measured(20))));
    }

    #[test]
    fn a_long_history_is_thinned_evenly() {
        for step in [1, 7] {
            let series = of((0..20_000).map(|tick| tick * step));
            let rows = ticks(&series);
            assert!((MAX_ROWS / 2..=MAX_ROWS).contains(&rows.len()), "{}", rows.len());
            assert_eq!(rows[0], 0);
            assert!(*rows.last().unwrap() >= 19_990 * step, "{:?}", rows.last());
            let apart: Vec<u64> = rows.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let (least, most) = (apart.iter().min().unwrap(), apart.iter().max().unwrap());
            assert!(most <= &(2 * least), "{least} to {most}");
            // The present state has metrics also if it is no row.
            assert_eq!(series.latest(), Some(&measured(19_999 * step)));
        }
    }

    #[test]
    fn samples_keep_a_distance_that_grows_with_their_cost() {
        let mut series = Series::default();
        let ms = Duration::from_millis;
        let due = |series: &Series, watch, revision, at, paused| {
            series.is_due(watch, revision, ms(at), paused)
        };
        assert!(due(&series, Watch::Closely, 0, 0, false));
        assert!(!due(&series, Watch::Off, 0, 0, true));
        series.await_sample(Awaited { number: 0, tick: 0, revision: 1 }, ms(10), ms(2));
        assert!(!due(&series, Watch::Closely, 2, 9999, false), "its cost is not known yet");
        series.note(0, measured(0), ms(20));
        // Ten times the 20 ms of the thread.
        assert!(!due(&series, Watch::Closely, 2, 209, false));
        assert!(due(&series, Watch::Closely, 2, 210, false));
        assert!(!due(&series, Watch::Closely, 1, 9999, false), "nothing has changed");
        assert!(due(&series, Watch::Closely, 2, 11, true));
        assert!(due(&series, Watch::Seldom, 2, 11, true));
        // Fifty times all 22 ms.
        assert!(!due(&series, Watch::Seldom, 2, 1109, false));
        assert!(due(&series, Watch::Seldom, 2, 1110, false));
        // Work that the flock itself waits for counts more.
        series.await_sample(Awaited { number: 1, tick: 1, revision: 2 }, ms(2000), ms(30));
        series.note(1, measured(1), ms(1));
        assert!(!due(&series, Watch::Closely, 3, 2599, false));
        assert!(due(&series, Watch::Closely, 3, 2600, false));
    }
}
