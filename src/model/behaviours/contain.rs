//! Contain: stay within the walls.

use super::{Agent, SolitaryBehaviour, Surroundings};
use crate::parameter::Meaning;
use crate::real::Real;
use crate::vector::{Vector, per_axis};

crate::parameters! {
    /// Turns away from the walls of the world.
    ///
    /// Within `margin` of a wall the desired velocity points inward at max_speed on that axis and
    /// is unchanged on the others, then it is scaled to max_speed; the length of the force is
    /// exactly max_force. The force is zero elsewhere, and once the agent has turned: when its
    /// velocity differs from the desired one by at most 1e-5 (above a max_speed of 10, by a
    /// millionth of max_speed). Source: *The Nature of Code*, chapter 5, example 5.3. Corrected: in
    /// a corner all axes turn inward (the source lets y overwrite x), and in a world narrower than
    /// two margins the nearer wall counts.
    Contain {
        /// Factor on the force.
        weight: Meaning::Number => 1.0, "", 0.0, 1e6;
        /// How near a wall must be to be avoided.
        margin: Meaning::Number => 25.0, "world units", 0.0, 1e6;
    }
}

/// A change of velocity below this is rounding: the turn is complete. World units per tick.
const TURNED: f32 = 1e-5;

/// The same relative to max_speed: eight roundings.
const TURNED_PART: f32 = 1e-6;

impl<R: Real, const D: usize> SolitaryBehaviour<R, D> for Contain<R> {
    #[inline(always)]
    fn force(&self, agent: &mut Agent<R, D>, surroundings: &Surroundings) -> Vector<R, D> {
        let like = self.margin;
        let zero = like.constant(0.0);
        let half = like.constant(0.5);
        let size = Vector::<R, D>::constant(like, surroundings.world.size);
        // +1 where the lower wall is near, −1 where the upper one is, else 0.
        let inward: Vector<R, D> = Vector(per_axis!(axis => {
            let (p, size) = (agent.position.0[axis], size.0[axis]);
            let low = p.less_than(self.margin.min(size * half));
            let high = (size - self.margin).max(size * half).less_than(p);
            let one = p.constant(1.0);
            one.where_or(low, (-one).where_or(high, zero))
        }));
        let turned: Vector<R, D> = Vector(per_axis!(axis => {
            let (inward, velocity) = (inward.0[axis], agent.velocity.0[axis]);
            velocity.where_or(inward.equals(zero), inward * agent.body.max_speed)
        }));
        let desired = turned.with_length(agent.body.max_speed);
        let turn = desired - agent.carried();
        let rounding =
            (agent.body.max_speed * like.constant(TURNED_PART)).max(like.constant(TURNED));
        let turns = (rounding * rounding).less_than(turn.dot(turn));
        let near = zero.less_than(inward.dot(inward));
        turn.with_length(agent.body.max_force).where_or(near & turns, Vector::zero(like))
    }
}
