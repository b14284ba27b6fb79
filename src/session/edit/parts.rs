//! The values in an edit.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};

use super::splice::is_default;
use super::{long, place};
use crate::scene_ops::inside;
use crate::{SceneObject, SpeciesAppearance};
use flockwork_model::behaviours::Target;
use flockwork_model::kept::{KeptNames, KeptRow, MAX_NUMBER};
use flockwork_model::memory::Memory;
use flockwork_model::quote::cut;
use flockwork_model::scene::{CameraPlan, Click, Scene, Species, overrides};
use flockwork_model::scenery::Path;
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;

/// Parameters of species.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a list of texts, such as [\"bird.max_speed=2\"]")]
pub enum Parameters {
    /// Values of the scene as it is then, in the syntax of `--set`.
    Text(Vec<String>),
    /// All species, exactly as they are afterwards, but for their appearance. A text says this as the
    /// other variant.
    #[serde(skip)]
    Exact(Arc<[Species]>),
}

impl Default for Parameters {
    fn default() -> Self {
        Self::Text(Vec::new())
    }
}

impl From<Vec<Species>> for Parameters {
    fn from(species: Vec<Species>) -> Self {
        Self::Exact(species.into())
    }
}

impl Parameters {
    /// The species that `scene` has with them.
    pub(crate) fn of(&self, scene: &Scene) -> Result<Vec<Species>, String> {
        let mut species = match self {
            Self::Exact(species) => species.to_vec(),
            Self::Text(sets) if sets.is_empty() => scene.species.clone(),
            Self::Text(sets) => read(scene, sets)?,
        };
        // Edits of the appearance have no tick, so it stays as it is now.
        for own in &mut species {
            if let Some(now) = scene.species.iter().find(|now| now.name == own.name) {
                SpeciesAppearance::of(now).put(own);
                own.original = now.original;
            }
        }
        Ok(species)
    }

    /// The same as a text, or why no text says it.
    pub(crate) fn in_text(&self, scene: &Scene) -> Result<Self, String> {
        if let Self::Text(_) = self {
            return Ok(self.clone());
        }
        let species = self.of(scene)?;
        let mut edited = plain(scene);
        let text = edited.to_toml();
        edited.species = species;
        let sets = overrides(&text, &edited);
        let sets = sets.map_err(|error| format!("no session can say an edit of {}", error.key))?;
        let counted = |mut species: Vec<Species>| {
            species.iter_mut().for_each(|species| species.counted = true);
            species
        };
        match read(scene, &sets) {
            Ok(read) if counted(read.clone()) == counted(edited.species) => Ok(Self::Text(sets)),
            _ => Err("no session can say an edit of the parameters; save the scene".into()),
        }
    }
}

/// A scene with the same species whose text is short, and which can name the same targets and paths.
fn plain(scene: &Scene) -> Scene {
    let target = |own: &Target| Target::fixed(&own.name, Point::ZERO);
    let points = vec![Point::ZERO, Point::X];
    let path = |own: &Path| Path { points: points.clone(), ..own.clone() };
    let mut plain = scene.with_targets(scene.targets.iter().map(target).collect());
    plain.paths = scene.paths.iter().map(path).collect();
    plain.obstacle_plans.clear();
    plain.obstacles.clear();
    plain.camera = CameraPlan::default();
    (plain.click, plain.follows) = (Click::Call, false);
    // Places of the species are said as they are.
    plain.written_size = scene.world.size;
    (plain.density, plain.grows) = (None, false);
    plain
}

/// The species of `scene` with other values.
fn read(scene: &Scene, sets: &[String]) -> Result<Vec<Species>, String> {
    let text = plain(scene).to_toml();
    let read =
        |sets| Scene::parse_with(&scene.name, &text, sets).map_err(|error| error.to_string());
    let (before, mut after) = (read(&[])?, read(sets)?);
    if let Some(key) = fixed_key(&before, &after) {
        return Err(format!(
            "`set` changes `{key}`, and an event changes only species; write `{key}` into the text `scene`"
        ));
    }
    let counted = scene.species.iter().any(|species| species.counted);
    after.species.iter_mut().for_each(|species| species.counted = counted);
    Ok(after.species)
}

