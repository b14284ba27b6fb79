//! Plays a flock: an engine, its scene as the user has changed it, and the clock.

use std::borrow::Cow;
use std::convert::Infallible;
use std::time::Instant;

use super::clock::Clock;
use super::edits::{self, Thing};
use super::keeper::Keeper;
use crate::engine::{Change, Engine, EngineError, Profile};
use crate::model::behaviours::Target;
use crate::model::scene::{Scene, Species};
use crate::model::state::FlockState;
use crate::model::vector::Point;
use crate::model::world::Boundary;

/// A flock that is being played.
pub struct Player<'a> {
    engine: Box<dyn Engine>,
    scene: Scene,
    first: &'a Scene,
    initial: &'a FlockState,
    keeper: Keeper<'a>,
    /// Ticks to run.
    pub clock: Clock,
    tick: u64,
    /// Number of agents.
    agents: usize,
    pointer: Option<Point>,
    /// New paths since the start.
    paths: u32,
    profile: Profile,
    /// Seconds that a tick takes, as far as is known.
    cost: f64,
    /// Counts the changes of the flock, for those who keep a copy of it.
    revision: u64,
    /// Counts the changes of the scene.
    edition: u64,
}

impl<'a> Player<'a> {
    /// Loads the flock into `engine`.
    pub fn new(
        engine: Box<dyn Engine>,
        first: &'a Scene,
        initial: &'a FlockState,
    ) -> Result<Self, EngineError> {
        let mut player = Self {
            engine,
            scene: first.clone(),
            first,
            initial,
            keeper: Keeper::new(initial),
            clock: Clock::default(),
            tick: initial.tick,
            agents: initial.len(),
            pointer: None,
            paths: 0,
            profile: Profile::default(),
            cost: 0.0,
            revision: 0,
            edition: 0,
        };
        player.load(Cow::Borrowed(initial))?;
        Ok(player)
    }

    /// Loads a state, which stays with the keeper when that fails.
    fn load(&mut self, state: Cow<'a, FlockState>) -> Result<(), EngineError> {
        self.keeper.keep(state, self.scene.targets.clone());
        let state = &self.keeper.state;
        self.engine.load(&self.scene, state)?;
        (self.tick, self.agents) = (state.tick, state.len());
        self.keeper.trust(self.engine.kind());
        self.settle()
    }

