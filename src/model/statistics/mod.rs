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
mod correlation;
mod fewer;
mod histogram;
mod metric;
mod nematic;
mod numbers;
mod order;
mod pairs;
mod radial;
mod selection;
mod sight;
mod sums;
mod time_average;
mod unwrapping;

use std::ops::Range;

use super::scene::Scene;
use super::state::FlockState;
use super::vector::Point;
use super::world::with_axes;
use crate::parallel::each;
use cells::CellStarts;
pub use clusters::Clusters;
use correlation::correlation_length;
use fewer::found_fewer;
pub use histogram::{Histogram, Histograms, metrics_and_histograms};
use metric::metrics;
pub use metric::{Axis, Column, Metric, MetricNeeds};
use nematic::nematic_order;
use numbers::{number_exponent, number_variance};
pub use pairs::Pairs;
pub use radial::{RadialDistribution, local_densities};
pub use selection::{Selection, UnknownMetric};
use sums::{Sums, with_cells};
pub use time_average::{BATCH, TimeAverage, settled};
use unwrapping::mean_square_displacement;
pub use unwrapping::{TooFast, Travel, Unwrapping};

/// Bytes per agent and per cell while metrics are computed: two sorted copies of the positions, and a copy
/// of the agents of one species.
pub const BYTES: [u64; 2] = [100, 4];

/// Flocks up to this size are summed by the calling thread, before other threads would have
/// started.
const SMALL: usize = 8192;

