//! A flock behind its lock: an engine, its scene, and the last copy of its state.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use flockwork::commands::files::scene_files::{populate, with_flow};
use flockwork::commands::host::memory_check;
use flockwork::commands::host::options::{FlockArgs, Prepared};
use flockwork::model::scene::{key_and_value, key_parts};
use flockwork::model::vector::components_text;
use flockwork::model::world::{MAX_COORDINATE, sides_text};
use flockwork::scene::{Origin, Target};
use flockwork::{
    AgentsAt, Change, Engine, FlockState, Gpu, Point, Request, RunRecord, Scene, load_flock,
    save_flock,
};

use crate::arrays::rows;
use crate::errors::Fault;
use crate::machine::{Machine, check_process};
use crate::signals::check_signals;

/// Shortest and longest time that ticks take between two looks for Ctrl-C.
const PAUSES: [Duration; 2] = [Duration::from_millis(25), Duration::from_millis(100)];

/// The most ticks between two looks.
const MAX_AT_ONCE: u64 = 256;

/// The source of a flock.
pub struct Source {
    /// A built-in scene or a file; the command line's own if there is neither this nor a text.
    pub scene: Option<String>,
    /// A scene file as text.
    pub text: Option<String>,
    /// Values in the syntax of `--set`.
    pub overrides: Vec<String>,
    pub count: Option<u64>,
    pub density: Option<f32>,
    pub seed: Option<u32>,
    /// A state file.
    pub init: Option<PathBuf>,
}

/// Number of agents of each species.
fn counts(scene: &Scene, state: &FlockState) -> Vec<u64> {
    let mut counts = vec![0; scene.species.len()];
    for species in &state.species {
        counts[usize::from(*species)] += 1;
    }
    counts
}

fn lost() -> Fault {
    Fault::Device("the flock was lost when a film failed; make it again".into())
}

/// A vector of each agent.
#[derive(Clone, Copy, Debug)]
pub enum Quantity {
    Positions,
    Velocities,
}

pub struct Inner {
    /// Lent to a session while a film is made.
    engine: Option<Box<dyn Engine>>,
    pub gpu: Option<Arc<Gpu>>,
    /// In the scale of this flock. Its counts are the first ones.
    pub scene: Scene,
    pub tick: u64,
    /// Number of agents of each species.
    counts: Vec<u64>,
    /// No agent ever had this id or a larger one.
    next_id: u32,
    /// The flock at this tick, once it was read.
    copy: Option<Arc<FlockState>>,
    /// Number of arrays that show the engine's memory.
    pub lent: Arc<AtomicUsize>,
    /// The last look for Ctrl-C.
    looked: Instant,
}

impl Drop for Inner {
    fn drop(&mut self) {
        // A device waits for threads of its driver, which a forked process lacks.
        if check_process().is_err() {
            std::mem::forget((self.engine.take(), self.gpu.take()));
        }
    }
}

impl Inner {
    /// Makes the flock of a scene, or reads one from a state file.
    pub fn open((engine, gpu): Machine, source: Source) -> Result<Self, Fault> {
        let Source { scene, text, overrides, count, density, seed, init } = source;
        let (scene, state) = match text {
            Some(text) => {
                let scene = Scene::parse_with("scene", &text, &overrides)?;
                let scene = with_flow(scene, None)?;
                let density = density.or(scene.asked_density());
                populate(&scene, &Request { count, density, seed }, Some(engine.as_ref()))?
            }
            None => {
                let args = FlockArgs {
                    scene,
                    count,
                    density,
                    seed,
                    overrides,
                    init,
                    ..FlockArgs::default()
                };
                let Prepared { scene, state, .. } = args.prepare(Some(engine.as_ref()))?;
                (scene, state)
            }
        };
        Self::load((engine, gpu), scene, state, 0)
    }

    /// Goes on from the bytes of [`Inner::save`].
    pub fn restore((engine, gpu): Machine, bytes: &[u8], next_id: u32) -> Result<Self, Fault> {
        let (scene, state) = load_flock(Cursor::new(bytes))?;
        Self::load((engine, gpu), scene, state, next_id)
    }

