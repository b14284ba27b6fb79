//! One flock over many processes.
//!
//! Each process owns a [slab](flockwork_model::grid::Slab) of the grid. Before a tick it sends copies of
//! its outer slices to its neighbours; after it, agents go to the process that owns their new slice.
//! The order of the agents follows from the state alone, so any number of processes gives the same
//! bytes.

mod balance;
mod message;
mod rank_flock;
mod ranks;
mod routes;
mod slab_engine;
mod slices;

use std::sync::Arc;

use bytemuck::pod_read_unaligned;
use rayon::slice::ParallelSliceMut;

pub use balance::{CpuClock, LoadBalance, RankStats};
pub use ranks::{Ranks, ThreadRanks};
pub use slab_engine::{Region, SlabEngine, SlabHost};
pub use slices::Slices;

use super::change::check_everybody;
use super::ids::Ids;
use super::internals::Sealed;
use super::{
    AgentsAt, BrokenForces, Change, Engine, EngineError, EngineKind, HostAgents, Profile, Snapshot,
};
use balance::Balance;
use flockwork_model::behaviours::{Target, Uses};
use flockwork_model::formula::Formula;
use flockwork_model::grid::Slabs;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use message::RowFormat;
use rank_flock::{RankFlock, agree, largest, sum};
use routes::Routes;

/// Agents that rank 0 collects at a time for a snapshot: some 40 MB.
const COLLECTED_AT_ONCE: usize = 1 << 20;

/// Agents that one rank sends at a time while a flock is loaded: some 100 MB.
const LOADED_AT_ONCE: usize = 1 << 21;

/// Moves the part of a flock that belongs to this rank, and exchanges agents with the others.
///
/// All ranks call the same methods in the same order. [`Engine::load`] takes some of the agents on
/// each rank, each agent on one of them. [`Engine::snapshot`] and [`DistributedEngine::read_in_chunks`]
/// give all agents to rank 0 and none to the others. Edits are refused.
pub struct DistributedEngine {
    ranks: Arc<dyn Ranks>,
    host: Box<dyn SlabHost>,
    flock: Option<RankFlock>,
    keeps_borders: bool,
    clock: Option<CpuClock>,
    /// The whole flock, on rank 0, for renderers.
    gathered: FlockState,
}

/// Numbers that all ranks know of a flock to load.
struct Survey {
    everyone: [u64; 2],
    id_end: u64,
    tick: u64,
}

impl DistributedEngine {
    /// Moves this rank's part on `host`.
    #[must_use]
    pub fn new(ranks: Arc<dyn Ranks>, host: Box<dyn SlabHost>) -> Self {
        let gathered = FlockState::default();
        Self { ranks, host, flock: None, keeps_borders: false, clock: None, gathered }
    }

    /// Keeps the borders of the slabs where they are, however uneven the work becomes.
    pub fn keep_borders(&mut self) {
        self.keeps_borders = true;
    }

    /// Measures processor time with the host's clock.
    pub fn set_cpu_clock(&mut self, clock: CpuClock) {
        self.clock = Some(clock);
    }

    /// Moves the borders between two ticks, so that slices with these weights are shared out evenly. All
    /// ranks give the same weights, one for each of [`DistributedEngine::slices`]; those missing are 0.
    pub fn divide(&mut self, weights: &[u64]) -> Result<(), EngineError> {
        let mut weights = weights.to_vec();
        weights.resize(self.slices(), 0);
        let slabs = Slabs::balanced(&weights, self.ranks.size());
        let clock = self.clock;
        let flock = self.flock.as_mut().filter(|flock| flock.is_divided);
        flock.map_or(Ok(()), |flock| flock.move_to(slabs, clock))
    }

    /// Number of slices of the grid: rows in a plane, layers in a space.
    #[must_use]
    pub fn slices(&self) -> usize {
        self.flock.as_ref().map_or(0, |flock| flock.slices.count() as usize)
    }

    /// How the ranks share the work.
    #[must_use]
    pub fn load_balance(&self) -> LoadBalance {
        self.flock.as_ref().map(|flock| flock.balance.load).unwrap_or_default()
    }

    /// The work of this rank.
    #[must_use]
    pub fn rank_stats(&self) -> RankStats {
        self.flock.as_ref().map(|flock| flock.balance.own).unwrap_or_default()
    }

