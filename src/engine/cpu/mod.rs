//! The CPU engine: all cores, and as many agents at a time as the processor has lanes.
//!
//! One tick is two passes: `steer` (neighbours, behaviours, integration) and `sort` (the
//! agents back into the order of the grid). The flock is kept sorted by cell, so that the
//! neighbours of an agent are a few contiguous runs, and within a cell by id, so that every sum
//! follows from the state alone.

mod add_up;
mod around;
mod bands;
mod cell_order;
mod draws;
mod edit;
mod engine;
mod flock;
mod formula_columns;
mod formulas;
mod group;
mod group_forces;
mod hits;
mod inputs;
mod joined_rules;
mod lane_parameters;
mod lanes;
mod nearest;
mod neighbours;
mod shown;
mod slab;
mod sort;
mod steer;
mod threads;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rayon::prelude::*;

pub use lanes::InstructionSet;
pub use threads::fit as threads_fit;

use super::change::check_species;
use super::ids::Ids;
use super::stopwatch::Stopwatch;
use super::{BrokenForces, Component, EngineError, HostAgents, Profile, Snapshot};
use add_up::Totals;
use flock::{Identity, Motion};
use flockwork_model::behaviours::{Surroundings, Uses};
use flockwork_model::grid::{Grid, Slab, Window};
use flockwork_model::parallel::in_parts;
use flockwork_model::scene::Scene;
use flockwork_model::scenery::Scenery;
use flockwork_model::state::FlockState;
use flockwork_model::vector::{Axes, Space, point};
use group::SortedFlock;
use lane_parameters::SpeciesTable;
use sort::{Sorted, Unsorted};
use steer::Steer;
use threads::Threads;

/// Moves a flock on the CPU. The same bits for any number of threads and any instruction set.
pub struct CpuEngine {
    threads: Arc<Threads>,
    instructions: InstructionSet,
    flock: Option<AnyFlock>,
    /// The snapshot that was asked for.
    asked: Option<Snapshot>,
    profiling: bool,
    profile: Profile,
}

enum AnyFlock {
    Plane(Flock<2>),
    Space(Flock<3>),
}

/// Runs code for a flock in a plane or in space.
macro_rules! of_any {
    ($any:expr, $flock:ident => $code:expr) => {
        match $any {
            AnyFlock::Plane($flock) => $code,
            AnyFlock::Space($flock) => $code,
        }
    };
}

use of_any;

impl AnyFlock {
    fn new(scene: &Scene, state: &FlockState) -> Result<Self, EngineError> {
        if scene.world.is_flat() {
            Flock::new(scene, state).map(Self::Plane)
        } else {
            Flock::new(scene, state).map(Self::Space)
        }
    }

    fn snapshot(&self) -> Snapshot {
        of_any!(self, flock => flock.snapshot())
    }
}

/// A flock in a world with `D` axes. Its methods share their work among the threads of [`Threads::run`].
struct Flock<const D: usize> {
    scene: Scene,
    scenery: Scenery,
    uses: Uses,
    grid: Grid<D>,
    /// The cells that this process has: all of them, unless the flock is in slabs.
    window: Window,
    table: SpeciesTable,
    /// The agents. Not kept for a flock in slabs, which takes no edits.
    ids: Ids,
    tick: u64,
    /// Forces that were no numbers in all ticks so far.
    broken: BrokenForces,
    /// Sorted by cell and id between ticks. Ghosts, if there are any, follow the own agents; they have no
    /// memory and no ids.
    motion: Motion<D>,
    identity: Identity,
    start: Vec<u32>,
    /// Written by `steer` and read by `sort`, in the order of the tick before.
    moved: Motion<D>,
    key: Vec<u32>,
    /// Where `sort` writes the identities.
    identity_spare: Identity,
    /// Where `sort` writes the index that each agent had before.
    source: Vec<u32>,
}

/// The values of the agents with these indices, in this order.
fn gathered<T: Clone + Default + Send>(source: &[u32], of: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut values = vec![T::default(); source.len()];
    in_parts(&mut values, &|first, part| {
        for (value, index) in part.iter_mut().zip(&source[first..]) {
            *value = of(*index as usize);
        }
    });
    values
}

impl CpuEngine {
    /// With `threads` threads of its own; `None` takes those that the program shares, one for each
    /// core.
    pub fn new(threads: Option<usize>) -> Result<Self, EngineError> {
        Self::with_instructions(threads, InstructionSet::detect())
    }

    /// With the instructions that the caller chooses, for tests and benchmarks. If the processor lacks
    /// them, it runs the scalar ones.
    #[doc(hidden)]
    pub fn with_instructions(
        threads: Option<usize>,
        instructions: InstructionSet,
    ) -> Result<Self, EngineError> {
        let threads = Arc::new(Threads::new(threads)?);
        let profile = Profile::default();
        Ok(Self { threads, instructions, flock: None, asked: None, profiling: false, profile })
    }
}

