//! The number of agents in each cell, and their positions sorted by cell, for the statistics.

use std::ops::Range;

use rayon::prelude::*;

use super::super::grid::{Grid, RUN_CAP};
use super::super::vector::Point;
use super::super::world::World;
use super::SMALL;

/// Number of values that a load may read beyond the last agent: the lanes of the widest instruction
/// set.
pub const PADDING: usize = 16;

/// The cell of each agent. Only large flocks use several threads.
fn keys(positions: &[Point], key: impl Fn(Point) -> u32 + Sync) -> Vec<u32> {
    if positions.len() <= SMALL {
        return positions.iter().map(|p| key(*p)).collect();
    }
    positions.par_iter().map(|p| key(*p)).collect()
}

/// The first agent of each cell.
pub struct CellStarts {
    pub grid: Grid,
    /// Index of the first agent of each cell, in the order of the cells; the number of agents at
    /// the end.
    start: Vec<u32>,
}

impl CellStarts {
    pub fn of(grid: Grid, positions: &[Point]) -> Self {
        Self::of_keys(grid, &keys(positions, |p| grid.key_of(p)))
    }

    /// Counts the agents by their cells.
    fn of_keys(grid: Grid, key: &[u32]) -> Self {
        let mut start = vec![0_u32; grid.cells() + 1];
        for cell in key {
            start[*cell as usize + 1] += 1;
        }
        for cell in 0..grid.cells() {
            start[cell + 1] += start[cell];
        }
        Self { grid, start }
    }

    pub fn largest(&self) -> u64 {
        self.start.windows(2).map(|pair| u64::from(pair[1] - pair[0])).max().unwrap_or(0)
    }

    /// Number of agents with a run around them that is so long that the engines sample it.
    pub fn sampled(&self) -> u64 {
        let in_row = |row: u32| -> u64 {
            let base = row * self.grid.columns;
            let crowded = |column: u32| {
                let (first, second) = self.grid.columns_around(column);
                self.grid.rows_around(row).any(|row| {
                    let base = row * self.grid.columns;
                    let runs = [Some(first), second].into_iter().flatten();
                    let mut lengths = runs.map(|run| self.agents(base + run.0, base + run.1).len());
                    lengths.any(|length| length > RUN_CAP as usize)
                })
            };
            let members = |column: u32| self.agents(base + column, base + column).len() as u64;
            let occupied = (0..self.grid.columns).filter(|column| members(*column) > 0);
            occupied.filter(|column| crowded(*column)).map(members).sum()
        };
        (0..self.grid.rows).into_par_iter().map(in_row).sum()
    }

    /// The agents in the cells from `first` to `last`.
    #[inline(always)]
    pub fn agents(&self, first: u32, last: u32) -> Range<usize> {
        self.start[first as usize] as usize..self.start[last as usize + 1] as usize
    }
}

/// Positions sorted by cell. In a wrapped world all of them lie inside it.
pub struct Cells {
    pub starts: CellStarts,
    /// World units; padded at the end with positions infinitely far away.
    pub x: Vec<f32>,
    /// World units; padded likewise.
    pub y: Vec<f32>,
    /// The cell of each agent.
    pub cell: Vec<u32>,
    /// Width and height of the world.
    pub size: Point,
    /// The row of each agent in the state.
    row: Vec<u32>,
}

impl Cells {
    pub fn of(grid: Grid, world: &World, positions: &[Point]) -> Self {
        let size = world.size;
        let inside = |p: Point| {
            let outside = p.cmplt(Point::ZERO).any() || p.cmpge(size).any();
            if grid.wraps && outside { p.rem_euclid(size) } else { p }
        };
        let key = keys(positions, |p| grid.key_of(inside(p)));
        let starts = CellStarts::of_keys(grid, &key);
        let mut cursor = starts.start.clone();
        let count = positions.len();
        let (mut cell, mut row) = (vec![0; count], vec![0; count]);
        let mut x = vec![f32::INFINITY; count + PADDING];
        let mut y = x.clone();
        for (number, (p, key)) in positions.iter().zip(key).enumerate() {
            let slot = &mut cursor[key as usize];
            let place = *slot as usize;
            *slot += 1;
            let p = inside(*p);
            (cell[place], row[place], x[place], y[place]) = (key, number as u32, p.x, p.y);
        }
        Self { starts, x, y, cell, size, row }
    }

