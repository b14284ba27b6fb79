//! Shapes in the world that are no agents: obstacles, paths, targets, and the geometry of steering.
//!
//! A list of them is all that the scenery and the geometry have to say; who draws them
//! ([`super::cpu::shape_raster`], the window) decides how.

pub mod geometry;
pub mod scenery;

use std::f32::consts::TAU;

use crate::model::vector::Point;

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
    /// A circle's line.
    Ring {
        /// World units.
        centre: Point,
        /// World units.
        radius: f32,
    },
    /// A line of segments; `width` is that of a band in world units, 0 for a mere line.
    Line {
        /// World units.
        points: Vec<Point>,
        /// True when it leads back to its start.
        closed: bool,
        /// World units.
        width: f32,
    },
    /// A small upright cross that is as large in every picture.
    Cross {
        /// World units.
        centre: Point,
    },
    /// A part of a filled circle, symmetric round `heading`.
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
    /// A dashed arc.
    Dashes(Dashes),
}

/// A dashed arc, symmetric round `heading`. Several that share their place leave room for each other.
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
    /// Which of those that share the place this is, from 0 on.
    pub turn: u32,
    /// How many share the place.
    pub of: u32,
}

/// From one dash to the next; points of the screen.
const DASH: f32 = 10.0;

/// How much of that is drawn.
const DRAWN: f32 = 0.6;

/// Most dashes of an arc: a circle that is far larger than the screen has longer ones.
const MOST_DASHES: f32 = 360.0;

impl Dashes {
    /// All of a circle.
    #[must_use]
    pub fn round(centre: Point, radius: f32) -> Self {
        Self { centre, radius, heading: 0.0, angle: TAU, turn: 0, of: 1 }
    }

    /// Where each dash begins and ends, in radians against the x axis, on a screen on which the radius
    /// is `radius` points.
    pub fn dashes(&self, radius: f32) -> impl Iterator<Item = (f32, f32)> + use<> {
        let Self { heading, angle, turn, of, .. } = *self;
        // `as` makes none of what is no number.
        let places = (radius * angle / DASH).round().clamp(4.0, MOST_DASHES) as u32;
        let places = places.next_multiple_of(of.max(1));
        let step = angle / places as f32;
        let begin = move |place: u32| heading - angle / 2.0 + place as f32 * step;
        let own = (turn..places).step_by(of.max(1) as usize);
        own.map(move |place| (begin(place), begin(place) + DRAWN * step))
    }
}

/// A shape and how it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct StyledShape {
    /// What.
    pub shape: Shape,
    /// sRGB.
    pub colour: [u8; 3],
    /// 0 to 1.
    pub opacity: f32,
}
