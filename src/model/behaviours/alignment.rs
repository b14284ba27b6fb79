//! Alignment: head where the agents nearby head.

use super::{Agent, Needs, Neighbour, NeighbourBehaviour, Surroundings, Uses};
use crate::parameter::{ALL_NEIGHBOURS, ALL_SPECIES, MAX_NEAREST, Meaning};
use crate::real::Real;
use crate::vector::Vector;

crate::parameters! {
    /// Steers along the sum of the velocities of the neighbours within `radius`.
    ///
    /// Desired velocity: `with_length(Σ u, max_speed)` over `d < radius`; without neighbours the
    /// force is zero. Source: *The Nature of Code*, chapter 5, example 5.11.
    Alignment {
        /// Factor on the force.
        weight: Meaning::Number => 1.0, "", -1e6, 1e6;
        /// How near an agent must be to be followed.
        radius: Meaning::Number => 50.0, "world units", 0.0, 1e6;
        /// Nearer agents are ignored.
        inner: Meaning::Number => 0.0, "world units", 0.0, 1e6;
        /// Full angle round the heading within which an agent is seen.
        fov: Meaning::FieldOfView => 360.0, "degrees", 0.0, 360.0;
        /// How many of the nearest agents count.
        nearest: Meaning::Nearest => ALL_NEIGHBOURS, "agents", ALL_NEIGHBOURS, MAX_NEAREST;
        /// The species it aligns with.
        with: Meaning::SpeciesSet { own: true } => ALL_SPECIES, "species", 0.0, ALL_SPECIES;
    }
}

/// Sums over the neighbours.
#[derive(Clone, Copy)]
pub struct Sums<R, const D: usize> {
    /// Σ u.
    velocity: Vector<R, D>,
    /// Number of neighbours.
    count: R,
}

impl<R: Real, const D: usize> Sums<R, D> {
    /// How nearly the neighbours head one way: the length of their mean velocity, as a share of `max_speed`.
    /// 0 without neighbours.
    #[inline(always)]
    pub fn order(&self, max_speed: R) -> R {
        let (zero, all) = (self.count.constant(0.0), self.count * max_speed);
        (self.velocity.length() / all).where_or(zero.less_than(all), zero)
    }
}

impl<R: Real, const D: usize> NeighbourBehaviour<R, D> for Alignment<R> {
    const NEEDS: Needs = Needs { ignores_within: Some("inner"), ..Needs::NOTHING };

    type Sums = Sums<R, D>;

    #[inline(always)]
    fn nothing(like: R) -> Sums<R, D> {
        Sums { velocity: Vector::zero(like), count: like.constant(0.0) }
    }

    #[inline(always)]
    fn observe(&self, uses: Uses, neighbour: &Neighbour<R, D>, sums: &mut Sums<R, D>) {
        let neighbour = neighbour.beyond(uses, self.inner);
        sums.velocity = sums.velocity + neighbour.if_near(neighbour.velocity * neighbour.share);
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
        let force = agent.steer(sums.velocity.with_length(agent.body.max_speed));
        force.where_or(zero.less_than(sums.count), Vector::zero(zero))
    }
}
