//! The body of an agent in space: a solid dart. `shaders/draw_bodies.wgsl` has the same numbers.

use flockwork_model::vector::Point;

/// Corners of a dart that heads along x, with z up, of half length 1: nose, left and right wing, back and
/// belly.
pub const CORNERS: [[f32; 3]; 5] = [
    [1.0, 0.0, 0.0],
    [-1.0, 0.52, 0.1],
    [-1.0, -0.52, 0.1],
    [-0.72, 0.0, 0.24],
    [-0.72, 0.0, -0.2],
];

/// No corner is farther from the middle.
pub const REACH: f32 = 1.14;

/// Its sides: corners in anticlockwise order as seen from outside.
pub const SIDES: [[usize; 3]; 6] =
    [[0, 1, 3], [0, 3, 2], [0, 4, 1], [0, 2, 4], [1, 4, 3], [2, 3, 4]];

/// The axes of a body: ahead, to the left and up, each a unit vector. A body at rest heads along the x axis.
#[must_use]
pub fn axes(velocity: Point) -> [Point; 3] {
    let ahead = velocity.try_normalize().unwrap_or(Point::X);
    // A vertical body has the y axis on its left.
    let level = Point::new(-ahead.y, ahead.x, 0.0);
    let left = if level.length_squared() > 1e-8 { level.normalize() } else { Point::Y };
    [ahead, left, ahead.cross(left)]
}

/// The outward normal of a side in the axes of the body; a unit vector.
#[must_use]
pub fn normal(side: [usize; 3]) -> Point {
    let [a, b, c] = side.map(|corner| Point::from_array(CORNERS[corner]));
    (b - a).cross(c - a).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_closed_and_its_sides_face_outwards() {
        assert!(CORNERS.iter().all(|corner| Point::from_array(*corner).length() < REACH));
        let middle = CORNERS.iter().map(|c| Point::from_array(*c)).sum::<Point>() / 5.0;
        let mut edges = Vec::new();
        for side in SIDES {
            let [a, b, c] = side;
            assert!(normal(side).dot(Point::from_array(CORNERS[a]) - middle) > 0.0, "{side:?}");
            edges.extend([(a, b), (b, c), (c, a)]);
        }
        for (from, to) in &edges {
            assert_eq!(edges.iter().filter(|edge| **edge == (*to, *from)).count(), 1);
        }
    }

    #[test]
    fn every_heading_has_axes() {
        for velocity in [Point::ZERO, Point::X, -Point::X, Point::Z, -Point::Z, Point::ONE] {
            let [ahead, left, up] = axes(velocity);
            assert!((ahead.cross(left) - up).length() < 1e-6 && (left.length() - 1.0).abs() < 1e-6);
            assert!(up.z >= -1e-6, "{velocity}: it does not fly on its back");
        }
    }
}
