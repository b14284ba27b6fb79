//! A flock in slabs: each of several processes owns some slices of the grid.
//!
//! A slice is a row of cells in a plane and a layer of rows in a space: all cells with the same index
//! along the last axis. The neighbours of an agent are in its own slice and in the two beside it. A
//! process therefore has the agents of its own slices, and copies of those beside them: the ghosts.

use std::ops::Range;

use super::Grid;

/// Consecutive slices of a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slab {
    /// The first slice.
    pub first: u32,
    /// Number of slices.
    pub count: u32,
}

impl Slab {
    /// The slice after the last one.
    #[must_use]
    #[inline]
    pub const fn end(&self) -> u32 {
        self.first + self.count
    }

    /// True if the slice belongs to the slab.
    #[must_use]
    #[inline]
    pub const fn has(&self, slice: u32) -> bool {
        self.first <= slice && slice < self.end()
    }
}

/// The cells of a slab, then of the slice above it, then of the slice below it.
///
/// Cells in a window have numbers of their own, so that no table is as large as the whole grid. The
/// window of a slab with all slices has the numbers of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The slices that the process owns.
    pub slab: Slab,
    /// Number of slices of the grid.
    slices: u32,
    /// Number of rows in a slice.
    slice_rows: u32,
    /// Number of cells in a row.
    pub columns: u32,
}

impl Window {
    /// The window of `slab`.
    #[must_use]
    pub fn of<const D: usize>(grid: &Grid<D>, slab: Slab) -> Self {
        let slices = grid.slices();
        Self { slab, slices, slice_rows: grid.rows() / slices, columns: grid.columns() }
    }

    /// The window of a process that owns all slices.
    #[must_use]
    pub fn whole<const D: usize>(grid: &Grid<D>) -> Self {
        Self::of(grid, Slab { first: 0, count: grid.slices() })
    }

    /// True if the process owns all slices.
    #[must_use]
    #[inline]
    pub const fn is_whole(&self) -> bool {
        self.slab.count == self.slices
    }

    /// Number of rows that the process owns.
    #[must_use]
    #[inline]
    pub const fn own_rows(&self) -> u32 {
        self.slab.count * self.slice_rows
    }

    /// Number of cells that the process owns.
    #[must_use]
    #[inline]
    pub const fn own_cells(&self) -> usize {
        self.own_rows() as usize * self.columns as usize
    }

    /// Number of cells in a slice.
    #[must_use]
    #[inline]
    pub const fn slice_cells(&self) -> usize {
        self.slice_rows as usize * self.columns as usize
    }

    /// Number of cells, ghosts' cells included.
    #[must_use]
    #[inline]
    pub const fn cells(&self) -> usize {
        if self.is_whole() { self.own_cells() } else { self.own_cells() + 2 * self.slice_cells() }
    }

    /// The number in the grid of the first own cell.
    #[must_use]
    #[inline]
    pub const fn first_cell(&self) -> u32 {
        self.slab.first * self.slice_cells() as u32
    }

    /// The row of the grid that is own row number `row`.
    #[inline]
    #[must_use]
    pub const fn row_of_grid(&self, row: u32) -> u32 {
        self.slab.first * self.slice_rows + row
    }

    /// The slice of the grid that has this cell of the grid.
    #[inline]
    #[must_use]
    pub const fn slice_of(&self, cell: u32) -> u32 {
        cell / (self.slice_rows * self.columns)
    }

    /// The number in this window of a cell of the grid. The cell is in the window.
    #[inline]
    #[must_use]
    pub const fn number(&self, cell: u32) -> u32 {
        if self.is_whole() {
            return cell;
        }
        let slice_cells = self.slice_rows * self.columns;
        let (slice, within) = (cell / slice_cells, cell % slice_cells);
        // Across the seam of a wrapped world, the slice above the last one is the first.
        let up = (slice + self.slices - self.slab.first) % self.slices;
        let at = if up <= self.slab.count { up } else { self.slab.count + 1 };
        at * slice_cells + within
    }

    /// The slices beside the slab, in the order of their places in the window. A slice that is above and
    /// below, across the seam, comes once.
    #[must_use]
    pub fn beside(&self, wraps: bool) -> Vec<u32> {
        let Slab { first, .. } = self.slab;
        let end = self.slab.end();
        if self.is_whole() || self.slab.count == 0 {
            return Vec::new();
        }
        let above = if end < self.slices { Some(end) } else { wraps.then_some(0) };
        let below = if first > 0 { Some(first - 1) } else { wraps.then_some(self.slices - 1) };
        let mut beside: Vec<u32> = above.into_iter().chain(below).collect();
        beside.dedup();
        beside
    }

    /// The cells of a slice, by their numbers in this window.
    #[must_use]
    #[inline]
    pub const fn cells_of(&self, slice: u32) -> Range<usize> {
        let first = self.number(slice * self.slice_cells() as u32) as usize;
        first..first + self.slice_cells()
    }
}

/// The slab of each of several processes, in the order of the slices. Some may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slabs(pub Vec<Slab>);

impl Slabs {
    /// All slices in the slab of the first process.
    #[must_use]
    pub fn undivided(slices: u32, processes: usize) -> Self {
        let mut slabs = vec![Slab { first: 0, count: slices }];
        slabs.resize(processes, Slab { first: slices, count: 0 });
        Self(slabs)
    }

