//! Who is near whom: how many stand in each cell, and the positions sorted by cell, for the
//! statistics.

use std::ops::Range;

use pulp::{Simd, WithSimd};
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

/// Distances that are taken at once: two registers of AVX-512. (Of loops over eight the compiler
/// makes single instructions, at three times the cost.)
const LANES: usize = 16;

/// What one agent sees around it.
#[derive(Clone, Copy, Debug)]
struct Sight {
    /// Agents near it.
    near: f64,
    /// Squared distance to the nearest of those that were looked at; infinite where there are none.
    nearest: f64,
}

/// What the agents of a part see around them.
#[derive(Debug, Default)]
pub struct PartSight {
    /// Neighbours of all of them.
    pub near: f64,
    /// Distances to the nearest other agent, of those that look at all.
    pub nearest: f64,
    /// Rows of the others, which look at samples and may pass the nearest over.
    pub sampled: Vec<u32>,
}

/// What a part's agents look with: no closure, which the compiler would leave on the instructions that
/// every processor has.
struct Looking<'a> {
    cells: &'a Cells,
    part: Range<usize>,
    scene: &'a Scene,
    tick: u32,
}

impl WithSimd for Looking<'_> {
    type Output = PartSight;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> PartSight {
        self.cells.look_all(self.part, self.scene, self.tick)
    }
}

