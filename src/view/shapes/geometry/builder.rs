//! Builds the shapes of the geometry.

use crate::shapes::{Dashes, Shape, StyledShape, angle_of, edges, perpendicular};
use flockwork_model::vector::{Point, flat};

/// Opacity of lines and points.
const LINE: f32 = 0.85;

/// Opacity of circles: there are many of them, and some are large.
const RING: f32 = 0.6;

/// Opacity of areas, so that the flock shows through.
const AREA: f32 = 0.14;

/// Length of an arrow's head, as a share of the arrow.
const HEAD: f32 = 0.25;

/// Width of a bold arrow, as a share of the length of its head.
const BOLD: f32 = 0.3;

/// Collects shapes drawn in a current colour.
#[derive(Clone, Debug)]
pub struct ShapeBuilder {
    /// sRGB of what is drawn next.
    pub colour: [u8; 3],
    /// Radius of a point; world units. The renderer enlarges it if it would be invisible.
    point: f32,
    shapes: Vec<StyledShape>,
}

impl ShapeBuilder {
    /// A builder whose points fit an agent of `size` world units.
    pub fn new(size: f32) -> Self {
        Self { colour: [255; 3], point: size * 0.25, shapes: Vec::new() }
    }

    /// The shapes drawn so far.
    pub fn into_shapes(self) -> Vec<StyledShape> {
        self.shapes
    }

    fn draw(&mut self, shape: Shape, opacity: f32) {
        self.shapes.push(StyledShape { shape, colour: self.colour, opacity });
    }

    /// A point.
    pub fn point(&mut self, at: Point) {
        self.draw(Shape::Disc { centre: at, radius: self.point }, LINE);
    }

    /// A circle around an object.
    pub fn circle(&mut self, centre: Point, radius: f32) {
        self.draw(Shape::Ring { centre, radius }, RING);
    }

    /// A dashed circle that shows a range.
    pub fn ring(&mut self, centre: Point, radius: f32) {
        self.dashes(Dashes::round(centre, radius));
    }

    /// A dashed arc that shows a range.
    pub fn dashes(&mut self, dashes: Dashes) {
        self.draw(Shape::Dashes(dashes), LINE);
    }

    /// A line through `points`.
    pub fn line(&mut self, points: &[Point]) {
        self.line_of(points.to_vec(), LINE);
    }

    fn line_of(&mut self, points: Vec<Point>, opacity: f32) {
        self.draw(Shape::Line { points, closed: false, width: 0.0 }, opacity);
    }

    /// A line through `points` and back to the first.
    pub fn outline(&mut self, points: &[Point]) {
        self.draw(Shape::Line { points: points.to_vec(), closed: true, width: 0.0 }, RING);
    }

    /// A rectangle along the axes, or a box.
    pub fn rectangle(&mut self, low: Point, high: Point) {
        if low.z != high.z {
            for edge in edges(high - low) {
                self.line_of(edge.map(|corner| low + corner).to_vec(), RING);
            }
            return;
        }
        self.outline(&[low, flat(high.x, low.y), high, flat(low.x, high.y)]);
    }

    /// An arrow from `from` to `to`; nothing if they are equal.
    pub fn arrow(&mut self, from: Point, to: Point) {
        let way = to - from;
        if way == Point::ZERO {
            return;
        }
        let (along, across) = (way * HEAD, perpendicular(way) * (HEAD * 0.5));
        self.line(&[from, to]);
        self.line(&[to - along + across, to, to - along - across]);
    }

    /// A thicker arrow from `from` to `to` with a head of this length; world units.
    pub fn bold_arrow(&mut self, from: Point, to: Point, head: f32) {
        let along = (to - from).normalize_or_zero() * head;
        let across = perpendicular(along) * 0.6;
        for points in [vec![from, to], vec![to - along + across, to, to - along - across]] {
            self.draw(Shape::Line { points, closed: false, width: head * BOLD }, 1.0);
        }
    }

    /// In space: the edge of what is within `radius` and half of `angle` (radians) of `heading`.
    pub fn cone(&mut self, centre: Point, radius: f32, heading: Point, angle: f32) {
        self.draw(Shape::Cone { centre, radius, heading, angle }, AREA);
    }

    /// The area within `radius` and within half of `angle` (radians) either side of `heading` (a
    /// unit vector), with its straight edges but not its arc.
    pub fn sector(&mut self, centre: Point, radius: f32, heading: Point, angle: f32) {
        let middle = angle_of(heading);
        self.draw(Shape::Sector { centre, radius, heading: middle, angle }, AREA);
        let end = |side: f32| {
            let angle = middle + angle * side;
            centre + flat(angle.cos(), angle.sin()) * radius
        };
        self.line_of(vec![end(-0.5), centre, end(0.5)], RING);
    }
}
