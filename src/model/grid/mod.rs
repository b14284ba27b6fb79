//! The uniform grid for neighbour search: geometry only, shared by both engines and the statistics.
//! `shaders/grid.wgsl` reads the same numbers from a uniform.

mod sampling;
mod slab;
#[cfg(test)]
mod tests;

pub use sampling::{CrowdSampling, LONG_RUN, MAX_WHOLE_RUN, RUN_SAMPLE, Sampling};
pub use slab::{Slab, Slabs, Window};

use super::real::Real;
use super::vector::{Vector, components, per_axis};
use super::world::{Boundary, World};

/// At most this many cells per agent: a sparse world gets wider cells instead of more memory.
const CELLS_PER_AGENT: f64 = 4.0;

/// Numbers of cells have 32 bits.
const MAX_CELLS: f64 = 4e9;

/// From this many agents of an even flock in a cell as wide as the radius, cells are half as wide:
/// an agent reads five half columns instead of three whole ones, a sixth less. With fewer agents
/// the additional cells cost as much as the shorter runs save.
const DENSE: f64 = 6.0;

/// Cells of equal size that cover the world.
///
/// Cells along the first axis are a row; rows follow one another along the second axis, and so on.
/// Cells are numbered in this order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid<const D: usize> {
    /// Number of cells along each axis.
    pub cells_along: [u32; D],
    /// Cells per world unit, for each axis.
    pub cells_per_unit: [f32; D],
    /// True when the neighbours of an edge cell are at the other edge.
    pub wraps: bool,
    /// Number of columns on each side of an agent's own that may hold its neighbours.
    pub reach: u32,
}

/// From this number on, every float is whole, and its lowest bits are the whole number.
const WHOLE: f32 = 8_388_608.0;

/// The indices of coordinates along one axis, 0 to `last`, added to the bits of [`WHOLE`].
///
/// Compilers split a conversion to integers into one per lane, because of values outside the range
/// of integers; they keep these sums vectorised.
#[inline(always)]
fn indices<R: Real>(x: R, cells_per_unit: f32, last: u32) -> R {
    let (zero, whole) = (x.constant(0.0), x.constant(WHOLE));
    let cell = x * x.constant(cells_per_unit);
    // NaN is not above zero.
    let cell = cell.where_or(zero.less_than(cell), zero).min(x.constant(last as f32));
    let nearest = (cell + whole) - whole;
    let below = nearest - x.constant(1.0);
    below.where_or(cell.less_than(nearest), nearest) + whole
}

/// A contiguous run of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnRun {
    /// The first column.
    pub first: u32,
    /// The last column.
    pub last: u32,
    /// The number of world sizes that bring its agents next to the agents of the column it is near: −1 or
    /// 1 across the seam. Always 0 in a [narrow](Grid::is_narrow) world, where an agent may be near
    /// on both sides.
    pub side: i32,
}

/// Most rows that hold the neighbours of an agent, itself included: the rows of three axes.
pub const MAX_ROWS_AROUND: usize = 9;

/// A row of cells near another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearRow<const D: usize> {
    /// Number of its first cell.
    pub first_cell: u32,
    /// For each axis what [`ColumnRun::side`] is for the first one.
    pub sides: [i32; D],
}

/// A contiguous run of cells near another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRun<const D: usize> {
    /// Number of its first cell.
    pub first: u32,
    /// Number of its last cell.
    pub last: u32,
    /// As in [`NearRow::sides`].
    pub sides: [i32; D],
}

impl<const D: usize> Default for NearRow<D> {
    fn default() -> Self {
        Self { first_cell: 0, sides: [0; D] }
    }
}

impl<const D: usize> Grid<D> {
    /// The grid for `count` agents that perceive others within `radius` (0: none).
    #[must_use]
    pub fn new(world: &World, radius: f32, count: usize) -> Self {
        Self::over(components(world.size), world.boundary == Boundary::Wrap, radius, count)
    }

