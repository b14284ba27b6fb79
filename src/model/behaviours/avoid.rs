//! Avoid: steer round obstacles, by one of three methods.

use super::{Agent, SolitaryBehaviour, Surroundings};
use crate::model::parameter::Meaning;
use crate::model::real::Real;
use crate::model::vector::Vector;

crate::parameters! {
    /// Steers round the circles in its way.
    ///
    /// In the agent's frame (x ahead, y to the left) a circle of radius R lies at (x, y).
    ///
    /// `method = "feeler"`: every circle with `x > 0`, `|y| < R + buffer` and `x < F = reach + R +
    /// buffer` adds `max_speed·(1 − x/F)` across the heading, away from the centre, and brakes: `v ←
    /// v·x/F`. Source: the ActionScript version; its missing parentheses are mended.
    ///
    /// `method = "box"`: a box of length `B = reach·(1 + speed/max_speed)` lies ahead. Of the circles
    /// whose edge, expanded by the agent's size, crosses its axis, the one that does so first: `(R −
    /// |y|)·(1 + (B − x)/B)` across, away from the centre, and `(R − x)·0.2` along the heading.
    /// Source: Buckland (his sign holds on one side only; ours on both). Reach 40.
    ///
    /// `method = "ahead"`: the vector ahead is `v·reach/max_speed`. Of the circles whose centre
    /// projects onto it and lies within R of it, the one with the smallest |y|: `with_length(p +
    /// ahead − centre, strength)`. Source: COCOS (added to seek, the sum limited: `limit = "sum"`).
    ///
    /// These are forces, not desired velocities. In a wrapped world a circle is met by the shortest
    /// way. A centre dead ahead counts as lying to the right.
    Avoid {
        /// Factor on the force.
        weight: Meaning::Number => 1.0, "", 0.0, 1e6;
        /// How obstacles are found and avoided.
        method: Meaning::Choice(&METHODS) => 0.0, "", 0.0, 2.0;
        /// How far the agent feels, or looks, ahead.
        reach: Meaning::Number => 200.0, "world units", 1e-3, 1e6;
        /// Room beside the circle, for the feeler.
        buffer: Meaning::Number => 20.0, "world units", 0.0, 1e6;
        /// Length of the force, for the vector ahead.
        strength: Meaning::Number => 5.0, "mass·world units/tick²", 0.0, 1e4;
    }
}

/// The methods, as scene files name them.
pub const METHODS: [&str; 3] = ["feeler", "box", "ahead"];

/// Braking force for each unit that a circle reaches beyond its centre's place ahead (Buckland).
const BRAKING: f32 = 0.2;

/// How far away the centre of a circle of `radius` can be and matter to an agent of `size` that
/// avoids by `reach` and `buffer`, whatever the method; world units.
#[must_use]
pub fn farthest(radius: f32, size: f32, reach: f32, buffer: f32) -> f32 {
    // The corner of the feeler, and that of the box at full speed.
    let feeler = (reach + radius + buffer).hypot(radius + buffer);
    let through_box = (2.0 * reach + radius + size).hypot(radius + size);
    feeler.max(through_box)
}

impl<R: Real> SolitaryBehaviour<R> for Avoid<R> {
    #[inline(always)]
    fn force(&self, agent: &mut Agent<R>, surroundings: &Surroundings) -> Vector<R> {
        let Vector { x, y } = agent.position;
        let Vector { x: vx, y: vy } = agent.velocity;
        let Self { weight, method, reach, buffer, strength } = *self;
        let [force_x, force_y, brake] = R::each(
            [x, y, vx, vy, agent.max_speed, agent.size, weight, method, reach, buffer, strength],
            |[x, y, vx, vy, max_speed, size, weight, method, reach, buffer, strength]| {
                if weight <= 0.0 {
                    return [0.0, 0.0, 1.0];
                }
                let velocity = Vector { x: vx, y: vy };
                let heading = velocity.heading();
                let agent = Lookout { heading, velocity, max_speed, size, reach, buffer, strength };
                let position = Vector { x, y };
                let near = surroundings.scenery.obstacles.near([x, y]).iter().map(|obstacle| {
                    let centre = Vector::constant(x, obstacle.position);
                    let offset = surroundings.world.shortest(centre - position);
                    (offset, obstacle.radius)
                });
                match method as u32 {
                    0 => agent.feel(near),
                    1 => agent.look_through_box(near),
                    _ => agent.look_ahead(near),
                }
            },
        );
        agent.brake = agent.brake * brake;
        agent.limited(Vector { x: force_x, y: force_y })
    }
}

/// An agent that watches out for circles; they come as offsets of their centres, and radii.
struct Lookout {
    heading: Vector<f32>,
    velocity: Vector<f32>,
    max_speed: f32,
    size: f32,
    reach: f32,
    buffer: f32,
    strength: f32,
}

impl Lookout {
    /// A centre's place in the agent's frame: x ahead, y to the left.
    #[inline(always)]
    fn local(&self, offset: Vector<f32>) -> (f32, f32) {
        (self.heading.dot(offset), self.heading.perpendicular().dot(offset))
    }

    #[inline(always)]
    fn feel(&self, circles: impl Iterator<Item = (Vector<f32>, f32)>) -> [f32; 3] {
        let (mut across, mut brake) = (0.0, 1.0);
        for (offset, radius) in circles {
            let (x, y) = self.local(offset);
            let feeler = self.reach + radius + self.buffer;
            if x > 0.0 && y.abs() < radius + self.buffer && x < feeler {
                let push = self.max_speed * (1.0 - x / feeler);
                across += if y > 0.0 { -push } else { push };
                brake *= x / feeler;
            }
        }
        let force = self.heading.perpendicular() * across;
        [force.x, force.y, brake]
    }

    #[inline(always)]
    fn look_through_box(&self, circles: impl Iterator<Item = (Vector<f32>, f32)>) -> [f32; 3] {
        let speed = self.velocity.length();
        // An agent that cannot move looks as far as one at rest.
        let pace = if self.max_speed > 0.0 { (speed / self.max_speed).min(1.0) } else { 0.0 };
        let length = self.reach * (1.0 + pace);
        let mut nearest = length;
        let mut force = [0.0, 0.0];
        for (offset, radius) in circles {
            let (x, y) = self.local(offset);
            let expanded = radius + self.size;
            if x < 0.0 || y.abs() >= expanded {
                continue;
            }
            let half = (expanded * expanded - y * y).sqrt();
            let crossing = if x > half { x - half } else { x + half };
            if crossing < nearest {
                nearest = crossing;
                let push = (radius - y.abs()) * (1.0 + (length - x) / length);
                force = [(radius - x) * BRAKING, if y > 0.0 { -push } else { push }];
            }
        }
        let [along, across] = force;
        let force = self.heading * along + self.heading.perpendicular() * across;
        [force.x, force.y, 1.0]
    }

    #[inline(always)]
    fn look_ahead(&self, circles: impl Iterator<Item = (Vector<f32>, f32)>) -> [f32; 3] {
        let scale = if self.max_speed > 0.0 { self.reach / self.max_speed } else { 0.0 };
        let ahead = (self.velocity * scale).limit(self.reach);
        let length = ahead.length();
        let mut nearest = f32::MAX;
        let mut force = [0.0, 0.0];
        for (offset, radius) in circles {
            let (x, y) = self.local(offset);
            if x >= 0.0 && x <= length && y.abs() <= radius && y.abs() < nearest {
                nearest = y.abs();
                let away = (ahead - offset).with_length(self.strength);
                force = [away.x, away.y];
            }
        }
        [force[0], force[1], 1.0]
    }
}
