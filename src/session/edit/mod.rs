//! An edit: one value for each thing that a user, a script or a saved session does to a flock.
//!
//! [`crate::Session::edit`] does an edit of the user, which can be undone;
//! [`crate::Session::apply`] applies one and returns its inverse. As JSON or TOML an edit is a table with
//! one key, such as `{ move = { target = "food", to = [5, 6] } }`. It names species, targets and paths by
//! their names, which are unique in a scene, and obstacles by their number.

mod change;
mod long;
mod parts;
mod place;
mod splice;

use serde::{Deserialize, Serialize};

pub(crate) use change::{check, species_named};
pub(crate) use long::quoted;
pub use parts::{Counts, Despawn, Move, Parameters, Returned, SpawnBatch};
pub(crate) use place::{fit, number, unfit};
pub use splice::Splice;

use crate::{Appearance, SceneObject};
use flockwork_engine::EngineError;
use flockwork_model::behaviours::Target;
use flockwork_model::scene::Scene;
use flockwork_model::scenery::{Obstacle, Path};
use flockwork_model::vector::Point;

/// A change of a running flock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edit {
    /// The pointer calls the flock to a place, or no longer. It is never undone.
    Pointer(#[serde(with = "place::or_false")] Option<Point>),
    /// The target that follows the mouse moves to a place. It is never undone.
    Lead(#[serde(with = "place")] Point),
    /// Parameters of species.
    Set(Parameters),
    /// The appearance of the flock. It has no tick and no text: a scene says it.
    #[serde(skip)]
    Appearance(Box<Appearance>),
    /// A target, an obstacle or a point of a path moves.
    Move(Move),
    /// A new target at rest.
    AddTarget(#[serde(with = "place")] Point),
    /// A new obstacle.
    AddObstacle(#[serde(with = "place")] Point),
    /// New obstacles of one radius: a painted wall.
    Paint {
        /// Their centres; world units.
        #[serde(with = "place::list")]
        places: Vec<Point>,
        /// World units.
        radius: f32,
    },
    /// A new path.
    AddPath {
        /// Two or more; world units.
        #[serde(with = "place::list")]
        points: Vec<Point>,
        /// True if the last point connects to the first.
        #[serde(default)]
        closed: bool,
    },
    /// A random path in the place of the first one.
    NewPath,
    /// Agents that seek flee, and agents that flee seek.
    SwapSeekFlee,
    /// A copy of the species of this name, with as many agents as the original has at the start.
    AddSpecies(String),
    /// The species of this name goes, with its agents.
    #[serde(rename = "without")]
    RemoveSpecies(String),
    /// A species gets another name.
    Rename {
        /// Its name so far.
        species: String,
        /// Its new name.
        to: String,
    },
    /// A species has this many agents, now and at the start.
    Count {
        /// Its name.
        species: String,
        /// Number of agents.
        count: u64,
    },
    /// New agents. Their ids count up from the last one.
    #[serde(rename = "add")]
    Spawn(Vec<SpawnBatch>),
    /// Agents go. [`Session::edit`](crate::Session::edit) leaves out ids without an agent; in a replay they end
    /// the record.
    #[serde(rename = "remove")]
    Despawn(Despawn),
    /// Targets come and go. The pointer, number 0, stays.
    Targets(Splice<Target>),
    /// Obstacles come and go.
    Obstacles(Splice<Obstacle>),
    /// Paths come and go, or one gets another shape.
    Paths(Splice<Path>),
    /// The counts of all species in the scene.
    Counts(Counts),
    /// A species that was removed comes back, with its agents as they were.
    #[serde(rename = "back")]
    Return(Box<Returned>),
    /// Several edits, all or none. A saved session has them one by one.
    #[serde(skip)]
    Together(Vec<Edit>),
}

/// The reason why an edit was not made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The scene, the engine or the memory cannot take it. Nothing has changed. A sentence for the user.
    #[error("{0}")]
    Refused(String),
    /// The engine has lost its flock, or cannot give it yet ([`EngineError::NotYet`]). In the second case
    /// nothing has changed.
    #[error(transparent)]
    Engine(EngineError),
}

impl From<EngineError> for EditError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Lost { .. } | EngineError::NotYet => Self::Engine(error),
            error => Self::Refused(error.to_string()),
        }
    }
}

impl From<String> for EditError {
    fn from(why: String) -> Self {
        Self::Refused(why)
    }
}

impl Edit {
    /// Moves an object to a place, or as near as the world allows.
    #[must_use]
    pub fn moving(scene: &Scene, object: SceneObject, place: Point) -> Self {
        Self::Move(Move::of(scene, object, place))
    }

