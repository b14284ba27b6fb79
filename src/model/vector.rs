//! Vectors with a number of axes, over any [`Real`].
//!
//! Behaviours use only the functions of this module (`dot`, `length`, `with_length`, `limit`),
//! never a component. Code that depends on the number of axes is in [`Space`], which `src/model/plane.rs`
//! implements for two of them and `src/model/space.rs` for three. `shaders/space.wgsl` is their twin.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::random::{self, Purpose};
use super::real::Real;

/// A position, velocity or force as the state stores it. In a plane its z is 0.
pub type Point = glam::Vec3;

/// A point of the plane.
#[inline(always)]
#[must_use]
pub const fn flat(x: f32, y: f32) -> Point {
    Point::new(x, y, 0.0)
}

/// The largest square that counts as zero: the largest subnormal `f32`. A device may flush such
/// numbers to zero in one operation and not in the next; dividing by their root could then divide
/// by zero.
const MAX_ZERO_SQUARE: f32 = f32::from_bits(0x007f_ffff);

/// Number of components of a [`Point`]. Host code may treat a plane as a space without depth: zeros on
/// the third axis change no bit of the others.
pub const DIMENSIONS: usize = 3;

/// An array with a value for each of the `D` axes of its surroundings: one, two or three.
///
/// Written out, with an index that the compiler knows: the components then are in registers from
/// the start. A closure (as in `std::array::from_fn`) is not always inlined into a caller that is
/// compiled for wide lanes.
#[macro_export]
macro_rules! per_axis {
    ($axis:ident => $value:expr) => {{
        const { assert!(D >= 1 && D <= 3) };
        let mut all = [{
            let $axis = 0;
            $value
        }; D];
        if D > 1 {
            let $axis = 1;
            all[$axis] = $value;
        }
        if D > 2 {
            let $axis = 2;
            all[$axis] = $value;
        }
        all
    }};
}
pub use per_axis;

/// Does something for each of the `D` axes of its surroundings, as [`per_axis`] does.
#[macro_export]
macro_rules! each_axis {
    ($axis:ident => $action:block) => {{
        const { assert!(D >= 1 && D <= 3) };
        {
            let $axis = 0;
            $action
        }
        if D > 1 {
            let $axis = 1;
            $action
        }
        if D > 2 {
            let $axis = 2;
            $action
        }
    }};
}
pub use each_axis;

/// The components of a point on the first `D` axes.
#[inline(always)]
#[must_use]
pub fn components<const D: usize>(point: Point) -> [f32; D] {
    let all = point.to_array();
    per_axis!(axis => all[axis])
}

/// The direction in the plane at an angle from the x axis; radians. Systems differ in the last bits of sines, so
/// they are rounded: a flock begins with the same bytes on all of them.
#[must_use]
pub fn direction_at(angle: f64) -> Point {
    Point::new(angle.cos() as f32, angle.sin() as f32, 0.0)
}

/// The components of a point on the first `axes` axes as text, such as `3, 4`.
#[must_use]
pub fn components_text(point: Point, axes: usize) -> String {
    point.to_array()[..axes].iter().map(f32::to_string).collect::<Vec<_>>().join(", ")
}

/// The point with these components, and 0 on further axes.
#[inline(always)]
#[must_use]
pub fn point<const D: usize>(components: [f32; D]) -> Point {
    let mut all = [0.0; DIMENSIONS];
    each_axis!(axis => {
        all[axis] = components[axis];
    });
    Point::from_array(all)
}

/// A vector of [`Real`]s: its components by the number of their axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vector<R, const D: usize>(pub [R; D]);

/// A number of axes.
#[derive(Clone, Copy, Debug)]
pub struct Axes<const D: usize>;

/// An agent's memory of its way: an angle, or a direction in its place. An engine stores one of
/// them for each agent.
#[derive(Clone, Copy, Debug)]
pub struct Remembered<R, const D: usize> {
    /// Turns, −0.5 to 0.5.
    pub angle: R,
    /// A unit vector in the agent's own frame: ahead, to the left, up. Not used in a plane.
    pub direction: Vector<R, D>,
}

/// Random numbers of an agent's noise, new in each tick.
#[derive(Clone, Copy, Debug)]
pub struct Deviates<R> {
    /// From 0 to 1.
    pub even: R,
    /// Of mean 0 and variance 1; in a plane only the first counts.
    pub normal: [R; 2],
    /// Two numbers from 0 to 1 for the direction of the noise; a plane uses the first alone.
    pub around: [R; 2],
}

