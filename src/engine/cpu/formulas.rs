//! Rules in text on a group of agents: neighbours are collected in a tile, and each operation of a rule
//! runs at once for the whole tile.

use std::collections::BTreeSet;
use std::ops::Range;

use pulp::Simd;

use super::add_up::{Totals, heard, put};
use super::group::{Group, SortedFlock, share_of};
use super::inputs::{Draws, GroupInputs};
use super::lane_parameters::{FormulaColumns, LaneParameters, SpeciesTable};
use super::nearest::{Nearest, Reach};
use flockwork_model::behaviours::{Agent, Kind, TextForces, Uses};
use flockwork_model::formula::{Given, Row, Tape, Tile};
use flockwork_model::kept::MAX_KEPT;
use flockwork_model::real::{Lanes, Real};
use flockwork_model::vector::{Axes, Space, Vector, each_axis, per_axis};

/// Neighbours in a tile. Two dozen results of this size are in the nearest cache.
const TILE: usize = 32;

/// The rules that are shown the neighbours of a tile.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Hearing {
    /// Those that look round themselves, within a radius.
    Near,
    /// Those that look at everybody.
    Everybody,
}

/// A squared distance above all others.
const EVERYWHERE: f32 = 3e38;

/// The rules in text of a scene, and the neighbours that they have not seen yet.
pub struct FormulaLanes<'a, S: Simd, const D: usize> {
    simd: S,
    rules: Vec<RuleLanes<'a, S>>,
    tile: Tile<Lanes<S>, D, TILE>,
    shares: Row<Lanes<S>, TILE>,
    /// The same as each rule perceives the neighbours.
    perceived: Row<Lanes<S>, TILE>,
    species: [u8; TILE],
    /// Their ids, if these decide who is chosen.
    ids: [u32; TILE],
    by_ids: bool,
    collected: usize,
    hearing: Hearing,
    heading: Vector<Lanes<S>, D>,
    several_species: bool,
    takes_velocity: bool,
    takes_place: bool,
    /// The sums over all agents.
    totals: &'a Totals,
    table: &'a SpeciesTable,
    /// The origin of the neighbours' sizes, if a rule takes them.
    sizes: Option<(&'a SpeciesTable, u32, &'a [u32])>,
    /// True if every agent of the tile counts once.
    whole: bool,
    /// The places of the neighbours' numbers that rules take.
    taken: Vec<usize>,
    /// The numbers that the agents keep, before and after the tick.
    pub kept: [Lanes<S>; MAX_KEPT],
    pub next_kept: [Lanes<S>; MAX_KEPT],
}

struct RuleLanes<'a, S: Simd> {
    columns: &'a FormulaColumns,
    of_sums: Tape<Lanes<S>, TILE>,
    of_force: Tape<Lanes<S>, 1>,
    of_next: Tape<Lanes<S>, 1>,
    sums: Vec<Lanes<S>>,
    /// How far away its neighbours are, if it chooses the nearest.
    reach: Option<Reach<S>>,
}