    fn load(
        (mut engine, gpu): Machine,
        scene: Scene,
        state: FlockState,
        next_id: u32,
    ) -> Result<Self, Fault> {
        let scene = scene.fixed(state.len() as u64);
        engine.load(&scene, &state)?;
        let next_id = state.id.last().map_or(0, |id| id.saturating_add(1)).max(next_id);
        Ok(Self {
            engine: Some(engine),
            gpu,
            counts: counts(&scene, &state),
            scene,
            tick: state.tick,
            next_id,
            copy: Some(Arc::new(state)),
            lent: Arc::default(),
            looked: Instant::now(),
        })
    }

    pub fn next_id(&self) -> u32 {
        self.next_id
    }

    /// Number of agents.
    pub fn agents(&self) -> usize {
        self.counts.iter().sum::<u64>() as usize
    }

    /// The engine. It is missing only if a film has ended in a panic.
    pub fn engine(&mut self) -> Result<&mut dyn Engine, Fault> {
        match &mut self.engine {
            Some(engine) => Ok(engine.as_mut()),
            None => Err(lost()),
        }
    }

    /// The engine for a change of the flock.
    pub fn engine_to_change(&mut self) -> Result<&mut dyn Engine, Fault> {
        self.check_lent()?;
        self.copy = None;
        self.engine()
    }

    fn check_lent(&self) -> Result<(), Fault> {
        if self.lent.load(Ordering::Acquire) > 0 { Err(Fault::Lent) } else { Ok(()) }
    }

    /// Lends the engine to `work`, which may advance the flock if it says so.
    pub fn lend<T>(
        &mut self,
        advances: bool,
        work: impl FnOnce(Box<dyn Engine>, &Scene) -> (Box<dyn Engine>, T),
    ) -> Result<T, Fault> {
        if advances {
            self.engine_to_change()?;
        }
        let engine = self.engine.take().ok_or_else(lost)?;
        let (engine, result) = work(engine, &self.scene);
        self.engine = Some(engine);
        if advances {
            self.tick = self.state()?.tick;
        }
        Ok(result)
    }

    /// The flock after all ticks.
    pub fn state(&mut self) -> Result<Arc<FlockState>, Fault> {
        if let Some(copy) = &self.copy {
            return Ok(Arc::clone(copy));
        }
        let state = Arc::new(self.engine()?.read_back()?);
        self.copy = Some(Arc::clone(&state));
        Ok(state)
    }

    /// The positions, or the velocities, as rows of one number for each axis.
    pub fn vectors(&mut self, quantity: Quantity) -> Result<Vec<f32>, Fault> {
        let (axes, count) = (self.scene.world.axes(), self.agents());
        // Every id is its row: one array can be read without a copy of all others.
        if self.copy.is_none()
            && self.next_id as usize == count
            && let AgentsAt::Host(agents) = self.engine()?.agents()
        {
            let own = match quantity {
                Quantity::Positions => agents.position,
                Quantity::Velocities => agents.velocity,
            };
            let mut numbers = vec![0.0; count * axes];
            for (index, id) in agents.id.iter().enumerate() {
                let row = &mut numbers[*id as usize * axes..][..axes];
                for (number, own) in row.iter_mut().zip(own) {
                    *number = own.get(index);
                }
            }
            return Ok(numbers);
        }
        let state = self.state()?;
        Ok(match quantity {
            Quantity::Positions => rows(&state.position, axes),
            Quantity::Velocities => rows(&state.velocity, axes),
        })
    }

    /// Advances by `ticks`. Between portions it lets Python look for Ctrl-C; what that raises ends the run there.
    pub fn step(&mut self, ticks: u64) -> Result<(), Fault> {
        let (mut left, mut portion) = (ticks, 1);
        self.engine_to_change()?;
        while left > 0 {
            if self.looked.elapsed() > PAUSES[0] {
                check_signals()?;
                self.looked = Instant::now();
            }
            let now = left.min(portion);
            let begin = Instant::now();
            let engine = self.engine()?;
            engine.step(now as u32)?;
            engine.finish()?;
            (left, self.tick) = (left - now, self.tick + now);
            let took = begin.elapsed();
            if took < PAUSES[0] {
                portion = (portion * 2).min(MAX_AT_ONCE);
            } else if took > PAUSES[1] {
                portion = (portion / 2).max(1);
            }
        }
        Ok(())
    }

