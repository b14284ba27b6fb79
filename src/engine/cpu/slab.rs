//! The part of a flock that one of several processes moves.

use std::ops::Range;
use std::time::Duration;

use rayon::prelude::*;

use super::bands::{self, Part};
use super::flock::{Identity, Motion};
use super::hits::Hits;
use super::lane_parameters::SpeciesTable;
use super::{Flock, grid_of};
use crate::EngineError;
use crate::ids::Ids;
use crate::many::Region;
use flockwork_model::behaviours::Uses;
use flockwork_model::grid::{Slab, Window};
use flockwork_model::memory::Memory;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::vector::{Axes, Point, Space, components, point};

/// The additional data of a flock in slabs.
#[derive(Clone, Debug, Default)]
pub struct SlabState {
    /// The agents that hit a target in this tick.
    pub hits: Hits,
    /// Nanoseconds that each own slice takes in this tick.
    spent: Vec<u64>,
    /// The shortest such time since these were last read. In a longer one another program may have had the
    /// core.
    pub costs: Vec<u64>,
    /// Number of ghosts in the last tick.
    pub ghosts: usize,
}

impl SlabState {
    fn of(slab: Slab) -> Self {
        let slices = slab.count as usize;
        Self { spent: vec![0; slices], costs: vec![u64::MAX; slices], ..Self::default() }
    }
}

/// Agents as bytes: each component in turn, for all of them.
struct Parcel<'a> {
    bytes: &'a [u8],
    count: usize,
}

impl<'a> Parcel<'a> {
    /// Agents that take `each` bytes.
    fn of(bytes: &'a [u8], each: usize) -> Result<Self, EngineError> {
        match bytes.len() % each {
            0 => Ok(Self { bytes, count: bytes.len() / each }),
            rest => Err(EngineError::Parcel { problem: format!("{rest} bytes too many") }),
        }
    }

    /// Cuts off one component and appends it to `to`.
    fn component<T: bytemuck::Pod>(&mut self, to: &mut Vec<T>) {
        let (own, rest) = self.bytes.split_at(self.count * size_of::<T>());
        self.bytes = rest;
        to.extend(own.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned::<T>));
    }
}

/// Appends numbers as bytes.
fn put<T: bytemuck::NoUninit>(bytes: &mut Vec<u8>, numbers: impl IntoIterator<Item = T>) {
    for number in numbers {
        bytes.extend_from_slice(bytemuck::bytes_of(&number));
    }
}

