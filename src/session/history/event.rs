//! The user's actions on a running flock.

use std::sync::Arc;

use crate::record::Written;
use crate::undo::Dropped;
use flockwork_engine::Change;
use flockwork_model::scene::{Scene, Species};
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;

/// A change of a running flock, complete enough to be made again.
#[derive(Clone, Debug)]
pub enum Event {
    /// The flock is called to a place, or no longer.
    Pointer(Option<Point>),
    /// The target that follows the mouse moves to a place.
    Lead(Point),
    /// Parts of the scene change.
    Change {
        /// Which parts.
        change: Change,
        /// These parts, as they are afterwards; see [`Change::parts_of`].
        parts: Arc<Scene>,
    },
    /// New agents. Their ids count up from the last one.
    Add(Vec<Dropped>),
    /// Agents are removed, by id.
    Remove(Vec<u32>),
    /// The species of this number is removed, with its agents.
    RemoveSpecies(usize),
    /// A species that was removed comes back.
    ReturnSpecies {
        /// Its number.
        index: usize,
        /// All species, as they are afterwards.
        species: Arc<[Species]>,
        /// Its agents.
        agents: Arc<FlockState>,
    },
    /// The text of a change in a file, until its tick comes.
    Written(Written),
}

impl Event {
    /// True if it holds parts of a scene, which take more memory than the text of a file.
    pub(crate) fn has_parts(&self) -> bool {
        matches!(self, Self::Change { .. } | Self::ReturnSpecies { .. })
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Pointer(one), Self::Pointer(other)) => one == other,
            (Self::Lead(one), Self::Lead(other)) => one == other,
            (Self::Add(one), Self::Add(other)) => one == other,
            (Self::Remove(one), Self::Remove(other)) => one == other,
            (Self::RemoveSpecies(one), Self::RemoveSpecies(other)) => one == other,
            (Self::Written(one), Self::Written(other)) => one == other,
            (
                Self::ReturnSpecies { index: one, species: own, agents },
                Self::ReturnSpecies { index: other, species: others, agents: their },
            ) => one == other && own == others && agents == their,
            (
                Self::Change { change: one, parts: own },
                Self::Change { change: other, parts: others },
            ) => {
                one == other
                    && own.species == others.species
                    && own.targets == others.targets
                    && own.obstacles == others.obstacles
                    && own.paths == others.paths
            }
            _ => false,
        }
    }
}

/// An event and its tick: it happens after that tick and before the next one.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Ticks since the start of the run.
    pub tick: u64,
    /// The action.
    pub event: Event,
}