    /// The targets where they are now.
    fn targets(&mut self) -> Result<Vec<Target>, Fault> {
        Ok(match self.scene.targets.iter().any(Target::moves) {
            true => self.engine()?.targets()?,
            false => self.scene.targets.clone(),
        })
    }

    /// The scene with its counts and targets as they are now.
    pub fn scene_now(&mut self) -> Result<Scene, Fault> {
        let targets = self.targets()?;
        let mut scene = self.scene.with_targets(targets);
        for (own, count) in scene.species.iter_mut().zip(&self.counts) {
            own.count = *count;
        }
        Ok(scene)
    }

    /// Changes a value of the scene, as `--set` does, before the next tick.
    pub fn set(&mut self, assignment: &str) -> Result<(), Fault> {
        let key = key_and_value(assignment).map_or("", |(key, _)| key.trim());
        let targets = self.targets()?;
        let mut scene = self.scene.with_targets(targets);
        scene.set(assignment)?;
        let names = |scene: &Scene| -> Vec<String> {
            scene.species.iter().map(|own| own.name.clone()).collect()
        };
        let before = names(&self.scene);
        // Agents carry the number of their species.
        if !names(&scene).starts_with(&before) {
            return Err(Fault::Value(format!(
                "{key}: the flock has agents of {}; name these species first, in this order, and new ones \
                 behind them",
                before.join(", ")
            )));
        }
        self.check_start(&scene, assignment)?;
        for (index, own) in scene.species.iter_mut().enumerate() {
            own.count = self.scene.species.get(index).map_or(0, |before| before.count);
        }
        if scene.flow.as_ref().is_some_and(|plan| plan.vectors.is_empty()) {
            scene = with_flow(scene, None)?;
        }
        let first = key_parts(key).next().unwrap_or_default();
        let more = match first {
            "targets" => Change::TARGETS,
            "world" | "time_step" | "seed" => Change::WORLD,
            "obstacles" | "paths" | "flow" => Change::SCENERY,
            _ => Change::default(),
        };
        if first == "obstacles" {
            scene.place_obstacles()?;
        }
        scene.check_world()?;
        scene.check_scenery()?;
        let scene = scene.fixed(scene.own_count());
        self.engine_to_change()?.update(&scene, Change::PARAMETERS | more)?;
        self.counts.resize(scene.species.len(), 0);
        self.scene = scene;
        Ok(())
    }

    /// Fails if an assignment, which has made `scene`, asks for another start.
    fn check_start(&self, scene: &Scene, assignment: &str) -> Result<(), Fault> {
        let counts = scene.species.iter().enumerate().map(|(index, own)| {
            let now = self.counts.get(index).copied().unwrap_or(0);
            (format!("species.{}.count", own.name), own.count == now)
        });
        let world = [
            ("density", scene.density == self.scene.density),
            ("within", scene.density_radius == self.scene.density_radius),
            ("grows", scene.grows == self.scene.grows),
        ];
        let world = world.map(|(key, is_same)| (format!("world.{key}"), is_same));
        let origin = Origin::Set(assignment.into());
        let asked = |key: &str| scene.origins.iter().any(|own| own.0 == key && own.1 == origin);
        match counts.chain(world).find(|(key, is_same)| !is_same && asked(key)) {
            Some((key, _)) => Err(Fault::Value(format!(
                "{key}: it decides how a flock starts, and this one runs; add and remove agents, or make \
                 another Flock"
            ))),
            None => Ok(()),
        }
    }

    /// Adds to the velocities, in the order of ids.
    pub fn push(&mut self, forces: &[Point]) -> Result<(), Fault> {
        self.check_lent()?;
        let mut state = FlockState::clone(&*self.state()?);
        for (velocity, force) in state.velocity.iter_mut().zip(forces) {
            *velocity += *force;
        }
        self.check_velocities(&state)?;
        self.replace(state)
    }

