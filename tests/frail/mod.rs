//! An engine that loses its device in the middle of a run, as when a driver restarts.

use std::sync::Arc;

use flockwork::engine::gpu::{Agents, Gpu};
use flockwork::engine::{Change, Engine, EngineError, EngineKind, Profile, Snapshot};
use flockwork::model::behaviours::Target;
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::model::vector::Point;

/// The engine.
pub struct Frail {
    engine: Box<dyn Engine>,
    gpu: Arc<Gpu>,
    /// Ticks after which the device is lost.
    lives: u64,
    /// Runs just before that.
    before: Box<dyn FnMut()>,
}

impl Frail {
    /// Runs `before` and shuts the device down after `lives` ticks of `engine`.
    pub fn new(
        engine: impl Engine + 'static,
        gpu: &Arc<Gpu>,
        lives: u64,
        before: impl FnMut() + 'static,
    ) -> Self {
        let (engine, gpu) = (Box::new(engine), Arc::clone(gpu));
        Self { engine, gpu, lives, before: Box::new(before) }
    }
}

impl Engine for Frail {
    fn kind(&self) -> EngineKind {
        self.engine.kind()
    }
    fn describe(&self) -> String {
        self.engine.describe()
    }
    fn check_count(&self, count: u64) -> Result<(), EngineError> {
        self.engine.check_count(count)
    }
    fn load(&mut self, scene: &Scene, state: &FlockState) -> Result<(), EngineError> {
        self.engine.load(scene, state)
    }
    fn update(&mut self, scene: &Scene, change: Change) -> Result<(), EngineError> {
        self.engine.update(scene, change)
    }
    fn targets(&mut self) -> Result<Vec<Target>, EngineError> {
        self.engine.targets()
    }
    fn set_pointer(&mut self, pointer: Option<Point>) {
        self.engine.set_pointer(pointer);
    }
    fn place_target(&mut self, index: usize, place: Point) {
        self.engine.place_target(index, place);
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
    fn finish(&mut self) -> Result<(), EngineError> {
        self.engine.finish()
    }
    fn read_back(&mut self) -> Result<FlockState, EngineError> {
        self.engine.read_back()
    }
    fn request_snapshot(&mut self) -> bool {
        self.engine.request_snapshot()
    }
    fn take_snapshot(&mut self) -> Option<Snapshot> {
        self.engine.take_snapshot()
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
    fn gpu_agents(&self) -> Option<Agents<'_>> {
        self.engine.gpu_agents()
    }
}
