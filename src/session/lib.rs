//! One flock in time. All hosts (the window, the commands) drive it.
//!
//! A [`Session`] owns an engine with its flock, the edited scene, the clock that decides how many
//! ticks are due, the edits that can be undone, the last snapshot, and a history of figures. It
//! knows no window and no file. It reads time only through the host's closure, and it never sleeps.
//!
//! A host calls [`Session::advance`] again and again, and shows the flock when the result says so.
//! Hosts differ only in their [`Clock`].

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

mod appearance;
mod apply;
mod clock;
mod counts;
mod edit;
mod engines;
mod history;
mod original_scene;
mod pointer;
mod queries;
mod record;
mod resolve;
mod scene_ops;
mod scene_stack;
pub mod series;
mod snapshots;
mod source;
mod species_members;
mod speed;
mod thing;
mod timeline;
mod undo;

use std::sync::Arc;
use std::time::Duration;

pub use appearance::{Appearance, SpeciesAppearance};
pub use clock::{Clock, RealTime, Stops, TICKS_PER_SECOND};
pub use edit::{Counts, Despawn, Edit, EditError, Move, Parameters, Returned, SpawnBatch, Splice};
pub use history::{DEFAULT_BUDGET, Recorded};
pub use original_scene::{before_edits, species_at_first};
pub use record::Recording;
pub use scene_ops::pointer_help;
pub use source::{Opening, Source};
pub use speed::{SPEEDS, Speed};
pub use thing::Thing;

use flockwork_engine::{Engine, EngineError, Profile, Snapshot};
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;
use history::{EditableScene, History, Keyframe, KeyframeMeta};
use scene_stack::SceneStack;
pub use series::Watch;
use series::{Samples, Series};
use snapshots::Snapshots;
use timeline::Seek;
use undo::UndoStack;

/// The host's clock: the time since any fixed moment. It never goes back.
pub type HostTime = Arc<dyn Fn() -> Duration + Send + Sync>;

/// The host's check of memory before a flock of a scene grows: the agents that it has, those that come,
/// and the engine that shall hold all. The error is a sentence for the user.
pub type Room = fn(&Scene, u64, u64, &dyn Engine) -> Result<(), String>;

/// The result of one call of [`Session::advance`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advance {
    /// Ticks submitted.
    pub ticks: u32,
    /// Whether the host shows the flock now.
    pub show: bool,
}

/// A requested snapshot.
#[derive(Clone, Debug)]
struct Request {
    at: Duration,
    /// How long the flock has waited for the copy.
    copying: Duration,
    /// The flock's revision at the request.
    revision: u64,
    meta: KeyframeMeta,
    /// True if the history keeps it.
    keeps: bool,
}

