//! The uniform grid for neighbour search: geometry only, shared by both engines and the statistics.
//! `shaders/grid.wgsl` reads the same numbers from a uniform.

use super::random::{self, Use};
use super::real::Real;
use super::vector::{Point, Vector};
use super::world::{Boundary, World};

/// An agent looks at about this many members of a run that is [`LONG_RUN`] or longer. A power of
/// two spares the shader an integer division.
///
/// Three such samples bound the cost of an agent when a whole flock meets at a point.
pub const RUN_SAMPLE: u32 = 32;

/// Runs of this length or longer have the smallest sample; a power of two.
///
/// The stride in a shorter run is ⌈length² / ([`RUN_SAMPLE`] · `LONG_RUN`)⌉. It begins at 2, so
/// that the noise of sampling begins small. Noise weakens forces that use only the direction of a
/// sum, and separation more than cohesion: coarsely sampled flocks draw together until they are
/// crowds.
pub const LONG_RUN: u32 = 1024;

/// The longest run that an agent reads whole, 181: at this length the sample would be as long as
/// the run. Up to 170 neighbours are exact.
pub const RUN_CAP: u32 = (RUN_SAMPLE * LONG_RUN).isqrt();

/// At most this many cells per agent: a sparse world gets wider cells instead of more memory.
const CELLS_PER_AGENT: f64 = 4.0;

/// From this many agents of an even flock in a cell as wide as the radius, cells are half as wide:
/// an agent reads five half columns instead of three whole ones, a sixth less. With fewer agents
/// the additional cells cost as much as the shorter runs save.
const DENSE: f64 = 6.0;

/// Cells of equal size that cover the world, rows of cells one above the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Cells in a row.
    pub columns: u32,
    /// Rows.
    pub rows: u32,
    /// Cells per world unit, for each axis.
    pub cells_per_unit: Point,
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

/// A contiguous run of cells in one row: first and last column, both inclusive.
pub type ColumnRun = (u32, u32);

impl Grid {
    /// The grid for `count` agents that perceive others within `radius` (0: none).
    ///
    /// A cell is at least `radius` high, and `reach` cells together are at least `radius` wide:
    /// three rows of 1 + 2 · `reach` cells round an agent hold all its neighbours. A margin
    /// outweighs the rounding of [`Grid::cell_of`].
    #[must_use]
    pub fn new(world: &World, radius: f32, count: usize) -> Self {
        let (width, height) = (f64::from(world.size.x), f64::from(world.size.y));
        let wanted_cells = (count as f64 * CELLS_PER_AGENT).max(1024.0);
        let smallest = (width * height / wanted_cells).sqrt();
        let cell = f64::from(radius).max(smallest);
        let members = count as f64 * cell * cell / (width * height);
        let reach = if members < DENSE { 1 } else { 2 };
        let across = |length: f64, cell: f64| -> u32 {
            let cells = (length / cell).floor().max(1.0);
            // `x * cells_per_unit` is off by up to cells · 2⁻²³ cells; the margin is eight times that.
            (length / (cell * (1.0 + cells * 1e-6))).floor().clamp(1.0, 65_535.0) as u32
        };
        let columns = across(width, cell / f64::from(reach));
        let rows = across(height, cell);
        Self {
            columns,
            rows,
            cells_per_unit: Point::new(
                (f64::from(columns) / width) as f32,
                (f64::from(rows) / height) as f32,
            ),
            wraps: world.boundary == Boundary::Wrap,
            reach,
        }
    }

