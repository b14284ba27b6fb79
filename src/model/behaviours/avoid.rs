//! Avoid: steer round obstacles, by one of three methods.

use super::{Agent, Needs, SolitaryBehaviour, Surroundings};
use crate::parameter::Meaning;
use crate::real::{Mask, Real};
use crate::vector::{Axes, Space, Vector};

crate::parameters! {
    /// Steers round the circles in its way.
    ///
    /// In the agent's frame (x ahead, y to the left) a circle of radius R lies at (x, y). In space
    /// circles are spheres, y is the distance from the axis of the heading, and across is
    /// perpendicular to the heading.
    ///
    /// `method = "feeler"`: every circle with `x > 0`, `|y| < R + buffer` and `x < F = reach + R +
    /// buffer` adds `max_speed·(1 − x/F)` across the heading, away from the centre, and brakes: `v
    /// ← v·x/F`, whatever the weight unless it is 0. Source: the ActionScript version, with its
    /// missing parentheses added.
    ///
    /// `method = "box"`: a box of length `B = reach·(1 + speed/max_speed)` lies ahead. The first
    /// circle whose edge, expanded by the agent's size, crosses the box's axis adds `(R + size −
    /// |y|)·(1 + (B − x)/B)` across, away from the centre, and `(R − x)·0.2` along the heading.
    /// Source: Buckland, with a reach of 40 (his sign is right on one side only, ours on both;
    /// without the size a grazed circle would attract).
    ///
    /// `method = "ahead"`: the vector ahead is `v·reach/max_speed`. Among the circles whose centre
    /// projects onto it and lies within R of it, the one with the smallest |y| adds
    /// `with_length(p + ahead − centre, strength)`. Source: COCOS (which adds it to seek and limits
    /// the sum: `limit = "sum"`).
    ///
    /// These are forces, not desired velocities. In a wrapped world agents also avoid circles
    /// across the seam. A centre straight ahead counts as lying to the right.
    Avoid {
        /// Factor on the force.
        weight: Meaning::Number => 1.0, "", 0.0, 1e6;
        /// How obstacles are found and avoided.
        method: Meaning::Choice(&METHODS) => 0.0, "", 0.0, 2.0;
        /// How far the agent feels, or looks, ahead.
        reach: Meaning::Number => 200.0, "world units", 1e-3, 1e6;
        /// Margin beside the circle, for the feeler.
        buffer: Meaning::Number => 20.0, "world units", 0.0, 1e6;
        /// Length of the force, for the vector ahead.
        strength: Meaning::Number => 5.0, "mass·world units/tick²", 0.0, 1e4;
    }
}

/// The methods, as scene files name them.
pub const METHODS: [&str; 3] = ["feeler", "box", "ahead"];

/// Braking force for each unit that a circle reaches beyond its centre's place ahead (Buckland).
const BRAKING: f32 = 0.2;

/// The largest distance at which the centre of a circle of `radius` affects an agent of `size` with
/// these values of `reach` and `buffer`, by any method; world units.
#[must_use]
pub fn farthest(radius: f32, size: f32, reach: f32, buffer: f32) -> f32 {
    // Distances of the corners of the feeler, and of the box at full speed.
    let feeler = (reach + radius + buffer).hypot(radius + buffer);
    let through_box = (2.0 * reach + radius + size).hypot(radius + size);
    feeler.max(through_box)
}

impl<R: Real, const D: usize> SolitaryBehaviour<R, D> for Avoid<R>
where
    Axes<D>: Space<D>,
{
    const NEEDS: Needs = Needs {
        obstacles_within: Some(|range, radius, size| {
            farthest(radius, size, range("reach").1, range("buffer").1)
        }),
        ..Needs::NOTHING
    };
    const IS_LARGE: bool = true;

    #[inline(always)]
    fn force(&self, agent: &mut Agent<R, D>, surroundings: &Surroundings) -> Vector<R, D> {
        let position = agent.position;
        let mut lookout = ObstacleScan::of(self, agent);
        // Circles listed for other lanes only are out of this lane's reach and add nothing.
        let near = surroundings.scenery.obstacles.near_any(&position, &self.weight);
        for circle in near.iter() {
            let centre = Vector::constant(self.weight, circle.position);
            let offset = surroundings.world.shortest(centre - position);
            lookout.meet(offset, self.weight.constant(circle.radius));
        }
        let avoids = self.weight.constant(0.0).less_than(self.weight);
        agent.brake = (agent.brake * lookout.brake).where_or(avoids, agent.brake);
        agent.limited(lookout.force)
    }
}

