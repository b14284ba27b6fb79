//! Follow path: keep to a line of segments.

use super::{Agent, Needs, SolitaryBehaviour, Surroundings};
use crate::parameter::{Meaning, NEAREST_PATH};
use crate::real::Real;
use crate::vector::Vector;

crate::parameters! {
    /// Returns to a path when it is about to leave it.
    ///
    /// The agent predicts its place `lookahead` ahead (below a speed of 1e-5 it takes its own
    /// place, because such a speed has no direction) and finds the point of the path nearest to it
    /// (on all segments, ends included; the source tests its normal points by x alone, which is
    /// right only for paths from left to right). If that point is farther from the prediction than
    /// `radius`, the agent seeks the point moved `advance` along its segment; otherwise the force
    /// is zero. Sources: *The Nature of Code* (2012), example 6.9 (an open path: lookahead 50,
    /// advance 10); (2023), chapter 5, exercise 5.13 (a closed one: 25 and 25).
    FollowPath {
        /// Factor on the force.
        weight: Meaning::Number => 1.0, "", 0.0, 1e6;
        /// Name of the path; "nearest" takes the nearest of all.
        path: Meaning::Path => NEAREST_PATH, "path", NEAREST_PATH, 1e6;
        /// How far ahead the agent predicts its place.
        lookahead: Meaning::Number => 50.0, "world units", 0.0, 1e6;
        /// How far along the segment it aims.
        advance: Meaning::Number => 10.0, "world units", 0.0, 1e6;
        /// How far from the path the predicted place may be.
        radius: Meaning::Number => 20.0, "world units", 0.0, 1e6;
    }
}

/// A slower agent predicts its own place; world units per tick. An agent that turns about on the
/// spot passes through speeds that are only rounding errors: with the full lookahead it might
/// predict a place on the path, stop steering, and stand still for ever.
pub const SLOW: f32 = 1e-5;

/// Its square, rounded once: the product of two rounded numbers differs from WGSL's.
const SLOW_SQUARED: f32 = 1e-10;

impl<R: Real, const D: usize> SolitaryBehaviour<R, D> for FollowPath<R> {
    const NEEDS: Needs = Needs { paths_within: Some("lookahead"), ..Needs::NOTHING };
    const IS_LARGE: bool = true;

    #[inline(always)]
    fn force(&self, agent: &mut Agent<R, D>, surroundings: &Surroundings) -> Vector<R, D> {
        let far = self.weight.constant(f32::MAX);
        let slow = agent.velocity.dot(agent.velocity).less_than(far.constant(SLOW_SQUARED));
        let lookahead = far.constant(0.0).where_or(slow, self.lookahead);
        let predicted = agent.position + agent.velocity.heading() * lookahead;
        let paths = &surroundings.scenery.paths;
        let mut distance_squared = far;
        let mut nearest = predicted;
        let mut along = Vector::zero(far);
        for choice in (0..paths.choices()).map(|choice| choice as f32 + NEAREST_PATH) {
            let chosen = self.path.equals(far.constant(choice));
            // Segments listed for other lanes only are farther away from this lane.
            for segment in paths.candidates(choice, &predicted, &self.path, &self.weight).iter() {
                let point = segment.nearest(predicted);
                let away = point - predicted;
                let squared = away.dot(away);
                let nearer = chosen & squared.less_than(distance_squared);
                distance_squared = squared.where_or(nearer, distance_squared);
                nearest = point.where_or(nearer, nearest);
                along = segment.way(far).where_or(nearer, along);
            }
        }
        let target = nearest + along.with_length(far.constant(1.0)) * self.advance;
        let desired = (target - agent.position).with_length(agent.body.max_speed);
        let strays = (self.radius * self.radius).less_than(distance_squared);
        let found = distance_squared.less_than(far);
        agent.steer(desired).where_or(strays & found, Vector::zero(far))
    }
}
