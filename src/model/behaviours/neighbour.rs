//! The neighbour: what a steered agent hears of another one.

use crate::model::real::Real;
use crate::model::vector::Vector;

/// An agent that the steered one may listen to; never the steered one itself.
#[derive(Clone, Copy)]
pub struct Neighbour<R: Real> {
    /// From the steered agent to this one, by the shortest way; world units.
    pub offset: Vector<R>,
    /// The square of the offset's length.
    pub distance_squared: R,
    /// World units per tick.
    pub velocity: Vector<R>,
    /// How far ahead it is, seen along the agent's heading; world units. Only where a species of the
    /// scene does not see all round.
    pub ahead: R,
    /// Whether it is within the behaviour's radius.
    pub near: R::Mask,
    /// For how many agents this one stands: 1, or the stride of a sampled run; 0 when it is
    /// outside the behaviour's field of view, or of a species that the behaviour does not listen
    /// to.
    pub share: R,
}

impl<R: Real> Neighbour<R> {
    /// `term` where it is near, else −0, by which no sum changes. (Nor would it by 0; but a processor
    /// that adds under a mask then need not fetch the zeros.)
    #[inline(always)]
    pub fn if_near(&self, term: Vector<R>) -> Vector<R> {
        let nothing = self.share.constant(-0.0);
        term.where_or(self.near, Vector { x: nothing, y: nothing })
    }

    /// What it adds to a number of neighbours.
    #[inline(always)]
    pub fn count(&self) -> R {
        self.share.where_or(self.near, self.share.constant(-0.0))
    }

    /// Whether it counts at all.
    #[inline(always)]
    pub fn heard(&self) -> R::Mask {
        self.near & self.share.constant(0.0).less_than(self.share)
    }
}
