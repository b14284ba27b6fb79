//! Flee: get away from a target.

use super::seek::desired_velocity;
use super::{Agent, Kind, Needs, SolitaryBehaviour, Surroundings};
use crate::parameter::{Meaning, NEAREST_TARGET};
use crate::real::Real;
use crate::vector::Vector;

crate::parameters! {
    /// Goes away from the target, as long as it is nearer than `radius`.
    ///
    /// Desired velocity: the opposite of seek. The force is zero without a target and at `d ≥
    /// radius`. Sources: *The Nature of Code*, chapter 5, exercise 5.1; the radius and gain from
    /// the COCOS steering behaviours.
    Flee {
        /// Factor on the force.
        weight: Meaning::Number => 1.0, "", 0.0, 1e6;
        /// Name of the target; "nearest" takes the nearest of all.
        target: Meaning::Target => NEAREST_TARGET, "target", NEAREST_TARGET, 1e6;
        /// How near the target must be to be fled; the default is any distance.
        radius: Meaning::Number => 1e18, "world units", 0.0, 1e18;
        /// Desired speed per unit of distance; 0 desires max_speed at any distance.
        gain: Meaning::Number => 0.0, "1/tick", 0.0, 1e6;
    }
}

impl<R: Real, const D: usize> SolitaryBehaviour<R, D> for Flee<R> {
    const NEEDS: Needs = Needs { opposite: Some(Kind::Seek), leads_away: true, ..Needs::NOTHING };

    #[inline(always)]
    fn force(&self, agent: &mut Agent<R, D>, surroundings: &Surroundings) -> Vector<R, D> {
        let way = surroundings.to_target(self.target, agent.position);
        let force = agent.steer(-desired_velocity(way.offset, self.gain, agent.body.max_speed));
        let near = way.offset.dot(way.offset).less_than(self.radius * self.radius);
        force.where_or(way.found & near, Vector::zero(self.weight))
    }
}
