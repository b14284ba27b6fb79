//! The neighbours of a group of agents: which runs of the sorted arrays to read, and the loop over them.
//!
//! The agents of a group stand in the lanes; a candidate is broadcast to all of them. The lanes'
//! runs overlap, so the group reads their union once: a candidate that is not in a lane's own
//! columns is at least the radius away, so the distance test drops it and adding it changes no bit.
//! The union ascends, hence every lane still adds its own neighbours in the order of
//! [`Grid::columns_around`].

use std::ops::Range;

use pulp::Simd;

use super::flock::Motion;
use super::lane_parameters::LaneParameters;
use flockwork_model::behaviours::{Kind, Neighbour, Sums, Uses};
use flockwork_model::grid::{Grid, NearRow, RUN_CAP, Sampling, Window};
use flockwork_model::real::MAX_LANES;
use flockwork_model::real::{Lanes, Real};
use flockwork_model::vector::{Axes, Space, Vector, per_axis};
use flockwork_model::world::{Boundary, World};

/// The input of every neighbour loop of one tick.
pub struct SortedFlock<'a, const D: usize> {
    /// The sorted flock.
    pub motion: &'a Motion<D>,
    /// Species of each agent, in the same order.
    pub species: &'a [u8],
    /// First agent of each cell of the window, and the number of agents at the end.
    pub start: &'a [u32],
    /// The cells.
    pub grid: Grid<D>,
    /// Those that this process has.
    pub window: Window,
    /// Size and boundary.
    pub world: World,
    /// Behaviours of the scene.
    pub uses: Uses,
    /// Of the scene.
    pub seed: u32,
    /// Tick at the start of the step.
    pub tick: u32,
}

/// A group of consecutive agents of one grid row, one a lane.
pub struct Group<S: Simd, const D: usize> {
    /// Their array indices.
    pub agents: Range<usize>,
    /// Row of the grid that they are in.
    pub row: u32,
    /// True when no agent near the row is across a seam of another axis than the first.
    pub inner_row: bool,
    /// Column of the first and of the last.
    pub columns: (u32, u32),
    /// World units.
    pub position: Vector<Lanes<S>, D>,
    /// Unit vectors in scenes with a field of view below 360 degrees, else zero.
    pub heading: Vector<Lanes<S>, D>,
}

/// The loop over the neighbours of a group. `USES` is [`Uses::ALL`] when the behaviours are known
/// only at run time; `MANY` says that the scene has several species.
pub struct NeighbourLoop<'a, S: Simd, const D: usize, const USES: u64, const MANY: bool>
where
    Axes<D>: Space<D>,
{
    simd: S,
    flock: &'a SortedFlock<'a, D>,
    parameters: &'a LaneParameters<S>,
    group: &'a Group<S, D>,
    sums: &'a mut Sums<Lanes<S>, D>,
}

/// Weights of a candidate in each lane. In row `i` the candidate is the agent of lane `i`, which is not
/// its own neighbour. The last row is for candidates outside the group.
static SHARES: [[f32; MAX_LANES]; MAX_LANES + 1] = {
    let mut shares = [[1.0; MAX_LANES]; MAX_LANES + 1];
    let mut lane = 0;
    while lane < MAX_LANES {
        shares[lane][lane] = 0.0;
        lane += 1;
    }
    shares
};

/// The behaviours that a kernel compiled for `USES` runs in a scene.
#[inline(always)]
pub fn uses_of_kernel<const USES: u64>(scene: Uses) -> Uses {
    if USES == Uses::ALL.bits() { scene } else { Uses::from_bits(USES) }
}