impl<'a, S: Simd, const D: usize> FormulaLanes<'a, S, D>
where
    Axes<D>: Space<D>,
{
    /// The `rules` of a table, before any agent. The neighbours' sizes come from the table, a seed and the
    /// ids of the flock; `totals` are the sums of the rules over all agents.
    pub fn new(
        simd: S,
        rules: &'a [FormulaColumns],
        (table, seed, ids): (&'a SpeciesTable, u32, &'a [u32]),
        totals: &'a Totals,
    ) -> Self {
        let like = Lanes::splat(simd, 0.0);
        let rule = |columns: &'a FormulaColumns| RuleLanes {
            of_sums: Tape::new(&columns.formula.sums, like),
            of_force: Tape::new(&columns.formula.force, like),
            of_next: Tape::new(&columns.formula.next, like),
            sums: vec![like; columns.formula.sums.results.len()],
            reach: None,
            columns,
        };
        Self {
            simd,
            rules: rules.iter().map(rule).collect(),
            tile: Tile::new(like),
            shares: Row([like; TILE]),
            perceived: Row([like; TILE]),
            species: [0; TILE],
            ids: [0; TILE],
            by_ids: false,
            collected: 0,
            hearing: Hearing::Near,
            heading: Vector::zero(like),
            several_species: table.len() > 1,
            whole: true,
            taken: places_taken(rules),
            kept: [like; MAX_KEPT],
            next_kept: [like; MAX_KEPT],
            sizes: rules
                .iter()
                .any(|columns| columns.formula.sums_sizes())
                .then_some((table, seed, ids)),
            totals,
            table,
            takes_place: rules.iter().any(|columns| columns.formula.sums_places()),
            takes_velocity: rules.iter().any(|columns| {
                let velocity = |given| matches!(given, Given::OtherVelocity(_));
                columns.formula.sums.givens().any(velocity)
            }),
        }
    }

    /// True if a rule needs the direction in which agents leave others at the same spot.
    pub fn spread(&self) -> bool {
        self.rules.iter().any(|rule| rule.columns.formula.spreads)
    }

    /// Recalls the numbers that the agents of a group keep.
    #[inline(always)]
    pub fn recall(&mut self, flock: &SortedFlock<D>, agents: &Range<usize>) {
        for (own, numbers) in self.kept.iter_mut().zip(&flock.motion.kept) {
            *own = Lanes::load(self.simd, &numbers[agents.clone()]);
        }
        self.next_kept = self.kept;
    }

    /// Empties the sums, and computes what is the same for all neighbours of a group.
    #[inline(always)]
    pub fn begin(
        &mut self,
        flock: &SortedFlock<D>,
        (parameters, table): (&LaneParameters<S>, &SpeciesTable),
        group: &Group<S, D>,
        nearest: &Nearest<S>,
    ) {
        let simd = self.simd;
        let load = |values: &[f32]| Lanes::load(simd, &values[group.agents.clone()]);
        let velocity = Vector(per_axis!(axis => load(&flock.motion.velocity[axis])));
        self.collected = 0;
        self.heading = group.heading;
        for (number, rule) in self.rules.iter_mut().enumerate() {
            let RuleLanes { columns, of_sums, sums, reach, .. } = rule;
            *reach = nearest.of_rule(columns.formula).copied();
            sums.fill(Lanes::splat(simd, 0.0));
            of_sums.prepare(&GroupInputs {
                simd,
                parameters,
                columns,
                position: group.position,
                velocity,
                body: &parameters.body,
                spread: velocity,
                sums: &[],
                kept: &self.kept,
                draws: Draws { seed: flock.seed, tick: flock.tick, ids: &[] },
            });
            if columns.is_shared {
                // Everybody's but the agents' own parts.
                let tile = &mut self.tile;
                tile.places = columns.places;
                put(simd, (tile, 0), (flock, table), columns, group.agents.clone());
                let species = &flock.species[group.agents.clone()];
                self.shares.0[0] = heard(simd, parameters, columns, species);
                of_sums.run(tile, 1);
                of_sums.add(tile, sums, (&self.shares, true), 1);
                for (sum, own) in sums.iter_mut().enumerate() {
                    *own = self.totals.lanes(simd, (number, sum), species) - *own;
                }
            }
        }
        self.by_ids = self.rules.iter().any(|rule| rule.reach.is_some_and(|reach| reach.by_ids));
    }

    /// True if agents of any of these species look at everybody.
    pub fn looks_at_everybody(&self, species: &[u8]) -> bool {
        let looks = |rule: &RuleLanes<'_, S>| {
            let RuleLanes { columns, .. } = rule;
            let has = |species: &u8| self.table.has_rule(usize::from(*species), columns);
            columns.formula.hears_everybody() && !columns.is_shared && species.iter().any(has)
        };
        self.rules.iter().any(looks)
    }

    /// Shows the neighbours that follow to the rules that hear as far as this. The tile must be empty.
    #[inline(always)]
    pub fn take_for(&mut self, hearing: Hearing) {
        self.hearing = hearing;
    }

    /// Collects every `stride`-th of these agents, weighted by `share`. `own` are the agents of the group,
    /// and `offset` the way from them to a place.
    #[inline(always)]
    pub fn observe(
        &mut self,
        scene: (&SortedFlock<D>, &LaneParameters<S>),
        (agents, stride): (Range<usize>, usize),
        own: &Range<usize>,
        share: Lanes<S>,
        offset: impl Fn(Vector<Lanes<S>, D>) -> Vector<Lanes<S>, D>,
    ) {
        let (simd, motion) = (self.simd, scene.0.motion);
        let has_own = agents.start < own.end && own.start < agents.end;
        let mut first = agents.start;
        while first < agents.end {
            let room = TILE - self.collected;
            let members = first..agents.end.min(first + room * stride);
            first = members.start + room * stride;
            self.whole &= stride == 1;
            let rows = self.collected..self.collected + members.len().div_ceil(stride);
            let count = rows.len();
            // The remainder shows the compiler that no index is too large.
            let row = |index: usize| (rows.start + index) % TILE;
            let tile = &mut self.tile;
            let places = per_axis!(axis => &motion.position[axis][members.clone()]);
            for index in 0..count {
                let (at, row) = (index * stride, row(index));
                let offset =
                    offset(Vector(per_axis!(axis => Lanes::splat(simd, places[axis][at]))));
                each_axis!(axis => {
                    tile.offset[axis].0[row] = offset.0[axis];
                });
                tile.distance_squared.0[row] = offset.dot(offset);
                self.shares.0[row] = share;
            }
            if self.takes_place {
                for index in 0..count {
                    each_axis!(axis => {
                        let place = Lanes::splat(simd, places[axis][index * stride]);
                        tile.place[axis].0[row(index)] = place;
                    });
                }
            }
            if self.takes_velocity {
                let velocities = per_axis!(axis => &motion.velocity[axis][members.clone()]);
                for index in 0..count {
                    each_axis!(axis => {
                        let velocity = Lanes::splat(simd, velocities[axis][index * stride]);
                        tile.velocity[axis].0[row(index)] = velocity;
                    });
                }
            }
            if let Some((table, seed, ids)) = self.sizes {
                for index in 0..count {
                    let member = members.start + index * stride;
                    let size = table.size_of(scene.0.species[member], seed, ids[member]);
                    tile.size.0[row(index)] = Lanes::splat(simd, size);
                }
            }
            for place in &self.taken {
                let numbers = &motion.kept[*place][members.clone()];
                for index in 0..count {
                    tile.kept[*place].0[row(index)] = Lanes::splat(simd, numbers[index * stride]);
                }
            }
            if has_own {
                for index in 0..count {
                    let own = share_of(simd, members.start + index * stride, own);
                    self.shares.0[row(index)] = share * own;
                }
            }
            if self.several_species {
                let species = &scene.0.species[members.clone()];
                for index in 0..count {
                    let species = species[index * stride];
                    tile.species.0[row(index)] = Lanes::splat(simd, f32::from(species));
                    self.species[row(index)] = species;
                }
            }
            if self.by_ids {
                for index in 0..count {
                    self.ids[row(index)] = scene.0.id[members.start + index * stride];
                }
            }
            self.collected = rows.end;
            if rows.end == TILE {
                self.finish(scene.0.uses, scene.1);
            }
        }
    }

    /// Adds the neighbours of the tile to the sums.
    #[inline(always)]
    pub fn finish(&mut self, uses: Uses, parameters: &LaneParameters<S>) {
        if self.collected == 0 {
            return;
        }
        struct Op<'w, 'a, S: Simd, const D: usize>(
            &'w mut FormulaLanes<'a, S, D>,
            Uses,
            &'w LaneParameters<S>,
        );
        impl<S: Simd, const D: usize> pulp::NullaryFnOnce for Op<'_, '_, S, D>
        where
            Axes<D>: Space<D>,
        {
            type Output = ();
            #[inline(always)]
            fn call(self) {
                self.0.add_tile(self.1, self.2);
            }
        }
        // Out of line, so that loops without rules in text stay small.
        let simd = self.simd;
        Simd::vectorize(simd, Op(self, uses, parameters));
    }

    #[inline(always)]
    fn add_tile(&mut self, uses: Uses, parameters: &LaneParameters<S>) {
        let count = std::mem::take(&mut self.collected);
        let whole = std::mem::replace(&mut self.whole, true);
        for RuleLanes { columns, of_sums, sums, reach, .. } in &mut self.rules {
            let formula = columns.formula;
            let hears = match self.hearing {
                Hearing::Near => formula.has_radius(),
                Hearing::Everybody => formula.hears_everybody() && !columns.is_shared,
            };
            if !hears {
                continue;
            }
            let zero = Lanes::splat(self.simd, 0.0);
            let parameter =
                |place: Option<usize>| place.map(|index| parameters.of_formula(columns, index));
            let mut squared_radius = parameter(columns.radius)
                .map_or(Lanes::splat(self.simd, EVERYWHERE), |radius| radius * radius);
            if let Some(reach) = reach {
                squared_radius = squared_radius.min(reach.squared);
            }
            let by_ids = reach.as_ref().filter(|reach| reach.by_ids);
            let squared_inner = parameter(columns.inner).map(|inner| inner * inner);
            let edge = parameter(columns.fov).unwrap_or(zero);
            for at in 0..count.min(TILE) {
                let squared = self.tile.distance_squared.0[at];
                let near = squared.less_than(squared_radius);
                let mut share = self.shares.0[at].where_or(near, zero);
                if let Some(inner) = squared_inner {
                    share = zero.where_or(squared.less_than(inner), share);
                }
                if uses.has(Uses::SIGHT) {
                    let offset = Vector(per_axis!(axis => self.tile.offset[axis].0[at]));
                    let outside = self.heading.dot(offset).less_than(edge * squared.sqrt());
                    share = zero.where_or(outside, share);
                }
                if self.several_species {
                    share = share * parameters.perceives_by(columns, self.species[at]);
                }
                if let Some(reach) = by_ids {
                    share = share * reach.takes(self.simd, squared, self.ids[at]);
                }
                self.perceived.0[at] = share;
            }
            self.tile.places = columns.places;
            of_sums.run(&self.tile, count);
            of_sums.add(&self.tile, sums, (&self.perceived, whole), count);
        }
    }
}

