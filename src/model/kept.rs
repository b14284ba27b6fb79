//! Numbers that agents keep from tick to tick for their rules in text, such as `state.phase`.
//!
//! A scene has up to [`MAX_KEPT`] of them, each with a name; species that use the same name have the same
//! number. Agents of other species keep a 0.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::random::{MAX_NORMAL, Purpose, bits, nearly_normal, unit};

/// The most numbers that an agent keeps.
pub const MAX_KEPT: usize = 4;

/// The numbers of an agent, in the order of the [`KeptNames`].
pub type KeptRow = [f32; MAX_KEPT];

/// The largest number that is kept. A rule whose result is larger, or no number, leaves the old one.
pub const MAX_NUMBER: f32 = 1e18;

/// The beginning of a number's full name, as in `state.phase`.
pub const STATE_PREFIX: &str = "state.";

/// The names that [`interned`] has kept.
static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// A name that is kept to the end of the process, once.
#[must_use]
pub fn interned(name: &str) -> &'static str {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let new: &'static str = Box::leak(name.into());
    names.insert(new);
    new
}

/// The full name of a number.
#[must_use]
pub fn full_name(name: &str) -> &'static str {
    interned(&format!("{STATE_PREFIX}{name}"))
}

/// The names of the numbers that the agents of a scene keep, and which species keep them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeptNames {
    names: [Option<&'static str>; MAX_KEPT],
    /// A bit for each species that keeps the number.
    species: [u16; MAX_KEPT],
}

impl KeptNames {
    /// The first [`MAX_KEPT`] different ones of `names`, kept by all species.
    pub fn of(names: impl IntoIterator<Item = &'static str>) -> Self {
        let mut all = Self::default();
        names.into_iter().for_each(|name| all.add(name, u16::MAX));
        all
    }

    /// The same, each kept by the species of the number beside it.
    pub fn by_species(names: impl IntoIterator<Item = (usize, &'static str)>) -> Self {
        let mut all = Self::default();
        for (species, name) in names {
            all.add(name, 1_u16.checked_shl(species as u32).unwrap_or(0));
        }
        all
    }

    fn add(&mut self, name: &'static str, species: u16) {
        let place = self.place(name).unwrap_or(self.len());
        if let (Some(own), Some(all)) = (self.names.get_mut(place), self.species.get_mut(place)) {
            *own = Some(name);
            *all |= species;
        }
    }

    /// True if agents of a species keep the number in this place.
    #[must_use]
    pub fn keeps(&self, place: usize, species: u8) -> bool {
        self.species[place].checked_shr(species.into()).is_some_and(|own| own & 1 == 1)
    }

    /// The names.
    pub fn iter(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.names.into_iter().flatten()
    }

    /// The place of a number.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<usize> {
        self.iter().position(|own| own == name)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An agent's number before the first tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KeptStart {
    /// The same for all agents.
    Same(f32),
    /// Drawn evenly between two numbers.
    Even {
        /// The smallest.
        from: f32,
        /// The largest.
        to: f32,
    },
    /// Drawn from nearly a normal distribution: see [`nearly_normal`].
    Normal {
        /// The mean.
        mean: f32,
        /// The standard deviation.
        deviation: f32,
    },
}

impl Default for KeptStart {
    fn default() -> Self {
        Self::Same(0.0)
    }
}

impl KeptStart {
    /// The number of agent `id`; `key` is another one for each name.
    #[must_use]
    pub fn of_agent(self, seed: u32, id: u32, key: u32) -> f32 {
        match self {
            Self::Same(number) => number,
            Self::Even { from, to } => {
                // Rounding could lift the sum above `to`.
                (from + (to - from) * unit(seed, id, key, Purpose::KeptStart)).min(to)
            }
            Self::Normal { mean, deviation } => {
                mean + deviation * nearly_normal(bits(seed, id, key, Purpose::KeptStart))
            }
        }
    }

    /// The largest magnitude that it draws.
    #[must_use]
    pub fn largest(self) -> f32 {
        match self {
            Self::Same(number) => number.abs(),
            Self::Even { from, to } => from.abs().max(to.abs()),
            Self::Normal { mean, deviation } => mean.abs() + deviation.abs() * MAX_NORMAL,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_at_the_start_have_the_moments_of_their_law() {
        let moments = |start: KeptStart| {
            let all: Vec<f64> = (0..100_000).map(|id| start.of_agent(7, id, 5).into()).collect();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            let square = all.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
            (mean, (square / all.len() as f64).sqrt())
        };
        // The standard errors of the mean are deviation / √n = 0.0018, and 0.0063; four of each.
        let (mean, deviation) = moments(KeptStart::Even { from: 2.0, to: 4.0 });
        assert!((mean - 3.0).abs() < 0.0073, "{mean}");
        assert!((deviation - 0.577).abs() < 0.005, "{deviation}");
        let (mean, deviation) = moments(KeptStart::Normal { mean: -1.0, deviation: 2.0 });
        assert!((mean + 1.0).abs() < 0.0253, "{mean}");
        assert!((deviation - 2.0).abs() < 0.02, "{deviation}");
        assert_eq!(moments(KeptStart::Same(1.5)), (1.5, 0.0));
    }

    #[test]
    fn names_have_places_in_their_order() {
        let names = KeptNames::of(["b", "a", "b", "c", "d", "e"]);
        assert_eq!(names.iter().collect::<Vec<_>>(), ["b", "a", "c", "d"]);
        assert_eq!((names.place("c"), names.place("e"), names.len()), (Some(2), None, 4));
    }
}
