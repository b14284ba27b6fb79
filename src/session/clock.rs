//! Decides how many ticks to run now. Pure: the time is an argument.

use std::time::Duration;

use super::speed::Speed;

/// Ticks per second of real time.
pub const TICKS_PER_SECOND: f64 = 60.0;

/// The difference between hosts: when ticks are due, and when the flock is shown.
pub trait Clock {
    /// Number of ticks to run now. `now` is the host's time, `done` the tick that the flock has
    /// reached, `cost` the latest known time of a tick in seconds (0 at first).
    fn due(&mut self, now: Duration, done: u64, cost: f64) -> u32;

    /// True if the host shows the flock at tick `done`.
    fn shows(&self, done: u64) -> bool;

    /// True while no ticks become due by themselves.
    fn is_paused(&self) -> bool {
        false
    }

    /// Restarts the clock: the time before the next call of [`Clock::due`] does not count.
    fn restart(&mut self);
}

/// Time that the ticks of one frame may take, in seconds; if the rest of the frame takes longer, as
/// long as that. 20 frames a second still look like motion, and slow drawing leaves time for ticks.
const FRAME_BUDGET: f64 = 0.05;

/// The most ticks of one frame in real time, even if they are cheap: after a hitch the flock must
/// not jump. A clock that is n times as fast has n times as many.
const MAX_TICKS: u32 = 8;

/// The most ticks of one frame at unlimited speed.
const MAX_UNLIMITED: f64 = 4096.0;

/// Real time or a multiple of it: [`TICKS_PER_SECOND`] ticks of fixed length, and every call shows the
/// flock. Ticks that would take too long are dropped. The flock is then slower than real time, but all
/// ticks have the same length.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealTime {
    /// The last call; `None` before the first, and after time that does not count.
    last: Option<Duration>,
    /// Number of ticks that the flock is behind real time. Between -0.5 and 0.5 after a frame: due
    /// ticks are rounded, not cut off, so that a 60 Hz screen with jitter gets one tick per frame
    /// and not 0, 2, 0, 2.
    behind: f64,
    paused: bool,
    /// True while the user drags through time.
    held: bool,
    /// Ticks of every frame, whatever time it is.
    locked: Option<u32>,
    speed: Speed,
    /// Ticks requested one by one.
    single: u32,
    /// Ticks of the last frame.
    ran: u32,
}

impl RealTime {
    /// Pauses or resumes.
    pub fn toggle(&mut self) {
        self.paused = !self.paused;
        self.restart();
    }

    /// Pauses.
    pub fn pause(&mut self) {
        if !self.paused {
            self.toggle();
        }
    }

    /// Freezes while `held`; resumes unless paused.
    pub fn hold(&mut self, held: bool) {
        if std::mem::replace(&mut self.held, held) != held {
            self.restart();
        }
    }

    /// Every frame runs so many ticks, however long that takes; `None`: as real time asks for.
    pub fn lock(&mut self, ticks: Option<u32>) {
        self.locked = ticks;
        self.restart();
    }

    /// How fast time goes.
    #[must_use]
    pub fn speed(&self) -> Speed {
        self.speed
    }

    /// Sets how fast time goes.
    pub fn set_speed(&mut self, speed: Speed) {
        self.speed = speed;
        self.restart();
    }

    /// Pauses and requests one tick.
    pub fn step_once(&mut self) {
        self.paused = true;
        self.single += 1;
    }
}

