//! Rules in text on a group of agents: neighbours are collected in a tile, and each operation of a rule
//! runs at once for the whole tile.

use std::collections::BTreeSet;
use std::ops::Range;

use pulp::Simd;

use super::add_up::{TILE, Totals, heard_by, put, put_vectors, tile_rows};
use super::draws::Draws;
use super::formula_columns::FormulaColumns;
use super::group::{Group, SortedFlock, blind};
use super::inputs::GroupInputs;
use super::joined_rules::{HearingRules, JoinedRules};
use super::lane_parameters::{LaneParameters, SpeciesTable};
use super::nearest::{Nearest, Reach};
use crate::BrokenForces;
use flockwork_model::behaviours::Uses;
use flockwork_model::formula::{Formula, Given, Heard, Tape, Tile};
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
    pub(super) rules: &'a JoinedRules,
    hearings: Vec<HearingLanes<'a, S>>,
    /// The forces of the rules that do not look at neighbours, and of those that do.
    pub(super) of_forces: [Tape<'a, Lanes<S>, 1>; 2],
    /// The sums of all rules over the neighbours so far.
    pub(super) sums: Vec<Lanes<S>>,
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
    heading: Vector<Lanes<S>, D>,
    several_species: bool,
    takes_velocity: bool,
    takes_place: bool,
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

/// Rules that hear the same neighbours.
struct HearingLanes<'a, S: Simd> {
    rules: &'a HearingRules,
    /// One of them.
    columns: &'a FormulaColumns,
    of_sums: Tape<'a, Lanes<S>, TILE>,
    /// How far away the neighbours are, if the nearest are chosen.
    reach: Option<Reach<S>>,
    /// The square of the distance within which they are heard.
    squared_radius: Lanes<S>,
    /// True if they are shown the neighbours that the tile has.
    hears: bool,
}

impl<S: Simd> HearingLanes<'_, S> {
    /// Their sums among the sums of all rules.
    #[inline(always)]
    fn sums(&self) -> Range<usize> {
        let first = self.rules.first_sum;
        first..first + self.rules.program.results.len()
    }
}

