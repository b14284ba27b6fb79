//! The neighbour: what a steered agent perceives of another one.

use super::Uses;
use super::bounds::SAME_SPOT_SQUARED;
use crate::real::Real;
use crate::vector::Vector;

/// An agent near the steered one; never the steered one itself.
#[derive(Clone, Copy)]
pub struct Neighbour<R: Real, const D: usize> {
    /// From the steered agent to this one, across the seam if that is shorter; world units.
    pub offset: Vector<R, D>,
    /// The square of the offset's length.
    pub distance_squared: R,
    /// World units per tick.
    pub velocity: Vector<R, D>,
    /// Component of the offset along the steered agent's heading; world units. Valid only in scenes
    /// with [`Uses::SIGHT`](super::Uses::SIGHT).
    pub ahead: R,
    /// True within the behaviour's radius.
    pub near: R::Mask,
    /// Its weight in the sums: 1, or the stride of a sampled run; 0 if it is outside the
    /// behaviour's field of view, or if the behaviour ignores its species.
    pub share: R,
}

impl<R: Real, const D: usize> Neighbour<R, D> {
    /// `term` if it is near, else −0, which changes no sum. (+0 would do too, but with −0 a masked
    /// addition needs no vector of zeros.)
    #[inline(always)]
    pub fn if_near(&self, term: Vector<R, D>) -> Vector<R, D> {
        let nothing = self.share.constant(-0.0);
        term.where_or(self.near, Vector::splat(nothing))
    }

    /// Its contribution to the number of neighbours.
    #[inline(always)]
    pub fn count(&self) -> R {
        self.share.where_or(self.near, self.share.constant(-0.0))
    }

    /// The same without a share where it is not farther away than a positive `inner`; world units.
    #[inline(always)]
    #[must_use]
    pub fn beyond(&self, uses: Uses, inner: R) -> Self {
        if !uses.has(Uses::INNER) {
            return *self;
        }
        let zero = inner.constant(0.0);
        // At least the distance within which agents are at one spot: cohesion divides by its square.
        let within = (inner * inner).max(zero.constant(SAME_SPOT_SQUARED));
        let outside = within.less_than(self.distance_squared);
        let nearer = zero.where_or(zero.less_than(inner), self.share);
        Self { share: self.share.where_or(outside, nearer), ..*self }
    }

    /// True if the behaviour perceives it.
    #[inline(always)]
    pub fn perceived(&self) -> R::Mask {
        self.near & self.share.constant(0.0).less_than(self.share)
    }
}
