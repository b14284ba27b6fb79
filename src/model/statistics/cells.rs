//! The number of agents in each cell, and their positions sorted by cell, for the statistics.

use std::iter::StepBy;
use std::ops::Range;

use super::super::grid::{Grid, MAX_WHOLE_RUN, Sampling};
use super::super::scene::Scene;
use super::super::state::FlockState;
use super::super::vector::{Point, components};
use super::super::world::World;
use super::{SMALL, parts};
use crate::parallel::in_parts;

/// Number of values that a load may read beyond the last agent: the lanes of the widest instruction
/// set.
pub const PADDING: usize = 16;

/// The cell of each agent.
fn keys(positions: &[Point], key: impl Fn(Point) -> u32 + Sync) -> Vec<u32> {
    let mut keys = vec![0; positions.len()];
    in_parts(&mut keys, &|first, part| {
        for (own, place) in part.iter_mut().zip(&positions[first..]) {
            *own = key(*place);
        }
    });
    keys
}

/// The first agent of each cell.
pub struct CellStarts<const D: usize> {
    pub grid: Grid<D>,
    /// Index of the first agent of each cell, in the order of the cells; the number of agents at
    /// the end.
    start: Vec<u32>,
}

impl<const D: usize> CellStarts<D> {
    /// Of agents at `positions`, and of those whose numbers in each cell `sum` adds.
    pub fn of(grid: Grid<D>, positions: &[Point], sum: impl FnOnce(&mut [u64])) -> Self {
        let mut members = vec![0; grid.cells()];
        for cell in keys(positions, |p| grid.key_of(components(p))) {
            members[cell as usize] += 1;
        }
        sum(&mut members);
        Self::ending(grid, [0].into_iter().chain(members.iter().map(|n| *n as u32)).collect())
    }

    /// Counts the agents by their cells.
    fn of_keys(grid: Grid<D>, key: &[u32]) -> Self {
        let mut start = vec![0_u32; grid.cells() + 1];
        for cell in key {
            start[*cell as usize + 1] += 1;
        }
        Self::ending(grid, start)
    }

    /// From the number of agents in each cell, behind a 0.
    fn ending(grid: Grid<D>, mut start: Vec<u32>) -> Self {
        for cell in 0..grid.cells() {
            start[cell + 1] += start[cell];
        }
        Self { grid, start }
    }

    pub fn largest(&self) -> u64 {
        self.start.windows(2).map(|pair| u64::from(pair[1] - pair[0])).max().unwrap_or(0)
    }

    /// Number of agents with a run around them that is so long that engines sample it.
    pub fn crowded(&self) -> u64 {
        let members = |cell: u32| self.agents(cell, cell).len() as u64;
        let has_long_run = |cell: u32| {
            let mut runs = self.grid.runs_around(cell);
            runs.any(|run| self.agents(run.first, run.last).len() > MAX_WHOLE_RUN as usize)
        };
        let of_cell =
            |cell: u32| if members(cell) > 0 && has_long_run(cell) { members(cell) } else { 0 };
        let of_part = |cells: Range<usize>| cells.map(|cell| of_cell(cell as u32)).sum::<u64>();
        parts(self.grid.cells(), SMALL, of_part).into_iter().sum()
    }

    /// The agents in the cells from `first` to `last`.
    #[inline(always)]
    pub fn agents(&self, first: u32, last: u32) -> Range<usize> {
        self.start[first as usize] as usize..self.start[last as usize + 1] as usize
    }
}

/// Positions sorted by cell. In a wrapped world all of them lie inside it.
pub struct Cells<const D: usize> {
    pub starts: CellStarts<D>,
    /// By axis; world units. Positions that a load reads beyond the last agent are infinitely far away.
    pub position: [Vec<f32>; D],
    /// The cell of each agent.
    pub cell: Vec<u32>,
    /// Of the world, by axis; world units.
    pub size: [f32; D],
    /// The row of each agent in the state.
    row: Vec<u32>,
}

impl<const D: usize> Cells<D> {
    /// In the grid of the engines.
    pub fn of(scene: &Scene, state: &FlockState) -> Self {
        Self::in_grid(scene.grid(state.len()), &scene.world, &state.position)
    }

