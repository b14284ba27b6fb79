//! One flock in time: what every host (the window, the commands) drives.
//!
//! A [`Session`] owns an engine with its flock, the scene as it is edited, the clock that says how
//! many ticks are due, the edits that can be undone, the last snapshot, and a history of figures. It
//! knows no window and no file. It reads time only through the closure that the host gives it, and
//! it never sleeps.
//!
//! A host calls [`Session::advance`] again and again, and shows the flock when that says so. Hosts
//! differ only in their [`Clock`].

mod clock;
mod editing;
mod edits;
pub mod series;
mod snapshots;
mod thing;
mod undo;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

pub use clock::{Clock, RealTime, Stops, TICKS_PER_SECOND};
pub use editing::Refusal;
pub use edits::{pointer_help, values_at_first};
pub use thing::Thing;

use crate::engine::{Change, Engine, EngineError, Profile};
use crate::model::behaviours::Target;
use crate::model::scene::Scene;
use crate::model::state::FlockState;
use crate::model::vector::Point;
use crate::model::world::Boundary;
use series::Series;
use snapshots::Snapshots;
use undo::UndoStack;

/// The host's clock: the time since any fixed moment. It never goes back.
pub type HostTime = Rc<dyn Fn() -> Duration>;

/// What one call of [`Session::advance`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advance {
    /// Ticks submitted.
    pub ticks: u32,
    /// Whether the host shows the flock now.
    pub show: bool,
}

/// A snapshot that was asked for.
#[derive(Clone, Copy, Debug)]
struct Request {
    at: Duration,
    /// That of the flock then.
    revision: u64,
}

/// A flock in time.
pub struct Session<C> {
    engine: Box<dyn Engine>,
    /// The scene with all edits. Targets that move by themselves are where they last were read.
    scene: Scene,
    /// The scene before all edits.
    first: Scene,
    /// The state that a reset goes back to; none in a run that never goes back.
    initial: Option<Arc<FlockState>>,
    snapshots: Snapshots,
    undo: UndoStack,
    series: Series,
    /// Whether figures are recorded.
    watches: bool,
    /// The snapshot that is on its way.
    request: Option<Request>,
    /// Says how many ticks are due.
    pub clock: C,
    time: HostTime,
    tick: u64,
    agents: usize,
    /// The id of the next new agent.
    next_id: u64,
    pointer: Option<Point>,
    /// New paths since the start.
    paths: u32,
    profile: Profile,
    /// Seconds that a tick takes, as far as is known.
    cost: f64,
    revision: u64,
    edition: u64,
}

impl<C: Clock> Session<C> {
    /// Loads a flock into `engine`. The session keeps the first state for [`Session::reset`], and
    /// snapshots for [`Session::rescue`].
    pub fn new(
        engine: Box<dyn Engine>,
        scene: &Scene,
        state: Arc<FlockState>,
        clock: C,
        time: HostTime,
    ) -> Result<Self, EngineError> {
        let mut session = Self::unloaded(engine, scene, clock, time);
        session.initial = Some(Arc::clone(&state));
        session.next_id = after_last_id(&state);
        session.load(state)?;
        session.settle()?;
        Ok(session)
    }

    /// The same for a run that never goes back: it keeps no state beside the engine's.
    pub fn forward(
        engine: Box<dyn Engine>,
        scene: &Scene,
        state: &FlockState,
        clock: C,
        time: HostTime,
    ) -> Result<Self, EngineError> {
        let mut session = Self::unloaded(engine, scene, clock, time);
        session.next_id = after_last_id(state);
        session.engine.load(&session.scene, state)?;
        (session.tick, session.agents) = (state.tick, state.len());
        Ok(session)
    }

    fn unloaded(engine: Box<dyn Engine>, scene: &Scene, clock: C, time: HostTime) -> Self {
        Self {
            engine,
            scene: scene.clone(),
            first: scene.clone(),
            initial: None,
            snapshots: Snapshots::default(),
            undo: UndoStack::default(),
            series: Series::default(),
            watches: false,
            request: None,
            clock,
            time,
            tick: 0,
            agents: 0,
            next_id: 0,
            pointer: None,
            paths: 0,
            profile: Profile::default(),
            cost: 0.0,
            revision: 0,
            edition: 0,
        }
    }

