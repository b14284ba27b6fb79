//! What there is to go on from when an engine loses its flock: a copy on the host, a second old.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use crate::engine::{Engine, EngineKind};
use crate::model::behaviours::Target;
use crate::model::state::FlockState;

/// From one copy to the next at least, and so many times what the last one took to arrive: the
/// copying must not be what slows the flock down.
const PATIENCE: Duration = Duration::from_secs(1);
const TIMES_THE_COST: u32 = 20;

/// No copy is made of more agents: it would double the half gigabyte that they take on the host.
const MOST_AGENTS: usize = 22_000_000;

/// The last state of a flock that is on the host, and its targets.
#[derive(Debug)]
pub struct Keeper<'a> {
    first: &'a FlockState,
    /// The agents; the first state where the engine's own flock is on the host.
    pub state: Cow<'a, FlockState>,
    /// The targets at the same tick.
    pub targets: Vec<Target>,
    asked: Option<Instant>,
    next: Instant,
}

impl<'a> Keeper<'a> {
    /// Of a flock that begins with `first`.
    pub fn new(first: &'a FlockState) -> Self {
        let state = Cow::Borrowed(first);
        Self { first, state, targets: Vec::new(), asked: None, next: Instant::now() }
    }

    /// Keeps a state that is being loaded; what is on its way is of the flock before.
    pub fn keep(&mut self, state: Cow<'a, FlockState>, targets: Vec<Target>) {
        (self.state, self.targets, self.asked) = (state, targets, None);
        self.next = Instant::now() + PATIENCE;
    }

    /// Gives the state back, for another one to be kept.
    pub fn take(&mut self) -> FlockState {
        std::mem::replace(&mut self.state, Cow::Borrowed(self.first)).into_owned()
    }

    /// Keeps nothing for an engine that has its flock on the host.
    pub fn trust(&mut self, engine: EngineKind) {
        if engine == EngineKind::Cpu {
            self.state = Cow::Borrowed(self.first);
        }
    }

    /// Keeps what has arrived from `engine`, and asks for more when it is time to. To be called in
    /// every frame; it waits for nothing.
    pub fn look_after(&mut self, engine: &mut dyn Engine, tick: u64) {
        let now = Instant::now();
        // What goes wrong here goes wrong in the next tick, which says so.
        if let Ok(Some(snapshot)) = engine.poll() {
            (self.state, self.targets) = (Cow::Owned(snapshot.state), snapshot.targets);
            let took = self.asked.take().map_or(Duration::ZERO, |asked| now - asked);
            self.next = now + PATIENCE.max(took * TIMES_THE_COST);
        }
        // While the clock stands there is nothing new.
        let fits = engine.kind() == EngineKind::Gpu && self.first.len() <= MOST_AGENTS;
        if fits && now >= self.next && self.state.tick != tick && engine.request().is_ok() {
            self.asked.get_or_insert(now);
            self.next = now + PATIENCE;
        }
    }
}