impl Clock for RealTime {
    fn due(&mut self, now: Duration, _: u64, cost: f64) -> u32 {
        let last = self.last.replace(now);
        if self.is_paused() {
            self.ran = 0;
            return std::mem::take(&mut self.single);
        }
        if let Some(ticks) = self.locked {
            self.ran = ticks;
            return ticks;
        }
        let elapsed = last.map_or(0.0, |last| now.saturating_sub(last).as_secs_f64());
        let rest = elapsed - f64::from(self.ran) * cost;
        let factor = self.speed.factor();
        let most = (f64::from(MAX_TICKS) * factor.max(1.0)).min(MAX_UNLIMITED);
        let due = match self.speed {
            // A tick of unknown cost is tried first.
            Speed::Unlimited if cost <= 0.0 => 1.0,
            Speed::Unlimited => most,
            _ => {
                self.behind += elapsed * TICKS_PER_SECOND * factor;
                let due = (self.behind + 0.5).floor();
                self.behind -= due;
                due
            }
        };
        // Division by zero gives infinity, which the clamp limits.
        let budget = FRAME_BUDGET.max(rest);
        let affordable = (budget / cost.max(0.0)).floor().clamp(1.0, most);
        self.ran = due.min(affordable) as u32;
        self.ran
    }

    fn shows(&self, _: u64) -> bool {
        true
    }

    fn is_paused(&self) -> bool {
        self.paused || self.held
    }

    fn restart(&mut self) {
        (self.last, self.behind, self.single) = (None, 0.0, 0);
    }
}

/// Longest time between two calls, unless one tick takes longer: a host checks for Ctrl-C in
/// between.
const MAX_CALL: Duration = Duration::from_millis(100);

/// Below this time, more ticks are submitted at once, because waiting for the device costs time
/// too.
const MIN_CALL: Duration = Duration::from_millis(25);

/// The most ticks at once.
const MAX_AT_ONCE: u32 = 256;

/// As fast as possible, with stops at ticks that the host sets. The flock is shown at the stops.
/// Ticks are submitted in portions that adapt to the engine's speed; the result does not depend on
/// them.
///
/// A host that waits for the device between two calls gets portions of 25 to 100 ms.
#[derive(Clone, Copy, Debug)]
pub struct Stops {
    stop: u64,
    portion: u32,
    /// The time of the last call, and whether it submitted a whole portion.
    last: Option<(Duration, bool)>,
}

impl Default for Stops {
    fn default() -> Self {
        Self { stop: 0, portion: 1, last: None }
    }
}

impl Stops {
    /// Sets the next tick at which the flock is shown.
    pub fn stop_at(&mut self, tick: u64) {
        self.stop = tick;
    }
}

impl Clock for Stops {
    fn due(&mut self, now: Duration, done: u64, _: f64) -> u32 {
        if let Some((last, whole)) = self.last {
            let took = now.saturating_sub(last);
            if took > MAX_CALL {
                self.portion = (self.portion / 2).max(1);
            } else if took < MIN_CALL && whole {
                self.portion = (self.portion * 2).min(MAX_AT_ONCE);
            }
        }
        let left = self.stop.saturating_sub(done);
        let due = left.min(u64::from(self.portion)) as u32;
        self.last = Some((now, due == self.portion));
        due
    }

    fn shows(&self, done: u64) -> bool {
        done >= self.stop
    }