    /// Takes an object away; with a point of a path that has only two, the path.
    #[must_use]
    pub fn removing(scene: &Scene, object: SceneObject) -> Self {
        match object {
            SceneObject::Target(index) => Self::Targets(Splice::removing(index)),
            SceneObject::Obstacle(index) => Self::Obstacles(Splice::removing(index)),
            SceneObject::PathPoint(index, point) => match scene.paths.get(index) {
                Some(path) if path.points.len() > 2 && point < path.points.len() => {
                    let mut path = path.clone();
                    path.points.remove(point);
                    Self::Paths(Splice::replacing(index, path))
                }
                _ => Self::Paths(Splice::removing(index)),
            },
        }
    }

    /// Does nothing.
    pub(crate) fn nothing() -> Self {
        Self::Together(Vec::new())
    }

    /// True if it does nothing.
    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self, Self::Together(edits) if edits.iter().all(Self::is_nothing))
    }

    /// True if the flock may not be as it was once this edit and then its inverse are applied: ids are used up, and
    /// memories and kept numbers begin anew.
    pub(crate) fn leaves_traces(&self) -> bool {
        matches!(
            self,
            Self::Set(_)
                | Self::Spawn(_)
                | Self::Despawn(_)
                | Self::RemoveSpecies(_)
                | Self::Return(_)
        )
    }

    /// This edit and then another one.
    #[must_use]
    pub(crate) fn then(self, next: Self) -> Self {
        match (self, next) {
            // The latter has all that the former has.
            (Self::Set(_), next @ Self::Set(Parameters::Exact(_))) => next,
            (Self::Appearance(_), next @ Self::Appearance(_)) => next,
            (Self::Move(own), Self::Move(next)) if own.is_of(&next) => Self::Move(next),
            (Self::Spawn(own), Self::Spawn(next)) => Self::Spawn([own, next].concat()),
            (Self::Despawn(own), Self::Despawn(next)) => Self::Despawn(own.with(next)),
            (Self::Obstacles(own), Self::Obstacles(next)) => match own.then(next) {
                Ok(both) => Self::Obstacles(both),
                Err((own, next)) => {
                    Self::Together(vec![Self::Obstacles(own), Self::Obstacles(next)])
                }
            },
            (Self::Together(mut own), Self::Together(next)) => {
                own.extend(next);
                Self::Together(own)
            }
            (Self::Together(mut own), next) => {
                own.push(next);
                Self::Together(own)
            }
            (own, Self::Together(next)) => Self::Together([vec![own], next].concat()),
            (own, next) => Self::Together(vec![own, next]),
        }
    }

    /// True if `next` goes on with the same gesture: one undo takes both back.
    pub(crate) fn merges(&self, next: &Self) -> bool {
        match (self, next) {
            (Self::Move(own), Self::Move(next)) => own.is_of(next),
            (Self::Set(_), Self::Set(_))
            | (Self::Appearance(_), Self::Appearance(_))
            | (Self::Paint { .. }, Self::Paint { .. })
            | (Self::Spawn(_), Self::Spawn(_)) => true,
            _ => false,
        }
    }

    /// The ids of the agents that it takes away.
    pub(crate) fn ids(&mut self) -> Vec<&mut u32> {
        match self {
            Self::Despawn(own) => own.ids.iter_mut().collect(),
            Self::Together(edits) => edits.iter_mut().flat_map(Self::ids).collect(),
            _ => Vec::new(),
        }
    }

    /// The subject, for the user.
    #[must_use]
    pub fn subject(&self) -> &'static str {
        match self {
            Self::Pointer(_) | Self::Lead(_) => "pointer",
            Self::Set(_) => "parameters",
            Self::Appearance(_) => "looks",
            Self::Move(own) if own.target.is_some() => "place of a target",
            Self::Move(own) if own.obstacle.is_some() => "place of an obstacle",
            Self::Move(_) => "point of a path",
            Self::AddTarget(_) | Self::AddObstacle(_) | Self::Targets(_) | Self::Obstacles(_) => {
                "targets and obstacles"
            }
            Self::Paint { .. } => "painted walls",
            Self::NewPath => "path",
            Self::AddPath { .. } | Self::Paths(_) => "paths",
            Self::SwapSeekFlee => "seek and flee",
            Self::AddSpecies(_) | Self::RemoveSpecies(_) | Self::Return(_) => "species",
            Self::Rename { .. } => "name of a species",
            Self::Count { .. } | Self::Counts(_) => "number of agents",
            Self::Spawn(_) => "new agents",
            Self::Despawn(_) => "agents",
            Self::Together(edits) => edits.first().map_or("nothing", Self::subject),
        }
    }
}
