//! The world: its size and what happens at its edge.

use super::real::Real;
use super::vector::{Point, Vector};

/// What happens at the edge of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// Opposite edges are joined: an agent that leaves on the right enters on the left, and agents
    /// see across the seam.
    Wrap,
    /// No agent leaves: one that would is put back on the edge and turned along it.
    Walls,
    /// Agents may leave, up to [`FARTHEST`]; the grid counts them in its edge cells.
    Open,
}

impl Boundary {
    /// Every variant, with its name in scene files.
    pub const NAMES: [(&'static str, Self); 3] =
        [("wrap", Self::Wrap), ("walls", Self::Walls), ("open", Self::Open)];
}

/// The rectangle from the origin to `size`, and its boundary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct World {
    /// Width and height in world units; y points up.
    pub size: Point,
    /// What happens at the edge.
    pub boundary: Boundary,
}

/// The largest distance from the origin on either axis of an open world; world units. It keeps
/// squares of distances within the range of `f32`.
pub const FARTHEST: f32 = 1e12;

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

// Written per component and not through a closure: a closure cannot be marked `inline(always)`, and
// in a caller that is compiled for wide lanes the call costs more than the arithmetic.

/// `x`, or +0 where it is nearly zero or −0: the engines then agree on the bits of agents at rest.
/// Some GPUs do not distinguish the zeros.
#[inline(always)]
fn settled<R: Real>(x: R) -> R {
    let small = x.max(-x).less_than(x.constant(NOTHING));
    x.constant(0.0).where_or(small, x)
}

/// `p` clamped to `[0, size]`.
#[inline(always)]
fn clamped<R: Real>(p: R, size: R) -> R {
    p.max(p.constant(0.0)).min(size)
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

impl World {
    /// The image of `to` that is nearest to `from`: in a wrapped world it may lie across the seam.
    /// The offset is this image minus `from`. A neighbour loop that knows on which side of the seam
    /// a neighbour lies can shift it once for many agents before it subtracts, and gets the same
    /// bits. (Because of this rounding, the offset from a to b across the seam may differ in its
    /// last bit from the offset from b to a.)
    #[inline(always)]
    pub fn nearest_image<R: Real>(&self, from: Vector<R>, to: Vector<R>) -> Vector<R> {
        if self.boundary != Boundary::Wrap {
            return to;
        }
        let size = Vector::constant(from.x, self.size);
        Vector {
            x: to.x + image_shift(from.x, to.x, size.x),
            y: to.y + image_shift(from.y, to.y, size.y),
        }
    }

    /// The offset from one agent to another by the shortest way, given the plain difference of
    /// their positions: across the seam of a wrapped world where that is shorter.
    #[inline(always)]
    pub fn shortest<R: Real>(&self, difference: Vector<R>) -> Vector<R> {
        if self.boundary != Boundary::Wrap {
            return difference;
        }
        Vector {
            x: shortest_way(difference.x, difference.x.constant(self.size.x)),
            y: shortest_way(difference.y, difference.y.constant(self.size.y)),
        }
    }

    /// The offset from one place to another by the shortest way.
    #[must_use]
    pub fn shortest_between(&self, from: Point, to: Point) -> Point {
        let way = self.shortest(Vector { x: to.x - from.x, y: to.y - from.y });
        Point::new(way.x, way.y)
    }

    /// Position and velocity after the boundary has been applied.
    #[inline(always)]
    pub fn confine<R: Real>(&self, p: Vector<R>, v: Vector<R>) -> (Vector<R>, Vector<R>) {
        let (p, v) = self.bounded(p, v);
        (Vector { x: settled(p.x), y: settled(p.y) }, Vector { x: settled(v.x), y: settled(v.y) })
    }

    /// The same, without rounding tiny values to zero.
    #[inline(always)]
    fn bounded<R: Real>(&self, p: Vector<R>, v: Vector<R>) -> (Vector<R>, Vector<R>) {
        let size = Vector::constant(p.x, self.size);
        match self.boundary {
            Boundary::Open => {
                let (low, high) = (p.x.constant(-FARTHEST), p.x.constant(FARTHEST));
                (Vector { x: p.x.max(low).min(high), y: p.y.max(low).min(high) }, v)
            }
            Boundary::Wrap => (Vector { x: wrapped(p.x, size.x), y: wrapped(p.y, size.y) }, v),
            Boundary::Walls => {
                let inside = Vector { x: clamped(p.x, size.x), y: clamped(p.y, size.y) };
                // On the edge the outward component of the velocity is lost: a wall does not push
                // back.
                let zero = Vector::zero(p.x);
                let moved = inside - p;
                let along = Vector {
                    x: v.x.where_or(moved.x.equals(zero.x), zero.x),
                    y: v.y.where_or(moved.y.equals(zero.y), zero.y),
                };
                (inside, along)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(boundary: Boundary) -> World {
        World { size: Point::new(100.0, 50.0), boundary }
    }

    #[test]
    fn the_shortest_way_leads_across_the_seam() {
        let d = world(Boundary::Wrap).shortest(Vector { x: 90.0_f32, y: -30.0 });
        assert_eq!(d, Vector { x: -10.0, y: 20.0 });
        let d = world(Boundary::Open).shortest(Vector { x: 90.0_f32, y: -30.0 });
        assert_eq!(d, Vector { x: 90.0, y: -30.0 });
    }

    #[test]
    fn a_wrapped_position_is_always_inside() {
        let v = Vector { x: 0.0_f32, y: 0.0 };
        for x in [-1e-9_f32, -0.5, 0.0, 99.999_99, 100.0, 100.5, -99.0, 250.0, -250.0, 1e9, -1e9] {
            let (p, _) = world(Boundary::Wrap).confine(Vector { x, y: 1.0 }, v);
            assert!((0.0..100.0).contains(&p.x), "{x} became {}", p.x);
        }
    }

    #[test]
    fn a_wall_stops_the_outward_part_of_a_velocity_alone() {
        let (p, v) = world(Boundary::Walls)
            .confine(Vector { x: 103.0_f32, y: 20.0 }, Vector { x: 3.0, y: 1.0 });
        assert_eq!((p.x, p.y, v.x, v.y), (100.0, 20.0, 0.0, 1.0));
    }
}
