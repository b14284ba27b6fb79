//! Vectors of the plane, over any [`Real`].
//!
//! Behaviours use the names of this module alone (`dot`, `length`, `with_length`, `limit`), never
//! a component, so that a third component concerns only this file and its WGSL twin
//! `shaders/space.wgsl`.

use std::ops::{Add, Mul, Neg, Sub};

use super::real::Real;

/// A position, velocity or force as the state stores it.
pub type Point = glam::Vec2;

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
        let zero = squared.constant(0.0);
        let scale = length / squared.sqrt();
        self * scale.where_or(zero.less_than(squared), zero)
    }

    /// Scaled to `length` if it is longer.
    #[inline(always)]
    pub fn limit(self, length: R) -> Self {
        let squared = self.dot(self);
        let one = squared.constant(1.0);
        let scale = length / squared.sqrt();
        self * scale.where_or((length * length).less_than(squared), one)
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
