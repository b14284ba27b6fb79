//! Follow flow: go where the field points.

use super::{Agent, Needs, SolitaryBehaviour, Surroundings};
use crate::parameter::Meaning;
use crate::real::Real;
use crate::vector::{Vector, components, point};

crate::parameters! {
    /// Follows the scene's flow field.
    ///
    /// Desired velocity: `with_length(field(p), max_speed)`; the field has one vector per cell.
    /// Where it is zero, the force is zero. Source: *The Nature of Code*, flow fields.
    FollowFlow {
        /// Factor on the force.
        weight: Meaning::Number => 1.0, "", 0.0, 1e6;
    }
}

impl<R: Real, const D: usize> SolitaryBehaviour<R, D> for FollowFlow<R> {
    const NEEDS: Needs = Needs { flow: true, ..Needs::NOTHING };
    const IS_LARGE: bool = true;

    #[inline(always)]
    fn force(&self, agent: &mut Agent<R, D>, surroundings: &Surroundings) -> Vector<R, D> {
        let flow = &surroundings.scenery.flow;
        let way: Vector<R, D> =
            Vector(R::each(agent.position.0, |place| components(flow.at(point(place)))));
        let force = agent.steer(way.with_length(agent.body.max_speed));
        force.where_or(way.has_direction(), Vector::zero(self.weight))
    }
}
