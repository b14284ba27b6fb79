//! The parameters of a group of agents, one agent a lane.

use pulp::Simd;

use super::lanes::MAX_LANES;
use crate::model::behaviours::{Kind, Rules};
use crate::model::real::{Lanes, Real};
use crate::model::scene::{Scene, Species};

/// Number of behaviours that listen to neighbours; in [`Kind::ALL`] they come first.
const LISTENERS: usize = Kind::LISTENERS;

/// Room for the parameters of one behaviour.
const SLOTS: usize = 8;

/// Where in a species' row the values of its body begin: mass, max_speed, max_force, size.
const BODY: usize = Kind::ALL.len() * SLOTS;

/// Where in a species' row the largest radius within which it listens is.
const HEARING: usize = BODY + 6;

/// Where in a species' row it says when each behaviour has its turn.
const TURNS: usize = HEARING + 1;

/// Where in a species' row it says whom it listens to.
const HEARD: usize = TURNS + Kind::ALL.len();

/// Every value of every species: for each species a row of behaviours' parameters, body, hearing
/// radius, turns, and, for each other species and behaviour that listens, 1 where it listens to
/// them and else 0.
#[derive(Clone, Debug, Default)]
pub struct SpeciesTable {
    rows: Vec<Vec<f32>>,
    /// The columns in which some species has a value.
    used: Vec<usize>,
}

impl SpeciesTable {
    /// The values of a scene's species at a tick.
    pub fn of(scene: &Scene, tick: u64) -> Self {
        let row = |species: &Species| {
            let mut row = Vec::with_capacity(HEARD + scene.species.len() * LISTENERS);
            for kind in Kind::ALL {
                row.extend((0..SLOTS).map(|slot| species.encoded(kind, slot)));
            }
            row.extend(species.body_values());
            row.push(species.hearing_radius());
            row.extend(Kind::ALL.map(|kind| species.turn(kind)));
            for other in 0..scene.species.len() {
                for kind in &Kind::ALL[..LISTENERS] {
                    let set = kind.parameter("with").map_or(0.0, |i| species.value(*kind, i));
                    row.push(((set as u32 >> other) & 1) as f32);
                }
            }
            row
        };
        let rows: Vec<Vec<f32>> = scene.species_at(tick).iter().map(row).collect();
        let uses = scene.uses();
        let silent = |column: usize| column < BODY && !uses.contains(Kind::ALL[column / SLOTS]);
        let used = (0..rows[0].len()).filter(|column| !silent(*column)).collect();
        Self { rows, used }
    }

    /// Number of species.
    pub fn len(&self) -> usize {
        self.rows.len()
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
    /// World units.
    pub size: Lanes<S>,
    /// 1 where each behaviour's force is limited, 0 where their sum is.
    pub limits_each: Lanes<S>,
    /// 1 where behaviours have their turns until the force is spent, 0 where they are summed.
    pub in_turn: Lanes<S>,
    /// The largest radius within which they listen to anybody; world units.
    pub hearing: Lanes<S>,
    /// Parameters of the behaviours.
    pub rules: Rules<Lanes<S>>,
    /// A species' row, each lane with the value of its own species.
    row: Vec<Lanes<S>>,
}

impl<S: Simd> Pilots<S> {
    /// All lanes of one species.
    pub fn uniform(simd: S, table: &SpeciesTable, species: usize) -> Self {
        let row = table.rows[species].iter();
        Self::of(row.map(|value| Lanes::splat(simd, *value)).collect())
    }

    /// Each lane of its own species.
    #[inline(always)]
    pub fn mixed(simd: S, table: &SpeciesTable, species: &[u8]) -> Self {
        let mut numbers = [0.0; MAX_LANES];
        let mut present = 0_u32;
        for (number, &species) in numbers.iter_mut().zip(species) {
            *number = f32::from(species);
            present |= 1 << species;
        }
        let numbers = Lanes::load(simd, &numbers);
        let mut row = vec![Lanes::splat(simd, 0.0); table.rows[0].len()];
        for (index, values) in table.rows.iter().enumerate() {
            if present & (1 << index) == 0 {
                continue;
            }
            let own = numbers.equals(Lanes::splat(simd, index as f32));
            for &column in &table.used {
                row[column] = Lanes::splat(simd, values[column]).where_or(own, row[column]);
            }
        }
        Self::of(row)
    }

    #[inline(always)]
    fn of(row: Vec<Lanes<S>>) -> Self {
        Self {
            mass: row[BODY],
            max_speed: row[BODY + 1],
            max_force: row[BODY + 2],
            size: row[BODY + 3],
            limits_each: row[BODY].constant(1.0) - row[BODY + 4],
            in_turn: row[BODY + 5],
            hearing: row[HEARING],
            rules: Rules::read(|kind, slot| row[kind as usize * SLOTS + slot]),
            row,
        }
    }

    /// When a behaviour has its turn, in each lane.
    #[inline(always)]
    pub fn turn(&self, kind: Kind) -> Lanes<S> {
        self.row[TURNS + kind as usize]
    }

    /// 1 in the lanes whose agents hear `species` in a behaviour that listens, else 0.
    #[inline(always)]
    pub fn hears(&self, kind: Kind, species: u8) -> Lanes<S> {
        self.row[HEARD + species as usize * LISTENERS + kind as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behaviours_that_listen_come_first_and_every_parameter_has_a_slot() {
        for kind in Kind::ALL {
            assert_eq!((kind as usize) < LISTENERS, kind.info().listens, "{kind:?}");
            assert!(kind.info().parameters.len() <= SLOTS, "{kind:?}");
        }
    }
}
