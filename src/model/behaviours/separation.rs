//! Separation: keep apart from the agents nearby.

use super::bounds::{SAME_SPOT, SAME_SPOT_SQUARED};
use super::{Agent, Needs, Neighbour, NeighbourBehaviour, Surroundings, Uses};
use crate::parameter::{ALL_NEIGHBOURS, ALL_SPECIES, MAX_NEAREST, Meaning};
use crate::real::Real;
use crate::vector::Vector;

crate::parameters! {
    /// Steers away from the neighbours within `radius`, harder from nearer ones.
    ///
    /// Desired velocity: `with_length(Σ (p − q)/d², max_speed)` over `d < radius`; without
    /// neighbours the force is zero. Source: *The Nature of Code*, chapter 5, examples 5.9 and
    /// 5.11.
    ///
    /// A neighbour at the same spot (nearer than 1e-10) has no direction. It counts as if it were a
    /// thousandth of the radius away (at least 1e-10), in a direction that depends only on the
    /// agent's id, so that the two move apart.
    Separation {
        /// Factor on the force.
        weight: Meaning::Number => 1.5, "", -1e6, 1e6;
        /// How near an agent must be to be avoided.
        radius: Meaning::Number => 25.0, "world units", 0.0, 1e6;
        /// Nearer agents are ignored.
        inner: Meaning::Number => 0.0, "world units", 0.0, 1e6;
        /// Full angle round the heading within which an agent is seen.
        fov: Meaning::FieldOfView => 360.0, "degrees", 0.0, 360.0;
        /// How many of the nearest agents count.
        nearest: Meaning::Nearest => ALL_NEIGHBOURS, "agents", ALL_NEIGHBOURS, MAX_NEAREST;
        /// The species it keeps apart from.
        with: Meaning::SpeciesSet { own: false } => ALL_SPECIES, "species", 0.0, ALL_SPECIES;
    }
}

/// Distance assumed for an agent at the same spot, in radii.
const COINCIDENT: f32 = 1e-3;

/// Sums over the neighbours.
#[derive(Clone, Copy)]
pub struct Sums<R, const D: usize> {
    /// Σ (p − q)/d².
    away: Vector<R, D>,
    /// Number of neighbours.
    count: R,
    /// Number of neighbours at the same spot.
    coincident: R,
}

impl<R: Real, const D: usize> NeighbourBehaviour<R, D> for Separation<R> {
    const NEEDS: Needs = Needs { ignores_within: Some("inner"), ..Needs::NOTHING };

    type Sums = Sums<R, D>;

    #[inline(always)]
    fn nothing(like: R) -> Sums<R, D> {
        let zero = like.constant(0.0);
        Sums { away: Vector::zero(like), count: zero, coincident: zero }
    }

    #[inline(always)]
    fn observe(&self, uses: Uses, neighbour: &Neighbour<R, D>, sums: &mut Sums<R, D>) {
        let neighbour = neighbour.beyond(uses, self.inner);
        let zero = neighbour.share.constant(0.0);
        let apart = zero.constant(SAME_SPOT_SQUARED).less_than(neighbour.distance_squared);
        let pushes = neighbour.near & apart;
        // Subtracting +0 changes nothing.
        let push = neighbour.offset * (neighbour.share / neighbour.distance_squared);
        sums.away = sums.away - push.where_or(pushes, Vector::zero(zero));
        sums.count = sums.count + neighbour.count();
        let coincident = (-zero).where_or(apart, neighbour.count());
        sums.coincident = sums.coincident + coincident;
    }

    #[inline(always)]
    fn force(
        &self,
        agent: &Agent<R, D>,
        _surroundings: &Surroundings,
        spread: Vector<R, D>,
        sums: &Sums<R, D>,
    ) -> Vector<R, D> {
        let zero = sums.count.constant(0.0);
        let distance = (self.radius * zero.constant(COINCIDENT)).max(zero.constant(SAME_SPOT));
        let strength = sums.coincident / distance;
        let strength = strength.where_or(zero.less_than(sums.coincident), zero);
        let away = sums.away + spread.with_length(strength);
        let force = agent.steer(away.with_length(agent.body.max_speed));
        force.where_or(zero.less_than(sums.count), Vector::zero(zero))
    }

    #[inline(always)]
    fn crowded(sums: &Sums<R, D>, _like: R) -> R {
        sums.coincident
    }
}
