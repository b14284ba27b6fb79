//! Values of a species that vary: with its size, with noise in time, or with the agent.

use std::borrow::Cow;

use super::Scene;
use super::slot::{Law, Slot, Variation, drawn};
use super::species::Species;
use crate::behaviours::Body;
use crate::formula::different;
use crate::parameter::Parameters;
use crate::random::{MAX_SPREAD, Purpose, bits, spread};

/// The noise of a variation at a time in its periods, from −1 to 1: every whole time has a line through a value of
/// at most a half, and between two of them the noise goes over from one line to the other, as Perlin's does.
fn noise(seed: u32, (species, variation): (usize, usize), time: f64) -> f32 {
    let own = (species << 16 | variation) as u32;
    let (whole, rest) = (time.floor(), time - time.floor());
    let line = |at: f64, from: f64| {
        let [value, slope] =
            spread(bits(seed, own, at as u64 as u32, Purpose::Variation)).map(f64::from);
        (value * 0.5 + slope * from) / f64::from(MAX_SPREAD)
    };
    let (before, after) = (line(whole, rest), line(whole + 1.0, rest - 1.0));
    let part = rest * rest * rest * (rest * (rest * 6.0 - 15.0) + 10.0);
    (before + (after - before) * part) as f32
}

/// e^(−x). Systems differ in its last bits, so it is rounded.
fn share(x: f32) -> f32 {
    (-f64::from(x)).exp() as f32
}

impl Variation {
    /// Replaces the value in `species` by its value for the tick's `noise`.
    fn apply(&self, species: &mut Species, noise: f32) {
        let size = species.body.size;
        let (low, high) = self.slot.parameter().range;
        self.replace(species, |base| {
            let value = match self.law {
                Law::Noise { amplitude, .. } => base + amplitude * noise,
                Law::GrowsWithSize { scale } => base * (1.0 - share(size / scale)),
                Law::ShrinksWithSize { scale } => base * share(size / scale),
                // The base is the largest value.
                Law::PerAgent { .. } => base,
            };
            value.clamp(low, high)
        });
    }