impl<const D: usize> Flock<D>
where
    Axes<D>: Space<D>,
{
    /// Bytes of a ghost: position, velocity, species.
    const GHOST: usize = 2 * D * size_of::<f32>() + size_of::<u8>();

    /// An empty slab of a flock of `everyone` agents.
    pub(super) fn slab(scene: &Scene, tick: u64, everyone: usize, slab: Slab) -> Self {
        let grid = grid_of(scene, everyone);
        let window = Window::of(&grid, slab);
        let nothing = Motion::of(&[], &[], Vec::new());
        Self {
            scene: scene.clone(),
            scenery: scene.scenery(),
            uses: scene.uses(),
            grid,
            window,
            table: SpeciesTable::of(scene, tick),
            ids: Ids::default(),
            tick,
            motion: nothing.clone(),
            identity: Identity::default(),
            start: vec![0; window.cells() + 1],
            moved: nothing,
            key: Vec::new(),
            identity_spare: Identity::default(),
            source: Vec::new(),
            slab: SlabState::of(slab),
        }
    }

    /// Bytes of an agent that goes to another process: a ghost's, its id and its memory.
    fn bytes_of_agent(&self) -> usize {
        let memory = if self.uses.has(Uses::MEMORY) { size_of::<Memory>() } else { 0 };
        Self::GHOST + size_of::<u32>() + memory
    }

    pub(super) fn slices_of(&self, agents: &FlockState) -> Vec<u32> {
        let slice = |p: &Point| self.window.slice_of(self.grid.key_of(components(*p)));
        agents.position.par_iter().map(slice).collect()
    }

    pub(super) fn pack(&self, agents: &FlockState, to: &[usize], parcels: &mut [Vec<u8>]) {
        let motion = Motion::of(&agents.position, &agents.velocity, self.scene.memory_of(agents));
        let identity = Identity::of(&agents.species, &agents.id);
        let mut rows = vec![Vec::new(); parcels.len()];
        for (row, process) in to.iter().enumerate() {
            rows[*process].push(row);
        }
        for (rows, parcel) in rows.iter().zip(parcels) {
            Self::put_agents(&motion, &identity, rows, parcel);
        }
    }

    /// Adds the agents with these indices to a parcel.
    fn put_agents(motion: &Motion<D>, identity: &Identity, rows: &[usize], parcel: &mut Vec<u8>) {
        for component in motion.position.iter().chain(&motion.velocity) {
            put(parcel, rows.iter().map(|row| component[*row]));
        }
        put(parcel, rows.iter().map(|row| identity.species[*row]));
        put(parcel, rows.iter().map(|row| identity.id[*row]));
        if !motion.memory.is_empty() {
            put(parcel, rows.iter().map(|row| motion.memory[*row]));
        }
    }

    /// Adds agents to `moved`.
    pub(super) fn arrive(&mut self, parcel: &[u8]) -> Result<(), EngineError> {
        let mut parcel = Parcel::of(parcel, self.bytes_of_agent())?;
        let Self { moved, identity, uses, .. } = self;
        let first = moved.position[0].len();
        for component in moved.position.iter_mut().chain(&mut moved.velocity) {
            parcel.component(component);
        }
        parcel.component(&mut identity.species);
        parcel.component(&mut identity.id);
        if uses.has(Uses::MEMORY) {
            parcel.component(&mut moved.memory);
        }
        let Self { moved, key, grid, .. } = self;
        let first_cell = self.window.first_cell();
        let new = first..moved.position[0].len();
        key.extend(new.map(|agent| grid.key_of(moved.position(agent)).wrapping_sub(first_cell)));
        let own = self.window.own_cells();
        match key[first..].iter().all(|key| (*key as usize) < own) {
            true => Ok(()),
            false => Err(EngineError::Parcel { problem: "an agent of another slab".into() }),
        }
    }

    /// Sorts `moved` into `motion`.
    pub(super) fn sort_arrived(&mut self, threads: usize) {
        let count = self.key.len();
        self.motion.resize(count, self.moved.memory.len());
        self.identity_spare.species.resize(count, 0);
        self.identity_spare.id.resize(count, 0);
        self.source.resize(count, 0);
        if self.start[self.window.own_cells()] == 0 {
            return self.sort_anew(threads);
        }
        // Most agents are in the order of the tick before; those that have arrived come last.
        let mut bands = bands::divide(&self.window, &self.start, threads);
        for band in &mut bands {
            band.agents = band.agents.start.min(count)..band.agents.end.min(count);
        }
        if let Some(last) = bands.last_mut() {
            last.agents.end = count;
        }
        self.sort(&bands);
    }

    /// Array indices of the agents in a slice of the window.
    pub(super) fn agents_of(&self, slice: u32) -> Range<usize> {
        let cells = self.window.cells_of(slice);
        self.start[cells.start] as usize..self.start[cells.end] as usize
    }

    pub(super) fn copy_slice(&self, slice: u32, parcel: &mut Vec<u8>) {
        let agents = self.agents_of(slice);
        for component in self.motion.position.iter().chain(&self.motion.velocity) {
            parcel.extend_from_slice(bytemuck::cast_slice(&component[agents.clone()]));
        }
        parcel.extend_from_slice(&self.identity.species[agents]);
    }

    pub(super) fn take_ghosts(&mut self, slice: u32, parcel: &[u8]) -> Result<(), EngineError> {
        let mut parcel = Parcel::of(parcel, Self::GHOST)?;
        let Self { motion, identity, grid, window, start, .. } = self;
        let first = motion.position[0].len();
        for component in motion.position.iter_mut().chain(&mut motion.velocity) {
            parcel.component(component);
        }
        parcel.component(&mut identity.species);
        let end = motion.position[0].len();
        // The sender has sorted them: where each cell begins follows from the positions.
        let cells = window.cells_of(slice);
        let mut next = cells.start;
        for agent in first..end {
            let key = grid.key_of(motion.position(agent));
            let cell = window.number(key) as usize;
            if window.slice_of(key) != slice || cell + 1 < next {
                return Err(EngineError::Parcel { problem: "ghosts in disorder".into() });
            }
            while next <= cell {
                start[next] = agent as u32;
                next += 1;
            }
        }
        start[next..].fill(end as u32);
        self.slab.ghosts += end - first;
        Ok(())
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

    pub(super) fn steer_region(
        &mut self,
        region: Region,
        instructions: super::InstructionSet,
        threads: usize,
    ) {
        if region == Region::Inner {
            self.vary();
            self.slab.ghosts = 0;
        }
        let bands = bands::divide(&self.window, &self.start, threads);
        let all = bands::parts(&bands, threads);
        let mut parts: Vec<Part> = Vec::new();
        for range in self.region(region) {
            let of_range = all.iter().map(|part| {
                let Range { start, end } = part.agents;
                let agents = start.max(range.start)..end.min(range.end);
                Part { rows: part.rows.clone(), agents }
            });
            parts.extend(of_range.filter(|part| !part.agents.is_empty()));
        }
        let mut spent = vec![Duration::ZERO; parts.len()];
        self.steer(&parts, instructions, &mut spent);
        for (part, spent) in parts.iter().zip(spent) {
            self.note(part, spent);
        }
    }

    /// Shares out the time of a part among its slices, by their agents.
    fn note(&mut self, part: &Part, spent: Duration) {
        let slice_cells = self.window.slice_cells();
        let slice_of = |row: u32| row as usize * self.window.columns() as usize / slice_cells;
        for slice in slice_of(part.rows.start)..=slice_of(part.rows.end - 1) {
            let cells = slice * slice_cells..(slice + 1) * slice_cells;
            let begin = (self.start[cells.start] as usize).max(part.agents.start);
            let end = (self.start[cells.end] as usize).min(part.agents.end);
            let share = end.saturating_sub(begin) as f64 / part.agents.len() as f64;
            self.slab.spent[slice] += (spent.as_nanos() as f64 * share) as u64;
        }
    }

    /// Removes the agents whose keys are outside the slab, and numbers the cells of the others as the
    /// window does.
    pub(super) fn leave(&mut self, owner: &dyn Fn(u32) -> usize, parcels: &mut [Vec<u8>]) {
        let (first, own) = (self.window.first_cell(), self.window.own_cells() as u32);
        // The ghosts are no longer needed.
        let count = self.key.len();
        self.identity.species.truncate(count);
        let mut rows = vec![Vec::new(); parcels.len()];
        let leaves = |key: &u32| key.wrapping_sub(first) >= own;
        let gone: Vec<usize> = self
            .key
            .par_iter()
            .enumerate()
            .filter(|(_, key)| leaves(key))
            .map(|(at, _)| at)
            .collect();
        for agent in &gone {
            rows[owner(self.window.slice_of(self.key[*agent]))].push(*agent);
        }
        for (rows, parcel) in rows.iter().zip(parcels) {
            Self::put_agents(&self.moved, &self.identity, rows, parcel);
        }
        // The last agents fill the gaps: the sort takes any order.
        for agent in gone.iter().rev() {
            self.moved.swap_remove(*agent);
            self.identity.species.swap_remove(*agent);
            self.identity.id.swap_remove(*agent);
            self.key.swap_remove(*agent);
        }
        self.key.par_iter_mut().for_each(|key| *key -= first);
    }

    pub(super) fn move_to(&mut self, slab: Slab) {
        self.window = Window::of(&self.grid, slab);
        self.start = vec![0; self.window.cells() + 1];
        self.slab = SlabState::of(slab);
        let count = self.key.len();
        self.motion.resize(count, self.motion.memory.len());
        std::mem::swap(&mut self.motion, &mut self.moved);
        let Self { moved, key, grid, .. } = self;
        let keys = key.par_iter_mut().enumerate();
        keys.for_each(|(agent, key)| *key = grid.key_of(moved.position(agent)));
    }

    pub(super) fn end_tick(&mut self) {
        self.tick += 1;
        let SlabState { spent, costs, .. } = &mut self.slab;
        for (cost, spent) in costs.iter_mut().zip(spent) {
            *cost = (*cost).min(std::mem::take(spent));
        }
    }

    /// The own agents, by ascending id.
    pub(super) fn own_state(&self) -> FlockState {
        let id = &self.identity.id;
        let mut rows: Vec<usize> = (0..id.len()).collect();
        rows.par_sort_unstable_by_key(|row| id[*row]);
        let memory = &self.motion.memory;
        FlockState {
            tick: self.tick,
            id: rows.iter().map(|row| id[*row]).collect(),
            species: rows.iter().map(|row| self.identity.species[*row]).collect(),
            position: rows.iter().map(|row| point(self.motion.position(*row))).collect(),
            velocity: rows.iter().map(|row| point(self.motion.velocity(*row))).collect(),
            memory: rows.iter().filter_map(|row| memory.get(*row).copied()).collect(),
            shown: self.scene.shown(),
        }
    }
}
