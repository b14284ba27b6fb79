//! The values of a species, and the laws that they follow.

use crate::behaviours::{Body, Kind};
use crate::parameter::{Parameter, Parameters};
use crate::random::{Purpose, unit};

/// One of a species' values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// An index into the body's table.
    Body(usize),
    /// A behaviour, and an index into its table.
    Rule(Kind, usize),
}

/// The law that a value follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// `base + amplitude · noise(tick / period)` with Perlin noise from −1 to 1. Source: *The
    /// Nature of Code*, chapter 5, exercise 5.18.
    Noise {
        /// In the unit of the value.
        amplitude: f32,
        /// Ticks in which the noise changes much.
        period: f32,
    },
    /// `base · (1 − e^(−size / scale))`. Source: *The Nature of Code*, chapter 5, exercise 5.14.
    GrowsWithSize {
        /// World units.
        scale: f32,
    },
    /// `base · e^(−size / scale)`.
    ShrinksWithSize {
        /// World units.
        scale: f32,
    },
    /// Each agent draws its own number once, evenly from `from` to the base. The base is the
    /// largest value; radii, speeds and cells for all agents use it.
    PerAgent {
        /// The smallest value, in the same unit.
        from: f32,
    },
}

/// A value that follows a law; the species holds its base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variation {
    /// The value.
    pub slot: Slot,
    /// Its law.
    pub law: Law,
}

/// The number that agent `id` draws from `low` to `high`, all in the engines' encoding; `key` is
/// the [`Slot::noise_key`]. A pure function of seed, id and key; `with_traits` in
/// `shaders/rules.wgsl` gives the same bits.
#[must_use]
pub fn drawn(low: f32, high: f32, seed: u32, id: u32, key: u32) -> f32 {
    // Rounding could lift the sum above `high`.
    (low + (high - low) * unit(seed, id, key, Purpose::Trait)).min(high)
}

impl Slot {
    /// The body's size.
    #[must_use]
    pub fn size() -> Self {
        let body = <Body as Parameters<f32>>::TABLE;
        Self::Body(body.iter().position(|parameter| parameter.key == "size").unwrap_or(body.len()))
    }

    /// The key in the species' table, such as `max_speed` or `separation.radius`.
    #[must_use]
    pub fn key(self) -> String {
        match self {
            Self::Body(_) => self.parameter().key.into(),
            Self::Rule(kind, _) => format!("{}.{}", kind.info().key, self.parameter().key),
        }
    }

    /// The declaration of its parameter.
    #[must_use]
    pub fn parameter(self) -> &'static Parameter {
        match self {
            Self::Body(index) => &<Body as Parameters<f32>>::TABLE[index],
            Self::Rule(kind, index) => &kind.info().parameters[index],
        }
    }

    /// The key as a number for random draws: FNV-1a of its letters. So a new parameter does not
    /// change the draws of others.
    #[must_use]
    pub fn noise_key(self) -> u32 {
        number_of_key(&self.key())
    }
}

/// A key as a number for random draws.
#[must_use]
pub fn number_of_key(key: &str) -> u32 {
    let fold = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(16_777_619);
    key.bytes().fold(2_166_136_261, fold)
}

impl Variation {
    /// True if each agent draws the value.
    #[must_use]
    pub fn is_drawn(&self) -> bool {
        matches!(self.law, Law::PerAgent { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_even_and_keep_to_their_ends() {
        let slot = Slot::Body(1);
        assert_eq!(slot.key(), "max_speed");
        let draws: Vec<f32> =
            (0..100_000).map(|id| drawn(2.0, 4.0, 7, id, slot.noise_key())).collect();
        assert!(draws.iter().all(|draw| (2.0..=4.0).contains(draw)));
        let mean = draws.iter().map(|draw| f64::from(*draw)).sum::<f64>() / 1e5;
        // The standard error is 2/√12/√n = 0.0018.
        assert!((mean - 3.0).abs() < 0.0073, "{mean}");
        assert!((0..1000).all(|id| drawn(0.3, 0.3, 7, id, 5) == 0.3));
    }
}