    /// Replaces the value in `species`.
    fn replace(&self, species: &mut Species, varied: impl Fn(f32) -> f32) {
        match self.slot {
            Slot::Body(index) => {
                let mut values = species.body.values();
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

impl Species {
    /// Sorts the variations into the order of the body's table and of the rules. Their noise
    /// depends on this order, which must not depend on the order of a file's keys.
    #[doc(hidden)]
    pub fn sort_variations(&mut self) {
        let Self { rules, variations, .. } = self;
        variations.sort_by_key(|variation| match variation.slot {
            Slot::Body(index) => (0, index),
            Slot::Rule(kind, index) => {
                let turn = rules.iter().position(|rule| rule.kind == kind);
                (1 + turn.unwrap_or(rules.len()), index)
            }
        });
    }

    /// True if its agents draw their own size.
    #[must_use]
    pub fn draws_size(&self) -> bool {
        matches!(self.law(Slot::size()), Some(Law::PerAgent { .. }))
    }

    /// The species with the values that agent `id` draws.
    #[must_use]
    pub fn of_agent(&self, seed: u32, id: u32) -> Cow<'_, Self> {
        if !self.variations.iter().any(Variation::is_drawn) {
            return Cow::Borrowed(self);
        }
        let mut own = self.clone();
        for variation in std::mem::take(&mut own.variations) {
            if let Law::PerAgent { from } = variation.law {
                let key = variation.slot.noise_key();
                variation.replace(&mut own, |to| drawn(from, to, seed, id, key));
            }
        }
        Cow::Owned(own)
    }

    /// The smallest value of a slot for any agent, in the engines' encoding: the value itself if
    /// agents do not draw it.
    #[must_use]
    pub fn least(&self, slot: Slot) -> f32 {
        match (self.law(slot), slot) {
            (Some(Law::PerAgent { from }), _) => slot.parameter().encoded(from),
            (_, Slot::Body(index)) => self.body.values()[index],
            (_, Slot::Rule(kind, index)) => self.encoded(kind, index),
        }
    }
}

impl Scene {
    /// The species with their values at a tick. A pure function of scene, seed and tick.
    #[must_use]
    pub fn species_at(&self, tick: u64) -> Cow<'_, [Species]> {
        let changes = |species: &Species| !species.variations.iter().all(Variation::is_drawn);
        if !self.species.iter().any(changes) {
            return Cow::Borrowed(&self.species);
        }
        let mut all = self.species.clone();
        for (index, species) in all.iter_mut().enumerate() {
            let mut numbered: Vec<_> =
                std::mem::take(&mut species.variations).into_iter().enumerate().collect();
            // Other values may follow the size.
            numbered.sort_by_key(|(_, variation)| variation.slot != Slot::size());
            for (number, variation) in numbered {
                let noise = match variation.law {
                    Law::Noise { period, .. } => {
                        noise(self.seed, (index, number), tick as f64 / f64::from(period))
                    }
                    _ => 0.0,
                };
                variation.apply(species, noise);
                // Agents still draw these values; the other variations have become fixed values.
                species.variations.extend(variation.is_drawn().then_some(variation));
            }
        }
        Cow::Owned(all)
    }

    /// The scene with its species' values at a tick.
    #[must_use]
    pub fn at(&self, tick: u64) -> Self {
        Self { species: self.species_at(tick).into_owned(), ..self.clone() }
    }

    /// The slots that agents of any species draw: the body's first, then the built-in behaviours', then the rules'.
    #[must_use]
    #[doc(hidden)]
    pub fn traits(&self) -> Vec<Slot> {
        let all = self.species.iter().flat_map(|species| &species.variations);
        each_once(all.filter(|variation| variation.is_drawn()).map(|variation| variation.slot))
    }
}

/// Different slots in the order of their tables; rules in text stand as they come.
fn each_once(slots: impl IntoIterator<Item = Slot>) -> Vec<Slot> {
    let mut all: Vec<Slot> = Vec::new();
    for slot in slots {
        if !all.contains(&slot) {
            all.push(slot);
        }
    }
    let formula = |slot: &Slot| match slot {
        Slot::Rule(kind, _) => kind.formula(),
        Slot::Body(_) => None,
    };
    let formulas = different(all.iter().filter_map(formula));
    all.sort_by_key(|slot| {
        let (table, index) = match *slot {
            Slot::Body(index) => (0, index),
            Slot::Rule(kind, index) => (1 + kind.number(), index),
        };
        (table, formula(slot).and_then(|own| formulas.iter().position(|rule| *rule == own)), index)
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviours::Kind;
    use crate::parameter::MAX_SPECIES;
    use crate::scene::Request;

    /// Every slot of a species.
    fn slots() -> Vec<Slot> {
        let body = (0..<Body as Parameters<f32>>::TABLE.len()).map(Slot::Body);
        let rules = Kind::ALL.into_iter().flat_map(|kind| {
            (0..kind.info().parameters.len()).map(move |index| Slot::Rule(kind, index))
        });
        body.chain(rules).collect()
    }

    #[test]
    fn no_two_variations_have_one_noise() {
        let times: Vec<f64> = (0..20).map(|time| f64::from(time) * 0.37).collect();
        let mut all: Vec<Vec<u32>> = Vec::new();
        for (seed, species) in (1..4).flat_map(|seed| (0..MAX_SPECIES).map(move |own| (seed, own)))
        {
            let of = |time: &f64, number| noise(seed, (species, number), *time).to_bits();
            all.extend((0..130).map(|number| times.iter().map(|time| of(time, number)).collect()));
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn noise_goes_gently_to_its_ends_and_is_not_cut_there() {
        let all: Vec<f32> =
            (0..1_000_000).map(|at| noise(3, (0, 0), f64::from(at) / 100.0)).collect();
        let largest = all.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
        assert!((0.8..1.0).contains(&largest), "{largest}");
        let square: f32 = all.iter().map(|value| value * value).sum::<f32>() / all.len() as f32;
        assert!((0.08..0.09).contains(&square), "{square}");
        for three in all.windows(3) {
            let bend = (three[0] - three[1] * 2.0 + three[2]).abs();
            assert!(bend < 3e-3, "{three:?}");
        }
    }

    #[test]
    fn first_speeds_follow_the_laws_of_the_limit() {
        let law = |law: &str| {
            let text = format!(
                "[species.a]\ncount = 3\nsize = 6\nmax_speed = {{ base = 3, {law} }}\n\
                 spawn.speed = \"max_speed\""
            );
            Scene::parse("s.toml", &text).unwrap()
        };
        let grows = law("grows_with_size = 6");
        let varies = law("amplitude = 1, period = 50");
        let at_first = varies.species_at(0)[0].body.max_speed;
        assert!(at_first != 3.0);
        for (scene, wanted) in [(&grows, 3.0 * (1.0 - share(1.0))), (&varies, at_first)] {
            let state = scene.clone().populate(&Request::default()).unwrap().1;
            let newcomers = scene.newcomers(0, 3, 2);
            for velocity in state.velocity.iter().chain(&newcomers.velocity) {
                assert!((velocity.length() - wanted).abs() < 1e-5, "{velocity} for {wanted}");
            }
        }
    }

    #[test]
    fn a_limit_follows_the_size_of_the_tick() {
        let text = "[species.a]\nsize = { base = 6, amplitude = 5, period = 50 }\n\
                    max_speed = { base = 10, grows_with_size = 6 }";
        let scene = Scene::parse("s.toml", text).unwrap();
        let bodies = (0..200).map(|tick| scene.species_at(tick)[0].body);
        for body in bodies {
            assert_eq!(body.max_speed, 10.0 * (1.0 - share(body.size / 6.0)));
        }
    }

    #[test]
    fn slots_stand_once_in_the_order_of_their_tables_and_their_keys_draw_unlike() {
        let all = slots();
        assert_eq!(each_once(all.iter().rev().chain(&all).copied()), all);
        let mut keys: Vec<u32> = all.iter().map(|slot| slot.noise_key()).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), all.len(), "two keys have one number");
    }
}
