//! The world: its size and what happens at its edge.

use super::named::named;
use super::real::Real;
use super::vector::{DIMENSIONS, Point, Vector, components, per_axis, point};

named! {
    /// The rule at the edge of the world.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Boundary {
        /// Opposite edges are joined: an agent that leaves on the right enters on the left, and agents
        /// see across the seam.
        Wrap = "wrap",
        /// No agent leaves: one that would is put back on the edge and turned along it.
        Walls = "walls",
        /// Agents may leave, up to [`MAX_COORDINATE`]; the grid counts them in its edge cells.
        Open = "open",
    }
}

/// The rectangle or box from the origin to `size`, and its boundary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct World {
    /// Width and height in world units, and the depth of a space. In a plane y points up and the third
    /// number is 0; in a space z points up.
    pub size: Point,
    /// The rule at the edge.
    pub boundary: Boundary,
}

/// The largest distance from the origin on either axis of an open world; world units. It keeps
/// squares of distances within the range of `f32`.
pub const MAX_COORDINATE: f32 = 1e12;

/// Coordinates and velocity components smaller than this count as zero: their squares are too small
/// for `f32`, or for a GPU that flushes subnormal numbers to zero.
const NOTHING: f32 = 1e-18;

/// `p` moved by whole world sizes into `[0, size)`, for a move of less than one world size.
#[inline(always)]
fn wrapped<R: Real>(p: R, size: R) -> R {
    let zero = p.constant(0.0);
    let p = (p + size).where_or(p.less_than(zero), p);
    let p = p.where_or(p.less_than(size), p - size);
    // A tiny negative p plus `size` rounds to exactly `size`, which is the origin again. Anything
    // still outside is put at the origin too: no agent ever leaves.
    let p = p.where_or(p.less_than(size), zero);
    zero.where_or(p.less_than(zero), p)
}

/// `x`, or +0 where it is nearly zero or −0: the engines then agree on the bits of agents at rest.
/// Some GPUs do not distinguish the zeros.
#[inline(always)]
fn settled<R: Real>(x: R) -> R {
    let small = x.max(-x).less_than(x.constant(NOTHING));
    x.constant(0.0).where_or(small, x)
}

/// The difference `d` of two coordinates, across the seam where that is shorter.
#[inline(always)]
fn shortest_way<R: Real>(d: R, size: R) -> R {
    let half = size * size.constant(0.5);
    let d = (d - size).where_or(half.less_than(d), d);
    (d + size).where_or(d.less_than(d.constant(0.0) - half), d)
}

/// The shift of `to` that brings it nearest to `from`: `size`, `-size` or zero.
#[inline(always)]
fn image_shift<R: Real>(from: R, to: R, size: R) -> R {
    let (difference, half, zero) = (to - from, size * size.constant(0.5), size.constant(0.0));
    let above = (-size).where_or(half.less_than(difference), zero);
    size.where_or(difference.less_than(-half), above)
}

impl Boundary {
    /// The image of `to` that is nearest to `from`: in a wrapped world of `size` it may lie across
    /// the seam. A neighbour loop moves the agent and not its neighbour: the offset is the neighbour's
    /// place minus the image of the agent's that is nearest to it. So it can move an agent once for
    /// all neighbours on a side of the seam, and gets the same bits. (Because of the rounding of the
    /// image, the offset from a to b across the seam may differ in its last bit from the offset from
    /// b to a.)
    #[inline(always)]
    #[doc(hidden)]
    pub fn nearest_image<R: Real, const D: usize>(
        self,
        from: Vector<R, D>,
        to: Vector<R, D>,
        size: Vector<R, D>,
    ) -> Vector<R, D> {
        if self != Self::Wrap {
            return to;
        }
        Vector(per_axis!(axis => to.0[axis] + image_shift(from.0[axis], to.0[axis], size.0[axis])))
    }

    /// A coordinate moved by whole sizes of a wrapped world until it is less than one of them outside. Exact.
    #[doc(hidden)]
    #[must_use]
    pub fn near(self, coordinate: f32, size: f32) -> f32 {
        if self == Self::Wrap { coordinate % size } else { coordinate }
    }

    /// The offset from one agent to another by the shortest way, given the plain `difference` of
    /// their positions: across the seam of a wrapped world of `size` where that is shorter.
    #[inline(always)]
    #[doc(hidden)]
    pub fn shortest<R: Real, const D: usize>(
        self,
        difference: Vector<R, D>,
        size: Vector<R, D>,
    ) -> Vector<R, D> {
        if self != Self::Wrap {
            return difference;
        }
        Vector(per_axis!(axis => shortest_way(difference.0[axis], size.0[axis])))
    }

