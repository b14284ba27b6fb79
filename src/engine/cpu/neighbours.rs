//! The neighbours of a group of agents: which runs of the sorted arrays to read, and the loop over them.
//!
//! The agents of a group stand in the lanes; a candidate is broadcast to all of them. The lanes'
//! runs overlap, so the group reads their union once: a candidate that is not in a lane's own
//! columns is at least the radius away, so the distance test drops it and adding it changes no bit.
//! The union ascends, hence every lane still adds its own neighbours in the order of
//! [`Grid::columns_around`](flockwork_model::grid::Grid::columns_around).

use std::ops::Range;

use pulp::Simd;

use super::around::Around;
use super::formulas::{FormulaLanes, Hearing};
use super::group::{SortedFlock, share_of};
use super::lane_parameters::{LaneParameters, SpeciesTable};
use super::nearest::Nearest;
use flockwork_model::behaviours::{Kind, Neighbour, Sums, Uses};
use flockwork_model::grid::{MAX_WHOLE_RUN, NearRow, Sampling};
use flockwork_model::parameter::MAX_SPECIES;
use flockwork_model::real::MAX_LANES;
use flockwork_model::real::{Lanes, Real, apart};
use flockwork_model::vector::{Axes, Space, Vector, per_axis};
use flockwork_model::world::Boundary;

/// The loop over the neighbours of a group. `USES` is [`Uses::ALL`] when the behaviours are known
/// only at run time; `MANY` says that the scene has several species.
pub struct NeighbourLoop<'a, 't, S: Simd, const D: usize, const USES: u64, const MANY: bool>
where
    Axes<D>: Space<D>,
{
    around: Around<'a, S, D>,
    parameters: &'a LaneParameters<S>,
    /// Of each behaviour; with its reach where it chooses the nearest.
    squared_radii: &'a [Lanes<S>; Kind::WITH_NEIGHBOURS],
    nearest: &'a Nearest<'a, S>,
    sums: &'a mut Sums<Lanes<S>, D>,
    texts: &'a mut FormulaLanes<'t, S, D>,
}

/// The behaviours that a kernel compiled for `USES` runs in a scene.
#[inline(always)]
pub fn uses_of_kernel<const USES: u64>(scene: Uses) -> Uses {
    if USES == Uses::ALL.0 { scene } else { Uses(USES) }
}

impl<'a, 't, S: Simd, const D: usize, const USES: u64, const MANY: bool>
    NeighbourLoop<'a, 't, S, D, USES, MANY>
