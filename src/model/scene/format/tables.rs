//! The tables of a scene file whose fields differ from the model's: the top of the file, the world,
//! the start of a species, and a number that varies.

use super::fields::{Between, Entry, Field, Fields, Form, Speed, Written, name_of};
use super::keys::Key;
use super::reader::Reader;
use crate::behaviours::Target;
use crate::scene::{
    BoidShape, CameraPlan, Click, ColourBy, Law, ObstaclePlan, Palette, SceneError, Spawn,
    SpawnPlace, Start, Style,
};
use crate::scenery::{FlowPlan, Path};
use crate::vector::{Point, flat};
use crate::world::Boundary;

/// World size if the scene gives none: the canvas of *The Nature of Code*.
pub const CANVAS: Point = flat(640.0, 360.0);

/// The top of the file.
#[derive(Clone, Debug)]
pub struct TopKeys {
    pub about: String,
    pub seed: u32,
    pub time_step: f32,
    pub click: Clicks,
    pub world: WorldKeys,
    pub style: Style,
    pub camera: CameraPlan,
    /// Without the pointer.
    pub targets: Vec<Target>,
    pub obstacles: Vec<ObstaclePlan>,
    pub paths: Vec<Path>,
    pub flow: Option<FlowPlan>,
    pub species: SpeciesTables,
}

impl Default for TopKeys {
    fn default() -> Self {
        Self {
            about: String::new(),
            seed: 1,
            time_step: 1.0,
            click: Clicks(Click::Call, false),
            world: WorldKeys::default(),
            style: Style::default(),
            camera: CameraPlan::default(),
            targets: Vec::new(),
            obstacles: Vec::new(),
            paths: Vec::new(),
            flow: None,
            species: SpeciesTables(Vec::new()),
        }
    }
}

/// The table `[world]`.
#[derive(Clone, Copy, Debug)]
pub struct WorldKeys {
    pub size: Point,
    pub boundary: Boundary,
    pub density: Option<f32>,
    pub within: Option<f32>,
    pub grows: bool,
}

impl Default for WorldKeys {
    fn default() -> Self {
        Self { size: CANVAS, boundary: Boundary::Wrap, density: None, within: None, grows: false }
    }
}

impl Field for WorldKeys {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        let mut world = Self::default();
        world.read_table(value)?;
        Ok(world)
    }

    fn write(&self, key: &Key) -> Option<Written> {
        Some(Written::Table(Form::Headed, self.entries(&Self::default(), key.axes)))
    }
}

/// The tables of the species. Their values contain names of targets, paths and other species, so
/// they are read after those.
#[derive(Clone, Debug)]
pub struct SpeciesTables(pub Vec<Entry>);

impl SpeciesTables {
    /// Their key at the top of the file.
    pub const KEY: &'static str = "species";
}

impl Field for SpeciesTables {
    fn read(_: &Reader, _: &Key) -> Result<Self, SceneError> {
        Ok(Self(Vec::new()))
    }

    fn write(&self, _: &Key) -> Option<Written> {
        Some(Written::Table(Form::Container, self.0.clone()))
    }
}

/// The effect of a click, and whether a target follows the mouse: a name, or a list of `follow` and
/// another name.
#[derive(Clone, Copy, Debug)]
pub struct Clicks(pub Click, pub bool);

impl Field for Clicks {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        let (mut click, mut follows) = (None, false);
        for item in value.items() {
            match item.choice(&Click::NAMES)? {
                Click::Follow => follows = true,
                other if click.replace(other).is_some() => {
                    let problem = "a click does one thing; only \"follow\" can be added to it";
                    return Err(item.fail(problem));
                }
                _ => {}
            }
        }
        let otherwise = if follows { Click::Follow } else { Click::Call };
        Ok(Self(click.unwrap_or(otherwise), follows))
    }

    fn write(&self, _: &Key) -> Option<Written> {
        let own = name_of(&self.0, &Click::NAMES)?;
        let beside = self.1 && self.0 != Click::Follow;
        let follow = name_of(&Click::Follow, &Click::NAMES).filter(|_| beside);
        Some(Written::Value(follow.map_or(own.clone(), |follow| format!("[{follow}, {own}]"))))
    }
}

