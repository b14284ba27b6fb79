//! How many ticks to run now, and how fast things go. Pure: time is passed in.

/// Ticks in a second of real time.
pub const TICKS_PER_SECOND: f64 = 60.0;

/// Ticks of one frame may take this many seconds, or as long as the rest of the frame takes if
/// that is longer: 20 frames a second still look like motion, and where drawing is slow there is
/// no point in being stingy with ticks.
const FRAME_BUDGET: f64 = 0.05;

/// Most ticks of one frame, however cheap: after a hitch the flock must not jump.
const MOST_TICKS: u32 = 8;

/// Turns real time into ticks of fixed length. What cannot be caught up with is dropped: the
/// flock then moves slower than real time, but no tick is longer than another.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    /// Ticks that real time is ahead by. Between -0.5 and 0.5 after a frame: it is rounded, not cut
    /// off, so that a screen of 60 Hz with jitter gets one tick a frame and not 0, 2, 0, 2.
    behind: f64,
    paused: bool,
    /// True from the end of a pause to the next frame, before which no time has passed.
    resumed: bool,
    /// Ticks asked for one by one.
    single: u32,
    /// Ticks of the last frame.
    ran: u32,
}

impl Clock {
    /// True while only single ticks are run.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Pauses or goes on.
    pub fn toggle(&mut self) {
        self.resumed = self.paused;
        self.paused = !self.paused;
        self.forget();
    }

    /// Pauses and asks for one tick.
    pub fn step_once(&mut self) {
        self.paused = true;
        self.single += 1;
    }

    /// Starts afresh from now, as after a time in which nothing was shown.
    pub fn forget(&mut self) {
        self.behind = 0.0;
        self.single = 0;
    }

    /// Ticks to run in a frame that begins `elapsed` seconds after the last, when a tick takes
    /// `cost` seconds.
    pub fn advance(&mut self, elapsed: f64, cost: f64) -> u32 {
        if self.paused {
            self.ran = 0;
            return std::mem::take(&mut self.single);
        }
        let elapsed = if std::mem::take(&mut self.resumed) { 0.0 } else { elapsed };
        let rest = elapsed - f64::from(self.ran) * cost;
        self.behind += elapsed.max(0.0) * TICKS_PER_SECOND;
        let due = (self.behind + 0.5).floor();
        self.behind -= due;
        // A quotient by zero is infinite, and that is right.
        let budget = FRAME_BUDGET.max(rest);
        let affordable = (budget / cost.max(0.0)).floor().clamp(1.0, f64::from(MOST_TICKS));
        self.ran = due.min(affordable) as u32;
        self.ran
    }
}

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
    /// False until there is a frame to count from.
    begun: bool,
    seconds: f64,
    ticks: u32,
    frames: u32,
    rates: Option<Rates>,
}

impl Meter {
    /// Notes a frame that began `elapsed` seconds after the last and ran `ticks`.
    pub fn note(&mut self, elapsed: f64, ticks: u32) {
        // What came before the first frame is no part of the run.
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

    /// Starts afresh: frames of a pause come when something happens, and have no rate.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// The last rates known; none in the first half second.
    #[must_use]
    pub fn rates(&self) -> Option<Rates> {
        self.rates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(frames: u32, elapsed: impl Fn(u32) -> f64, cost: f64) -> Vec<u32> {
        let mut clock = Clock::default();
        (0..frames).map(|frame| clock.advance(elapsed(frame), cost)).collect()
    }

    #[test]
    fn a_jittering_screen_of_sixty_hertz_gets_one_tick_a_frame() {
        let jitter = |frame| (1.0 + [0.2, -0.2, 0.1, -0.1][frame as usize % 4]) / 60.0;
        assert_eq!(run(600, jitter, 0.0), vec![1; 600]);
    }

    #[test]
    fn any_screen_gets_sixty_ticks_a_second() {
        for rate in [24_u32, 30, 60, 75, 144, 240] {
            let ticks: u32 = run(10 * rate, |_| 1.0 / f64::from(rate), 0.001).iter().sum();
            assert!((599..=601).contains(&ticks), "{rate} Hz: {ticks} in ten seconds");
        }
    }

    #[test]
    fn a_slow_engine_runs_one_tick_a_frame_and_drops_time() {
        // Each frame takes as long as its tick: twelve are due, and one is run.
        assert_eq!(run(50, |_| 0.2, 0.2), vec![1; 50]);
        // Frames of 33 ms: two are due, and the budget has room for two of 20 ms.
        assert!(run(50, |_| 1.0 / 30.0, 0.02).iter().all(|ticks| *ticks == 2));
    }

    #[test]
    fn slow_drawing_leaves_time_for_ticks() {
        let mut clock = Clock::default();
        let mut ran = 0;
        for _ in 0..20 {
            ran = clock.advance(0.5 + f64::from(ran) * 0.1, 0.1);
        }
        assert_eq!(ran, 5, "ticks take as long as drawing does");
    }

    #[test]
    fn a_hitch_is_not_caught_up_with() {
        let ticks = run(10, |frame| if frame == 3 { 5.0 } else { 1.0 / 60.0 }, 0.0);
        assert_eq!(ticks, [1, 1, 1, 8, 1, 1, 1, 1, 1, 1]);
    }

    #[test]
    fn paused_it_runs_single_ticks_alone() {
        let mut clock = Clock::default();
        clock.step_once();
        clock.step_once();
        assert!(clock.is_paused());
        assert_eq!([clock.advance(1.0, 0.0), clock.advance(1.0, 0.0)], [2, 0]);
    }

    #[test]
    fn a_pause_is_not_caught_up_with() {
        let mut clock = Clock::default();
        clock.toggle();
        assert_eq!(clock.advance(1.0, 0.0), 0);
        clock.toggle();
        assert_eq!([clock.advance(5.0, 0.0), clock.advance(1.0 / 60.0, 0.0)], [0, 1]);
    }

    #[test]
    fn rates_are_those_of_the_last_half_second() {
        let mut meter = Meter::default();
        let mut half_a_second = || {
            // The first frame has no beginning.
            meter.note(9.0, 8);
            assert_eq!(meter.rates(), None);
            (0..26).for_each(|_| meter.note(0.02, 2));
            let rates = meter.rates();
            meter.forget();
            rates.unwrap()
        };
        let rates = half_a_second();
        assert!((rates.frames - 50.0).abs() < 0.1 && (rates.ticks - 100.0).abs() < 0.2);
        assert!((rates.pace() - 100.0 / 60.0).abs() < 0.01);
        assert_eq!(half_a_second(), rates, "as after a pause");
    }
}