metrics! {
    /// Metrics of a flock at one tick. No metric is ever NaN: an undefined one (an empty flock, the
    /// nearest neighbour of a single agent, the heading of an agent at rest) is 0.
    Metrics of Sums<'_> {
        /// Since the start.
        tick: u64 => "", "ticks", Axis::None, |sums| sums.state.tick;
        /// Number of agents.
        agents: u64 => "N", "–", Axis::None, |sums| sums.agents();
        /// 1 when all head the same way, near 0 when headings cancel (Vicsek and others, 1995).
        polarisation: f64 => r"\|Σ v/\|v\|\| / N", "–", Axis::To(1.0),
            |sums| sums.mean(sums.order().headings);
        /// 1 when all circle round the centre of mass c in the same direction, whatever their
        /// distance and speed (the group angular momentum of Couzin and others, 2002). In a wrapped
        /// world c is the circular mean and p − c goes the shortest way. In space r × v and its sum
        /// are vectors.
        rotation: f64 => r"\|Σ r × v/\|v\|\| / N, r = (p − c)/\|p − c\|", "–", Axis::To(1.0),
            |sums| sums.mean(sums.order().rotation);
        /// The same, weighted by distance and speed.
        angular_momentum: f64 => r"\|Σ (p − c) × v\| / Σ \|p − c\|\|v\|", "–", Axis::To(1.0),
            |sums| sums.order().angular_momentum;
        /// Mean speed.
        mean_speed: f64 => r"Σ \|v\| / N", "world units/tick", Axis::ToLargest,
            |sums| sums.mean(sums.order().speeds);
        /// Mean number of others nearer than the largest radius in the scene, at the positions of
        /// this tick, after its step. Estimated from samples where the engine samples, see
        /// `sampled_agents`: unbiased, but for estimates that are cut at N − 1.
        mean_neighbours: f64 => "", "agents", Axis::ToLargest,
            |sums| sums.mean(sums.sight().near).min((sums.agents() - 1) as f64);
        /// Mean distance to the nearest other agent. An upper bound in cells of more than 181 agents.
        nearest_neighbour_distance: f64 => "", "world units", Axis::ToLargest,
            |sums| sums.mean(sums.sight().nearest);
        /// In the fullest cell of the grid.
        largest_cell: u64 => "", "agents", Axis::None,
            |sums| with_cells!(sums, cells => cells.starts.largest());
        /// How many read a sample of their neighbours ([why](how-it-works.md#crowds)).
        sampled_agents: u64 => "", "agents", Axis::None, |sums| sums.sight().sampled.len() as u64;
        /// How many have fewer neighbours than one of their behaviours chooses by `nearest` or `pick`.
        found_fewer: u64 => "", "agents", Axis::None,
            |sums| with_cells!(sums, cells => found_fewer(cells, sums.scene, sums.state));
        /// Number of connected groups. Two agents nearer than the largest radius in the scene are in
        /// one group, and so are all agents between which a chain of such pairs leads. Exact in
        /// crowds too.
        clusters: u64 => "", "–", Axis::ToLargest, |sums| sums.clusters().count;
        /// Share of the agents that are in the largest group.
        largest_cluster: f64 => "", "–", Axis::To(1.0),
            |sums| sums.mean(sums.clusters().largest as f64);
    }
    more {
        /// 1 when all head along one line, either way (Ginelli and others, 2010). In space the largest
        /// eigenvalue λ of Q = Σ (3 n nᵀ − 1) / 2N with n = v/\|v\| (de Gennes and Prost, 1993).
        nematic_order => r"\|Σ exp(2iθ)\| / N; λ(Q)", "–", MetricNeeds::State,
            |sums| nematic_order(&sums.scene.world, sums.state);
        /// How far the fluctuations u = v − Σ v/N of the velocities are correlated: the distance at
        /// which the mean of u · u′ over pairs first falls to 0 (Cavagna and others, 2010), the shortest
        /// way in wrapped worlds. Pairs are counted in bins that are 4 to 6 % of the distance wide,
        /// joined up to 500 pairs or a sixteenth of all; the farthest pairs are a bin however few they are.
        /// More than 2,048 agents are measured by a random sample of about that number, the same ones at
        /// every tick. 0 if the nearest pairs are not correlated.
        correlation_length => "C(r) = 0, C(r) = ⟨u · u′⟩ at distance r", "world units", MetricNeeds::State,
            |sums| correlation_length(sums.scene, sums.state);
        /// Unbiased variance of the numbers n of agents in equal boxes over their mean: 1 for agents that
        /// are independent of each other, less for a regular flock, more for clusters. The boxes have
        /// 16 agents in the mean, as nearly as whole boxes divide the world. Not in open worlds.
        number_variance => "var n / ⟨n⟩", "–", MetricNeeds::Edges,
            |sums| number_variance(&sums.scene.world, &sums.state.position);
        /// How the variance grows with the mean when the sides of the boxes are doubled: the slope by
        /// least squares, over all sizes from a mean of 4 agents or more to 16 boxes. 1 for independent
        /// agents; more are giant number fluctuations (Narayan and others, 2007). 0 if fewer than two
        /// sizes vary, as with less than some 250 agents in a plane, 600 in space or 864 in a cube. Not in
        /// open worlds.
        number_exponent => "d log var n / d log ⟨n⟩", "–", MetricNeeds::Edges,
            |sums| number_exponent(&sums.scene.world, &sums.state.position);
        /// How far agents have come since the first row, squared: t times twice the number of axes times the
        /// diffusion coefficient for agents that wander at random, speed² · t² for agents that keep straight
        /// on. In wrapped worlds agents are followed across the edges.
        mean_square_displacement => r"Σ \|p(t) − p(0)\|² / N", "world units²", MetricNeeds::Travels,
            |sums| mean_square_displacement(sums.travels);
    }
}

impl Metrics {
    /// Computes the metrics of a state of `scene`.
    #[must_use]
    pub fn of(scene: &Scene, state: &FlockState) -> Self {
        Self::of_sums(&Sums::new(scene, state, &[]))
    }

    /// The names of the columns.
    pub fn columns() -> impl Iterator<Item = &'static str> {
        Self::TABLE.iter().map(|column| column.metric.name)
    }

    /// The metrics as text, one for each column; parsing gives the same bits.
    pub fn row(&self) -> impl Iterator<Item = String> {
        Self::TABLE.iter().map(|column| (column.value)(self).to_string())
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
    let all = count.div_ceil(size);
    if count <= SMALL { (0..all).map(part).collect() } else { each(all, &part) }
}

#[cfg(test)]
mod tests;