/// The key that differs although no edit of parameters changes it.
fn fixed_key(before: &Scene, after: &Scene) -> Option<&'static str> {
    let world = before.world != after.world || before.grows != after.grows;
    let keys = [
        ("seed", before.seed != after.seed),
        ("world", world || after.density.is_some()),
        ("time_step", before.time_step != after.time_step),
        ("click", before.click != after.click || before.follows != after.follows),
        ("style", before.style != after.style),
        ("camera", before.camera != after.camera),
        ("obstacles", before.obstacle_plans != after.obstacle_plans),
        ("targets", before.targets != after.targets),
        ("paths", before.paths != after.paths),
        ("flow", before.flow != after.flow),
    ];
    keys.into_iter().find(|(_, changed)| *changed).map(|(key, _)| key)
}

/// An object of a scene that moves: a target, an obstacle or a point of a path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// The name of the target.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub target: Option<String>,
    /// The number of the obstacle.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub obstacle: Option<usize>,
    /// The name of the path.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    /// The number of the point in the path.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub point: Option<usize>,
    /// Its new place; world units.
    #[serde(with = "place")]
    pub to: Point,
}

impl Move {
    /// Moves `object` to a place, or as near as the world allows. A path may leave the world.
    pub(super) fn of(scene: &Scene, object: SceneObject, place: Point) -> Self {
        let within = Self { to: inside(&scene.world, place), ..Self::default() };
        match object {
            SceneObject::Target(index) => {
                let target = scene.targets.get(index).map(|target| target.name.clone());
                Self { target: Some(target.unwrap_or_default()), ..within }
            }
            SceneObject::Obstacle(index) => Self { obstacle: Some(index), ..within },
            SceneObject::PathPoint(index, point) => {
                let path = scene.paths.get(index).map(|path| path.name.clone());
                Self { path, point: Some(point), to: place, ..within }
            }
        }
    }

    /// True if both move the same object.
    pub(super) fn is_of(&self, other: &Self) -> bool {
        Self { to: other.to, ..self.clone() } == *other
    }

    /// The object in a scene.
    pub(super) fn object(&self, scene: &Scene) -> Result<SceneObject, String> {
        match self {
            Self { target: Some(name), obstacle: None, path: None, point: None, .. } => {
                let index = scene.targets.iter().position(|target| target.name == *name);
                index.map(SceneObject::Target).ok_or_else(|| format!("no target `{}`", cut(name)))
            }
            Self { obstacle: Some(index), target: None, path: None, point: None, .. } => {
                let known = *index < scene.obstacles.len();
                known.then_some(SceneObject::Obstacle(*index)).ok_or(format!("no obstacle {index}"))
            }
            Self { path: Some(name), point: Some(point), target: None, obstacle: None, .. } => {
                let index = scene.paths.iter().position(|path| path.name == *name);
                let index = index.filter(|index| *point < scene.paths[*index].points.len());
                let object = index.map(|index| SceneObject::PathPoint(index, *point));
                object.ok_or_else(|| format!("no point {point} of a path `{}`", cut(name)))
            }
            _ => Err("`move` has a `target`, an `obstacle`, or a `path` and a `point`".into()),
        }
    }
}

/// The counts of all species.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Number of agents at the start, in the order of the species.
    pub each: Vec<u64>,
    /// True if they hold for the flock itself, not for a file that is scaled to it.
    pub counted: bool,
}

/// Agents that are added together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpawnBatch {
    /// The name of their species.
    pub species: String,
    /// Their positions; world units.
    #[serde(skip_serializing_if = "Vec::is_empty", default, with = "place::list")]
    pub places: Vec<Point>,
    /// Number of agents more that come to places as at the start.
    #[serde(skip_serializing_if = "is_default", default)]
    pub newcomers: u32,
}