    /// Loads a state into the engine. The snapshot keeps it even if that fails.
    fn load(&mut self, state: Arc<FlockState>) -> Result<(), EngineError> {
        let now = (self.time)();
        self.snapshots.keep(Arc::clone(&state), self.scene.targets.clone(), now);
        self.engine.load(&self.scene, &state)?;
        (self.tick, self.agents) = (state.tick, state.len());
        Ok(())
    }

    /// Prepares an engine that has just been loaded.
    fn settle(&mut self) -> Result<(), EngineError> {
        self.request = None;
        self.engine.set_profiling(true);
        self.revision += 1;
        self.edition += 1;
        self.point()
    }

    /// Puts the target `pointer` where the pointer is.
    fn point(&mut self) -> Result<(), EngineError> {
        let Some(target) = self.scene.targets.first_mut() else { return Ok(()) };
        target.active = self.pointer.is_some();
        target.position = self.pointer.unwrap_or(target.position);
        self.engine.update(&self.scene, Change::POINTER)
    }

    /// Submits the ticks that are due. The device may still compute when this returns.
    pub fn advance(&mut self) -> Result<Advance, EngineError> {
        let begin = (self.time)();
        self.collect(begin);
        let ticks = self.clock.due(begin, self.tick, self.cost);
        if ticks > 0 {
            self.engine.step(ticks)?;
            self.tick += u64::from(ticks);
            self.revision += 1;
        }
        self.read_profile()?;
        if ticks > 0 {
            let wall = ((self.time)() - begin).as_secs_f64() / f64::from(ticks);
            // A GPU still computes after `step` has returned; its own clock has the time.
            let passes: f64 = self.profile.passes.iter().map(|pass| pass.time.as_secs_f64()).sum();
            self.cost = wall.max(passes);
        }
        Ok(Advance { ticks, show: self.clock.shows(self.tick) })
    }

    /// Updates the times of the passes. A flock that has just been loaded has none. While it runs,
    /// the last times stay until there are new ones; while it is paused, there may never be any.
    fn read_profile(&mut self) -> Result<(), EngineError> {
        let paused = self.clock.is_paused();
        if paused {
            // There is no next frame to read the times of this one.
            self.engine.finish()?;
        }
        let profile = self.engine.profile();
        if paused || !profile.passes.is_empty() {
            self.profile = profile;
        }
        Ok(())
    }

    /// Waits until the device has done everything that was submitted, for hosts that may wait.
    pub fn finish(&mut self) -> Result<(), EngineError> {
        self.engine.finish()
    }

    /// Takes the snapshot that was asked for, if it has arrived, and asks for the next one if it is
    /// due. Does not wait. An engine that fails here fails in the next tick too, which says so.
    fn collect(&mut self, now: Duration) {
        if let Some(request) = self.request
            && let Ok(Some(snapshot)) = self.engine.poll()
        {
            self.request = None;
            if self.watches {
                self.series.record(&self.scene, &snapshot.state, request.revision, &*self.time);
            }
            if self.initial.is_some() {
                self.snapshots.take(snapshot, now, now.saturating_sub(request.at));
            }
        }
        let paused = self.clock.is_paused();
        let kept = self.initial.is_some()
            && self.snapshots.is_due(self.engine.kind(), self.agents, self.tick, now);
        let recorded = self.watches && self.series.is_due(self.revision, now, paused);
        if (kept || recorded) && self.request.is_none() && self.engine.request().is_ok() {
            self.request = Some(Request { at: now, revision: self.revision });
        }
    }

    /// Starts or stops the recording of figures.
    pub fn watch(&mut self, on: bool) {
        self.watches = on;
    }

    /// True while a snapshot is on its way: the host should call [`Session::advance`] soon, even if
    /// the flock is paused.
    #[must_use]
    pub fn awaits_snapshot(&self) -> bool {
        self.request.is_some()
    }

    /// Goes back to the first state, with its agents, targets, obstacles and paths. Parameters stay
    /// as they are; edits before this cannot be undone after it.
    pub fn reset(&mut self) -> Result<(), EngineError> {
        let Some(initial) = self.initial.clone() else { return Ok(()) };
        self.clock.restart();
        self.undo.clear();
        self.series.clear();
        if edits::is_turned(&self.scene, &self.first) {
            edits::turn_round(&mut self.scene, &self.first);
        }
        self.paths = 0;
        self.scene.targets.clone_from(&self.first.targets);
        self.scene.obstacles.clone_from(&self.first.obstacles);
        self.scene.paths.clone_from(&self.first.paths);
        self.next_id = after_last_id(&initial);
        self.load(initial)?;
        self.settle()
    }