    /// Brings all agents to rank 0, where [`Engine::agents`] finds them: in the order of the cells, as a
    /// process alone has them. Renderers then give the same picture.
    pub fn gather(&mut self) -> Result<(), EngineError> {
        self.gathered = FlockState::default();
        let all = self.read_back()?;
        if let Some(flock) = &self.flock {
            let cells = flock.slices.cells_at(&all.position);
            let mut rows: Vec<usize> = (0..cells.len()).collect();
            rows.sort_by_key(|row| cells[*row]);
            self.gathered = all.in_order(&rows);
        }
        Ok(())
    }

    /// The agents of this rank after all submitted ticks, by ascending id. Waits.
    pub fn own_state(&mut self) -> Result<FlockState, EngineError> {
        self.flock.as_mut().map_or_else(|| Ok(FlockState::default()), |flock| flock.slab.state())
    }

    /// Hands the flock after all submitted ticks to `take` on rank 0, in chunks that ascend by id. A chunk
    /// has the agents with `most` consecutive ids. Waits.
    pub fn read_in_chunks(
        &mut self,
        most: usize,
        take: &mut dyn FnMut(&FlockState),
    ) -> Result<(), EngineError> {
        let own = self.own_state()?;
        let Some(flock) = &self.flock else { return Ok(()) };
        for first in (0..flock.id_end).step_by(most.max(1)) {
            let end = (first + most as u64).min(flock.id_end);
            let row = |id: u64| own.id.partition_point(|own| u64::from(*own) < id);
            let mut message = Vec::new();
            flock.agents.put(&own, row(first)..row(end), &mut message);
            let messages = self.ranks.gather(message);
            let mut chunk = FlockState::default();
            for message in &messages {
                flock.agents.read(message, &mut chunk)?;
            }
            if !messages.is_empty() {
                (chunk.tick, chunk.shown) = (flock.tick, own.shown);
                chunk.kept_names = own.kept_names;
                take(&chunk.by_id());
            }
        }
        Ok(())
    }

    /// Finds what all ranks must know: the number of agents, the sum of their ids, the largest id
    /// and the tick.
    fn survey(&self, scene: &Scene, part: &FlockState) -> Result<Survey, EngineError> {
        let ranks = &*self.ranks;
        agree(ranks, Ids::below(self.host.id_end()).with(scene, part).map(|_| ()))?;
        let ids: u64 = part.id.iter().map(|id| u64::from(*id)).sum();
        let everyone = sum(ranks, [part.len() as u64, ids]);
        check_everybody(scene, everyone[0] as usize)?;
        agree(ranks, self.once(part))?;
        let end = part.id.iter().max().map_or(0, |id| u64::from(*id) + 1);
        let [id_end, tick] = largest(ranks, [end, part.tick]);
        Ok(Survey { everyone, id_end, tick })
    }

    /// Fails if a rank finds an agent that two ranks have. Each id goes to one rank.
    fn once(&self, part: &FlockState) -> Result<(), EngineError> {
        let size = self.ranks.size();
        let mut messages = vec![Vec::new(); size];
        for id in &part.id {
            messages[*id as usize % size].extend(id.to_ne_bytes());
        }
        let messages = self.ranks.all_to_all(messages);
        let mut ids: Vec<u32> =
            messages.iter().flat_map(|all| all.chunks_exact(4).map(pod_read_unaligned)).collect();
        ids.par_sort_unstable();
        let twice = ids.windows(2).find(|pair| pair[0] == pair[1]);
        twice.map_or(Ok(()), |pair| {
            let problem = format!("agent {} again, which one process alone has to load", pair[0]);
            Err(EngineError::Message { problem })
        })
    }
}

impl Sealed for DistributedEngine {}

impl Engine for DistributedEngine {
    fn kind(&self) -> EngineKind {
        self.host.kind()
    }

    fn describe(&self) -> String {
        match self.ranks.size() {
            1 => self.host.describe(),
            ranks => format!("{ranks} ranks, each on {}", self.host.describe()),
        }
    }