/// The places of the neighbours' numbers that `rules` take.
fn places_taken(rules: &[FormulaColumns]) -> Vec<usize> {
    let taken = rules.iter().flat_map(|columns| {
        columns.formula.sums.givens().filter_map(|given| match given {
            Given::OtherKept(index) => Some(columns.places[index]),
            _ => None,
        })
    });
    taken.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The forces on a group of agents.
pub struct GroupForces<'w, 'a, S: Simd, const D: usize> {
    pub lanes: &'w mut FormulaLanes<'a, S, D>,
    pub parameters: &'w LaneParameters<S>,
    pub draws: Draws<'w>,
    /// False in a kernel for scenes without rules in text.
    pub is_for_texts: bool,
}

impl<S: Simd, const D: usize> TextForces<Lanes<S>, D> for GroupForces<'_, '_, S, D>
where
    Axes<D>: Space<D>,
{
    #[inline(always)]
    fn each_force(
        &mut self,
        agent: &Agent<Lanes<S>, D>,
        spread: Vector<Lanes<S>, D>,
        sees_neighbours: bool,
        take: &mut impl FnMut(Kind, Vector<Lanes<S>, D>),
    ) {
        if !self.is_for_texts {
            return;
        }
        let Self { lanes, parameters, draws, .. } = self;
        let simd = lanes.simd;
        for RuleLanes { columns, of_force, of_next, sums, .. } in &mut lanes.rules {
            let formula = columns.formula;
            if formula.sees_neighbours() != sees_neighbours {
                continue;
            }
            let inputs = GroupInputs {
                simd,
                parameters,
                columns,
                position: agent.position,
                velocity: agent.velocity,
                body: &agent.body,
                spread,
                sums,
                kept: &lanes.kept,
                draws: *draws,
            };
            of_force.prepare(&inputs);
            if !formula.states.is_empty() {
                of_next.prepare(&inputs);
                let has = parameters.has_formula(columns);
                for index in 0..formula.states.len() {
                    let next = &mut lanes.next_kept[columns.places[index]];
                    *next = of_next.number(index).where_or(has, *next);
                }
            }
            let force = agent.limited(of_force.vector(agent.body.mass));
            take(Kind::Formula(formula), force * parameters.of_formula(columns, 0));
        }
    }
}
