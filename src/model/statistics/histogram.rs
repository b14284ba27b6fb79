//! How the speeds and the numbers of neighbours are distributed over the agents of a state.

use super::super::scene::Scene;
use super::super::state::FlockState;
use super::Metrics;
use super::cells::Cells;
use super::sums::{Sums, with_cells};

/// Number of bins.
const BINS: usize = 40;

/// The most agents whose neighbours are counted: every k-th in the order of the cells, so that all
/// parts of the flock count alike.
const MAX_COUNTED: usize = 10_000;

/// Counts of agents by a quantity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// Width of a bin, in units of the quantity. The first bin begins at 0.
    pub width: f64,
    /// Number of agents in each bin.
    pub counts: Vec<u32>,
}

impl Histogram {
    /// Sorts values from 0 to `top` into bins.
    fn of(values: impl Iterator<Item = f64>, width: f64, bins: usize) -> Self {
        let mut counts = vec![0; bins];
        for value in values {
            // The largest value belongs to the last bin.
            let bin = ((value / width) as usize).min(bins - 1);
            counts[bin] += 1;
        }
        Self { width, counts }
    }

    /// Number of agents in all bins.
    #[must_use]
    pub fn agents(&self) -> u64 {
        self.counts.iter().map(|count| u64::from(*count)).sum()
    }
}

/// The distributions of one state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histograms {
    /// By speed; world units per tick. All agents.
    pub speeds: Histogram,
    /// By the number of other agents within the scene's largest perception radius, as in
    /// [`Metrics::mean_neighbours`]. In a large flock every k-th agent.
    pub neighbours: Histogram,
}

/// The metrics of a state and its histograms.
#[must_use]
pub fn metrics_and_histograms(scene: &Scene, state: &FlockState) -> (Metrics, Histograms) {
    let sums = Sums::new(scene, state, &[]);
    if state.is_empty() {
        return (Metrics::of_sums(&sums), Histograms::default());
    }
    let tick = state.tick as u32;
    let histograms = Histograms {
        speeds: speeds(scene, state),
        neighbours: with_cells!(sums, cells => neighbours(cells, scene, tick)),
    };
    (Metrics::of_sums(&sums), histograms)
}

fn speeds(scene: &Scene, state: &FlockState) -> Histogram {
    let speeds = || state.velocity.iter().map(|velocity| f64::from(velocity.length()));
    // The axis stays where it is unless an agent is faster than its species.
    let allowed = scene.species.iter().map(|species| f64::from(species.largest("max_speed")));
    let top = allowed.chain(speeds()).fold(0.0, f64::max);
    let width = if top > 0.0 { top / BINS as f64 } else { 1.0 };
    Histogram::of(speeds(), width, BINS)
}

fn neighbours<const D: usize>(cells: &Cells<D>, scene: &Scene, tick: u32) -> Histogram {
    let radius = f64::from(scene.perception_radius());
    let count = cells.cell.len();
    let step = count.div_ceil(MAX_COUNTED);
    let (cap, seed) = (scene.run_cap(), scene.seed);
    let around = |agent: usize| around(cells, agent, radius * radius, cap, (seed, tick));
    let counts: Vec<f64> = (0..count).step_by(step).map(around).collect();
    let most = counts.iter().copied().fold(0.0, f64::max);
    // Whole numbers: every bin has as many of them as the others.
    let width = ((most + 1.0) / BINS as f64).ceil();
    let bins = ((most + 1.0) / width).ceil() as usize;
    Histogram::of(counts.into_iter(), width, bins.max(1))
}

/// The number of other agents nearer than a radius. Long runs of cells are counted by the engines'
/// sample.
fn around<const D: usize>(
    cells: &Cells<D>,
    agent: usize,
    radius_squared: f64,
    cap: u32,
    now: (u32, u32),
) -> f64 {
    if radius_squared == 0.0 {
        return 0.0;
    }
    let is_near =
        |other: &usize| *other != agent && cells.distance_squared(agent, *other) < radius_squared;
    let runs = cells.runs_as_read(cells.cell[agent], cap, now);
    runs.map(|(members, stride)| members.filter(is_near).count() as f64 * f64::from(stride)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::populated;
    use crate::vector::Point;

    /// Sum of the middles of the bins, weighted by the agents in them, over the number of agents.
    fn mean(histogram: &Histogram, of_bin: f64) -> f64 {
        let weighted = histogram.counts.iter().enumerate();
        let sum: f64 = weighted.map(|(i, n)| (i as f64 + of_bin) * f64::from(*n)).sum();
        sum * histogram.width / histogram.agents() as f64
    }

    #[test]
    fn histograms_agree_with_the_metrics() {
        for boundary in ["wrap", "walls", "open"] {
            let set = format!("world.boundary={boundary}");
            let (scene, mut state) = populated("flock", &[&set], 3000);
            for (row, velocity) in state.velocity.iter_mut().enumerate() {
                *velocity *= (row % 10) as f32 / 10.0;
            }
            let (metrics, histograms) = metrics_and_histograms(&scene, &state);
            assert_eq!(metrics, Metrics::of(&scene, &state));
            let Histograms { speeds, neighbours } = &histograms;
            assert_eq!([speeds.agents(), neighbours.agents()], [3000, 3000]);
            assert!((mean(speeds, 0.5) - metrics.mean_speed).abs() <= speeds.width, "{speeds:?}");
            assert_eq!(neighbours.width, 1.0, "few enough for a bin each");
            let found = mean(neighbours, 0.0);
            assert!((found - metrics.mean_neighbours).abs() < 1e-9, "{boundary}: {found}");
        }
    }

    #[test]
    fn a_large_flock_is_counted_by_a_sample() {
        let (scene, state) = populated("flock", &[], 60_000);
        let (metrics, Histograms { speeds, neighbours }) = metrics_and_histograms(&scene, &state);
        assert_eq!((speeds.agents(), neighbours.agents()), (60_000, 10_000));
        let found = mean(&neighbours, 0.0);
        assert!((found / metrics.mean_neighbours - 1.0).abs() < 0.03, "{found}, {metrics:?}");
    }

    #[test]
    fn no_agent_one_agent_and_a_crowd_have_histograms() {
        let (scene, mut state) = populated("flock", &[], 5000);
        assert_eq!(metrics_and_histograms(&scene, &FlockState::default()).1, Histograms::default());
        state.position.fill(Point::ONE);
        state.velocity.fill(Point::ZERO);
        let (metrics, crowd) = metrics_and_histograms(&scene, &state);
        assert_eq!((metrics.sampled_agents, crowd.speeds.counts[0]), (5000, 5000));
        assert!(crowd.neighbours.counts.len() <= BINS && crowd.neighbours.agents() == 5000);
        assert!(*crowd.neighbours.counts.last().unwrap() > 4000, "{crowd:?}");
        let (scene, state) = populated("flock", &[], 1);
        let (_, one) = metrics_and_histograms(&scene, &state);
        assert_eq!((one.neighbours.counts, one.speeds.agents()), (vec![1], 1));
    }
}
