//! One flock over many processes.
//!
//! Each process owns a [slab](flockwork_model::grid::Slab) of the grid. Before a tick it sends copies of
//! its outer slices to its neighbours; after it, agents go to the process that owns their new slice.
//! The order of the agents follows from the state alone, so any number of processes gives the same
//! bytes.

mod balance;
mod local;
#[cfg(feature = "mpi")]
mod mpi;
mod portion;
mod ranks;
mod routes;

use std::rc::Rc;

pub use balance::{CpuClock, Load, Share};
pub use local::{Local, Region};
#[cfg(feature = "mpi")]
pub use mpi::MpiRanks;
pub use ranks::{Ranks, ThreadRanks};

use super::ids::Ids;
use super::{AgentsAt, Change, Engine, EngineError, EngineKind, HostAgents, Profile, Snapshot};
use balance::{Balance, Laps};
use flockwork_model::behaviours::Target;
use flockwork_model::grid::Slabs;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use routes::Routes;

/// Agents that one rank sends at a time while a flock is loaded: some 100 MB.
const LOADED_AT_ONCE: usize = 1 << 21;

/// Ticks between two counts of all agents.
const COUNTED_EVERY: u64 = 64;

/// Moves the part of a flock that belongs to this rank, and exchanges agents with the others.
///
/// All ranks call the same methods in the same order. [`Engine::load`] takes some of the agents on
/// each rank, each agent on one of them. [`Engine::snapshot`] and [`Engine::read_in_portions`] give
/// all agents to rank 0 and none to the others. Edits are refused.
pub struct ManyEngine {
    ranks: Rc<dyn Ranks>,
    local: Box<dyn Local>,
    /// Number of agents of all ranks, and the sum of their ids.
    everyone: [u64; 2],
    /// Larger than all ids.
    id_end: u64,
    tick: u64,
    slabs: Slabs,
    routes: Routes,
    balance: Balance,
    keeps_borders: bool,
    clock: Option<CpuClock>,
    /// The whole flock, on rank 0, for renderers.
    gathered: FlockState,
}

