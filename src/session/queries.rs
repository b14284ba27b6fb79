//! A host's queries of a session.

use super::{Clock, Session, Source};
use flockwork_engine::distributed::DistributedEngine;
use flockwork_engine::{Engine, EngineError, Profile, Snapshot};
use flockwork_model::behaviours::Target;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;

impl<C: Clock> Session<C> {
    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &dyn Engine {
        &*self.runner.engine
    }

    /// The engine and the scene, for a renderer.
    pub fn engine_and_scene(&mut self) -> (&mut dyn Engine, &Scene) {
        (&mut *self.runner.engine, &self.editor.scene)
    }

    /// The current state to be looked at; where the host cannot wait for it, the one that was seen last.
    pub fn seen(&mut self) -> Result<FlockState, EngineError> {
        if self.runner.engine.waits() {
            return self.runner.engine.read_back();
        }
        self.set_continuous_snapshots(true);
        Ok(self.last_seen().clone())
    }

    /// The last state that has arrived on the host. Never waits; on a device the flock is further.
    #[must_use]
    pub fn last_seen(&self) -> &FlockState {
        &self.copies.state
    }

    /// The current state and targets.
    pub fn snapshot(&mut self) -> Result<Snapshot, EngineError> {
        self.runner.engine.snapshot()
    }

    /// Brings all agents to where a renderer finds them. In a flock over several processes they are
    /// elsewhere.
    pub fn gather(&mut self) -> Result<(), EngineError> {
        self.runner.engine.distributed_mut().map_or(Ok(()), DistributedEngine::gather)
    }

    /// Hands the current state to `take`, in chunks that ascend by id. A chunk of a flock over several
    /// processes has the agents with `most` consecutive ids; any other flock is one chunk.
    pub fn read_in_chunks(
        &mut self,
        most: usize,
        take: &mut dyn FnMut(&FlockState),
    ) -> Result<(), EngineError> {
        if let Some(engine) = self.runner.engine.distributed_mut() {
            return engine.read_in_chunks(most, take);
        }
        take(&self.runner.engine.read_back()?);
        Ok(())
    }

    /// The current state.
    pub fn state(&mut self) -> Result<FlockState, EngineError> {
        self.runner.engine.read_back()
    }

    /// The agents that this process moves: all of them, if no other process moves some. Waits.
    pub fn own_state(&mut self) -> Result<FlockState, EngineError> {
        match self.runner.engine.distributed_mut() {
            Some(engine) => engine.own_state(),
            None => self.runner.engine.read_back(),
        }
    }

    /// The targets at their current positions, to be looked at; where the host cannot wait for them, those
    /// that were seen last.
    pub fn targets(&mut self) -> Result<Vec<Target>, EngineError> {
        let moves = self.editor.scene.targets.iter().any(Target::moves);
        if self.runner.engine.waits() || !moves {
            return self.runner.engine.targets();
        }
        self.set_continuous_snapshots(true);
        Ok(self.copies.targets.clone())
    }

    /// Number of agents in the fullest grid cell.
    pub fn largest_cell(&mut self) -> u32 {
        self.runner.engine.largest_cell()
    }

    /// A sentence about the forces of rules in text that were no numbers so far; `None` if all were.
    pub fn broken_forces(&mut self) -> Option<String> {
        self.runner.engine.broken_forces().sentence(&self.editor.scene)
    }

    /// The current scene, except for targets that move by themselves.
    #[must_use]
    pub fn scene(&self) -> &Scene {
        &self.editor.scene
    }

    /// Number of agents.
    #[must_use]
    pub fn agents(&self) -> usize {
        self.runner.agents
    }

    /// Ticks since the start of the run.
    #[must_use]
    pub fn tick(&self) -> u64 {
        self.runner.tick
    }

    /// The latest known time of a tick; seconds.
    #[must_use]
    pub fn tick_time(&self) -> f64 {
        self.runner.cost
    }

    /// The latest times of the passes; empty for a flock that was loaded during a pause.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.runner.profile
    }

    /// A number that changes with every change of the flock.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.runner.revision
    }

    /// A number that changes with every change of the scene.
    #[must_use]
    pub fn edition(&self) -> u64 {
        self.runner.edition
    }

    /// The same with what the flock was made from: [`Session::source`] returns it.
    #[must_use]
    pub fn made_from(mut self, source: Source) -> Self {
        self.editor.source = source;
        self
    }

    /// The source of the flock.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.editor.source
    }

    /// True if there are no edits of this flock since they were saved.
    #[must_use]
    pub fn is_saved(&self) -> bool {
        self.editor.undo.is_saved()
    }

    /// Notes that all edits are saved, or that some are not.
    pub fn set_saved(&mut self, saved: bool) {
        self.editor.undo.set_saved(saved);
    }

    /// Notes that this flock is the one before it, started again: edits that were not saved are here now.
    pub fn set_restarted(&mut self, saved: bool) {
        self.set_saved(saved);
        self.scenes.set_last_saved();
    }

    /// The scene before all edits.
    #[must_use]
    pub fn original(&self) -> &Scene {
        &self.editor.original
    }

    /// A number that changes whenever another scene is opened.
    #[must_use]
    pub fn opened(&self) -> u64 {
        self.scenes.opened
    }

    /// The scene as it is edited, with targets that move by themselves where they start.
    #[must_use]
    pub fn edited_scene(&self) -> Scene {
        self.editor.edited()
    }

    /// Number of agents with which the edited scene starts.
    #[must_use]
    pub fn start_count(&self) -> u64 {
        self.editor.start_count(self.runner.agents)
    }

    /// The same for each species.
    #[must_use]
    pub fn start_counts(&self) -> Vec<u64> {
        self.editor.scene.shares(self.start_count())
    }

    /// The text of a scene file in the current folder that makes this flock from its start, as it is
    /// edited.
    #[must_use]
    pub fn file(&self) -> String {
        self.editor.file(self.runner.agents)
    }

    /// The source of a flock like this one from its start: a built-in scene with few overrides, or else the
    /// text of [`Self::file`].
    #[must_use]
    pub fn shared(&self) -> Source {
        let short = self.editor.source.shortest(&self.edited_scene(), self.start_count());
        short.unwrap_or_else(|_| Source { text: self.file(), ..Source::default() })
    }

    /// The command line that does the same; or why there is none.
    pub fn command_line(&self) -> Result<String, String> {
        self.editor.source.command_line(&self.edited_scene(), self.start_count())
    }
}
