//! The state of a flock between two ticks.

use super::behaviours::Uses;
use super::memory::Memory;
use super::scene::Scene;
use super::vector::Point;

/// Every agent, in the order of the initial state: row `i` is the same agent for ever.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlockState {
    /// Ticks since the start of the run.
    pub tick: u64,
    /// The agents' names in files; unique. Rows of a new flock are numbered from 0.
    pub id: Vec<u32>,
    /// Index into the scene's species.
    pub species: Vec<u8>,
    /// World units.
    pub position: Vec<Point>,
    /// World units per tick.
    pub velocity: Vec<Point>,
    /// What they remember; empty where the scene asks for no memory, or for a fresh one.
    pub memory: Vec<Memory>,
}

impl FlockState {
    /// Number of agents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// What the agents remember in `scene`: as they say, or afresh where they do not; nothing where
    /// the scene asks for no memory.
    #[must_use]
    pub fn memory_for(&self, scene: &Scene) -> Vec<Memory> {
        if !scene.uses().has(Uses::MEMORY) {
            return Vec::new();
        }
        let one = |row: usize| {
            let own = self.memory.get(row).copied();
            own.unwrap_or_else(|| Memory::at_start(scene.seed, row as u32))
        };
        (0..self.len()).map(one).collect()
    }

    /// True without agents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }
}
