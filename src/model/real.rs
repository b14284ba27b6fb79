//! A number, or several in lanes. Behaviours compute with this type.
//!
//! A behaviour's force is one generic function. With `f32` it steers one agent; with [`Lanes`] it
//! steers one agent per lane of the processor. Every operation is an IEEE operation with its own
//! rounding (nothing is fused), so both give the same bits.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

#[doc(hidden)]
pub use pulp::NullaryFnOnce;
use pulp::Simd;

/// A boolean for each number of a [`Real`].
pub trait Mask: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {
    /// True if at least one lane is true.
    fn any(self) -> bool;
}

impl Mask for bool {
    #[inline(always)]
    fn any(self) -> bool {
        self
    }
}

/// Does a block by [`Real::apart`], with the variables that it names with their types. (A closure would not be
/// compiled for the instructions of the lanes.) In front stand the lifetimes, types and numbers of these types.
#[macro_export]
macro_rules! apart {
    (
        <$($life:lifetime),*; $($type:ident: $bound:path),*; $($number:ident: $of:ty),*>
        $(where $axes:ty: $space:path,)?
        $like:expr, |$($name:ident: $field:ty),* $(,)?| -> $out:ty $body:block
    ) => {{
        struct Op<$($life,)* $($type: $bound,)* $(const $number: $of),*>($($field),*)
        $(where $axes: $space)?;
        impl<$($life,)* $($type: $bound,)* $(const $number: $of),*> $crate::real::NullaryFnOnce
            for Op<$($life,)* $($type,)* $($number),*>
        $(where $axes: $space)?
        {
            type Output = $out;
            #[inline(always)]
            fn call(self) -> $out {
                let Self($($name),*) = self;
                $body
            }
        }
        $crate::real::Real::apart($like, Op::<$($type,)* $($number),*>($($name),*))
    }};
}
pub use apart;

/// `f32`, or lanes of `f32`.
pub trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The result of a comparison.
    type Mask: Mask;

    /// `value` in all lanes; as many lanes as `self`.
    fn constant(self, value: f32) -> Self;
    /// The square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// The largest whole number that is not above it.
    #[inline(always)]
    fn floor(self) -> Self {
        // Beyond this, all numbers are whole. Adding it takes the part behind the point away.
        let whole = self.constant(8_388_608.0);
        let zero = self.constant(0.0);
        let signed = (-whole).where_or(self.less_than(zero), whole);
        let nearest = (self + signed) - signed;
        let below = nearest - self.constant(1.0);
        let floor = below.where_or(self.less_than(nearest), nearest);
        let is_small = self.less_than(whole) & (-whole).less_than(self);
        // A whole number keeps its sign, also a 0.
        floor.where_or(is_small, self).where_or(self.less_than(floor) | floor.less_than(self), self)
    }
    /// The smaller one; `other` if a NaN is among them.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.where_or(self.less_than(other), other)
    }
    /// The larger one; `other` if a NaN is among them.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.where_or(other.less_than(self), other)
    }
    /// `self < other`.
    fn less_than(self, other: Self) -> Self::Mask;
    /// `self == other`.
    fn equals(self, other: Self) -> Self::Mask;
    /// `self` where the mask is true, else `other`.
    fn where_or(self, mask: Self::Mask, other: Self) -> Self;
    /// The numbers, one per lane.
    fn numbers(&self) -> &[f32];
    /// Does `work`; for lanes in a function of its own, which is compiled for their instructions. It keeps the
    /// functions small that rarely have this work.
    #[inline(always)]
    fn apart<W: NullaryFnOnce>(self, work: W) -> W::Output {
        work.call()
    }
    /// Applies `f` to the numbers of each lane in turn, for operations without a vector form such
    /// as a table lookup.
    fn each<const IN: usize, const OUT: usize>(
        input: [Self; IN],
        f: impl FnMut([f32; IN]) -> [f32; OUT],
    ) -> [Self; OUT];
}

impl Real for f32 {
    type Mask = bool;
    #[inline(always)]
    fn constant(self, value: f32) -> Self {
        value
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f32::sqrt(self)
    }
    #[inline(always)]
    fn less_than(self, other: Self) -> bool {
        self < other
    }
    #[inline(always)]
    fn equals(self, other: Self) -> bool {
        self == other
    }
    #[inline(always)]
    fn where_or(self, mask: bool, other: Self) -> Self {
        if mask { self } else { other }
    }
    #[inline(always)]
    fn numbers(&self) -> &[f32] {
        std::slice::from_ref(self)
    }
    #[inline(always)]
    fn each<const IN: usize, const OUT: usize>(
        input: [Self; IN],
        mut f: impl FnMut([f32; IN]) -> [f32; OUT],
    ) -> [Self; OUT] {
        f(input)
    }
}

/// The lanes of the widest instruction set.
pub const MAX_LANES: usize = 16;

