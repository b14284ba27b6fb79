//! Rules in text on a group of agents: neighbours are collected in a tile, and each operation of a rule
//! runs at once for the whole tile.

use std::ops::Range;

use pulp::Simd;

use super::add_up::{TILE, Totals, hearing, put};
use super::draws::Draws;
use super::formula_columns::{FormulaColumns, places_taken};
use super::group::{Group, SortedFlock, blind};
use super::inputs::GroupInputs;
use super::lane_parameters::{LaneParameters, SpeciesTable};
use super::nearest::{Nearest, Reach};
use crate::BrokenForces;
use flockwork_model::behaviours::Uses;
use flockwork_model::formula::{Formula, Given, Heard, Row, Tape, Tile};
use flockwork_model::kept::MAX_KEPT;
use flockwork_model::real::{Lanes, Mask, Real, apart};
use flockwork_model::vector::{Axes, Space, Vector, each_axis, per_axis};

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
    pub(super) simd: S,
    pub(super) rules: Vec<RuleLanes<'a, S>>,
    /// The weighted forces of the rules that ran last.
    pub(super) forces: Vec<(&'static Formula, Vector<Lanes<S>, D>)>,
    /// Forces so far that were no numbers.
    pub(super) broken: BrokenForces,
    tile: Tile<Lanes<S>, TILE>,
    /// Those within the widest radius, which are all of the tile.
    near: Heard<Lanes<S>, TILE>,
    /// Those that a rule hears.
    heard: Heard<Lanes<S>, TILE>,
    /// Their rows in the flock.
    members: [u32; TILE],
    species: [u8; TILE],
    /// Their ids, if these decide who is chosen.
    ids: [u32; TILE],
    by_ids: bool,
    /// The squares of the distances within which any rule may hear a neighbour.
    widest: Lanes<S>,
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
    /// The places of the neighbours' numbers that rules take.
    taken: Vec<usize>,
    /// The numbers that the agents keep, before and after the tick.
    pub kept: [Lanes<S>; MAX_KEPT],
    pub next_kept: [Lanes<S>; MAX_KEPT],
}

