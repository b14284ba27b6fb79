//! Vectors of the plane, over any [`Real`].
//!
//! Behaviours use only the functions of this module (`dot`, `length`, `with_length`, `limit`),
//! never a component: a third component would change only this file and its WGSL twin
//! `shaders/space.wgsl`.

use std::ops::{Add, Mul, Neg, Sub};

use super::real::Real;

/// A position, velocity or force as the state stores it.
pub type Point = glam::Vec2;

/// The largest square that counts as zero: the largest subnormal `f32`. A device may flush such
/// numbers to zero in one operation and not in the next; dividing by their root could then divide
/// by zero.
const TOO_SMALL: f32 = f32::from_bits(0x007f_ffff);

/// Number of components.
pub const DIMENSIONS: usize = 2;

/// A vector of [`Real`]s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vector<R> {
    /// Component to the right.
    pub x: R,
    /// Component upwards.
    pub y: R,
}

impl<R: Real> Vector<R> {
    /// A stored vector in the shape of `like`.
    #[inline(always)]
    pub fn constant(like: R, point: Point) -> Self {
        Self { x: like.constant(point.x), y: like.constant(point.y) }
    }

    /// The zero vector in the shape of `like`.
    #[inline(always)]
    pub fn zero(like: R) -> Self {
        Self { x: like.constant(0.0), y: like.constant(0.0) }
    }

    /// Scalar product.
    #[inline(always)]
    pub fn dot(self, other: Self) -> R {
        self.x * other.x + self.y * other.y
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
        self * scale.where_or(squared.constant(TOO_SMALL).less_than(squared), squared.constant(0.0))
    }

    /// Scaled to `length` if it is longer.
    #[inline(always)]
    pub fn limit(self, length: R) -> Self {
        let squared = self.dot(self);
        let one = squared.constant(1.0);
        let scale = length / squared.sqrt();
        let longest = (length * length).max(squared.constant(TOO_SMALL));
        self * scale.where_or(longest.less_than(squared), one)
    }

    /// A quarter turn to the left.
    #[inline(always)]
    pub fn perpendicular(self) -> Self {
        Self { x: -self.y, y: self.x }
    }

    /// Turned by the angle that `direction`, a unit vector, has against the x axis.
    #[inline(always)]
    pub fn turned(self, direction: Self) -> Self {
        Self {
            x: self.x * direction.x - self.y * direction.y,
            y: self.x * direction.y + self.y * direction.x,
        }
    }

    /// The unit vector of this velocity; an agent at rest heads along +x.
    #[inline(always)]
    pub fn heading(self) -> Self {
        let squared = self.dot(self);
        let (zero, one) = (squared.constant(0.0), squared.constant(1.0));
        let moving = squared.constant(TOO_SMALL).less_than(squared);
        let scale = one / squared.sqrt();
        (self * scale).where_or(moving, Self { x: one, y: zero })
    }

    /// The unit vector at an angle of `turns` (−0.5 to 0.5) against the x axis.
    ///
    /// A polynomial of degree eleven; its error is less than 2e-7. The sines of processors and
    /// drivers differ, and both engines must give the same bits.
    #[inline(always)]
    pub fn at_angle(turns: R) -> Self {
        let quarter = turns.constant(0.25);
        let half = turns.constant(0.5);
        let zero = turns.constant(0.0);
        let size = turns.max(-turns);
        let folded = (half - size).where_or(quarter.less_than(size), size);
        let folded = (-folded).where_or(turns.less_than(zero), folded);
        Self { x: sine(quarter - size), y: sine(folded) }
    }

    /// `self` where the mask says yes, else `other`.
    #[inline(always)]
    pub fn where_or(self, mask: R::Mask, other: Self) -> Self {
        Self { x: self.x.where_or(mask, other.x), y: self.y.where_or(mask, other.y) }
    }

    /// Applies `f` to the components of two vectors in turn.
    #[inline(always)]
    pub fn zip(self, other: Self, f: impl Fn(R, R) -> R) -> Self {
        Self { x: f(self.x, other.x), y: f(self.y, other.y) }
    }
}

/// The sine of an angle from −0.25 to 0.25 turns.
#[inline(always)]
fn sine<R: Real>(turns: R) -> R {
    let x = turns * turns.constant(std::f32::consts::TAU);
    let squared = x * x;
    // 1/3!, 1/5!, … with their signs, the last first.
    let terms =
        [-1.0 / 39_916_800.0, 1.0 / 362_880.0, -1.0 / 5_040.0, 1.0 / 120.0, -1.0 / 6.0, 1.0];
    let mut sum = x.constant(0.0);
    for term in terms {
        sum = sum * squared + x.constant(term);
    }
    x * sum
}

impl<R: Real> Add for Vector<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y }
    }
}

impl<R: Real> Sub for Vector<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y }
    }
}

impl<R: Real> Neg for Vector<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y }
    }
}

impl<R: Real> Mul<R> for Vector<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: R) -> Self {
        Self { x: self.x * factor, y: self.y * factor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_has_the_sine_and_cosine_of_its_angle() {
        for step in -5000..=5000 {
            let turns = step as f32 / 10_000.0;
            let Vector { x, y } = Vector::at_angle(turns);
            let (sine, cosine) = (f64::from(turns) * std::f64::consts::TAU).sin_cos();
            assert!((f64::from(x) - cosine).abs() < 2e-7, "cosine at {turns}: {x}");
            assert!((f64::from(y) - sine).abs() < 2e-7, "sine at {turns}: {y}");
        }
    }

    #[test]
    fn what_is_too_small_for_a_square_has_no_direction() {
        // Devices disagree about its square.
        let tiny = Vector { x: 1e-20_f32, y: -1e-20 };
        assert_eq!(tiny.with_length(3.0), Vector::zero(0.0));
        assert_eq!(tiny.heading(), Vector { x: 1.0, y: 0.0 });
        assert_eq!(tiny.limit(0.0), tiny);
        let small = Vector { x: 2e-19_f32, y: 0.0 };
        assert_eq!(small.with_length(3.0), Vector { x: 3.0, y: 0.0 });
        assert_eq!(small.limit(0.0), Vector::zero(0.0));
    }

    #[test]
    fn turning_is_to_the_left() {
        let ahead = Vector { x: 3.0_f32, y: 0.0 };
        assert_eq!(ahead.perpendicular(), Vector { x: 0.0, y: 3.0 });
        assert_eq!(ahead.turned(Vector { x: 0.0, y: 1.0 }), Vector { x: 0.0, y: 3.0 });
        assert_eq!(ahead.heading(), Vector { x: 1.0, y: 0.0 });
        assert_eq!(Vector::zero(1.0_f32).heading(), Vector { x: 1.0, y: 0.0 });
    }
}
