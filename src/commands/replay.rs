//! Reads a session that the window has saved, for the commands that replay it.

use std::path::Path;

use anyhow::{Context, Error};

use super::input::read_file;
use super::window_host::make;
use flockwork_session::{Opening, Recorded, Recording, Source};

/// Most bytes of a session file: as many as a scene file has, and as many again for the events.
const LONGEST: u64 = 1 << 27;

/// A session that can be replayed.
pub struct Replayed {
    /// The flock at the start.
    pub opening: Opening,
    /// The user's edits.
    pub events: Vec<Recorded>,
    /// The last tick.
    pub ticks: u64,
}

/// Reads the file of a session and makes its flock. `looks` are overrides of the scene that change no
/// flock: its style and its camera.
pub fn read(path: &Path, looks: &[String]) -> anyhow::Result<Replayed> {
    let place = || format!("--replay {}", path.display());
    let text = read_file(path, LONGEST);
    let text = text.with_context(|| format!("{}: cannot read it", place()))?;
    let recording = Recording::read(&text).map_err(Error::msg).with_context(place)?;
    let source = Source { overrides: looks.to_vec(), ..recording.source.clone() };
    let opening = make(source, None).with_context(place)?;
    let events = recording.events(&opening.scene).map_err(Error::msg).with_context(place)?;
    Ok(Replayed { opening, events, ticks: recording.ticks })
}
