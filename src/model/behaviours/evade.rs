//! Evade: get away from where another will be.

use super::pursue::{Aim, LEADS, Nearest, chase};
use super::seek::desired_velocity;
use super::{Agent, Needs, Neighbour, NeighbourBehaviour, Surroundings, Uses};
use crate::parameter::{ALL_SPECIES, Meaning, NO_TARGET};
use crate::real::Real;
use crate::vector::Vector;

chase! {
    /// Flees the place where its pursuer will be.
    ///
    /// Desired velocity: the opposite of pursue. The pursuer is the nearest visible agent of the
    /// species `with` within `radius`; if a `target` is named, it is that target instead. Without a
    /// pursuer the force is zero. Source: COCOS (T = 1).
    Evade {
        radius: "How near an agent must be to be fled.",
        with: "The species it flees.",
        target: "Name of a target to evade instead of agents; \"none\" evades agents.",
        sign: [-]
    }
}
