//! Sums over all agents, several agents at a time: the order of the headings, the middle of the
//! flock, and the rotation around it.

use std::f64::consts::TAU;
use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::super::state::FlockState;
use super::super::vector::{Point, components, per_axis};
use super::super::world::{Boundary, World};
use super::circle::{nearest_whole, sine_and_cosine};
use super::parts;

/// Number of agents that one task sums. It is fixed, so that sums do not depend on the number of
/// threads.
const PART: usize = 4096;

/// Number of agents summed at once on any instruction set, so that the sums of the lanes, and the
/// order in which they are added, do not depend on it. Two registers of AVX-512.
const LANES: usize = 16;

/// The sums that describe the flock's motion.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// Length of the sum of the headings.
    pub headings: f64,
    /// Sum of the speeds; world units per tick.
    pub speeds: f64,
    /// `|Σ r × v/|v||` with unit vectors r from the middle to the agents.
    pub rotation: f64,
    /// `|Σ (p − c) × v| / Σ |p − c||v|`; 0 if no agent turns.
    pub angular_momentum: f64,
}

impl Order {
    /// The order of a flock with at least one agent.
    pub fn of(world: &World, state: &FlockState) -> Self {
        let wraps = world.boundary == Boundary::Wrap;
        let count = state.len() as f64;
        if world.is_flat() {
            let [x, y, speeds] = sum(state, Headings);
            let size = size_of::<2>(world);
            let circles = || sum(state, OnCircles { per_unit: size.map(f64::recip) });
            let middle =
                if wraps { mean_angles(circles(), size) } else { mean(sum(state, Places), count) };
            let [units, turning, most] = sum(state, Turning::round(middle, size, wraps));
            Self::with([x, y, 0.0], speeds, [0.0, 0.0, units], [0.0, 0.0, turning], most)
        } else {
            let [x, y, z, speeds] = sum(state, Headings);
            let size = size_of::<3>(world);
            let circles = || sum(state, OnCircles { per_unit: size.map(f64::recip) });
            let middle =
                if wraps { mean_angles(circles(), size) } else { mean(sum(state, Places), count) };
            let sums: [f64; 7] = sum(state, Turning::round(middle, size, wraps));
            let [ux, uy, uz, tx, ty, tz, most] = sums;
            Self::with([x, y, z], speeds, [ux, uy, uz], [tx, ty, tz], most)
        }
    }

    fn with(
        headings: [f64; 3],
        speeds: f64,
        rotation: [f64; 3],
        turning: [f64; 3],
        most: f64,
    ) -> Self {
        // Of one component this is its absolute value, without rounding.
        let length = |[x, y, z]: [f64; 3]| x.hypot(y).hypot(z);
        Self {
            headings: length(headings),
            speeds,
            rotation: length(rotation),
            angular_momentum: if most > 0.0 { length(turning) / most } else { 0.0 },
        }
    }
}

/// The sides of the world.
fn size_of<const D: usize>(world: &World) -> [f64; D] {
    components(world.size).map(f64::from)
}

/// The middle of coordinates with these sums.
fn mean<const D: usize>(sums: [f64; D], count: f64) -> [f64; D] {
    sums.map(|sum| sum / count)
}

/// The circular mean on each axis of a world of `size`, from sine and cosine on each axis.
fn mean_angles<const N: usize, const D: usize>(sums: [f64; N], size: [f64; D]) -> [f64; D] {
    std::array::from_fn(|axis| sums[2 * axis].atan2(sums[2 * axis + 1]) * size[axis] / TAU)
}

/// The terms that each agent adds to `N` sums. Without branches, so that several agents are
/// computed at once.
trait Term<const D: usize, const N: usize>: Copy + Sync {
    fn of(&self, position: [f64; D], velocity: [f64; D]) -> [f64; N];

    /// Adds an agent to its lane.
    #[inline(always)]
    fn add(&self, p: Point, v: Point, lane: usize, lanes: &mut [[f64; LANES]; N]) {
        let (p, v) = (components::<D>(p), components::<D>(v));
        let terms =
            self.of(per_axis!(axis => f64::from(p[axis])), per_axis!(axis => f64::from(v[axis])));
        for (sum, term) in lanes.iter_mut().zip(terms) {
            sum[lane] += term;
        }
    }
}

/// The scalar product.
#[inline(always)]
fn dot<const D: usize>(a: [f64; D], b: [f64; D]) -> f64 {
    let products = per_axis!(axis => a[axis] * b[axis]);
    let plane = products[0] + products[1];
    if D > 2 { plane + products[2] } else { plane }
}

/// Heading, and speed.
#[derive(Clone, Copy)]
struct Headings;

/// The speed, and its reciprocal; 0 for an agent at rest.
#[inline(always)]
fn speed<const D: usize>(v: [f64; D]) -> (f64, f64) {
    let speed = dot(v, v).sqrt();
    (speed, if speed > 0.0 { 1.0 / speed } else { 0.0 })
}

impl Term<2, 3> for Headings {
    #[inline(always)]
    fn of(&self, _: [f64; 2], v: [f64; 2]) -> [f64; 3] {
        let (speed, scale) = speed(v);
        [v[0] * scale, v[1] * scale, speed]
    }
}

impl Term<3, 4> for Headings {
    #[inline(always)]
    fn of(&self, _: [f64; 3], v: [f64; 3]) -> [f64; 4] {
        let (speed, scale) = speed(v);
        [v[0] * scale, v[1] * scale, v[2] * scale, speed]
    }
}

/// The position.
#[derive(Clone, Copy)]
struct Places;

