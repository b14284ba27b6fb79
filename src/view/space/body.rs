//! The body of an agent in space: a solid dart, or one that moves. `shaders/draw_bodies.wgsl` has the same
//! numbers.

use std::f32::consts::TAU;

use crate::style::SLENDERNESS;
use flockwork_model::memory::MAX_BANK;
use flockwork_model::scene::{BoidShape, Scene};
use flockwork_model::vector::Point;

/// Corners of a dart that heads along x, with z up, of half length 1: nose, left and right wing, back and
/// belly.
const CORNERS: [[f32; 3]; 5] = [
    [1.0, 0.0, 0.0],
    [-1.0, 0.52, 0.1],
    [-1.0, -0.52, 0.1],
    [-0.72, 0.0, 0.24],
    [-0.72, 0.0, -0.2],
];

/// No corner is farther from the middle.
const REACH: f32 = 1.14;

/// Its sides: corners in anticlockwise order as seen from outside.
const SIDES: [[usize; 3]; 6] = [[0, 1, 3], [0, 3, 2], [0, 4, 1], [0, 2, 4], [1, 4, 3], [2, 3, 4]];

/// The same for birds and fish.
const LIVING_REACH: f32 = 1.25;

/// Sides of a bird: of its body, then both of each wing. Corners are nose, left and right shoulder, back, tail,
/// left and right wing tip, and the end of the wings' roots.
const BIRD_SIDES: [[usize; 3]; 10] = [
    [0, 1, 3],
    [0, 3, 2],
    [0, 2, 1],
    [4, 3, 1],
    [4, 2, 3],
    [4, 1, 2],
    [1, 5, 7],
    [1, 7, 5],
    [2, 7, 6],
    [2, 6, 7],
];

/// Sides of a fish: of its body, then both of its tail. Corners are nose, left and right flank, back, belly, stem
/// of the tail, and its upper and lower end.
const FISH_SIDES: [[usize; 3]; 10] = [
    [0, 1, 3],
    [0, 3, 2],
    [0, 4, 1],
    [0, 2, 4],
    [5, 3, 1],
    [5, 2, 3],
    [5, 1, 4],
    [5, 4, 2],
    [5, 6, 7],
    [5, 7, 6],
];

/// Ticks of a beat of a bird's wings, and of a fish's tail.
const WING_BEAT: f32 = 15.0;
const TAIL_BEAT: f32 = 30.0;

/// Ticks after which they begin again: whole beats of both.
const BEATS: u64 = 30;

/// Beats between agents whose ids follow one another: they do not beat in step.
const STAGGER: f32 = 0.618034;

/// The angle of wings that do not beat, and the most that they beat up and down; radians.
const WING_REST: f32 = 0.15;
const WING_SWING: f32 = 0.9;

/// The share of that in level flight, how much it grows with the sine of the climb, and the least of it.
const LEVEL_SWING: f32 = 0.5;
const CLIMB_SWING: f32 = 1.2;
const GLIDE: f32 = 0.1;

/// The most that a fish's tail sways; half lengths.
const MAX_SWAY: f32 = 0.4;

/// The way of the sway along a fish; radians.
const SWAY_LAG: f32 = 2.2;

/// Bodies shorter than this do not move, and of twice the length they move fully; pixels.
const STILL: f32 = 6.0;

/// The angle of a bird that leans as far as a number of its memory can say, and the most that one leans;
/// radians.
const FULL_BANK: f32 = 0.25 * TAU;
const MAX_LEAN: f32 = 1.22;

/// The corners of a body of half length 1 in its own axes, and its sides.
#[derive(Clone, Copy, Debug)]
pub struct BodyGlyph {
    /// Only as many as its sides name are used.
    pub corners: [[f32; 3]; 8],
    /// Corners in anticlockwise order as seen from outside.
    pub sides: &'static [[usize; 3]],
    /// No corner is farther from the middle.
    pub reach: f32,
}

/// The tick as the shaders get it.
pub fn tick_of(tick: u64) -> f32 {
    (tick % BEATS) as f32
}