impl ManyEngine {
    /// Moves this rank's part on `local`.
    #[must_use]
    pub fn new(ranks: Rc<dyn Ranks>, local: Box<dyn Local>) -> Self {
        Self {
            ranks,
            local,
            everyone: [0; 2],
            id_end: 0,
            tick: 0,
            slabs: Slabs::default(),
            routes: Routes::default(),
            balance: Balance::default(),
            keeps_borders: false,
            clock: None,
            gathered: FlockState::default(),
        }
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
    /// ranks give the same weights, one for each of [`ManyEngine::slices`]; those missing are 0.
    pub fn divide(&mut self, weights: &[u64]) -> Result<(), EngineError> {
        let mut weights = weights.to_vec();
        weights.resize(self.slices(), 0);
        self.move_to(Slabs::balanced(&weights, self.ranks.size()))
    }

    /// Number of slices of the grid: rows in a plane, layers in a space.
    #[must_use]
    pub fn slices(&self) -> usize {
        self.slabs.all().iter().map(|slab| slab.count as usize).sum()
    }

    fn sum<const N: usize>(&self, mut numbers: [u64; N]) -> [u64; N] {
        self.ranks.sum(&mut numbers);
        numbers
    }

    /// Fails on all ranks if `result` is an error on one of them.
    fn agree<T>(&self, result: Result<T, EngineError>) -> Result<T, EngineError> {
        let [failed] = self.sum([u64::from(result.is_err())]);
        match result {
            Ok(_) if failed > 0 => Err(EngineError::OtherRank),
            result => result,
        }
    }

    /// Sends agents to the ranks that own their slices.
    fn distribute(&mut self, agents: &FlockState) -> Result<(), EngineError> {
        let slices = self.local.slices_of(agents);
        let to: Vec<usize> = slices.iter().map(|slice| self.slabs.owner(*slice)).collect();
        let mut parcels = vec![Vec::new(); self.ranks.size()];
        self.local.pack(agents, &to, &mut parcels);
        self.receive(parcels)
    }

    /// Exchanges agents.
    fn receive(&mut self, parcels: Vec<Vec<u8>>) -> Result<(), EngineError> {
        for (rank, parcel) in parcels.iter().enumerate() {
            self.balance.sent(parcel.len() * usize::from(rank != self.ranks.rank()));
        }
        for parcel in self.ranks.all_to_all(parcels) {
            self.local.arrive(&parcel)?;
        }
        Ok(())
    }

    /// Gives each rank the agents that are in its slab now.
    fn migrate(&mut self, laps: &mut Laps) -> Result<(), EngineError> {
        let mut parcels = vec![Vec::new(); self.ranks.size()];
        let slabs = &self.slabs;
        self.local.leave(&|slice| slabs.owner(slice), &mut parcels)?;
        laps.worked();
        self.receive(parcels)?;
        laps.exchanged();
        self.local.sort()?;
        laps.worked();
        Ok(())
    }

    fn one_tick(&mut self) -> Result<(), EngineError> {
        let mut laps = Laps::start(self.clock);
        let (to, from) = (self.routes.parcels(self.local.as_mut())?, self.routes.senders());
        to.iter().for_each(|(_, parcel)| self.balance.sent(parcel.len()));
        // While the copies travel, those agents move that need none.
        let (local, mut steered) = (&mut self.local, Ok(()));
        laps.worked();
        let copies = self.ranks.exchange(&to, &from, &mut || {
            laps.exchanged();
            steered = local.steer(Region::Inner);
            laps.worked();
        });
        laps.exchanged();
        steered?;
        for (slice, parcel) in self.routes.unpack(&copies)? {
            self.local.take_ghosts(slice, parcel)?;
        }
        self.local.steer(Region::Edge)?;
        if self.local.moves_targets() {
            let mut hits: Vec<u64> = self.local.hits()?.into_iter().map(u64::from).collect();
            laps.worked();
            self.ranks.sum(&mut hits);
            laps.exchanged();
            let hit: Vec<bool> = hits.into_iter().map(|ranks| ranks > 0).collect();
            self.local.move_targets(&hit)?;
        }
        self.balance.had(self.local.ghosts(), self.local.count());
        self.migrate(&mut laps)?;
        self.local.end_tick();
        self.balance.spent(&laps);
        self.tick += 1;
        if self.tick.is_multiple_of(COUNTED_EVERY) {
            self.count()?;
        }
        let (local, keeps) = (self.local.as_mut(), self.keeps_borders);
        let better = self.balance.after_tick(local, &*self.ranks, &self.slabs, keeps);
        better.map_or(Ok(()), |slabs| self.move_to(slabs))?;
        Ok(())
    }

    /// Fails if an agent is lost or there twice.
    fn count(&mut self) -> Result<(), EngineError> {
        let ids = self.local.id_sum()?;
        let found = self.sum([self.local.count() as u64, ids]);
        match found == self.everyone {
            true => Ok(()),
            false => Err(EngineError::Parcel {
                problem: format!(
                    "{} agents of {} at tick {}",
                    found[0], self.everyone[0], self.tick
                ),
            }),
        }
    }

    /// Changes the borders of the slabs.
    fn move_to(&mut self, slabs: Slabs) -> Result<(), EngineError> {
        let mut laps = Laps::start(self.clock);
        self.local.move_to(slabs.of(self.ranks.rank()))?;
        self.slabs = slabs;
        self.routes = Routes::new(self.local.as_ref(), &self.slabs, self.ranks.rank());
        let moved = self.migrate(&mut laps);
        self.balance.spent(&laps);
        moved
    }

    /// Finds what all ranks must know: the number of agents, the sum of their ids, the largest id
    /// and the tick. Returns the number of agents.
    fn survey(&mut self, scene: &Scene, part: &FlockState) -> Result<u64, EngineError> {
        self.agree(Ids::below(self.local.id_end()).with(scene, part).map(|_| ()))?;
        let ids: u64 = part.id.iter().map(|id| u64::from(*id)).sum();
        self.everyone = self.sum([part.len() as u64, ids]);
        let end = part.id.iter().max().map_or(0, |id| u64::from(*id) + 1);
        let mut facts = [0_u64; 2];
        let own = bytemuck::cast_slice(&[end, part.tick]).to_vec();
        for parcel in self.ranks.all_to_all(vec![own; self.ranks.size()]) {
            for (fact, bytes) in facts.iter_mut().zip(parcel.chunks_exact(size_of::<u64>())) {
                *fact = (*fact).max(bytemuck::pod_read_unaligned(bytes));
            }
        }
        [self.id_end, self.tick] = facts;
        Ok(self.everyone[0])
    }
}

impl Engine for ManyEngine {
    fn kind(&self) -> EngineKind {
        self.local.kind()
    }

