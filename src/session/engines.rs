//! The engine under a flock, and another one in its place.

use std::sync::Arc;

use super::{Clock, Session};
use flockwork_engine::{Engine, EngineError, Profile};
use flockwork_model::scene::Scene;

impl<C: Clock> Session<C> {
    /// Continues on another engine from the current state. If that engine cannot take the flock,
    /// this one keeps it.
    pub fn switch(&mut self, mut engine: Box<dyn Engine>) -> Result<(), EngineError> {
        let state = self.engine.read_back()?;
        let scene = Scene { targets: self.engine.targets()?, ..self.scene.clone() };
        engine.load(&scene, &state)?;
        self.snapshots.keep(Arc::new(state), scene.targets, (self.time)());
        self.replace(engine)
    }

    /// Continues on another engine from the last snapshot, because this one has lost its flock.
    /// Returns the tick of the snapshot.
    pub fn rescue(&mut self, mut engine: Box<dyn Engine>) -> Result<u64, EngineError> {
        let state = self.snapshots.state();
        let mut scene = self.scene.clone();
        // Targets at rest keep the positions of later edits.
        for (target, kept) in scene.targets.iter_mut().zip(self.snapshots.targets()) {
            if kept.moves() {
                target.clone_from(kept);
            }
        }
        engine.load(&scene, state)?;
        (self.tick, self.agents) = (state.tick, state.len());
        // Agents added after the snapshot are gone, so the edits cannot be undone.
        self.undo.clear();
        self.replace(engine)?;
        // The time between the snapshot and the loss is not known.
        self.series.cut(self.tick);
        self.begin_history();
        Ok(self.tick)
    }

    /// Replaces the engine by one that has the flock.
    fn replace(&mut self, engine: Box<dyn Engine>) -> Result<(), EngineError> {
        self.engine = engine;
        self.profile = Profile::default();
        self.cost = 0.0;
        self.settle()
    }
}
