//! The history of a flock's figures.

use std::collections::VecDeque;
use std::time::Duration;

use crate::model::scene::Scene;
use crate::model::state::FlockState;
use crate::model::statistics::Metrics;

/// Shortest time between two recordings. The interval is also at least `TIMES_THE_COST` times as
/// long as the last one took, so that recording does not slow the flock down.
const INTERVAL: Duration = Duration::from_millis(250);
const TIMES_THE_COST: u32 = 30;

/// The number of recordings kept.
pub const LONGEST: usize = 240;

/// The last recordings, oldest first.
#[derive(Debug, Default)]
pub struct Series {
    metrics: VecDeque<Metrics>,
    last: Option<Recording>,
}

#[derive(Clone, Copy, Debug)]
struct Recording {
    revision: u64,
    at: Duration,
    cost: Duration,
}

impl Series {
    /// The figures, oldest first.
    pub fn metrics(&self) -> impl ExactSizeIterator<Item = &Metrics> {
        self.metrics.iter()
    }

    /// The latest figures.
    #[must_use]
    pub fn latest(&self) -> Option<&Metrics> {
        self.metrics.back()
    }

    /// True if the flock of this revision is to be recorded now. A paused flock is recorded at
    /// once.
    pub(super) fn is_due(&self, revision: u64, now: Duration, paused: bool) -> bool {
        self.last.is_none_or(|last| {
            let interval = INTERVAL.max(last.cost * TIMES_THE_COST);
            last.revision != revision && (paused || now.saturating_sub(last.at) >= interval)
        })
    }

    /// Adds the figures of a state. If the state is older than the last, a new history begins;
    /// another state of the same tick replaces the last.
    pub(super) fn record(
        &mut self,
        scene: &Scene,
        state: &FlockState,
        revision: u64,
        time: &dyn Fn() -> Duration,
    ) {
        let begin = time();
        let metrics = Metrics::of(scene, state);
        let at = time();
        self.last = Some(Recording { revision, at, cost: at.saturating_sub(begin) });
        match self.latest().map(|latest| latest.tick.cmp(&metrics.tick)) {
            Some(std::cmp::Ordering::Equal) => {
                self.metrics.pop_back();
            }
            Some(std::cmp::Ordering::Greater) => self.metrics.clear(),
            _ => {}
        }
        self.metrics.push_back(metrics);
        if self.metrics.len() > LONGEST {
            self.metrics.pop_front();
        }
    }

    /// Removes all figures.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::scene::Request;

    #[test]
    fn history_has_one_row_a_tick_and_begins_anew_when_time_goes_back() {
        let mut scene = Scene::parse("test", "[species.a]\ncount = 5\n", &[]).unwrap();
        let mut state = scene.populate(&Request::default()).unwrap();
        let mut series = Series::default();
        let ticks = |series: &Series| series.metrics().map(|m| m.tick).collect::<Vec<_>>();
        for (revision, tick) in [(1, 10), (2, 20), (3, 20), (4, 30)] {
            state.tick = tick;
            series.record(&scene, &state, revision, &|| Duration::ZERO);
        }
        assert_eq!(ticks(&series), [10, 20, 30]);
        assert_eq!(series.latest(), Some(&Metrics::of(&scene, &state)));
        state.tick = 5;
        series.record(&scene, &state, 5, &|| Duration::ZERO);
        assert_eq!(ticks(&series), [5]);
        for tick in 6..500 {
            state.tick = tick;
            series.record(&scene, &state, tick, &|| Duration::ZERO);
        }
        assert_eq!((ticks(&series).len(), ticks(&series)[0]), (LONGEST, 500 - LONGEST as u64));
    }

    #[test]
    fn recordings_keep_a_distance_that_grows_with_their_cost() {
        let scene = Scene::parse("test", "[species.a]\n", &[]).unwrap();
        let mut series = Series::default();
        assert!(series.is_due(0, Duration::ZERO, false));
        // It takes 20 ms: from one call of the clock to the next.
        let calls = std::cell::Cell::new(0);
        let time = || Duration::from_millis(20 * calls.replace(calls.get() + 1));
        series.record(&scene, &FlockState::default(), 1, &time);
        let due = |revision, ms| series.is_due(revision, Duration::from_millis(ms), false);
        assert!(!due(2, 610) && due(2, 620));
        assert!(!due(1, 10_000), "nothing has changed");
        assert!(series.is_due(2, Duration::from_millis(21), true));
        assert!(!series.is_due(1, Duration::from_millis(21), true));
    }
}
