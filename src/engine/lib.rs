//! Moves the flock. Two engines of equal rank behind one trait: [`cpu`] and [`gpu`].

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

mod agents;
mod broken;
mod change;
pub mod cpu;
pub mod distributed;
mod error;
#[cfg(feature = "gpu")]
pub mod gpu;
mod ids;
mod near;
mod stopwatch;

use std::time::Duration;

use distributed::DistributedEngine;

pub use agents::{AgentsAt, Component, DeviceAgents, HostAgents};
pub use broken::BrokenForces;
pub use change::Change;
pub use error::EngineError;

use flockwork_model::behaviours::Target;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;

/// The kind of an engine.
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
    /// The pass's name, which is also the name of its file and its label.
    pub pass: &'static str,
    /// Per tick.
    pub time: Duration,
}

/// The times of the passes of one tick.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// In the order of the tick.
    pub passes: Vec<PassTime>,
    /// True if the device's clock measured them, false for wall time.
    pub by_timestamps: bool,
}

/// Items for the project's own tests; not part of the interface.
#[doc(hidden)]
pub mod internals {
    /// Lets a type be an engine.
    pub trait Sealed {}
}

/// A flock at one tick.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The agents.
    pub state: FlockState,
    /// The targets at the same tick.
    pub targets: Vec<Target>,
}

/// Moves a flock. Sealed: the engines of this crate implement it, and others may not.
///
/// Between ticks an engine keeps its agents sorted by grid cell, and within a cell by id; callers
/// get them in the order of their ids. The same scene, state and engine give the same bytes on
/// every run, also if the state is saved and loaded between two ticks.
pub trait Engine: Send + internals::Sealed {
    /// The kind of this engine.
    fn kind(&self) -> EngineKind;

    /// The hardware in use: the adapter's name, or processor, threads and instruction set.
    fn describe(&self) -> String;

    /// Fails if this many agents of a scene do not fit. Allocates nothing.
    fn check_count(&self, scene: &Scene, count: u64) -> Result<(), EngineError> {
        let _ = (scene, count);
        Ok(())
    }

    /// The most bytes of host memory that this engine needs while it loads `agents` of a scene on
    /// a grid of `cells`.
    fn host_bytes(&self, scene: &Scene, agents: u64, cells: u64) -> u64 {
        let _ = (scene, agents, cells);
        0
    }

    /// Replaces the flock by a new one, with its scene (parameters, world) and state.
    fn load(&mut self, scene: &Scene, state: &FlockState) -> Result<(), EngineError>;

    /// Applies the parts of `scene` that `change` names, before the next tick. The agents stay as
    /// they are, and so do all other parts: in the same world targets that move by themselves stay where the
    /// engine has them.
    ///
    /// A device gives the flock back only if there are fewer species, or other numbers that agents keep: see
    /// [`Engine::waits`]. Most updates only rewrite some tables. Shaders are compiled if the set
    /// of behaviours changes. Agents are binned again if the grid changes, which depends on the
    /// world and the largest radius. All later ticks have the same bytes as in an engine that
    /// loads the changed scene with the current state.
    ///
    /// If the world changes, agents outside it move inside at once, as at the end of a tick:
    /// wrapped once, or clamped to the walls. All others stay in place. The number of the world's
    /// axes cannot change, and a species that goes has no agents. If this fails, the engine is unchanged.
    fn update(&mut self, scene: &Scene, change: Change) -> Result<(), EngineError>;

    /// Adds agents between two ticks. Their ids must ascend and be larger than all ids that this
    /// flock ever had; [`Engine::spawn`] chooses such ids. Positions and velocities are finite, and positions
    /// inside a world that has an edge. The tick of `agents` is ignored; if they have no memory, they get a fresh
    /// one. Every allocation leaves half as much again as spare room, so most calls allocate
    /// nothing. If this fails, the flock is unchanged.
    fn append(&mut self, agents: &FlockState) -> Result<(), EngineError>;

