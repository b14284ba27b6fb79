//! How fast the flock moves, and how long frames and ticks take. It reads no clock: the caller passes the
//! time.

use std::collections::VecDeque;

use flockwork_session::TICKS_PER_SECOND;

/// Seconds over which rates are averaged.
const WINDOW: f64 = 0.5;

/// The number of frames looked back at: ten seconds at 60 frames a second.
const KEPT: usize = 600;

/// The shares of frames, or of ticks, that are no slower than the times shown.
pub const SHARES: [(f64, &str); 3] = [(0.5, "p50"), (0.95, "p95"), (0.99, "p99")];

/// Rates of the last half second or so.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// Ticks a second.
    pub ticks: f64,
    /// Frames a second.
    pub frames: f64,
}

impl Rates {
    /// Simulated time over real time.
    pub fn pace(&self) -> f64 {
        self.ticks / TICKS_PER_SECOND
    }
}

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

    /// Percentiles by nearest rank; `None` without samples.
    pub fn percentiles(&self) -> Option<[f64; SHARES.len()]> {
        let mut sorted: Vec<f64> = self.0.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        let rank = |share: f64| ((share * sorted.len() as f64).ceil() as usize).max(1) - 1;
        Some(SHARES.map(|(share, _)| sorted[rank(share).min(last)]))
    }
}

/// Times and rates of frames and ticks.
#[derive(Clone, Debug, Default)]
pub struct Pace {
    /// From one frame to the next.
    pub frames: Times,
    /// A tick.
    pub ticks: Times,
    /// The latest rates; `None` in the first half second.
    pub rates: Option<Rates>,
    /// Seconds, ticks and frames of the next rates; `None` before the first frame and after a pause, for
    /// such a frame has no beginning.
    window: Option<(f64, u32, u32)>,
}

impl Pace {
    /// Notes a frame that began `elapsed` seconds after the last. It ran `ticks`, of `tick` seconds each.
    pub fn note(&mut self, elapsed: f64, ticks: u32, tick: f64) {
        if ticks > 0 && tick > 0.0 {
            self.ticks.note(tick);
        }
        let Some((seconds, all_ticks, frames)) = &mut self.window else {
            self.window = Some((0.0, 0, 0));
            return;
        };
        self.frames.note(elapsed);
        *seconds += elapsed;
        *all_ticks += ticks;
        *frames += 1;
        if *seconds >= WINDOW {
            let rate = |count: u32| f64::from(count) / *seconds;
            self.rates = Some(Rates { ticks: rate(*all_ticks), frames: rate(*frames) });
            self.window = Some((0.0, 0, 0));
        }
    }

    /// The clock stands still: the time to the next frame does not count, and there are no rates.
    pub fn rest(&mut self) {
        (self.window, self.rates) = (None, None);
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
        pace.note(50.0, 0, 0.0);
        pace.note(0.02, 1, 0.001);
        pace.rest();
        pace.note(90.0, 1, 0.0);
        pace.note(0.02, 1, 0.001);
        assert_eq!(pace.frames.percentiles(), Some([0.02; 3]));
        assert_eq!(pace.ticks.percentiles(), Some([0.001; 3]));
    }

    #[test]
    fn rates_are_those_of_the_last_half_second() {
        let mut pace = Pace::default();
        let mut half_a_second = || {
            // The first frame has no beginning.
            pace.note(9.0, 8, 0.0);
            assert_eq!(pace.rates, None);
            (0..26).for_each(|_| pace.note(0.02, 2, 0.0));
            let rates = pace.rates;
            pace.rest();
            rates.unwrap()
        };
        let rates = half_a_second();
        assert!((rates.frames - 50.0).abs() < 0.1 && (rates.ticks - 100.0).abs() < 0.2);
        assert!((rates.pace() - 100.0 / 60.0).abs() < 0.01);
        assert_eq!(half_a_second(), rates, "as after a pause");
    }
}
