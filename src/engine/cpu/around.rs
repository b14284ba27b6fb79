//! The runs of the sorted arrays that hold the neighbours of a group of agents.
//!
//! The lanes' runs overlap, so a group reads their union once. For a run across the seam the lanes' agents
//! are moved to its side, once for all its candidates.

use std::ops::Range;

use pulp::Simd;

use super::group::{Group, SortedFlock};
use flockwork_model::grid::{Grid, NearRow};
use flockwork_model::real::Lanes;
use flockwork_model::vector::{Axes, Space, Vector, components, per_axis};
use flockwork_model::world::Boundary;

/// A group and the flock round it.
#[derive(Clone, Copy)]
pub struct Around<'a, S: Simd, const D: usize> {
    pub simd: S,
    pub flock: &'a SortedFlock<'a, D>,
    pub group: &'a Group<S, D>,
}

impl<S: Simd, const D: usize> Around<'_, S, D>
where
    Axes<D>: Space<D>,
{
    /// True if a candidate may be near one agent of the group on this side of the seam, and near
    /// another one across it. Then the side is found for each candidate and lane.
    #[inline(always)]
    pub fn reaches_round_the_world(&self) -> bool {
        let ((low, high), grid) = (self.group.columns, &self.flock.grid);
        grid.wraps && (grid.is_narrow() || high + 2 * grid.reach >= low + grid.columns())
    }

    /// The places of the group's agents, moved to the side of the seam of a run in the row `near`: by
    /// [`NearRow::sides`], and by `side` along the first axis.
    #[inline(always)]
    pub fn seen_from(&self, near: &NearRow<D>, side: i32) -> Vector<Lanes<S>, D> {
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
    pub fn agents(&self, near: u32, run: (u32, u32)) -> Range<usize> {
        let start = self.flock.start;
        let [first, last] = [run.0, run.1].map(|column| (near + column) as usize);
        start[first] as usize..start[last + 1] as usize
    }

    /// The runs of the row `near`, in ascending order, each with its side of the seam.
    #[inline(always)]
    pub fn runs(&self, near: &NearRow<D>) -> [(Range<usize>, i32); 3] {
        let main = self.agents(near.first_cell, self.main_run());
        let (before, after) = self.runs_across_the_seam(near.first_cell);
        [(before, 1), (main, 0), (after, -1)]
    }

    /// The way to a candidate at `place` from the group's agents, which are at the places `from`. `round` says
    /// that the side of the seam is found for each lane.
    #[inline(always)]
    pub fn offset(
        &self,
        place: Vector<Lanes<S>, D>,
        mut from: Vector<Lanes<S>, D>,
        round: bool,
    ) -> Vector<Lanes<S>, D> {
        if round {
            let size = Vector::constant(place.0[0], self.flock.world.size);
            from = Boundary::Wrap.nearest_image(place, self.group.position, size);
        }
        place - from
    }

    /// The columns that the group occupies, with the lanes in each.
    pub fn cells(&self) -> impl Iterator<Item = (u32, Range<usize>)> + use<'_, S, D> {
        let Self { flock, group, .. } = *self;
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
}
