//! Why an engine cannot go on.

use crate::model::scene::MAX_AGENTS;

/// An engine that cannot go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EngineError {
    /// No adapter, or not the one asked for.
    #[error("{0}")]
    NoAdapter(String),
    /// The flock does not fit the device.
    #[error(
        "{count} agents do not fit {adapter}: {limit} allows {largest} at most; \
         lower --count or use --engine cpu"
    )]
    TooMany {
        /// As asked for.
        count: u64,
        /// Name of the adapter.
        adapter: String,
        /// Which limit is in the way, with its value.
        limit: String,
        /// Largest count that fits.
        largest: u64,
    },
    /// The device went away: the driver started anew, the card was unplugged, or somebody shut it
    /// down. What was on it is gone.
    #[error(
        "{adapter}: the device was lost ({reason}); run the command again, or use --engine cpu"
    )]
    Lost {
        /// Name of the adapter.
        adapter: String,
        /// What the driver said.
        reason: String,
    },
    /// The device refused a shader or a command.
    #[error("{adapter}: {message}")]
    Device {
        /// Name of the adapter.
        adapter: String,
        /// What the driver said.
        message: String,
    },
    /// The thread pool could not be made.
    #[error("cannot start {threads} threads: {message}")]
    Threads {
        /// As asked for.
        threads: usize,
        /// What the system said.
        message: String,
    },
    /// An id that a tag cannot hold.
    #[error(
        "agent {id}: ids of agents are numbers up to {largest}; number the agents from 0",
        largest = MAX_AGENTS - 1
    )]
    LargeId {
        /// Of the agent.
        id: u32,
    },
    /// There is no such agent to remove.
    #[error("agent {id}: there is no such agent now; nothing was removed")]
    NoAgent {
        /// As asked for.
        id: u32,
    },
    /// Agents of a species that the scene does not have.
    #[error(
        "agent {id}: it is of species {species}, but the scene has {count} of them, numbered from 0"
    )]
    UnknownSpecies {
        /// Of the agent.
        id: u32,
        /// Its species.
        species: u8,
        /// Species of the scene.
        count: usize,
    },
    /// A state whose arrays are not equally long.
    #[error(
        "a state has an id, a species, a position and a velocity for each agent, but not {lengths:?} \
         of them"
    )]
    Uneven {
        /// Ids, species, positions and velocities.
        lengths: [usize; 4],
    },
    /// An id that another agent has or had.
    #[error(
        "agent {id}: the ids of agents ascend, and none is used twice; the next free one is {next}"
    )]
    UsedId {
        /// Of the agent.
        id: u32,
        /// The smallest id that no agent had.
        next: u32,
    },
}
