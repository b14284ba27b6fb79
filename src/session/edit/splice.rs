//! Changes of the lists of a scene, and how a text says them.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::long;
use super::place::{self, number, numbers, point};
use flockwork_model::behaviours::Target;
use flockwork_model::behaviours::bounds::MAX_SPEED;
use flockwork_model::quote::cut;
use flockwork_model::scene::keys::MAX_EXTENT;
use flockwork_model::scenery::{Obstacle, Path};
use flockwork_model::vector::Point;

/// Takes some objects out of a list and puts others in their place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound(serialize = "T: InText", deserialize = "T: InText"))]
pub struct Splice<T> {
    /// The number of the first object that goes, and of the first that comes; `None`: the end.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at: Option<usize>,
    /// How many go.
    #[serde(skip_serializing_if = "is_default", default)]
    pub remove: usize,
    /// Those that come.
    #[serde(skip_serializing_if = "Vec::is_empty", default = "Vec::new", with = "in_text")]
    pub insert: Vec<T>,
}

/// True if a value is left out of a text.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl<T> Splice<T> {
    /// Adds objects at the end.
    #[must_use]
    pub fn adding(insert: Vec<T>) -> Self {
        Self { at: None, remove: 0, insert }
    }

    /// Removes object number `index`.
    #[must_use]
    pub fn removing(index: usize) -> Self {
        Self { at: Some(index), remove: 1, insert: Vec::new() }
    }

    /// Puts `one` in the place of object number `index`.
    #[must_use]
    pub fn replacing(index: usize, one: T) -> Self {
        Self { at: Some(index), remove: 1, insert: vec![one] }
    }

    /// This and then `next` as one, if both add at the end or both remove side by side.
    pub(super) fn then(mut self, next: Self) -> Result<Self, (Self, Self)> {
        let end = next.at.map(|at| at + next.remove);
        if (self.at, self.remove) == (None, 0) && (next.at, next.remove) == (None, 0) {
            self.insert.extend(next.insert);
            return Ok(self);
        }
        if self.insert.is_empty() && next.insert.is_empty() && self.at.is_some() && self.at == end {
            return Ok(Self { remove: self.remove + next.remove, ..next });
        }
        Err((self, next))
    }

    /// Does so in a list. Returns the inverse. Fails, and changes nothing, if the list has no such objects.
    pub(super) fn put(&self, all: &mut Vec<T>) -> Result<Self, String>
    where
        T: Clone,
    {
        let at = self.at.unwrap_or(all.len());
        let end = at.checked_add(self.remove).filter(|end| *end <= all.len());
        let end = end.ok_or_else(|| format!("there is no number {at} among {}", all.len()))?;
        let gone = all.splice(at..end, self.insert.iter().cloned()).collect();
        Ok(Self { at: Some(at), remove: self.insert.len(), insert: gone })
    }
}

/// An object of a scene as a text says it.
trait InText: Sized {
    /// The text's table or list.
    type Row: Serialize + DeserializeOwned;

    fn row(&self) -> Self::Row;

    fn read(row: Self::Row) -> Result<Self, String>;
}

/// A list of objects, each as its row.
mod in_text {
    use super::*;

    pub fn serialize<T: InText, S: Serializer>(all: &[T], into: S) -> Result<S::Ok, S::Error> {
        into.collect_seq(all.iter().map(InText::row))
    }

    pub fn deserialize<'de, T: InText, D: Deserializer<'de>>(from: D) -> Result<Vec<T>, D::Error> {
        let rows = long::deserialize(from)?.into_iter();
        rows.map(T::read).collect::<Result<_, _>>().map_err(D::Error::custom)
    }
}

fn size(value: f64) -> Result<f32, String> {
    Some(value as f32)
        .filter(|radius| (0.0..=MAX_EXTENT).contains(radius))
        .ok_or_else(|| format!("{value} is no radius; one is a number from 0 to {MAX_EXTENT}"))
}

/// The coordinates and the radius in one list.
impl InText for Obstacle {
    type Row = Vec<f64>;

    fn row(&self) -> Vec<f64> {
        [numbers(self.position), vec![number(self.radius)]].concat()
    }

    fn read(row: Vec<f64>) -> Result<Self, String> {
        match row.split_last() {
            Some((radius, centre @ [_, _, ..])) => Ok(Self::new(point(centre)?, size(*radius)?)),
            _ => Err(format!(
                "an obstacle has the coordinates of a place and a radius, not {}",
                cut(&format!("{row:?}"))
            )),
        }
    }
}

/// A path with all that it has.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PathRow {
    name: String,
    #[serde(with = "place::list")]
    points: Vec<Point>,
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    closed: bool,
    shown: bool,
}

impl InText for Path {
    type Row = PathRow;

    fn row(&self) -> PathRow {
        let Self { name, points, closed, shown } = self.clone();
        PathRow { name, points, closed, shown }
    }

    fn read(PathRow { name, points, closed, shown }: PathRow) -> Result<Self, String> {
        match points.len() {
            0 | 1 => Err("a path has at least two points".into()),
            _ => Ok(Self { name, points, closed, shown }),
        }
    }
}

/// A target with all that it has.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TargetRow {
    name: String,
    #[serde(with = "place")]
    position: Point,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    velocity: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    hit_radius: Option<f64>,
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    turns: bool,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    sends_to: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    hits: Option<u32>,
    /// True for the pointer while it calls the flock; every other target is there.
    active: bool,
}

impl InText for Target {
    type Row = TargetRow;

    fn row(&self) -> TargetRow {
        let rests = self.velocity.to_array().iter().all(|one| *one == 0.0 || one.is_nan());
        TargetRow {
            name: self.name.clone(),
            position: self.position,
            velocity: if rests { Vec::new() } else { numbers(self.velocity) },
            hit_radius: Some(number(self.hit_radius)).filter(|radius| *radius != 0.0),
            turns: self.turns,
            sends_to: self.sends_to.map_or_else(Vec::new, numbers),
            hits: Some(self.hits).filter(|hits| *hits != 0),
            active: self.active,
        }
    }

    fn read(row: TargetRow) -> Result<Self, String> {
        let mut target = Self::fixed(&row.name, row.position);
        let some = |numbers: &[f64]| Some(numbers).filter(|numbers| !numbers.is_empty()).map(point);
        // At rest it has as many coordinates as its place.
        target.velocity = some(&row.velocity).unwrap_or(Ok(row.position * 0.0))?;
        if let Some(fast) = target.velocity.to_array().into_iter().find(|one| one.abs() > MAX_SPEED)
        {
            let range = format!("one is a number from -{MAX_SPEED} to {MAX_SPEED}");
            return Err(format!("{fast} is no velocity; {range}"));
        }
        target.hit_radius = row.hit_radius.map_or(Ok(0.0), size)?;
        target.sends_to = some(&row.sends_to).transpose()?;
        (target.turns, target.active) = (row.turns, row.active);
        target.hits = row.hits.unwrap_or_default();
        Ok(target)
    }
}