/// Positions sorted by cell. In a wrapped world all of them lie inside it.
pub struct Cells {
    pub census: Census,
    /// After which way each axis begins anew; infinite where the world does not wrap.
    period: [f64; 2],
    /// The cell of each agent.
    cell: Vec<u32>,
    /// The row of each agent in the state.
    row: Vec<u32>,
    /// With room for one load beyond the last agent.
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Cells {
    pub fn of(grid: Grid, world: &World, positions: &[Point]) -> Self {
        let key: Vec<u32> = positions.par_iter().map(|p| grid.key_of(*p)).collect();
        let census = Census::of_keys(grid, &key);
        let mut cursor = census.start.clone();
        let count = positions.len();
        let (mut cell, mut row) = (vec![0; count], vec![0; count]);
        let (mut x, mut y) = (vec![0.0; count + LANES], vec![0.0; count + LANES]);
        let size = world.size.as_dvec2();
        let wraps = world.boundary == Boundary::Wrap;
        for (number, (p, key)) in positions.iter().zip(key).enumerate() {
            let slot = &mut cursor[key as usize];
            let place = *slot as usize;
            *slot += 1;
            let p = p.as_dvec2();
            let outside = p.cmplt(glam::DVec2::ZERO).any() || p.cmpge(size).any();
            let p = if wraps && outside { p.rem_euclid(size) } else { p };
            (cell[place], row[place], x[place], y[place]) = (key, number as u32, p.x, p.y);
        }
        let period = if wraps { size.to_array() } else { [f64::INFINITY; 2] };
        Self { census, period, cell, row, x, y }
    }

    /// The shortest way along an axis, given any.
    #[inline(always)]
    fn shortest(difference: f64, period: f64) -> f64 {
        let one = difference.abs();
        let round = period - one;
        // Not `min`, which would look for NaN.
        if round < one { round } else { one }
    }

    #[inline(always)]
    fn distance_squared(&self, a: usize, b: usize) -> f64 {
        let x = Self::shortest(self.x[a] - self.x[b], self.period[0]);
        let y = Self::shortest(self.y[a] - self.y[b], self.period[1]);
        x * x + y * y
    }

    /// What the agents of `part` see, who stand next to one another in the sorted order: their
    /// neighbours within the scene's largest radius, as the engines see them, and the nearest agent.
    pub fn look(&self, part: Range<usize>, scene: &Scene, tick: u32) -> PartSight {
        // The same operations on any instruction set, and sums whose order does not matter.
        pulp::Arch::new().dispatch(Looking { cells: self, part, scene, tick })
    }

    #[inline(always)]
    fn look_all(&self, part: Range<usize>, scene: &Scene, tick: u32) -> PartSight {
        let radius = f64::from(scene.perception_radius());
        let limit = radius * radius;
        let grid = &self.census.grid;
        let mut seen = PartSight::default();
        let mut runs = Vec::with_capacity(6);
        let mut next = part.start;
        while next < part.end {
            let cell = self.cell[next];
            let end = part.end.min(self.census.agents(cell, cell).end);
            runs.clear();
            let (first, second) = grid.columns_around(cell % grid.columns);
            for base in grid.rows_around(cell / grid.columns).map(|row| row * grid.columns) {
                let columns = [Some(first), second].into_iter().flatten();
                runs.extend(columns.map(|run| self.census.agents(base + run.0, base + run.1)));
            }
            let samples = limit > 0.0 && runs.iter().any(|run| run.len() > RUN_CAP as usize);
            let noise = Sampling::noise(scene.seed, cell, tick);
            for agent in next..end {
                if samples {
                    seen.near += self.sample(agent, &runs, limit, noise);
                    seen.sampled.push(self.row[agent]);
                    continue;
                }
                let sight = self.look_from(agent, &runs, limit);
                seen.near += sight.near;
                seen.nearest += if sight.nearest <= limit {
                    // Nobody so near stands beyond the runs.
                    sight.nearest.sqrt()
                } else {
                    self.nearest(agent)
                };
            }
            next = end;
        }
        seen
    }

    /// What an agent sees that looks at all of `runs`.
    #[inline(always)]
    fn look_from(&self, agent: usize, runs: &[Range<usize>], limit: f64) -> Sight {
        let (mut near, mut nearest) = ([0.0; LANES], [f64::INFINITY; LANES]);
        for run in runs {
            // The agent itself is in one of them.
            let before = run.start..agent.clamp(run.start, run.end);
            let after = (agent + 1).clamp(run.start, run.end)..run.end;
            let parts = if run.contains(&agent) { [before, after] } else { [run.clone(), 0..0] };
            for part in parts {
                self.look_at(agent, part, limit, &mut near, &mut nearest);
            }
        }
        let nearest = nearest.into_iter().fold(f64::INFINITY, f64::min);
        Sight { near: near.iter().sum(), nearest }
    }

    #[inline(always)]
    fn look_at(
        &self,
        agent: usize,
        others: Range<usize>,
        limit: f64,
        near: &mut [f64; LANES],
        nearest: &mut [f64; LANES],
    ) {
        let (x, y, [width, height]) = (self.x[agent], self.y[agent], self.period);
        for first in others.clone().step_by(LANES) {
            let left = (others.end - first) as i64;
            let (xs, ys) = (&self.x[first..first + LANES], &self.y[first..first + LANES]);
            for lane in 0..LANES {
                let across = Self::shortest(xs[lane] - x, width);
                let up = Self::shortest(ys[lane] - y, height);
                let squared = across * across + up * up;
                // Whoever is beyond the run is nowhere.
                let squared = if (lane as i64) < left { squared } else { f64::INFINITY };
                near[lane] += if squared < limit { 1.0 } else { 0.0 };
                nearest[lane] = if squared < nearest[lane] { squared } else { nearest[lane] };
            }
        }
    }

    /// The neighbours of an agent that looks at samples of `runs`, as the engines do.
    fn sample(&self, agent: usize, runs: &[Range<usize>], limit: f64, noise: u32) -> f64 {
        let mut near = 0.0;
        for run in runs {
            let sampling = Sampling::of_run(run.len() as u32, noise);
            let members = run.start + sampling.phase as usize..run.end;
            for other in members.step_by(sampling.stride as usize) {
                if other != agent && self.distance_squared(agent, other) < limit {
                    near += f64::from(sampling.stride);
                }
            }
        }
        near
    }

    /// The row of an agent.
    pub fn row(&self, agent: usize) -> usize {
        self.row[agent] as usize
    }

    /// Distance from one agent to the nearest other one, by square rings of cells round its own.
    pub fn nearest(&self, agent: usize) -> f64 {
        let Grid { columns, rows, cells_per_unit, wraps, .. } = self.census.grid;
        let (column, row) = (self.cell[agent] % columns, self.cell[agent] / columns);
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
