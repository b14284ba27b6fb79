//! A session as a text: the scene and what was done to it, each edit at its tick.

mod read;
mod write;

#[cfg(test)]
mod tests;

use super::{Recorded, Source};
pub use write::Unsaved;

/// The version of the format.
const VERSION: u32 = 2;

/// Stands at the beginning of the file.
const HEAD: &str = "\
# A session of Flockwork: a scene, and what was done to it, each edit at its tick.
# `flockwork run --replay FILE` shows it again; `flockwork capture --replay FILE --out FILM` draws it.

";

/// A recorded session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recording {
    /// The source of the flock.
    pub source: Source,
    /// The last tick.
    pub ticks: u64,
    edits: Vec<Recorded>,
}

/// The reason why a text is no session, or a session no text. A sentence for the user.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct RecordingError(String);

impl From<String> for RecordingError {
    fn from(sentence: String) -> Self {
        Self(sentence)
    }
}

impl From<RecordingError> for String {
    fn from(error: RecordingError) -> Self {
        error.0
    }
}

/// The head of the file.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    /// The version of the format.
    session: u32,
    /// The last tick.
    ticks: u64,
    /// The built-in scene or the file that the scene was read from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    density: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    seed: Option<u32>,
    /// The text of the scene.
    scene: String,
}