/// The `f32`s of one register of the instruction set `S`.
#[derive(Clone, Copy)]
pub struct Lanes<S: Simd> {
    simd: S,
    /// The register.
    pub value: S::f32s,
}

/// A boolean for each lane of [`Lanes`].
#[derive(Clone, Copy)]
pub struct LaneMask<S: Simd> {
    simd: S,
    /// The register.
    pub value: S::m32s,
}

impl<S: Simd> Lanes<S> {
    /// Wraps a register.
    #[inline(always)]
    pub fn new(simd: S, value: S::f32s) -> Self {
        Self { simd, value }
    }

    /// The same number in every lane.
    #[inline(always)]
    pub fn splat(simd: S, value: f32) -> Self {
        Self::new(simd, simd.splat_f32s(value))
    }

    /// The first numbers of `slice`, one a lane; zeros where it is shorter.
    #[inline(always)]
    pub fn load(simd: S, slice: &[f32]) -> Self {
        if slice.len() >= S::F32_LANES {
            let bytes = bytemuck::cast_slice(&slice[..S::F32_LANES]);
            return Self::new(simd, bytemuck::pod_read_unaligned(bytes));
        }
        let mut padded = [0.0; MAX_LANES];
        padded[..slice.len()].copy_from_slice(slice);
        let bytes = bytemuck::cast_slice(&padded[..S::F32_LANES]);
        Self::new(simd, bytemuck::pod_read_unaligned(bytes))
    }

    /// Writes the first lanes to `slice`, as many as it has room for.
    #[inline(always)]
    pub fn store(self, slice: &mut [f32]) {
        let numbers: &[f32] = bytemuck::cast_slice(std::slice::from_ref(&self.value));
        if slice.len() >= S::F32_LANES {
            slice[..S::F32_LANES].copy_from_slice(numbers);
        } else {
            slice.copy_from_slice(&numbers[..slice.len()]);
        }
    }
}

impl<S: Simd> Mask for LaneMask<S> {
    #[inline(always)]
    fn any(self) -> bool {
        self.simd.first_true_m32s(self.value) < S::F32_LANES
    }
}

macro_rules! lane_operator {
    ($type:ident, $trait:ident, $function:ident, $simd:ident) => {
        impl<S: Simd> $trait for $type<S> {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                let value = self.simd.$simd(self.value, other.value);
                Self { value, ..self }
            }
        }
    };
}

lane_operator!(LaneMask, BitAnd, bitand, and_m32s);
lane_operator!(LaneMask, BitOr, bitor, or_m32s);
lane_operator!(Lanes, Add, add, add_f32s);
lane_operator!(Lanes, Sub, sub, sub_f32s);
lane_operator!(Lanes, Mul, mul, mul_f32s);
lane_operator!(Lanes, Div, div, div_f32s);

impl<S: Simd> Not for LaneMask<S> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self { value: self.simd.not_m32s(self.value), ..self }
    }
}

impl<S: Simd> Neg for Lanes<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(self.simd, self.simd.neg_f32s(self.value))
    }
}

impl<S: Simd> Real for Lanes<S> {
    type Mask = LaneMask<S>;

    #[inline(never)]
    fn apart<W: NullaryFnOnce>(self, work: W) -> W::Output {
        Simd::vectorize(self.simd, work)
    }

    #[inline(always)]
    fn constant(self, value: f32) -> Self {
        Self::splat(self.simd, value)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self::new(self.simd, self.simd.sqrt_f32s(self.value))
    }
    #[inline(always)]
    fn less_than(self, other: Self) -> LaneMask<S> {
        let value = self.simd.less_than_f32s(self.value, other.value);
        LaneMask { simd: self.simd, value }
    }
    #[inline(always)]
    fn equals(self, other: Self) -> LaneMask<S> {
        let value = self.simd.equal_f32s(self.value, other.value);
        LaneMask { simd: self.simd, value }
    }
    #[inline(always)]
    fn where_or(self, mask: LaneMask<S>, other: Self) -> Self {
        let value = self.simd.select_f32s(mask.value, self.value, other.value);
        Self::new(self.simd, value)
    }
    #[inline(always)]
    fn numbers(&self) -> &[f32] {
        bytemuck::cast_slice(std::slice::from_ref(&self.value))
    }
    #[inline(always)]
    fn each<const IN: usize, const OUT: usize>(
        input: [Self; IN],
        mut f: impl FnMut([f32; IN]) -> [f32; OUT],
    ) -> [Self; OUT] {
        let mut outputs = [input[0].simd.splat_f32s(0.0); OUT];
        for lane in 0..S::F32_LANES {
            let numbers = std::array::from_fn(|i| input[i].numbers()[lane]);
            for (slot, number) in outputs.iter_mut().zip(f(numbers)) {
                bytemuck::cast_slice_mut(std::slice::from_mut(slot))[lane] = number;
            }
        }
        outputs.map(|value| Self::new(input[0].simd, value))
    }
}
