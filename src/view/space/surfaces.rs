//! Surfaces in a space: spheres, tubes and cones.

use std::f32::consts::{PI, TAU};

use super::stage::{Stage, Viewed};
use flockwork_model::vector::Point;
use glam::Vec2;

/// Sides of a tube.
const TUBE_SIDES: u32 = 14;

/// Sides of a cone.
const CONE_SIDES: u32 = 32;

/// Cells of a pane along each side, each of one opacity.
const PANE_CELLS: u32 = 24;

/// The share of the light that glass mirrors where it is seen straight ahead.
const MIRRORED: f32 = 0.04;

/// The most sides of a sphere around its axis.
const MAX_SIDES: u32 = 56;

/// A row of places with the light on each.
type Row = Vec<(Point, f32)>;

impl Stage<'_> {
    /// A lit sphere, seen from outside.
    pub(super) fn sphere(&mut self, centre: Point, radius: f32, colour: [f32; 3], opacity: f32) {
        let viewed = self.viewed(centre);
        let depth = viewed.z;
        if !(radius >= 0.0 && depth + radius > self.eye.near) {
            return;
        }
        // As many sides as its size in the picture shows.
        let pixels = radius * self.pixels_per_unit(depth);
        let radius = radius.max(1.5 * self.scale / self.pixels_per_unit(depth));
        // From inside nothing is seen; flat sides are up to a tenth nearer to the middle.
        if viewed.length() < 0.9 * radius || self.is_beside_picture(viewed, radius) {
            return;
        }
        let sides = ((3.0 * pixels.sqrt()) as u32).clamp(10, MAX_SIDES);
        let rows: Vec<Row> = (0..=sides / 2)
            .map(|row| {
                let (level, height) = (PI * row as f32 / (sides / 2) as f32).sin_cos();
                let at = |side: u32| {
                    let (sine, cosine) = (TAU * side as f32 / sides as f32).sin_cos();
                    let normal = Point::new(level * cosine, level * sine, -height);
                    (centre + normal * radius, self.lighting.shade(normal))
                };
                (0..=sides).map(at).collect()
            })
            .collect();
        self.rows(&rows, colour, opacity);
    }

    /// True if a sphere is beyond one edge of the picture.
    fn is_beside_picture(&self, middle: Viewed, radius: f32) -> bool {
        let edge = self.camera.size * (0.5 / (self.camera.pixels_per_unit * self.eye.distance));
        let beyond = middle.truncate().abs() - edge * middle.z;
        let slope = Vec2::new(edge.x.hypot(1.0), edge.y.hypot(1.0));
        beyond.cmpgt(slope * radius).any()
    }

    /// A lit tube around a line.
    pub(super) fn tube(&mut self, points: &[Point], radius: f32, colour: [f32; 3], opacity: f32) {
        let mut ends: Vec<Point> = points.to_vec();
        ends.dedup();
        if ends.len() < 2 {
            return;
        }
        let closed = ends.len() > 3 && ends.first() == ends.last();
        let way = |number: usize| {
            let after = |i: usize| (ends[i + 1] - ends[i]).normalize_or_zero();
            let last = ends.len() - 2;
            let before = if number > 0 {
                number - 1
            } else if closed {
                last
            } else {
                0
            };
            let next = if number <= last {
                number
            } else if closed {
                0
            } else {
                last
            };
            (after(before) + after(next)).try_normalize().unwrap_or_else(|| after(next))
        };
        // Each ring is turned as little as possible against the one before.
        let mut across = way(0).any_orthonormal_vector();
        let rows: Vec<Row> = (0..ends.len())
            .map(|number| {
                let along = way(number);
                across =
                    (across - along * along.dot(across)).try_normalize().unwrap_or_else(|| {
                        along.try_normalize().unwrap_or(Point::X).any_orthonormal_vector()
                    });
                let (x, y) = (across, along.cross(across));
                let at = |side: u32| {
                    let (sine, cosine) = (TAU * side as f32 / TUBE_SIDES as f32).sin_cos();
                    let normal = x * cosine + y * sine;
                    (ends[number] + normal * radius, self.lighting.shade(normal))
                };
                (0..=TUBE_SIDES).map(at).collect()
            })
            .collect();
        self.rows(&rows, colour, opacity);
    }

    /// A pane of glass: it mirrors the more, the flatter it is seen (Schlick, 1994).
    pub(super) fn pane(
        &mut self,
        corner: Point,
        [x, y]: [Point; 2],
        colour: [f32; 3],
        opacity: f32,
    ) {
        let normal = x.cross(y).normalize_or_zero();
        let eye = self.camera.centre + self.eye.place();
        let at = |column: f32, row: f32| corner + (x * column + y * row) / PANE_CELLS as f32;
        for (row, column) in (0..PANE_CELLS.pow(2)).map(|n| (n / PANE_CELLS, n % PANE_CELLS)) {
            let (column, row) = (column as f32, row as f32);
            let way = (eye - at(column + 0.5, row + 0.5)).normalize_or_zero();
            let aslant = 1.0 - normal.dot(way).abs();
            let mirrored = MIRRORED + (1.0 - MIRRORED) * aslant.powi(5);
            let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
            let viewed = corners.map(|(x, y)| (self.viewed(at(column + x, row + y)), colour));
            self.add_quad(viewed, opacity * mirrored);
        }
    }

    /// The region within a radius and half an angle (radians) of a heading: its edge, as a cone of the same
    /// colour on all sides.
    pub(super) fn cone(
        &mut self,
        centre: Point,
        (radius, angle): (f32, f32),
        heading: Point,
        (colour, opacity): ([f32; 3], f32),
    ) {
        let ahead = heading.try_normalize().unwrap_or(Point::X);
        let (x, y) = ahead.any_orthonormal_pair();
        let (level, height) = (0.5 * angle).min(PI).sin_cos();
        let rim = |side: u32| {
            let (sine, cosine) = (TAU * side as f32 / CONE_SIDES as f32).sin_cos();
            centre + (ahead * height + (x * cosine + y * sine) * level) * radius
        };
        let tip = (self.viewed(centre), colour);
        for side in 0..CONE_SIDES {
            let ends = [side, side + 1].map(|side| (self.viewed(rim(side)), colour));
            self.add([tip, ends[0], ends[1]], opacity);
        }
    }

    /// A surface through rows of places, as far as it faces the eye. Its rows go round its outside
    /// anticlockwise, the next one ahead.
    fn rows(&mut self, rows: &[Row], colour: [f32; 3], opacity: f32) {
        let eye = self.camera.centre + self.eye.place();
        for (row, next) in rows.iter().zip(rows.iter().skip(1)) {
            for side in 0..row.len().min(next.len()) - 1 {
                let four = [row[side], row[side + 1], next[side + 1], next[side]];
                let normal = (four[2].0 - four[0].0).cross(four[3].0 - four[1].0);
                let middle = (four[0].0 + four[1].0 + four[2].0 + four[3].0) * 0.25;
                if normal.dot(eye - middle) <= 0.0 {
                    continue;
                }
                let corner = |(place, light): (Point, f32)| {
                    (self.viewed(place), colour.map(|channel| channel * light))
                };
                let four = four.map(corner);
                self.add_quad(four, opacity);
            }
        }
    }
}