    /// Position and velocity after the boundary of a world of `size` has been applied.
    #[inline(always)]
    #[doc(hidden)]
    pub fn confine<R: Real, const D: usize>(
        self,
        p: Vector<R, D>,
        v: Vector<R, D>,
        size: Vector<R, D>,
    ) -> (Vector<R, D>, Vector<R, D>) {
        let (p, v) = match self {
            Self::Open => {
                let like = p.0[0];
                let (low, high) = (like.constant(-MAX_COORDINATE), like.constant(MAX_COORDINATE));
                (Vector(per_axis!(axis => p.0[axis].max(low).min(high))), v)
            }
            Self::Wrap => (Vector(per_axis!(axis => wrapped(p.0[axis], size.0[axis]))), v),
            Self::Walls => {
                let zero = p.0[0].constant(0.0);
                let inside = Vector(per_axis!(axis => p.0[axis].max(zero).min(size.0[axis])));
                // On the edge the outward component of the velocity is lost: a wall does not push
                // back.
                let moved = inside - p;
                let along = per_axis!(axis => v.0[axis].where_or(moved.0[axis].equals(zero), zero));
                (inside, Vector(along))
            }
        };
        (
            Vector(per_axis!(axis => settled(p.0[axis]))),
            Vector(per_axis!(axis => settled(v.0[axis]))),
        )
    }
}

/// Runs code for the number of axes of a world, which it gets as a constant.
#[macro_export]
macro_rules! with_axes {
    ($world:expr, $axes:ident => $code:expr) => {
        if $world.is_flat() {
            const $axes: usize = 2;
            $code
        } else {
            const $axes: usize = 3;
            $code
        }
    };
}
pub use with_axes;

/// One size divided by another, axis by axis; 1 on the third axis of planes.
#[must_use]
#[inline]
pub fn ratio(size: Point, other: Point) -> Point {
    let mut ratio = size / other;
    if other.z == 0.0 {
        ratio.z = 1.0;
    }
    ratio
}

/// The sides of a world of `size` as text, such as `640 x 360`; world units.
#[must_use]
pub fn sides_text(size: Point) -> String {
    let Point { x, y, z } = size;
    if z == 0.0 { format!("{x} x {y}") } else { format!("{x} x {y} x {z}") }
}

impl World {
    /// True if the world is a plane, false if it is a space.
    #[inline(always)]
    #[must_use]
    pub fn is_flat(&self) -> bool {
        self.size.z == 0.0
    }

    /// Number of axes: 2 or 3.
    #[must_use]
    #[inline]
    pub fn axes(&self) -> usize {
        with_axes!(self, AXES => AXES)
    }

    /// True if a place is below the far edge on every axis.
    #[must_use]
    #[inline]
    pub fn ends_beyond(&self, place: Point) -> bool {
        (0..self.axes()).all(|axis| place[axis] < self.size[axis])
    }

    /// True if an agent may be at a place before a tick: at a finite one, inside a world with edges. The
    /// third number of a place in a plane does not matter.
    #[must_use]
    #[inline]
    pub fn may_hold(&self, place: Point) -> bool {
        (0..self.axes()).all(|axis| match self.boundary {
            Boundary::Wrap => (0.0..self.size[axis]).contains(&place[axis]),
            Boundary::Walls => (0.0..=self.size[axis]).contains(&place[axis]),
            Boundary::Open => (-MAX_COORDINATE..=MAX_COORDINATE).contains(&place[axis]),
        })
    }

    /// The same place of a wrapped world, so near that the shortest way to it, which is one for places up to half a
    /// size outside, is right. Other worlds leave places where they are.
    #[must_use]
    pub fn folded(&self, place: Point) -> Point {
        if self.boundary != Boundary::Wrap {
            return place;
        }
        let (size, half) = (self.size, self.size / 2.0);
        let near = place.cmpge(-half) & place.cmple(size + half);
        // A plane has no third side.
        Point::select(near, place, place.rem_euclid(size.max(Point::splat(f32::MIN_POSITIVE))))
    }

    /// A length on each axis of the world, 0 on the third axis of a plane.
    #[must_use]
    #[inline]
    pub fn on_axes(&self, length: f32) -> Point {
        Point::new(length, length, if self.is_flat() { 0.0 } else { length })
    }

    /// Its sides: two or three lengths; world units.
    #[must_use]
    pub fn sides(&self) -> Vec<f32> {
        self.size.to_array()[..self.axes()].to_vec()
    }

    /// The shortest of its sides; world units.
    #[must_use]
    #[inline]
    pub fn shortest_side(&self) -> f32 {
        self.sides().into_iter().fold(f32::INFINITY, f32::min)
    }

    /// Its area, or the volume of a space; world units to the power of the number of axes.
    #[must_use]
    #[inline]
    pub fn volume(&self) -> f64 {
        self.sides().into_iter().map(f64::from).product()
    }

    /// The largest representable place inside the world, below each of its sides.
    #[must_use]
    #[inline]
    pub fn last_place(&self) -> Point {
        self.size.map(|side| if side > 0.0 { side.next_down() } else { 0.0 })
    }

