//! How the work is shared among the ranks, and when the borders of their slabs move.

use std::time::Duration;

use super::{Ranks, SlabEngine};
use crate::EngineError;
use crate::stopwatch::Stopwatch;
use flockwork_model::grid::{Slab, Slabs};

/// Ticks between two looks at the work.
const EVERY: u64 = 16;

/// Borders move only if the slowest rank then needs at most this share of its time.
const WORTHWHILE: f64 = 0.95;

/// The cost of an agent that goes to another rank; nanoseconds. An estimate: three times what
/// steering one costs on a core, for packing, sending, unpacking and sorting.
const MOVING: f64 = 150.0;

/// How the ranks share the work, since the flock was loaded. The sums belong to the last look, over
/// all ranks and all ticks before it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LoadBalance {
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
    /// Nanoseconds of own work: steering and sorting.
    pub work: u64,
    /// Nanoseconds of waiting for other ranks and for their messages.
    pub exchange: u64,
    /// Ticks.
    pub ticks: u64,
}

/// The work of one rank since the flock was loaded: sums over all ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankStats {
    /// Bytes sent to other ranks.
    pub sent: u64,
    /// Ghosts.
    pub ghosts: u64,
    /// Own agents.
    pub agents: u64,
    /// Nanoseconds of own work: steering and sorting.
    pub work: u64,
    /// Nanoseconds of waiting for other ranks and for their messages.
    pub exchange: u64,
    /// Nanoseconds of processor time in the own work, of all threads; 0 without a [`CpuClock`].
    pub cpu: u64,
    /// Ticks.
    pub ticks: u64,
}

/// The processor time that this process has taken, of all its threads. Only the host can read it.
pub type CpuClock = fn() -> Duration;

/// Divides the time of a tick into work and exchange. Each part is added to the sums of a rank.
#[derive(Debug)]
pub struct Laps {
    since: Stopwatch,
    clock: Option<CpuClock>,
    cpu_since: Duration,
}

impl Laps {
    /// Starts now.
    pub fn start(clock: Option<CpuClock>) -> Self {
        Self {
            since: Stopwatch::start(true),
            clock,
            cpu_since: clock.map_or(Duration::ZERO, |clock| clock()),
        }
    }

    /// Wall time and processor time since the last call.
    fn lap(&mut self) -> (Duration, Duration) {
        let cpu = self.clock.map_or(Duration::ZERO, |clock| clock());
        let cpu_before = std::mem::replace(&mut self.cpu_since, cpu);
        let since = std::mem::replace(&mut self.since, Stopwatch::start(true));
        (since.elapsed(), cpu.saturating_sub(cpu_before))
    }

    /// The time since the last call was work.
    pub fn worked(&mut self, own: &mut RankStats) {
        let (wall, cpu) = self.lap();
        own.work += wall.as_nanos() as u64;
        own.cpu += cpu.as_nanos() as u64;
    }

    /// The time since the last call was exchange.
    pub fn exchanged(&mut self, own: &mut RankStats) {
        // A rank that waits for a message may keep its core busy: that is no work.
        let (wall, _) = self.lap();
        own.exchange += wall.as_nanos() as u64;
    }
}

/// Watches the work.
#[derive(Clone, Debug, Default)]
pub struct Balance {
    /// The balance at the last look.
    pub load: LoadBalance,
    /// The work of this rank.
    pub own: RankStats,
    slices: usize,
}

impl Balance {
    /// For a newly loaded flock.
    pub fn new(slabs: &Slabs) -> Self {
        let slices = slabs.0.iter().map(|slab| slab.count as usize).sum();
        Self { slices, ..Self::default() }
    }

