//! The neighbours of a group of agents: which runs of the sorted arrays to read, and the loop over them.
//!
//! The agents of a group stand in the lanes; a candidate is broadcast to all of them. The lanes'
//! runs overlap, so the group reads their union once: a candidate that is not in a lane's own
//! columns is at least the radius away, so the distance test drops it and adding it changes no bit.
//! For a run across the seam the lanes' agents are moved to its side, once for all its candidates.
//! The union ascends, hence every lane still adds its own neighbours in the order of
//! [`Grid::columns_around`].

use std::ops::Range;

use pulp::Simd;

use super::formulas::FormulaLanes;
use super::group::{Group, SortedFlock, share_of};
use super::lane_parameters::LaneParameters;
use flockwork_model::behaviours::{Kind, Neighbour, Sums, Uses};
use flockwork_model::grid::{Grid, NearRow, RUN_CAP, Sampling};
use flockwork_model::parameter::MAX_SPECIES;
use flockwork_model::real::MAX_LANES;
use flockwork_model::real::{Lanes, Real};
use flockwork_model::vector::{Axes, Space, Vector, components, per_axis};
use flockwork_model::world::{Boundary, World};

/// The loop over the neighbours of a group. `USES` is [`Uses::ALL`] when the behaviours are known
/// only at run time; `MANY` says that the scene has several species.
pub struct NeighbourLoop<'a, 't, S: Simd, const D: usize, const USES: u64, const MANY: bool>
where
    Axes<D>: Space<D>,
{
    simd: S,
    flock: &'a SortedFlock<'a, D>,
    parameters: &'a LaneParameters<S>,
    group: &'a Group<S, D>,
    sums: &'a mut Sums<Lanes<S>, D>,
    texts: &'a mut FormulaLanes<'t, S, D>,
}

/// The behaviours that a kernel compiled for `USES` runs in a scene.
#[inline(always)]
pub fn uses_of_kernel<const USES: u64>(scene: Uses) -> Uses {
    if USES == Uses::ALL.bits() { scene } else { Uses::from_bits(USES) }
}

impl<'a, 't, S: Simd, const D: usize, const USES: u64, const MANY: bool>
    NeighbourLoop<'a, 't, S, D, USES, MANY>
