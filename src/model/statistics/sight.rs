//! The neighbours of each agent, for the statistics: their number, and the distance to the nearest.
//!
//! As in the CPU engine, each lane holds one of several agents that are consecutive in the order of
//! the cells; each candidate of their joint runs is compared with all of them at once. Distances
//! are computed in `f32`: a difference of two coordinates is rounded once, so the relative error of
//! a squared distance is at most about 2⁻²². This holds across the seam too: if two coordinates are
//! on different sides of it, the larger one is shifted by the size of the world, and that
//! subtraction is exact.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::super::real::{Lanes, Real};
use super::super::scene::Scene;
use super::super::vector::{Vector, per_axis};
use super::cells::{Cells, PADDING};

/// Sums over the agents of a part.
#[derive(Debug, Default)]
pub struct PartSight {
    /// Number of neighbours of all of them.
    pub near: f64,
    /// Sum of the distances to the nearest other agent, without the sampled agents.
    pub nearest: f64,
    /// Rows in the state of the agents that read samples, and so may miss the nearest.
    pub sampled: Vec<u32>,
}

/// Looks around from the agents of `part`, which are consecutive in the sorted order: at their
/// neighbours within the scene's largest radius, as the engines see them, and at the nearest agent.
pub fn look<const D: usize>(
    cells: &Cells<D>,
    part: Range<usize>,
    scene: &Scene,
    tick: u32,
) -> PartSight {
    let radius = scene.perception_radius();
    if radius == 0.0 {
        // There are no neighbours, and the size of the cells does not depend on the radius.
        let nearest = part.map(|agent| cells.nearest(agent)).sum();
        return PartSight { nearest, ..PartSight::default() };
    }
    // The same operations on any instruction set; sums in the order of the agents.
    pulp::Arch::new().dispatch(Looking {
        cells,
        part,
        radius,
        cap: scene.run_cap(),
        seed: scene.seed,
        tick,
    })
}

/// [`look`] for any instruction set.
struct Looking<'a, const D: usize> {
    cells: &'a Cells<D>,
    part: Range<usize>,
    radius: f32,
    /// The longest run that agents read whole.
    cap: u32,
    seed: u32,
    tick: u32,
}

/// A run of agents, and the shifts that bring it and a group to the same side of the seam.
#[derive(Clone)]
struct Run<const D: usize> {
    agents: Range<usize>,
    of_run: [f32; D],
    of_group: [f32; D],
}

/// The results of the lanes so far.
struct Seen<S: Simd> {
    /// Number of agents nearer than the radius.
    near: Lanes<S>,
    /// Squared distance to the nearest agent.
    nearest: Lanes<S>,
}

/// The numbers of the lanes.
#[inline(always)]
fn copy<S: Simd>(lanes: &Lanes<S>) -> [f32; PADDING] {
    let mut numbers = [0.0; PADDING];
    numbers[..S::F32_LANES].copy_from_slice(lanes.numbers());
    numbers
}

/// Added to squared distances in row `i`: makes the agent in lane `i` infinitely far from itself.
static SELF: [[f32; PADDING]; PADDING] = {
    let mut rows = [[0.0; PADDING]; PADDING];
    let mut lane = 0;
    while lane < PADDING {
        rows[lane][lane] = f32::INFINITY;
        lane += 1;
    }
    rows
};

impl<const D: usize> WithSimd for Looking<'_, D> {
    type Output = PartSight;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> PartSight {
        let mut seen = PartSight::default();
        let mut runs = Vec::with_capacity(9);
        let mut next = self.part.start;
        while next < self.part.end {
            next = self.look_from(simd, next, &mut runs, &mut seen);
        }
        seen
    }
}