    /// Compares the work of the ranks every 16 ticks. Returns better slabs if they pay, unless the
    /// user `keeps` the present ones.
    pub fn after_tick(
        &mut self,
        slab: &mut dyn SlabEngine,
        ranks: &dyn Ranks,
        slabs: &Slabs,
        keeps: bool,
    ) -> Result<Option<Slabs>, EngineError> {
        self.own.ticks += 1;
        if !self.own.ticks.is_multiple_of(EVERY) {
            return Ok(None);
        }
        // The costs of all slices, then the agents of each, then the sums.
        let mut facts = vec![0; 2 * self.slices];
        let RankStats { sent, ghosts, agents, work, exchange, ticks, .. } = self.own;
        facts.extend([sent, ghosts, agents, work, exchange]);
        let first = slabs.0[ranks.rank()].first as usize;
        let agents = slab.slice_counts()?;
        for (slice, (cost, agents)) in slab.costs()?.into_iter().zip(agents).enumerate() {
            facts[first + slice] = cost;
            facts[self.slices + first + slice] = agents;
        }
        ranks.sum(&mut facts);
        // Every rank has the same facts now, and decides alike.
        let (costs, rest) = facts.split_at(self.slices);
        let (agents, sums) = rest.split_at(self.slices);
        if let [sent, ghosts, agents, work, exchange] = *sums {
            self.load = LoadBalance { sent, ghosts, agents, work, exchange, ticks, ..self.load };
        }
        let decision = Decision::of(slabs, costs, agents);
        (self.load.imbalance, self.load.best) = (decision.imbalance, decision.best);
        let better = decision.better.filter(|_| !keeps);
        self.load.moves += u32::from(better.is_some());
        Ok(better)
    }
}

/// The conclusions from the costs of the slices.
#[derive(Clone, Debug, PartialEq)]
struct Decision {
    /// See [`LoadBalance::imbalance`].
    imbalance: f64,
    /// See [`LoadBalance::best`].
    best: f64,
    /// Slabs that pay.
    better: Option<Slabs>,
}

impl Decision {
    /// `costs` in nanoseconds a tick, and the number of agents, of each slice.
    fn of(slabs: &Slabs, costs: &[u64], agents: &[u64]) -> Self {
        let size = slabs.0.len();
        let better = Slabs::balanced(costs, size);
        let [now, then] = [slabs, &better].map(|slabs| slowest(slabs, costs));
        let mean = costs.iter().sum::<u64>() as f64 / size as f64;
        let moves = |slice: &u32| slabs.owner(*slice) != better.owner(*slice);
        let moved = (0..costs.len() as u32).filter(moves).map(|slice| agents[slice as usize]);
        let price = moved.sum::<u64>() as f64 * MOVING;
        let saved = (now - then) * EVERY as f64;
        let pays = then < now * WORTHWHILE && saved > price;
        let times = |cost: f64| if mean > 0.0 { cost / mean } else { 1.0 };
        Self { imbalance: times(now), best: times(then), better: pays.then_some(better) }
    }
}

/// The cost of the most expensive slab.
fn slowest(slabs: &Slabs, costs: &[u64]) -> f64 {
    let cost =
        |slab: &Slab| -> u64 { costs[slab.first as usize..slab.end() as usize].iter().sum() };
    slabs.0.iter().map(cost).max().unwrap_or(0) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_move_only_if_it_pays() {
        let slabs = Slabs::balanced(&[1; 8], 4);
        let decision = |costs: &[u64], agents: u64| Decision::of(&slabs, costs, &[agents; 8]);
        let even = [1_000_000; 8];
        assert_eq!(decision(&even, 10), Decision { imbalance: 1.0, best: 1.0, better: None });
        // The first rank has two thirds of the work.
        let uneven = [2_000_000, 2_000_000, 1_000_000, 1_000_000, 0, 0, 0, 0];
        let Decision { imbalance, best, better } = decision(&uneven, 10);
        assert_eq!((imbalance, best), (4.0 / 1.5, 2.0 / 1.5));
        assert_eq!(slowest(&better.unwrap(), &uneven), 2e6);
        // Moving so many agents costs more than it saves.
        assert_eq!(decision(&uneven, 1_000_000).better, None);
        // A little: not worth it.
        let a_little = [
            1_000_000, 1_050_000, 1_000_000, 1_000_000, 1_000_000, 1_000_000, 1_000_000, 1_000_000,
        ];
        assert_eq!(decision(&a_little, 0).better, None);
        // One slice is heavier than a rank's share.
        let heavy = [8_000_000, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(decision(&heavy, 0).best, 4.0);
        assert_eq!(decision(&[0; 8], 0), Decision { imbalance: 1.0, best: 1.0, better: None });
    }
}
