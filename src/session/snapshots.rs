//! The last state on the host, to resume from if the engine loses its flock.

use std::sync::Arc;
use std::time::Duration;

use flockwork_engine::EngineKind;
use flockwork_model::behaviours::Target;
use flockwork_model::state::FlockState;

/// Shortest time between two snapshots. The interval is also at least `TIMES_THE_COST` times as
/// long as the last one took to arrive, so that copying does not slow the flock down.
const INTERVAL: Duration = Duration::from_secs(1);
const TIMES_THE_COST: u32 = 20;

/// Larger flocks get no snapshot: it would double the half gigabyte of host memory that they take.
const MOST_AGENTS: usize = 22_000_000;

/// The last state of a flock on the host, and its targets.
#[derive(Debug, Default)]
pub struct Snapshots {
    state: Arc<FlockState>,
    targets: Vec<Target>,
    next: Duration,
}

impl Snapshots {
    /// The agents.
    pub fn state(&self) -> &FlockState {
        &self.state
    }

    /// The same, shared.
    pub fn shared(&self) -> Arc<FlockState> {
        Arc::clone(&self.state)
    }

    /// The targets at the same tick.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Keeps a state that is being loaded.
    pub fn keep(&mut self, state: Arc<FlockState>, targets: Vec<Target>, now: Duration) {
        (self.state, self.targets) = (state, targets);
        self.next = now + INTERVAL;
    }

    /// Keeps a snapshot, which took this long to arrive.
    pub fn take(
        &mut self,
        state: Arc<FlockState>,
        targets: Vec<Target>,
        now: Duration,
        took: Duration,
    ) {
        (self.state, self.targets) = (state, targets);
        self.next = now + INTERVAL.max(took * TIMES_THE_COST);
    }

    /// Makes the next snapshot due, because the flock has other agents.
    pub fn hurry(&mut self) {
        self.next = Duration::ZERO;
    }

    /// True if a snapshot is due. An engine on the host cannot lose its flock, and a flock that
    /// stands still has nothing new.
    pub fn is_due(&self, engine: EngineKind, agents: usize, tick: u64, now: Duration) -> bool {
        let changed = self.state.tick != tick || self.state.len() != agents;
        engine == EngineKind::Gpu && agents <= MOST_AGENTS && changed && now >= self.next
    }
}
