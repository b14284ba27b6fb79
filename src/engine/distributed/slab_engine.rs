//! The engine of one slab of a flock over many processes.

use crate::{BrokenForces, Engine, EngineError};
use flockwork_model::behaviours::Target;
use flockwork_model::grid::Slab;
use flockwork_model::scene::{MAX_AGENTS, Scene};
use flockwork_model::state::FlockState;

/// The agents of a slab that a pass steers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// Those in slices with own slices on both sides: they need no ghosts.
    Inner,
    /// Those in the other slices.
    Edge,
}

/// An engine that can move a slab.
pub trait SlabHost: Engine {
    /// Every id must be below this.
    fn id_end(&self) -> u64 {
        MAX_AGENTS
    }

    /// Replaces the flock by an empty slab. `everyone` is the number of agents in all processes.
    #[doc(hidden)]
    fn begin_slab(
        &mut self,
        scene: &Scene,
        tick: u64,
        everyone: usize,
        slab: Slab,
    ) -> Result<Box<dyn SlabEngine>, EngineError>;
}

/// Moves the agents of a slab. A tick is a sequence of these steps: `slice` for the other processes,
/// `steer` the inner slices, `take_ghosts`, `steer` the edge, `hits` and `move_targets`, `export_agents`,
/// `import_agents`, `sort`.
pub trait SlabEngine: Send {
    /// Adds agents to the slab. They are in order after the next [`SlabEngine::sort`].
    fn import_agents(&mut self, agents: &FlockState) -> Result<(), EngineError>;

    /// Sorts the agents by cell and id. All are inside the slab.
    fn sort(&mut self) -> Result<(), EngineError>;

    /// The agents of an own slice, sorted, as ghosts for another process: without memory.
    fn slice(&mut self, slice: u32) -> Result<FlockState, EngineError>;

    /// Takes copies of the agents in a slice beside the slab. Slices come in the order of
    /// [`Window::beside`](flockwork_model::grid::Window::beside).
    fn take_ghosts(&mut self, slice: u32, ghosts: &FlockState) -> Result<(), EngineError>;

    /// Steers some of the agents.
    fn steer(&mut self, region: Region) -> Result<(), EngineError>;

    /// Whether an own agent has hit each target.
    fn hits(&mut self) -> Result<Vec<bool>, EngineError>;

    /// Moves the targets. `hit` says which of them an agent has hit in any process.
    fn move_targets(&mut self, hit: &[bool]) -> Result<(), EngineError>;

    /// Takes the agents that have left the slab.
    fn export_agents(&mut self) -> Result<FlockState, EngineError>;

    /// Ends the tick.
    fn end_tick(&mut self);

    /// Changes the borders of the slab between two ticks. Agents outside it go with the next
    /// [`SlabEngine::export_agents`].
    fn move_to(&mut self, slab: Slab) -> Result<(), EngineError>;

    /// Nanoseconds that steering takes for each own slice: the least in a tick since the last call.
    fn costs(&mut self) -> Result<Vec<u64>, EngineError>;

    /// Number of agents in each own slice.
    fn slice_counts(&mut self) -> Result<Vec<u64>, EngineError>;

    /// Number of own agents.
    fn count(&self) -> usize;

    /// Number of agents in the fullest own cell.
    fn largest_cell(&mut self) -> Result<u32, EngineError>;

    /// Forces of rules in text that were no numbers, of own agents in all ticks so far.
    fn broken_forces(&self) -> BrokenForces;

    /// The own agents, by ascending id.
    fn state(&mut self) -> Result<FlockState, EngineError>;

    /// The targets.
    fn targets(&mut self) -> Result<Vec<Target>, EngineError>;

    /// The sum of the ids of the own agents.
    fn id_sum(&mut self) -> Result<u64, EngineError>;
}