    /// The grid over a world of `size`.
    ///
    /// A cell is at least `radius` wide on every axis but the first; there `reach` cells together
    /// are: three rows of 1 + 2 · `reach` cells for each further axis hold all neighbours of an
    /// agent. A margin outweighs the rounding of [`Grid::cell_of`].
    #[must_use]
    pub fn over(size: [f32; D], wraps: bool, radius: f32, count: usize) -> Self {
        let size = size.map(f64::from);
        let volume: f64 = size.iter().product();
        let wanted_cells = (count as f64 * CELLS_PER_AGENT).clamp(1024.0, MAX_CELLS);
        let mut cell = f64::from(radius).max(root::<D>(volume / wanted_cells));
        let members = (0..D).fold(count as f64, |members, _| members * cell) / volume;
        let reach = if members < DENSE { 1 } else { 2 };
        let across = |length: f64, cell: f64| -> u32 {
            let cells = (length / cell).floor().max(1.0);
            // `x * cells_per_unit` is off by up to cells · 2⁻²³ cells; the margin is eight times that.
            (length / (cell * (1.0 + cells * 1e-6))).floor().clamp(1.0, 65_535.0) as u32
        };
        let cells_along = loop {
            let cells_along: [u32; D] = std::array::from_fn(|axis| {
                across(size[axis], if axis == 0 { cell / f64::from(reach) } else { cell })
            });
            let cells: f64 = cells_along.iter().map(|cells| f64::from(*cells)).product();
            let excess = cells / wanted_cells;
            if excess <= 1.0 {
                break cells_along;
            }
            // An axis that is thinner than a cell has one cell all the same, so the others must have fewer.
            cell *= root::<D>(excess).max(1.001);
        };
        let per_unit = |axis: usize| (f64::from(cells_along[axis]) / size[axis]) as f32;
        Self { cells_along, cells_per_unit: std::array::from_fn(per_unit), wraps, reach }
    }

    /// Number of cells in a row.
    #[inline(always)]
    #[must_use]
    pub fn columns(&self) -> u32 {
        self.cells_along[0]
    }

