//! Figures of a flock.

use super::scene::Scene;
use super::state::FlockState;
use super::vector::Point;

/// Figures of one tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metrics {
    tick: u64,
    agents: usize,
    polarisation: f64,
    mean_speed: f64,
    /// X
    pub mean_neighbours: f64,
    /// X
    pub largest_cell: u64,
    /// X
    pub sampled_agents: u64,
}

impl Metrics {
    /// Names of the columns of a table of figures.
    pub const COLUMNS: [&str; 9] = [
        "tick",
        "agents",
        "polarisation",
        "angular_momentum",
        "mean_speed",
        "mean_neighbours",
        "nearest_neighbour_distance",
        "largest_cell",
        "sampled_agents",
    ];

    /// Measures a flock.
    #[must_use]
    pub fn of(_scene: &Scene, state: &FlockState) -> Self {
        let agents = state.len();
        let headings: Point = state.velocity.iter().map(|v| v.normalize_or_zero()).sum();
        let speeds: f64 = state.velocity.iter().map(|v| f64::from(v.length())).sum();
        Self {
            tick: state.tick,
            agents,
            polarisation: f64::from(headings.length()) / agents as f64,
            mean_speed: speeds / agents as f64,
            mean_neighbours: 0.0, largest_cell: 0, sampled_agents: 0,
        }
    }

    /// The values of [`Metrics::COLUMNS`].
    #[must_use]
    pub fn row(&self) -> [String; 9] {
        let nothing = || "0".to_string();
        [
            self.tick.to_string(),
            self.agents.to_string(),
            self.polarisation.to_string(),
            nothing(),
            self.mean_speed.to_string(),
            nothing(),
            nothing(),
            nothing(),
            nothing(),
        ]
    }
}
