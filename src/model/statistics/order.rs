//! Sums over all agents, several agents at a time: the order of the headings, the middle of the
//! flock, and the rotation around it.

use std::f64::consts::TAU;
use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::super::state::FlockState;
use super::super::vector::Point;
use super::super::world::{Boundary, World};
use super::circle::{nearest_whole, sine_and_cosine};
use super::parts;

/// Number of agents that one task sums. It is fixed, so that sums do not depend on the number of
/// threads.
const PART: usize = 4096;

/// Number of agents summed at once on any instruction set, so that the sums of the lanes, and the
/// order in which they are added, do not depend on it. Two registers of AVX-512.
const LANES: usize = 16;

/// An agent nearer to the middle is there, and the rest is rounding; relative to the largest coordinate.
const MIDDLE_ERROR: f64 = 1e-9;

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
        let [x, y, z, speeds] = sum(state, Headings);
        // Endless where nothing wraps: the shortest way is then the straight one.
        let wraps = world.boundary == Boundary::Wrap;
        let size = world.size.to_array().map(f64::from);
        let size = size.map(|size| if wraps && size > 0.0 { size } else { f64::INFINITY });
        let per_unit = size.map(f64::recip);
        let middle = if wraps {
            let sums = sum(state, OnCircles { per_unit });
            mean_angles(sums, size)
        } else {
            sum(state, Places).map(|sum| sum / state.len() as f64)
        };
        let sides = size.into_iter().filter(|size| size.is_finite());
        let largest = sides.chain(middle.map(f64::abs)).fold(0.0, f64::max);
        let rounding = (MIDDLE_ERROR * largest).powi(2);
        let [ux, uy, uz, tx, ty, tz, most] =
            sum(state, Turning { middle, rounding, size, per_unit });
        // Of one component this is its absolute value, without rounding.
        let length = |[x, y, z]: [f64; 3]| x.hypot(y).hypot(z);
        Self {
            headings: length([x, y, z]),
            speeds,
            rotation: length([ux, uy, uz]),
            angular_momentum: if most > 0.0 { length([tx, ty, tz]) / most } else { 0.0 },
        }
    }
}

/// The circular mean on each axis of a world of `size`, from sine and cosine on each axis; 0 on an
/// axis that does not wrap.
fn mean_angles(sums: [f64; 6], size: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| {
        let turns = sums[2 * axis].atan2(sums[2 * axis + 1]);
        if size[axis].is_finite() { turns * size[axis] / TAU } else { 0.0 }
    })
}

/// The terms that each agent adds to `N` sums. Without branches, so that several agents are
/// computed at once. In a plane the third components are 0.
pub trait Term<const N: usize>: Copy + Sync {
    fn of(&self, position: [f64; 3], velocity: [f64; 3]) -> [f64; N];

    /// Adds an agent to its lane.
    #[inline(always)]
    fn add(&self, p: Point, v: Point, lane: usize, lanes: &mut [[f64; LANES]; N]) {
        let [p, v] = [p, v].map(|p| p.as_dvec3().to_array());
        for (sum, term) in lanes.iter_mut().zip(self.of(p, v)) {
            sum[lane] += term;
        }
    }
}

/// The scalar product.
#[inline(always)]
pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Heading, and speed.
#[derive(Clone, Copy)]
struct Headings;

impl Term<4> for Headings {
    #[inline(always)]
    fn of(&self, _: [f64; 3], v: [f64; 3]) -> [f64; 4] {
        let speed = dot(v, v).sqrt();
        // An agent at rest has no heading.
        let scale = if speed > 0.0 { 1.0 / speed } else { 0.0 };
        [v[0] * scale, v[1] * scale, v[2] * scale, speed]
    }
}

/// The position.
#[derive(Clone, Copy)]
struct Places;

impl Term<3> for Places {
    #[inline(always)]
    fn of(&self, p: [f64; 3], _: [f64; 3]) -> [f64; 3] {
        p
    }
}

/// Sine and cosine of the position on each axis, on a circle as long as the world.
#[derive(Clone, Copy)]
struct OnCircles {
    per_unit: [f64; 3],
}

impl Term<6> for OnCircles {
    #[inline(always)]
    fn of(&self, p: [f64; 3], _: [f64; 3]) -> [f64; 6] {
        let on = |axis: usize| sine_and_cosine(p[axis] * self.per_unit[axis]);
        let ([sin_x, cos_x], [sin_y, cos_y], [sin_z, cos_z]) = (on(0), on(1), on(2));
        [sin_x, cos_x, sin_y, cos_y, sin_z, cos_z]
    }
}

/// Rotation around the middle: the moments of unit vectors, the moments of the vectors themselves,
/// and the largest possible sum of the latter.
#[derive(Clone, Copy)]
struct Turning {
    middle: [f64; 3],
    /// Squares of smaller distances from the middle are rounding.
    rounding: f64,
    /// Infinite on an axis that does not wrap.
    size: [f64; 3],
    per_unit: [f64; 3],
}

impl Turning {
    /// The shortest difference from the middle to a place, on one axis.
    #[inline(always)]
    fn along(&self, p: [f64; 3], axis: usize) -> f64 {
        let difference = p[axis] - self.middle[axis];
        let rounds = nearest_whole(difference * self.per_unit[axis]);
        if rounds == 0.0 { difference } else { difference - self.size[axis] * rounds }
    }
}

impl Term<7> for Turning {
    #[inline(always)]
    fn of(&self, p: [f64; 3], v: [f64; 3]) -> [f64; 7] {
        let way = [self.along(p, 0), self.along(p, 1), self.along(p, 2)];
        let x = way[1] * v[2] - way[2] * v[1];
        let y = way[2] * v[0] - way[0] * v[2];
        let z = way[0] * v[1] - way[1] * v[0];
        let far = dot(way, way);
        let most = if far > self.rounding { (far * dot(v, v)).sqrt() } else { 0.0 };
        // An agent at rest or in the middle does not turn.
        let share = |moment: f64| if most > 0.0 { moment / most } else { 0.0 };
        [share(x), share(y), share(z), x, y, z, most]
    }
}

/// Sums `term` over all agents, part by part.
pub fn sum<const N: usize>(state: &FlockState, term: impl Term<N>) -> [f64; N] {
    let of_part =
        |agents: Range<usize>| pulp::Arch::new().dispatch(Part::<_, N> { state, agents, term });
    let sums = parts(state.len(), PART, of_part);
    sums.into_iter().fold([0.0; N], |sum, part| std::array::from_fn(|i| sum[i] + part[i]))
}

/// The sum over some agents, for any instruction set. (A closure would be compiled only for the
/// instructions of the oldest processors.)
struct Part<'a, T: Term<N>, const N: usize> {
    state: &'a FlockState,
    agents: Range<usize>,
    term: T,
}

impl<T: Term<N>, const N: usize> WithSimd for Part<'_, T, N> {
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
