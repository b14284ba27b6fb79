//! The events of a file, each as its text until its tick comes: once read, a change of the scene takes
//! many times as much memory.

use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;

use super::read::Reader;
use super::rows::Row;
use crate::history::Event;
use flockwork_model::quote::cut;
use flockwork_model::scene::Scene;
use flockwork_model::toml_words::problem;

/// The table of an event.
const EVENT: &str = "event";

/// The events of a file.
#[derive(Debug)]
pub struct EventTexts {
    /// The text of the scene.
    pub scene: String,
    /// The text of the file.
    text: String,
    /// The first byte of each event.
    starts: Vec<usize>,
}

/// The text of one event.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    event: (Row,),
}

/// An event as its file has it.
#[derive(Clone, Debug)]
pub struct Written {
    /// All events of the file.
    pub(super) texts: Arc<EventTexts>,
    /// Its number among them.
    pub(super) number: usize,
}

/// The first bytes of the lines that begin an event.
pub fn starts(text: &str) -> Vec<usize> {
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
pub fn unread(error: &toml::de::Error, before: &str, part: &str) -> String {
    let start = error.span().map_or(0, |span| span.start);
    let lines = |text: &str| text.matches('\n').count();
    let line = 1 + lines(before) + part.get(..start).map_or(0, lines);
    let message = problem(error.message().lines().next().unwrap_or_default());
    format!("line {line}: {}; is this a saved session?", cut(&message))
}

impl EventTexts {
    /// The events of a file that begin at `starts`.
    pub fn of(scene: String, text: &str, starts: Vec<usize>) -> Self {
        Self { scene, text: text.into(), starts }
    }

    /// Number of events.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    fn range(&self, number: usize) -> Range<usize> {
        let at = |number: usize| self.starts.get(number).copied().unwrap_or(self.text.len());
        at(number)..at(number + 1)
    }

    /// Reads an event.
    pub fn row(&self, number: usize) -> Result<Row, String> {
        let Range { start, end } = self.range(number);
        let (before, part) = (&self.text[..start], &self.text[start..end]);
        let table: Result<Table, _> = toml::from_str(part);
        table.map(|table| table.event.0).map_err(|error| unread(&error, before, part))
    }
}

impl Written {
    /// The events that it stands for, in a scene as the events before it have left it.
    pub(crate) fn events(&self, scene: &Scene) -> Result<Vec<Event>, String> {
        let row = self.texts.row(self.number)?;
        Reader { text: &self.texts.scene, plain: None, scene: scene.clone() }.row(&row)
    }
}

impl PartialEq for Written {
    fn eq(&self, other: &Self) -> bool {
        let text = |own: &Self| own.texts.text[own.texts.range(own.number)].to_owned();
        text(self) == text(other) && self.texts.scene == other.texts.scene
    }
}
