//! Seek: go to a target at full speed.

use super::bounds::{MAX_FORCE_LIMIT, MAX_SPEED, MIN_PROXIMITY};
use super::{Agent, Kind, Needs, SolitaryBehaviour, Surroundings};
use crate::parameter::{Meaning, NEAREST_TARGET};
use crate::real::Real;
use crate::vector::Vector;

crate::parameters! {
    /// Goes to the target at full speed, overshoots and comes back.
    ///
    /// Desired velocity: `with_length(t − p, max_speed)`, or `(t − p)·gain` if `gain` is positive;
    /// without a target the force is zero. If `proximity` is positive, both limits of the agent
    /// (max_speed and max_force) are scaled by d/proximity in this tick, for all behaviours in any
    /// order and for the integration: the agent comes to rest at the target, and beyond `proximity` it is
    /// faster than max_speed. A proximity below 0.001 counts as 0.001, and no limit exceeds 10,000,
    /// the largest of any body. Sources: *The Nature of Code*, chapter 5, example 5.1 and exercise
    /// 5.2; the gain from the COCOS steering behaviours.
    Seek {
        /// Factor on the force.
        weight: Meaning::Number => 1.0, "", 0.0, 1e6;
        /// Name of the target; "nearest" takes the nearest of all.
        target: Meaning::Target => NEAREST_TARGET, "target", NEAREST_TARGET, 1e6;
        /// Desired speed per unit of distance; 0 desires max_speed at any distance.
        gain: Meaning::Number => 0.0, "1/tick", 0.0, 1e6;
        /// Distance at which the limits equal the body's; 0 does not scale them.
        proximity: Meaning::Number => 0.0, "world units", 0.0, 1e6;
    }
}

/// The desired velocity for the way to a target.
#[inline(always)]
pub fn desired_velocity<R: Real, const D: usize>(
    way: Vector<R, D>,
    gain: R,
    max_speed: R,
) -> Vector<R, D> {
    let zero = gain.constant(0.0);
    (way * gain).where_or(zero.less_than(gain), way.with_length(max_speed))
}

impl<R: Real, const D: usize> SolitaryBehaviour<R, D> for Seek<R> {
    const NEEDS: Needs =
        Needs { limits_grow_by: Some("proximity"), opposite: Some(Kind::Flee), ..Needs::NOTHING };

    #[inline(always)]
    fn force(&self, agent: &mut Agent<R, D>, surroundings: &Surroundings) -> Vector<R, D> {
        let way = surroundings.to_target(self.target, agent.position);
        let zero = self.weight.constant(0.0);
        let scale = way.offset.length() / self.proximity.max(zero.constant(MIN_PROXIMITY));
        let near = way.found & zero.less_than(self.proximity);
        let max_speed = (agent.body.max_speed * scale).min(zero.constant(MAX_SPEED));
        let max_force = (agent.body.max_force * scale).min(zero.constant(MAX_FORCE_LIMIT));
        agent.body.max_speed = max_speed.where_or(near, agent.body.max_speed);
        agent.body.max_force = max_force.where_or(near, agent.body.max_force);
        let force = agent.steer(desired_velocity(way.offset, self.gain, agent.body.max_speed));
        force.where_or(way.found, Vector::zero(zero))
    }
}
