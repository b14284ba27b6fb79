//! Random numbers of the agents of a group, one agent a lane.

use pulp::Simd;

use flockwork_model::random::{self, Purpose};
use flockwork_model::real::{Lanes, MAX_LANES};
use flockwork_model::vector::{Axes, Deviates, Space, Vector, each_axis, per_axis};

/// The origin of random numbers.
#[derive(Clone, Copy)]
pub struct Draws<'w> {
    pub seed: u32,
    pub tick: u32,
    pub ids: &'w [u32],
}

/// The random numbers of the noise of the agents of a group.
#[inline(always)]
pub fn deviates<S: Simd>(simd: S, draws: Draws<'_>) -> Deviates<Lanes<S>> {
    let Draws { seed, tick, ids } = draws;
    let mut rows = [[0.0; MAX_LANES]; 5];
    for (lane, id) in ids.iter().enumerate() {
        let Deviates { even, normal, around } = Deviates::draw(seed, *id, tick);
        let drawn = [even, normal[0], normal[1], around[0], around[1]];
        for (row, number) in rows.iter_mut().zip(drawn) {
            row[lane] = number;
        }
    }
    let load = |row: usize| Lanes::load(simd, &rows[row]);
    Deviates { even: load(0), normal: [load(1), load(2)], around: [load(3), load(4)] }
}

/// Brownian steps of the agents of a group, of standard deviation 1 on each axis.
#[inline(always)]
pub fn jitters<S: Simd, const D: usize>(simd: S, draws: Draws<'_>) -> Vector<Lanes<S>, D> {
    let Draws { seed, tick, ids } = draws;
    let purposes = [Purpose::JitterX, Purpose::JitterY, Purpose::JitterZ];
    let mut numbers = [[0.0; MAX_LANES]; D];
    for (lane, id) in ids.iter().enumerate() {
        each_axis!(axis => {
            numbers[axis][lane] =
                random::nearly_normal(random::bits(seed, *id, tick, purposes[axis]));
        });
    }
    Vector(per_axis!(axis => Lanes::load(simd, &numbers[axis])))
}

/// The directions in which the agents of a group leave others at the same spot.
#[inline(always)]
pub fn spread_directions<S: Simd, const D: usize>(simd: S, ids: &[u32]) -> Vector<Lanes<S>, D>
where
    Axes<D>: Space<D>,
{
    let mut numbers = [[0.0; MAX_LANES]; D];
    for (lane, id) in ids.iter().enumerate() {
        let direction = Axes::<D>::spread_direction(*id);
        each_axis!(axis => {
            numbers[axis][lane] = direction[axis];
        });
    }
    Vector(per_axis!(axis => Lanes::load(simd, &numbers[axis])))
}
