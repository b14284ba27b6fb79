//! How fast the flock moves and how often it is drawn. It reads no clock: the caller passes the time.

use flockwork_session::TICKS_PER_SECOND;

/// Seconds over which rates are averaged.
const WINDOW: f64 = 0.5;

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
    #[must_use]
    pub fn pace(&self) -> f64 {
        self.ticks / TICKS_PER_SECOND
    }
}

/// Counts frames and ticks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meter {
    /// False before the first frame.
    begun: bool,
    seconds: f64,
    ticks: u32,
    frames: u32,
    rates: Option<Rates>,
}

impl Meter {
    /// Notes a frame that began `elapsed` seconds after the last and ran `ticks`.
    pub fn note(&mut self, elapsed: f64, ticks: u32) {
        // Time before the first frame does not count.
        if !std::mem::replace(&mut self.begun, true) {
            return;
        }
        self.seconds += elapsed;
        self.ticks += ticks;
        self.frames += 1;
        if self.seconds >= WINDOW {
            let rate = |count: u32| f64::from(count) / self.seconds;
            let rates = Some(Rates { ticks: rate(self.ticks), frames: rate(self.frames) });
            *self = Self { begun: true, rates, ..Self::default() };
        }
    }

    /// Starts again after a pause: in a pause, frames are drawn only when something happens.
    pub fn restart(&mut self) {
        *self = Self::default();
    }

    /// The latest rates; `None` in the first half second.
    #[must_use]
    pub fn rates(&self) -> Option<Rates> {
        self.rates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_of_the_last_half_second() {
        let mut meter = Meter::default();
        let mut half_a_second = || {
            // The first frame has no beginning.
            meter.note(9.0, 8);
            assert_eq!(meter.rates(), None);
            (0..26).for_each(|_| meter.note(0.02, 2));
            let rates = meter.rates();
            meter.restart();
            rates.unwrap()
        };
        let rates = half_a_second();
        assert!((rates.frames - 50.0).abs() < 0.1 && (rates.ticks - 100.0).abs() < 0.2);
        assert!((rates.pace() - 100.0 / 60.0).abs() < 0.01);
        assert_eq!(half_a_second(), rates, "as after a pause");
    }
}