impl<'a, S: Simd, const D: usize, const USES: u64, const MANY: bool>
    NeighbourLoop<'a, S, D, USES, MANY>
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
        sums: &'a mut Sums<Lanes<S>, D>,
    ) {
        sums.clear(uses_of_kernel::<USES>(flock.uses), group.position.0[0]);
        let mut neighbours = Self { simd, flock, parameters, group, sums };
        let grid = &flock.grid;
        let seam = grid.wraps
            && !(group.inner_row
                && grid.is_inner_column(group.columns.0)
                && grid.is_inner_column(group.columns.1));
        for near in rows {
            let near = near.first_cell;
            if seam { neighbours.row::<true>(near) } else { neighbours.row::<false>(near) }
        }
    }

    /// Reads the neighbours in the row whose first cell is number `near` of the window.
    #[inline(always)]
    fn row<const SEAM: bool>(&mut self, near: u32) {
        let main = self.agents(near, self.main_run());
        let (before, after) =
            if SEAM { self.runs_across_the_seam(near) } else { Default::default() };
        let lengths = [before.len(), main.len(), after.len()];
        if lengths.iter().sum::<usize>() > RUN_CAP as usize && self.goes_cell_by_cell(near, lengths)
        {
            return self.cell_by_cell::<SEAM>(near);
        }
        if SEAM && !before.is_empty() {
            self.whole::<SEAM>(before);
        }
        self.whole::<SEAM>(main);
        if SEAM && !after.is_empty() {
            self.whole::<SEAM>(after);
        }
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
    fn cell_by_cell<const SEAM: bool>(&mut self, near: u32) {
        struct Op<
            'w,
            'a,
            S: Simd,
            const D: usize,
            const USES: u64,
            const MANY: bool,
            const SEAM: bool,
        >
        where
            Axes<D>: Space<D>,
        {
            neighbours: &'w mut NeighbourLoop<'a, S, D, USES, MANY>,
            near: u32,
        }
        impl<S: Simd, const D: usize, const USES: u64, const MANY: bool, const SEAM: bool>
            pulp::NullaryFnOnce for Op<'_, '_, S, D, USES, MANY, SEAM>
        where
            Axes<D>: Space<D>,
        {
            type Output = ();
            #[inline(always)]
            fn call(self) {
                self.neighbours.cell_by_cell_here::<SEAM>(self.near);
            }
        }
        // Out of line, so that the common case stays small; `vectorize` brings the instructions.
        let simd = self.simd;
        Simd::vectorize(simd, Op::<S, D, USES, MANY, SEAM> { neighbours: self, near });
    }

    #[inline(always)]
    fn cell_by_cell_here<const SEAM: bool>(&mut self, near: u32) {
        let SortedFlock { grid, seed, tick, .. } = *self.flock;
        for (column, lanes) in cells(self.flock, self.group) {
            let noise = Sampling::noise(seed, self.group.row * grid.columns() + column, tick);
            let (first, second) = grid.columns_around(column);
            for run in [Some(first), second].into_iter().flatten() {
                let agents = self.agents(near, (run.first, run.last));
                let sampling = Sampling::of_run(agents.len() as u32, noise);
                let mut share = [0.0; MAX_LANES];
                share[lanes.clone()].fill(sampling.stride as f32);
                self.sampled::<SEAM>(agents, sampling, &share);
            }
        }
    }

    /// Adds every `stride`-th agent of a run to the lanes with a share.
    #[inline(always)]
    fn sampled<const SEAM: bool>(
        &mut self,
        agents: Range<usize>,
        sampling: Sampling,
        share: &[f32; MAX_LANES],
    ) {
        let share = Lanes::load(self.simd, share);
        let mut sums = *self.sums;
        let members = agents.start + sampling.phase as usize..agents.end;
        for member in members.step_by(sampling.stride as usize) {
            let motion = self.flock.motion;
            let candidate = (motion.position(member), motion.velocity(member));
            let share = share * self.share(member);
            self.observe::<SEAM>(candidate, self.flock.species[member], share, &mut sums);
        }
        *self.sums = sums;
    }

    /// Adds all agents of a run to all lanes.
    #[inline(always)]
    fn whole<const SEAM: bool>(&mut self, agents: Range<usize>) {
        let own = &self.group.agents;
        if agents.start < own.end && own.start < agents.end {
            self.observe_all::<SEAM, true>(agents);
        } else {
            self.observe_all::<SEAM, false>(agents);
        }
    }

    /// The weight of a candidate in each lane: 1, but 0 for the agent itself.
    #[inline(always)]
    fn share(&self, member: usize) -> Lanes<S> {
        let lane = member.wrapping_sub(self.group.agents.start).min(MAX_LANES);
        Lanes::load(self.simd, &SHARES[lane])
    }

    /// Adds a run of agents to every lane. `OWN` says that some of them are in the group.
    #[inline(always)]
    fn observe_all<const SEAM: bool, const OWN: bool>(&mut self, agents: Range<usize>) {
        let SortedFlock { motion, species, .. } = self.flock;
        let mut sums = *self.sums;
        let mut share = Lanes::splat(self.simd, 1.0);
        let mut member = agents.start;
        // The compiler knows that all slices have the same length, and checks no index in the loop.
        let count = agents.len();
        let position = per_axis!(axis => &motion.position[axis][agents.clone()][..count]);
        let velocity = per_axis!(axis => &motion.velocity[axis][agents.clone()][..count]);
        let species = &species[agents][..count];
        for index in 0..count {
            if OWN {
                share = self.share(member);
                member += 1;
            }
            let candidate = (
                per_axis!(axis => position[axis][index]),
                per_axis!(axis => velocity[axis][index]),
            );
            self.observe::<SEAM>(candidate, species[index], share, &mut sums);
        }
        *self.sums = sums;
    }

    /// Adds one candidate to every lane, weighted by `share`.
    #[inline(always)]
    fn observe<const SEAM: bool>(
        &self,
        (place, velocity): ([f32; D], [f32; D]),
        species: u8,
        share: Lanes<S>,
        sums: &mut Sums<Lanes<S>, D>,
    ) {
        let Self { simd, flock, parameters, group, .. } = *self;
        let mut place = Vector(per_axis!(axis => Lanes::splat(simd, place[axis])));
        let velocity = Vector(per_axis!(axis => Lanes::splat(simd, velocity[axis])));
        if SEAM {
            let wrapped = World { boundary: Boundary::Wrap, ..flock.world };
            place = wrapped.nearest_image(group.position, place);
        }
        let offset = place - group.position;
        let uses = uses_of_kernel::<USES>(flock.uses);
        let distance_squared = offset.dot(offset);
        let mut ahead = distance_squared;
        if uses.has(Uses::SIGHT) {
            ahead = group.heading.dot(offset);
        }
        if uses.has(Uses::COUNTS) {
            let near = distance_squared
                .less_than(parameters.perception_radius * parameters.perception_radius);
            let seen = share.where_or(near, Lanes::splat(simd, 0.0));
            sums.neighbours = sums.neighbours + seen;
        }
        // Each behaviour tests its own radius.
        let near = distance_squared.less_than(distance_squared);
        let neighbour = Neighbour { offset, distance_squared, velocity, ahead, near, share };
        let perceives = |kind: Kind, share: Lanes<S>| {
            if MANY { share * parameters.perceives(kind, species) } else { share }
        };
        parameters.rules.observe(uses, &neighbour, perceives, sums);
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
