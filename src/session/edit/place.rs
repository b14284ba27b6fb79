//! Places in a text: a coordinate for each axis of the world.
//!
//! A text does not say how many axes its world has. So a coordinate that is not there is read as NaN, and
//! [`fit`] compares the number of coordinates with the world before the edit is made.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Edit, long};
use flockwork_model::quote::cut;
use flockwork_model::scene::keys::MAX_POSITION;
use flockwork_model::vector::Point;
use flockwork_model::world::{MAX_COORDINATE, World};

/// The shortest number that reads back as this one.
pub fn number(value: f32) -> f64 {
    let short = value.to_string().parse().unwrap_or(f64::from(value));
    if short as f32 == value { short } else { value.into() }
}

/// The coordinates of a place that are there.
pub fn numbers(place: Point) -> Vec<f64> {
    place.to_array().into_iter().filter(|one| !one.is_nan()).map(number).collect()
}

/// The place of some coordinates; the others are NaN. They must be finite numbers of `f32`.
pub fn point(numbers: &[f64]) -> Result<Point, String> {
    if numbers.len() > 3 {
        return Err(format!("a list of {} numbers is no place", numbers.len()));
    }
    let mut point = Point::NAN;
    for (axis, value) in numbers.iter().enumerate() {
        let value = Some(*value as f32).filter(|value| value.is_finite());
        point[axis] =
            value.ok_or_else(|| format!("{} is no place", cut(&format!("{numbers:?}"))))?;
    }
    Ok(point)
}

pub fn serialize<S: Serializer>(place: &Point, serializer: S) -> Result<S::Ok, S::Error> {
    numbers(*place).serialize(serializer)
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Point, D::Error> {
    point(&long::deserialize(deserializer)?).map_err(serde::de::Error::custom)
}

/// A list of places.
pub mod list {
    use super::*;

    pub fn serialize<S: Serializer>(places: &[Point], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(places.iter().copied().map(numbers))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Point>, D::Error> {
        #[derive(Deserialize)]
        struct At(#[serde(with = "super")] Point);
        let all = long::deserialize(deserializer)?;
        Ok(all.into_iter().map(|At(place)| place).collect())
    }
}

/// A place, or `false` for none.
pub mod or_false {
    use super::*;

    #[derive(Serialize, Deserialize)]
    #[serde(untagged, expecting = "expected a place, such as [320, 180], or false")]
    enum Row {
        At(#[serde(deserialize_with = "long::deserialize")] Vec<f64>),
        Off(bool),
    }

    pub fn serialize<S: Serializer>(
        place: &Option<Point>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        place.map_or(Row::Off(false), |at| Row::At(numbers(at))).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Point>, D::Error> {
        match Row::deserialize(deserializer)? {
            Row::At(numbers) => point(&numbers).map(Some).map_err(serde::de::Error::custom),
            Row::Off(false) => Ok(None),
            Row::Off(true) => Err(serde::de::Error::custom("`pointer` is a place or false")),
        }
    }
}

/// Compares all places of an edit with the axes of the world. Fails if one has another number of
/// coordinates, or if one is too far away.
pub fn fit(edit: &mut Edit, world: &World) -> Result<(), String> {
    let axes = world.axes();
    for (point, most) in edit.points() {
        let given = point.to_array().iter().filter(|one| !one.is_nan()).count();
        // A plane is at height 0.
        if given != axes && !(axes == 2 && point.z == 0.0) {
            let text = format!("{:?}", numbers(*point));
            return Err(format!(
                "{} is no place: the world has {axes} axes, so a place has {axes} numbers",
                cut(&text)
            ));
        }
        if axes == 2 {
            point.z = 0.0;
        }
        if let Some(far) = point.to_array().into_iter().find(|one| one.abs() > most) {
            return Err(format!("{far} is no coordinate; one is a number from -{most} to {most}"));
        }
    }
    Ok(())
}

/// Takes the heights away in a plane, so that a text has two coordinates there.
pub fn unfit(edit: &mut Edit, world: &World) {
    if world.axes() == 2 {
        edit.points().into_iter().for_each(|(point, _)| point.z = f32::NAN);
    }
}

impl Edit {
    /// All places and velocities in it, and the largest coordinate that each may have.
    fn points(&mut self) -> Vec<(&mut Point, f32)> {
        fn all(points: &mut [Point], most: f32) -> Vec<(&mut Point, f32)> {
            points.iter_mut().map(|point| (point, most)).collect()
        }
        match self {
            Self::Pointer(at) => at.iter_mut().map(|at| (at, MAX_COORDINATE)).collect(),
            Self::Lead(at) | Self::AddTarget(at) => vec![(at, MAX_COORDINATE)],
            Self::AddObstacle(at) => vec![(at, MAX_POSITION)],
            Self::Move(own) => vec![(&mut own.to, MAX_POSITION)],
            Self::Paint { places: points, .. } | Self::AddPath { points, .. } => {
                all(points, MAX_POSITION)
            }
            Self::Spawn(batches) => batches
                .iter_mut()
                .flat_map(|batch| all(&mut batch.places, MAX_COORDINATE))
                .collect(),
            Self::Targets(own) => {
                let each = own.insert.iter_mut().flat_map(|target| {
                    let to = target.sends_to.iter_mut();
                    [&mut target.position, &mut target.velocity].into_iter().chain(to)
                });
                each.map(|point| (point, MAX_COORDINATE)).collect()
            }
            Self::Obstacles(own) => {
                own.insert.iter_mut().map(|circle| (&mut circle.position, MAX_POSITION)).collect()
            }
            Self::Paths(own) => {
                own.insert.iter_mut().flat_map(|path| all(&mut path.points, MAX_POSITION)).collect()
            }
            Self::Return(own) => {
                let both = [&mut own.position, &mut own.velocity];
                both.into_iter().flat_map(|points| all(points, MAX_COORDINATE)).collect()
            }
            Self::Together(edits) => edits.iter_mut().flat_map(Self::points).collect(),
            _ => Vec::new(),
        }
    }
}