    /// Number of rows.
    #[inline(always)]
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.cells_along[1..].iter().product()
    }

    /// Number of slices: rows in a plane, layers of rows in a space.
    #[must_use]
    pub fn slices(&self) -> u32 {
        self.cells_along[D - 1]
    }

    /// Number of cells.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.cells_along.iter().map(|cells| *cells as usize).product()
    }

    /// True when there are so few cells along an axis that those around an agent reach round the
    /// world.
    #[must_use]
    pub fn is_narrow(&self) -> bool {
        self.columns() <= 2 * self.reach || self.cells_along[1..].iter().any(|cells| *cells < 3)
    }

    /// The indices along each axis of the cell that holds `p`. Positions outside belong to the
    /// nearest edge cell, NaNs to the first cell.
    #[inline(always)]
    #[must_use]
    pub fn cell_of(&self, p: impl Into<[f32; D]>) -> [u32; D] {
        let p = p.into();
        // `as` saturates and sends NaN to 0: no position can name a cell that does not exist.
        per_axis!(axis => {
            ((p[axis] * self.cells_per_unit[axis]) as u32).min(self.cells_along[axis] - 1)
        })
    }

    /// The number of the cell that holds `p`.
    #[inline(always)]
    #[must_use]
    pub fn key_of(&self, p: impl Into<[f32; D]>) -> u32 {
        self.number(self.cell_of(p))
    }

    /// The number of a cell.
    #[inline(always)]
    #[must_use]
    pub fn number(&self, cell: [u32; D]) -> u32 {
        let mut number = cell[D - 1];
        for axis in (0..D - 1).rev() {
            number = number * self.cells_along[axis] + cell[axis];
        }
        number
    }

    /// The indices along each axis of a cell.
    #[must_use]
    pub fn indices_of(&self, number: u32) -> [u32; D] {
        let mut rest = number;
        self.cells_along.map(|cells| {
            let index = rest % cells;
            rest /= cells;
            index
        })
    }

    /// Writes the keys of several positions to `keys`, as many as it has room for; the same keys as
    /// [`Grid::key_of`].
    #[inline(always)]
    pub fn keys_of<R: Real>(&self, p: Vector<R, D>, keys: &mut [u32]) {
        let all = per_axis!(axis => {
            indices(p.0[axis], self.cells_per_unit[axis], self.cells_along[axis] - 1)
        });
        let all = per_axis!(axis => all[axis].numbers());
        for (lane, key) in keys.iter_mut().enumerate().take(all[0].len()) {
            *key = self.number(per_axis!(axis => all[axis][lane].to_bits() - WHOLE.to_bits()));
        }
    }

    /// The rows that hold the neighbours of an agent in `row`. Both engines visit them in this
    /// order.
    pub fn rows_around(&self, row: u32) -> impl Iterator<Item = NearRow<D>> + use<D> {
        let grid = *self;
        (0..3_u32.pow(D as u32 - 1)).filter_map(move |nth| grid.row_around(row, nth))
    }

    /// The `nth` row round `row`: a digit of `nth` to the base 3 for each axis but the first.
    fn row_around(&self, row: u32, nth: u32) -> Option<NearRow<D>> {
        let (mut row, mut nth, mut stride) = (row, nth, self.columns());
        let mut near = NearRow::default();
        for (cells, side) in self.cells_along.iter().zip(&mut near.sides).skip(1) {
            let (index, across) = self.beside(row % cells, nth % 3, *cells)?;
            near.first_cell += index * stride;
            *side = across;
            row /= cells;
            nth /= 3;
            stride *= cells;
        }
        Some(near)
    }

    /// On an axis of `cells` cells: for `nth` = 0 the index before `index`, for 1 `index` itself,
    /// for 2 the index after it; and on which side of the seam that is.
    fn beside(&self, index: u32, nth: u32, cells: u32) -> Option<(u32, i32)> {
        if self.wraps && cells < 3 {
            return (nth < cells).then_some((nth, 0));
        }
        match (index + nth).checked_sub(1) {
            Some(beside) if beside < cells => Some((beside, 0)),
            _ if !self.wraps => None,
            Some(_) => Some((0, 1)),
            None => Some((cells - 1, -1)),
        }
    }

    /// The columns that hold the neighbours of an agent in `column`, as one or two runs in
    /// ascending order. There are two only if the neighbourhood crosses the seam.
    #[must_use]
    pub fn columns_around(&self, column: u32) -> (ColumnRun, Option<ColumnRun>) {
        let (reach, columns) = (self.reach, self.columns());
        let all = ColumnRun { first: 0, last: columns - 1, side: 0 };
        let first = column.saturating_sub(reach);
        let own = ColumnRun { first, last: (column + reach).min(all.last), side: 0 };
        if !self.wraps {
            (own, None)
        } else if columns <= 2 * reach {
            (all, None)
        } else if column < reach {
            (own, Some(ColumnRun { first: column + columns - reach, side: -1, ..all }))
        } else if column + reach > all.last {
            (ColumnRun { last: column + reach - columns, side: 1, ..all }, Some(own))
        } else {
            (own, None)
        }
    }

    /// The runs of cells that hold the neighbours of an agent in cell number `cell`. Both engines
    /// visit them in this order.
    pub fn runs_around(&self, cell: u32) -> impl Iterator<Item = CellRun<D>> + use<D> {
        let (row, column) = (cell / self.columns(), cell % self.columns());
        let (first, second) = self.columns_around(column);
        self.rows_around(row).flat_map(move |near| {
            [Some(first), second].into_iter().flatten().map(move |run| {
                let [first, last] = [run.first, run.last].map(|column| near.first_cell + column);
                let mut sides = near.sides;
                sides[0] = run.side;
                CellRun { first, last, sides }
            })
        })
    }
}

/// The side of a cube of `D` axes.
fn root<const D: usize>(volume: f64) -> f64 {
    match D {
        1 => volume,
        2 => volume.sqrt(),
        _ => volume.cbrt(),
    }
}
