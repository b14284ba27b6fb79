//! Shapes in the world other than agents: obstacles, paths, targets, and the geometry of steering.
//!
//! The scenery and the geometry produce a list of shapes. The renderers of the list
//! ([`super::cpu::shape_raster`], the window) decide how to draw it.

pub mod geometry;
pub(crate) mod scenery;
pub(crate) mod walls;

use std::f32::consts::TAU;

use crate::camera::{Camera, corners};
use flockwork_model::vector::{Point, flat};

/// Width of a line that has no width of its own, in a plane and at any distance in a space; points.
pub const LINE: f32 = 1.25;

/// A shape in world coordinates.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A filled circle.
    Disc {
        /// World units.
        centre: Point,
        /// World units.
        radius: f32,
    },
    /// The outline of a circle.
    Ring {
        /// World units.
        centre: Point,
        /// World units.
        radius: f32,
    },
    /// A polyline. `width` is the width of a band in world units, or 0 for a thin line.
    Line {
        /// World units.
        points: Vec<Point>,
        /// True if the line returns to its start.
        closed: bool,
        /// World units.
        width: f32,
    },
    /// A small upright cross of the same size at every zoom.
    Cross {
        /// World units.
        centre: Point,
    },
    /// A part of a filled circle, symmetric about `heading`.
    Sector {
        /// World units.
        centre: Point,
        /// World units.
        radius: f32,
        /// Radians against the x axis.
        heading: f32,
        /// Full angle; radians.
        angle: f32,
    },
    /// In space: a pane of glass, from a corner along two sides.
    Pane {
        /// World units.
        corner: Point,
        /// World units.
        sides: [Point; 2],
    },
    /// In space: the straight edges of a part of a sphere, symmetric about `heading`.
    Cone {
        /// World units.
        centre: Point,
        /// World units.
        radius: f32,
        /// A direction.
        heading: Point,
        /// Full angle; radians.
        angle: f32,
    },
    /// A dashed arc.
    Dashes(Dashes),
}

impl Shape {
    /// From its own place to each one where a camera shows it. A line is shown wherever a part of it is near the
    /// middle, all of another shape at the place nearest to the middle.
    #[must_use]
    pub fn offsets(&self, camera: &Camera) -> Vec<Point> {
        if camera.period == Point::ZERO {
            return vec![Point::ZERO];
        }
        let first = match self {
            Self::Disc { centre, .. }
            | Self::Ring { centre, .. }
            | Self::Cross { centre }
            | Self::Sector { centre, .. }
            | Self::Cone { centre, .. } => *centre,
            Self::Dashes(dashes) => dashes.centre,
            Self::Line { points, width, .. } => {
                // A line covers a pixel at least.
                let margin = 0.5 * width + camera.pixels_per_unit.recip();
                let corner = camera.centre - camera.period * 0.5;
                let low = points.iter().copied().reduce(Point::min).unwrap_or_default() - corner;
                let high = points.iter().copied().reduce(Point::max).unwrap_or_default() - corner;
                return offsets_into(camera.period, low - margin, high + margin).collect();
            }
            Self::Pane { corner, .. } => *corner,
        };
        vec![camera.image(first) - first]
    }
}

/// Farthest image of a shape in a wrapped world, in world sizes: paths are within two of the world, and a camera
/// shows at most one beyond it.
const MAX_IMAGE_DISTANCE: f32 = 3.0;

/// The offsets by whole sizes that bring each part of what lies between `low` and `high` into a world of this size.
pub(crate) fn offsets_into(size: Point, low: Point, high: Point) -> impl Iterator<Item = Point> {
    let times = |axis: usize| {
        let size = size[axis];
        if size == 0.0 {
            return 0..=0;
        }
        let within = |times: f32| times.clamp(-MAX_IMAGE_DISTANCE, MAX_IMAGE_DISTANCE) as i32;
        let fewest = (-high[axis] / size).floor() + 1.0;
        let most = ((size - low[axis]) / size).ceil() - 1.0;
        within(fewest)..=within(most)
    };
    let [columns, rows, layers] = [0, 1, 2].map(times);
    let of_layer = move |layer: i32| {
        let columns = columns.clone();
        let of_row = move |row: i32| columns.clone().map(move |column| [column, row, layer]);
        rows.clone().flat_map(of_row)
    };
    let times = layers.flat_map(of_layer);
    times.map(move |times| Point::from_array(times.map(|times| times as f32)) * size)
}

/// A dashed arc, symmetric about `heading`. Arcs that share a place alternate their dashes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dashes {
    /// World units.
    pub centre: Point,
    /// World units.
    pub radius: f32,
    /// Radians against the x axis.
    pub heading: f32,
    /// Full angle; radians.
    pub angle: f32,
    /// Index of this arc among those that share the place.
    pub turn: u32,
    /// Number of arcs that share the place.
    pub of: u32,
}

/// A quarter turn to the left, seen from above. In space a level vector of the same length; the one of a
/// vertical one is along the x axis.
#[must_use]
pub fn perpendicular(vector: Point) -> Point {
    let left = flat(-vector.y, vector.x);
    if vector.z == 0.0 {
        return left;
    }
    left.try_normalize().unwrap_or(Point::X) * vector.length()
}

/// The twelve edges of a box from the origin to `size`: the corners at both ends of each.
pub fn edges(size: Point) -> impl Iterator<Item = [Point; 2]> {
    let corners = corners(size);
    let pairs = (0..8).flat_map(|from| [1, 2, 4].map(|side| (from, from | side)));
    pairs.filter(|(from, to)| from != to).map(move |(from, to)| [corners[from], corners[to]])
}

/// The angle of a vector against the x axis, seen from above; radians.
#[must_use]
pub fn angle_of(vector: Point) -> f32 {
    vector.y.atan2(vector.x)
}

/// Distance between the starts of two dashes; points of the screen.
const DASH: f32 = 10.0;

/// Share of that distance that is drawn.
const DRAWN: f32 = 0.6;

/// The most dashes of an arc. A circle far larger than the screen gets longer dashes.
const MAX_DASHES: f32 = 360.0;

impl Dashes {
    /// A whole circle.
    #[must_use]
    pub fn round(centre: Point, radius: f32) -> Self {
        Self { centre, radius, heading: 0.0, angle: TAU, turn: 0, of: 1 }
    }

    /// The beginning and end of each dash, in radians against the x axis, if the radius on the
    /// screen is `radius` points.
    pub fn dashes(&self, radius: f32) -> impl Iterator<Item = (f32, f32)> + use<> {
        let Self { heading, angle, turn, of, .. } = *self;
        // `as` turns NaN into 0.
        let places = (radius * angle / DASH).round().clamp(4.0, MAX_DASHES) as u32;
        let places = places.next_multiple_of(of.max(1));
        let step = angle / places as f32;
        let begin = move |place: u32| heading - angle / 2.0 + place as f32 * step;
        let own = (turn..places).step_by(of.max(1) as usize);
        own.map(move |place| (begin(place), begin(place) + DRAWN * step))
    }
}

/// A shape with its style.
#[derive(Clone, Debug, PartialEq)]
pub struct StyledShape {
    /// The shape.
    pub shape: Shape,
    /// sRGB.
    pub colour: [u8; 3],
    /// 0 to 1.
    pub opacity: f32,
}

impl StyledShape {
    /// A shape in a colour, at an opacity.
    #[must_use]
    pub fn new(shape: Shape, (colour, opacity): ([u8; 3], f32)) -> Self {
        Self { shape, colour, opacity }
    }
}
