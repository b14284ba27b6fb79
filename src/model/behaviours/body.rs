//! The body of an agent: the parameters that it has whatever its behaviours. Its values in scenes, in the
//! lanes of the CPU engine and in the shaders' `Species`, its sliders and the table of
//! `docs/behaviours.md` come from this declaration.

use super::bounds::{HALF_CIRCLE, MAX_FORCE_LIMIT, MAX_SPEED};
use crate::parameter::{Meaning, Parameters};
use crate::real::Real;

crate::parameters! {
    /// The vehicle: the body of every agent of a species.
    ///
    /// `a = F/m`, `v ← limit(v + a·dt, max_speed)`, at least min_speed, `p ← p + v·dt`. Source: *The
    /// Nature of Code*, chapter 5; the defaults come from its example 5.11.
    Body {
        // The first four are read in every scene. Side by side, because some devices load four consecutive words at once.
        /// Divides the steering force.
        mass: Meaning::Number => 1.0, "mass units", 1e-3, 1e6;
        /// Largest speed.
        max_speed: Meaning::Number => 3.0, "world units/tick", 0.0, MAX_SPEED;
        /// Largest steering force of one behaviour.
        max_force: Meaning::Number => 0.05, "mass·world units/tick²", 0.0, MAX_FORCE_LIMIT;
        /// The force that max_force limits: each behaviour's, their sum, or none. With none, the priority
        /// spends nothing: all forces act.
        limit: Meaning::Choice(&["each", "sum", "none"]) => 0.0, "", 0.0, 2.0;
        /// How forces are combined: their weighted sum; one after the other, in the order of the
        /// file, until max_force is spent; or the first in that order which is not zero, alone.
        combine: Meaning::Choice(&["sum", "priority", "exclusive"]) => 0.0, "", 0.0, 2.0;
        /// Half the length of the drawn triangle, and the agent's own radius.
        size: Meaning::Number => 6.0, "world units", 1e-3, 1e4;
        /// Smallest speed; where it is above max_speed, max_speed holds. After forces have acted, a
        /// slower agent flies at this speed along its heading; one that has come to rest along the
        /// heading that it had. An agent at rest heads along the x axis. Walls may slow it afterwards.
        min_speed: Meaning::Number => 0.0, "world units/tick", 0.0, MAX_SPEED;
        /// Which velocity moves the agent: the new one, after the tick's forces, or the old one, before
        /// them. A wall that the old velocity runs into takes that component of the new one.
        position_step: Meaning::Choice(&["new", "old"]) => 0.0, "", 0.0, 1.0;
        /// The largest angle between the headings before and after the tick's forces, times the time step; the
        /// speed is what the forces make it. 180 is no limit. In space agents turn the shortest way, and straight back
        /// to the left. An agent at rest sets off in any direction; walls may turn it farther.
        max_turn: Meaning::Number => HALF_CIRCLE, "degrees/tick", 0.0, HALF_CIRCLE;
        /// With "turn" forces only turn the agent, which flies at max_speed: they are directions, whose
        /// weighted sum it takes, and its velocity is no part of them. Without any it keeps its heading.
        /// Its max_force is its max_speed.
        motion: Meaning::Choice(&["force", "turn"]) => 0.0, "", 0.0, 1.0;
        /// How far chance turns the heading after the tick's forces, before max_turn; the speed stays. In
        /// parts of a full turn, or of the speed, as noise_kind says; times the root of a time step other than 1.
        noise: Meaning::Number => 0.0, "1/√tick", 0.0, 10.0;
        /// The noise: an angle drawn evenly from −noise/2 to noise/2 turns (in space a direction drawn evenly from
        /// a cone as wide; a noise above 1 is 1), an angle of standard deviation noise (in space on each of the two
        /// axes across the heading), or a vector of any direction, noise times as long as the velocity, added to
        /// it.
        noise_kind: Meaning::Choice(&["angle", "gauss", "vector"]) => 0.0, "", 0.0, 2.0;
        /// Brownian motion: besides moving, the agent is pushed along each axis in every tick by a random
        /// length of this standard deviation, nearly normal and below 3.5 of it. The velocity does not
        /// know of it.
        jitter: Meaning::Number => 0.0, "world units/√tick", 0.0, MAX_SPEED;
    }
}

impl<R: Real> Body<R> {
    /// True if forces only turn the agent.
    #[inline(always)]
    pub fn turns(&self) -> R::Mask {
        self.motion.constant(0.0).less_than(self.motion)
    }

    /// The max_force that its motion gives it.
    #[inline(always)]
    #[must_use]
    pub fn force_limit(&self) -> R {
        self.max_speed.where_or(self.turns(), self.max_force)
    }
}

impl Default for Body {
    fn default() -> Self {
        Self::read(|i| <Self as Parameters<f32>>::TABLE[i].default)
    }
}
