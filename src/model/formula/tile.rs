//! The neighbours of agents, side by side, as programs take them.

use super::operation::Given;
use crate::kept::MAX_KEPT;
use crate::real::{Mask, Real};

/// A number for each of `T` neighbours, from where the widest lanes begin in no cache line but their own.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Row<R, const T: usize>(pub [R; T]);

/// The perception of `T` neighbours: a row for each [`Given`] that is another one for each of them. In a plane the
/// third axes are not used.
pub struct Tile<R, const T: usize> {
    pub(super) rows: Vec<Row<R, T>>,
}

/// The row of the first set of species.
const FIRST_SET: usize = 12 + MAX_KEPT;

impl Given {
    /// Its row in a tile, if it is another one for each neighbour.
    #[inline(always)]
    pub(super) fn row(self) -> Option<usize> {
        Some(match self {
            Self::Offset(axis) => axis,
            Self::DistanceSquared => 3,
            Self::OtherPosition(axis) => 4 + axis,
            Self::OtherVelocity(axis) => 7 + axis,
            Self::OtherSpecies => 10,
            Self::OtherSize => 11,
            Self::OtherKept(place) => 12 + place,
            Self::InSet(place) => FIRST_SET + place,
            _ => return None,
        })
    }
}

impl<R: Real, const T: usize> Tile<R, T> {
    /// A tile of zeros, with rows for `sets` sets of species.
    #[inline(always)]
    pub fn new(like: R, sets: usize) -> Self {
        Self { rows: vec![Row([like.constant(0.0); T]); FIRST_SET + sets] }
    }

    /// The row of an input, which must be of neighbours.
    #[inline(always)]
    #[must_use]
    pub fn row(&self, given: Given) -> &[R; T] {
        &self.rows[given.row().unwrap_or_default()].0
    }

    /// The row of an input, which must be of neighbours.
    #[inline(always)]
    pub fn row_mut(&mut self, given: Given) -> &mut [R; T] {
        &mut self.rows[given.row().unwrap_or_default()].0
    }

    /// The rows of an input with three axes, by its first.
    #[inline(always)]
    pub fn axes_mut(&mut self, first: Given) -> &mut [Row<R, T>] {
        let first = first.row().unwrap_or_default();
        &mut self.rows[first..first + 3]
    }

    /// The rows of the offset and of its square.
    #[inline(always)]
    pub fn offset_mut(&mut self) -> (&mut [Row<R, T>], &mut [R; T]) {
        let (offset, rest) = self.rows[..4].split_at_mut(3);
        (offset, &mut rest[0].0)
    }
}

/// The neighbours of a tile that agents hear, side by side.
pub struct Heard<R: Real, const T: usize> {
    /// Who hears each.
    pub masks: [R::Mask; T],
    /// Their rows in the tile.
    pub(super) rows: [u8; T],
    pub(super) count: usize,
    /// How often each counts, if not all count once.
    pub(super) shares: Row<R, T>,
    pub(super) ones: Row<R, T>,
    pub(super) weighted: bool,
}

impl<R: Real, const T: usize> Heard<R, T> {
    /// Without any neighbour.
    #[inline(always)]
    pub fn nobody(like: R) -> Self {
        let ones = Row([like.constant(1.0); T]);
        let masks = [like.less_than(like); T];
        Self { masks, rows: [0; T], count: 0, shares: ones, ones, weighted: false }
    }

    /// How many they are.
    #[inline(always)]
    #[must_use]
    pub fn count(&self) -> usize {
        self.count.min(T)
    }

    /// Forgets all.
    #[inline(always)]
    pub fn clear(&mut self) {
        (self.count, self.weighted) = (0, false);
    }

    /// Adds the neighbour of this row, if the mask is true in some lane. The rows must ascend.
    #[inline(always)]
    pub fn push(&mut self, row: usize, mask: R::Mask) {
        self.rows[self.count] = row as u8;
        self.count = self.put(self.count, mask);
    }

    /// Says who hears neighbour number `at`, which is in the row of this number. Returns the number of the next one:
    /// the same if no lane hears this one.
    #[inline(always)]
    #[must_use]
    pub fn put(&mut self, at: usize, mask: R::Mask) -> usize {
        self.masks[at] = mask;
        at + usize::from(mask.any())
    }

    /// Says how many there are now.
    #[inline(always)]
    pub fn set_count(&mut self, count: usize) {
        self.count = count;
    }

    /// Lets neighbours from number `first` on count as often as `share` says, or once.
    #[inline(always)]
    pub fn weigh(&mut self, first: usize, share: Option<R>) {
        if share.is_some() && !self.weighted {
            self.shares = self.ones;
            self.weighted = true;
        }
        if self.weighted {
            self.shares.0[first.min(T)..].fill(share.unwrap_or(self.ones.0[0]));
        }
    }

    /// Lets each neighbour count as often as it does among `all` of the tile.
    #[inline(always)]
    pub fn weigh_like(&mut self, all: &Self) {
        self.weighted = all.weighted;
        if self.weighted {
            for (share, row) in self.shares.0.iter_mut().zip(&self.rows[..self.count.min(T)]) {
                *share = all.shares.0[usize::from(*row)];
            }
        }
    }

    /// Hears the neighbours among `near` that are within a radius; `distances` are the squares of theirs.
    #[inline(always)]
    pub fn take_within(&mut self, near: &Self, squared_radius: R, distances: &[R]) {
        self.clear();
        // In a variable, which stays in a register.
        let mut count = 0;
        for (row, squared) in distances.iter().enumerate().take(T) {
            self.rows[count] = row as u8;
            count = self.put(count, near.masks[row] & squared.less_than(squared_radius));
        }
        self.count = count;
    }
}
