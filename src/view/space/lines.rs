//! Thin lines in a space: they are as wide at any distance.

use std::f32::consts::TAU;

use super::stage::{Stage, Viewed};
use crate::shapes::LINE;
use flockwork_model::vector::Point;

/// Parts of a line: the fog changes along it.
const PARTS: u32 = 6;

/// Only lines with fewer corners have parts.
const FEW: usize = 6;

/// Distance between two corners of a circle; points.
const CHORD: f32 = 5.0;

/// A dash and the gap after it, in chords of a circle.
pub const DASH_STEPS: u32 = 2;

/// A colour and an opacity.
type Pen = ([f32; 3], f32);

impl Stage<'_> {
    /// A line through points.
    pub(super) fn line(&mut self, points: &[Point], pen: Pen) {
        let parts = if points.len() < FEW { PARTS } else { 1 };
        for pair in points.windows(2) {
            let [from, to] = [pair[0], pair[1]].map(|point| self.viewed(point));
            for part in 0..parts {
                let at = |part: u32| from + (to - from) * (part as f32 / parts as f32);
                self.stroke(at(part), at(part + 1), pen);
            }
        }
    }

    /// The outline of a sphere: one chord in `every`.
    pub(super) fn outline(&mut self, centre: Point, radius: f32, every: u32, pen: Pen) {
        // The circle in which lines of sight touch the sphere.
        let way = self.camera.centre + self.eye.place() - centre;
        let far = way.length();
        let share = radius / far;
        // From inside there is none; nor of what is not finite.
        if !(share < 0.999 && radius > 0.0) {
            return;
        }
        let ahead = way / far;
        let middle = centre + ahead * (radius * share);
        let (x, y) = ahead.any_orthonormal_pair();
        let radius = radius * (1.0 - share * share).sqrt();
        let around = TAU * radius * self.pixels_per_unit(self.viewed(middle).z);
        let chords = ((around / (CHORD * self.scale)) as u32).clamp(16, 180) / every.max(1) * every;
        let at = |chord: u32| {
            let angle = TAU * chord as f32 / chords as f32;
            middle + (x * angle.cos() + y * angle.sin()) * radius
        };
        for chord in (0..chords).step_by(every.max(1) as usize) {
            let (from, to) = (self.viewed(at(chord)), self.viewed(at(chord + 1)));
            self.stroke(from, to, pen);
        }
    }

    /// A straight line of a pixel or two, as far as it is before the eye.
    fn stroke(&mut self, from: Viewed, to: Viewed, (colour, opacity): Pen) {
        let near = self.eye.near;
        if from.z < near && to.z < near {
            return;
        }
        let before = |end: Viewed, other: Viewed| {
            if end.z >= near {
                return end;
            }
            let cut = end + (other - end) * ((near - end.z) / (other.z - end.z));
            cut.with_z(near)
        };
        let (from, to) = (before(from, to), before(to, from));
        let (start, end) = (self.pixel(from), self.pixel(to));
        let side = (end - start).perp().normalize_or_zero() * (0.5 * LINE * self.scale);
        let corners =
            [(start - side, from), (start + side, from), (end + side, to), (end - side, to)];
        let corners = corners.map(|(pixel, viewed)| self.corner(pixel, viewed.z, colour, opacity));
        self.push_quad(corners, opacity);
    }
}
