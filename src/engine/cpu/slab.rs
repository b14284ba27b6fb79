//! The CPU engine as the engine of one rank: it moves a slab of a flock.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use rayon::prelude::*;

use super::bands::{self, Part};
use super::flock::Motion;
use super::hits::Hits;
use super::threads::Threads;
use super::{CpuEngine, Flock, InstructionSet};
use crate::distributed::{Region, SlabEngine, SlabHost};
use crate::{BrokenForces, EngineError};
use flockwork_model::behaviours::Target;
use flockwork_model::grid::{Slab, Window};
use flockwork_model::parallel::in_parts;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::vector::{Axes, Space, point};
use flockwork_model::world::with_axes;

/// A slab of a flock. Ghosts follow the own agents in the arrays; they have no memory.
struct CpuSlab<const D: usize> {
    threads: Arc<Threads>,
    instructions: InstructionSet,
    flock: Flock<D>,
    /// The agents that hit a target in this tick.
    hits: Hits,
    /// Nanoseconds that each own slice takes in this tick.
    spent: Vec<u64>,
    /// The shortest such time since these were last read. In a longer one another program may have had the
    /// core.
    costs: Vec<u64>,
}

impl SlabHost for CpuEngine {
    fn begin_slab(
        &mut self,
        scene: &Scene,
        tick: u64,
        everyone: usize,
        slab: Slab,
    ) -> Result<Box<dyn SlabEngine>, EngineError> {
        self.flock = None;
        let (threads, instructions) = (Arc::clone(&self.threads), self.instructions);
        Ok(with_axes!(scene.world, AXES => Box::new(CpuSlab::<AXES> {
            threads,
            instructions,
            flock: Flock::empty(scene, tick, everyone, slab),
            hits: Hits::default(),
            spent: vec![0; slab.count as usize],
            costs: vec![u64::MAX; slab.count as usize],
        })))
    }
}

impl<const D: usize> Flock<D>
where
    Axes<D>: Space<D>,
{
    /// Array indices of the agents in a slice of the window.
    fn agents_of(&self, slice: u32) -> Range<usize> {
        let cells = self.window.cells_of(slice);
        self.start[cells.start] as usize..self.start[cells.end] as usize
    }

    /// Array indices of the agents of a region.
    fn region(&self, region: Region) -> Vec<Range<usize>> {
        let Slab { first, count } = self.window.slab;
        let all = 0..self.key.len();
        if count < 3 && !self.window.is_whole() {
            return if region == Region::Edge { vec![all] } else { Vec::new() };
        }
        let inner = match self.window.is_whole() {
            true => all.clone(),
            false => self.agents_of(first).end..self.agents_of(first + count - 1).start,
        };
        match region {
            Region::Inner => vec![inner],
            Region::Edge => vec![0..inner.start, inner.end..all.end],
        }
    }

    /// The agents at some indices of the arrays. `motion` is the one before or after a tick.
    fn agents_at(
        &self,
        motion: &Motion<D>,
        agents: impl Iterator<Item = usize> + Clone,
    ) -> FlockState {
        let memory = &motion.memory;
        FlockState {
            tick: self.tick,
            id: agents.clone().map(|agent| self.identity.id[agent]).collect(),
            species: agents.clone().map(|agent| self.identity.species[agent]).collect(),
            position: agents.clone().map(|agent| point(motion.position(agent))).collect(),
            velocity: agents.clone().map(|agent| point(motion.velocity(agent))).collect(),
            memory: agents.clone().filter_map(|agent| memory.get(agent).copied()).collect(),
            shown: self.scene.shown(),
            kept: match motion.kept.is_empty() {
                true => Vec::new(),
                false => agents.map(|agent| motion.kept(agent)).collect(),
            },
            kept_names: self.scene.kept_names(),
        }
    }

    /// Sorts `moved` into `motion`.
    fn sort_imported(&mut self) {
        let count = self.key.len();
        self.motion.resize(count, self.moved.memory.len());
        self.identity_spare.resize(count);
        self.source.resize(count, 0);
        if self.start[self.window.own_cells()] == 0 {
            return self.sort_anew();
        }
        // Most agents are in the order of the tick before; those that have arrived come last.
        let mut bands = bands::divide(&self.window, &self.start, rayon::current_num_threads());
        for band in &mut bands {
            band.agents = band.agents.start.min(count)..band.agents.end.min(count);
        }
        if let Some(last) = bands.last_mut() {
            last.agents.end = count;
        }
        self.sort(&bands);
    }

    /// Removes the agents whose keys are outside the slab, and numbers the cells of the others as the
    /// window does.
    fn export(&mut self) -> FlockState {
        let (first, own) = (self.window.first_cell(), self.window.own_cells() as u32);
        // The ghosts are no longer needed.
        let count = self.key.len();
        self.identity.species.truncate(count);
        self.identity.id.truncate(count);
        let agents = self.key.par_iter().enumerate();
        let gone = agents.filter(|(_, key)| key.wrapping_sub(first) >= own).map(|(at, _)| at);
        let gone: Vec<usize> = gone.collect();
        let exported = self.agents_at(&self.moved, gone.iter().copied());
        // The last agents fill the gaps: the sort takes any order.
        for agent in gone.iter().rev() {
            self.moved.swap_remove(*agent);
            self.identity.species.swap_remove(*agent);
            self.identity.id.swap_remove(*agent);
            self.key.swap_remove(*agent);
        }
        in_parts(&mut self.key, &|_, part| part.iter_mut().for_each(|key| *key -= first));
        exported
    }

    fn move_to(&mut self, slab: Slab) {
        self.window = Window::of(&self.grid, slab);
        self.start = vec![0; self.window.cells() + 1];
        let count = self.key.len();
        self.motion.resize(count, self.motion.memory.len());
        std::mem::swap(&mut self.motion, &mut self.moved);
        self.find_cells();
    }
}

