//! Follow path: keep to a line of segments.

use super::{Agent, SolitaryBehaviour, Surroundings};
use crate::model::parameter::{Meaning, NEAREST_PATH};
use crate::model::real::Real;
use crate::model::vector::Vector;

crate::parameters! {
    /// Comes back to a path when it is about to stray from it.
    ///
    /// It predicts its place `lookahead` ahead and looks for the point of the path nearest to that
    /// (the nearest point of every segment, ends included; the source tests its normal points by x
    /// alone, which holds for paths from left to right only). If that point is farther from the
    /// prediction than `radius`, it seeks the point moved `advance` along its segment, else it is
    /// silent. Sources: *The Nature of Code* (2012), example 6.9 (an open path: lookahead 50, advance
    /// 10); (2023), chapter 5, exercise 5.13 (a closed one: 25 and 25).
    FollowPath {
        /// Factor on the force.
        weight: Meaning::Number => 1.0, "", 0.0, 1e6;
        /// Name of the path; "nearest" takes the nearest of all.
        path: Meaning::Path => NEAREST_PATH, "path", NEAREST_PATH, 1e6;
        /// How far ahead the agent predicts its place.
        lookahead: Meaning::Number => 50.0, "world units", 0.0, 1e6;
        /// How far along the segment it aims.
        advance: Meaning::Number => 10.0, "world units", 0.0, 1e6;
        /// How far from the path it may be.
        radius: Meaning::Number => 20.0, "world units", 0.0, 1e6;
    }
}

impl<R: Real> SolitaryBehaviour<R> for FollowPath<R> {
    #[inline(always)]
    fn force(&self, agent: &mut Agent<R>, surroundings: &Surroundings) -> Vector<R> {
        let predicted = agent.position + agent.velocity.heading() * self.lookahead;
        let paths = &surroundings.scenery.paths;
        let [x, y, along_x, along_y, distance_squared] = R::each(
            [self.path, predicted.x, predicted.y, self.weight],
            |[path, x, y, weight]| paths.nearest(path, [x, y], weight > 0.0),
        );
        let along = Vector { x: along_x, y: along_y };
        let target = Vector { x, y } + along * self.advance;
        let desired = (target - agent.position).with_length(agent.max_speed);
        let far = (self.radius * self.radius).less_than(distance_squared);
        let found = distance_squared.less_than(x.constant(f32::MAX));
        agent.steer(desired).where_or(far & found, Vector::zero(x))
    }
}
