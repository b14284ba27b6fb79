//! The sums of rules that hear everybody and take nothing of the agent itself. All agents of a species share
//! them, but for its own part, which each takes away. The GPU's pass `add_up` adds them in the same order.

use std::ops::Range;

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::draws::Draws;
use super::formula_columns::FormulaColumns;
use super::group::SortedFlock;
use super::inputs::GroupInputs;
use super::joined_rules::HearingRules;
use super::lane_parameters::{LaneParameters, SpeciesTable};
use super::lanes::InstructionSet;
use flockwork_model::behaviours::Uses;
use flockwork_model::formula::{Given, Heard, Row, Tape, Tile};
use flockwork_model::kept::MAX_KEPT;
use flockwork_model::real::{Lanes, MAX_LANES, Real};
use flockwork_model::vector::{Axes, Space, Vector, each_axis, per_axis};

/// Sums that grow side by side: number l adds the agents l, l + 256, …
const PARTS: usize = 256;

/// Agents that a tile has room for: those that a group of eight hears at ten neighbours each.
pub(super) const TILE: usize = 48;

/// Agents in a tile of these lanes at most: some twenty results are in the nearest cache.
pub(super) fn tile_rows<S: Simd>() -> usize {
    TILE.min(512 / S::F32_LANES)
}

/// The sums over all agents, for each group of rules and species.
#[derive(Clone, Debug, Default)]
pub struct Totals(Vec<Vec<Vec<f32>>>);

impl Totals {
    /// The sums of the scene's rules that all agents share. The other rules have none.
    pub fn of<const D: usize>(
        flock: &SortedFlock<'_, D>,
        table: &SpeciesTable,
        instructions: InstructionSet,
    ) -> Self
    where
        Axes<D>: Space<D>,
    {
        if !flock.uses.has(Uses::SHARED) {
            return Self::default();
        }
        let of_species = |rules: &HearingRules, species: u8| {
            let sums = rules.program.results.len();
            if !table.has_one(species, rules) {
                return vec![0.0; sums];
            }
            let part =
                |first: usize| instructions.run(AddUp { flock, table, rules, species, first });
            let lanes = instructions.lanes();
            let parts: Vec<Vec<[f32; MAX_LANES]>> =
                (0..PARTS).into_par_iter().step_by(lanes).map(part).collect();
            let sum = |sum: usize| {
                paired(parts.iter().flat_map(|part| part[sum].into_iter().take(lanes)).collect())
            };
            (0..sums).map(sum).collect()
        };
        let of_rules = |rules: &HearingRules| match rules.one(table.rules()).is_shared {
            true => (0..table.len() as u8).map(|species| of_species(rules, species)).collect(),
            false => Vec::new(),
        };
        Self(table.rules().hearings.iter().map(of_rules).collect())
    }

    /// Sum `sum` of the rules in group `group` in the lanes of agents of these species.
    #[inline(always)]
    pub fn lanes<S: Simd>(&self, simd: S, (group, sum): (usize, usize), all: &[u8]) -> Lanes<S> {
        let mut numbers = [0.0; MAX_LANES];
        for (number, species) in numbers.iter_mut().zip(all) {
            *number = self.0[group][usize::from(*species)][sum];
        }
        Lanes::load(simd, &numbers)
    }
}

/// The sum of numbers, by pairs.
fn paired(mut parts: Vec<f32>) -> f32 {
    let mut half = PARTS / 2;
    while half > 0 {
        for lane in 0..half {
            parts[lane] += parts[lane + half];
        }
        half /= 2;
    }
    parts[0]
}

