//! The tables of the file of a recorded session.

use serde::{Deserialize, Serialize};

use flockwork_model::quote::cut;
use flockwork_model::vector::Point;

/// A coordinate for each axis of the world; world units.
pub type Place = Vec<f64>;

/// The file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// The version of the format.
    pub session: u32,
    /// The last tick.
    pub ticks: u64,
    /// The built-in scene or the file that the scene was read from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub density: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seed: Option<u32>,
    /// The text of the scene.
    pub scene: String,
    #[serde(skip_serializing_if = "Vec::is_empty", default, rename = "event")]
    pub events: Vec<Row>,
}

/// An event: its tick, and one or more things that happen there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub tick: u64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pointer: Option<Pointer>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lead: Option<Place>,
    /// Every parameter that differs from the scene, as `--set` takes it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub set: Option<Vec<String>>,
    /// True if the counts in `set` hold for the flock itself, not for a file that is scaled to it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub counted: bool,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub add: Option<Vec<Added>>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub remove: Option<Vec<u32>>,
    /// A species that is removed with its agents, by its name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub without: Option<String>,
    /// A species that comes back after that; `set` has its parameters.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub back: Option<Returned>,
    /// Targets that are put elsewhere.
    #[serde(skip_serializing_if = "Option::is_none", default, rename = "move")]
    pub moved: Option<Vec<Moved>>,
    /// All targets, after one has come or gone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub targets: Option<Vec<TargetRow>>,
    /// All obstacles: the coordinates, then the radius.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub obstacles: Option<Vec<Vec<f64>>>,
    /// Obstacles besides those that are there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub more_obstacles: Option<Vec<Vec<f64>>>,
    /// Every path.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub paths: Option<Vec<PathRow>>,
}

/// A path: its points alone if nothing else of it has changed, or all that it has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected the points of a path, or a table with its name and points")]
pub enum PathRow {
    Points(Vec<Place>),
    Whole(WholePath),
}

/// A path with all that it has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WholePath {
    pub name: String,
    pub points: Vec<Place>,
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub closed: bool,
    pub shown: bool,
}

/// The agents of a species that comes back, as they were.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Returned {
    pub species: String,
    pub id: Vec<u32>,
    pub position: Vec<Place>,
    pub velocity: Vec<Place>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub memory: Vec<u32>,
}

/// Where the flock is called to; `false`: nowhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a place, such as [320, 180], or false")]
pub enum Pointer {
    At(Place),
    Off(bool),
}

/// New agents of one species.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Added {
    pub species: String,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub places: Vec<Place>,
    /// Agents that come to places as at the start.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub newcomers: u32,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A target that is put elsewhere, by its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moved {
    pub target: String,
    pub to: Place,
}

/// A target with all that it has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetRow {
    pub name: String,
    pub position: Place,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub velocity: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hit_radius: Option<f64>,
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub turns: bool,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sends_to: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hits: Option<u32>,
    /// True for the pointer while it calls the flock; every other target is there.
    pub active: bool,
}

/// The shortest number that reads back as this one.
pub fn number(value: f32) -> f64 {
    let short = value.to_string().parse().unwrap_or(f64::from(value));
    if short as f32 == value { short } else { value.into() }
}

/// The coordinates of a place in a world with `axes` axes.
pub fn place(point: Point, axes: usize) -> Place {
    point.to_array()[..axes].iter().map(|one| number(*one)).collect()
}

/// The place of coordinates in a world with `axes` axes. They must be finite numbers of `f32`.
pub fn point(place: &[f64], axes: usize) -> Result<Point, String> {
    let text = || cut(&format!("{place:?}")).into_owned();
    if place.len() != axes {
        return Err(format!(
            "{} is no place: the world has {axes} axes, so a place has {axes} numbers",
            text()
        ));
    }
    let mut point = Point::ZERO;
    for (axis, coordinate) in place.iter().enumerate() {
        point[axis] = *coordinate as f32;
    }
    if point.is_finite() { Ok(point) } else { Err(format!("{} is no place", text())) }
}
