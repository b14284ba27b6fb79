//! The table `spawn` of a species.

use super::fields::{Between, Field, Fields, OrWord, any, section, unit};
use super::key::{Key, MAX_POSITION, Section, Values, names};
use super::reader::Reader;
use super::tree::Value;
use crate::behaviours::bounds::MAX_SPEED;
use crate::scene::{SceneError, Spawn, SpawnPlace, Start};
use crate::vector::Point;

section! {
    /// How the agents of a species start.
    SPAWN "spawn" struct SpawnKeys (any) {
        /// Anywhere in the world; all at one point; evenly in a disc (in space a horizontal one), in a
        /// ball or in a box; on a shell; on a line from left to right.
        place: SpawnPlace = SpawnPlace::Uniform, Values::Choice(|| names(&SpawnPlace::NAMES)) => "`\"uniform\"`", "";
        /// Centre of the place.
        at: Option<Point> = None, Values::Point(-MAX_POSITION, MAX_POSITION) => "the world's middle", "world units";
        /// Radius of the disc, ball or shell; half the side of the box.
        radius: f32 = 100.0, Values::Number(0.0, MAX_POSITION) => "100", "world units";
        /// The first speed; `"max_speed"` is the agent's own.
        speed: Option<OrWord> = None, Values::NumberOr(0.0, MAX_SPEED, "max_speed") => "1", "world units/tick";
        /// The first heading, anticlockwise from the x axis.
        heading: Option<f32> = None, Values::Number(-360.0, 360.0) => "at random", "degrees";
        /// The first velocity, instead of `speed` and `heading`: each agent draws each component
        /// separately, as in `{ from = [-1, -1], to = [1, 1] }`.
        velocity: Option<Between> = None, Values::Between(-MAX_SPEED, MAX_SPEED) => "none", "world units/tick";
    }
}

impl From<&Spawn> for SpawnKeys {
    fn from(spawn: &Spawn) -> Self {
        let (speed, heading, velocity) = match spawn.start {
            Start::Heading { speed, heading } => (Some(OrWord(speed)), heading, None),
            Start::Components { from, to } => (None, None, Some(Between(from, to))),
        };
        let Spawn { place, at, radius, .. } = *spawn;
        Self { place, at, radius, speed, heading, velocity }
    }
}

impl Field for Spawn {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        let keys = SpawnKeys::read_table(value, &[])?;
        let SpawnKeys { place, at, radius, speed, heading, velocity } = keys;
        let start = match velocity {
            Some(_) if speed.is_some() || heading.is_some() => {
                let problem = "`velocity` sets speed and heading; remove `speed` and `heading`";
                return Err(value.fail(problem));
            }
            Some(Between(from, to)) => Start::Components { from, to },
            None => {
                Start::Heading { speed: speed.map_or(Some(1.0), |OrWord(speed)| speed), heading }
            }
        };
        Ok(Self { place, at, radius, start })
    }

    fn write(&self, _: &Key, axes: usize) -> Option<Value<bool>> {
        let unwritten = SpawnKeys::from(&Self::default());
        Some(Value::Table(SpawnKeys::from(self).table(&unwritten, axes)))
    }
}
