//! The parameters of a group of agents, one agent a lane.

use pulp::Simd;

use super::lanes::MAX_LANES;
use crate::model::behaviours::{Kind, Rules};
use crate::model::parameter::Parameter;
use crate::model::real::{Lanes, Real};
use crate::model::scene::Scene;

/// Number of behaviours that listen to neighbours; in [`Kind::ALL`] they come first.
const LISTENERS: usize = {
    let mut count = 0;
    while count < Kind::ALL.len() && listens(Kind::ALL[count]) {
        count += 1;
    }
    count
};

const fn listens(kind: Kind) -> bool {
    matches!(kind, Kind::Separation | Kind::Alignment | Kind::Cohesion)
}

/// Room for the parameters of one behaviour.
const SLOTS: usize = 8;

/// Every parameter of every species, flat.
#[derive(Clone, Debug, Default)]
pub struct SpeciesTable {
    /// For each species, for each behaviour, [`SLOTS`] values.
    values: Vec<f32>,
    /// For each species: mass, max_speed, max_force, size.
    bodies: Vec<[f32; 4]>,
}

impl SpeciesTable {
    /// The values of a scene's species; a behaviour that a species has not has zeros.
    pub fn of(scene: &Scene) -> Self {
        let mut values = Vec::new();
        for species in &scene.species {
            for kind in Kind::ALL {
                values.extend((0..SLOTS).map(|slot| species.value(kind, slot)));
            }
        }
        Self { values, bodies: scene.species.iter().map(|s| s.body_values()).collect() }
    }

    /// Number of species.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    #[inline(always)]
    fn value(&self, species: usize, kind: Kind, slot: usize) -> f32 {
        self.values[(species * Kind::ALL.len() + kind as usize) * SLOTS + slot]
    }

    /// 1 when agents of `species` listen to agents of `other` in `kind`, else 0.
    #[inline(always)]
    fn hears(&self, species: usize, kind: Kind, other: usize) -> f32 {
        let with = |p: &Parameter| p.key == "with";
        let slot = kind.info().parameters.iter().position(with);
        let set = slot.map_or(0, |slot| self.value(species, kind, slot) as u32);
        ((set >> other) & 1) as f32
    }
}

/// Bodies and rules of a group of agents.
pub struct Pilots<S: Simd> {
    /// Mass units.
    pub mass: Lanes<S>,
    /// World units per tick.
    pub max_speed: Lanes<S>,
    /// Mass · world units per tick².
    pub max_force: Lanes<S>,
    /// Parameters of the behaviours.
    pub rules: Rules<Lanes<S>>,
    /// For each species, for each behaviour that listens: 1 where the lane's agent hears it.
    heard: Vec<[Lanes<S>; LISTENERS]>,
}

impl<S: Simd> Pilots<S> {
    /// All lanes of one species.
    pub fn uniform(simd: S, table: &SpeciesTable, species: usize) -> Self {
        Self::build(simd, table, |value| Lanes::splat(simd, value(species)))
    }

    /// Each lane of its own species.
    pub fn mixed(simd: S, table: &SpeciesTable, species: &[u8]) -> Self {
        let mut numbers = [0.0; MAX_LANES];
        let mut present = 0_u32;
        for (number, &species) in numbers.iter_mut().zip(species) {
            *number = f32::from(species);
            present |= 1 << species;
        }
        let numbers = Lanes::load(simd, &numbers);
        Self::build(simd, table, |value| {
            let mut lanes = Lanes::splat(simd, 0.0);
            for species in (0..table.len()).filter(|s| present & (1 << s) != 0) {
                let is = numbers.equals(numbers.constant(species as f32));
                lanes = Lanes::splat(simd, value(species)).where_or(is, lanes);
            }
            lanes
        })
    }

    /// `lanes` makes one register from a function that gives the value for a species.
    #[inline(always)]
    fn build(
        simd: S,
        table: &SpeciesTable,
        lanes: impl Fn(&dyn Fn(usize) -> f32) -> Lanes<S>,
    ) -> Self {
        let body = |field: usize| lanes(&|species| table.bodies[species][field]);
        let mut heard = vec![[Lanes::splat(simd, 0.0); LISTENERS]; table.len()];
        for (other, row) in heard.iter_mut().enumerate() {
            for (lane, kind) in row.iter_mut().zip(Kind::ALL) {
                *lane = lanes(&|species| table.hears(species, kind, other));
            }
        }
        Self {
            mass: body(0),
            max_speed: body(1),
            max_force: body(2),
            rules: Rules::read(|kind, slot| lanes(&|species| table.value(species, kind, slot))),
            heard,
        }
    }

    /// What each lane's agent hears of an agent of `species`, by behaviour.
    #[inline(always)]
    pub fn heard(&self, species: u8) -> &[Lanes<S>; LISTENERS] {
        &self.heard[species as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behaviours_that_listen_come_first_and_every_parameter_has_a_slot() {
        for kind in Kind::ALL {
            assert_eq!(listens(kind), kind.info().listens, "{kind:?}");
            assert_eq!((kind as usize) < LISTENERS, kind.info().listens, "{kind:?}");
            assert!(kind.info().parameters.len() <= SLOTS, "{kind:?}");
        }
    }
}