where
    Axes<D>: Space<D>,
{
    /// Sets `sums` to the sums over the neighbours of every agent of `group`. It does not touch the sums
    /// of behaviours that the kernel is not compiled for.
    #[inline(always)]
    pub fn sum_up(
        simd: S,
        flock: &'a SortedFlock<'a, D>,
        parameters: &'a LaneParameters<S>,
        group: &'a Group<S, D>,
        rows: &[NearRow<D>],
        (sums, texts): (&'a mut Sums<Lanes<S>, D>, &'a mut FormulaLanes<'t, S, D>),
    ) {
        let uses = uses_of_kernel::<USES>(flock.uses);
        sums.clear(uses, group.position.0[0]);
        if uses.has(Uses::SUMS) {
            texts.begin(flock, parameters, group);
        }
        let mut neighbours = Self { simd, flock, parameters, group, sums, texts };
        let round = neighbours.reaches_round_the_world();
        for near in rows {
            if round { neighbours.row::<true>(near) } else { neighbours.row::<false>(near) }
        }
        if uses.has(Uses::SUMS) {
            neighbours.texts.finish(flock.uses, parameters);
        }
    }

    /// True if a candidate may be near one agent of the group on this side of the seam, and near
    /// another one across it. Then the side is found for each candidate and lane.
    #[inline(always)]
    fn reaches_round_the_world(&self) -> bool {
        let ((low, high), grid) = (self.group.columns, &self.flock.grid);
        grid.wraps && (grid.is_narrow() || high - low + 2 * grid.reach >= grid.columns())
    }

    /// Reads the neighbours in a row, whose first cell is numbered as in the window.
    #[inline(always)]
    fn row<const ROUND: bool>(&mut self, near: &NearRow<D>) {
        let first_cell = near.first_cell;
        let main = self.agents(first_cell, self.main_run());
        let (before, after) = self.runs_across_the_seam(first_cell);
        let runs = [(before, 1), (main, 0), (after, -1)];
        let lengths = [0, 1, 2].map(|run| runs[run].0.len());
        if lengths.iter().sum::<usize>() > RUN_CAP as usize
            && self.goes_cell_by_cell(first_cell, lengths)
        {
            return self.cell_by_cell::<ROUND>(near);
        }
        for (run, side) in runs {
            if !run.is_empty() {
                self.whole::<ROUND>(run, self.seen_from(near, side));
            }
        }
    }

    /// The places of the group's agents, moved to the side of the seam of a run in the row `near`: by
    /// [`NearRow::sides`], and by `side` along the first axis.
    #[inline(always)]
    fn seen_from(&self, near: &NearRow<D>, side: i32) -> Vector<Lanes<S>, D> {
        let size: [f32; D] = components(self.flock.world.size);
        let mut sides = near.sides;
        sides[0] = side;
        let place = self.group.position.0;
        Vector(per_axis!(axis => {
            place[axis] - Lanes::splat(self.simd, sides[axis] as f32 * size[axis])
        }))
    }

    /// The columns round the group without those across the seam, or all columns if the radius reaches
    /// round the world.
    #[inline(always)]
    fn main_run(&self) -> (u32, u32) {
        let (low, high) = self.group.columns;
        let Grid { reach, wraps, .. } = self.flock.grid;
        let columns = self.flock.grid.columns();
        if wraps && columns <= 2 * reach {
            return (0, columns - 1);
        }
        (low.saturating_sub(reach), (high + reach).min(columns - 1))
    }

    /// The agents of the row `near` that are near the group across the seam: the run before the main run,
    /// and the run after it.
    #[inline(always)]
    fn runs_across_the_seam(&self, near: u32) -> (Range<usize>, Range<usize>) {
        let (low, high) = self.group.columns;
        let (columns, reach) = (self.flock.grid.columns(), self.flock.grid.reach);
        if !self.flock.grid.wraps || (reach <= low && high + reach < columns) {
            return Default::default();
        }
        let main = self.main_run();
        // The first cells are beside the last ones, and the other way round.
        let after_last = (high + reach + 1).saturating_sub(columns).min(main.0);
        let before_first = (columns + low.min(reach) - reach).max(main.1 + 1);
        let run =
            |from: u32, to: u32| if from < to { self.agents(near, (from, to - 1)) } else { 0..0 };
        (run(0, after_last), run(before_first, columns))
    }

    /// Array indices of the agents in a run of columns of the row `near`.
    #[inline(always)]
    fn agents(&self, near: u32, run: (u32, u32)) -> Range<usize> {
        let start = self.flock.start;
        let [first, last] = [run.0, run.1].map(|column| (near + column) as usize);
        start[first] as usize..start[last + 1] as usize
    }

    /// True when an agent's own run is so long that it is sampled, or when the group is so
    /// scattered that reading each cell's own runs is less work than reading their union.
    #[cold]
    fn goes_cell_by_cell(&self, near: u32, lengths: [usize; 3]) -> bool {
        if self.group.columns.0 == self.group.columns.1 {
            // The union is the runs of the only cell.
            return lengths.iter().any(|length| *length > RUN_CAP as usize);
        }
        let together = lengths.iter().sum();
        let mut cell_by_cell = 0;
        for (column, _) in cells(self.flock, self.group) {
            let (first, second) = self.flock.grid.columns_around(column);
            for run in [Some(first), second].into_iter().flatten() {
                let length = self.agents(near, (run.first, run.last)).len();
                if length > RUN_CAP as usize {
                    return true;
                }
                cell_by_cell += length;
            }
        }
        cell_by_cell < together
    }

    /// Reads the runs of each cell of the group on its own, sampling those that are too long.
    #[inline(never)]
    fn cell_by_cell<const ROUND: bool>(&mut self, near: &NearRow<D>) {
        struct Op<
            'w,
            'a,
            't,
            S: Simd,
            const D: usize,
            const USES: u64,
            const MANY: bool,
            const ROUND: bool,
        >
        where
            Axes<D>: Space<D>,
        {
            neighbours: &'w mut NeighbourLoop<'a, 't, S, D, USES, MANY>,
            near: &'w NearRow<D>,
        }
        impl<S: Simd, const D: usize, const USES: u64, const MANY: bool, const ROUND: bool>
            pulp::NullaryFnOnce for Op<'_, '_, '_, S, D, USES, MANY, ROUND>
        where
            Axes<D>: Space<D>,
        {
            type Output = ();
            #[inline(always)]
            fn call(self) {
                self.neighbours.cell_by_cell_here::<ROUND>(self.near);
            }
        }
        // Out of line, so that the common case stays small; `vectorize` brings the instructions.
        let simd = self.simd;
        Simd::vectorize(simd, Op::<S, D, USES, MANY, ROUND> { neighbours: self, near });
    }

    #[inline(always)]
    fn cell_by_cell_here<const ROUND: bool>(&mut self, near: &NearRow<D>) {
        let SortedFlock { grid, seed, tick, .. } = *self.flock;
        for (column, lanes) in cells(self.flock, self.group) {
            let noise = Sampling::noise(seed, self.group.row * grid.columns() + column, tick);
            let (first, second) = grid.columns_around(column);
            for run in [Some(first), second].into_iter().flatten() {
                let agents = self.agents(near.first_cell, (run.first, run.last));
                let sampling = Sampling::of_run(agents.len() as u32, noise);
                let mut share = [0.0; MAX_LANES];
                share[lanes.clone()].fill(sampling.stride as f32);
                let from = self.seen_from(near, run.side);
                self.sampled::<ROUND>(agents, from, sampling, &share);
            }
        }
    }

    /// Adds every `stride`-th agent of a run to the lanes with a share.
    #[inline(always)]
    fn sampled<const ROUND: bool>(
        &mut self,
        agents: Range<usize>,
        from: Vector<Lanes<S>, D>,
        sampling: Sampling,
        share: &[f32; MAX_LANES],
    ) {
        let share = Lanes::load(self.simd, share);
        let (first, stride) = (agents.start + sampling.phase as usize, sampling.stride as usize);
        if !self.has_built_in::<ROUND>((first..agents.end, stride), from, share) {
            return;
        }
        let mut sums = *self.sums;
        for member in (first..agents.end).step_by(stride) {
            let motion = self.flock.motion;
            let candidate = (motion.position(member), motion.velocity(member));
            let share = share * self.share(member);
            let species = self.flock.species[member];
            self.observe::<ROUND>(candidate, from, species, share, &mut sums);
        }
        *self.sums = sums;
    }

    /// Adds all agents of a run to all lanes, whose agents are at the places `from`.
    #[inline(always)]
    fn whole<const ROUND: bool>(&mut self, agents: Range<usize>, from: Vector<Lanes<S>, D>) {
        let own = &self.group.agents;
        if agents.start < own.end && own.start < agents.end {
            self.observe_all::<ROUND, true>(agents, from);
        } else {
            self.observe_all::<ROUND, false>(agents, from);
        }
    }

    /// The weight of a candidate in each lane: 1, but 0 for the agent itself.
    #[inline(always)]
    fn share(&self, member: usize) -> Lanes<S> {
        share_of(self.simd, member, &self.group.agents)
    }

    /// Shows every `stride`-th agent of a run to the rules in text.
    fn show_texts<const ROUND: bool>(
        &mut self,
        run: (Range<usize>, usize),
        from: Vector<Lanes<S>, D>,
        share: Lanes<S>,
    ) {
        struct Op<'w, 't, S: Simd, const D: usize, const ROUND: bool> {
            texts: &'w mut FormulaLanes<'t, S, D>,
            scene: (&'w SortedFlock<'w, D>, &'w LaneParameters<S>),
            group: &'w Group<S, D>,
            run: (Range<usize>, usize),
            from: Vector<Lanes<S>, D>,
            share: Lanes<S>,
        }
        impl<S: Simd, const D: usize, const ROUND: bool> pulp::NullaryFnOnce for Op<'_, '_, S, D, ROUND>
        where
            Axes<D>: Space<D>,
        {
            type Output = ();
            #[inline(always)]
            fn call(self) {
                let Self { texts, scene, group, run, from, share } = self;
                let wrapped = World { boundary: Boundary::Wrap, ..scene.0.world };
                texts.observe(scene, run, &group.agents, share, |place| {
                    let from =
                        if ROUND { wrapped.nearest_image(place, group.position) } else { from };
                    place - from
                });
            }
        }
        let (simd, group, scene) = (self.simd, self.group, (self.flock, self.parameters));
        let texts = &mut *self.texts;
        Simd::vectorize(simd, Op::<S, D, ROUND> { texts, scene, group, run, from, share });
    }

    /// Shows a run to the rules in text if there are some. Returns true if there are built-in behaviours.
    #[inline(always)]
    fn has_built_in<const ROUND: bool>(
        &mut self,
        run: (Range<usize>, usize),
        from: Vector<Lanes<S>, D>,
        share: Lanes<S>,
    ) -> bool {
        let uses = uses_of_kernel::<USES>(self.flock.uses);
        if !uses.has(Uses::SUMS) {
            return true;
        }
        self.show_texts::<ROUND>(run, from, share);
        uses.and(Uses::PER_NEIGHBOUR.without(Uses::SUMS)) != Uses::default()
    }

    /// Adds a run of agents to every lane. `OWN` says that some of them are in the group.
    #[inline(always)]
    fn observe_all<const ROUND: bool, const OWN: bool>(
        &mut self,
        agents: Range<usize>,
        from: Vector<Lanes<S>, D>,
    ) {
        let SortedFlock { motion, species, .. } = self.flock;
        let mut share = Lanes::splat(self.simd, 1.0);
        if !self.has_built_in::<ROUND>((agents.clone(), 1), from, share) {
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
                share = self.share(member);
                member += 1;
            }
            let candidate = (
                per_axis!(axis => position[axis][index]),
                per_axis!(axis => velocity[axis][index]),
            );
            self.observe::<ROUND>(candidate, from, species[index], share, &mut sums);
        }
        *self.sums = sums;
    }

    /// Adds one candidate to every lane, weighted by `share`.
    #[inline(always)]
    fn observe<const ROUND: bool>(
        &self,
        (place, velocity): ([f32; D], [f32; D]),
        mut from: Vector<Lanes<S>, D>,
        species: u8,
        share: Lanes<S>,
        sums: &mut Sums<Lanes<S>, D>,
    ) {
        let Self { simd, flock, parameters, group, .. } = *self;
        let place = Vector(per_axis!(axis => Lanes::splat(simd, place[axis])));
        let velocity = Vector(per_axis!(axis => Lanes::splat(simd, velocity[axis])));
        if ROUND {
            let wrapped = World { boundary: Boundary::Wrap, ..flock.world };
            from = wrapped.nearest_image(place, group.position);
        }
        let offset = place - from;
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
        let squared_radii = &parameters.squared_radii;
        parameters.rules.observe(uses, &neighbour, squared_radii, perceives, sums);
    }
}

/// The columns that a group occupies, with the lanes in each.
fn cells<'a, S: Simd, const D: usize>(
    flock: &'a SortedFlock<'a, D>,
    group: &'a Group<S, D>,
) -> impl Iterator<Item = (u32, Range<usize>)> + use<'a, S, D> {
    let count = group.agents.len();
    let column = |lane: usize| {
        let position = flock.motion.position(group.agents.start + lane);
        flock.grid.cell_of(position)[0]
    };
    let mut lane = 0;
    std::iter::from_fn(move || {
        let first = lane;
        if first == count {
            return None;
        }
        let own = column(first);
        while lane < count && column(lane) == own {
            lane += 1;
        }
        Some((own, first..lane))
    })
}
