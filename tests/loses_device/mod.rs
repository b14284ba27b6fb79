//! An engine that loses its device in the middle of a run, as when a driver restarts.

use std::sync::Arc;

use flockwork::engine::gpu::Gpu;
use flockwork::engine::{AgentsAt, Change, Engine, EngineError, EngineKind, Profile, Snapshot};
use flockwork::model::behaviours::Target;
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;

/// The engine.
pub struct LosesDevice {
    engine: Box<dyn Engine>,
    gpu: Arc<Gpu>,
    /// Ticks after which the device is lost.
    lives: u64,
    /// Runs just before the loss.
    before: Box<dyn FnMut() + Send>,
}

impl LosesDevice {
    /// Runs `before` and destroys the device after `lives` ticks of `engine`.
    pub fn new(
        engine: impl Engine + 'static,
        gpu: &Arc<Gpu>,
        lives: u64,
        before: impl FnMut() + Send + 'static,
    ) -> Self {
        let (engine, gpu) = (Box::new(engine), Arc::clone(gpu));
        Self { engine, gpu, lives, before: Box::new(before) }
    }
}

impl flockwork::engine::internals::Sealed for LosesDevice {}

impl Engine for LosesDevice {
    fn kind(&self) -> EngineKind {
        self.engine.kind()
    }
    fn describe(&self) -> String {
        self.engine.describe()
    }
    fn load(&mut self, scene: &Scene, state: &FlockState) -> Result<(), EngineError> {
        self.engine.load(scene, state)
    }
    fn update(&mut self, scene: &Scene, change: Change) -> Result<(), EngineError> {
        self.engine.update(scene, change)
    }
    fn append(&mut self, agents: &FlockState) -> Result<(), EngineError> {
        self.engine.append(agents)
    }
    fn remove(&mut self, ids: &[u32]) -> Result<(), EngineError> {
        self.engine.remove(ids)
    }
    fn step(&mut self, ticks: u32) -> Result<(), EngineError> {
        for _ in 0..ticks {
            if self.lives == 0 {
                (self.before)();
                self.gpu.device.destroy();
            }
            self.lives = self.lives.wrapping_sub(1);
            self.engine.step(1)?;
        }
        Ok(())
    }
    fn request(&mut self) -> Result<(), EngineError> {
        self.engine.request()
    }
    fn poll(&mut self) -> Result<Option<Snapshot>, EngineError> {
        self.engine.poll()
    }
    fn agents(&self) -> AgentsAt<'_> {
        self.engine.agents()
    }
    fn set_profiling(&mut self, on: bool) {
        self.engine.set_profiling(on);
    }
    fn profile(&mut self) -> Profile {
        self.engine.profile()
    }
    fn largest_cell(&mut self) -> u32 {
        self.engine.largest_cell()
    }
    fn finish(&mut self) -> Result<(), EngineError> {
        self.engine.finish()
    }
    fn snapshot(&mut self) -> Result<Snapshot, EngineError> {
        self.engine.snapshot()
    }
    fn targets(&mut self) -> Result<Vec<Target>, EngineError> {
        self.engine.targets()
    }
}
