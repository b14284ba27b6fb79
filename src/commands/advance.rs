//! Advancing an engine by many ticks, so that a progress bar moves and Ctrl-C is heard.

use std::time::{Duration, Instant};

use super::interrupt::Interrupt;
use crate::engine::{Engine, EngineError};

/// Longest time between two looks at the interrupt flag, as far as one tick allows.
const LONGEST: Duration = Duration::from_millis(100);
/// Below this, more ticks are submitted at once: waiting for the device has its price too.
const SHORTEST: Duration = Duration::from_millis(25);
/// Most ticks at once.
const MOST: u32 = 256;

/// Steps an engine in portions that adapt to its speed. The result does not depend on them.
#[derive(Debug)]
pub struct Pace {
    portion: u32,
    interrupt: Interrupt,
    /// When the last advance ahead began.
    ahead: Option<Instant>,
    /// Time spent in the engine.
    pub stepping: Duration,
}

impl Pace {
    /// Stops when `interrupt` is raised.
    #[must_use]
    pub fn new(interrupt: Interrupt) -> Self {
        Self { portion: 1, interrupt, ahead: None, stepping: Duration::ZERO }
    }

    /// True once the command should stop.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.is_raised()
    }

    /// Advances by `ticks`, or fewer when interrupted. Returns by how many. `done` hears of every
    /// portion.
    pub fn advance(
        &mut self,
        engine: &mut dyn Engine,
        ticks: u64,
        done: impl FnMut(u64),
    ) -> Result<u64, EngineError> {
        self.advance_by(engine, ticks, true, done)
    }

    /// The same, but the device may still be at work on the last portion on return. Who calls this
    /// again and again waits for something else now and then, such as a picture.
    pub fn advance_ahead(
        &mut self,
        engine: &mut dyn Engine,
        ticks: u64,
    ) -> Result<u64, EngineError> {
        // What the caller waited for came after the ticks of an earlier call: how often it calls is
        // how fast the device is. Only smaller portions are waited for in between.
        let before = self.ahead.replace(Instant::now());
        if before.is_some_and(|before| before.elapsed() > LONGEST) {
            self.portion = (self.portion / 2).max(1);
        }
        self.advance_by(engine, ticks, false, |_| {})
    }

    fn advance_by(
        &mut self,
        engine: &mut dyn Engine,
        ticks: u64,
        finish: bool,
        mut done: impl FnMut(u64),
    ) -> Result<u64, EngineError> {
        let mut left = ticks;
        while left > 0 && !self.interrupt.is_raised() {
            let portion = left.min(u64::from(self.portion)) as u32;
            let start = Instant::now();
            engine.step(portion)?;
            left -= u64::from(portion);
            let waits = finish || left > 0;
            if waits {
                engine.finish()?;
            }
            let took = start.elapsed();
            self.stepping += took;
            // Time that does not hold the work tells nothing of the device's speed.
            if waits && took < SHORTEST {
                self.portion = (self.portion * 2).min(MOST);
            } else if took > LONGEST {
                self.portion = (self.portion / 2).max(1);
            }
            done(u64::from(portion));
        }
        Ok(ticks - left)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::engine::{AgentsAt, Change, EngineKind, Profile, Snapshot};
    use crate::model::scene::Scene;
    use crate::model::state::FlockState;

    /// An engine whose agents fly straight ahead. Raises `interrupt` after `stop_after` ticks of all
    /// that it does.
    #[derive(Default)]
    pub struct Straight {
        pub state: FlockState,
        pub ticks: u64,
        /// How long it sleeps over each.
        pub sleeps: Duration,
        pub stop_after: Option<u64>,
        pub interrupt: Interrupt,
    }

    impl Engine for Straight {
        fn kind(&self) -> EngineKind {
            EngineKind::Cpu
        }
        fn describe(&self) -> String {
            "straight lines".into()
        }
        fn load(&mut self, _: &Scene, state: &FlockState) -> Result<(), EngineError> {
            self.state = state.clone();
            Ok(())
        }
        fn update(&mut self, _: &Scene, _: Change) -> Result<(), EngineError> {
            Ok(())
        }
        fn append(&mut self, _: &FlockState) -> Result<(), EngineError> {
            Ok(())
        }
        fn remove(&mut self, _: &[u32]) -> Result<(), EngineError> {
            Ok(())
        }
        fn step(&mut self, ticks: u32) -> Result<(), EngineError> {
            for _ in 0..ticks {
                self.state.tick += 1;
                self.ticks += 1;
                std::thread::sleep(self.sleeps);
                for (p, v) in self.state.position.iter_mut().zip(&self.state.velocity) {
                    *p += *v;
                }
                if self.stop_after == Some(self.ticks) {
                    self.interrupt.raise();
                }
            }
            Ok(())
        }
        fn request(&mut self) -> Result<(), EngineError> {
            Ok(())
        }
        fn poll(&mut self) -> Result<Option<Snapshot>, EngineError> {
            Ok(None)
        }
        fn agents(&self) -> AgentsAt<'_> {
            AgentsAt::Host((&self.state).into())
        }
        fn set_profiling(&mut self, _: bool) {}
        fn profile(&mut self) -> Profile {
            Profile::default()
        }
        fn largest_cell(&mut self) -> u32 {
            0
        }
        fn finish(&mut self) -> Result<(), EngineError> {
            Ok(())
        }
        fn snapshot(&mut self) -> Result<Snapshot, EngineError> {
            Ok(Snapshot { state: self.state.clone(), targets: Vec::new() })
        }
    }

    #[test]
    fn all_ticks_are_done_unless_interrupted() {
        let mut engine = Straight::default();
        let mut heard = 0;
        let mut pace = Pace::new(Interrupt::default());
        assert_eq!(pace.advance(&mut engine, 1000, |n| heard += n), Ok(1000));
        assert_eq!((engine.state.tick, heard), (1000, 1000));

        assert_eq!(pace.advance_ahead(&mut engine, 1000), Ok(1000));
        assert_eq!(engine.state.tick, 2000);

        let interrupt = Interrupt::default();
        let mut engine =
            Straight { stop_after: Some(3), interrupt: interrupt.clone(), ..Straight::default() };
        let done = Pace::new(interrupt).advance(&mut engine, 1000, |_| {});
        assert_eq!(done, Ok(engine.state.tick));
        assert_eq!(engine.state.tick, 3);
    }
}
