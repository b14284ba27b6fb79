//! How long frames and ticks take.

use std::collections::VecDeque;

/// The number of frames looked back at: ten seconds at 60 frames a second.
const KEPT: usize = 600;

/// The shares of frames, or of ticks, that are no slower than the times shown.
pub const SHARES: [(f64, &str); 3] = [(0.5, "p50"), (0.95, "p95"), (0.99, "p99")];

/// The last times of one thing; seconds.
#[derive(Clone, Debug, Default)]
pub struct Times(VecDeque<f64>);

impl Times {
    /// Adds the latest; forgets the oldest.
    pub fn note(&mut self, seconds: f64) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(seconds);
    }

    /// The times that these shares of all do not exceed (nearest rank); none without any.
    #[must_use]
    pub fn percentiles(&self) -> Option<[f64; SHARES.len()]> {
        let mut sorted: Vec<f64> = self.0.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        let rank = |share: f64| ((share * sorted.len() as f64).ceil() as usize).max(1) - 1;
        Some(SHARES.map(|(share, _)| sorted[rank(share).min(last)]))
    }
}

/// Times of frames and ticks.
#[derive(Clone, Debug, Default)]
pub struct Pace {
    /// From one frame to the next.
    pub frames: Times,
    /// A tick.
    pub ticks: Times,
    /// False before the first frame, and after a pause: such a frame has no beginning.
    begun: bool,
}

impl Pace {
    /// Notes a frame that began `elapsed` seconds after the last. It ran ticks of `tick` seconds, or
    /// none.
    pub fn note(&mut self, elapsed: f64, tick: Option<f64>) {
        if std::mem::replace(&mut self.begun, true) {
            self.frames.note(elapsed);
        }
        if let Some(tick) = tick.filter(|tick| *tick > 0.0) {
            self.ticks.note(tick);
        }
    }

    /// The clock stands still: the time to the next frame does not count.
    pub fn rest(&mut self) {
        self.begun = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_last_frames() {
        let mut times = Times::default();
        assert_eq!(times.percentiles(), None);
        times.note(7.0);
        assert_eq!(times.percentiles(), Some([7.0; 3]));
        // In any order; only the last 600 count.
        (0..200).for_each(|_| times.note(1e9));
        (1..=600).for_each(|number| times.note(f64::from(number * 7 % 601)));
        assert_eq!(times.percentiles(), Some([300.0, 570.0, 594.0]));
    }

    #[test]
    fn a_frame_after_a_pause_has_no_time() {
        let mut pace = Pace::default();
        pace.note(50.0, None);
        pace.note(0.02, Some(0.001));
        pace.rest();
        pace.note(90.0, Some(0.0));
        pace.note(0.02, Some(0.001));
        assert_eq!(pace.frames.percentiles(), Some([0.02; 3]));
        assert_eq!(pace.ticks.percentiles(), Some([0.001; 3]));
    }
}
