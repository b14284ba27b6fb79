//! Evade: get away from where another will be.

use super::pursue::{Aim, LEADS, Nearest, parameters_of_a_chase};
use super::seek::desired_velocity;
use super::{Agent, Needs, Neighbour, NeighbourBehaviour, Surroundings, Uses};
use crate::parameter::{ALL_SPECIES, Meaning, NO_TARGET};
use crate::real::Real;
use crate::vector::Vector;

parameters_of_a_chase! {
    /// Flees the place where its pursuer will be.
    ///
    /// Desired velocity: the opposite of pursue. The pursuer is the nearest visible agent of the
    /// species `with` within `radius`; if a `target` is named, it is that target instead. Without a
    /// pursuer the force is zero. Source: COCOS (T = 1).
    Evade {
        radius: "How near an agent must be to be fled.",
        with: "The species it flees.",
        target: "Name of a target to evade instead of agents; \"none\" evades agents."
    }
}

impl<R: Real, const D: usize> NeighbourBehaviour<R, D> for Evade<R> {
    const NEEDS: Needs = Needs { others: true, ..Needs::NOTHING };

    type Sums = Nearest<R, D>;

    #[inline(always)]
    fn nothing(like: R) -> Nearest<R, D> {
        Nearest::none(like)
    }

    #[inline(always)]
    fn observe(&self, _uses: Uses, neighbour: &Neighbour<R, D>, nearest: &mut Nearest<R, D>) {
        nearest.observe(neighbour);
    }

    #[inline(always)]
    fn force(
        &self,
        agent: &Agent<R, D>,
        surroundings: &Surroundings,
        _spread: Vector<R, D>,
        nearest: &Nearest<R, D>,
    ) -> Vector<R, D> {
        let aim = Aim { target: self.target, lead: self.lead, ticks: self.ticks };
        let (way, found) = aim.way(agent, surroundings, nearest);
        let force = agent.steer(-desired_velocity(way, self.gain, agent.body.max_speed));
        force.where_or(found, Vector::zero(self.weight))
    }
}
