//! The window goes through time: pause, steps, leaps, speeds.

use super::OpenWindow;
use flockwork_session::TICKS_PER_SECOND;

/// Ticks of a leap.
pub(super) const SECOND: i64 = TICKS_PER_SECOND as i64;

impl OpenWindow<'_> {
    /// Pauses or goes on. On the way to a tick it stays where it is.
    pub(super) fn pause(&mut self) {
        if self.session.goal().is_some() {
            self.session.cancel_seek();
            return self.session.clock.pause();
        }
        self.session.clock.toggle();
    }

    /// Pauses and runs one tick.
    pub(super) fn step(&mut self) {
        match self.session.goal() {
            Some(goal) => self.session.seek_to(goal.saturating_add(1)),
            None => self.session.clock.step_once(),
        }
    }

    /// Pauses one tick before.
    pub(super) fn step_back(&mut self) {
        self.session.clock.pause();
        self.leap(-1);
    }

    /// Goes forward by this number of ticks, or back if it is negative.
    pub(super) fn leap(&mut self, ticks: i64) {
        let from = self.session.goal().unwrap_or(self.session.tick());
        self.go_to(from.saturating_add_signed(ticks));
    }

    /// Begins to go to a tick.
    pub(super) fn go_to(&mut self, tick: u64) {
        self.session.seek_to(tick);
        self.panels.metrics.pace.rest();
    }

    /// Lets time go slower or faster, and says how fast.
    pub(super) fn change_speed(&mut self, by: isize) {
        let speed = self.session.clock.speed().step(by);
        self.session.clock.set_speed(speed);
        self.panels.metrics.pace.rest();
        self.notify(format!("speed {speed}"));
    }
}