    /// Adds agents between two ticks, with ids that no agent of this flock ever had, and returns the ids in
    /// the order of the agents. Positions in world units, velocities in world units per tick, `species` by
    /// their number in the scene; the three have equal lengths. The agents get a fresh memory. If this
    /// fails, the flock is unchanged.
    fn spawn(
        &mut self,
        positions: &[Point],
        velocities: &[Point],
        species: &[u8],
    ) -> Result<Vec<u32>, EngineError> {
        let _ = (positions, velocities, species);
        Err(EngineError::Fixed)
    }

    /// The ids of the agents less than `radius` world units away from agent `id` after all submitted
    /// ticks, ascending, without `id` itself. In a wrapped world the shortest way counts. Waits for a
    /// device.
    fn neighbours(&mut self, id: u32, radius: f32) -> Result<Vec<u32>, EngineError> {
        let _ = (id, radius);
        Err(EngineError::Fixed)
    }

    /// The smallest id that no agent of this flock ever had; 0 if it takes no more agents.
    fn next_id(&self) -> u64 {
        0
    }

    /// Removes agents by id between two ticks; their ids are never used again. The other agents
    /// continue as before, because random numbers depend on the id. If one of the ids is not
    /// present, this fails and removes none.
    fn remove(&mut self, ids: &[u32]) -> Result<(), EngineError>;

    /// Advances by `ticks`. A device may still be busy on return; see [`Engine::finish`].
    fn step(&mut self, ticks: u32) -> Result<(), EngineError>;

    /// Starts a copy of the flock as it is after all ticks submitted so far, and returns at once;
    /// [`Engine::poll`] returns the copy when it has arrived. Only one copy is under way at a time:
    /// until it has arrived, further requests do nothing. [`Engine::load`] cancels it.
    fn request(&mut self) -> Result<(), EngineError>;

    /// The snapshot from [`Engine::request`], if it has arrived. Never waits. Call it often: each
    /// call copies one part of a large flock.
    fn poll(&mut self) -> Result<Option<Snapshot>, EngineError>;

    /// Access to the agents, for a renderer.
    fn agents(&self) -> AgentsAt<'_>;

    /// Turns the measurement of passes on or off.
    fn set_profiling(&mut self, on: bool);

    /// This engine, if it moves a flock together with other processes.
    fn distributed(&self) -> Option<&DistributedEngine> {
        None
    }

    /// The same, to be changed.
    fn distributed_mut(&mut self) -> Option<&mut DistributedEngine> {
        None
    }

    /// The times of the passes in the last measured [`Engine::step`]; empty before the first.
    fn profile(&mut self) -> Profile;

    /// Number of agents in the fullest grid cell, at the last tick whose result has reached the
    /// host.
    fn largest_cell(&mut self) -> u32;

    /// Forces of rules in text that were no numbers since the flock was loaded, until the last tick whose
    /// result has reached the host; after [`Engine::finish`] that is the last tick.
    fn broken_forces(&mut self) -> BrokenForces {
        BrokenForces::default()
    }

    /// False if the host cannot wait for the device. The methods below then fail with
    /// [`EngineError::NotYet`] until the copy has arrived that their first call has asked for. Call again later:
    /// a tick or an edit in between asks anew, but for [`Engine::remove`].
    fn waits(&self) -> bool {
        true
    }

    /// Waits until all submitted work is done. This method and those below are for hosts that may
    /// wait. No other method waits, except while passes are measured on a device without a clock.
    fn finish(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    /// The flock after all submitted ticks. Waits for it, and does not affect [`Engine::request`].
    fn snapshot(&mut self) -> Result<Snapshot, EngineError>;

    /// The state after all submitted ticks. Waits for it.
    fn read_back(&mut self) -> Result<FlockState, EngineError> {
        Ok(self.snapshot()?.state)
    }

    /// The targets after all submitted ticks. Waits for them if they move by themselves.
    fn targets(&mut self) -> Result<Vec<Target>, EngineError> {
        Ok(self.snapshot()?.targets)
    }
}