where
    Axes<D>: Space<D>,
{
    /// Sets `sums` to the sums over the neighbours of every agent of a group. It does not touch the sums
    /// of behaviours that the kernel is not compiled for.
    #[inline(always)]
    pub fn sum_up(
        around: Around<'a, S, D>,
        (parameters, table): (&'a LaneParameters<S>, &'a SpeciesTable),
        rows: &[NearRow<D>],
        (nearest, sums, texts): (
            &'a Nearest<'a, S>,
            &'a mut Sums<Lanes<S>, D>,
            &'a mut FormulaLanes<'t, S, D>,
        ),
    ) {
        let Around { flock, group, .. } = around;
        let uses = uses_of_kernel::<USES>(flock.uses);
        sums.clear(uses, group.position.0[0]);
        let hears = [Uses::SUMS, Uses::EVERYBODY, Uses::SHARED];
        if hears.into_iter().any(|own| uses.has(own)) {
            texts.begin(flock, (parameters, table), group, nearest);
        }
        let mut squared_radii = &parameters.squared_radii;
        let mut within_reach;
        if flock.uses.has(Uses::NEAREST) {
            within_reach = parameters.squared_radii;
            for (kind, reach) in nearest.built_in() {
                within_reach[kind] = within_reach[kind].min(reach.squared);
            }
            squared_radii = &within_reach;
        }
        let mut neighbours = NeighbourLoop::<S, D, USES, MANY> {
            around,
            parameters,
            squared_radii,
            nearest,
            sums,
            texts,
        };
        let round = around.reaches_round_the_world();
        for near in rows {
            if round { neighbours.row::<true>(near) } else { neighbours.row::<false>(near) }
        }
        if uses.has(Uses::SUMS) {
            neighbours.texts.finish((flock, parameters));
        }
        if uses.has(Uses::EVERYBODY) {
            neighbours.show_everybody();
        }
    }

    /// Reads the neighbours in a row, whose first cell is numbered as in the window.
    #[inline(always)]
    fn row<const ROUND: bool>(&mut self, near: &NearRow<D>) {
        let runs = self.around.runs(near);
        let lengths = [0, 1, 2].map(|run| runs[run].0.len());
        if self.nearest.by_ids
            || (lengths.iter().sum::<usize>() > MAX_WHOLE_RUN as usize
                && self.goes_cell_by_cell(near.first_cell, lengths))
        {
            return self.cell_by_cell(near);
        }
        for (run, side) in runs {
            if !run.is_empty() {
                self.whole::<ROUND>(run, self.around.seen_from(near, side));
            }
        }
    }

    /// True when an agent's own run is so long that it is sampled, or when the group is so
    /// scattered that reading each cell's own runs is less work than reading their union.
    #[cold]
    fn goes_cell_by_cell(&self, near: u32, lengths: [usize; 3]) -> bool {
        if self.around.group.columns.0 == self.around.group.columns.1 {
            // The union is the runs of the only cell.
            return lengths.iter().any(|length| *length > self.around.flock.run_cap as usize);
        }
        let together = lengths.iter().sum();
        let mut cell_by_cell = 0;
        for (column, _) in self.around.cells() {
            let (first, second) = self.around.flock.grid.columns_around(column);
            for run in [Some(first), second].into_iter().flatten() {
                let length = self.around.agents(near, (run.first, run.last)).len();
                if length > self.around.flock.run_cap as usize {
                    return true;
                }
                cell_by_cell += length;
            }
        }
        cell_by_cell < together
    }

    /// Reads the runs of each cell of the group on its own, sampling those that are too long.
    fn cell_by_cell(&mut self, near: &NearRow<D>) {
        // Out of line, so that the common case stays small.
        let (like, neighbours) = (self.parameters.body.mass, self);
        apart!(
            <'w, 'a, 't; S: Simd; D: usize, USES: u64, MANY: bool>
            where Axes<D>: Space<D>,
            like,
            |neighbours: &'w mut NeighbourLoop<'a, 't, S, D, USES, MANY>, near: &'w NearRow<D>| -> () {
                neighbours.cell_by_cell_here(near);
            }
        );
    }

    #[inline(always)]
    fn cell_by_cell_here(&mut self, near: &NearRow<D>) {
        let SortedFlock { grid, run_cap, seed, tick, .. } = *self.around.flock;
        let around = self.around;
        for (column, lanes) in around.cells() {
            let noise =
                Sampling::noise(seed, self.around.group.row * grid.columns() + column, tick);
            let (first, second) = grid.columns_around(column);
            for run in [Some(first), second].into_iter().flatten() {
                let agents = self.around.agents(near.first_cell, (run.first, run.last));
                let sampling = Sampling::of_run(agents.len() as u32, run_cap, noise);
                let mut share = [0.0; MAX_LANES];
                share[lanes.clone()].fill(sampling.stride as f32);
                let from = self.around.seen_from(near, run.side);
                self.sampled(agents, from, sampling, &share);
            }
        }
    }

    /// Adds every `stride`-th agent of a run to the lanes with a share.
    #[inline(always)]
    fn sampled(
        &mut self,
        agents: Range<usize>,
        from: Vector<Lanes<S>, D>,
        sampling: Sampling,
        share: &[f32; MAX_LANES],
    ) {
        let share = Lanes::load(self.around.simd, share);
        let (first, stride) = (agents.start + sampling.phase as usize, sampling.stride as usize);
        let round = self.around.reaches_round_the_world();
        if !self.has_built_in((first..agents.end, stride), from, (Some(share), round)) {
            return;
        }
        let mut sums = *self.sums;
        for member in (first..agents.end).step_by(stride) {
            let motion = self.around.flock.motion;
            let candidate = (motion.position(member), motion.velocity(member));
            let share = share * share_of(self.around.simd, member, &self.around.group.agents);
            let species = self.around.flock.species[member];
            let mut squared_radii = *self.squared_radii;
            if self.nearest.by_ids {
                self.choose_by_id(member, (from, round), &mut squared_radii);
            }
            let seen = (share, &squared_radii);
            self.observe(candidate, (from, round), species, seen, &mut sums);
        }
        *self.sums = sums;
    }

    /// Adds all agents of a run to all lanes, whose agents are at the places `from`.
    #[inline(always)]
    fn whole<const ROUND: bool>(&mut self, agents: Range<usize>, from: Vector<Lanes<S>, D>) {
        let own = &self.around.group.agents;
        // The long loop over any behaviours is not compiled twice.
        let is_long = USES == Uses::ALL.0;
        if is_long || (agents.start < own.end && own.start < agents.end) {
            self.observe_all::<ROUND, true>(agents, from);
        } else {
            self.observe_all::<ROUND, false>(agents, from);
        }
    }

    /// Sets the radii to 0 of behaviours that do not choose the agent `member`: they have drawn another one, or
    /// others as far away have smaller ids.
    fn choose_by_id(
        &self,
        member: usize,
        (from, round): (Vector<Lanes<S>, D>, bool),
        squared_radii: &mut [Lanes<S>; Kind::WITH_NEIGHBOURS],
    ) {
        let Around { simd, flock, .. } = self.around;
        let place = flock.motion.position(member);
        let place = Vector(per_axis!(axis => Lanes::splat(simd, place[axis])));
        let offset = self.around.offset(place, from, round);
        for (kind, reach) in self.nearest.built_in() {
            let takes = reach.takes(simd, offset.dot(offset), flock.id[member]);
            squared_radii[kind] = squared_radii[kind] * takes;
        }
    }

    /// Shows every `stride`-th agent of a run to the rules in text.
    fn show_texts(
        &mut self,
        run: (Range<usize>, usize),
        from: Vector<Lanes<S>, D>,
        (share, round): (Option<Lanes<S>>, bool),
    ) {
        let Self { around, parameters, .. } = *self;
        let (like, texts, (run, stride)) = (from.0[0], &mut *self.texts, run);
        let (from, share) = (&from, &share);
        apart!(
            <'w, 't; S: Simd; D: usize>
            where Axes<D>: Space<D>,
            like,
            |texts: &'w mut FormulaLanes<'t, S, D>, around: Around<'w, S, D>, parameters: &'w LaneParameters<S>,
             run: Range<usize>, stride: usize, from: &'w Vector<Lanes<S>, D>, share: &'w Option<Lanes<S>>,
             round: bool| -> () {
                let scene = (around.flock, parameters);
                let (run, own) = ((run, stride), &around.group.agents);
                let from = *from;
                if round {
                    texts.observe(scene, run, own, *share, |to| around.offset(to, from, true));
                } else {
                    texts.observe(scene, run, own, *share, |to| around.offset(to, from, false));
                }
            }
        );
    }

    /// Shows everybody to the rules in text that hear everybody.
    #[inline(always)]
    fn show_everybody(&mut self) {
        let Around { flock, group, .. } = self.around;
        let species = &flock.species[group.agents.clone()];
        if !self.texts.looks_at_everybody(species) {
            return;
        }
        self.texts.take_for(Hearing::Everybody);
        let round = flock.world.boundary == Boundary::Wrap;
        self.show_texts((0..flock.species.len(), 1), group.position, (None, round));
        self.texts.finish((flock, self.parameters));
        self.texts.take_for(Hearing::Near);
    }

    /// Shows a run to the rules in text if there are some. Returns true if there are built-in behaviours.
    #[inline(always)]
    fn has_built_in(
        &mut self,
        run: (Range<usize>, usize),
        from: Vector<Lanes<S>, D>,
        seen: (Option<Lanes<S>>, bool),
    ) -> bool {
        let uses = uses_of_kernel::<USES>(self.around.flock.uses);
        if !uses.has(Uses::SUMS) {
            return true;
        }
        self.show_texts(run, from, seen);
        uses.and(Uses::PER_NEIGHBOUR.without(Uses::SUMS)) != Uses::default()
    }

    /// Adds a run of agents to every lane. `OWN` says that some of them are in the group.
    #[inline(always)]
    fn observe_all<const ROUND: bool, const OWN: bool>(
        &mut self,
        agents: Range<usize>,
        from: Vector<Lanes<S>, D>,
    ) {
        let SortedFlock { motion, species, .. } = self.around.flock;
        let mut share = Lanes::splat(self.around.simd, 1.0);
        if !self.has_built_in((agents.clone(), 1), from, (None, ROUND)) {
            return;
        }
        let mut sums = *self.sums;
        let mut member = agents.start;
        // The compiler knows that all slices have the same length, and checks no index in the loop.
        let species = &species[agents.clone()];
        let count = species.len();
        let position = per_axis!(axis => &motion.position[axis][agents.clone()][..count]);
        let velocity = per_axis!(axis => &motion.velocity[axis][agents.clone()][..count]);
        for index in 0..count {
            if OWN {
                share = share_of(self.around.simd, member, &self.around.group.agents);
                member += 1;
            }
            let candidate = (
                per_axis!(axis => position[axis][index]),
                per_axis!(axis => velocity[axis][index]),
            );
            let seen = (share, self.squared_radii);
            self.observe(candidate, (from, ROUND), species[index], seen, &mut sums);
        }
        *self.sums = sums;
    }

    /// Adds one candidate to every lane, weighted by `share`.
    #[inline(always)]
    fn observe(
        &self,
        (place, velocity): ([f32; D], [f32; D]),
        (from, round): (Vector<Lanes<S>, D>, bool),
        species: u8,
        (share, squared_radii): (Lanes<S>, &[Lanes<S>; Kind::WITH_NEIGHBOURS]),
        sums: &mut Sums<Lanes<S>, D>,
    ) {
        let Self { around, parameters, .. } = *self;
        let Around { simd, flock, group } = around;
        let place = Vector(per_axis!(axis => Lanes::splat(simd, place[axis])));
        let velocity = Vector(per_axis!(axis => Lanes::splat(simd, velocity[axis])));
        let offset = around.offset(place, from, round);
        let (mut uses, mut all) = (uses_of_kernel::<USES>(flock.uses), Uses::ALL);
        if MANY {
            uses = parameters.some_perceive[species as usize % MAX_SPECIES];
            all = parameters.all_perceive[species as usize % MAX_SPECIES];
        }
        let distance_squared = offset.dot(offset);
        let mut ahead = distance_squared;
        if uses.has(Uses::SIGHT) {
            ahead = group.heading.dot(offset);
        }
        if uses.has(Uses::COUNTS) {
            let near = distance_squared.less_than(parameters.squared_perception_radius);
            let seen = share.where_or(near, Lanes::splat(simd, 0.0));
            sums.neighbours = sums.neighbours + seen;
        }
        // Each behaviour tests its own radius.
        let near = distance_squared.less_than(distance_squared);
        let neighbour = Neighbour { offset, distance_squared, velocity, ahead, near, share };
        let perceives = |kind: Kind, share: Lanes<S>| {
            if all.contains(kind) { share } else { share * parameters.perceives(kind, species) }
        };
        parameters.rules.observe(uses, &neighbour, squared_radii, perceives, sums);
    }
}
