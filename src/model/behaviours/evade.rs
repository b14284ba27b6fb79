//! Evade: get away from where another will be.

use super::pursue::{Aim, LEADS, Nearest};
use super::{Agent, Neighbour, NeighbourBehaviour, Surroundings, Uses};
use crate::model::parameter::{ALL_SPECIES, Meaning, NO_TARGET};
use crate::model::real::Real;
use crate::model::vector::Vector;

crate::parameters! {
    /// Flees the place where its pursuer will be.
    ///
    /// Desired velocity: minus that of pursue. The pursuer is the nearest visible agent of the
    /// species `with` within `radius`; where a `target` is named, it is that target and no agent.
    /// Silent without one. Source: COCOS (T = 1).
    Evade {
        /// Factor on the force.
        weight: Meaning::Number => 1.0, "", 0.0, 1e6;
        /// How near an agent must be to be fled.
        radius: Meaning::Number => 50.0, "world units", 0.0, 1e6;
        /// Full angle round the heading within which an agent is seen.
        fov: Meaning::FieldOfView => 360.0, "degrees", 0.0, 360.0;
        /// The species it flees.
        with: Meaning::SpeciesSet { own: true } => ALL_SPECIES, "species", 0.0, ALL_SPECIES;
        /// Name of a target to evade instead of agents; "none" evades agents.
        target: Meaning::Target => NO_TARGET, "target", NO_TARGET, 1e6;
        /// How the lead is found.
        lead: Meaning::Choice(&LEADS) => 0.0, "", 0.0, 1.0;
        /// How far ahead it looks.
        ticks: Meaning::Number => 10.0, "ticks", 0.0, 1e4;
    }
}

impl<R: Real> NeighbourBehaviour<R> for Evade<R> {
    type Sums = Nearest<R>;

    #[inline(always)]
    fn nothing(like: R) -> Nearest<R> {
        Nearest::nobody(like)
    }

    #[inline(always)]
    fn observe(&self, _uses: Uses, neighbour: &Neighbour<R>, nearest: &mut Nearest<R>) {
        nearest.observe(neighbour);
    }

    #[inline(always)]
    fn force(
        &self,
        agent: &Agent<R>,
        surroundings: &Surroundings,
        _spread: Vector<R>,
        nearest: &Nearest<R>,
    ) -> Vector<R> {
        let aim = Aim { target: self.target, lead: self.lead, ticks: self.ticks };
        let (way, found) = aim.way(agent, surroundings, nearest);
        let force = agent.steer(-way.with_length(agent.max_speed));
        force.where_or(found, Vector::zero(self.weight))
    }
}