impl BodyGlyph {
    /// The body of an agent of a shape at a tick of [`tick_of`]. `climb` is the vertical part of its heading,
    /// and `radius` half its length in pixels.
    pub fn of(shape: BoidShape, (id, tick): (u32, f32), climb: f32, radius: f32) -> Self {
        let moves = ((2.0 * radius - STILL) / STILL).clamp(0.0, 1.0);
        let stagger = (id & 0xFFFF) as f32 * STAGGER;
        let angle = |beat: f32| TAU * (tick / beat + stagger).fract();
        match shape {
            BoidShape::Bird => {
                let swing = (LEVEL_SWING + CLIMB_SWING * climb).clamp(GLIDE, 1.0) * WING_SWING;
                let wing = WING_REST + moves * swing * angle(WING_BEAT).sin();
                let (y, z) = (0.1 + 1.05 * wing.cos(), 1.05 * wing.sin());
                let corners = [
                    [1.0, 0.0, 0.0],
                    [0.45, 0.15, 0.0],
                    [0.45, -0.15, 0.0],
                    [0.3, 0.0, 0.17],
                    [-1.0, 0.0, 0.02],
                    [-0.2, y, z],
                    [-0.2, -y, z],
                    [-0.35, 0.0, 0.03],
                ];
                Self { corners, sides: &BIRD_SIDES, reach: LIVING_REACH }
            }
            BoidShape::Fish => {
                let beat = angle(TAIL_BEAT);
                let bent = |[x, y, z]: [f32; 3]| {
                    let along = 0.5 - 0.5 * x;
                    let sway = MAX_SWAY * moves * along * along * (beat - SWAY_LAG * along).sin();
                    [x, y + sway, z]
                };
                let corners = [
                    [1.0, 0.0, 0.0],
                    [0.15, 0.17, 0.0],
                    [0.15, -0.17, 0.0],
                    [0.2, 0.0, 0.3],
                    [0.1, 0.0, -0.27],
                    [-0.66, 0.0, 0.0],
                    [-1.0, 0.0, 0.28],
                    [-1.0, 0.0, -0.28],
                ];
                Self { corners: corners.map(bent), sides: &FISH_SIDES, reach: LIVING_REACH }
            }
            _ => {
                let mut corners = [[0.0; 3]; 8];
                corners[..5].copy_from_slice(&CORNERS);
                Self { corners, sides: &SIDES, reach: REACH }
            }
        }
    }

    /// The outward normal of a side; a unit vector.
    pub fn normal(&self, side: [usize; 3]) -> Point {
        let [a, b, c] = side.map(|corner| Point::from_array(self.corners[corner]));
        (b - a).cross(c - a).normalize()
    }
}

/// The squares of the areas of a shape's body at rest, seen from ahead, from its side and from above; the areas as
/// shares of the area of a triangle as long. Agents that are no matter have the triangle's from any side, so that far ones are seen.
pub fn faces(scene: &Scene, shape: BoidShape) -> Point {
    if scene.style.matter.is_none() {
        return Point::ONE;
    }
    let body = BodyGlyph::of(shape, (0, 0.0), 0.0, 0.0);
    let sides = body.sides.iter().map(|side| {
        let [a, b, c] = side.map(|corner| Point::from_array(body.corners[corner]));
        (b - a).cross(c - a).abs()
    });
    // Half of a side's product is its area, and half of the sides face the eye.
    let areas = sides.sum::<Point>() * (0.25 / (2.0 * SLENDERNESS));
    areas * areas
}

/// The area of a body with these [`faces`] that heads `ahead`, in the direction `sight`; as a share of a triangle's.
/// `shown_area` in `shaders/splat.wgsl` computes the same.
pub fn shown_area(faces: Point, ahead: Point, sight: Point) -> f32 {
    let along = ahead.dot(sight);
    let level = ahead.truncate();
    let across = level.perp_dot(sight.truncate());
    let across = across * across / level.length_squared().max(1e-12);
    let square = faces.z + along * along * (faces.x - faces.z) + across * (faces.y - faces.z);
    square.clamp(0.0, 1.0).sqrt()
}

/// The axes of a body: ahead, to the left and up, each a unit vector. A body at rest heads along the x axis.
pub fn axes(velocity: Point) -> [Point; 3] {
    let ahead = velocity.try_normalize().unwrap_or(Point::X);
    // A vertical body has the y axis on its left.
    let level = Point::new(-ahead.y, ahead.x, 0.0);
    let left = if level.length_squared() > 1e-8 { level.normalize() } else { Point::Y };
    [ahead, left, ahead.cross(left)]
}