    /// Shortest squared distance of two agents, exact except for rounding in `f64`.
    #[inline(always)]
    pub fn distance_squared(&self, a: usize, b: usize) -> f64 {
        let along = |from: f32, to: f32, length: f32| {
            let straight = (f64::from(to) - f64::from(from)).abs();
            let round = f64::from(length) - straight;
            if self.starts.grid.wraps && round < straight { round } else { straight }
        };
        let x = along(self.x[a], self.x[b], self.size.x);
        let y = along(self.y[a], self.y[b], self.size.y);
        x * x + y * y
    }

    /// The row of an agent in the state.
    #[inline(always)]
    pub fn row(&self, agent: usize) -> usize {
        self.row[agent] as usize
    }

    /// Distance from one agent to the nearest other one. Searches square rings of cells around its
    /// own.
    pub fn nearest(&self, agent: usize) -> f64 {
        let Grid { columns, rows, cells_per_unit, wraps, .. } = self.starts.grid;
        let (column, row) = (self.cell[agent] % columns, self.cell[agent] / columns);
        // How far cells extend on each axis, and their widths.
        let limit = |count: u32| i64::from(if wraps { count / 2 } else { count - 1 });
        let limits = [limit(columns), limit(rows)];
        let sides = cells_per_unit.as_dvec2().to_array().map(f64::recip);
        let mut best = f64::INFINITY;
        for ring in 0..=limits[0].max(limits[1]) {
            // Agents in the remaining cells are at least this far away, on each axis that has more
            // cells.
            let whole = ring - 1;
            let open = (0..2).filter(|axis| whole < limits[*axis]);
            let reached = open.map(|axis| whole.max(0) as f64 * sides[axis]);
            let reached = reached.fold(f64::INFINITY, f64::min);
            if best <= reached * reached {
                break;
            }
            let [across, up] = limits.map(|limit| limit.min(ring));
            for dy in -up..=up {
                let Some(y) = on_axis(i64::from(row) + dy, rows, wraps) else { continue };
                let mut look = |dx: i64| {
                    if let Some(x) = on_axis(i64::from(column) + dx, columns, wraps) {
                        self.nearest_in(y * columns + x, agent, &mut best);
                    }
                };
                if dy.abs() == ring {
                    (-across..=across).for_each(look);
                } else if across == ring {
                    look(-ring);
                    look(ring);
                }
            }
        }
        if best.is_finite() { best.sqrt() } else { 0.0 }
    }

    /// Lowers `best`, a squared distance, if an agent in the cell is nearer.
    fn nearest_in(&self, cell: u32, agent: usize, best: &mut f64) {
        let agents = self.starts.agents(cell, cell);
        let stride = agents.len().div_ceil(RUN_CAP as usize).max(1);
        // Also compare with the agent's own neighbours in the array: the sample might miss the only
        // other agent within reach.
        let beside = agent.saturating_sub(1)..agent + 2;
        let beside = beside.filter(|other| agents.contains(other));
        for other in agents.clone().step_by(stride).chain(beside) {
            if *best > 0.0 && other != agent {
                *best = best.min(self.distance_squared(agent, other));
            }
        }
    }
}

/// The index of a cell on an axis of `count` cells; across the seam if the world wraps.
fn on_axis(index: i64, count: u32, wraps: bool) -> Option<u32> {
    let count = i64::from(count);
    let inside = if wraps { index.rem_euclid(count) } else { index };
    (0..count).contains(&inside).then_some(inside as u32)
}