    /// See [`Boundary::shortest`].
    #[inline(always)]
    #[doc(hidden)]
    pub fn shortest<R: Real, const D: usize>(&self, difference: Vector<R, D>) -> Vector<R, D> {
        self.boundary.shortest(difference, Vector::constant(difference.0[0], self.size))
    }

    /// The offset from one place to another by the shortest way.
    #[must_use]
    #[inline]
    pub fn shortest_between(&self, from: Point, to: Point) -> Point {
        point(self.shortest(Vector(components::<DIMENSIONS>(to - from))).0)
    }

    /// See [`Boundary::confine`].
    #[inline(always)]
    #[doc(hidden)]
    pub fn confine<R: Real, const D: usize>(
        &self,
        p: Vector<R, D>,
        v: Vector<R, D>,
    ) -> (Vector<R, D>, Vector<R, D>) {
        self.boundary.confine(p, v, Vector::constant(p.0[0], self.size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::flat;

    #[test]
    fn a_wrapped_position_is_always_inside() {
        let world = World { size: flat(100.0, 50.0), boundary: Boundary::Wrap };
        let v = Vector([0.0_f32, 0.0]);
        for x in [-1e-9_f32, -0.5, 0.0, 99.999_99, 100.0, 100.5, -99.0, 250.0, -250.0, 1e9, -1e9] {
            let (Vector([inside, _]), _) = world.confine(Vector([x, 1.0]), v);
            assert!((0.0..100.0).contains(&inside), "{x} became {inside}");
            let near = [x, 1.0].map(|x| Boundary::Wrap.near(x, 100.0));
            let (Vector([inside, _]), _) = world.confine(Vector(near), v);
            let wanted = f64::from(x).rem_euclid(100.0);
            let off = (f64::from(inside) - wanted).abs();
            assert!(off.min(100.0 - off) < 1e-5, "{x} became {inside}, not {wanted}");
        }
    }

    /// Every combination of three numbers.
    fn places(along: [f32; 5]) -> impl Iterator<Item = [f32; 3]> {
        let pairs = along.into_iter().flat_map(move |x| along.map(|y| [x, y]));
        pairs.flat_map(move |[x, y]| along.map(|z| [x, y, z]))
    }

    #[test]
    fn a_boundary_does_on_each_of_three_axes_what_it_does_on_one() {
        let size = [100.0, 50.0, 20.0];
        for p in places([-3.0, 0.0, 12.0, 49.5, 101.0]) {
            let v = [2.0, -1.0, 0.5];
            for boundary in [Boundary::Wrap, Boundary::Walls, Boundary::Open] {
                let (inside, along) = boundary.confine(Vector(p), Vector(v), Vector(size));
                for axis in 0..3 {
                    // By hand; one move by the size, but for what is farther outside.
                    let (p, v, size) = (p[axis], v[axis], size[axis]);
                    let wrapped = if p < 0.0 { p + size } else { p - size * f32::from(p >= size) };
                    let expected = match boundary {
                        Boundary::Wrap => (if wrapped < size { wrapped } else { 0.0 }, v),
                        Boundary::Walls if p < 0.0 => (0.0, 0.0),
                        Boundary::Walls if p > size => (size, 0.0),
                        _ => (p, v),
                    };
                    let found = (inside.0[axis], along.0[axis]);
                    assert_eq!(found, expected, "{boundary:?} {p} {axis}");
                }
            }
        }
    }

    #[test]
    fn the_nearest_of_all_images_is_found_in_three_axes() {
        let size = [100.0_f32, 50.0, 20.0];
        let fractions = [0.0, 0.2, 0.45, 0.7, 0.95];
        let scaled = |p: [f32; 3]| [p[0] * size[0], p[1] * size[1], p[2] * size[2]];
        for from in places(fractions).map(scaled) {
            for to in places(fractions).map(scaled) {
                let image = Boundary::Wrap.nearest_image(Vector(from), Vector(to), Vector(size));
                let difference = Vector(to) - Vector(from);
                let way = Boundary::Wrap.shortest(difference, Vector(size));
                let far = |image: [f32; 3]| (Vector(image) - Vector(from)).length();
                // All 27 of them.
                let all = places([-1.0, 0.0, 1.0, 0.0, 0.0]).map(|sides| {
                    let sides = scaled(sides);
                    [to[0] + sides[0], to[1] + sides[1], to[2] + sides[2]]
                });
                let nearest = all.map(far).fold(f32::MAX, f32::min);
                assert!((far(image.0) - nearest).abs() < 1e-4, "{from:?} {to:?} {image:?}");
                let off = way - (image - Vector(from));
                assert!(off.length() < 1e-4, "{from:?} {to:?} {way:?}");
                let open = Boundary::Open.nearest_image(Vector(from), Vector(to), Vector(size));
                assert_eq!(open.0, to);
                assert_eq!(Boundary::Open.shortest(difference, Vector(size)), difference);
            }
        }
    }
}
