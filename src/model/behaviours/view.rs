//! View: get out from behind the agents ahead.

use super::bounds::SAME_SPOT_SQUARED;
use super::{Agent, Neighbour, NeighbourBehaviour, Surroundings, Uses};
use crate::parameter::{ALL_NEIGHBOURS, ALL_SPECIES, MAX_NEAREST, Meaning};
use crate::real::Real;
use crate::vector::{Axes, Space, Vector};

crate::parameters! {
    /// Moves sideways, out from behind the agents that block the view.
    ///
    /// Desired velocity: `with_length(left(Σ (q − p)/d²), max_speed)` over the neighbours within
    /// `radius` and the field of view. The left of a vector is `up × vector`, a quarter turn in a
    /// plane; in space a vertical one has the x axis on its left. A neighbour at the same spot adds
    /// −10·v to the left. Without neighbours the force is zero. Source: *The Nature of Code*, chapter
    /// 5, exercise 5.17.
    View {
        /// Factor on the force.
        weight: Meaning::Number => 1.0, "", -1e6, 1e6;
        /// How near an agent must be to block the view.
        radius: Meaning::Number => 50.0, "world units", 0.0, 1e6;
        /// Full angle round the heading that the agent keeps free.
        fov: Meaning::FieldOfView => 60.0, "degrees", 0.0, 360.0;
        /// How many of the nearest agents count.
        nearest: Meaning::Nearest => ALL_NEIGHBOURS, "agents", ALL_NEIGHBOURS, MAX_NEAREST;
        /// The species that block its view.
        with: Meaning::SpeciesSet { own: true } => ALL_SPECIES, "species", 0.0, ALL_SPECIES;
    }
}

/// Contribution of a neighbour at the same spot, in velocities of the agent.
const BACK_OFF: f32 = -10.0;

/// Sums over the neighbours.
#[derive(Clone, Copy)]
pub struct Sums<R, const D: usize> {
    /// Σ (q − p)/d².
    ahead: Vector<R, D>,
    /// Number of neighbours.
    count: R,
    /// Number of neighbours at the same spot.
    coincident: R,
}

impl<R: Real, const D: usize> NeighbourBehaviour<R, D> for View<R>
where
    Axes<D>: Space<D>,
{
    type Sums = Sums<R, D>;

    #[inline(always)]
    fn nothing(like: R) -> Sums<R, D> {
        let zero = like.constant(0.0);
        Sums { ahead: Vector::zero(like), count: zero, coincident: zero }
    }

    #[inline(always)]
    fn observe(&self, _uses: Uses, neighbour: &Neighbour<R, D>, sums: &mut Sums<R, D>) {
        let zero = neighbour.share.constant(0.0);
        let apart = zero.constant(SAME_SPOT_SQUARED).less_than(neighbour.distance_squared);
        let way = neighbour.offset * (neighbour.share / neighbour.distance_squared);
        sums.ahead = sums.ahead + neighbour.if_near(way).where_or(apart, Vector::zero(-zero));
        sums.count = sums.count + neighbour.count();
        sums.coincident = sums.coincident + (-zero).where_or(apart, neighbour.count());
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
        let back = agent.velocity * (sums.coincident * zero.constant(BACK_OFF));
        // Turning the sum equals turning each term.
        let aside = Axes::sideways(sums.ahead) + back;
        let force = agent.steer(aside.with_length(agent.body.max_speed));
        force.where_or(zero.less_than(sums.count), Vector::zero(zero))
    }
}
