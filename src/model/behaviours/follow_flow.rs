//! Follow flow: go where the field points.

use super::{Agent, Needs, SolitaryBehaviour, Surroundings};
use crate::model::parameter::Meaning;
use crate::model::real::Real;
use crate::model::vector::Vector;

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

impl<R: Real> SolitaryBehaviour<R> for FollowFlow<R> {
    const NEEDS: Needs = Needs { flow: true, ..Needs::NOTHING };

    #[inline(always)]
    fn force(&self, agent: &mut Agent<R>, surroundings: &Surroundings) -> Vector<R> {
        let flow = &surroundings.scenery.flow;
        let Vector { x, y } = agent.position;
        let [x, y] = R::each([x, y], |position| flow.at(position));
        let way = Vector { x, y };
        let force = agent.steer(way.with_length(agent.max_speed));
        let zero = x.constant(0.0);
        force.where_or(zero.less_than(way.dot(way)), Vector::zero(zero))
    }
}
