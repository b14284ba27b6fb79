//! Wall time, only for measuring passes.

use std::time::{Duration, Instant};

/// Measures time if the platform has a clock. The standard library has none for wasm in a browser;
/// there the elapsed time is zero.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Option<Instant>);

impl Stopwatch {
    /// Starts now, if `wanted`.
    #[must_use]
    pub fn start(wanted: bool) -> Self {
        Self((wanted && cfg!(not(target_arch = "wasm32"))).then(Instant::now))
    }

    #[must_use]
    pub fn elapsed(self) -> Duration {
        self.0.map_or(Duration::ZERO, |start| start.elapsed())
    }
}