/// Puts agents into a row of a tile, one a lane.
#[inline(always)]
pub fn put<S: Simd, const D: usize>(
    simd: S,
    (tile, row): (&mut Tile<Lanes<S>, TILE>, usize),
    (flock, table): (&SortedFlock<'_, D>, &SpeciesTable),
    agents: Range<usize>,
) {
    let motion = flock.motion;
    let takes_sizes = flock.uses.has(Uses::OTHER_SIZES);
    let load = |numbers: &[f32]| Lanes::load(simd, &numbers[agents.clone()]);
    each_axis!(axis => {
        tile.row_mut(Given::OtherPosition(axis))[row] = load(&motion.position[axis]);
        tile.row_mut(Given::OtherVelocity(axis))[row] = load(&motion.velocity[axis]);
    });
    for (place, numbers) in motion.kept.iter().enumerate() {
        tile.row_mut(Given::OtherKept(place))[row] = load(numbers);
    }
    let (mut species, mut sizes) = ([0.0; MAX_LANES], [0.0; MAX_LANES]);
    for (lane, agent) in agents.enumerate() {
        species[lane] = f32::from(flock.species[agent]);
        if takes_sizes {
            sizes[lane] = table.size_of(flock.species[agent], flock.seed, flock.id[agent]);
        }
    }
    tile.row_mut(Given::OtherSpecies)[row] = Lanes::load(simd, &species);
    tile.row_mut(Given::OtherSize)[row] = Lanes::load(simd, &sizes);
}

/// Puts the vectors of the `members` into rows, each the same in all lanes.
#[inline(always)]
pub fn put_vectors<S: Simd, const D: usize>(
    simd: S,
    rows: &mut [Row<Lanes<S>, TILE>],
    all: &[Vec<f32>; D],
    members: &[u32],
) where
    Axes<D>: Space<D>,
{
    // In a variable, which stays in registers.
    let all: [&[f32]; D] = per_axis!(axis => &all[axis][..]);
    for (row, member) in members.iter().enumerate() {
        each_axis!(axis => {
            rows[axis].0[row] = Lanes::splat(simd, all[axis][*member as usize]);
        });
    }
}

/// The lanes that hear the agents of these species, one a lane, by rules.
#[inline(always)]
pub fn heard_by<S: Simd>(
    simd: S,
    parameters: &LaneParameters<S>,
    columns: &FormulaColumns,
    species: &[u8],
) -> <Lanes<S> as Real>::Mask {
    let mut shares = [0.0; MAX_LANES];
    for (lane, (share, species)) in shares.iter_mut().zip(species).enumerate() {
        *share = parameters.perceives_by(columns, *species).numbers()[lane];
    }
    Lanes::splat(simd, 0.0).less_than(Lanes::load(simd, &shares))
}

/// The sums of a group of rules for agents of a species, of the parts from `first` on: one a lane.
struct AddUp<'a, const D: usize> {
    flock: &'a SortedFlock<'a, D>,
    table: &'a SpeciesTable,
    rules: &'a HearingRules,
    species: u8,
    first: usize,
}

impl<const D: usize> WithSimd for AddUp<'_, D>
where
    Axes<D>: Space<D>,
{
    type Output = Vec<[f32; MAX_LANES]>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let Self { flock, table, rules, species, first } = self;
        let zero = Lanes::splat(simd, 0.0);
        let parameters = LaneParameters::uniform(simd, table, usize::from(species));
        let mut tape = Tape::new(&rules.program, zero);
        tape.prepare(&GroupInputs {
            simd,
            parameters: &parameters,
            position: Vector::<_, D>::zero(zero),
            velocity: Vector::zero(zero),
            body: &parameters.body,
            spread: Vector::zero(zero),
            sums: &[],
            kept: &[zero; MAX_KEPT],
            draws: Draws { seed: flock.seed, tick: flock.tick, ids: &[] },
        });
        let mut tile = Tile::new(zero, rules.sets.len());
        let mut heard = Heard::nobody(zero);
        let mut sums = vec![zero; rules.program.results.len()];
        let columns = rules.one(table.rules());
        let count = flock.species.len();
        let mut begin = first;
        while begin < count {
            let rows = (count - begin).div_ceil(PARTS).min(tile_rows::<S>());
            heard.clear();
            for row in 0..rows {
                let agents = begin + row * PARTS..count.min(begin + row * PARTS + S::F32_LANES);
                put(simd, (&mut tile, row), (flock, table), agents.clone());
                let mask = heard_by(simd, &parameters, columns, &flock.species[agents]);
                heard.push(row, mask);
            }
            tape.add(&tile, rows, &mut sums, &heard);
            begin += rows * PARTS;
        }
        let numbers = |sum: Lanes<S>| {
            let mut numbers = [0.0; MAX_LANES];
            sum.store(&mut numbers[..S::F32_LANES]);
            numbers
        };
        sums.into_iter().map(numbers).collect()
    }
}
