//! Who is near whom: how many stand in each cell, and the positions sorted by cell, for the
//! statistics.

use std::ops::Range;

use rayon::prelude::*;

use super::super::grid::{Grid, RUN_CAP, Sampling};
use super::super::scene::Scene;
use super::super::vector::Point;
use super::super::world::{Boundary, World};

/// The way from `from` to `to`, the shortest one in a wrapped world.
pub fn way(world: &World, from: glam::DVec2, to: glam::DVec2) -> glam::DVec2 {
    let difference = to - from;
    if world.boundary != Boundary::Wrap {
        return difference;
    }
    let size = world.size.as_dvec2();
    difference - size * (difference / size).round()
}

/// How many agents stand in each cell.
pub struct Census {
    grid: Grid,
    /// Where each cell begins, were the agents sorted by cell.
    start: Vec<u32>,
}

impl Census {
    pub fn of(grid: Grid, positions: &[Point]) -> Self {
        let key: Vec<u32> = positions.par_iter().map(|p| grid.key_of(*p)).collect();
        Self::of_keys(grid, &key)
    }

    /// From the cell of each agent.
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

    /// How many agents stand where one of the runs round them is so long that the engines sample it.
    pub fn sampled(&self) -> u64 {
        let in_row = |row: u32| -> u64 {
            let base = row * self.grid.columns;
            let crowded = |column: u32| {
                let (first, second) = self.grid.columns_around(column);
                self.grid.rows_around(row).into_iter().any(|row| {
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

    /// Agents in the cells from `first` to `last`.
    fn agents(&self, first: u32, last: u32) -> Range<usize> {
        self.start[first as usize] as usize..self.start[last as usize + 1] as usize
    }
}

/// Positions sorted by cell.
pub struct Cells {
    pub census: Census,
    world: World,
    position: Vec<Point>,
}

impl Cells {
    pub fn of(grid: Grid, world: &World, positions: &[Point]) -> Self {
        let key: Vec<u32> = positions.par_iter().map(|p| grid.key_of(*p)).collect();
        let census = Census::of_keys(grid, &key);
        let mut cursor = census.start.clone();
        let mut position = vec![Point::ZERO; positions.len()];
        for (p, cell) in positions.iter().zip(key) {
            let slot = &mut cursor[cell as usize];
            position[*slot as usize] = *p;
            *slot += 1;
        }
        Self { census, world: *world, position }
    }

    fn distance_squared(&self, a: usize, b: usize) -> f64 {
        way(&self.world, self.position[a].as_dvec2(), self.position[b].as_dvec2()).length_squared()
    }

    /// How many agents are near one, and 1 if they were sampled.
    pub fn neighbours(&self, agent: usize, scene: &Scene, tick: u32) -> [f64; 4] {
        let radius = f64::from(scene.hearing_radius());
        let grid = &self.census.grid;
        let (column, row) = grid.cell_of(self.position[agent]);
        let draw = Sampling::draw(scene.seed, row * grid.columns + column, tick);
        let (first, second) = grid.columns_around(column);
        let (mut near, mut sampled) = (0.0, 0.0);
        for row in grid.rows_around(row) {
            for run in [Some(first), second].into_iter().flatten() {
                let base = row * grid.columns;
                let agents = self.census.agents(base + run.0, base + run.1);
                let length = agents.len() as u32;
                let sampling = Sampling::of_run(length, draw);
                if length > RUN_CAP {
                    sampled = 1.0;
                }
                let members = agents.start + sampling.phase as usize..agents.end;
                for other in members.step_by(sampling.stride as usize) {
                    let close = self.distance_squared(agent, other) < radius * radius;
                    if other != agent && close {
                        near += f64::from(sampling.stride);
                    }
                }
            }
        }
        [near, sampled, 0.0, 0.0]
    }

    /// Distance from one agent to the nearest other one, by square rings of cells round its own.
    pub fn nearest(&self, agent: usize) -> f64 {
        let Grid { columns, rows, cells_per_unit, wraps, .. } = self.census.grid;
        let (column, row) = self.census.grid.cell_of(self.position[agent]);
        // How far there are cells on each axis, and how wide they are.
        let limit = |count: u32| i64::from(if wraps { count / 2 } else { count - 1 });
        let limits = [limit(columns), limit(rows)];
        let sides = cells_per_unit.as_dvec2().to_array().map(f64::recip);
        let mut best = f64::INFINITY;
        for ring in 0..=limits[0].max(limits[1]) {
            // Whoever has not been looked at is at least so far away, on an axis that goes on.
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

    /// Lowers `best`, a squared distance, to that of the nearest agent in a cell.
    fn nearest_in(&self, cell: u32, agent: usize, best: &mut f64) {
        let agents = self.census.agents(cell, cell);
        let stride = agents.len().div_ceil(RUN_CAP as usize).max(1);
        // Beside the sample, the agent's own neighbours in the array: without them the only other
        // agent in reach might be passed over.
        let beside = agent.saturating_sub(1)..agent + 2;
        let beside = beside.filter(|other| agents.contains(other));
        for other in agents.clone().step_by(stride).chain(beside) {
            if *best > 0.0 && other != agent {
                *best = best.min(self.distance_squared(agent, other));
            }
        }
    }
}

/// The index of a cell on an axis of `count` cells, round the seam of a wrapped world.
fn on_axis(index: i64, count: u32, wraps: bool) -> Option<u32> {
    let count = i64::from(count);
    let inside = if wraps { index.rem_euclid(count) } else { index };
    (0..count).contains(&inside).then_some(inside as u32)
}