/// The keys of a species besides its body and its behaviours.
#[derive(Clone, Debug)]
pub struct SpeciesKeys {
    pub count: u64,
    pub look: BoidShape,
    pub colour: ColourBy,
    pub palette: Palette,
    pub smallest: Option<f32>,
    pub spawn: Spawn,
    /// `None`: like `spawn`.
    pub spawn_at_scale: Option<Spawn>,
}

impl SpeciesKeys {
    /// The values of a species without these keys, in a scene of this `style`.
    #[must_use]
    pub fn unwritten(style: &Style) -> Self {
        Self {
            count: 100,
            look: style.look,
            colour: style.colour,
            palette: style.palette.clone(),
            smallest: None,
            spawn: Spawn::default(),
            spawn_at_scale: None,
        }
    }
}

/// The table `spawn`.
#[derive(Clone, Copy, Debug)]
pub struct SpawnKeys {
    pub place: SpawnPlace,
    pub at: Option<Point>,
    pub radius: f32,
    pub speed: Option<Speed>,
    pub heading: Option<f32>,
    pub velocity: Option<Between>,
}

impl From<&Spawn> for SpawnKeys {
    fn from(spawn: &Spawn) -> Self {
        let (speed, heading, velocity) = match spawn.start {
            Start::Heading { speed, heading } => (Some(Speed(speed)), heading, None),
            Start::Components { from, to } => (None, None, Some(Between(from, to))),
        };
        let Spawn { place, at, radius, .. } = *spawn;
        Self { place, at, radius, speed, heading, velocity }
    }
}

impl Field for Spawn {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        let default = SpawnKeys::from(&Self::default());
        let mut keys = SpawnKeys { speed: None, ..default };
        keys.read_table(value)?;
        let start = match keys.velocity {
            Some(_) if keys.speed.is_some() || keys.heading.is_some() => {
                return Err(
                    value.fail("`velocity` sets speed and heading; remove `speed` and `heading`")
                );
            }
            Some(Between(from, to)) => Start::Components { from, to },
            None => {
                let speed = keys.speed.or(default.speed).and_then(|Speed(speed)| speed);
                Start::Heading { speed, heading: keys.heading }
            }
        };
        let SpawnKeys { place, at, radius, .. } = keys;
        Ok(Self { place, at, radius, start })
    }

    fn write(&self, key: &Key) -> Option<Written> {
        let default = SpawnKeys::from(&Self::default());
        Some(Written::Table(Form::Inline, SpawnKeys::from(self).entries(&default, key.axes)))
    }
}

/// A number that varies: `{ base, amplitude, period }`, `{ base, grows_with_size }`, `{ base,
/// shrinks_with_size }` or `{ from, to }`.
#[derive(Clone, Copy, Debug, Default)]
pub struct LawKeys {
    pub base: Option<f32>,
    pub amplitude: Option<f32>,
    pub period: Option<f32>,
    pub grows_with_size: Option<f32>,
    pub shrinks_with_size: Option<f32>,
    pub from: Option<f32>,
    pub to: Option<f32>,
}

/// Default of `period`: ticks in which the noise changes much.
pub const PERIOD: f32 = 100.0;

impl LawKeys {
    /// The table of a number with this base and `law`.
    #[must_use]
    pub fn of(base: f32, law: &Law) -> Self {
        let around = Self { base: Some(base), ..Self::default() };
        match *law {
            Law::Noise { amplitude, period } => {
                Self { amplitude: Some(amplitude), period: Some(period), ..around }
            }
            Law::GrowsWithSize { scale } => Self { grows_with_size: Some(scale), ..around },
            Law::ShrinksWithSize { scale } => Self { shrinks_with_size: Some(scale), ..around },
            Law::PerAgent { from } => Self { from: Some(from), to: Some(base), ..Self::default() },
        }
    }

    /// The defaults of the table's keys, for a number whose default is `base`.
    #[must_use]
    pub fn unwritten(base: f32) -> Self {
        Self { base: Some(base), period: Some(PERIOD), ..Self::default() }
    }
}
