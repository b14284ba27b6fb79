//! The part of a flock on one rank, and its exchange with the other ranks.

use std::sync::Arc;

use super::balance::{Balance, CpuClock, Laps};
use super::message::RowFormat;
use super::routes::Routes;
use super::{Ranks, Region, SlabEngine, Slices};
use crate::EngineError;
use flockwork_model::grid::Slabs;
use flockwork_model::state::FlockState;

/// Ticks between two counts of all agents.
const COUNTED_EVERY: u64 = 64;

/// The part of a flock on this rank, and what all ranks know of the whole.
pub struct RankFlock {
    pub ranks: Arc<dyn Ranks>,
    /// The engine of the own slab.
    pub slab: Box<dyn SlabEngine>,
    /// Number of agents of all ranks, and the sum of their ids.
    pub everyone: [u64; 2],
    /// Larger than all ids.
    pub id_end: u64,
    /// Ticks done.
    pub tick: u64,
    /// False if the first rank has all of it.
    pub is_divided: bool,
    pub moves_targets: bool,
    /// The rows of agents that change the rank.
    pub agents: RowFormat,
    /// The rows of ghosts.
    pub ghosts: RowFormat,
    /// The grid of the whole flock.
    pub slices: Slices,
    /// The slabs of all ranks.
    pub slabs: Slabs,
    pub routes: Routes,
    /// How the ranks share the work.
    pub balance: Balance,
}

/// The sums of numbers over all ranks.
pub fn sum<const N: usize>(ranks: &dyn Ranks, mut numbers: [u64; N]) -> [u64; N] {
    ranks.sum(&mut numbers);
    numbers
}

/// The largest of numbers over all ranks.
pub fn largest<const N: usize>(ranks: &dyn Ranks, numbers: [u64; N]) -> [u64; N] {
    let mut all = vec![[0; N]; ranks.size()];
    all[ranks.rank()] = numbers;
    ranks.sum(all.as_flattened_mut());
    all.into_iter().fold(numbers, |most, own| std::array::from_fn(|i| most[i].max(own[i])))
}

/// Fails on all ranks if `result` is an error on one of them.
pub fn agree<T>(ranks: &dyn Ranks, result: Result<T, EngineError>) -> Result<T, EngineError> {
    let [failed] = sum(ranks, [u64::from(result.is_err())]);
    match result {
        Ok(_) if failed > 0 => Err(EngineError::OtherRank),
        result => result,
    }
}

impl RankFlock {
    /// Sends agents to the ranks that own their slices, and receives agents from them.
    pub fn exchange(&mut self, agents: &FlockState) -> Result<(), EngineError> {
        let mut messages = vec![Vec::new(); self.ranks.size()];
        for (row, slice) in self.slices.at(&agents.position).into_iter().enumerate() {
            self.agents.put(agents, [row], &mut messages[self.slabs.owner(slice)]);
        }
        for (rank, message) in messages.iter().enumerate() {
            if rank != self.ranks.rank() {
                self.balance.own.sent += message.len() as u64;
            }
        }
        let mut imported = FlockState::default();
        for message in self.ranks.all_to_all(messages) {
            self.agents.read(&message, &mut imported)?;
        }
        self.slab.import_agents(&imported)
    }

    /// Gives each rank the agents that are in its slab now.
    fn migrate(&mut self, laps: &mut Laps) -> Result<(), EngineError> {
        let exported = self.slab.export_agents()?;
        laps.worked(&mut self.balance.own);
        self.exchange(&exported)?;
        laps.exchanged(&mut self.balance.own);
        self.slab.sort()?;
        laps.worked(&mut self.balance.own);
        Ok(())
    }

    /// Advances by one tick. `keeps` says that borders stay where they are.
    pub fn one_tick(&mut self, clock: Option<CpuClock>, keeps: bool) -> Result<(), EngineError> {
        let mut laps = Laps::start(clock);
        let to = self.routes.messages(self.slab.as_mut(), self.ghosts)?;
        self.balance.own.sent += to.iter().map(|(_, message)| message.len() as u64).sum::<u64>();
        // While the copies travel, those agents move that need none.
        let (slab, mut steered) = (&mut self.slab, Ok(()));
        laps.worked(&mut self.balance.own);
        let copies = self.ranks.exchange(&to, &self.routes.from, &mut || {
            laps.exchanged(&mut self.balance.own);
            steered = slab.steer(Region::Inner);
            laps.worked(&mut self.balance.own);
        });
        laps.exchanged(&mut self.balance.own);
        steered?;
        for (slice, copies) in self.routes.unpack(&copies, self.ghosts)? {
            self.slab.take_ghosts(slice, &copies)?;
            self.balance.own.ghosts += copies.len() as u64;
        }
        self.slab.steer(Region::Edge)?;
        if self.moves_targets {
            let mut hits: Vec<u64> = self.slab.hits()?.into_iter().map(u64::from).collect();
            laps.worked(&mut self.balance.own);
            self.ranks.sum(&mut hits);
            laps.exchanged(&mut self.balance.own);
            let hit: Vec<bool> = hits.into_iter().map(|ranks| ranks > 0).collect();
            self.slab.move_targets(&hit)?;
        }
        self.balance.own.agents += self.slab.count() as u64;
        self.migrate(&mut laps)?;
        self.slab.end_tick();
        self.tick += 1;
        if self.tick.is_multiple_of(COUNTED_EVERY) {
            self.count()?;
        }
        let keeps = keeps || !self.is_divided;
        let better =
            self.balance.after_tick(self.slab.as_mut(), &*self.ranks, &self.slabs, keeps)?;
        better.map_or(Ok(()), |slabs| self.move_to(slabs, clock))
    }

    /// Fails if an agent is lost or there twice.
    pub fn count(&mut self) -> Result<(), EngineError> {
        let ids = self.slab.id_sum()?;
        let found = sum(&*self.ranks, [self.slab.count() as u64, ids]);
        match found == self.everyone {
            true => Ok(()),
            false => Err(EngineError::LostAgents {
                found: found[0],
                wanted: self.everyone[0],
                tick: self.tick,
            }),
        }
    }

    /// Changes the borders of the slabs.
    pub fn move_to(&mut self, slabs: Slabs, clock: Option<CpuClock>) -> Result<(), EngineError> {
        let mut laps = Laps::start(clock);
        let rank = self.ranks.rank();
        self.slab.move_to(slabs.0[rank])?;
        self.slabs = slabs;
        self.routes = Routes::new(&self.slices, &self.slabs, rank);
        self.migrate(&mut laps)
    }
}