impl<const D: usize> CpuSlab<D>
where
    Axes<D>: Space<D>,
{
    /// Shares out the time of a part among its slices, by their agents.
    fn note(&mut self, part: &Part, spent: Duration) {
        let Flock { window, start, .. } = &self.flock;
        let slice_cells = window.slice_cells();
        let slice_of = |row: u32| row as usize * window.columns as usize / slice_cells;
        for slice in slice_of(part.rows.start)..=slice_of(part.rows.end - 1) {
            let cells = slice * slice_cells..(slice + 1) * slice_cells;
            let begin = (start[cells.start] as usize).max(part.agents.start);
            let end = (start[cells.end] as usize).min(part.agents.end);
            let share = end.saturating_sub(begin) as f64 / part.agents.len() as f64;
            self.spent[slice] += (spent.as_nanos() as f64 * share) as u64;
        }
    }
}

impl<const D: usize> SlabEngine for CpuSlab<D>
where
    Axes<D>: Space<D>,
{
    fn import_agents(&mut self, agents: &FlockState) -> Result<(), EngineError> {
        let Flock { scene, moved, identity, key, grid, window, .. } = &mut self.flock;
        let places = scene.kept_names().len();
        moved.extend(Motion::of(agents, agents.memory.clone(), &agents.kept, places));
        identity.extend(agents);
        let (first, first_cell) = (key.len(), window.first_cell());
        let new = first..moved.position[0].len();
        key.extend(new.map(|agent| grid.key_of(moved.position(agent)).wrapping_sub(first_cell)));
        let own = window.own_cells();
        match key[first..].iter().all(|key| (*key as usize) < own) {
            true => Ok(()),
            false => Err(EngineError::Message { problem: "an agent of another slab".into() }),
        }
    }

    fn sort(&mut self) -> Result<(), EngineError> {
        let Self { threads, flock, .. } = self;
        threads.run(|| flock.sort_imported());
        Ok(())
    }

    fn slice(&mut self, slice: u32) -> Result<FlockState, EngineError> {
        let flock = &self.flock;
        let agents = flock.agents_at(&flock.motion, flock.agents_of(slice));
        Ok(FlockState { memory: Vec::new(), ..agents })
    }

    fn take_ghosts(&mut self, slice: u32, ghosts: &FlockState) -> Result<(), EngineError> {
        let Flock { scene, motion, identity, grid, window, start, .. } = &mut self.flock;
        let places = scene.kept_names().len();
        let first = motion.position[0].len();
        motion.extend(Motion::of(ghosts, Vec::new(), &ghosts.kept, places));
        identity.extend(ghosts);
        let end = motion.position[0].len();
        // The sender has sorted them: where each cell begins follows from the positions.
        let cells = window.cells_of(slice);
        let mut next = cells.start;
        for agent in first..end {
            let key = grid.key_of(motion.position(agent));
            let cell = window.number(key) as usize;
            if window.slice_of(key) != slice || cell + 1 < next {
                return Err(EngineError::Message { problem: "ghosts in disorder".into() });
            }
            while next <= cell {
                start[next] = agent as u32;
                next += 1;
            }
        }
        start[next..].fill(end as u32);
        Ok(())
    }

    fn steer(&mut self, region: Region) -> Result<(), EngineError> {
        let Self { threads, flock, .. } = self;
        let instructions = self.instructions;
        if region == Region::Inner {
            flock.vary();
        }
        let count = threads.count();
        let bands = bands::divide(&flock.window, &flock.start, count);
        let all = bands::parts(&bands, count);
        let mut parts: Vec<Part> = Vec::new();
        for range in flock.region(region) {
            let of_range = all.iter().map(|part| {
                let Range { start, end } = part.agents;
                let agents = start.max(range.start)..end.min(range.end);
                Part { rows: part.rows.clone(), agents }
            });
            parts.extend(of_range.filter(|part| !part.agents.is_empty()));
        }
        let mut spent = vec![Duration::ZERO; parts.len()];
        threads.run(|| flock.steer(&parts, instructions, &mut spent));
        for (part, spent) in parts.iter().zip(spent) {
            self.note(part, spent);
        }
        Ok(())
    }

    fn hits(&mut self) -> Result<Vec<bool>, EngineError> {
        self.hits = self.threads.run(|| self.flock.hits());
        Ok(self.hits.hit.clone())
    }

    fn move_targets(&mut self, hit: &[bool]) -> Result<(), EngineError> {
        let own = std::mem::take(&mut self.hits);
        self.flock.move_targets(Hits { hit: hit.to_vec(), ..own });
        Ok(())
    }

    fn export_agents(&mut self) -> Result<FlockState, EngineError> {
        let Self { threads, flock, .. } = self;
        Ok(threads.run(|| flock.export()))
    }

    fn end_tick(&mut self) {
        self.flock.tick += 1;
        for (cost, spent) in self.costs.iter_mut().zip(&mut self.spent) {
            *cost = (*cost).min(std::mem::take(spent));
        }
    }

    fn move_to(&mut self, slab: Slab) -> Result<(), EngineError> {
        let Self { threads, flock, .. } = self;
        threads.run(|| flock.move_to(slab));
        let slices = slab.count as usize;
        (self.spent, self.costs) = (vec![0; slices], vec![u64::MAX; slices]);
        Ok(())
    }

    fn costs(&mut self) -> Result<Vec<u64>, EngineError> {
        let unknown = vec![u64::MAX; self.costs.len()];
        let mut costs = std::mem::replace(&mut self.costs, unknown);
        costs.iter_mut().filter(|cost| **cost == u64::MAX).for_each(|cost| *cost = 0);
        Ok(costs)
    }

    fn slice_counts(&mut self) -> Result<Vec<u64>, EngineError> {
        let Slab { first, count } = self.flock.window.slab;
        let slices = first..first + count;
        Ok(slices.map(|slice| self.flock.agents_of(slice).len() as u64).collect())
    }

    fn count(&self) -> usize {
        self.flock.key.len()
    }

    fn largest_cell(&mut self) -> Result<u32, EngineError> {
        Ok(self.threads.run(|| self.flock.largest_cell()))
    }

    fn broken_forces(&self) -> BrokenForces {
        self.flock.broken
    }

    fn state(&mut self) -> Result<FlockState, EngineError> {
        let flock = &self.flock;
        Ok(flock.agents_at(&flock.motion, 0..flock.key.len()).by_id())
    }

    fn targets(&mut self) -> Result<Vec<Target>, EngineError> {
        Ok(self.flock.scene.targets.clone())
    }

    fn id_sum(&mut self) -> Result<u64, EngineError> {
        let own = &self.flock.identity.id[..self.flock.key.len()];
        Ok(own.iter().map(|id| u64::from(*id)).sum())
    }
}
