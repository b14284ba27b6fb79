//! How a flock moves. Two engines of equal rank behind one trait: [`cpu`] and [`gpu`].

mod agents;
mod change;
pub mod cpu;
mod error;
pub mod gpu;
mod ids;
mod stopwatch;

use std::time::Duration;

pub use agents::{AgentsAt, Component, DeviceAgents, HostAgents};
pub use change::Change;
pub use error::EngineError;

use crate::model::behaviours::Target;
use crate::model::scene::Scene;
use crate::model::state::FlockState;

/// Which engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// Compute shaders through wgpu.
    Gpu,
    /// All cores, SIMD.
    Cpu,
}

impl std::fmt::Display for EngineKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Gpu => "gpu",
            Self::Cpu => "cpu",
        })
    }
}

/// Time of one pass, averaged over the ticks of the last [`Engine::step`] that was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassTime {
    /// The pass's name: that of its file, its struct and its label.
    pub pass: &'static str,
    /// Per tick.
    pub time: Duration,
}

/// What the passes of one tick took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// In the order of the tick.
    pub passes: Vec<PassTime>,
    /// True when the device's own clock measured them; false for wall time.
    pub by_timestamps: bool,
}

/// A flock at one tick.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The agents.
    pub state: FlockState,
    /// The targets at the same tick.
    pub targets: Vec<Target>,
}

/// Moves a flock.
///
/// Between ticks an engine keeps its agents sorted by grid cell, and within a cell by id; callers see
/// them in the order of their ids. The same scene, state and engine give the same bytes on every run,
/// also when the state is loaded anew between two ticks.
pub trait Engine {
    /// Which engine.
    fn kind(&self) -> EngineKind;

    /// What it runs on: the adapter's name, or processor, threads and instruction set.
    fn describe(&self) -> String;

    /// Refuses a number of agents that does not fit, before anything is allocated for them.
    fn check_count(&self, count: u64) -> Result<(), EngineError> {
        let _ = count;
        Ok(())
    }

    /// Bytes of the host's memory that a flock on a grid of `cells` takes in this engine, at most while
    /// it is loaded.
    fn host_bytes(&self, agents: u64, cells: u64) -> u64 {
        let _ = (agents, cells);
        0
    }

    /// Takes a new flock: its scene (parameters, world) and its state. What it had is dropped.
    fn load(&mut self, scene: &Scene, state: &FlockState) -> Result<(), EngineError>;

    /// Takes over the parts of `scene` that `change` names, before the next tick. The agents stay as
    /// they are, and so does whatever `change` does not name: targets that move by themselves stay
    /// where the engine has them.
    ///
    /// Nothing is read back. Usually some tables are rewritten, and that is all: shaders are compiled
    /// where the set of behaviours changes, and agents are binned anew where the grid does, which
    /// depends on the world and the largest radius. The bytes of all later ticks are those of an
    /// engine that loads the changed scene with the state that there is then.
    ///
    /// Agents outside a world that has changed are brought inside at once, as at the end of a tick:
    /// wrapped round once, or clamped to the walls. All others stay where they are. The engine stays
    /// as it was if this fails.
    fn update(&mut self, scene: &Scene, change: Change) -> Result<(), EngineError>;

    /// Adds agents between two ticks. Their ids ascend and are larger than all that this flock ever
    /// had; the tick of `agents` does not matter, and what they do not remember they start with. There
    /// is spare room: memory is allocated only when the flock has grown by half. The flock stays as it
    /// was if this fails.
    fn append(&mut self, agents: &FlockState) -> Result<(), EngineError>;

    /// Takes agents away between two ticks, by their ids, which no other agent will have. All others
    /// go on as they are: whatever an agent draws at random goes by its id. Takes none away if one of
    /// them is not there.
    fn remove(&mut self, ids: &[u32]) -> Result<(), EngineError>;

    /// Advances by `ticks`. A device may still be at work on return; see [`Engine::finish`].
    fn step(&mut self, ticks: u32) -> Result<(), EngineError>;

    /// Asks for a snapshot of the flock as it is after all ticks submitted so far. It is not waited
    /// for: [`Engine::poll`] returns it when it is here. One is under way at a time, and until it is
    /// here a request does nothing. [`Engine::load`] drops it.
    fn request(&mut self) -> Result<(), EngineError>;

    /// The snapshot that was asked for, once it is here. It does not wait. Call it often: each call
    /// brings over a part of a large flock.
    fn poll(&mut self) -> Result<Option<Snapshot>, EngineError>;

    /// Where a renderer finds the agents.
    fn agents(&self) -> AgentsAt<'_>;

    /// Turns the measurement of passes on or off.
    fn set_profiling(&mut self, on: bool);

    /// What the passes took in the last measured [`Engine::step`]; empty before one is done.
    fn profile(&mut self) -> Profile;

    /// Agents in the fullest grid cell, as of the last tick whose result is known on the host.
    fn largest_cell(&mut self) -> u32;

    /// Waits until everything submitted is done. This and what follows is for hosts that may wait;
    /// nothing else in an engine does, but for the measurement of passes on a device without a clock
    /// of its own.
    fn finish(&mut self) -> Result<(), EngineError>;

    /// The flock after all submitted ticks. Waits for it, and leaves alone what was asked for by
    /// [`Engine::request`].
    fn snapshot(&mut self) -> Result<Snapshot, EngineError>;

    /// The state after all submitted ticks. Waits for it.
    fn read_back(&mut self) -> Result<FlockState, EngineError> {
        Ok(self.snapshot()?.state)
    }

    /// The targets after all submitted ticks. Waits for them where they move by themselves.
    fn targets(&mut self) -> Result<Vec<Target>, EngineError> {
        Ok(self.snapshot()?.targets)
    }
}
