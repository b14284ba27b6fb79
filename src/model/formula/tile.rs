//! The neighbours of agents, side by side, as programs take them.

use super::program::Given;
use crate::kept::MAX_KEPT;
use crate::real::{Mask, Real};

/// A number for each of `T` neighbours, from where the widest lanes begin in no cache line but their own.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Row<R, const T: usize>(pub [R; T]);

/// The perception of `T` neighbours. In a plane the third axis is not used.
pub struct Tile<R, const T: usize> {
    /// From the agents to the neighbours.
    pub offset: [Row<R, T>; 3],
    /// The squares of their lengths.
    pub distance_squared: Row<R, T>,
    /// The places of the neighbours.
    pub place: [Row<R, T>; 3],
    /// The velocities of the neighbours.
    pub velocity: [Row<R, T>; 3],
    /// The numbers of their species.
    pub species: Row<R, T>,
    /// Whether they are in each of the rule's sets of species.
    pub sets: Vec<Row<R, T>>,
    /// Half their lengths.
    pub size: Row<R, T>,
    /// The numbers that they keep.
    pub kept: [Row<R, T>; MAX_KEPT],
}

impl<R: Real, const T: usize> Tile<R, T> {
    /// A tile with nothing in it.
    #[inline(always)]
    pub fn new(like: R) -> Self {
        let zeros = Row([like.constant(0.0); T]);
        Self {
            offset: [zeros; 3],
            distance_squared: zeros,
            place: [zeros; 3],
            velocity: [zeros; 3],
            species: zeros,
            sets: Vec::new(),
            size: zeros,
            kept: [zeros; MAX_KEPT],
        }
    }

    #[inline(always)]
    pub(super) fn given(&self, given: Given) -> Option<&Row<R, T>> {
        Some(match given {
            Given::Offset(axis) => &self.offset[axis],
            Given::OtherPosition(axis) => &self.place[axis],
            Given::OtherVelocity(axis) => &self.velocity[axis],
            Given::DistanceSquared => &self.distance_squared,
            Given::OtherSpecies => &self.species,
            Given::InSet(place) => self.sets.get(place)?,
            Given::OtherSize => &self.size,
            Given::OtherKept(place) => &self.kept[place],
            _ => return None,
        })
    }
}

/// The neighbours of a tile that agents hear, side by side.
pub struct Heard<R: Real, const T: usize> {
    /// Who hears each.
    pub(super) masks: [R::Mask; T],
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
        self.rows[self.count % T] = row as u8;
        self.count = self.put(self.count, mask);
    }

    /// Says who hears neighbour number `at`, which is in the row of this number. Returns the number of the next one:
    /// the same if no lane hears this one.
    #[inline(always)]
    #[must_use]
    pub fn put(&mut self, at: usize, mask: R::Mask) -> usize {
        // The remainder shows the compiler that no place is too large.
        self.masks[at % T] = mask;
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
                *share = all.shares.0[usize::from(*row) % T];
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
            self.rows[count % T] = row as u8;
            count = self.put(count, near.masks[row] & squared.less_than(squared_radius));
        }
        self.count = count;
    }

    /// Who hears neighbour number `at`.
    #[inline(always)]
    #[must_use]
    pub fn mask(&self, at: usize) -> R::Mask {
        self.masks[at % T]
    }
}
