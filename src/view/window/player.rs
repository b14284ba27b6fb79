//! Plays a flock: an engine, its scene as the user has changed it, and the clock.

use std::time::Instant;

use super::clock::Clock;
use crate::engine::{Engine, EngineError, Profile};
use crate::model::scene::Scene;
use crate::model::state::FlockState;
use crate::model::vector::Point;
use crate::model::world::Boundary;

/// A flock that is being played.
pub struct Player<'a> {
    engine: Box<dyn Engine>,
    scene: Scene,
    initial: &'a FlockState,
    /// Ticks to run.
    pub clock: Clock,
    tick: u64,
    pointer: Option<Point>,
    profile: Profile,
    /// Seconds that a tick takes, as far as is known.
    cost: f64,
    /// Counts the changes of the flock, for those who keep a copy of it.
    revision: u64,
}

impl<'a> Player<'a> {
    /// Loads the flock into `engine`.
    pub fn new(
        engine: Box<dyn Engine>,
        scene: &Scene,
        initial: &'a FlockState,
    ) -> Result<Self, EngineError> {
        let mut player = Self {
            engine,
            scene: scene.clone(),
            initial,
            clock: Clock::default(),
            tick: initial.tick,
            pointer: None,
            profile: Profile::default(),
            cost: 0.0,
            revision: 0,
        };
        player.load(initial)?;
        Ok(player)
    }

    fn load(&mut self, state: &FlockState) -> Result<(), EngineError> {
        self.engine.load(&self.scene, state)?;
        self.engine.set_profiling(true);
        self.engine.set_pointer(self.pointer);
        self.tick = state.tick;
        self.revision += 1;
        Ok(())
    }

    /// Runs the ticks that are due `elapsed` seconds after the last call; returns how many.
    pub fn advance(&mut self, elapsed: f64) -> Result<u32, EngineError> {
        let ticks = self.clock.advance(elapsed, self.cost);
        if ticks == 0 {
            return Ok(0);
        }
        let begin = Instant::now();
        self.engine.step(ticks)?;
        let wall = begin.elapsed().as_secs_f64() / f64::from(ticks);
        self.tick += u64::from(ticks);
        self.revision += 1;
        let profile = self.engine.profile();
        if !profile.passes.is_empty() {
            self.profile = profile;
        }
        // A GPU may be at it long after `step` returned; its own clock knows.
        let passes: f64 = self.profile.passes.iter().map(|pass| pass.time.as_secs_f64()).sum();
        self.cost = wall.max(passes);
        Ok(ticks)
    }

    /// Back to the first state; the parameters stay as they are now.
    pub fn reset(&mut self) -> Result<(), EngineError> {
        self.clock.forget();
        self.load(self.initial)
    }

    /// Goes on with another engine from the state that this one has reached. When the other one
    /// cannot take the flock, this one keeps it.
    pub fn switch(&mut self, mut engine: Box<dyn Engine>) -> Result<(), EngineError> {
        let state = self.engine.read_back()?;
        engine.load(&self.scene, &state)?;
        engine.set_profiling(true);
        engine.set_pointer(self.pointer);
        self.engine = engine;
        self.profile = Profile::default();
        self.cost = 0.0;
        self.revision += 1;
        Ok(())
    }

    /// Goes on with other parameters.
    pub fn change(&mut self, scene: Scene) -> Result<(), EngineError> {
        let state = self.engine.read_back()?;
        self.scene = scene;
        self.load(&state)
    }

    /// Moves the target `pointer`, or takes it away.
    pub fn set_pointer(&mut self, pointer: Option<Point>) {
        // Beside a world without edges there is nothing: the place is that inside it.
        let wraps = self.scene.world.boundary == Boundary::Wrap;
        let inside = |p: Point| if wraps { p.rem_euclid(self.scene.world.size) } else { p };
        self.pointer = pointer.map(inside);
        self.engine.set_pointer(self.pointer);
    }

    /// The engine at work.
    #[must_use]
    pub fn engine(&self) -> &dyn Engine {
        &*self.engine
    }

    /// The state now.
    pub fn state(&mut self) -> Result<FlockState, EngineError> {
        self.engine.read_back()
    }

    /// The fullest cell.
    pub fn largest_cell(&mut self) -> u32 {
        self.engine.largest_cell()
    }

    /// The scene as it is now.
    #[must_use]
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Number of agents.
    #[must_use]
    pub fn agents(&self) -> usize {
        self.initial.len()
    }

    /// Ticks since the start of the run.
    #[must_use]
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// The last times of the passes.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Another number after every change of the flock.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }
}