impl Deviates<f32> {
    /// The numbers of agent `id` in a tick.
    #[inline]
    pub fn draw(seed: u32, id: u32, tick: u32) -> Self {
        let word = random::bits(seed, id, tick, Purpose::Noise);
        // A normal number takes two words.
        let normal = [word, random::pcg(random::pcg(word))].map(random::nearly_normal);
        let unit = |purpose| random::unit(seed, id, tick, purpose);
        let around = [Purpose::NoiseAround, Purpose::NoiseHeight].map(unit);
        Self { even: random::unit_from(word), normal, around }
    }
}

/// Functions that depend on the number of axes. A space implements it for its [`Axes`].
pub trait Space<const D: usize> {
    /// True if a wanderer remembers a direction instead of an angle.
    const REMEMBERS_DIRECTIONS: bool;

    /// The vector to the left of another one, of the same length or shorter: `up × vector`. In space
    /// a vertical vector has the first axis on its left.
    fn sideways<R: Real>(vector: Vector<R, D>) -> Vector<R, D>;

    /// The unit vector to the left of `heading`, a unit vector.
    fn left<R: Real>(heading: Vector<R, D>) -> Vector<R, D>;

    /// A vector of an agent's own frame (ahead, to the left, up) in the axes of the world.
    fn framed<R: Real>(heading: Vector<R, D>, own: Vector<R, D>) -> Vector<R, D>;

    /// The unit vector at an angle of `turns` (−0.5 to 0.5) against the first axis, towards the
    /// second one.
    fn at_angle<R: Real>(turns: R) -> Vector<R, D>;

    /// Where an `offset` lies beside `heading`: its distance `y` from the axis of the heading, and a
    /// unit vector perpendicular to the heading. The offset lies at `y` along that vector. In a plane
    /// the vector is `left`. In space it points away from the offset, so that `y` is never positive;
    /// an offset straight ahead lies beside `left`.
    fn beside<R: Real>(
        heading: Vector<R, D>,
        left: Vector<R, D>,
        offset: Vector<R, D>,
    ) -> (R, Vector<R, D>);

    /// Turns what a wanderer remembers by up to `turn` turns, where `acts`. `noise` are numbers from 0
    /// to 1. Returns the place on the unit circle or sphere round it, in its own frame.
    fn strolled<R: Real>(
        remembered: &mut Remembered<R, D>,
        turn: R,
        noise: Vector<R, D>,
        acts: R::Mask,
    ) -> Vector<R, D>;

    /// The unit vector for two random numbers from 0 to 1: any direction is as likely as another. In a
    /// plane only the first counts.
    fn random_direction<R: Real>(numbers: [R; 2]) -> Vector<R, D>;

    /// The first of two directions, turned by noise of `amount` turns: where `is_even` by an angle as likely as any
    /// other up to half of it, else by a normal one. In space it turns towards the second, a random direction.
    fn tilted<R: Real>(
        directions: (Vector<R, D>, Vector<R, D>),
        amount: R,
        is_even: R::Mask,
        numbers: Deviates<R>,
    ) -> Vector<R, D>;

    /// The direction in which agent `id` moves away from another agent at the same spot: a vector
    /// of nonzero length.
    fn spread_direction(id: u32) -> [f32; D];
}

impl<R: Real, const D: usize> Vector<R, D> {
    /// A stored vector in the shape of `like`.
    #[inline(always)]
    pub fn constant(like: R, point: Point) -> Self {
        let stored: [f32; D] = components(point);
        Self(per_axis!(axis => like.constant(stored[axis])))
    }

    /// The same number on every axis.
    #[inline(always)]
    pub fn splat(component: R) -> Self {
        Self([component; D])
    }

    /// The zero vector in the shape of `like`.
    #[inline(always)]
    pub fn zero(like: R) -> Self {
        Self::splat(like.constant(0.0))
    }

    /// Scalar product.
    #[inline(always)]
    pub fn dot(self, other: Self) -> R {
        let products = per_axis!(axis => self.0[axis] * other.0[axis]);
        let mut sum = products[0];
        if D > 1 {
            sum = sum + products[1];
        }
        if D > 2 {
            sum = sum + products[2];
        }
        sum
    }

    /// Euclidean length.
    #[inline(always)]
    pub fn length(self) -> R {
        self.dot(self).sqrt()
    }

    /// Scaled to `length`; the zero vector stays zero.
    #[inline(always)]
    pub fn with_length(self, length: R) -> Self {
        let squared = self.dot(self);
        let scale = length / squared.sqrt();
        self * scale
            .where_or(squared.constant(MAX_ZERO_SQUARE).less_than(squared), squared.constant(0.0))
    }

    /// Scaled to `length` if it is longer.
    #[inline(always)]
    pub fn limit(self, length: R) -> Self {
        let squared = self.dot(self);
        let one = squared.constant(1.0);
        let scale = length / squared.sqrt();
        let longest = (length * length).max(squared.constant(MAX_ZERO_SQUARE));
        self * scale.where_or(longest.less_than(squared), one)
    }

