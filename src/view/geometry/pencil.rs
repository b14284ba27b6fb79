//! The pencil that the geometry is drawn with.

use crate::model::vector::Point;
use crate::view::sketch::{Mark, Shape};

/// Opacity of lines and points.
const LINE: f32 = 0.85;

/// Opacity of circles, of which there are many and large ones.
const RING: f32 = 0.6;

/// Opacity of areas: the flock must show through.
const AREA: f32 = 0.14;

/// Corners of an arc on each full turn.
const CORNERS: f32 = 64.0;

/// Length of an arrow's head, in lengths of the arrow.
const HEAD: f32 = 0.25;

/// Draws shapes of one colour after another.
#[derive(Clone, Debug)]
pub struct Pencil {
    /// sRGB of what is drawn next.
    pub colour: [u8; 3],
    /// Radius of a point; world units. Whoever draws it makes it large enough to be seen.
    point: f32,
    marks: Vec<Mark>,
}

impl Pencil {
    /// A pencil whose points fit an agent of `size` world units.
    #[must_use]
    pub fn new(size: f32) -> Self {
        Self { colour: [255; 3], point: size * 0.25, marks: Vec::new() }
    }

    /// What was drawn.
    #[must_use]
    pub fn into_marks(self) -> Vec<Mark> {
        self.marks
    }

    fn draw(&mut self, shape: Shape, opacity: f32) {
        self.marks.push(Mark { shape, colour: self.colour, opacity });
    }

    /// A point.
    pub fn point(&mut self, at: Point) {
        self.draw(Shape::Disc { centre: at, radius: self.point }, LINE);
    }

    /// A circle.
    pub fn ring(&mut self, centre: Point, radius: f32) {
        self.draw(Shape::Ring { centre, radius }, RING);
    }

    /// A line through `points`.
    pub fn line(&mut self, points: &[Point]) {
        self.draw(Shape::Line { points: points.to_vec(), closed: false, width: 0.0 }, LINE);
    }

    /// A line through `points` and back to the first.
    pub fn outline(&mut self, points: &[Point]) {
        self.draw(Shape::Line { points: points.to_vec(), closed: true, width: 0.0 }, RING);
    }

    /// A rectangle along the axes.
    pub fn rectangle(&mut self, low: Point, high: Point) {
        self.outline(&[low, Point::new(high.x, low.y), high, Point::new(low.x, high.y)]);
    }

    /// An arrow from `from` to `to`; nothing where they are the same.
    pub fn arrow(&mut self, from: Point, to: Point) {
        let way = to - from;
        if way == Point::ZERO {
            return;
        }
        let (along, across) = (way * HEAD, way.perp() * (HEAD * 0.5));
        self.line(&[from, to]);
        self.line(&[to - along + across, to, to - along - across]);
    }

    /// What lies within `radius` and half of `angle` (radians) either side of `heading` (a unit
    /// vector).
    pub fn sector(&mut self, centre: Point, radius: f32, heading: Point, angle: f32) {
        let middle = heading.to_angle();
        self.draw(Shape::Sector { centre, radius, heading: middle, angle }, AREA);
        let steps = (angle / std::f32::consts::TAU * CORNERS).ceil().max(1.0);
        let corner =
            |step: f32| centre + Point::from_angle(middle + angle * (step / steps - 0.5)) * radius;
        let arc = (0..=steps as u32).map(|step| corner(step as f32));
        let points: Vec<Point> = std::iter::once(centre).chain(arc).collect();
        self.outline(&points);
    }
}
