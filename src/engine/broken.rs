//! Forces of rules in text that were no numbers.

use flockwork_model::behaviours::Kind;
use flockwork_model::scene::Scene;

/// Forces of rules in text that were no numbers, and so were none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BrokenForces {
    /// How many, of all agents in all ticks so far.
    pub count: u64,
    /// A bit at the number of each rule that had one, in the order of [`Scene::formulas`].
    rules: u32,
}

impl BrokenForces {
    /// Adds the forces of one rule.
    pub(crate) fn add(&mut self, rule: usize, count: u64) {
        self.count += count;
        self.rules |= u32::from(count > 0) << rule;
    }

    /// Adds others.
    pub(crate) fn extend(&mut self, other: Self) {
        self.count += other.count;
        self.rules |= other.rules;
    }

    /// Forgets which rules they were of: the scene has other rules now.
    pub(crate) fn forget_rules(&mut self) {
        self.rules = 0;
    }

    /// One number for the forces and one for each rule, to be added up over processes.
    pub(crate) fn numbers(self) -> Vec<u64> {
        let bits = (0..u32::BITS).map(|rule| u64::from(self.rules >> rule & 1));
        [self.count].into_iter().chain(bits).collect()
    }

    /// The reverse of [`Self::numbers`].
    pub(crate) fn from_numbers(numbers: &[u64]) -> Self {
        let bits = numbers.iter().skip(1).zip(0..u32::BITS);
        let rules = bits.map(|(had, rule)| u32::from(*had > 0) << rule).sum();
        Self { count: numbers.first().copied().unwrap_or(0), rules }
    }

    /// A sentence about them, with the names of the rules that broke since `scene` has its rules; `None` if all
    /// forces were numbers.
    #[must_use]
    pub fn sentence(self, scene: &Scene) -> Option<String> {
        let rules = scene.formulas().into_iter().zip(0..u32::BITS);
        let broken = rules.filter(|(_, rule)| self.rules >> rule & 1 == 1);
        let kinds: Vec<Kind> = broken.map(|(rule, _)| Kind::Formula(rule)).collect();
        let named = scene.species.iter().flat_map(|species| {
            let own = kinds.iter().filter(|kind| species.rule(**kind).is_some());
            own.map(|kind| format!("`{}.{}`", species.name, kind.info().key))
        });
        let named: Vec<String> = named.collect();
        let of = if named.is_empty() { "" } else { " of " };
        let plural = if self.count == 1 { "" } else { "s" };
        (self.count > 0).then(|| {
            format!(
                "{} force{plural}{of}{} had a component that is no number or above 1e18, and counted \
                 as none; where a formula may divide by 0, write if(distance > 0, …, zero)",
                self.count,
                named.join(", ")
            )
        })
    }
}

/// Broken forces that a device counts in 32 bits, on and on.
#[cfg(feature = "gpu")]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CountedForces {
    pub so_far: BrokenForces,
    last: u32,
}

#[cfg(feature = "gpu")]
impl CountedForces {
    /// Bytes of a device's count.
    pub const BYTES: u64 = 8;

    /// Takes over what a device has counted.
    pub fn note(&mut self, bytes: &[u8]) {
        let words: Vec<u32> = bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect();
        let [count, rules] = words[..] else { return };
        let newer = count.wrapping_sub(self.last);
        self.so_far.extend(BrokenForces { count: newer.into(), rules });
        self.last = count;
    }
}