    /// Divides slices with these weights so that the heaviest slab is as light as possible.
    #[must_use]
    pub fn balanced(weights: &[u64], processes: usize) -> Self {
        let all: u64 = weights.iter().sum();
        let heaviest = weights.iter().copied().max().unwrap_or(0);
        // The smallest limit that enough slabs can keep.
        let (mut low, mut high) = (heaviest.max(all.div_ceil(processes.max(1) as u64)), all);
        while low < high {
            let middle = low + (high - low) / 2;
            match Self::within(middle, weights).len() <= processes {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        let mut slabs = Self::within(low, weights);
        slabs.resize(processes, Slab { first: weights.len() as u32, count: 0 });
        Self(slabs)
    }

    /// Fills one slab after the other up to a weight. None is empty.
    fn within(limit: u64, weights: &[u64]) -> Vec<Slab> {
        let mut slabs: Vec<Slab> = Vec::new();
        let mut weight = 0;
        for (slice, own) in weights.iter().enumerate() {
            match slabs.last_mut() {
                Some(slab) if weight + own <= limit => {
                    slab.count += 1;
                    weight += own;
                }
                _ => {
                    slabs.push(Slab { first: slice as u32, count: 1 });
                    weight = *own;
                }
            }
        }
        slabs
    }

    /// The process that owns a slice.
    #[must_use]
    pub fn owner(&self, slice: u32) -> usize {
        self.0.partition_point(|slab| slab.end() <= slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::{Point, components, flat};
    use crate::world::Boundary;

    fn grid<const D: usize>(size: Point, boundary: Boundary) -> Grid<D> {
        Grid::over(components(size), boundary == Boundary::Wrap, 10.0, 1000)
    }

    /// Every row near an own row has a cell in the window that no other row has.
    fn check<const D: usize>(grid: Grid<D>) {
        for count in 1..=grid.slices() {
            for first in 0..=grid.slices() - count {
                let window = Window::of(&grid, Slab { first, count });
                let mut rows = vec![None; window.cells() / grid.columns() as usize];
                for own in 0..window.own_rows() {
                    let row = window.row_of_grid(own);
                    assert_eq!(window.number(row * grid.columns()), own * grid.columns());
                    for near in grid.rows_around(row) {
                        let row = window.number(near.first_cell) / grid.columns();
                        let taken = rows[row as usize].get_or_insert(near.first_cell);
                        assert_eq!(*taken, near.first_cell, "two rows in one place");
                    }
                }
                // Those that are not own are the ghosts, in ascending order.
                let ghosts = window.beside(grid.wraps).into_iter();
                let ghosts = ghosts.flat_map(|slice| {
                    assert!(!window.slab.has(slice));
                    window.cells_of(slice).step_by(grid.columns() as usize)
                });
                let ghosts: Vec<usize> =
                    ghosts.map(|cell| cell / grid.columns() as usize).collect();
                let others = window.own_rows() as usize..rows.len();
                let others: Vec<usize> = others.filter(|row| rows[*row].is_some()).collect();
                assert_eq!(ghosts, others);
            }
        }
    }

    #[test]
    fn a_window_has_a_place_for_every_row_near_its_slab() {
        for boundary in [Boundary::Wrap, Boundary::Open] {
            for height in [10.0, 25.0, 35.0, 60.0] {
                check(grid::<2>(flat(50.0, height), boundary));
                check(grid::<3>(Point::new(50.0, 35.0, height), boundary));
                check(grid::<3>(Point::new(50.0, 15.0, height), boundary));
            }
        }
    }

    #[test]
    fn the_heaviest_slab_is_as_light_as_any_division_allows() {
        use crate::random::{Purpose, bits};
        for case in 0..300_u32 {
            let draw = |what: u32| bits(case, what, 0, Purpose::SpawnX);
            let weights: Vec<u64> =
                (0..1 + draw(0) % 9).map(|slice| u64::from(draw(slice + 2) % 20)).collect();
            let processes = 1 + draw(1) as usize % 5;
            let slabs = Slabs::balanced(&weights, processes);
            assert_eq!(slabs.0.len(), processes);
            let mut next = 0;
            for (process, slab) in slabs.0.iter().enumerate() {
                assert_eq!(slab.first, next);
                next = slab.end();
                assert!((slab.first..slab.end()).all(|slice| slabs.owner(slice) == process));
            }
            assert_eq!(next as usize, weights.len());
            let weight = |slab: &Slab| -> u64 {
                weights[slab.first as usize..slab.end() as usize].iter().sum()
            };
            let heaviest = slabs.0.iter().map(weight).max().unwrap();
            assert_eq!(heaviest, best(&weights, processes), "{weights:?} in {processes}");
        }
    }

    /// The weight of the heaviest slab in the best of all divisions.
    fn best(weights: &[u64], processes: usize) -> u64 {
        if processes == 1 {
            return weights.iter().sum();
        }
        let cut = |at: usize| {
            let (first, rest) = weights.split_at(at);
            first.iter().sum::<u64>().max(best(rest, processes - 1))
        };
        (0..=weights.len()).map(cut).min().unwrap_or(0)
    }
}
