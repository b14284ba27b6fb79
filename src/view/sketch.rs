//! Shapes in the world that are no agents: obstacles, paths, targets, and the geometry of steering.
//!
//! A list of them is all that the scenery and the geometry have to say; who draws them
//! ([`super::pencil`], the window) decides how.

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
}

/// A shape and how it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// What.
    pub shape: Shape,
    /// sRGB.
    pub colour: [u8; 3],
    /// 0 to 1.
    pub opacity: f32,
}
