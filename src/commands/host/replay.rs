//! Makes the flocks that the window and the commands open: of a text, and of a session to replay.

use std::path::Path;

use anyhow::Context;

use crate::commands::files::scene_files::{populate, with_flow};
use crate::input::read_file;
use crate::scene_file::MAX_SCENE;
use flockwork_engine::Engine;
use flockwork_model::quote::cut;
use flockwork_model::scene::Scene;
use flockwork_session::{Opening, Recorded, Recording, Source};

/// The name of a pasted scene in messages.
const PASTED: &str = "pasted";

/// Most bytes of a session file: as many as a scene file has, and as many again for the events.
pub const MAX_SESSION: u64 = 1 << 27;

/// The user's edits in a session that is replayed, and its last tick.
pub type Edits = (Vec<Recorded>, u64);

/// Reads the file of a session and makes its flock. `looks` are overrides of the scene that change no
/// flock: its style and its camera.
pub fn read(path: &Path, looks: &[String]) -> anyhow::Result<(Opening, Edits)> {
    let place = || format!("--replay {}", path.display());
    let text = read_file(path, MAX_SESSION);
    let text = text.with_context(|| format!("{}: cannot read it", place()))?;
    let recording = Recording::read(&text).with_context(place)?;
    let source = Source { overrides: looks.to_vec(), ..recording.source.clone() };
    let opening = make(source, None).with_context(place)?;
    let events = recording.events(&opening.scene).with_context(place)?;
    Ok((opening, (events, recording.ticks)))
}

/// Makes the flock of a source, for an engine that must hold it if it is known.
pub fn make(source: Source, engine: Option<&dyn Engine>) -> anyhow::Result<Opening> {
    let name = source.argument.as_deref().unwrap_or(PASTED);
    if source.text.len() as u64 > MAX_SCENE {
        anyhow::bail!("{}: a scene has at most {} MB of text", cut(name), MAX_SCENE >> 20);
    }
    let scene = Scene::parse_with(name, &source.text, &source.overrides)?;
    let scene = with_flow(scene, source.argument.as_deref())?;
    let (scene, state) = populate(&scene, &source.request, engine)?;
    Ok(Opening { source, scene, state })
}