impl<const D: usize> Looking<'_, D> {
    /// Finds the neighbours of some agents, starting at `first`. Returns the agent after them.
    #[inline(always)]
    fn look_from<S: Simd>(
        &self,
        simd: S,
        first: usize,
        runs: &mut Vec<Run<D>>,
        seen: &mut PartSight,
    ) -> usize {
        let Cells { starts, cell, .. } = self.cells;
        let own = cell[first];
        let cell_end = self.part.end.min(starts.agents(own, own).end);
        if self.has_simple_runs() {
            // If a joint run may contain a sampled one, the lanes take the agents of one cell only.
            for end in [self.group_end(first, S::F32_LANES), cell_end.min(first + S::F32_LANES)] {
                if self.joint_runs(own, cell[end - 1], runs) <= self.cap as usize {
                    self.look_together(simd, first..end, runs, seen);
                    return end;
                }
            }
        }
        self.look_alone(own, first..cell_end, seen);
        cell_end
    }

    /// False in a wrapped world with so few cells that a run contains both images of an agent.
    #[inline(always)]
    fn has_simple_runs(&self) -> bool {
        let grid = &self.cells.starts.grid;
        !grid.wraps || !grid.is_narrow()
    }

    /// The end of the largest possible group from `first` on: at most `lanes` agents of one row,
    /// with no column on both sides of them.
    #[inline(always)]
    fn group_end(&self, first: usize, lanes: usize) -> usize {
        let Cells { starts, cell, .. } = self.cells;
        let grid = starts.grid;
        let columns = grid.columns();
        let row_end = cell[first] / columns * columns + columns;
        let beyond =
            if grid.wraps { row_end.min(cell[first] + columns - 2 * grid.reach) } else { row_end };
        let mut end = (first + lanes).min(self.part.end);
        while cell[end - 1] >= beyond {
            end -= 1;
        }
        end
    }

    /// Fills `runs` with the agents around the cells from `first` to `last` of one row. Returns the
    /// length of the longest run.
    #[inline(always)]
    fn joint_runs(&self, first: u32, last: u32, runs: &mut Vec<Run<D>>) -> usize {
        let Cells { starts, size, .. } = self.cells;
        let grid = starts.grid;
        let (columns, reach) = (grid.columns(), grid.reach);
        let (low, high) = (first % columns, last % columns);
        runs.clear();
        let mut longest = 0;
        for near in grid.rows_around(first / columns) {
            let mut add = |from: u32, to: u32, side: i32| {
                let agents = starts.agents(near.first_cell + from, near.first_cell + to);
                longest = longest.max(agents.len());
                let mut run = Run { agents, of_run: [0.0; D], of_group: [0.0; D] };
                // Of two coordinates the one beside the far edge is shifted, so that nothing is
                // rounded.
                for (axis, size) in size.iter().enumerate() {
                    match if axis == 0 { side } else { near.sides[axis] } {
                        -1 => run.of_run[axis] = *size,
                        1 => run.of_group[axis] = *size,
                        _ => {}
                    }
                }
                runs.push(run);
            };
            add(low.saturating_sub(reach), (high + reach).min(columns - 1), 0);
            if grid.wraps && low < reach {
                add(low + columns - reach, columns - 1, -1);
            } else if grid.wraps && high + reach >= columns {
                add(0, high + reach - columns, 1);
            }
        }
        longest
    }

    /// Compares a group of agents with all members of `runs`.
    #[inline(always)]
    fn look_together<S: Simd>(
        &self,
        simd: S,
        agents: Range<usize>,
        runs: &[Run<D>],
        all: &mut PartSight,
    ) {
        let cells = self.cells;
        let load = |numbers: &[f32]| {
            let lanes = &numbers[agents.start..agents.start + S::F32_LANES];
            Lanes::new(simd, bytemuck::pod_read_unaligned(bytemuck::cast_slice(lanes)))
        };
        let position = Vector(per_axis!(axis => load(&cells.position[axis])));
        let limit = self.radius * self.radius;
        let mut seen =
            Seen { near: Lanes::splat(simd, 0.0), nearest: Lanes::splat(simd, f32::INFINITY) };
        for run in runs {
            let Range { start, end } = run.agents.clone();
            // The group itself is in the middle of one of the runs.
            let (from, to) = (agents.start.clamp(start, end), agents.end.clamp(start, end));
            if run.of_run == [0.0; D] {
                seen =
                    self.compare::<S, false, false>(simd, position, run, start..from, limit, seen);
                seen = self.compare::<S, true, false>(simd, position, run, from..to, limit, seen);
                seen = self.compare::<S, false, false>(simd, position, run, to..end, limit, seen);
            } else {
                seen = self.compare::<S, false, true>(simd, position, run, start..end, limit, seen);
            }
        }
        // Copies: the compiler keeps what is indexed in memory, in the loops above, too.
        let (near, nearest) = (copy(&seen.near), copy(&seen.nearest));
        for (lane, agent) in agents.enumerate() {
            all.near += f64::from(near[lane]);
            all.nearest += if nearest[lane] < limit {
                f64::from(nearest[lane]).sqrt()
            } else {
                // The nearest agent may be outside the runs.
                cells.nearest(agent)
            };
        }
    }

    /// Compares candidates of a run with all lanes. `OWN`: the candidates are the group itself.
    /// `SHIFTED`: they are on the other side of the seam.
    #[inline(always)]
    fn compare<S: Simd, const OWN: bool, const SHIFTED: bool>(
        &self,
        simd: S,
        position: Vector<Lanes<S>, D>,
        run: &Run<D>,
        candidates: Range<usize>,
        limit: f32,
        seen: Seen<S>,
    ) -> Seen<S> {
        let like = position.0[0];
        let own = per_axis!(axis => position.0[axis] - like.constant(run.of_group[axis]));
        let (one, limit) = (like.constant(1.0), like.constant(limit));
        let Seen { mut near, mut nearest } = seen;
        let count = candidates.len();
        let others = per_axis!(axis => &self.cells.position[axis][candidates.clone()][..count]);
        for lane in 0..count {
            let way = Vector(per_axis!(axis => {
                let other = others[axis][lane];
                let other = if SHIFTED { other - run.of_run[axis] } else { other };
                like.constant(other) - own[axis]
            }));
            let mut squared = way.dot(way);
            if OWN {
                let own_lane = bytemuck::cast_slice(&SELF[lane][..S::F32_LANES]);
                squared = squared + Lanes::new(simd, bytemuck::pod_read_unaligned(own_lane));
            }
            near = (near + one).where_or(squared.less_than(limit), near);
            // No distance is NaN: the order of the operands does not matter.
            nearest = Lanes::new(simd, simd.min_f32s(squared.value, nearest.value));
        }
        Seen { near, nearest }
    }

    /// Compares each of `agents`, all in `cell`, with its runs as the engines read them: long runs
    /// are sampled.
    fn look_alone(&self, cell: u32, agents: Range<usize>, all: &mut PartSight) {
        let limit = f64::from(self.radius) * f64::from(self.radius);
        let runs = self.cells.runs_as_read(cell, self.cap, (self.seed, self.tick));
        let runs: Vec<_> = runs.collect();
        let sampled = runs.iter().any(|(_, stride)| *stride > 1);
        for agent in agents {
            let mut nearest = f64::INFINITY;
            for (members, stride) in &runs {
                for other in members.clone().filter(|other| *other != agent) {
                    let squared = self.cells.distance_squared(agent, other);
                    all.near += if squared < limit { f64::from(*stride) } else { 0.0 };
                    nearest = nearest.min(squared);
                }
            }
            if sampled {
                all.sampled.push(self.cells.row(agent) as u32);
            } else {
                all.nearest +=
                    if nearest < limit { nearest.sqrt() } else { self.cells.nearest(agent) };
            }
        }
    }
}