impl SpawnBatch {
    /// Number of agents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len() + self.newcomers as usize
    }

    /// True if it adds no agent.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Agents that go.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Despawn {
    /// Their ids.
    #[serde(deserialize_with = "ascending")]
    pub ids: Vec<u32>,
    /// As many agents at their places, in the order of the ids; empty if they are not known.
    #[serde(skip)]
    pub(crate) back: Vec<SpawnBatch>,
}

impl Despawn {
    /// Both together.
    pub(super) fn with(self, other: Self) -> Self {
        let (first, last) = if self.ids < other.ids { (self, other) } else { (other, self) };
        Self { ids: [first.ids, last.ids].concat(), back: [first.back, last.back].concat() }
    }
}

fn ascending<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u32>, D::Error> {
    long::deserialize(deserializer).map(|ids| Despawn::from(ids).ids)
}

impl From<Vec<u32>> for Despawn {
    fn from(mut ids: Vec<u32>) -> Self {
        ids.sort_unstable();
        ids.dedup();
        Self { ids, back: Vec::new() }
    }
}

/// A species that comes back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Returned {
    /// Its name.
    pub species: String,
    /// All species, as they are afterwards.
    #[serde(default)]
    pub set: Parameters,
    /// The ids of its agents, in ascending order.
    #[serde(deserialize_with = "long::deserialize")]
    pub id: Vec<u32>,
    /// World units.
    #[serde(with = "place::list")]
    pub position: Vec<Point>,
    /// World units per tick.
    #[serde(with = "place::list")]
    pub velocity: Vec<Point>,
    /// Their memories; empty if they have none.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        default,
        deserialize_with = "long::deserialize"
    )]
    pub memory: Vec<u32>,
    /// The numbers that they keep, by name; empty if they keep none.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub kept: BTreeMap<String, Vec<f32>>,
}

impl Returned {
    /// A species that is removed with its agents, and all species as they were with it.
    pub(crate) fn of(species: &str, all: &[Species], agents: FlockState) -> Self {
        let FlockState { id, position, velocity, memory, kept, kept_names, .. } = agents;
        let numbers = |place: usize| kept.iter().map(|row: &KeptRow| row[place]).collect();
        let named = kept_names.iter().enumerate();
        let kept = named.map(|(place, name)| (name.into(), numbers(place))).collect();
        let memory = memory.into_iter().map(|memory| memory.0).collect();
        let set = Parameters::Exact(all.into());
        Self { species: species.into(), set, id, position, velocity, memory, kept }
    }

    /// The agents, as agents of species number `species` in a scene whose agents keep the numbers `names`.
    pub(crate) fn agents(&self, species: usize, names: KeptNames) -> Result<FlockState, String> {
        let count = self.id.len();
        let remembers = self.memory.len() == count || self.memory.is_empty();
        if self.position.len() != count || self.velocity.len() != count || !remembers {
            return Err("`back` has a place, a velocity and a memory for each id".into());
        }
        if self.id.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err("the ids of `back` ascend".into());
        }
        let sound = |number: &f32| number.abs() <= MAX_NUMBER;
        if self.kept.values().any(|own| own.len() != count || !own.iter().all(sound)) {
            return Err(format!(
                "`kept` has a number up to {MAX_NUMBER:e} for each id of `back`, under each name"
            ));
        }
        let known = KeptNames::of(names.iter().filter(|name| self.kept.contains_key(*name)));
        let mut kept = vec![KeptRow::default(); if known.is_empty() { 0 } else { count }];
        for (place, name) in known.iter().enumerate() {
            for (row, number) in kept.iter_mut().zip(&self.kept[name]) {
                row[place] = *number;
            }
        }
        Ok(FlockState {
            id: self.id.clone(),
            species: vec![species as u8; count],
            position: self.position.clone(),
            velocity: self.velocity.clone(),
            memory: self.memory.iter().copied().map(Memory).collect(),
            kept,
            kept_names: known,
            ..FlockState::default()
        })
    }
}