impl<'a, S: Simd, const D: usize> FormulaLanes<'a, S, D>
where
    Axes<D>: Space<D>,
{
    /// The `rules` of a table, before any agent. The neighbours' sizes come from the table, a seed and the
    /// ids of the flock; `totals` are the sums of the rules over all agents.
    pub fn new(
        simd: S,
        rules: &'a JoinedRules,
        (table, seed, ids): (&'a SpeciesTable, u32, &'a [u32]),
        totals: &'a Totals,
    ) -> Self {
        let like = Lanes::splat(simd, 0.0);
        let hearing = |own: &'a HearingRules| HearingLanes {
            rules: own,
            columns: own.one(rules),
            of_sums: Tape::new(&own.program, like),
            reach: None,
            squared_radius: like,
            hears: false,
        };
        let takes = |is_taken: fn(&Given) -> bool| rules.givens().any(|given| is_taken(&given));
        let sets = rules.hearings.iter().map(|own| own.sets.len());
        let kept = rules.givens().filter_map(|given| match given {
            Given::OtherKept(place) => Some(place),
            _ => None,
        });
        Self {
            simd,
            rules,
            hearings: rules.hearings.iter().map(hearing).collect(),
            of_forces: rules.forces.each_ref().map(|own| Tape::new(&own.program, like)),
            sums: vec![like; rules.sums],
            forces: Vec::new(),
            broken: BrokenForces::default(),
            tile: Tile::new(like, sets.max().unwrap_or(0)),
            near: Heard::nobody(like),
            heard: Heard::nobody(like),
            members: [0; TILE],
            species: [0; TILE],
            ids: [0; TILE],
            by_ids: false,
            widest: like,
            heading: Vector::zero(like),
            several_species: rules.tells_species,
            taken: kept.collect::<BTreeSet<_>>().into_iter().collect(),
            kept: [like; MAX_KEPT],
            next_kept: [like; MAX_KEPT],
            sizes: takes(|own| *own == Given::OtherSize).then_some((table, seed, ids)),
            totals,
            table,
            takes_place: takes(|own| matches!(own, Given::OtherPosition(_))),
            takes_velocity: takes(|own| matches!(own, Given::OtherVelocity(_))),
        }
    }

    /// True if a rule needs the direction in which agents leave others at the same spot.
    pub fn spread(&self) -> bool {
        self.rules.columns.iter().any(|columns| columns.formula.spreads)
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
        self.sums.fill(Lanes::splat(simd, 0.0));
        for (number, hearing) in self.hearings.iter_mut().enumerate() {
            let own_sums = hearing.sums();
            let HearingLanes { columns, of_sums, reach, .. } = hearing;
            *reach = nearest.of_rule(columns.formula).copied();
            if of_sums.takes_agents() {
                of_sums.prepare(&GroupInputs {
                    simd,
                    parameters,
                    position: group.position,
                    velocity,
                    body: &parameters.body,
                    spread: velocity,
                    sums: &[],
                    kept: &self.kept,
                    draws: Draws { seed: flock.seed, tick: flock.tick, ids: &[] },
                });
            }
            if columns.is_shared {
                // Everybody's but the agents' own parts.
                let (tile, sums) = (&mut self.tile, &mut self.sums[own_sums]);
                put(simd, (tile, 0), (flock, table), group.agents.clone());
                let species = &flock.species[group.agents.clone()];
                self.heard.clear();
                self.heard.push(0, heard_by(simd, parameters, columns, species));
                of_sums.add(tile, 1, sums, &self.heard);
                for (sum, own) in sums.iter_mut().enumerate() {
                    *own = self.totals.lanes(simd, (number, sum), species) - *own;
                }
            }
        }
        let by_ids = |own: &HearingLanes<'_, S>| own.reach.is_some_and(|reach| reach.by_ids);
        self.by_ids = self.hearings.iter().any(by_ids);
        self.take_radii(parameters);
        self.take_for(Hearing::Near);
    }

    /// Notes how far away each rule hears neighbours.
    #[inline(always)]
    fn take_radii(&mut self, parameters: &LaneParameters<S>) {
        for HearingLanes { columns, reach, squared_radius, .. } in &mut self.hearings {
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
        let looks = |own: &HearingLanes<'_, S>| {
            let has = |species: &u8| self.table.has_one(*species, own.rules);
            let columns = own.columns;
            columns.formula.hears_everybody() && !columns.is_shared && species.iter().any(has)
        };
        self.hearings.iter().any(looks)
    }

    /// Shows the neighbours that follow to the rules that hear as far as this. The tile must be empty.
    #[inline(always)]
    pub fn take_for(&mut self, hearing: Hearing) {
        self.widest = Lanes::splat(self.simd, 0.0);
        for HearingLanes { columns, squared_radius, hears, .. } in &mut self.hearings {
            let everybody = columns.formula.hears_everybody();
            *hears = match hearing {
                Hearing::Near => !everybody,
                Hearing::Everybody => everybody && !columns.is_shared,
            };
            if *hears {
                self.widest = self.widest.max(*squared_radius);
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
        let mut widest = self.widest;
        if let Some(share) = share {
            let zero = Lanes::splat(simd, 0.0);
            widest = widest.where_or(zero.less_than(share), zero);
        }
        let has_own = agents.start < own.end && own.start < agents.end;
        let mut rest = agents;
        while !rest.is_empty() {
            let first = self.near.count();
            let end = rest.end.min(rest.start + (tile_rows::<S>() - first) * stride);
            let next = (rest.start..end, stride);
            let places = &scene.0.motion.position;
            rest.start += if has_own {
                self.collect(places, next, widest, &offset, |squared, member| {
                    squared + blind(simd, member, own)
                })
            } else {
                self.collect(places, next, widest, &offset, |squared, _| squared)
            };
            self.near.weigh(first, share);
            if self.near.count() == tile_rows::<S>() {
                self.finish(scene);
            }
        }
    }

    /// Collects every `stride`-th of these agents; the tile must have room for them. Returns how far it went.
    #[inline(always)]
    fn collect(
        &mut self,
        places: &[Vec<f32>; D],
        (agents, stride): (Range<usize>, usize),
        widest: Lanes<S>,
        offset: &impl Fn(Vector<Lanes<S>, D>) -> Vector<Lanes<S>, D>,
        seen: impl Fn(Lanes<S>, usize) -> Lanes<S>,
    ) -> usize {
        let (simd, start) = (self.simd, agents.start);
        let places = per_axis!(axis => &places[axis][agents.clone()]);
        // In a variable, which stays in a register.
        let (mut count, mut index) = (self.near.count(), 0);
        let (offsets, distances) = self.tile.offset_mut();
        while index < places[0].len() {
            let offset = offset(Vector(per_axis!(axis => Lanes::splat(simd, places[axis][index]))));
            let squared = seen(offset.dot(offset), start + index);
            each_axis!(axis => {
                offsets[axis].0[count] = offset.0[axis];
            });
            distances[count] = squared;
            self.members[count] = (start + index) as u32;
            count = self.near.put(count, squared.less_than(widest));
            index += stride;
        }
        self.near.set_count(count);
        index
    }

    /// Adds to the tile what rules take of the neighbours besides their distance.
    #[inline(always)]
    fn fill(&mut self, flock: &SortedFlock<D>) {
        let (simd, motion, tile) = (self.simd, flock.motion, &mut self.tile);
        let members = &self.members[..self.near.count()];
        if self.takes_place {
            let places = tile.axes_mut(Given::OtherPosition(0));
            put_vectors(simd, places, &motion.position, members);
        }
        if self.takes_velocity {
            let velocities = tile.axes_mut(Given::OtherVelocity(0));
            put_vectors(simd, velocities, &motion.velocity, members);
        }
        if let Some((table, seed, ids)) = self.sizes {
            for (size, member) in tile.row_mut(Given::OtherSize).iter_mut().zip(members) {
                let member = *member as usize;
                *size = Lanes::splat(simd, table.size_of(flock.species[member], seed, ids[member]));
            }
        }
        for place in &self.taken {
            for (number, member) in tile.row_mut(Given::OtherKept(*place)).iter_mut().zip(members) {
                *number = Lanes::splat(simd, motion.kept[*place][*member as usize]);
            }
        }
        if self.several_species {
            let rows = tile.row_mut(Given::OtherSpecies).iter_mut().zip(&mut self.species);
            for ((number, species), member) in rows.zip(members) {
                *species = flock.species[*member as usize];
                *number = Lanes::splat(simd, f32::from(*species));
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
        for hearing in &mut self.hearings {
            let own_sums = hearing.sums();
            let HearingLanes { rules, columns, of_sums, reach, squared_radius, hears } = hearing;
            if !*hears {
                continue;
            }
            let inner = columns.inner.map(|index| parameters.of_formula(columns, index));
            let edge = columns.fov.filter(|_| uses.has(Uses::SIGHT));
            let edge = edge.map(|index| parameters.of_formula(columns, index));
            let reach = reach.as_ref().filter(|reach| reach.by_ids);
            let by_distance = !self.several_species && inner.or(edge).is_none() && reach.is_none();
            let hears_all = by_distance && !squared_radius.less_than(self.widest).any();
            let distances = &tile.row(Given::DistanceSquared)[..count];
            if !by_distance {
                heard.clear();
                for (row, squared) in distances.iter().enumerate() {
                    let mut mask = near.masks[row] & squared.less_than(*squared_radius);
                    if let Some(inner) = inner {
                        mask = mask & !squared.less_than(inner * inner);
                    }
                    if let Some(edge) = edge {
                        let offset = Vector(per_axis!(axis => tile.row(Given::Offset(axis))[row]));
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
            } else if !hears_all {
                heard.take_within(near, *squared_radius, distances);
            }
            if !hears_all {
                heard.weigh_like(near);
            }
            for (set, column) in rules.sets.iter().enumerate() {
                let set = &mut tile.row_mut(Given::InSet(set))[..count];
                for (is_in, species) in set.iter_mut().zip(&self.species) {
                    *is_in = parameters.column(column + usize::from(*species));
                }
            }
            let sums = &mut self.sums[own_sums];
            of_sums.add(tile, count, sums, if hears_all { near } else { heard });
        }
        near.clear();
    }
}
