//! An engine's part in a flock over many processes.

use crate::{EngineError, EngineKind};
use flockwork_model::behaviours::Target;
use flockwork_model::grid::Slab;
use flockwork_model::scene::{MAX_AGENTS, Scene};
use flockwork_model::state::FlockState;

/// Which agents of a slab are steered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// Those in slices with own slices on both sides: they need no ghosts.
    Inner,
    /// Those in the other slices.
    Edge,
}

/// Moves the agents of a slab. A tick is a sequence of these steps: `copy_slice` for the other
/// processes, `steer` the inner slices, `take_ghosts`, `steer` the edge, `hits` and `move_targets`,
/// `leave`, `arrive`, `sort`.
///
/// Agents travel as bytes, in a format of the engine: all processes run the same engine.
pub trait Local {
    /// The kind of the engine.
    fn kind(&self) -> EngineKind;

    /// The hardware in use.
    fn describe(&self) -> String;

    /// Every id must be below this.
    fn id_end(&self) -> u64 {
        MAX_AGENTS
    }

    /// Number of slices of the grid of a scene with so many agents.
    fn slices(&self, scene: &Scene, everyone: usize) -> u32;

    /// Replaces the flock by an empty slab. `everyone` is the number of agents in all processes.
    fn begin(
        &mut self,
        scene: &Scene,
        tick: u64,
        everyone: usize,
        slab: Slab,
    ) -> Result<(), EngineError>;

    /// The slices beside a slab, see [`Window::beside`](flockwork_model::grid::Window::beside).
    fn beside(&self, slab: Slab) -> Vec<u32>;

    /// The slice of each agent.
    fn slices_of(&self, agents: &FlockState) -> Vec<u32>;

    /// Adds agents to the parcels for the processes. `to` has the process of each agent. An agent
    /// without memory gets a fresh one.
    fn pack(&self, agents: &FlockState, to: &[usize], parcels: &mut [Vec<u8>]);

    /// Adds a parcel of agents to the slab. They are in order after the next [`Local::sort`].
    fn arrive(&mut self, parcel: &[u8]) -> Result<(), EngineError>;

    /// Sorts the agents by cell and id. All are inside the slab.
    fn sort(&mut self) -> Result<(), EngineError>;

    /// Adds the agents of an own slice to `parcel`, as ghosts for another process.
    fn copy_slice(&mut self, slice: u32, parcel: &mut Vec<u8>) -> Result<(), EngineError>;

    /// Takes copies of the agents in a slice beside the slab. Slices come in the order of
    /// [`Local::beside`].
    fn take_ghosts(&mut self, slice: u32, parcel: &[u8]) -> Result<(), EngineError>;

    /// Steers some of the agents.
    fn steer(&mut self, region: Region) -> Result<(), EngineError>;

    /// True if targets move.
    fn moves_targets(&self) -> bool;

    /// Whether an own agent has hit each target.
    fn hits(&mut self) -> Result<Vec<bool>, EngineError>;

    /// Moves the targets. `hit` says which of them an agent has hit in any process.
    fn move_targets(&mut self, hit: &[bool]) -> Result<(), EngineError>;

    /// Takes the agents that have left the slab and adds them to the parcels for the processes that
    /// own their slices now.
    fn leave(
        &mut self,
        owner: &dyn Fn(u32) -> usize,
        parcels: &mut [Vec<u8>],
    ) -> Result<(), EngineError>;

    /// Ends the tick.
    fn end_tick(&mut self);

    /// Changes the borders of the slab between two ticks. Agents outside it go with the next
    /// [`Local::leave`].
    fn move_to(&mut self, slab: Slab) -> Result<(), EngineError>;

    /// Nanoseconds that steering takes for each own slice: the least in a tick since the last call.
    fn costs(&mut self) -> Vec<u64>;

    /// Number of agents in each own slice.
    fn slice_counts(&mut self) -> Vec<u64>;

    /// Number of own agents.
    fn count(&self) -> usize;

    /// Number of ghosts in the last tick.
    fn ghosts(&self) -> usize;

    /// Number of agents in the fullest own cell.
    fn largest_cell(&mut self) -> u32;

    /// The own agents, by ascending id.
    fn state(&mut self) -> Result<FlockState, EngineError>;

    /// The targets.
    fn targets(&mut self) -> Result<Vec<Target>, EngineError>;

    /// Agents by ascending id, in the order in which a process alone would have them: renderers that draw
    /// agents in that order then give the same picture.
    fn arranged(&self, agents: FlockState) -> FlockState {
        agents
    }

    /// The sum of the ids of the own agents.
    fn id_sum(&mut self) -> Result<u64, EngineError>;
}
