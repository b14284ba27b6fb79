//! Swim: wriggle towards food like a fish.

use super::{Agent, Needs, SolitaryBehaviour, Surroundings};
use crate::parameter::{Meaning, NEAREST_TARGET};
use crate::real::Real;
use crate::vector::{Axes, Space, Vector};

crate::parameters! {
    /// Seeks a point that circles round the food, and so wriggles on its way.
    ///
    /// The point is on a circle of `radius` round the food, at the angle θ from the heading (in space
    /// towards the left of the agent, which is horizontal). θ
    /// grows by d/10 degrees a tick, where d is the distance to the food: the agent wriggles more
    /// slowly near it. Desired velocity: `with_length(point − p, max_speed)`; without food the
    /// force is zero. A species swims or wanders, not both: both turn the same angle. Source: *The
    /// Nature of Code*, chapter 5, exercise 5.5.
    Swim {
        /// Factor on the force.
        weight: Meaning::Number => 1.0, "", 0.0, 1e6;
        /// Name of the food among the targets; "nearest" takes the nearest of all.
        target: Meaning::Target => NEAREST_TARGET, "target", NEAREST_TARGET, 1e6;
        /// Radius of the circle.
        radius: Meaning::Number => 50.0, "world units", 0.0, 1e6;
    }
}

/// Turns per tick and world unit of distance: a tenth of a degree.
const TURNS_PER_UNIT: f32 = 0.1 / 360.0;

impl<R: Real, const D: usize> SolitaryBehaviour<R, D> for Swim<R>
where
    Axes<D>: Space<D>,
{
    const NEEDS: Needs = Needs { angle: true, ..Needs::NOTHING };
    const IS_LARGE: bool = true;

    #[inline(always)]
    fn force(&self, agent: &mut Agent<R, D>, surroundings: &Surroundings) -> Vector<R, D> {
        let zero = self.weight.constant(0.0);
        let food = surroundings.to_target(self.target, agent.position);
        let angle = agent.remembered.angle + food.offset.length() * zero.constant(TURNS_PER_UNIT);
        let [angle] = R::each([angle], |[angle]| [angle - (angle + 0.5).floor()]);
        let swims = food.found & zero.less_than(self.weight);
        let remembered = angle.where_or(swims, agent.remembered.angle);
        agent.remembered.angle = remembered;

        let around = Axes::framed(agent.velocity.heading(), Axes::at_angle(remembered));
        let way = food.offset + around * self.radius;
        let force = agent.steer(way.with_length(agent.body.max_speed));
        force.where_or(food.found, Vector::zero(zero))
    }
}
