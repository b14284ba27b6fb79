//! The table `[camera]` and its keys over ticks.

use super::fields::{Entry, Field, Fields, Form, Written, text};
use super::keys::Key;
use super::reader::Reader;
use crate::model::scene::{CameraKey, CameraPlan, Follow, MAX_AGENTS, SceneError};

/// The words for [`Follow::None`] and [`Follow::Centre`].
const WORDS: [(&str, Follow); 2] = [("none", Follow::None), ("centre", Follow::Centre)];

impl Field for CameraPlan {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        let mut plan = Self::default();
        plan.read_table(value)?;
        Ok(plan)
    }

    fn write(&self, key: &Key) -> Option<Written> {
        Some(Written::Table(Form::Headed, self.entries(&Self::default(), key.axes)))
    }
}

impl Field for Follow {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        if value.is_number() {
            return Ok(Self::Agent(value.whole(0, MAX_AGENTS - 1)? as u32));
        }
        value.choice(&WORDS)
    }

    fn write(&self, _: &Key) -> Option<Written> {
        Some(Written::Value(match self {
            Self::None => text("none"),
            Self::Centre => text("centre"),
            Self::Agent(id) => id.to_string(),
        }))
    }
}

impl Field for Vec<CameraKey> {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        let mut keys = Self::new();
        for table in value.items() {
            let mut key = CameraKey::default();
            key.read_table(&table)?;
            if let Some(before) = keys.last().filter(|before| before.tick >= key.tick) {
                let problem = format!(
                    "tick {} is not after the tick of the key before, {}; keys stand in the order of \
                     their ticks",
                    key.tick, before.tick
                );
                return Err(table.fail(problem));
            }
            keys.push(key);
        }
        Ok(keys)
    }

    fn write(&self, key: &Key) -> Option<Written> {
        let default = CameraKey::default();
        let tables: Vec<Vec<Entry>> =
            self.iter().map(|one| one.entries(&default, key.axes)).collect();
        (!tables.is_empty()).then_some(Written::List(tables))
    }
}
