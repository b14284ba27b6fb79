//! Cohesion: go where the agents nearby are.

use super::{Agent, Neighbour, NeighbourBehaviour};
use crate::model::parameter::{ALL_SPECIES, Meaning};
use crate::model::real::Real;
use crate::model::vector::Vector;

crate::parameters! {
    /// Seeks the mean position of the neighbours within `radius`.
    ///
    /// Desired velocity: `with_length(mean(q) − p, max_speed)` over `d < radius`; without
    /// neighbours it is silent. Source: *The Nature of Code*, chapter 5, example 5.11.
    Cohesion {
        /// Factor on the force.
        weight: Meaning::Number => 1.0, "", 0.0, 1e6;
        /// How near an agent must be to be joined.
        radius: Meaning::Number => 50.0, "world units", 0.0, 1e6;
        /// The species it joins.
        with: Meaning::SpeciesSet { own: true } => ALL_SPECIES, "species", 0.0, ALL_SPECIES;
    }
}

/// Sums over the neighbours.
#[derive(Clone, Copy)]
pub struct Sums<R> {
    /// Σ (q − p): the mean position, times the count, seen from the agent.
    offset: Vector<R>,
    /// Number of neighbours.
    count: R,
}

impl<R: Real> NeighbourBehaviour<R> for Cohesion<R> {
    type Sums = Sums<R>;

    #[inline(always)]
    fn nothing(like: R) -> Sums<R> {
        Sums { offset: Vector::zero(like), count: like.constant(0.0) }
    }

    #[inline(always)]
    fn observe(&self, neighbour: &Neighbour<R>, sums: &mut Sums<R>) {
        sums.offset = sums.offset + neighbour.offset * neighbour.share;
        sums.count = sums.count + neighbour.share;
    }

    #[inline(always)]
    fn force(&self, agent: &Agent<R>, _spread: Vector<R>, sums: &Sums<R>) -> Vector<R> {
        let zero = sums.count.constant(0.0);
        // The mean's direction is the sum's: there is nothing to divide.
        let force = agent.steer(sums.offset.with_length(agent.max_speed));
        force.where_or(zero.less_than(sums.count), Vector::zero(zero))
    }
}
