//! The engine under a flock, how far it is and how long ticks take; and another engine in its place.

use std::sync::Arc;
use std::time::Duration;

use super::{Clock, HostTime, Room, Session};
use flockwork_engine::{Engine, EngineError, Profile};
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;

/// An engine with its flock.
pub struct Runner {
    pub engine: Box<dyn Engine>,
    time: HostTime,
    pub room: Room,
    pub tick: u64,
    pub agents: usize,
    pub profile: Profile,
    /// The latest known time of a tick; seconds.
    pub cost: f64,
    /// A number that changes with every change of the flock.
    pub revision: u64,
    /// A number that changes with every change of the scene.
    pub edition: u64,
}

impl Runner {
    pub fn new(engine: Box<dyn Engine>, time: HostTime) -> Self {
        Self {
            engine,
            time,
            room: |_, _, _, _| Ok(()),
            tick: 0,
            agents: 0,
            profile: Profile::default(),
            cost: 0.0,
            revision: 0,
            edition: 0,
        }
    }

    pub fn now(&self) -> Duration {
        (self.time)()
    }

    /// Loads a state of a scene.
    pub fn load(&mut self, scene: &Scene, state: &FlockState) -> Result<(), EngineError> {
        self.engine.load(scene, state)?;
        (self.tick, self.agents) = (state.tick, state.len());
        Ok(())
    }

    /// Notes that flock and scene have changed.
    pub fn change(&mut self) {
        self.revision += 1;
        self.edition += 1;
    }

    /// Forgets how long ticks take: the next ones are another flock's, or another engine's.
    pub fn forget_times(&mut self) {
        (self.profile, self.cost) = (Profile::default(), 0.0);
    }

    /// Updates the times of the passes and of a tick; a newly loaded flock has none. `ticks` were taken since
    /// `begin`. While the flock runs, the old times stay until new ones arrive. While it is paused they do
    /// not, because new ones may never arrive.
    pub fn read_times(
        &mut self,
        ticks: u32,
        begin: Duration,
        paused: bool,
    ) -> Result<(), EngineError> {
        if paused {
            // While paused there is no next frame that could read the times of this one.
            self.engine.finish()?;
        }
        let profile = self.engine.profile();
        if paused || !profile.passes.is_empty() {
            self.profile = profile;
        }
        if ticks > 0 {
            let wall = (self.now() - begin).as_secs_f64() / f64::from(ticks);
            // A GPU still computes after `step` has returned; its own clock measures the whole
            // time.
            let passes: f64 = self.profile.passes.iter().map(|pass| pass.time.as_secs_f64()).sum();
            self.cost = wall.max(passes);
        }
        Ok(())
    }
}

impl<C: Clock> Session<C> {
    /// Continues on another engine from the current state. If that engine cannot take the flock,
    /// this one keeps it.
    pub fn switch(&mut self, mut engine: Box<dyn Engine>) -> Result<(), EngineError> {
        let state = self.runner.engine.read_back()?;
        let scene = self.editor.scene.with_targets(self.runner.engine.targets()?);
        engine.load(&scene, &state)?;
        self.copies.take(Arc::new(state), scene.targets, self.runner.now(), Duration::ZERO);
        self.replace(engine)
    }

    /// Continues on another engine from the last snapshot, because this one has lost its flock.
    /// Returns the tick of the snapshot. Fails if the session keeps none: only one of
    /// [`Session::new`] does.
    pub fn rescue(&mut self, mut engine: Box<dyn Engine>) -> Result<u64, EngineError> {
        if self.editor.initial.is_none() {
            return Err(EngineError::NoCopy);
        }
        let state = &mut self.copies.state;
        // It may be older than the undo of a new species.
        let species = self.editor.scene.species.len();
        let is_known = |row: &usize| usize::from(state.species[*row]) < species;
        let known: Vec<usize> = (0..state.len()).filter(is_known).collect();
        if known.len() < state.len() {
            *state = Arc::new(state.in_order(&known));
        }
        let mut scene = self.editor.scene.clone();
        // Targets at rest keep the positions of later edits.
        for target in &mut scene.targets {
            let kept = self.copies.targets.iter().find(|kept| kept.name == target.name);
            if let Some(kept) = kept.filter(|kept| kept.moves()) {
                target.clone_from(kept);
            }
        }
        engine.load(&scene, state)?;
        (self.runner.tick, self.runner.agents) = (state.tick, state.len());
        // Agents added after the snapshot are gone, so the edits cannot be undone.
        self.editor.undo.clear();
        self.replace(engine)?;
        // The time between the snapshot and the loss is not known.
        self.timeline.series.cut(self.runner.tick);
        self.begin_history();
        Ok(self.runner.tick)
    }

    /// Replaces the engine by one that has the flock.
    fn replace(&mut self, engine: Box<dyn Engine>) -> Result<(), EngineError> {
        self.runner.engine = engine;
        self.runner.forget_times();
        self.finish_load()
    }
}