    /// Number of cells.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.columns as usize * self.rows as usize
    }

    /// Column and row of the cell that holds `p`. Positions outside belong to the nearest edge
    /// cell, NaNs to the first cell.
    #[inline]
    #[must_use]
    pub fn cell_of(&self, p: Point) -> (u32, u32) {
        let index = |x: f32, last: u32| -> u32 {
            // `as` saturates and sends NaN to 0: no position can name a cell that does not exist.
            (x as u32).min(last)
        };
        (
            index(p.x * self.cells_per_unit.x, self.columns - 1),
            index(p.y * self.cells_per_unit.y, self.rows - 1),
        )
    }

    /// The cell's number: row by row, from the bottom.
    #[inline]
    #[must_use]
    pub fn key_of(&self, p: Point) -> u32 {
        let (column, row) = self.cell_of(p);
        row * self.columns + column
    }

    /// Writes the keys of several positions to `keys`, as many as it has room for; the same keys as
    /// [`Grid::key_of`].
    #[inline(always)]
    pub fn keys_of<R: Real>(&self, p: Vector<R, 2>, keys: &mut [u32]) {
        let columns = indices(p.0[0], self.cells_per_unit.x, self.columns - 1);
        let rows = indices(p.0[1], self.cells_per_unit.y, self.rows - 1);
        for ((key, column), row) in keys.iter_mut().zip(columns.numbers()).zip(rows.numbers()) {
            let [column, row] = [column, row].map(|whole| whole.to_bits() - WHOLE.to_bits());
            *key = row * self.columns + column;
        }
    }

    /// The rows that hold the neighbours of an agent in `row`. Both engines visit them in this
    /// order.
    pub fn rows_around(&self, row: u32) -> impl Iterator<Item = u32> + use<> {
        let grid = *self;
        let around = if !grid.wraps {
            row.saturating_sub(1)..(row + 2).min(grid.rows)
        } else if grid.rows < 3 {
            0..grid.rows
        } else {
            row + grid.rows - 1..row + grid.rows + 2
        };
        around.map(move |r| r % grid.rows)
    }

    /// The columns that hold the neighbours of an agent in `column`, as one or two runs in
    /// ascending order. There are two only if the neighbourhood crosses the seam.
    #[must_use]
    pub fn columns_around(&self, column: u32) -> (ColumnRun, Option<ColumnRun>) {
        let (reach, last) = (self.reach, self.columns - 1);
        let (first, end) = (column.saturating_sub(reach), (column + reach).min(last));
        if !self.wraps {
            ((first, end), None)
        } else if self.columns <= 2 * reach {
            ((0, last), None)
        } else if column < reach {
            ((0, end), Some((column + self.columns - reach, last)))
        } else if column + reach > last {
            ((0, column + reach - self.columns), Some((first, last)))
        } else {
            ((first, end), None)
        }
    }
}

/// Which members of a long run an agent looks at: `phase`, `phase + stride`, … Each is weighted by
/// `stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// Offset of the first member looked at.
    pub phase: u32,
    /// Distance from one to the next; 1 if the run is read whole.
    pub stride: u32,
}

impl Sampling {
    /// Random bits for the phases of the agents in `cell` at `tick`.
    ///
    /// They depend on the cell and not on the agent: all agents of a cell look at the same members
    /// of a run, so a processor loads them once.
    #[inline]
    #[must_use]
    pub fn noise(seed: u32, cell: u32, tick: u32) -> u32 {
        random::bits(seed, cell, tick, Use::SamplePhase)
    }