impl<const D: usize> Term<D, D> for Places {
    #[inline(always)]
    fn of(&self, p: [f64; D], _: [f64; D]) -> [f64; D] {
        p
    }
}

/// Sine and cosine of the position on each axis, on a circle as long as the world.
#[derive(Clone, Copy)]
struct OnCircles<const D: usize> {
    per_unit: [f64; D],
}

impl<const D: usize> OnCircles<D> {
    #[inline(always)]
    fn on(&self, p: [f64; D], axis: usize) -> [f64; 2] {
        sine_and_cosine(p[axis] * self.per_unit[axis])
    }
}

impl Term<2, 4> for OnCircles<2> {
    #[inline(always)]
    fn of(&self, p: [f64; 2], _: [f64; 2]) -> [f64; 4] {
        let ([sin_x, cos_x], [sin_y, cos_y]) = (self.on(p, 0), self.on(p, 1));
        [sin_x, cos_x, sin_y, cos_y]
    }
}

impl Term<3, 6> for OnCircles<3> {
    #[inline(always)]
    fn of(&self, p: [f64; 3], _: [f64; 3]) -> [f64; 6] {
        let ([sin_x, cos_x], [sin_y, cos_y]) = (self.on(p, 0), self.on(p, 1));
        let [sin_z, cos_z] = self.on(p, 2);
        [sin_x, cos_x, sin_y, cos_y, sin_z, cos_z]
    }
}

/// Rotation around the middle: the moments of unit vectors, the moments of the vectors themselves,
/// and the largest possible sum of the latter.
#[derive(Clone, Copy)]
struct Turning<const D: usize> {
    middle: [f64; D],
    /// Infinite if the world does not wrap.
    size: [f64; D],
    per_unit: [f64; D],
}

impl<const D: usize> Turning<D> {
    fn round(middle: [f64; D], size: [f64; D], wraps: bool) -> Self {
        let size = if wraps { size } else { [f64::INFINITY; D] };
        Self { middle, size, per_unit: size.map(f64::recip) }
    }

    /// The shortest difference from the middle to a place, on one axis.
    #[inline(always)]
    fn along(difference: f64, size: f64, per_unit: f64) -> f64 {
        let rounds = nearest_whole(difference * per_unit);
        if rounds == 0.0 { difference } else { difference - size * rounds }
    }

    /// The shortest way from the middle to a place.
    #[inline(always)]
    fn way(&self, p: [f64; D]) -> [f64; D] {
        per_axis!(axis => {
            Self::along(p[axis] - self.middle[axis], self.size[axis], self.per_unit[axis])
        })
    }

    /// The largest possible moment of two vectors.
    #[inline(always)]
    fn most(way: [f64; D], v: [f64; D]) -> f64 {
        (dot(way, way) * dot(v, v)).sqrt()
    }
}

/// `moment / most`; 0 for an agent at rest or in the middle, which does not turn.
#[inline(always)]
fn share(moment: f64, most: f64) -> f64 {
    if most > 0.0 { moment / most } else { 0.0 }
}

impl Term<2, 3> for Turning<2> {
    #[inline(always)]
    fn of(&self, p: [f64; 2], v: [f64; 2]) -> [f64; 3] {
        let way = self.way(p);
        let moment = way[0] * v[1] - way[1] * v[0];
        let most = Self::most(way, v);
        [share(moment, most), moment, most]
    }
}

impl Term<3, 7> for Turning<3> {
    #[inline(always)]
    fn of(&self, p: [f64; 3], v: [f64; 3]) -> [f64; 7] {
        let way = self.way(p);
        let x = way[1] * v[2] - way[2] * v[1];
        let y = way[2] * v[0] - way[0] * v[2];
        let z = way[0] * v[1] - way[1] * v[0];
        let most = Self::most(way, v);
        [share(x, most), share(y, most), share(z, most), x, y, z, most]
    }
}

/// Sums `term` over all agents, part by part.
fn sum<const D: usize, const N: usize>(state: &FlockState, term: impl Term<D, N>) -> [f64; N] {
    let of_part =
        |agents: Range<usize>| pulp::Arch::new().dispatch(Part::<_, D, N> { state, agents, term });
    let sums = parts(state.len(), PART, of_part);
    sums.into_iter().fold([0.0; N], |sum, part| std::array::from_fn(|i| sum[i] + part[i]))
}

/// The sum over some agents, for any instruction set. (A closure would be compiled only for the
/// instructions of the oldest processors.)
struct Part<'a, T: Term<D, N>, const D: usize, const N: usize> {
    state: &'a FlockState,
    agents: Range<usize>,
    term: T,
}

impl<T: Term<D, N>, const D: usize, const N: usize> WithSimd for Part<'_, T, D, N> {
    type Output = [f64; N];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> [f64; N] {
        let positions = self.state.position[self.agents.clone()].chunks_exact(LANES);
        let velocities = self.state.velocity[self.agents].chunks_exact(LANES);
        let rest = (positions.remainder(), velocities.remainder());
        let mut lanes = [[0.0; LANES]; N];
        for (positions, velocities) in positions.zip(velocities) {
            for lane in 0..LANES {
                self.term.add(positions[lane], velocities[lane], lane, &mut lanes);
            }
        }
        // A copy, because the compiler keeps an array in memory if any loop indexes it by a variable. So
        // the array of the loop above stays in registers.
        let mut all = lanes;
        for (lane, (position, velocity)) in rest.0.iter().zip(rest.1).enumerate() {
            self.term.add(*position, *velocity, lane, &mut all);
        }
        all.map(|lanes| lanes.iter().sum())
    }
}
