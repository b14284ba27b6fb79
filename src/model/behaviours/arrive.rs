//! Arrive: come to rest at a target.

use super::seek::desired_velocity;
use super::{Agent, SolitaryBehaviour, Surroundings};
use crate::parameter::{Meaning, NEAREST_TARGET};
use crate::real::Real;
use crate::vector::Vector;

crate::parameters! {
    /// Seeks the target, but slows down inside `slowing_radius` and comes to rest.
    ///
    /// Desired velocity: as for seek, times `min(d/slowing_radius, 1)`; without a target the force
    /// is zero. With a `factor` it is as for seek, times the factor everywhere inside the radius:
    /// the agent does not come to rest, which is what the source demonstrates. Sources: *The Nature
    /// of Code*, chapter 5, example 5.2; the gain from the COCOS steering behaviours (there with a
    /// slowing radius of 200).
    Arrive {
        /// Factor on the force.
        weight: Meaning::Number => 1.0, "", 0.0, 1e6;
        /// Name of the target; "nearest" takes the nearest of all.
        target: Meaning::Target => NEAREST_TARGET, "target", NEAREST_TARGET, 1e6;
        /// Distance at which slowing down begins.
        slowing_radius: Meaning::Number => 100.0, "world units", 1e-3, 1e6;
        /// Desired speed per unit of distance; 0 desires max_speed at any distance.
        gain: Meaning::Number => 0.0, "1/tick", 0.0, 1e6;
        /// Factor on the desired speed anywhere inside the radius; 0 lets the speed fall with the
        /// distance.
        factor: Meaning::Number => 0.0, "", 0.0, 1.0;
    }
}

impl<R: Real, const D: usize> SolitaryBehaviour<R, D> for Arrive<R> {
    #[inline(always)]
    fn force(&self, agent: &mut Agent<R, D>, surroundings: &Surroundings) -> Vector<R, D> {
        let way = surroundings.to_target(self.target, agent.position);
        let one = self.gain.constant(1.0);
        let (zero, part) = (self.gain.constant(0.0), way.offset.length() / self.slowing_radius);
        let constant = self.factor.where_or(part.less_than(one), one);
        let slowing = constant.where_or(zero.less_than(self.factor), part.min(one));
        let force =
            agent.steer(desired_velocity(way.offset, self.gain, agent.body.max_speed) * slowing);
        force.where_or(way.found, Vector::zero(self.weight))
    }
}