/// An agent's view of the circles ahead, and the force from the circles so far.
struct ObstacleScan<R: Real, const D: usize> {
    max_speed: R,
    size: R,
    reach: R,
    buffer: R,
    strength: R,
    /// For each method the lanes that use it.
    by: [R::Mask; 3],
    heading: Vector<R, D>,
    left: Vector<R, D>,
    /// Length of the box.
    length: R,
    ahead: Vector<R, D>,
    ahead_length: R,
    /// The chosen circle's distance, as its method measures it.
    nearest: R,
    force: Vector<R, D>,
    brake: R,
}

impl<R: Real, const D: usize> ObstacleScan<R, D>
where
    Axes<D>: Space<D>,
{
    #[inline(always)]
    fn of(rule: &Avoid<R>, agent: &Agent<R, D>) -> Self {
        let Avoid { method, reach, buffer, strength, .. } = *rule;
        let (zero, one) = (method.constant(0.0), method.constant(1.0));
        let by = [0.0, 1.0, 2.0].map(|number| method.equals(zero.constant(number)));
        let heading = agent.velocity.heading();
        let mobile = zero.less_than(agent.body.max_speed);
        // An agent with max_speed 0 looks as far as one at rest.
        let speed = agent.velocity.length();
        let part =
            (speed / agent.body.max_speed).where_or(speed.less_than(agent.body.max_speed), one);
        let pace = part.where_or(mobile, zero);
        let ahead_length = reach * pace;
        let length = reach * (one + pace);
        Self {
            max_speed: agent.body.max_speed,
            size: agent.body.size,
            reach,
            buffer,
            strength,
            by,
            heading,
            left: Axes::left(heading),
            length,
            ahead: heading * ahead_length,
            ahead_length,
            nearest: length.where_or(by[1], zero.constant(f32::MAX)),
            force: Vector::zero(zero),
            brake: one,
        }
    }

    /// Adds a circle of `radius` with its centre at `offset`.
    #[inline(always)]
    fn meet(&mut self, offset: Vector<R, D>, radius: R) {
        // The centre in the agent's frame: x ahead, y beside it.
        let x = self.heading.dot(offset);
        let (y, aside) = Axes::beside(self.heading, self.left, offset);
        let [feeler, by_box, by_ahead] = self.by;
        if feeler.any() {
            self.feel(x, y, aside, radius);
        }
        if by_box.any() {
            self.look_through_box(x, y, aside, radius);
        }
        if by_ahead.any() {
            self.look_ahead(x, y, radius, offset);
        }
    }

    /// `size` with the sign that points away from a centre at `y`.
    #[inline(always)]
    fn away(y: R, size: R) -> R {
        (-size).where_or(y.constant(0.0).less_than(y), size)
    }

    #[inline(always)]
    fn feel(&mut self, x: R, y: R, aside: Vector<R, D>, radius: R) {
        let (zero, one) = (x.constant(0.0), x.constant(1.0));
        let length = self.reach + radius + self.buffer;
        let beside = y.max(-y).less_than(radius + self.buffer);
        let felt = self.by[0] & zero.less_than(x) & beside & x.less_than(length);
        let push = Self::away(y, self.max_speed * (one - x / length));
        self.force = self.force + (aside * push).where_or(felt, Vector::zero(zero));
        self.brake = self.brake * (x / length).where_or(felt, one);
    }

    #[inline(always)]
    fn look_through_box(&mut self, x: R, y: R, aside: Vector<R, D>, radius: R) {
        let (zero, one) = (x.constant(0.0), x.constant(1.0));
        let distance = y.max(-y);
        let expanded = radius + self.size;
        let half = (expanded * expanded - y * y).max(zero).sqrt();
        let crossing = (x - half).where_or(half.less_than(x), x + half);
        // `x ≥ 0`: the clamped number is the number itself.
        let ahead = x.max(zero).equals(x);
        let first = crossing.less_than(self.nearest);
        let crossed = self.by[1] & ahead & distance.less_than(expanded) & first;
        self.nearest = crossing.where_or(crossed, self.nearest);
        let push = (expanded - distance) * (one + (self.length - x) / self.length);
        let along = (radius - x) * x.constant(BRAKING);
        let force = self.heading * along + aside * Self::away(y, push);
        self.force = force.where_or(crossed, self.force);
    }

    #[inline(always)]
    fn look_ahead(&mut self, x: R, y: R, radius: R, offset: Vector<R, D>) {
        let zero = x.constant(0.0);
        let aside = y.max(-y);
        // `0 ≤ x ≤ length` and `aside ≤ radius`: the clamped number is the number itself.
        let along = x.max(zero).min(self.ahead_length).equals(x);
        let within = aside.min(radius).equals(aside);
        let nearer = self.by[2] & along & within & aside.less_than(self.nearest);
        self.nearest = aside.where_or(nearer, self.nearest);
        let away = (self.ahead - offset).with_length(self.strength);
        self.force = away.where_or(nearer, self.force);
    }
}