    /// False for a vector that counts as zero.
    #[inline(always)]
    pub fn has_direction(self) -> R::Mask {
        let squared = self.dot(self);
        squared.constant(MAX_ZERO_SQUARE).less_than(squared)
    }

    /// The unit vector of this velocity; an agent at rest heads along the first axis.
    #[inline(always)]
    pub fn heading(self) -> Self {
        let squared = self.dot(self);
        let (zero, one) = (squared.constant(0.0), squared.constant(1.0));
        let moving = self.has_direction();
        let scale = one / squared.sqrt();
        let at_rest = Self(per_axis!(axis => if axis == 0 { one } else { zero }));
        (self * scale).where_or(moving, at_rest)
    }

    /// The points that it is made of: one for each lane.
    #[inline(always)]
    pub fn points(&self) -> impl Iterator<Item = Point> {
        let axes = per_axis!(axis => self.0[axis].numbers());
        (0..axes[0].len()).map(move |lane| point(per_axis!(axis => axes[axis][lane])))
    }

    /// `self` where the mask says yes, else `other`.
    #[inline(always)]
    pub fn where_or(self, mask: R::Mask, other: Self) -> Self {
        Self(per_axis!(axis => self.0[axis].where_or(mask, other.0[axis])))
    }
}

impl<R: Real, const D: usize> Add for Vector<R, D> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(per_axis!(axis => self.0[axis] + other.0[axis]))
    }
}

impl<R: Real, const D: usize> Sub for Vector<R, D> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(per_axis!(axis => self.0[axis] - other.0[axis]))
    }
}

impl<R: Real, const D: usize> Neg for Vector<R, D> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(per_axis!(axis => -self.0[axis]))
    }
}

impl<R: Real, const D: usize> Mul<R> for Vector<R, D> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: R) -> Self {
        Self(per_axis!(axis => self.0[axis] * factor))
    }
}

impl<R: Real, const D: usize> Div<R> for Vector<R, D> {
    type Output = Self;
    #[inline(always)]
    fn div(self, divisor: R) -> Self {
        Self(per_axis!(axis => self.0[axis] / divisor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_small_for_a_square_has_no_direction() {
        // Devices disagree about its square.
        let tiny = Vector([1e-20_f32, -1e-20]);
        assert_eq!(tiny.with_length(3.0), Vector::zero(0.0));
        assert_eq!(tiny.heading(), Vector([1.0, 0.0]));
        assert_eq!(tiny.limit(0.0), tiny);
        let small = Vector([2e-19_f32, 0.0]);
        assert_eq!(small.with_length(3.0), Vector([3.0, 0.0]));
        assert_eq!(small.limit(0.0), Vector::zero(0.0));
    }

    #[test]
    fn every_axis_counts() {
        let along = Vector([2.0_f32, 3.0, 6.0]);
        let other = Vector([-1.0, 5.0, 0.5]);
        assert_eq!(along.dot(other), -2.0 + 15.0 + 3.0);
        assert_eq!(along.length(), 7.0);
        assert_eq!(along + other, Vector([1.0, 8.0, 6.5]));
        assert_eq!(along - other, Vector([3.0, -2.0, 5.5]));
        assert_eq!((-along, along * 2.0), (Vector([-2.0, -3.0, -6.0]), Vector([4.0, 6.0, 12.0])));
        assert_eq!(along.with_length(14.0), Vector([4.0, 6.0, 12.0]));
        assert_eq!(along.limit(3.5), Vector([1.0, 1.5, 3.0]));
        assert_eq!(along.limit(7.5), along);
        // A length below 0 turns a vector round, as the page on rules says.
        assert_eq!(along.with_length(-14.0), Vector([-4.0, -6.0, -12.0]));
        assert_eq!((along.limit(-3.5), along.limit(-7.5)), (Vector([-1.0, -1.5, -3.0]), along));
        assert_eq!(Vector([0.0_f32, 0.0, -2.0]).heading(), Vector([0.0, 0.0, -1.0]));
        assert_eq!(Vector::<f32, 3>::zero(1.0).heading(), Vector([1.0, 0.0, 0.0]));
        assert_eq!(along.where_or(false, other), other);
        assert_eq!(along.where_or(true, other), along);
    }

    #[test]
    fn a_point_of_a_plane_has_nothing_on_the_third_axis() {
        assert_eq!(components(Point::new(3.0, -4.0, 5.0)), [3.0, -4.0, 5.0]);
        assert_eq!(components(Point::new(3.0, -4.0, 5.0)), [3.0, -4.0]);
        assert_eq!(point([3.0, -4.0]), flat(3.0, -4.0));
        assert_eq!(Vector::constant(0.0, flat(3.0, 4.0)), Vector([3.0, 4.0]));
    }
}
