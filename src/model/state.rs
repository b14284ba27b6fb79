//! The state of a flock between two ticks.

use std::ops::Range;

use super::kept::{KeptNames, KeptRow};
use super::memory::{Memory, ShownBy};
use super::vector::Point;

/// Every agent, in ascending order of ids.
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
    /// Each agent's memory; empty if the scene needs none, or for a fresh one.
    pub memory: Vec<Memory>,
    /// Which quantity each species' colour value holds.
    pub shown: ShownBy,
    /// The numbers that each agent keeps for its rules in text; empty if the scene has none, or for a fresh
    /// one.
    pub kept: Vec<KeptRow>,
    /// Their names.
    pub kept_names: KeptNames,
}

impl FlockState {
    /// Number of agents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Some of the rows.
    #[must_use]
    pub fn rows(&self, rows: Range<usize>) -> Self {
        let mut some = Self { tick: self.tick, ..Self::default() };
        some.add(self, rows);
        some
    }

    /// The rows with these numbers, in this order.
    #[must_use]
    pub fn in_order(&self, rows: &[usize]) -> Self {
        Self {
            tick: self.tick,
            id: rows.iter().map(|row| self.id[*row]).collect(),
            species: rows.iter().map(|row| self.species[*row]).collect(),
            position: rows.iter().map(|row| self.position[*row]).collect(),
            velocity: rows.iter().map(|row| self.velocity[*row]).collect(),
            memory: rows.iter().filter_map(|row| self.memory.get(*row).copied()).collect(),
            shown: self.shown,
            kept: rows.iter().filter_map(|row| self.kept.get(*row).copied()).collect(),
            kept_names: self.kept_names,
        }
    }

    /// The rows by ascending id.
    #[must_use]
    pub fn by_id(&self) -> Self {
        let mut rows: Vec<usize> = (0..self.len()).collect();
        rows.sort_unstable_by_key(|row| self.id[*row]);
        self.in_order(&rows)
    }

    /// Adds the rows of another state at the end. Both show and keep the same numbers.
    pub fn extend(&mut self, other: &Self) {
        self.add(other, 0..other.len());
    }

    fn add(&mut self, other: &Self, rows: Range<usize>) {
        self.id.extend_from_slice(&other.id[rows.clone()]);
        self.species.extend_from_slice(&other.species[rows.clone()]);
        self.position.extend_from_slice(&other.position[rows.clone()]);
        self.velocity.extend_from_slice(&other.velocity[rows.clone()]);
        self.memory.extend_from_slice(other.memory.get(rows.clone()).unwrap_or_default());
        self.shown = other.shown;
        self.kept.extend_from_slice(other.kept.get(rows).unwrap_or_default());
        self.kept_names = other.kept_names;
    }

    /// True if there are no agents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }
}