impl<const D: usize> Flock<D>
where
    Axes<D>: Space<D>,
{
    /// An empty slab of a flock of `everyone` agents.
    fn empty(scene: &Scene, tick: u64, everyone: usize, slab: Slab) -> Self {
        let grid = scene.grid(everyone);
        let window = Window::of(&grid, slab);
        let places = scene.kept_names().len();
        let nothing = Motion::of(&FlockState::default(), Vec::new(), &[], places);
        Self {
            scene: scene.with_targets(scene.folded_targets()),
            scenery: scene.scenery(),
            uses: scene.uses(),
            grid,
            window,
            table: SpeciesTable::of(scene, tick),
            ids: Ids::default(),
            tick,
            broken: BrokenForces::default(),
            motion: nothing.clone(),
            identity: Identity::default(),
            start: vec![0; window.cells() + 1],
            moved: nothing,
            key: Vec::new(),
            identity_spare: Identity::default(),
            source: Vec::new(),
        }
    }

    fn new(scene: &Scene, state: &FlockState) -> Result<Self, EngineError> {
        check_species(scene, &[], &[])?;
        let slab = Slab { first: 0, count: scene.grid::<D>(state.len()).slices() };
        let mut flock = Self::empty(scene, state.tick, state.len(), slab);
        flock.append(state)?;
        Ok(flock)
    }

    /// Finds the cell of each agent in `moved`.
    fn find_cells(&mut self) {
        let Self { moved, key, grid, .. } = self;
        in_parts(key, &|first, part| {
            for (agent, key) in (first..).zip(part) {
                *key = grid.key_of(moved.position(agent));
            }
        });
    }

    /// Number of agents in the fullest cell.
    fn largest_cell(&self) -> u32 {
        let start = &self.start[..=self.window.own_cells()];
        start.par_windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    }

    /// Sorts `moved` by the cells of a grid that did not sort it before.
    fn sort_anew(&mut self) {
        let threads = rayon::current_num_threads();
        let bands = bands::divide_unsorted(&self.window, &self.key, threads);
        self.sort(&bands);
    }

    /// Advances by one tick. Returns the times of `steer` and `sort`, zero unless `timed`.
    fn tick(&mut self, instructions: InstructionSet, timed: bool) -> [Duration; 2] {
        let threads = rayon::current_num_threads();
        let stopwatch = Stopwatch::start(timed);
        self.vary();
        let bands = bands::divide(&self.window, &self.start, threads);
        self.steer(&bands::parts(&bands, threads), instructions, &mut []);
        if self.uses.has(Uses::MOVING_TARGETS) {
            let hits = self.hits();
            self.move_targets(hits);
        }
        self.tick += 1;
        let steered = stopwatch.elapsed();
        self.sort(&bands);
        [steered, stopwatch.elapsed() - steered]
    }

    /// Brings parameters that vary with time up to date.
    fn vary(&mut self) {
        if self.uses.has(Uses::VARYING) {
            self.table = SpeciesTable::of(&self.scene, self.tick);
        }
    }

    /// Steers the agents of `parts`, and finds their new cells. `spent` gets the time of each part, if it
    /// has room.
    fn steer(
        &mut self,
        parts: &[bands::Part],
        instructions: InstructionSet,
        spent: &mut [Duration],
    ) {
        let world = &self.scene.world;
        let flock = SortedFlock {
            motion: &self.motion,
            species: &self.identity.species,
            id: &self.identity.id,
            start: &self.start,
            grid: self.grid,
            window: self.window,
            world: *world,
            uses: self.uses,
            run_cap: self.scene.sampling.run_cap(self.uses.has(Uses::NEAREST)),
            seed: self.scene.seed,
            tick: self.tick as u32,
        };
        let totals = Totals::of(&flock, &self.table, instructions);
        let broken = Mutex::new(self.broken);
        let pass = Steer {
            flock,
            totals,
            table: &self.table,
            surroundings: Surroundings {
                world,
                targets: &self.scene.targets,
                scenery: &self.scenery,
            },
            time_step: self.scene.time_step,
            broken: &broken,
        };
        pass.run(parts, instructions, &mut self.moved, &mut self.key, spent);
        self.broken = broken.into_inner().unwrap_or_else(PoisonError::into_inner);
    }

    fn sort(&mut self, bands: &[bands::Band]) {
        let from = Unsorted { motion: &self.moved, identity: &self.identity, key: &self.key };
        let to = Sorted {
            motion: &mut self.motion,
            identity: &mut self.identity_spare,
            source: &mut self.source,
            start: &mut self.start[..=self.window.own_cells()],
        };
        sort::sort(bands, &from, to);
        std::mem::swap(&mut self.identity, &mut self.identity_spare);
    }

    fn snapshot(&self) -> Snapshot {
        let Self { motion, identity, ids, .. } = self;
        // The index of each row's agent. A flock in slabs has no rows.
        let mut source = vec![0_u32; ids.len()];
        for (index, id) in identity.id.iter().enumerate() {
            if let Some(row) = ids.row(*id) {
                source[row] = index as u32;
            }
        }
        let none = |is_empty| if is_empty { &[][..] } else { &source[..] };
        let state = FlockState {
            tick: self.tick,
            id: ids.all().to_vec(),
            species: gathered(&source, |index| identity.species[index]),
            position: gathered(&source, |index| point(motion.position(index))),
            velocity: gathered(&source, |index| point(motion.velocity(index))),
            memory: gathered(none(motion.memory.is_empty()), |index| motion.memory[index]),
            shown: self.scene.shown(),
            kept: gathered(none(motion.kept.is_empty()), |index| motion.kept(index)),
            kept_names: self.scene.kept_names(),
        };
        Snapshot { state, targets: self.scene.targets.clone() }
    }

    /// The agents in the engine's order.
    fn agents(&self) -> HostAgents<'_> {
        /// Those that agents do not have are 0.
        fn of<const N: usize>(components: &[Vec<f32>]) -> [Component<'_>; N] {
            let one = |at| {
                components.get(at).map_or(Component::zero(), |own: &Vec<f32>| Component::of(own))
            };
            std::array::from_fn(one)
        }
        let Motion { position, velocity, memory, kept } = &self.motion;
        HostAgents {
            tick: self.tick,
            position: of(position),
            velocity: of(velocity),
            id: &self.identity.id,
            species: &self.identity.species,
            memory,
            kept: of(kept),
            kept_names: self.scene.kept_names(),
        }
    }
}
