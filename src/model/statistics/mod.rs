//! Figures of a flock: the order of its headings, its rotation, the distances between its agents.
//!
//! The order parameters follow the literature on collective motion (Vicsek and others, 1995, for
//! the polarisation; Couzin and others, 2002, for the rotation, which they call the group's angular
//! momentum). Sums are computed in `f64`, over parts of fixed size in a fixed order, so the figures
//! of a state do not depend on the number of threads.

mod cells;
mod circle;
mod histogram;
mod order;
mod sight;

use std::ops::Range;

use rayon::prelude::*;

use super::grid::Grid;
use super::scene::Scene;
use super::state::FlockState;
use super::vector::Point;
use super::world::with_axes;
use cells::{CellStarts, Cells};
pub use histogram::{Histogram, Histograms, figures_and_histograms};
use order::Order;
use sight::{PartSight, look};

/// Number of agents per task that finds neighbours, which is more work per agent.
const LOOKING_PART: usize = 512;

/// Flocks up to this size are summed by the calling thread, before other threads would have
/// started.
const SMALL: usize = 8192;

/// Names of the figures, in the order of [`Metrics::row`].
pub const COLUMNS: [&str; 10] = [
    "tick",
    "agents",
    "polarisation",
    "rotation",
    "angular_momentum",
    "mean_speed",
    "mean_neighbours",
    "nearest_neighbour_distance",
    "largest_cell",
    "sampled_agents",
];

/// Figures of a flock at one tick. No figure is ever NaN: an undefined one (an empty flock, the
/// nearest neighbour of a single agent, the heading of an agent at rest) is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Metrics {
    /// Ticks since the start of the run.
    pub tick: u64,
    /// Number of agents, N.
    pub agents: u64,
    /// `|Σ v/|v|| / N`: 1 if all headings are equal, near 0 if they cancel.
    pub polarisation: f64,
    /// `|Σ r × v/|v|| / N`, with r the unit vector from the centre of mass c to the agent: 1 if all
    /// agents circle around it in the same direction (milling), 0 if none does. In a wrapped world
    /// c is the circular mean of each coordinate, and r follows the shortest way. In space r × v and its
    /// sum are vectors.
    pub rotation: f64,
    /// `|Σ (p − c) × v| / Σ |p − c||v|`: the same, weighted by distance and speed.
    pub angular_momentum: f64,
    /// `Σ |v| / N`; world units per tick.
    pub mean_speed: f64,
    /// Mean number of other agents nearer than the scene's largest perception radius. Runs of grid
    /// cells longer than [`RUN_CAP`](super::grid::RUN_CAP) are counted by the engines' sample
    /// ([`Sampling`](super::grid::Sampling)): not exact, but of bounded cost; unbiased, and at most
    /// N − 1.
    pub mean_neighbours: f64,
    /// Mean distance to the nearest other agent; world units. In a cell of more than
    /// [`RUN_CAP`](super::grid::RUN_CAP) agents only a sample is examined, which gives an upper
    /// bound at bounded cost.
    pub nearest_neighbour_distance: f64,
    /// Number of agents in the fullest grid cell.
    pub largest_cell: u64,
    /// Number of agents with at least one run of cells so long that the engines sample it.
    pub sampled_agents: u64,
}

impl Metrics {
    /// Computes the figures of a state of `scene`.
    #[must_use]
    pub fn of(scene: &Scene, state: &FlockState) -> Self {
        let count = state.len();
        if count == 0 {
            return Self { tick: state.tick, ..Self::default() };
        }
        with_axes!(scene.world, AXES => {
            let cells = Cells::of(scene.grid::<AXES>(count), &scene.world, &state.position);
            Self::of_cells(scene, state, &cells)
        })
    }

    /// The same for at least one agent, when the agents are sorted already.
    fn of_cells<const D: usize>(scene: &Scene, state: &FlockState, cells: &Cells<D>) -> Self {
        let count = state.len();
        let per_agent = 1.0 / count as f64;
        let order = Order::of(&scene.world, state);
        let sight = look_around(cells, scene, state);
        Self {
            tick: state.tick,
            agents: count as u64,
            polarisation: order.headings * per_agent,
            rotation: order.rotation * per_agent,
            angular_momentum: order.angular_momentum,
            mean_speed: order.speeds * per_agent,
            mean_neighbours: (sight.near * per_agent).min((count - 1) as f64),
            nearest_neighbour_distance: sight.nearest * per_agent,
            largest_cell: cells.starts.largest(),
            sampled_agents: sight.sampled.len() as u64,
        }
    }

    /// The figures as text, in the order of [`COLUMNS`]; parsing gives the same bits.
    #[must_use]
    pub fn row(&self) -> [String; 10] {
        [
            self.tick.to_string(),
            self.agents.to_string(),
            self.polarisation.to_string(),
            self.rotation.to_string(),
            self.angular_momentum.to_string(),
            self.mean_speed.to_string(),
            self.mean_neighbours.to_string(),
            self.nearest_neighbour_distance.to_string(),
            self.largest_cell.to_string(),
            self.sampled_agents.to_string(),
        ]
    }
}

/// Only [`Metrics::sampled_agents`], for a flock of `count` agents at these positions in any order. If
/// other processes have the positions of the others, `sum` adds the numbers of all processes. Needs no
/// neighbours.
#[must_use]
pub fn sampled_agents(
    scene: &Scene,
    count: usize,
    positions: &[Point],
    sum: impl FnOnce(&mut [u64]),
) -> u64 {
    if scene.perception_radius() > 0.0 && count > 0 {
        with_axes!(scene.world, AXES => {
            CellStarts::of(scene.grid::<AXES>(count), positions, sum).sampled()
        })
    } else {
        0
    }
}

/// The results of `of` for consecutive parts of `size` agents, in order. Large flocks use several
/// threads.
fn parts<T: Send>(count: usize, size: usize, of: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let part = |number: usize| of(number * size..((number + 1) * size).min(count));
    let all = 0..count.div_ceil(size);
    if count <= SMALL { all.map(part).collect() } else { all.into_par_iter().map(part).collect() }
}

/// The neighbours of all agents.
fn look_around<const D: usize>(cells: &Cells<D>, scene: &Scene, state: &FlockState) -> PartSight {
    let count = state.len();
    let mut all = PartSight::default();
    if count < 2 {
        return all;
    }
    for part in parts(count, LOOKING_PART, |part| look(cells, part, scene, state.tick as u32)) {
        all.near += part.near;
        all.nearest += part.nearest;
        all.sampled.extend(part.sampled);
    }
    if !all.sampled.is_empty() {
        // A radius of 0 gives the smallest cells that the number of agents allows.
        let grid = Grid::<D>::new(&scene.world, 0.0, count);
        let small = Cells::of(grid, &scene.world, &state.position);
        let mut sampled = vec![false; count];
        all.sampled.iter().for_each(|row| sampled[*row as usize] = true);
        let nearest = |agent| if sampled[small.row(agent)] { small.nearest(agent) } else { 0.0 };
        let sums = parts(count, LOOKING_PART, |part| part.map(nearest).sum::<f64>());
        all.nearest += sums.into_iter().sum::<f64>();
    }
    all
}

#[cfg(test)]
mod tests;
