//! A session as a text: the scene and what was done to it, each thing at its tick.

mod read;
mod rows;
mod write;
mod written;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::Source;
use written::EventTexts;
pub use written::Written;

/// The version of the format.
const VERSION: u32 = 1;

/// Stands at the beginning of the file.
const HEAD: &str = "\
# A session of Flockwork: a scene, and what was done to it, each thing at its tick.
# `flockwork run --replay FILE` shows it again; `flockwork capture --replay FILE --out FILM` draws it.

";

/// A recorded session.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The source of the flock.
    pub source: Source,
    /// The last tick.
    pub ticks: u64,
    events: Arc<EventTexts>,
}
