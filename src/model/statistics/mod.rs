//! Metrics of a flock: the order of its headings, its rotation, the distances between its agents.
//!
//! The order parameters follow the literature on collective motion (Vicsek and others, 1995, for
//! the polarisation; Couzin and others, 2002, for the rotation, which they call the group's angular
//! momentum). Sums are computed in `f64`, over parts of fixed size in a fixed order, so the metrics
//! of a state do not depend on the number of threads.

mod cells;
mod circle;
mod clusters;
#[cfg(test)]
mod clusters_tests;
mod fewer;
mod histogram;
mod metric;
mod order;
mod sight;
mod time_average;

use std::ops::Range;

use rayon::prelude::*;

use super::grid::Grid;
use super::scene::Scene;
use super::state::FlockState;
use super::vector::Point;
use super::world::with_axes;
use cells::{CellStarts, Cells};
use clusters::Clusters;
use fewer::found_fewer;
pub use histogram::{Histogram, Histograms, figures_and_histograms};
use metric::metrics;
pub use metric::{Axis, Metric};
use order::Order;
use sight::{PartSight, look};
pub use time_average::{BATCH, TimeAverage, settled};

/// Number of agents per task that finds neighbours, which is more work per agent.
const LOOKING_PART: usize = 512;

/// Bytes per agent and per cell while metrics are computed: two sorted copies of the positions.
pub const BYTES: [u64; 2] = [60, 4];

/// Flocks up to this size are summed by the calling thread, before other threads would have
/// started.
const SMALL: usize = 8192;

/// The results from which the metrics of a flock with at least one agent come.
struct Sums {
    tick: u64,
    agents: u64,
    order: Order,
    sight: PartSight,
    found_fewer: u64,
    largest_cell: u64,
    clusters: Clusters,
}

impl Sums {
    fn of<const D: usize>(scene: &Scene, state: &FlockState, cells: &Cells<D>) -> Self {
        Self {
            tick: state.tick,
            agents: state.len() as u64,
            order: Order::of(&scene.world, state),
            sight: look_around(cells, scene, state),
            found_fewer: found_fewer(cells, scene, state),
            largest_cell: cells.starts.largest(),
            clusters: Clusters::of(cells, scene.perception_radius()),
        }
    }

    /// The mean of a sum over all agents.
    fn mean(&self, sum: f64) -> f64 {
        sum * (1.0 / self.agents as f64)
    }
}

metrics! {
    /// Metrics of a flock at one tick. No metric is ever NaN: an undefined one (an empty flock, the
    /// nearest neighbour of a single agent, the heading of an agent at rest) is 0.
    Metrics of Sums {
        /// Since the start.
        tick: u64 => "", "ticks", Axis::None, |sums| sums.tick;
        /// Number of agents.
        agents: u64 => "N", "–", Axis::None, |sums| sums.agents;
        /// 1 when all head the same way, near 0 when headings cancel (Vicsek and others, 1995).
        polarisation: f64 => r"\|Σ v/\|v\|\| / N", "–", Axis::To(1.0),
            |sums| sums.mean(sums.order.headings);
        /// 1 when all circle round the centre of mass c in the same direction, whatever their
        /// distance and speed (the group angular momentum of Couzin and others, 2002). In a wrapped
        /// world c is the circular mean and p − c goes the shortest way. In space r × v and its sum
        /// are vectors.
        rotation: f64 => r"\|Σ r × v/\|v\|\| / N, r = (p − c)/\|p − c\|", "–", Axis::To(1.0),
            |sums| sums.mean(sums.order.rotation);
        /// The same, weighted by distance and speed.
        angular_momentum: f64 => r"\|Σ (p − c) × v\| / Σ \|p − c\|\|v\|", "–", Axis::To(1.0),
            |sums| sums.order.angular_momentum;
        /// Mean speed.
        mean_speed: f64 => r"Σ \|v\| / N", "world units/tick", Axis::ToLargest,
            |sums| sums.mean(sums.order.speeds);
        /// Mean number of others nearer than the largest radius in the scene, at the positions of
        /// this tick, after its step. Estimated from samples where the engine samples, see
        /// `sampled_agents`: unbiased, and at most N − 1.
        mean_neighbours: f64 => "", "agents", Axis::ToLargest,
            |sums| sums.mean(sums.sight.near).min((sums.agents - 1) as f64);
        /// Mean distance to the nearest other agent. An upper bound in cells of more than 181 agents.
        nearest_neighbour_distance: f64 => "", "world units", Axis::ToLargest,
            |sums| sums.mean(sums.sight.nearest);
        /// In the fullest cell of the grid.
        largest_cell: u64 => "", "agents", Axis::None, |sums| sums.largest_cell;
        /// How many read a sample of their neighbours ([why](how-it-works.md#crowds)).
        sampled_agents: u64 => "", "agents", Axis::None, |sums| sums.sight.sampled.len() as u64;
        /// How many have fewer neighbours than one of their behaviours chooses by `nearest`.
        found_fewer: u64 => "", "agents", Axis::None, |sums| sums.found_fewer;
        /// Number of connected groups. Two agents nearer than the largest radius in the scene are in
        /// one group, and so are all agents between which a chain of such pairs leads. Exact in
        /// crowds too.
        clusters: u64 => "", "–", Axis::ToLargest, |sums| sums.clusters.count;
        /// Share of the agents that are in the largest group.
        largest_cluster: f64 => "", "–", Axis::To(1.0),
            |sums| sums.mean(sums.clusters.largest as f64);
    }
}

impl Metrics {
    /// Computes the metrics of a state of `scene`.
    #[must_use]
    pub fn of(scene: &Scene, state: &FlockState) -> Self {
        let count = state.len();
        if count == 0 {
            return Self { tick: state.tick, ..Self::default() };
        }
        with_axes!(scene.world, AXES => {
            let cells = Cells::of(scene.grid::<AXES>(count), &scene.world, &state.position);
            Self::of_sums(&Sums::of(scene, state, &cells))
        })
    }

    /// The names of the columns.
    pub fn columns() -> impl Iterator<Item = &'static str> {
        Self::TABLE.iter().map(|metric| metric.name)
    }

    /// The metrics as text, one for each column; parsing gives the same bits.
    pub fn row(&self) -> impl Iterator<Item = String> {
        Self::TABLE.iter().map(|metric| (metric.text)(self))
    }
}

/// How many agents are so crowded that engines sample their neighbours, where the scene allows it: for a flock of
/// `count` agents at these positions in any order. If
/// other processes have the positions of the others, `sum` adds the numbers of all processes. Needs no
/// neighbours.
#[must_use]
pub fn crowded_agents(
    scene: &Scene,
    count: usize,
    positions: &[Point],
    sum: impl FnOnce(&mut [u64]),
) -> u64 {
    if scene.perception_radius() > 0.0 && count > 0 {
        with_axes!(scene.world, AXES => {
            CellStarts::of(scene.grid::<AXES>(count), positions, sum).crowded()
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