/// A rule, and its sums over the neighbours so far.
pub(super) struct RuleLanes<'a, S: Simd> {
    pub(super) columns: &'a FormulaColumns,
    of_sums: Tape<Lanes<S>, TILE>,
    pub(super) of_force: Tape<Lanes<S>, 1>,
    pub(super) of_next: Tape<Lanes<S>, 1>,
    pub(super) sums: Vec<Lanes<S>>,
    /// How far away its neighbours are, if it chooses the nearest.
    reach: Option<Reach<S>>,
    /// The square of the distance within which it hears them.
    squared_radius: Lanes<S>,
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
            squared_radius: like,
            columns,
        };
        let any =
            |takes: &dyn Fn(&Formula) -> bool| rules.iter().any(|columns| takes(columns.formula));
        let takes_velocity = |formula: &Formula| {
            formula.sums.givens().any(|given| matches!(given, Given::OtherVelocity(_)))
        };
        Self {
            simd,
            rules: rules.iter().map(rule).collect(),
            forces: Vec::new(),
            broken: BrokenForces::default(),
            tile: Tile::new(like),
            near: Heard::nobody(like),
            heard: Heard::nobody(like),
            members: [0; TILE],
            species: [0; TILE],
            ids: [0; TILE],
            by_ids: false,
            widest: like,
            hearing: Hearing::Near,
            heading: Vector::zero(like),
            several_species: table.len() > 1,
            taken: places_taken(rules),
            kept: [like; MAX_KEPT],
            next_kept: [like; MAX_KEPT],
            sizes: any(&Formula::sums_sizes).then_some((table, seed, ids)),
            totals,
            table,
            takes_place: any(&Formula::sums_places),
            takes_velocity: any(&takes_velocity),
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
        let (simd, velocity) = (self.simd, group.velocity);
        self.near.clear();
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
                self.heard.clear();
                self.heard.push(0, hearing(simd, parameters, columns, species));
                of_sums.add(tile, 1, sums, &self.heard);
                for (sum, own) in sums.iter_mut().enumerate() {
                    *own = self.totals.lanes(simd, (number, sum), species) - *own;
                }
            }
        }
        self.by_ids = self.rules.iter().any(|rule| rule.reach.is_some_and(|reach| reach.by_ids));
        self.take_radii(parameters);
        self.take_for(Hearing::Near);
    }

    /// Notes how far away each rule hears neighbours.
    #[inline(always)]
    fn take_radii(&mut self, parameters: &LaneParameters<S>) {
        for RuleLanes { columns, reach, squared_radius, .. } in &mut self.rules {
            *squared_radius = columns.radius.map_or(Lanes::splat(self.simd, EVERYWHERE), |index| {
                let radius = parameters.of_formula(columns, index);
                radius * radius
            });
            if let Some(reach) = reach {
                *squared_radius = squared_radius.min(reach.squared);
            }
        }
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
        self.widest = Lanes::splat(self.simd, EVERYWHERE);
        if hearing == Hearing::Near {
            let near = self.rules.iter().filter(|rule| rule.columns.formula.has_radius());
            self.widest = Lanes::splat(self.simd, 0.0);
            for rule in near {
                self.widest = self.widest.max(rule.squared_radius);
            }
        }
    }

    /// Collects every `stride`-th of these agents that any rule of the group may hear. They count once, or as often as
    /// `share` says. `own` are the agents of the group, and `offset` the way from them to a place.
    #[inline(always)]
    pub fn observe(
        &mut self,
        scene: (&SortedFlock<D>, &LaneParameters<S>),
        (agents, stride): (Range<usize>, usize),
        own: &Range<usize>,
        share: Option<Lanes<S>>,
        offset: impl Fn(Vector<Lanes<S>, D>) -> Vector<Lanes<S>, D>,
    ) {
        let simd = self.simd;
        let places = per_axis!(axis => &scene.0.motion.position[axis][agents.clone()]);
        let (mut widest, mut index) = (self.widest, 0);
        if let Some(share) = share {
            let zero = Lanes::splat(simd, 0.0);
            widest = widest.where_or(zero.less_than(share), zero);
        }
        while index < agents.len() {
            let first = self.near.count();
            let room = TILE - first;
            let end = agents.len().min(index + room * stride);
            while index < end {
                let row = self.near.count() % TILE;
                let offset =
                    offset(Vector(per_axis!(axis => Lanes::splat(simd, places[axis][index]))));
                let member = agents.start + index;
                let squared = offset.dot(offset) + blind(simd, member, own);
                each_axis!(axis => {
                    self.tile.offset[axis].0[row] = offset.0[axis];
                });
                self.tile.distance_squared.0[row] = squared;
                self.members[row] = member as u32;
                self.near.push(row, squared.less_than(widest));
                index += stride;
            }
            self.near.weigh(first, share);
            if self.near.count() == TILE {
                self.finish(scene);
            }
        }
    }

    /// Adds to the tile what rules take of the neighbours besides their distance.
    #[inline(always)]
    fn fill(&mut self, flock: &SortedFlock<D>) {
        let (simd, motion, tile) = (self.simd, flock.motion, &mut self.tile);
        let members = &self.members[..self.near.count()];
        if self.takes_place {
            for (row, member) in members.iter().enumerate() {
                each_axis!(axis => {
                    let place = motion.position[axis][*member as usize];
                    tile.place[axis].0[row] = Lanes::splat(simd, place);
                });
            }
        }
        if self.takes_velocity {
            for (row, member) in members.iter().enumerate() {
                each_axis!(axis => {
                    let velocity = motion.velocity[axis][*member as usize];
                    tile.velocity[axis].0[row] = Lanes::splat(simd, velocity);
                });
            }
        }
        if let Some((table, seed, ids)) = self.sizes {
            for (row, member) in members.iter().enumerate() {
                let member = *member as usize;
                let size = table.size_of(flock.species[member], seed, ids[member]);
                tile.size.0[row] = Lanes::splat(simd, size);
            }
        }
        for place in &self.taken {
            for (row, member) in members.iter().enumerate() {
                let number = motion.kept[*place][*member as usize];
                tile.kept[*place].0[row] = Lanes::splat(simd, number);
            }
        }
        if self.several_species {
            for (row, member) in members.iter().enumerate() {
                let species = flock.species[*member as usize];
                tile.species.0[row] = Lanes::splat(simd, f32::from(species));
                self.species[row] = species;
            }
        }
        if self.by_ids {
            for (row, member) in members.iter().enumerate() {
                self.ids[row] = flock.id[*member as usize];
            }
        }
    }

    /// Adds the neighbours of the tile to the sums.
    #[inline(always)]
    pub fn finish(&mut self, scene: (&SortedFlock<D>, &LaneParameters<S>)) {
        if self.near.count() == 0 {
            return;
        }
        // Out of line, so that loops without rules in text stay small.
        let (like, lanes, (flock, parameters)) = (self.widest, self, scene);
        apart!(
            <'w, 'a; S: Simd; D: usize>
            where Axes<D>: Space<D>,
            like,
            |lanes: &'w mut FormulaLanes<'a, S, D>, flock: &'w SortedFlock<'w, D>,
             parameters: &'w LaneParameters<S>| -> () {
                lanes.fill(flock);
                lanes.add_tile(flock.uses, parameters);
            }
        );
    }

    #[inline(always)]
    fn add_tile(&mut self, uses: Uses, parameters: &LaneParameters<S>) {
        let Self { simd, tile, near, heard, .. } = self;
        let (simd, count, zero) = (*simd, near.count(), Lanes::splat(*simd, 0.0));
        for rule in &mut self.rules {
            let RuleLanes { columns, of_sums, sums, reach, squared_radius, .. } = rule;
            let formula = columns.formula;
            let hears = match self.hearing {
                Hearing::Near => formula.has_radius(),
                Hearing::Everybody => formula.hears_everybody() && !columns.is_shared,
            };
            if !hears {
                continue;
            }
            let inner = columns.inner.map(|index| parameters.of_formula(columns, index));
            let edge = columns.fov.filter(|_| uses.has(Uses::SIGHT));
            let edge = edge.map(|index| parameters.of_formula(columns, index));
            let reach = reach.as_ref().filter(|reach| reach.by_ids);
            let by_distance = !self.several_species && inner.or(edge).is_none() && reach.is_none();
            let hears_all = by_distance && !squared_radius.less_than(self.widest).any();
            let distances = &tile.distance_squared.0[..count];
            if hears_all {
            } else if by_distance {
                heard.take_within(near, *squared_radius, distances);
            } else {
                heard.clear();
                for (row, squared) in distances.iter().enumerate() {
                    let mut mask = near.mask(row) & squared.less_than(*squared_radius);
                    if let Some(inner) = inner {
                        mask = mask & !squared.less_than(inner * inner);
                    }
                    if let Some(edge) = edge {
                        let offset = Vector(per_axis!(axis => tile.offset[axis].0[row]));
                        let ahead = self.heading.dot(offset);
                        mask = mask & !ahead.less_than(edge * squared.sqrt());
                    }
                    if self.several_species {
                        let perceives = parameters.perceives_by(columns, self.species[row]);
                        mask = mask & zero.less_than(perceives);
                    }
                    if let Some(reach) = reach {
                        let takes = reach.takes(simd, *squared, self.ids[row]);
                        mask = mask & zero.less_than(takes);
                    }
                    heard.push(row, mask);
                }
            }
            if !hears_all {
                heard.weigh_like(near);
            }
            tile.places = columns.places;
            while tile.sets.len() < formula.sets.len() {
                tile.sets.push(Row([zero; TILE]));
            }
            for (place, set) in tile.sets.iter_mut().take(formula.sets.len()).enumerate() {
                for (is_in, species) in set.0[..count].iter_mut().zip(&self.species) {
                    *is_in = parameters.has_in_set(columns, place, *species);
                }
            }
            of_sums.add(tile, count, sums, if hears_all { near } else { heard });
        }
        near.clear();
    }
}
