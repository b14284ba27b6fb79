//! Reads the file of a recorded session.

use serde::Deserialize;
use serde::de::Error;

use super::{Head, Recording, RecordingError, VERSION};
use crate::edit::{check, fit, quoted};
use crate::{Edit, Recorded, Source};
use flockwork_model::quote::cut;
use flockwork_model::scene::{Request, Scene};
use flockwork_model::toml_words::problem;

/// The longest session: more ticks than any run has.
const MAX_TICKS: u64 = 1 << 52;

/// The table of an edit.
const EVENT: &str = "event";

/// The text of one edit: its tick and one key.
struct Row(Recorded);

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut table = toml::Table::deserialize(deserializer)?;
        let tick = table.remove("tick").ok_or_else(|| D::Error::missing_field("tick"))?;
        let tick = tick.try_into().map_err(|error| D::Error::custom(plain(&error)))?;
        if table.len() != 1 {
            let keys: Vec<&str> = table.keys().map(String::as_str).collect();
            let keys = if keys.is_empty() { "nothing".into() } else { keys.join(", ") };
            return Err(D::Error::custom(format!(
                "an event has its tick and one edit, not {}",
                cut(&keys)
            )));
        }
        let edit = Edit::deserialize(table).map_err(|error| D::Error::custom(plain(&error)))?;
        Ok(Self(Recorded { tick, edit }))
    }
}

/// The message of the library in one line.
fn plain(error: &toml::de::Error) -> String {
    let message = error.message().lines().next().unwrap_or_default();
    problem(&message.replacen("unknown variant", "unknown field", 1))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    event: (Row,),
}

/// The first bytes of the lines that begin an event. A file is read event by event, so that it takes
/// memory by its length.
fn starts(text: &str) -> Vec<usize> {
    let is_event = |line: &str| {
        let name = line.trim_start().strip_prefix("[[").and_then(|rest| rest.split_once("]]"));
        name.is_some_and(|(name, _)| name.trim() == EVENT)
    };
    let mut end = 0;
    let lines = text.split_inclusive('\n').filter_map(|line| {
        let start = end;
        end += line.len();
        is_event(line).then_some(start)
    });
    lines.collect()
}

/// An error in the part of a file that begins after `before`, in one sentence.
fn unread(error: &toml::de::Error, before: &str, part: &str) -> String {
    let start = error.span().map_or(0, |span| span.start);
    let lines = |text: &str| text.matches('\n').count();
    let line = 1 + lines(before) + part.get(..start).map_or(0, lines);
    format!("line {line}: {}; is this a saved session?", cut(&plain(error)))
}

impl Recording {
    /// True if a text says that it is a saved session: the key `session` is at its top.
    #[must_use]
    pub fn is_meant_by(text: &str) -> bool {
        let top = text.lines().map(str::trim).take_while(|line| !line.starts_with('['));
        let key =
            |line: &str| line.strip_prefix("session").map(|rest| rest.trim_start().to_string());
        top.filter_map(key).any(|rest| rest.starts_with('='))
    }

    /// Reads the text of a file. The error is one sentence without the file's name.
    pub fn read(text: &str) -> Result<Self, RecordingError> {
        let mut starts = starts(text);
        let head = &text[..starts.first().copied().unwrap_or(text.len())];
        let read = toml::from_str(head).map_err(|error| unread(&error, "", head))?;
        let Head { session, ticks, from, count, density, seed, scene } = read;
        if session != VERSION {
            return Err(RecordingError(format!(
                "this is a session of version {session}, and this program reads version {VERSION}"
            )));
        }
        starts.push(text.len());
        let mut edits: Vec<Recorded> = Vec::new();
        for range in starts.windows(2) {
            let (before, part) = (&text[..range[0]], &text[range[0]..range[1]]);
            let table: Result<Table, _> = toml::from_str(&quoted(part));
            let Row(event) = table.map_err(|error| unread(&error, before, part))?.event.0;
            if edits.last().is_some_and(|last| event.tick < last.tick) {
                let number = edits.len() + 1;
                let problem = format!("event {number} has an earlier tick than the one before it");
                return Err(RecordingError(problem));
            }
            edits.push(event);
        }
        if ticks > MAX_TICKS || edits.last().is_some_and(|last| last.tick > ticks) {
            let problem = format!("its last tick, {ticks}, is before its last event, or too far");
            return Err(RecordingError(problem));
        }
        let density = density.map(|density| density as f32);
        let request = Request { count, density, seed };
        let source = Source { argument: from, text: scene, overrides: Vec::new(), request };
        Ok(Self { source, ticks, edits })
    }

    /// The edits, for the scene that the source has made. Fails if one of them cannot be made.
    pub fn events(&self, scene: &Scene) -> Result<Vec<Recorded>, RecordingError> {
        let mut scene = scene.clone();
        let mut events = self.edits.clone();
        for (number, Recorded { edit, .. }) in events.iter_mut().enumerate() {
            let made = fit(edit, &scene.world)
                .and_then(|()| edit.put(&mut scene))
                .and_then(|(_, change)| check(&scene, change));
            made.map_err(|problem| format!("event {}: {problem}", number + 1))?;
        }
        Ok(events)
    }
}
