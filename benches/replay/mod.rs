//! Ticks soon after a uniform start, at each measured density.

use flockwork::engine::Engine;

use crate::common::Flock;

/// Mean neighbours of the uniform flock that each measurement starts from.
pub const DENSITIES: [f32; 3] = [10.0, 30.0, 100.0];
/// Ticks before measuring: the device compiles, clock rates settle.
const WARM_UP: u32 = 3;
/// Ticks after which a measurement restarts: flocks form and get denser over time.
const REPLAY: u64 = 20;

impl Flock {
    /// Runs `ticks` ticks, a few at a time, each time from the first state.
    pub fn replay(
        &self,
        engine: &mut dyn Engine,
        ticks: u64,
        mut measure: impl FnMut(&mut dyn Engine, u32),
    ) {
        let mut left = ticks;
        while left > 0 {
            engine.load(&self.scene, &self.state).expect("the flock fits");
            engine.step(WARM_UP).expect("the engine runs");
            engine.finish().expect("the engine runs");
            let now = left.min(REPLAY);
            measure(engine, now as u32);
            left -= now;
        }
    }
}
