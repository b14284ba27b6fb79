//! Cohesion: go where the agents nearby are.

use super::{Agent, Needs, Neighbour, NeighbourBehaviour, Surroundings, Uses};
use crate::parameter::{ALL_NEIGHBOURS, ALL_SPECIES, MAX_NEAREST, Meaning};
use crate::real::Real;
use crate::vector::Vector;

crate::parameters! {
    /// Seeks the mean position of the neighbours within `radius`.
    ///
    /// Desired velocity: `with_length(mean(q) − p, max_speed)` over `d < radius`; without
    /// neighbours the force is zero. If `inner` is positive, it is `with_length(Σ (q − p)/d²,
    /// max_speed)` over `inner < d < radius` instead: agents gather from afar. Sources: *The Nature
    /// of Code*, chapter 5, example 5.11 and exercise 5.12.
    Cohesion {
        /// Factor on the force.
        weight: Meaning::Number => 1.0, "", -1e6, 1e6;
        /// How near an agent must be to be joined.
        radius: Meaning::Number => 50.0, "world units", 0.0, 1e6;
        /// Nearer agents are ignored; 0 joins all, by their mean position.
        inner: Meaning::Number => 0.0, "world units", 0.0, 1e6;
        /// Full angle round the heading within which an agent is seen.
        fov: Meaning::FieldOfView => 360.0, "degrees", 0.0, 360.0;
        /// How many of the nearest agents count.
        nearest: Meaning::Nearest => ALL_NEIGHBOURS, "agents", ALL_NEIGHBOURS, MAX_NEAREST;
        /// The species it joins.
        with: Meaning::SpeciesSet { own: true } => ALL_SPECIES, "species", 0.0, ALL_SPECIES;
    }
}

/// Sums over the neighbours.
#[derive(Clone, Copy)]
pub struct Sums<R, const D: usize> {
    /// Σ (q − p), which is the count times the mean offset; with an inner radius Σ (q − p)/d².
    offset: Vector<R, D>,
    /// Number of neighbours.
    count: R,
}

impl<R: Real, const D: usize> NeighbourBehaviour<R, D> for Cohesion<R> {
    const NEEDS: Needs = Needs { ignores_within: Some("inner"), ..Needs::NOTHING };

    type Sums = Sums<R, D>;

    #[inline(always)]
    fn nothing(like: R) -> Sums<R, D> {
        Sums { offset: Vector::zero(like), count: like.constant(0.0) }
    }

    #[inline(always)]
    fn observe(&self, uses: Uses, neighbour: &Neighbour<R, D>, sums: &mut Sums<R, D>) {
        let neighbour = neighbour.beyond(uses, self.inner);
        let mut pull = neighbour.share;
        if uses.has(Uses::INNER) {
            let zero = pull.constant(0.0);
            let gathers = zero.less_than(self.inner) & zero.less_than(pull);
            pull = (pull / neighbour.distance_squared).where_or(gathers, pull);
        }
        sums.offset = sums.offset + neighbour.if_near(neighbour.offset * pull);
        sums.count = sums.count + neighbour.count();
    }

    #[inline(always)]
    fn force(
        &self,
        agent: &Agent<R, D>,
        _surroundings: &Surroundings,
        _spread: Vector<R, D>,
        sums: &Sums<R, D>,
    ) -> Vector<R, D> {
        let zero = sums.count.constant(0.0);
        // The mean has the same direction as the sum: no division.
        let force = agent.steer(sums.offset.with_length(agent.body.max_speed));
        force.where_or(zero.less_than(sums.count), Vector::zero(zero))
    }
}
