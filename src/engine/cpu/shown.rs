//! The numbers that the looks of agents show, for the agents of a group. `shaders/steer.wgsl` computes the same.

use pulp::Simd;

use super::lane_parameters::LaneParameters;
use flockwork_model::memory::{BANK_WEIGHT, MAX_BANK, MAX_COLOUR_VALUE, structure_of};
use flockwork_model::real::{Lanes, MAX_LANES, Real};
use flockwork_model::vector::Vector;

/// An agent whose max_force changes its momentum by less in a tick shows no acceleration: the quotient
/// would depend on how a device treats numbers near 0.
const MIN_LIMIT: f32 = 1e-9;

/// A heading with less of a level part is upright, and has no left.
const MIN_LEVEL: f32 = 1e-9;

/// The numbers that show how far one tick has changed the velocities. `steer.wgsl` computes the same.
#[inline(always)]
pub fn shown_of_change<S: Simd>(
    change: Lanes<S>,
    parameters: &LaneParameters<S>,
    step: Lanes<S>,
) -> [f32; MAX_LANES] {
    let most = change.constant(MAX_COLOUR_VALUE as f32);
    let limit = parameters.body.max_force * step;
    let momentum = (change * parameters.body.mass).min(change.constant(1e30));
    let share = momentum / (momentum + limit);
    let number =
        change.constant(0.0).where_or(limit.less_than(change.constant(MIN_LIMIT)), share * most);
    let mut numbers = [0.0; MAX_LANES];
    number.min(most).store(&mut numbers[..S::F32_LANES]);
    numbers
}

/// Where the changes of the velocities in one tick make agents lean. `steer.wgsl` computes the same.
#[inline(always)]
pub fn leans_of_change<S: Simd, const D: usize>(
    [before, after]: [Vector<Lanes<S>, D>; 2],
    parameters: &LaneParameters<S>,
    step: Lanes<S>,
) -> [f32; MAX_LANES] {
    let [x, y] = [before.0[0], before.0[1]];
    let [change_x, change_y] = [after.0[0] - x, after.0[1] - y];
    let level = (x * x + y * y).sqrt().max(x.constant(MIN_LEVEL));
    let aside = (x * change_y - y * change_x) / level * parameters.body.mass;
    let limit = parameters.body.max_force * step;
    let size = aside.max(-aside);
    let share = aside / (size + limit * x.constant(BANK_WEIGHT)) * x.constant(MAX_BANK);
    let none = x.constant(0.0);
    let share = share.where_or(size.less_than(x.constant(1e30)), none);
    let number = none.where_or(limit.less_than(x.constant(MIN_LIMIT)), share);
    let mut numbers = [0.0; MAX_LANES];
    number.store(&mut numbers[..S::F32_LANES]);
    numbers
}

/// The numbers that show order and `neighbours`.
#[inline(always)]
pub fn structures<S: Simd>(order: Lanes<S>, neighbours: &[f32; MAX_LANES]) -> [f32; MAX_LANES] {
    let mut numbers = [0.0; MAX_LANES];
    order.store(&mut numbers[..S::F32_LANES]);
    for (number, neighbours) in numbers.iter_mut().zip(neighbours) {
        *number = structure_of(*number, *neighbours) as f32;
    }
    numbers
}
