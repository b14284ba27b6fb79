//! The sorted flock, and a group of its agents: one in each lane.

use std::ops::Range;

use pulp::Simd;

use super::flock::Motion;
use flockwork_model::behaviours::Uses;
use flockwork_model::grid::{Grid, Window};
use flockwork_model::real::{Lanes, MAX_LANES};
use flockwork_model::vector::Vector;
use flockwork_model::world::World;

/// The input of every neighbour loop of one tick.
pub struct SortedFlock<'a, const D: usize> {
    pub motion: &'a Motion<D>,
    /// Species of each agent, in the same order.
    pub species: &'a [u8],
    /// Ids, in the same order.
    pub id: &'a [u32],
    /// First agent of each cell of the window, and the number of agents at the end.
    pub start: &'a [u32],
    /// The cells.
    pub grid: Grid<D>,
    /// Those that this process has.
    pub window: Window,
    /// Size and boundary.
    pub world: World,
    pub uses: Uses,
    /// The longest run that agents read whole.
    pub run_cap: u32,
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
    /// Column of the first and of the last.
    pub columns: (u32, u32),
    /// World units.
    pub position: Vector<Lanes<S>, D>,
    /// World units per tick.
    pub velocity: Vector<Lanes<S>, D>,
    /// Unit vectors in scenes with a field of view below 360 degrees, else zero.
    pub heading: Vector<Lanes<S>, D>,
}

/// `own` on the diagonal and `others` elsewhere. In row `i` a candidate is the agent of lane `i`, which is not its own
/// neighbour. The last row is for candidates outside the group.
const fn diagonal(own: f32, others: f32) -> [[f32; MAX_LANES]; MAX_LANES + 1] {
    let mut all = [[others; MAX_LANES]; MAX_LANES + 1];
    let mut lane = 0;
    while lane < MAX_LANES {
        all[lane][lane] = own;
        lane += 1;
    }
    all
}

static SHARES: [[f32; MAX_LANES]; MAX_LANES + 1] = diagonal(0.0, 1.0);
static BLIND: [[f32; MAX_LANES]; MAX_LANES + 1] = diagonal(f32::INFINITY, 0.0);

/// Squared distances that no radius reaches, in the lane of the agent `member` of the group `own`; 0 in the others.
#[inline(always)]
pub fn blind<S: Simd>(simd: S, member: usize, own: &Range<usize>) -> Lanes<S> {
    let lane = member.wrapping_sub(own.start).min(MAX_LANES);
    Lanes::load(simd, &BLIND[lane])
}

/// The weight of the agent `member` in each lane of the group `own`: 1, but 0 for the agent itself.
#[inline(always)]
pub fn share_of<S: Simd>(simd: S, member: usize, own: &Range<usize>) -> Lanes<S> {
    let lane = member.wrapping_sub(own.start).min(MAX_LANES);
    Lanes::load(simd, &SHARES[lane])
}
