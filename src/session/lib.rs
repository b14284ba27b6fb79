//! One flock in time. All hosts (the window, the commands) drive it.
//!
//! A [`Session`] owns an engine with its flock, the edited scene, the clock that decides how many
//! ticks are due, the edits that can be undone, the last snapshot, and a history of metrics. It
//! knows no window and no file. It reads time only through the host's closure, and it never sleeps.
//!
//! A host calls [`Session::advance`] again and again, and shows the flock when the result says so.
//! Hosts differ only in their [`Clock`].

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

mod appearance;
mod apply;
mod clock;
mod copies;
mod edit;
mod editor;
mod history;
mod original_scene;
mod pointer;
mod queries;
mod record;
mod resolve;
mod runner;
mod scene_object;
mod scene_ops;
mod scene_stack;
pub mod series;
mod source;
mod species_members;
mod speed;
mod timeline;
mod undo;

use std::sync::Arc;
use std::time::Duration;

pub use appearance::{Appearance, SpeciesAppearance};
pub use clock::{Clock, RealTime, Stops, TICKS_PER_SECOND};
pub use edit::{Counts, Despawn, Edit, EditError, Move, Parameters, Returned, SpawnBatch, Splice};
pub use history::{DEFAULT_BUDGET, Recorded};
pub use original_scene::{before_edits, original_species};
pub use record::{Recording, RecordingError, Unsaved};
pub use scene_object::SceneObject;
pub use scene_ops::pointer_help;
pub use source::{Opening, Source};
pub use speed::{SPEEDS, Speed};

use copies::Copies;
pub use copies::MAX_COPIED;
use editor::Editor;
use flockwork_engine::{Engine, EngineError};
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use runner::Runner;
use scene_stack::SceneStack;
pub use series::Watch;
use timeline::Timeline;

/// The host's clock: the time since any fixed moment. It never goes back.
pub type HostTime = Arc<dyn Fn() -> Duration + Send + Sync>;

/// The host's check of memory before a flock of a scene grows: the agents that it has, those that come,
/// and the engine that shall hold all. The error is a sentence for the user.
pub type Room = fn(&Scene, u64, u64, &dyn Engine) -> Result<(), String>;

/// The result of one call of [`Session::advance`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Advance {
    /// Ticks submitted.
    pub ticks: u32,
    /// Whether the host shows the flock now.
    pub show: bool,
}

/// A flock in time.
pub struct Session<C> {
    /// Decides how many ticks are due.
    pub clock: C,
    runner: Runner,
    editor: Editor,
    timeline: Timeline,
    copies: Copies,
    scenes: SceneStack,
    /// The next notice for the user.
    notice: Option<String>,
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
        session.editor = session.editor.starting_with(&state);
        session.load(state)?;
        session.finish_load()?;
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
        session.editor.next_id = after_last_id(state);
        session.runner.load(&session.editor.scene, state)?;
        Ok(session)
    }

    /// The same around an engine that has its flock already: `agents` agents at `tick`. For a host that lends
    /// the engine; [`Session::into_engine`] gives it back.
    pub fn around(
        engine: Box<dyn Engine>,
        scene: &Scene,
        (tick, agents): (u64, usize),
        clock: C,
        time: HostTime,
    ) -> Self {
        let mut session = Self::unloaded(engine, scene, clock, time);
        (session.runner.tick, session.runner.agents) = (tick, agents);
        session.editor.next_id = session.runner.engine.next_id();
        session
    }

    /// The engine, with its flock.
    pub fn into_engine(self) -> Box<dyn Engine> {
        self.runner.engine
    }

    fn unloaded(engine: Box<dyn Engine>, scene: &Scene, clock: C, time: HostTime) -> Self {
        Self {
            clock,
            runner: Runner::new(engine, time),
            editor: Editor::new(scene),
            timeline: Timeline::default(),
            copies: Copies::default(),
            scenes: SceneStack::default(),
            notice: None,
        }
    }

    /// Sets the check that every growth of the flock passes.
    pub fn set_room(&mut self, room: Room) {
        self.runner.room = room;
    }

    /// Loads a state into the engine. If that fails, the last copy still is the state.
    fn load(&mut self, state: Arc<FlockState>) -> Result<(), EngineError> {
        if self.editor.initial.is_some() {
            let targets = self.editor.scene.targets.clone();
            self.copies.take(Arc::clone(&state), targets, self.runner.now(), Duration::ZERO);
        }
        self.runner.load(&self.editor.scene, &state)
    }

    /// Prepares a newly loaded engine.
    fn finish_load(&mut self) -> Result<(), EngineError> {
        self.was_loaded();
        self.point()
    }

    /// The engine has another flock.
    fn was_loaded(&mut self) {
        self.copies.request = None;
        self.runner.engine.set_profiling(true);
        self.runner.change();
    }

    /// Submits the ticks that are due. The device may still be busy on return.
    pub fn advance(&mut self) -> Result<Advance, EngineError> {
        let begin = self.runner.now();
        self.collect(begin);
        let seeks = self.timeline.seek.is_some();
        let advanced = match seeks {
            true => self.advance_seek(),
            false => {
                let ticks = self.clock.due(begin, self.runner.tick, self.runner.cost);
                self.run(ticks).map(|()| ticks)
            }
        };
        let ticks = match advanced {
            // A recorded event waits for the flock. The next call goes on.
            Err(EngineError::NotYet) => 0,
            ticks => ticks?,
        };
        self.runner.read_times(ticks, begin, self.clock.is_paused())?;
        Ok(Advance { ticks, show: seeks || self.clock.shows(self.runner.tick) })
    }

    /// Waits until the device has done all submitted work, for hosts that may wait.
    pub fn finish(&mut self) -> Result<(), EngineError> {
        self.runner.engine.finish()
    }

    /// Restores the first state, with its agents, targets, obstacles and paths. Parameters stay as
    /// they are, and a new past begins. Undoing it brings back the flock as it was before.
    pub fn reset(&mut self) -> Result<(), EditError> {
        if self.editor.initial.is_none() {
            return Ok(());
        }
        self.check_start()?;
        self.remember_before_reset()?;
        self.clock.restart();
        self.editor.reset();
        let Some(initial) = self.start() else { return Ok(()) };
        self.editor.next_id = after_last_id(&initial);
        self.load(initial)?;
        self.finish_load()?;
        self.begin_history();
        Ok(())
    }
}

/// The first id that `state` and all states before it have not used.
fn after_last_id(state: &FlockState) -> u64 {
    state.id.iter().max().map_or(0, |id| u64::from(*id) + 1)
}

#[cfg(test)]
mod count_tests;
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