    fn describe(&self) -> String {
        match self.ranks.size() {
            1 => self.local.describe(),
            ranks => format!("{ranks} ranks, each on {}", self.local.describe()),
        }
    }

    fn load(&mut self, scene: &Scene, part: &FlockState) -> Result<(), EngineError> {
        let everyone = self.survey(scene, part)? as usize;
        let slices = self.local.slices(scene, everyone) as usize;
        let even = Slabs::balanced(&vec![1; slices], self.ranks.size());
        let rank = self.ranks.rank();
        let begun = self.local.begin(scene, self.tick, everyone, even.of(rank));
        self.agree(begun)?;
        let mut agents = vec![0; slices];
        for slice in self.local.slices_of(part) {
            agents[slice as usize] += 1;
        }
        self.ranks.sum(&mut agents);
        self.slabs = Slabs::balanced(&agents, self.ranks.size());
        let begun = self.local.begin(scene, self.tick, everyone, self.slabs.of(rank));
        self.agree(begun)?;
        self.routes = Routes::new(self.local.as_ref(), &self.slabs, rank);
        self.balance = Balance::new(&self.slabs);

        let mut rounds = vec![0; self.ranks.size()];
        rounds[rank] = part.len().div_ceil(LOADED_AT_ONCE) as u64;
        self.ranks.sum(&mut rounds);
        for round in 0..rounds.into_iter().max().unwrap_or(0) as usize {
            let first = (round * LOADED_AT_ONCE).min(part.len());
            let rows = first..(first + LOADED_AT_ONCE).min(part.len());
            self.distribute(&part.rows(rows))?;
        }
        self.local.sort()?;
        self.count()
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
        (0..ticks).try_for_each(|_| self.one_tick())
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

    fn gather(&mut self) -> Result<(), EngineError> {
        self.gathered = FlockState::default();
        let gathered = self.read_back()?;
        self.gathered = self.local.arranged(gathered);
        Ok(())
    }

    fn shares(&self) -> Option<&Load> {
        Some(self.balance.load())
    }

    fn share(&self) -> Option<Share> {
        Some(self.balance.share())
    }

    fn own_state(&mut self) -> Result<FlockState, EngineError> {
        self.local.state()
    }

    fn set_profiling(&mut self, _: bool) {}

    fn profile(&mut self) -> Profile {
        Profile::default()
    }

    fn largest_cell(&mut self) -> u32 {
        let own = u64::from(self.local.largest_cell());
        let mut all = vec![0; self.ranks.size()];
        all[self.ranks.rank()] = own;
        self.ranks.sum(&mut all);
        all.into_iter().max().unwrap_or(0) as u32
    }

    fn finish(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    fn snapshot(&mut self) -> Result<Snapshot, EngineError> {
        let mut state = FlockState { tick: self.tick, ..FlockState::default() };
        self.read_in_portions(portion::LARGEST, &mut |portion| {
            state.extend(portion);
        })?;
        Ok(Snapshot { state, targets: self.targets()? })
    }

    fn read_in_portions(
        &mut self,
        most: usize,
        take: &mut dyn FnMut(&FlockState),
    ) -> Result<(), EngineError> {
        let own = self.local.state()?;
        for first in (0..self.id_end).step_by(most.max(1)) {
            let end = (first + most as u64).min(self.id_end);
            let row = |id: u64| own.id.partition_point(|own| u64::from(*own) < id);
            let parcel = portion::pack(&own, row(first)..row(end));
            let parcels = self.ranks.gather(parcel);
            if !parcels.is_empty() {
                take(&portion::merged(self.tick, own.shown, &parcels));
            }
        }
        Ok(())
    }

    fn targets(&mut self) -> Result<Vec<Target>, EngineError> {
        self.local.targets()
    }
}