/// The same axes of a bird that leans: `bank` is the number of its memory, and positive to its left.
pub fn leaning([ahead, left, up]: [Point; 3], bank: f32) -> [Point; 3] {
    let (sine, cosine) = (bank / MAX_BANK * FULL_BANK).clamp(-MAX_LEAN, MAX_LEAN).sin_cos();
    [ahead, left * cosine - up * sine, up * cosine + left * sine]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bird_that_leans_to_the_left_has_its_left_wing_below() {
        let level = axes(Point::new(3.0, 1.0, 0.2));
        assert_eq!(leaning(level, 0.0), level);
        let [ahead, left, up] = leaning(level, 60.0);
        assert!(left.z < -0.5 && up.z > 0.5 && ahead == level[0]);
        assert!((ahead.cross(left) - up).length() < 1e-6);
        let most = leaning(level, -127.0)[1];
        assert!((most.angle_between(level[1]) - MAX_LEAN).abs() < 1e-3 && most.z > 0.9);
    }

    #[test]
    fn a_body_is_closed_and_its_sides_face_outwards() {
        for (shape, corners, thick) in
            [(BoidShape::Triangle, 5, 6), (BoidShape::Bird, 8, 6), (BoidShape::Fish, 8, 8)]
        {
            for tick in 0..BEATS {
                for climb in [-1.0, 0.0, 1.0] {
                    let body = BodyGlyph::of(shape, (7, tick_of(tick)), climb, 20.0);
                    let used = &body.corners[..corners];
                    assert!(used.iter().all(|c| Point::from_array(*c).length() < body.reach));
                    // Wings and tail fins have no inside.
                    let mut of_body: Vec<usize> = body.sides[..thick].concat();
                    of_body.sort_unstable();
                    of_body.dedup();
                    let places = of_body.iter().map(|c| Point::from_array(body.corners[*c]));
                    let middle = places.sum::<Point>() / of_body.len() as f32;
                    let mut edges = Vec::new();
                    for (number, side) in body.sides.iter().enumerate() {
                        let [a, b, c] = *side;
                        let outwards = Point::from_array(body.corners[a]) - middle;
                        let faces = body.normal(*side).dot(outwards) > 0.0;
                        assert!(faces || number >= thick, "{shape:?} {side:?} at {tick}");
                        edges.extend([(a, b), (b, c), (c, a)]);
                    }
                    for (from, to) in &edges {
                        let back = edges.iter().filter(|edge| **edge == (*to, *from)).count();
                        let there = edges.iter().filter(|edge| **edge == (*from, *to)).count();
                        assert_eq!(back, there, "{shape:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn living_bodies_beat_in_turn_and_harder_when_they_climb() {
        let tip = |id: u32, tick: u64, climb: f32, radius: f32| {
            BodyGlyph::of(BoidShape::Bird, (id, tick_of(tick)), climb, radius).corners[5][2]
        };
        let swing = |climb: f32, radius: f32| {
            let heights: Vec<f32> = (0..BEATS).map(|tick| tip(3, tick, climb, radius)).collect();
            heights.iter().fold(0.0_f32, |most, z| most.max(z - heights[0]))
                - heights.iter().fold(0.0_f32, |least, z| least.min(z - heights[0]))
        };
        assert!(swing(0.4, 20.0) > 1.4 * swing(0.0, 20.0), "it climbs");
        assert!(swing(-0.4, 20.0) < 0.4 * swing(0.0, 20.0), "it glides");
        assert_eq!(swing(0.4, 3.0), 0.0, "it is small");
        assert_eq!(tip(3, 2, 0.0, 20.0), tip(3, 2 + BEATS, 0.0, 20.0));
        assert!((tip(3, 2, 0.0, 20.0) - tip(4, 2, 0.0, 20.0)).abs() > 0.1, "not in step");
        let tail =
            |tick: u64| BodyGlyph::of(BoidShape::Fish, (3, tick_of(tick)), 0.0, 20.0).corners[6][1];
        assert!((tail(8) - tail(23)).abs() > 0.1 && (tail(8) + tail(23)).abs() < 1e-3);
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