    fn load(&mut self, scene: &Scene, part: &FlockState) -> Result<(), EngineError> {
        let Survey { everyone, id_end, tick } = self.survey(scene, part)?;
        let (ranks, rank) = (Arc::clone(&self.ranks), self.ranks.rank());
        let slices = Slices::of(scene, everyone[0] as usize);
        let mut agents = vec![0; slices.count() as usize];
        for slice in slices.at(&part.position) {
            agents[slice as usize] += 1;
        }
        ranks.sum(&mut agents);
        let is_divided = !scene.formulas().into_iter().any(Formula::hears_everybody);
        let slabs = match is_divided {
            true => Slabs::balanced(&agents, ranks.size()),
            // Each agent of such a flock hears all of it.
            false => Slabs::undivided(slices.count(), ranks.size()),
        };
        // The old flock makes room before the new one is allocated.
        self.flock = None;
        let begun = self.host.begin_slab(scene, tick, everyone[0] as usize, slabs.0[rank]);
        let flock = self.flock.insert(RankFlock {
            slab: agree(&*ranks, begun)?,
            everyone,
            id_end,
            tick,
            is_divided,
            moves_targets: scene.uses().has(Uses::MOVING_TARGETS),
            agents: RowFormat::of_agents(scene),
            ghosts: RowFormat::of_ghosts(scene),
            routes: Routes::new(&slices, &slabs, rank),
            balance: Balance::new(&slabs),
            slices,
            slabs,
            ranks: Arc::clone(&ranks),
        });
        let [rounds] = largest(&*ranks, [part.len().div_ceil(LOADED_AT_ONCE) as u64]);
        for round in 0..rounds as usize {
            let first = (round * LOADED_AT_ONCE).min(part.len());
            let mut some = part.rows(first..(first + LOADED_AT_ONCE).min(part.len()));
            some.memory = scene.memory_of(&some);
            some.kept = scene.kept_of(&some);
            some.kept_names = scene.kept_names();
            flock.exchange(&some)?;
        }
        // Only ticks count.
        flock.balance.own.sent = 0;
        flock.slab.sort()?;
        flock.count()
    }

    fn update(&mut self, _: &Scene, change: Change) -> Result<(), EngineError> {
        if change.is_nothing() { Ok(()) } else { Err(EngineError::Fixed) }
    }

    fn append(&mut self, agents: &FlockState) -> Result<(), EngineError> {
        if agents.is_empty() { Ok(()) } else { Err(EngineError::Fixed) }
    }

    fn remove(&mut self, ids: &[u32]) -> Result<(), EngineError> {
        if ids.is_empty() { Ok(()) } else { Err(EngineError::Fixed) }
    }

    fn step(&mut self, ticks: u32) -> Result<(), EngineError> {
        let flock = self.flock.as_mut().ok_or(EngineError::NoFlock)?;
        (0..ticks).try_for_each(|_| flock.one_tick(self.clock, self.keeps_borders))
    }

    fn request(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    fn poll(&mut self) -> Result<Option<Snapshot>, EngineError> {
        Ok(None)
    }

    fn agents(&self) -> AgentsAt<'_> {
        AgentsAt::Host(HostAgents::from(&self.gathered))
    }

    fn distributed(&self) -> Option<&DistributedEngine> {
        Some(self)
    }

    fn distributed_mut(&mut self) -> Option<&mut DistributedEngine> {
        Some(self)
    }

    fn set_profiling(&mut self, _: bool) {}

    fn profile(&mut self) -> Profile {
        Profile::default()
    }

    fn largest_cell(&mut self) -> u32 {
        // An error comes back from the next tick.
        let own = self.flock.as_mut().and_then(|flock| flock.slab.largest_cell().ok());
        let [largest] = largest(&*self.ranks, [own.unwrap_or(0).into()]);
        largest as u32
    }

    fn broken_forces(&mut self) -> BrokenForces {
        let own = self.flock.as_ref().map(|flock| flock.slab.broken_forces());
        let mut numbers = own.unwrap_or_default().numbers();
        self.ranks.sum(&mut numbers);
        BrokenForces::from_numbers(&numbers)
    }

    fn snapshot(&mut self) -> Result<Snapshot, EngineError> {
        let tick = self.flock.as_ref().ok_or(EngineError::NoFlock)?.tick;
        let mut state = FlockState { tick, ..FlockState::default() };
        self.read_in_chunks(COLLECTED_AT_ONCE, &mut |chunk| state.extend(chunk))?;
        Ok(Snapshot { state, targets: self.targets()? })
    }

    fn targets(&mut self) -> Result<Vec<Target>, EngineError> {
        self.flock.as_mut().ok_or(EngineError::NoFlock)?.slab.targets()
    }
}