    pub fn in_grid(grid: Grid<D>, world: &World, positions: &[Point]) -> Self {
        let size: [f32; D] = components(world.size);
        let inside = |p: Point| -> [f32; D] {
            let mut p = components(p);
            for (p, size) in p.iter_mut().zip(size) {
                if grid.wraps && (*p < 0.0 || *p >= size) {
                    *p = p.rem_euclid(size);
                }
            }
            p
        };
        let key = keys(positions, |p| grid.key_of(inside(p)));
        let starts = CellStarts::of_keys(grid, &key);
        let mut cursor = starts.start.clone();
        let count = positions.len();
        let (mut cell, mut row) = (vec![0; count], vec![0; count]);
        let mut position = [const { Vec::new() }; D];
        position.fill(vec![f32::INFINITY; count + PADDING]);
        for (number, (p, key)) in positions.iter().zip(key).enumerate() {
            let slot = &mut cursor[key as usize];
            let place = *slot as usize;
            *slot += 1;
            (cell[place], row[place]) = (key, number as u32);
            for (numbers, p) in position.iter_mut().zip(inside(*p)) {
                numbers[place] = p;
            }
        }
        Self { starts, position, cell, size, row }
    }

    /// Shortest squared distance of two agents, exact except for rounding in `f64`.
    #[inline(always)]
    pub fn distance_squared(&self, a: usize, b: usize) -> f64 {
        let along = |from: f32, to: f32, length: f32| {
            let straight = (f64::from(to) - f64::from(from)).abs();
            let round = f64::from(length) - straight;
            if self.starts.grid.wraps && round < straight { round } else { straight }
        };
        let axes = self.position.iter().zip(self.size);
        let squares = axes.map(|(p, size)| {
            let way = along(p[a], p[b], size);
            way * way
        });
        squares.sum()
    }

    /// The runs of agents around a cell as the engines read them, each with its stride: those longer than `cap` are
    /// sampled.
    pub fn runs_as_read(
        &self,
        cell: u32,
        cap: u32,
        (seed, tick): (u32, u32),
    ) -> impl Iterator<Item = (StepBy<Range<usize>>, u32)> {
        let noise = Sampling::noise(seed, cell, tick);
        self.starts.grid.runs_around(cell).map(move |run| {
            let agents = self.starts.agents(run.first, run.last);
            let Sampling { phase, stride } = Sampling::of_run(agents.len() as u32, cap, noise);
            let read = agents.start + phase as usize..agents.end;
            (read.step_by(stride as usize), stride)
        })
    }

    /// The row of an agent in the state.
    #[inline(always)]
    pub fn row(&self, agent: usize) -> usize {
        self.row[agent] as usize
    }

    /// Distance from one agent to the nearest other one. Searches square rings of cells around its
    /// own.
    pub fn nearest(&self, agent: usize) -> f64 {
        let Grid { cells_along, cells_per_unit, wraps, .. } = self.starts.grid;
        let own = self.starts.grid.indices_of(self.cell[agent]).map(i64::from);
        // How far there are cells on each axis, and how wide they are.
        let limits = cells_along.map(|cells| i64::from(if wraps { cells / 2 } else { cells - 1 }));
        let sides = cells_per_unit.map(|cells| f64::from(cells).recip());
        let mut best = f64::INFINITY;
        for ring in 0..=limits.into_iter().fold(0, i64::max) {
            // Agents in the remaining cells are at least this far away, on each axis that has more
            // cells.
            let whole = ring - 1;
            let open = (0..D).filter(|axis| whole < limits[*axis]);
            let reached = open.map(|axis| whole.max(0) as f64 * sides[axis]);
            let reached = reached.fold(f64::INFINITY, f64::min);
            if best <= reached * reached {
                break;
            }
            let across = limits.map(|limit| limit.min(ring));
            let rows = across[1..].iter().map(|across| 2 * across + 1).product();
            for nth in 0..rows {
                let mut row = own;
                let (mut rest, mut outermost) = (nth, false);
                for axis in 1..D {
                    let width = 2 * across[axis] + 1;
                    let offset = rest % width - across[axis];
                    outermost |= offset.abs() == ring;
                    row[axis] += offset;
                    rest /= width;
                }
                let mut look = |along: i64| {
                    row[0] = own[0] + along;
                    let index = |axis: usize| on_axis(row[axis], cells_along[axis], wraps);
                    let inside = (0..D).all(|axis| index(axis).is_some());
                    if inside {
                        let cell = std::array::from_fn(|axis| index(axis).unwrap_or(0));
                        self.nearest_in(self.starts.grid.number(cell), agent, &mut best);
                    }
                };
                if outermost {
                    (-across[0]..=across[0]).for_each(look);
                } else if across[0] == ring {
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
        let stride = agents.len().div_ceil(MAX_WHOLE_RUN as usize).max(1);
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