    fn restart(&mut self) {
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock whose time advances by given steps.
    #[derive(Default)]
    struct Elapsed(RealTime, f64);

    impl Elapsed {
        fn advance(&mut self, elapsed: f64, cost: f64) -> u32 {
            // The time of the first call is the start.
            self.0.last.get_or_insert(Duration::from_secs_f64(self.1));
            self.1 += elapsed;
            self.0.due(Duration::from_secs_f64(self.1), 0, cost)
        }
    }

    fn run(frames: u32, elapsed: impl Fn(u32) -> f64, cost: f64) -> Vec<u32> {
        let mut clock = Elapsed::default();
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
        // Each frame takes as long as its tick: twelve are due, and one runs.
        assert_eq!(run(50, |_| 0.2, 0.2), vec![1; 50]);
        // Frames of 33 ms: two are due, and two of 20 ms fit the budget.
        assert!(run(50, |_| 1.0 / 30.0, 0.02).iter().all(|ticks| *ticks == 2));
    }

    #[test]
    fn slow_drawing_leaves_time_for_ticks() {
        let mut clock = Elapsed::default();
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
        let mut clock = Elapsed::default();
        clock.0.step_once();
        clock.0.step_once();
        assert!(clock.0.is_paused());
        assert_eq!([clock.advance(1.0, 0.0), clock.advance(1.0, 0.0)], [2, 0]);
    }

    #[test]
    fn a_clock_goes_as_fast_as_it_is_told_to() {
        for (speed, wanted) in [
            (Speed::Quarter, 150),
            (Speed::Half, 300),
            (Speed::Times(4), 2400),
            (Speed::Times(64), 38_400),
        ] {
            let mut clock = Elapsed::default();
            clock.0.set_speed(speed);
            let ticks: u32 = (0..600).map(|_| clock.advance(1.0 / 60.0, 0.0)).sum();
            assert!(ticks.abs_diff(wanted) <= wanted / 300, "{speed}: {ticks} in ten seconds");
        }
        // As many as fit into a frame; one first, to see how long it takes.
        let mut clock = Elapsed::default();
        clock.0.set_speed(Speed::Unlimited);
        assert_eq!([clock.advance(0.1, 0.0), clock.advance(0.1, 0.001)], [1, 50 + 50 - 1]);
        clock.0.hold(true);
        assert_eq!(clock.advance(0.1, 0.001), 0, "the user holds it");
        clock.0.hold(false);
        clock.0.set_speed(Speed::One);
        clock.0.lock(Some(2));
        assert_eq!([clock.advance(0.0, 1.0), clock.advance(9.0, 1.0)], [2, 2]);
        clock.0.lock(None);
        assert_eq!(clock.advance(1.0 / 60.0, 0.0), 1, "nothing is left of the speed before");
    }

    #[test]
    fn a_pause_is_not_caught_up_with() {
        let mut clock = RealTime::default();
        let due = |clock: &mut RealTime, at: f64| clock.due(Duration::from_secs_f64(at), 0, 0.0);
        assert_eq!([due(&mut clock, 1.0), due(&mut clock, 1.0 + 1.0 / 60.0)], [0, 1]);
        clock.toggle();
        assert_eq!(due(&mut clock, 2.0), 0);
        clock.toggle();
        assert_eq!([due(&mut clock, 7.0), due(&mut clock, 7.0 + 1.0 / 60.0)], [0, 1]);
    }

    #[test]
    fn stops_are_reached_in_portions_that_double_while_they_are_short() {
        let mut clock = Stops::default();
        clock.stop_at(1000);
        let (mut now, mut done, mut portions) = (Duration::ZERO, 0, Vec::new());
        while !clock.shows(done) {
            let due = clock.due(now, done, 0.0);
            // A tick takes 5 ms.
            now += Duration::from_millis(5) * due;
            done += u64::from(due);
            portions.push(due);
        }
        assert_eq!(done, 1000);
        assert_eq!(portions[..6], [1, 2, 4, 8, 8, 8]);
        // The machine becomes slow: 40 ms a tick.
        clock.stop_at(2000);
        let portions: Vec<u32> = (0..6)
            .map(|_| {
                let due = clock.due(now, done, 0.0);
                now += Duration::from_millis(40) * due;
                done += u64::from(due);
                due
            })
            .collect();
        assert_eq!(portions, [8, 4, 2, 2, 2, 2]);
    }

    #[test]
    fn a_portion_ends_at_the_stop_and_a_short_one_says_nothing_of_the_speed() {
        let mut clock = Stops { portion: 64, ..Stops::default() };
        let mut done = 0;
        for stop in [3, 6, 9, 12] {
            clock.stop_at(stop);
            assert_eq!(clock.due(Duration::from_millis(stop), done, 0.0), 3);
            done = stop;
            assert!(clock.shows(done) && !clock.shows(done - 1));
        }
        assert_eq!(clock.portion, 64);
        assert_eq!(clock.due(Duration::from_secs(1), done, 0.0), 0, "there is nothing left");
    }
}