    /// Fails if a velocity is one that no file holds.
    fn check_velocities(&self, state: &FlockState) -> Result<(), Fault> {
        let world = &self.scene.world;
        let agents = state.id.iter().zip(&state.species).zip(&state.velocity);
        for ((id, species), velocity) in agents {
            let why = if velocity.abs().max_element() > MAX_COORDINATE || !velocity.is_finite() {
                format!("is outside -{MAX_COORDINATE:e} to {MAX_COORDINATE:e}")
            } else if self.scene.goes_round(*species, *velocity) {
                let sides = sides_text(world.size);
                format!("takes it round a wrapped world of {sides} by position_step = \"old\"")
            } else {
                continue;
            };
            let velocity = components_text(*velocity, world.axes());
            return Err(Fault::Value(format!(
                "the velocity of agent {id}, ({velocity}), {why}; give it a smaller one"
            )));
        }
        Ok(())
    }

    /// Goes on from another state of the same agents.
    fn replace(&mut self, state: FlockState) -> Result<(), Fault> {
        let targets = self.targets()?;
        let scene = self.scene.with_targets(targets);
        self.engine_to_change()?.load(&scene, &state)?;
        self.copy = Some(Arc::new(state));
        Ok(())
    }

    /// Adds agents. Returns the id of the first; the others' follow it.
    pub fn add(
        &mut self,
        position: Vec<Point>,
        velocity: Vec<Point>,
        species: Vec<u8>,
    ) -> Result<u32, Fault> {
        self.check_lent()?;
        let (first, more) = (self.next_id, position.len());
        let (agents, room) = (self.agents() as u64, more as u64);
        if let Some(engine) = self.engine.as_deref() {
            engine.check_count(&self.scene, agents + room)?;
            memory_check::check_more(&self.scene, agents, room, engine).map_err(Fault::Value)?;
        }
        // Ids beyond 32 bits come to be refused as used ones.
        let id = (0..more).map(|row| first.saturating_add(row as u32)).collect();
        let newcomers = FlockState { id, species, position, velocity, ..FlockState::default() };
        self.check_velocities(&newcomers)?;
        self.engine_to_change()?.append(&newcomers)?;
        for own in &newcomers.species {
            self.counts[usize::from(*own)] += 1;
        }
        self.next_id = first.saturating_add(more as u32);
        Ok(first)
    }

    /// Removes agents by id.
    pub fn remove(&mut self, ids: &[u32]) -> Result<(), Fault> {
        self.engine_to_change()?.remove(ids)?;
        let state = self.state()?;
        self.counts = counts(&self.scene, &state);
        Ok(())
    }

    /// The scene that by itself makes a flock like this one. There is none of a flock without agents.
    pub fn fixed_scene(&self) -> Result<Scene, Fault> {
        if self.agents() == 0 {
            return Err(Fault::Value("a flock without agents is not kept; add one first".into()));
        }
        let mut scene = self.scene.fixed(self.agents() as u64);
        if scene.species.iter().zip(&self.counts).any(|(own, count)| own.count != *count) {
            // The world has the size that it has, whatever the number of agents is now.
            (scene.density, scene.grows) = (None, false);
            for (own, count) in scene.species.iter_mut().zip(&self.counts) {
                (own.count, own.counted) = (*count, true);
            }
        }
        Ok(scene)
    }

    /// The flock as the bytes of an NPZ file, from which it goes on exactly.
    pub fn save(&mut self) -> Result<Vec<u8>, Fault> {
        let scene = self.fixed_scene()?;
        let (state, targets) = (self.state()?, self.targets()?);
        // An edit of the scene may have made a velocity too large.
        self.check_velocities(&state)?;
        let record = RunRecord::new(&scene, &Request::default(), scene.world.size, &[]);
        let kind = self.engine()?.kind().to_string();
        let adapter = self.gpu.as_ref().map(|gpu| gpu.name());
        let mut file = Cursor::new(Vec::new());
        save_flock(&mut file, record.on(&kind, adapter, None), &state, &targets)?;
        Ok(file.into_inner())
    }
}
