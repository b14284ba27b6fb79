//! Sums over all agents, several agents at a time: the order of the headings, the middle of the
//! flock, and the rotation around it.

use std::f64::consts::TAU;
use std::ops::Range;

use glam::DVec2;
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
        let size = world.size.as_dvec2();
        let [x, y, speeds] = sum(state, Headings);
        let middle = if wraps {
            let [sin_x, cos_x, sin_y, cos_y] = sum(state, OnCircles { per_unit: size.recip() });
            DVec2::new(sin_x.atan2(cos_x), sin_y.atan2(cos_y)) * size / TAU
        } else {
            DVec2::from_array(sum(state, Places)) / state.len() as f64
        };
        let size = if wraps { size } else { DVec2::INFINITY };
        let [units, turning, most] = sum(state, Turning { middle, size, per_unit: size.recip() });
        Self {
            headings: x.hypot(y),
            speeds,
            rotation: units.abs(),
            angular_momentum: if most > 0.0 { turning.abs() / most } else { 0.0 },
        }
    }
}

/// The terms that each agent adds to `N` sums. Without branches, so that several agents are
/// computed at once.
trait Term<const N: usize>: Copy + Sync {
    fn of(&self, position: DVec2, velocity: DVec2) -> [f64; N];

    /// Adds an agent to its lane.
    #[inline(always)]
    fn add(&self, p: Point, v: Point, lane: usize, lanes: &mut [[f64; LANES]; N]) {
        let terms = self.of(p.as_dvec2(), v.as_dvec2());
        for (sum, term) in lanes.iter_mut().zip(terms) {
            sum[lane] += term;
        }
    }
}

/// Heading, and speed.
#[derive(Clone, Copy)]
struct Headings;

impl Term<3> for Headings {
    #[inline(always)]
    fn of(&self, _: DVec2, v: DVec2) -> [f64; 3] {
        let speed = (v.x * v.x + v.y * v.y).sqrt();
        let scale = if speed > 0.0 { 1.0 / speed } else { 0.0 };
        [v.x * scale, v.y * scale, speed]
    }
}

/// The position.
#[derive(Clone, Copy)]
struct Places;

impl Term<2> for Places {
    #[inline(always)]
    fn of(&self, p: DVec2, _: DVec2) -> [f64; 2] {
        [p.x, p.y]
    }
}

/// Sine and cosine of the position on each axis, on a circle as long as the world.
#[derive(Clone, Copy)]
struct OnCircles {
    per_unit: DVec2,
}

impl Term<4> for OnCircles {
    #[inline(always)]
    fn of(&self, p: DVec2, _: DVec2) -> [f64; 4] {
        let [sin_x, cos_x] = sine_and_cosine(p.x * self.per_unit.x);
        let [sin_y, cos_y] = sine_and_cosine(p.y * self.per_unit.y);
        [sin_x, cos_x, sin_y, cos_y]
    }
}

/// Rotation around the middle: the moments of unit vectors, the moments of the vectors themselves,
/// and the largest possible sum of the latter.
#[derive(Clone, Copy)]
struct Turning {
    middle: DVec2,
    /// Infinite if the world does not wrap.
    size: DVec2,
    per_unit: DVec2,
}

impl Turning {
    /// The shortest difference from the middle to a place, on one axis.
    #[inline(always)]
    fn along(difference: f64, size: f64, per_unit: f64) -> f64 {
        let rounds = nearest_whole(difference * per_unit);
        if rounds == 0.0 { difference } else { difference - size * rounds }
    }
}

impl Term<3> for Turning {
    #[inline(always)]
    fn of(&self, p: DVec2, v: DVec2) -> [f64; 3] {
        let x = Self::along(p.x - self.middle.x, self.size.x, self.per_unit.x);
        let y = Self::along(p.y - self.middle.y, self.size.y, self.per_unit.y);
        let moment = x * v.y - y * v.x;
        let most = ((x * x + y * y) * (v.x * v.x + v.y * v.y)).sqrt();
        // An agent at rest, or in the middle, does not turn.
        [if most > 0.0 { moment / most } else { 0.0 }, moment, most]
    }
}

/// Sums `term` over all agents, part by part.
fn sum<const N: usize>(state: &FlockState, term: impl Term<N>) -> [f64; N] {
    let of_part = |agents: Range<usize>| pulp::Arch::new().dispatch(Part { state, agents, term });
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