    /// Tells an engine with a new flock what it does not know of it.
    fn settle(&mut self) -> Result<(), EngineError> {
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

    /// Runs the ticks that are due `elapsed` seconds after the last call; returns how many.
    pub fn advance(&mut self, elapsed: f64) -> Result<u32, EngineError> {
        self.keeper.look_after(&mut *self.engine, self.tick);
        let ticks = self.clock.advance(elapsed, self.cost);
        if ticks == 0 {
            self.learn()?;
            return Ok(0);
        }
        let begin = Instant::now();
        self.engine.step(ticks)?;
        let wall = begin.elapsed().as_secs_f64() / f64::from(ticks);
        self.tick += u64::from(ticks);
        self.revision += 1;
        self.learn()?;
        // A GPU may be at it long after `step` returned; its own clock knows.
        let passes: f64 = self.profile.passes.iter().map(|pass| pass.time.as_secs_f64()).sum();
        self.cost = wall.max(passes);
        Ok(ticks)
    }

    /// Takes over what the engine knows of its passes. A flock that has just been loaded has none:
    /// while it runs, the last times stand for the moment until there are new ones; while it is
    /// paused, none might ever come.
    fn learn(&mut self) -> Result<(), EngineError> {
        let paused = self.clock.is_paused();
        if paused {
            // Nor is there a next frame, to show what is still under way in this one.
            self.engine.finish()?;
        }
        let profile = self.engine.profile();
        if paused || !profile.passes.is_empty() {
            self.profile = profile;
        }
        Ok(())
    }

    /// Back to the first state, with its agents, targets, obstacles and paths; the parameters stay
    /// as they are now.
    pub fn reset(&mut self) -> Result<(), EngineError> {
        self.clock.forget();
        if edits::is_turned(&self.scene, self.first) {
            edits::turn_round(&mut self.scene, self.first);
        }
        self.paths = 0;
        self.scene.targets.clone_from(&self.first.targets);
        self.scene.obstacles.clone_from(&self.first.obstacles);
        self.scene.paths.clone_from(&self.first.paths);
        self.load(Cow::Borrowed(self.initial))
    }

    /// Goes on with another engine from the state that this one has reached. When the other one
    /// cannot take the flock, this one keeps it.
    pub fn switch(&mut self, mut engine: Box<dyn Engine>) -> Result<(), EngineError> {
        let state = self.engine.read_back()?;
        let scene = Scene { targets: self.engine.targets()?, ..self.scene.clone() };
        engine.load(&scene, &state)?;
        self.keeper.keep(Cow::Owned(state), scene.targets);
        self.keeper.trust(engine.kind());
        self.replace(engine)
    }

    /// Goes on with another engine from the last state that is on the host: this one has lost what it
    /// had. Returns the tick of that state.
    pub fn rescue(&mut self, mut engine: Box<dyn Engine>) -> Result<u64, EngineError> {
        let state = &self.keeper.state;
        let scene = Scene { targets: self.keeper.targets.clone(), ..self.scene.clone() };
        engine.load(&scene, state)?;
        (self.tick, self.agents) = (state.tick, state.len());
        self.keeper.trust(engine.kind());
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

    /// Goes on with what `edit` makes of the scene and the state, both as they are now; it may add
    /// agents, not take any away. Where it fails, or the engine cannot take the result, the flock
    /// stays as it is, and what is returned says why.
    fn change_by<E: std::fmt::Display>(
        &mut self,
        edit: impl FnOnce(&mut Scene, &mut FlockState) -> Result<(), E>,
    ) -> Result<Option<String>, EngineError> {
        let mut state = self.engine.read_back()?;
        let agents = state.len();
        self.scene.targets = self.engine.targets()?;
        let before = self.scene.clone();
        if let Err(error) = edit(&mut self.scene, &mut state) {
            self.scene = before;
            return Ok(Some(error.to_string()));
        }
        let checked = self.scene.check_world().and_then(|()| self.scene.check_scenery());
        if let Err(error) = checked {
            self.scene = before;
            return Ok(Some(error.to_string()));
        }
        let Err(error) = self.load(Cow::Owned(state)) else { return Ok(None) };
        // An engine that could not load has lost what it had.
        self.scene = before;
        let mut state = self.keeper.take();
        truncate(&mut state, agents);
        self.load(Cow::Owned(state))?;
        Ok(Some(error.to_string()))
    }

    /// Goes on with other parameters; returns why not, where that cannot be.
    pub fn change(&mut self, species: Vec<Species>) -> Result<Option<String>, EngineError> {
        self.change_by(|scene, _| {
            scene.species = species;
            Ok::<_, Infallible>(())
        })
    }

    /// Adds an agent of a species at each of `places`; returns why not, where that cannot be.
    pub fn add(&mut self, species: usize, places: &[Point]) -> Result<Option<String>, EngineError> {
        if let Err(error) = self.engine.check_count((self.agents + places.len()) as u64) {
            return Ok(Some(error.to_string()));
        }
        self.change_by(|scene, state| edits::drop_agents(state, scene, species, places))
    }

    /// Replaces the scene's first path by one at random; returns why not, where that cannot be.
    pub fn new_path(&mut self) -> Result<Option<String>, EngineError> {
        let Some(first) = self.first.paths.first() else {
            return Ok(Some("this scene has no path".into()));
        };
        self.paths += 1;
        let path = edits::new_path(first, &self.scene.world, self.scene.seed, self.paths);
        self.change_by(|scene, _| {
            scene.paths[0] = path;
            Ok::<_, Infallible>(())
        })
    }

    /// Those that seek flee, and those that flee seek; returns why not, where that cannot be.
    pub fn turn_round(&mut self) -> Result<Option<String>, EngineError> {
        let first = self.first;
        self.change_by(|scene, _| {
            edits::turn_round(scene, first);
            Ok::<_, Infallible>(())
        })
    }

    /// What a drag from `place` takes along, if there is anything.
    pub fn nearest_thing(&mut self, place: Point) -> Result<Option<Thing>, EngineError> {
        self.scene.targets = self.engine.targets()?;
        Ok(Thing::nearest(&self.scene, place))
    }

    /// Puts a thing elsewhere; returns why not, where that cannot be.
    pub fn put(&mut self, thing: Thing, place: Point) -> Result<Option<String>, EngineError> {
        self.change_by(|scene, _| {
            thing.put(scene, place);
            Ok::<_, Infallible>(())
        })
    }

    /// Moves the target `pointer`, or takes it away.
    pub fn set_pointer(&mut self, pointer: Option<Point>) -> Result<(), EngineError> {
        // Beside a world without edges there is nothing: the place is that inside it.
        let wraps = self.scene.world.boundary == Boundary::Wrap;
        let world = self.scene.world;
        let pointer = pointer.map(|p| if wraps { edits::inside(&world, p) } else { p });
        if std::mem::replace(&mut self.pointer, pointer) == pointer {
            return Ok(());
        }
        self.point()
    }

    /// Moves the target that goes along with the mouse, where the scene has one.
    pub fn lead(&mut self, place: Point) -> Result<(), EngineError> {
        let Some(index) = self.scene.led_target() else { return Ok(()) };
        let place = edits::inside(&self.scene.world, place);
        self.scene.targets[index].position = place;
        self.engine.update(&self.scene, Change::target(index))?;
        // What agents steer by has changed, though none has moved.
        self.revision += 1;
        Ok(())
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

    /// The targets where they are now.
    pub fn targets(&mut self) -> Result<Vec<Target>, EngineError> {
        self.engine.targets()
    }

    /// The fullest cell.
    pub fn largest_cell(&mut self) -> u32 {
        self.engine.largest_cell()
    }

    /// The scene as it is now, but for targets that move by themselves.
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

/// Takes the last agents away until there are `agents`.
fn truncate(state: &mut FlockState, agents: usize) {
    state.id.truncate(agents);
    state.species.truncate(agents);
    state.position.truncate(agents);
    state.velocity.truncate(agents);
    state.memory.truncate(agents);
}

#[cfg(test)]
mod tests;