/// A flock in time.
pub struct Session<C> {
    engine: Box<dyn Engine>,
    /// The scene with all edits. Targets that move by themselves are where they were last read.
    scene: Scene,
    /// The scene before all edits.
    original: Scene,
    /// The state that a reset restores; `None` in a run that cannot be reset.
    initial: Option<Arc<FlockState>>,
    snapshots: Snapshots,
    undo: UndoStack,
    /// The source of the flock.
    source: Source,
    scenes: SceneStack,
    history: History,
    seek: Option<Seek>,
    /// The content of the scene at an edition, shared by snapshots.
    content: Option<(u64, Arc<EditableScene>)>,
    /// The next notice for the user.
    notice: Option<String>,
    /// Scenes opened so far.
    opened: u64,
    series: Series,
    /// How often states are measured.
    watch: Watch,
    samples: Samples,
    /// True if the host wants snapshots as often as the device can make them.
    continuous_snapshots: bool,
    /// The snapshot that is under way.
    request: Option<Request>,
    /// Decides how many ticks are due.
    pub clock: C,
    time: HostTime,
    room: Room,
    tick: u64,
    agents: usize,
    /// The id of the next new agent.
    next_id: u64,
    /// Where the flock is called to.
    pointer: Option<Point>,
    /// The user's pointer. A replay may call the flock elsewhere.
    user_pointer: Option<Point>,
    /// Random paths since the start.
    new_paths: u32,
    profile: Profile,
    /// The latest known time of a tick; seconds.
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
        session.begin_history();
        Ok(session)
    }

    /// The same, for a run that is never reset: it keeps no state besides the engine's.
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
        let scene = before_edits(scene);
        Self {
            engine,
            original: scene.clone(),
            scene,
            initial: None,
            snapshots: Snapshots::default(),
            undo: UndoStack::default(),
            source: Source::default(),
            scenes: SceneStack::default(),
            history: History::default(),
            seek: None,
            content: None,
            notice: None,
            opened: 0,
            series: Series::default(),
            watch: Watch::Off,
            samples: Samples::default(),
            continuous_snapshots: false,
            request: None,
            clock,
            time,
            room: |_, _, _, _| Ok(()),
            tick: 0,
            agents: 0,
            next_id: 0,
            pointer: None,
            user_pointer: None,
            new_paths: 0,
            profile: Profile::default(),
            cost: 0.0,
            revision: 0,
            edition: 0,
        }
    }

    /// Sets the check that every growth of the flock passes.
    pub fn set_room(&mut self, room: Room) {
        self.room = room;
    }

    /// Loads a state into the engine. If that fails, the snapshot still keeps the state.
    fn load(&mut self, state: Arc<FlockState>) -> Result<(), EngineError> {
        let now = (self.time)();
        self.snapshots.keep(Arc::clone(&state), self.scene.targets.clone(), now);
        self.engine.load(&self.scene, &state)?;
        (self.tick, self.agents) = (state.tick, state.len());
        Ok(())
    }

    /// Prepares a newly loaded engine.
    fn settle(&mut self) -> Result<(), EngineError> {
        self.request = None;
        self.engine.set_profiling(true);
        self.revision += 1;
        self.edition += 1;
        self.point()
    }

    /// Submits the ticks that are due. The device may still be busy on return.
    pub fn advance(&mut self) -> Result<Advance, EngineError> {
        let begin = (self.time)();
        self.collect(begin);
        let seeks = self.seek.is_some();
        let ticks = match seeks {
            true => self.advance_seek()?,
            false => {
                let ticks = self.clock.due(begin, self.tick, self.cost);
                self.run(ticks)?;
                ticks
            }
        };
        self.read_profile()?;
        if ticks > 0 {
            let wall = ((self.time)() - begin).as_secs_f64() / f64::from(ticks);
            // A GPU still computes after `step` has returned; its own clock measures the whole
            // time.
            let passes: f64 = self.profile.passes.iter().map(|pass| pass.time.as_secs_f64()).sum();
            self.cost = wall.max(passes);
        }
        Ok(Advance { ticks, show: seeks || self.clock.shows(self.tick) })
    }

    /// Updates the times of the passes; a newly loaded flock has none. While the flock runs, the
    /// old times stay until new ones arrive. While it is paused they do not, because new ones may
    /// never arrive.
    fn read_profile(&mut self) -> Result<(), EngineError> {
        let paused = self.clock.is_paused();
        if paused {
            // While paused there is no next frame that could read the times of this one.
            self.engine.finish()?;
        }
        let profile = self.engine.profile();
        if paused || !profile.passes.is_empty() {
            self.profile = profile;
        }
        Ok(())
    }

    /// Waits until the device has done all submitted work, for hosts that may wait.
    pub fn finish(&mut self) -> Result<(), EngineError> {
        self.engine.finish()
    }

    /// Collects the requested snapshot if it has arrived, and requests the next one if it is due.
    /// Never waits. Ignores an engine that fails here, because the next tick reports the failure.
    fn collect(&mut self, now: Duration) {
        if self.request.is_some()
            && let Ok(Some(Snapshot { state, targets })) = self.engine.poll()
            && let Some(request) = self.request.take()
        {
            let state = Arc::new(state);
            let copying = request.copying + (self.time)().saturating_sub(now);
            self.offer(&state, request.revision, now, copying);
            if self.initial.is_some() {
                let took = now.saturating_sub(request.at);
                self.snapshots.take(Arc::clone(&state), targets.clone(), now, took);
                if request.keeps {
                    self.history.take(Keyframe { state, targets, meta: request.meta }, now, took);
                }
            }
        }
        let kept = self.initial.is_some()
            && self.snapshots.is_due(self.engine.kind(), self.agents, self.tick, now);
        let measured = self.wants_sample(now);
        let past = self.history.is_due(self.tick, self.agents, now);
        let pursued = self.continuous_snapshots && self.snapshots.state().tick != self.tick;
        if (kept || measured || past || pursued)
            && self.request.is_none()
            && self.engine.request().is_ok()
        {
            let (revision, meta) = (self.revision, self.keyframe_meta());
            let copying = (self.time)().saturating_sub(now);
            self.request = Some(Request { at: now, copying, revision, meta, keeps: past });
        }
    }

    /// Turns frequent snapshots on or off. With them [`Session::last_seen`] is as new as the device
    /// allows, for a host that must not wait for the agents.
    pub fn set_continuous_snapshots(&mut self, on: bool) {
        self.continuous_snapshots = on;
    }

    /// True while a snapshot is under way: the host should call [`Session::advance`] soon, even if
    /// the flock is paused.
    #[must_use]
    pub fn awaits_snapshot(&self) -> bool {
        self.request.is_some()
    }

    /// Restores the first state, with its agents, targets, obstacles and paths. Parameters stay as
    /// they are, and a new past begins. Undoing it brings back the flock as it was before.
    pub fn reset(&mut self) -> Result<(), EngineError> {
        if self.initial.is_none() {
            return Ok(());
        }
        self.leave()?;
        self.clock.restart();
        if scene_ops::is_swapped(&self.scene, &self.original) {
            scene_ops::swap_seek_flee(&mut self.scene, &self.original);
        }
        self.new_paths = 0;
        // Those that the user has added stay, and those removed stay away.
        for target in &mut self.scene.targets {
            if let Some(first) = self.original.targets.iter().find(|t| t.name == target.name) {
                target.clone_from(first);
            }
        }
        if self.scene.obstacles.len() == self.original.obstacles.len() {
            self.scene.obstacles.clone_from(&self.original.obstacles);
        }
        for path in &mut self.scene.paths {
            if let Some(first) = self.original.paths.iter().find(|p| p.name == path.name) {
                path.points.clone_from(&first.points);
            }
        }
        let Some(initial) = self.start() else { return Ok(()) };
        self.next_id = after_last_id(&initial);
        self.load(initial)?;
        self.settle()?;
        self.begin_history();
        Ok(())
    }
}

/// The first id that `state` and all states before it have not used.
fn after_last_id(state: &FlockState) -> u64 {
    state.id.iter().max().map_or(0, |id| u64::from(*id) + 1)
}

#[cfg(test)]
mod engine_tests;
#[cfg(test)]
mod hands;
#[cfg(test)]
mod member_tests;
#[cfg(test)]
mod path_tests;
#[cfg(test)]
mod scene_tests;
#[cfg(test)]
mod series_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod time_tests;
#[cfg(test)]
mod undo_tests;
#[cfg(test)]
mod walk_tests;
