//! Wall time, for what passes take and nothing else.

use std::time::{Duration, Instant};

/// Runs while passes are measured, where the platform has a clock: a browser's wasm has none that
/// the standard library knows, and there no time passes.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Option<Instant>);

impl Stopwatch {
    /// Starts now, if it is wanted.
    #[must_use]
    pub fn start(wanted: bool) -> Self {
        Self((wanted && cfg!(not(target_arch = "wasm32"))).then(Instant::now))
    }

    /// The time since the start.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        self.0.map_or(Duration::ZERO, |start| start.elapsed())
    }
}