    /// Goes on with another engine from the state that this one has reached. If the other one cannot
    /// take the flock, this one keeps it.
    pub fn switch(&mut self, mut engine: Box<dyn Engine>) -> Result<(), EngineError> {
        let state = self.engine.read_back()?;
        let scene = Scene { targets: self.engine.targets()?, ..self.scene.clone() };
        engine.load(&scene, &state)?;
        self.snapshots.keep(Arc::new(state), scene.targets, (self.time)());
        self.replace(engine)
    }

    /// Goes on with another engine from the last snapshot, because this one has lost its flock.
    /// Returns the tick of the snapshot.
    pub fn rescue(&mut self, mut engine: Box<dyn Engine>) -> Result<u64, EngineError> {
        let state = self.snapshots.state();
        let mut scene = self.scene.clone();
        // Targets that rest are where edits have put them since.
        for (target, kept) in scene.targets.iter_mut().zip(self.snapshots.targets()) {
            if kept.moves() {
                target.clone_from(kept);
            }
        }
        engine.load(&scene, state)?;
        (self.tick, self.agents) = (state.tick, state.len());
        // Agents that came after the snapshot are gone, and with them what could be undone.
        self.undo.clear();
        self.replace(engine)?;
        Ok(self.tick)
    }

    /// Takes an engine that has the flock.
    fn replace(&mut self, engine: Box<dyn Engine>) -> Result<(), EngineError> {
        self.engine = engine;
        self.profile = Profile::default();
        self.cost = 0.0;
        self.settle()
    }

    /// Moves the target `pointer`, or takes it away.
    pub fn set_pointer(&mut self, pointer: Option<Point>) -> Result<(), EngineError> {
        // A world that wraps has nothing outside: the pointer is at the same place inside.
        let world = self.scene.world;
        let wraps = world.boundary == Boundary::Wrap;
        let pointer = pointer.map(|p| if wraps { edits::inside(&world, p) } else { p });
        if std::mem::replace(&mut self.pointer, pointer) == pointer {
            return Ok(());
        }
        self.point()
    }

    /// Moves the target that follows the mouse, if the scene has one.
    pub fn lead(&mut self, place: Point) -> Result<(), EngineError> {
        let Some(index) = self.scene.led_target() else { return Ok(()) };
        let place = edits::inside(&self.scene.world, place);
        self.scene.targets[index].position = place;
        self.engine.update(&self.scene, Change::target(index))?;
        // Agents have not moved, but what they steer by has.
        self.revision += 1;
        Ok(())
    }

    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &dyn Engine {
        &*self.engine
    }

    /// The engine and the scene, for a renderer.
    pub fn engine_and_scene(&mut self) -> (&mut dyn Engine, &Scene) {
        (&mut *self.engine, &self.scene)
    }

    /// The state now.
    pub fn state(&mut self) -> Result<FlockState, EngineError> {
        self.engine.read_back()
    }

    /// The targets where they are now.
    pub fn targets(&mut self) -> Result<Vec<Target>, EngineError> {
        self.engine.targets()
    }

    /// Number of agents in the fullest grid cell.
    pub fn largest_cell(&mut self) -> u32 {
        self.engine.largest_cell()
    }

    /// The scene as it is now, except for targets that move by themselves.
    #[must_use]
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Number of agents.
    #[must_use]
    pub fn agents(&self) -> usize {
        self.agents
    }

    /// Ticks since the start of the run.
    #[must_use]
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// The last times of the passes; none of a flock that was loaded during a pause.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The figures recorded so far.
    #[must_use]
    pub fn series(&self) -> &Series {
        &self.series
    }

    /// Another number after every change of the flock.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Another number after every change of the scene.
    #[must_use]
    pub fn edition(&self) -> u64 {
        self.edition
    }
}

/// The first id that no agent of `state` and none before them has had.
fn after_last_id(state: &FlockState) -> u64 {
    state.id.iter().max().map_or(0, |id| u64::from(*id) + 1)
}

#[cfg(test)]
mod tests;
