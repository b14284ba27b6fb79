//! Wander: drift about, without sudden turns.

use super::{Agent, Needs, SolitaryBehaviour, Surroundings};
use crate::parameter::Meaning;
use crate::real::Real;
use crate::vector::{Axes, Space, Vector};

crate::parameters! {
    /// Seeks a point that strolls on a circle ahead of the agent.
    ///
    /// The circle's centre is `p + distance·heading`, and the point is at the angle θ from the
    /// heading. Each tick θ changes by up to `turn` either way. Desired velocity:
    /// `with_length(point − p, max_speed)`. With `kind = "kick"` there is no steering force:
    /// `distance·heading + radius·(cos θ, sin θ)`, with θ from the x axis, is added to the velocity
    /// before it is limited to max_speed. In space the point is on a sphere: each tick it moves on it
    /// in a random direction, by an angle drawn evenly up to `turn`; a kick adds it along the axes of
    /// the world. A species wanders or swims, not both: both turn the same
    /// angle. θ starts at random (the sources start at 0, but then a whole flock drifts in one
    /// direction). Sources: *The Nature of Code*, chapter 5, exercise 5.4; the kick from COCOS
    /// (distance 50/60, radius 10/60, turn 22.5).
    Wander {
        /// Factor on the force, or on the kick.
        weight: Meaning::Number => 1.0, "", 0.0, 1e6;
        /// How the circle acts: as a place to steer for, or as a kick.
        kind: Meaning::Choice(&KINDS) => 0.0, "", 0.0, 1.0;
        /// How far ahead the circle is.
        distance: Meaning::Number => 80.0, "world units", 0.0, 1e6;
        /// Radius of the circle.
        radius: Meaning::Number => 25.0, "world units", 0.0, 1e6;
        /// Largest change of the angle in a tick.
        turn: Meaning::Angle => 15.0, "degrees", 0.0, 180.0;
    }
}

/// How the circle acts: the agent steers for its point, or the point is a push.
pub const KINDS: [&str; 2] = ["circle", "kick"];

impl<R: Real, const D: usize> SolitaryBehaviour<R, D> for Wander<R>
where
    Axes<D>: Space<D>,
{
    const NEEDS: Needs =
        Needs { angle: true, direction_in_space: true, kicks: Some("kind"), ..Needs::NOTHING };
    const IS_LARGE: bool = true;

    #[inline(always)]
    fn force(&self, agent: &mut Agent<R, D>, _surroundings: &Surroundings) -> Vector<R, D> {
        let zero = self.weight.constant(0.0);
        let acts = zero.less_than(self.weight);
        let around = Axes::strolled(&mut agent.remembered, self.turn, agent.noise, acts);
        let heading = agent.velocity.heading();
        let kicks = zero.less_than(self.kind);
        let point = around.where_or(kicks, Axes::framed(heading, around)) * self.radius;
        let way = heading * self.distance + point;
        agent.kick = agent.kick + (way * self.weight).where_or(kicks, Vector::zero(zero));
        let force = agent.steer(way.with_length(agent.body.max_speed));
        Vector::zero(zero).where_or(kicks, force)
    }
}