    /// The sampling of a run of `length` agents.
    ///
    /// The phase is uniform, so the weighted sum over the sample is an unbiased estimate of the sum
    /// over the run.
    #[inline]
    #[must_use]
    pub fn of_run(length: u32, noise: u32) -> Self {
        let stride = if length <= RUN_CAP {
            1
        } else if length < LONG_RUN {
            (length * length).div_ceil(RUN_SAMPLE * LONG_RUN)
        } else {
            length.div_ceil(RUN_SAMPLE)
        };
        let phase = (random::unit_from(noise) * stride as f32) as u32;
        Self { phase: phase.min(stride - 1), stride }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid for a radius of 10, with `density` agents per square of 10 by 10.
    fn grid(width: f32, height: f32, boundary: Boundary, density: f32) -> Grid {
        let world = World { size: Point::new(width, height), boundary };
        Grid::new(&world, 10.0, (width * height * density / 100.0).ceil() as usize)
    }

    #[test]
    fn every_cell_around_is_visited_once() {
        for (boundary, density, reach) in [
            (Boundary::Wrap, 1.0, 1),
            (Boundary::Walls, 1.0, 1),
            (Boundary::Wrap, 9.0, 2),
            (Boundary::Walls, 9.0, 2),
        ] {
            for width in [5.0, 15.0, 25.0, 35.0, 105.0] {
                let grid = grid(width, 105.0, boundary, density);
                assert_eq!(grid.reach, reach);
                for column in 0..grid.columns {
                    let (first, second) = grid.columns_around(column);
                    let mut seen: Vec<u32> = (first.0..=first.1).collect();
                    seen.extend(second.iter().flat_map(|run| run.0..=run.1));
                    assert!(seen.is_sorted_by(|a, b| a < b), "{seen:?} repeats or descends");
                    for other in 0..grid.columns {
                        let apart = column.abs_diff(other);
                        let round = grid.columns - apart;
                        let near = apart <= reach || (grid.wraps && round <= reach);
                        assert_eq!(seen.contains(&other), near, "{column} and {other} of {grid:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn no_position_names_a_cell_that_does_not_exist() {
        let grid = grid(100.0, 50.0, Boundary::Open, 1.0);
        for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, 0.0, 99.9, 100.0, 1e30] {
            let (column, row) = grid.cell_of(Point::new(x, x));
            assert!(column < grid.columns && row < grid.rows, "{x}");
        }
    }

    #[test]
    fn keys_of_many_are_the_keys_of_each() {
        let check = |grid: &Grid, p: Point| {
            let mut key = [0];
            grid.keys_of(Vector(p.to_array()), &mut key);
            assert_eq!(key[0], grid.key_of(p), "{p} in {grid:?}");
        };
        let small = grid(100.0, 50.0, Boundary::Open, 1.0);
        let odd =
            [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, -1.0, 1e-40, 99.9, 100.0, 1e30];
        for (x, y) in odd.into_iter().flat_map(|x| odd.map(|y| (x, y))) {
            check(&small, Point::new(x, y));
        }
        let world = World { size: Point::new(655_350.0, 10.0), boundary: Boundary::Wrap };
        let wide = Grid::new(&world, 10.0, 1 << 20);
        assert!(wide.columns > 60_000);
        for cell in 0..wide.columns {
            // The edge of each cell, and the floats next to it.
            let edge = cell as f32 / wide.cells_per_unit.x;
            for x in [edge.next_down(), edge, edge.next_up(), edge + 5.0] {
                check(&wide, Point::new(x, 3.0));
            }
        }
    }

    #[test]
    fn what_is_out_of_reach_is_never_nearer_than_the_radius() {
        for width in [10.0_f32, 999.99, 1000.0, 123_456.0] {
            for density in [0.1, 1.0, 9.0] {
                let grid = grid(width, 10.0, Boundary::Wrap, density);
                let reach = grid.reach as f32 / grid.cells_per_unit.x;
                assert!(reach >= 10.0 || grid.columns == 1, "{width}");
                assert!(1.0 / grid.cells_per_unit.y >= 10.0 || grid.rows == 1, "{width}");
            }
        }
    }

    /// The sum over the sample that starts at `phase`, each member weighted by the stride.
    fn estimate(values: &[f64], stride: u32, phase: u32) -> f64 {
        let sample = values.iter().skip(phase as usize).step_by(stride as usize);
        sample.sum::<f64>() * f64::from(stride)
    }

    #[test]
    fn the_mean_over_all_phases_is_the_exact_sum() {
        for length in [300_u32, 500, 1000, 4096, 12_345] {
            let stride = Sampling::of_run(length, 0).stride;
            let values: Vec<f64> = (0..length).map(|i| f64::from(i * i % 97) - 20.0).collect();
            let exact: f64 = values.iter().sum();
            let estimates: Vec<f64> =
                (0..stride).map(|phase| estimate(&values, stride, phase)).collect();
            let mean = estimates.iter().sum::<f64>() / f64::from(stride);
            assert!((mean - exact).abs() < 1e-6 * exact.abs(), "{length}: {mean}, not {exact}");
            // The controls: always the same phase, and members not weighted by the stride.
            assert!((estimates[0] - exact).abs() > 1e-3 * exact.abs(), "{length}");
            assert!((mean / f64::from(stride) - exact).abs() > 0.5 * exact.abs(), "{length}");
        }
    }

    #[test]
    fn every_phase_is_drawn_as_often() {
        const TICKS: u32 = 16_000;
        let stride = Sampling::of_run(1000, 0).stride;
        let mut times = vec![0_u32; stride as usize];
        for tick in 0..TICKS {
            times[Sampling::of_run(1000, Sampling::noise(1, 3, tick)).phase as usize] += 1;
        }
        let mean = f64::from(TICKS) / f64::from(stride);
        // Five standard deviations of a binomial number: one phase in a million is outside.
        let off = 5.0 * mean.sqrt();
        assert!(times.iter().all(|n| (f64::from(*n) - mean).abs() < off), "{times:?}");
    }

    #[test]
    fn a_run_is_read_whole_or_by_a_sample_that_shrinks_with_its_length() {
        // By hand: 182² is more than 32 · 1,024, 512² is eight times that, 1,023² nearly 32 times.
        for (length, stride) in [
            (1, 1),
            (181, 1),
            (182, 2),
            (256, 2),
            (257, 3),
            (512, 8),
            (1023, 32),
            (1024, 32),
            (1025, 33),
            (200_000, 6250),
            (u32::MAX, 1 << 27),
        ] {
            let sampling = Sampling::of_run(length, Sampling::noise(1, 3, 5));
            assert_eq!(sampling.stride, stride, "{length}");
            assert!(sampling.phase < stride, "{length}");
        }
        let strides = (1..5000).map(|length| Sampling::of_run(length, 0).stride);
        assert!(strides.is_sorted(), "a longer run has a shorter stride");
    }
}
