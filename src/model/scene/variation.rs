//! Values of a species that are not constant: by its size, or by noise in time.

use std::borrow::Cow;

use noise::{NoiseFn, Perlin};

use super::Scene;
use super::species::{Body, Species};
use crate::model::behaviours::Kind;
use crate::model::parameter::{Parameter, Parameters};

/// Which value of a species.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// A row of the body's table.
    Body(usize),
    /// A row of a behaviour's table.
    Rule(Kind, usize),
}

/// What a value depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// `base + amplitude · noise(tick / period)`, the noise from −1 to 1 (Perlin's). Source: *The
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
}

/// A value that follows a law; the species holds its base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variation {
    /// Which value.
    pub slot: Slot,
    /// What it depends on.
    pub law: Law,
}

/// The coordinate of the noise for each variation: between lattice lines, where noise is not zero,
/// and so far apart that no two resemble each other.
fn strand(species: usize, variation: usize) -> f64 {
    (species * 64 + variation) as f64 * 7.0 + 0.37
}

impl Variation {
    /// The parameter that varies.
    #[must_use]
    pub fn parameter(&self) -> &'static Parameter {
        match self.slot {
            Slot::Body(index) => &<Body as Parameters<f32>>::TABLE[index],
            Slot::Rule(kind, index) => &kind.info().parameters[index],
        }
    }

    /// Replaces the value in `species`.
    fn apply(&self, species: &mut Species, noise: f32) {
        let size = species.body.size;
        let (low, high) = self.parameter().range;
        let varied = |base: f32| {
            let value = match self.law {
                Law::Noise { amplitude, .. } => base + amplitude * noise,
                Law::GrowsWithSize { scale } => base * (1.0 - (-size / scale).exp()),
                Law::ShrinksWithSize { scale } => base * (-size / scale).exp(),
            };
            value.clamp(low, high)
        };
        match self.slot {
            Slot::Body(index) => {
                let mut values = species.body_values();
                values[index] = varied(values[index]);
                species.body = Body::read(|i| values[i]);
            }
            Slot::Rule(kind, index) => {
                let rule = species.rules.iter_mut().find(|rule| rule.kind == kind);
                for value in rule.into_iter().flat_map(|rule| rule.values.get_mut(index)) {
                    *value = varied(*value);
                }
            }
        }
    }
}

impl Scene {
    /// The species with the values that they have at a tick. A pure function of scene, seed and
    /// tick.
    #[must_use]
    pub fn species_at(&self, tick: u64) -> Cow<'_, [Species]> {
        if self.species.iter().all(|species| species.variations.is_empty()) {
            return Cow::Borrowed(&self.species);
        }
        let perlin = Perlin::new(self.seed);
        let mut all = self.species.clone();
        for (index, species) in all.iter_mut().enumerate() {
            for (number, variation) in
                std::mem::take(&mut species.variations).into_iter().enumerate()
            {
                let noise = match variation.law {
                    Law::Noise { period, .. } => {
                        let time = tick as f64 / f64::from(period);
                        perlin.get([time, strand(index, number)]) as f32
                    }
                    _ => 0.0,
                };
                variation.apply(species, noise);
            }
        }
        Cow::Owned(all)
    }

    /// The scene with the values that its species have at a tick.
    #[must_use]
    pub fn at(&self, tick: u64) -> Self {
        Self { species: self.species_at(tick).into_owned(), ..self.clone() }
    }

    /// True when some value changes from tick to tick.
    #[must_use]
    pub fn varies(&self) -> bool {
        let mut all = self.species.iter().flat_map(|species| &species.variations);
        all.any(|variation| matches!(variation.law, Law::Noise { .. }))
    }
}
