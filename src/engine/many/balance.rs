//! How the work is shared among the ranks, and when the borders of their slabs move.

use super::{Local, Ranks};
use crate::model::grid::Slabs;

/// Ticks between two looks at the work.
const EVERY: u64 = 16;

/// Borders move if the slowest rank then needs at most this share of the time.
const WORTHWHILE: f64 = 0.95;

/// What an agent costs that goes to another rank; nanoseconds. Measured with slabs of 100,000 agents:
/// 60 to 150, the sort included.
const MOVING: f64 = 150.0;

/// How the ranks share the work, since the flock was loaded. The sums are those of the last look, over
/// all ranks and all ticks before it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// The time of the slowest rank divided by the mean, at the last look.
    pub imbalance: f64,
    /// The same for the best slabs, with the costs of the last look. Above 1 if a single slice costs
    /// more than a rank's share.
    pub best: f64,
    /// How often borders moved.
    pub moves: u32,
    /// Bytes sent.
    pub sent: u64,
    /// Ghosts.
    pub ghosts: u64,
    /// Agents.
    pub agents: u64,
    /// Ticks.
    pub ticks: u64,
}

/// Watches the work.
#[derive(Clone, Debug, Default)]
pub struct Balance {
    load: Load,
    /// Of this rank: bytes sent, ghosts, agents.
    own: [u64; 3],
    ticks: u64,
    slices: usize,
    size: usize,
    off: bool,
}

impl Balance {
    /// For a newly loaded flock.
    pub fn new(slabs: &Slabs, size: usize) -> Self {
        let slices = slabs.all().iter().map(|slab| slab.count as usize).sum();
        Self { slices, size, ..Self::default() }
    }

    /// What was found.
    pub fn load(&self) -> &Load {
        &self.load
    }

    /// No border moves any more.
    pub fn off(&mut self) {
        self.off = true;
    }

    /// Notes bytes that this rank has sent.
    pub fn sent(&mut self, bytes: usize) {
        self.own[0] += bytes as u64;
    }

    /// Notes the ghosts and agents of a tick.
    pub fn had(&mut self, ghosts: usize, agents: usize) {
        self.own[1] += ghosts as u64;
        self.own[2] += agents as u64;
    }

    /// Looks at the work every now and then. Returns better slabs if they pay.
    pub fn after_tick(
        &mut self,
        local: &mut dyn Local,
        ranks: &dyn Ranks,
        slabs: &Slabs,
    ) -> Option<Slabs> {
        self.ticks += 1;
        if self.size < 2 || !self.ticks.is_multiple_of(EVERY) {
            return None;
        }
        // The costs of all slices, then the agents of each, then the sums.
        let mut facts = vec![0; 2 * self.slices];
        facts.extend(self.own);
        let first = slabs.of(ranks.rank()).first as usize;
        let agents = local.slice_counts();
        for (slice, (cost, agents)) in local.costs().into_iter().zip(agents).enumerate() {
            facts[first + slice] = cost;
            facts[self.slices + first + slice] = agents;
        }
        ranks.sum(&mut facts);
        // Every rank has the same facts now, and decides alike.
        let (costs, rest) = facts.split_at(self.slices);
        let (agents, sums) = rest.split_at(self.slices);
        if let [sent, ghosts, agents] = *sums {
            self.load = Load { sent, ghosts, agents, ticks: self.ticks, ..self.load };
        }
        let better = Slabs::balanced(costs, self.size);
        let [now, then] = [slabs, &better].map(|slabs| slowest(slabs, costs));
        let mean = costs.iter().sum::<u64>() as f64 / self.size as f64;
        if mean > 0.0 {
            (self.load.imbalance, self.load.best) = (now / mean, then / mean);
        }
        let moved: u64 = (0..self.slices as u32)
            .filter(|slice| slabs.owner(*slice) != better.owner(*slice))
            .map(|slice| agents[slice as usize])
            .sum();
        let pays = then < now * WORTHWHILE && now - then > moved as f64 * MOVING;
        if !pays || self.off {
            return None;
        }
        self.load.moves += 1;
        Some(better)
    }
}

/// The cost of the most expensive slab.
fn slowest(slabs: &Slabs, costs: &[u64]) -> f64 {
    let cost = |slab: &crate::model::grid::Slab| -> u64 {
        costs[slab.first as usize..slab.end() as usize].iter().sum()
    };
    slabs.all().iter().map(cost).max().unwrap_or(0) as f64
}
