//! The world: its size and what happens at its edge.

use super::real::Real;
use super::vector::{Point, Vector};

/// What happens at the edge of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// The edges are one: who leaves on the right enters on the left, and sees across the seam.
    Wrap,
    /// Nobody leaves: an agent that would is put back on the edge and turned along it.
    Walls,
    /// Agents may leave, as far as [`FARTHEST`]; the grid's outermost cells take them in.
    Open,
}

impl Boundary {
    /// All of them, with their names in scene files.
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

/// How far from the origin anything gets on either axis of an open world; world units. Squares of
/// distances are then numbers that `f32` holds.
pub const FARTHEST: f32 = 1e12;

/// A coordinate, or a component of a velocity, that is smaller counts as zero: its square is too small
/// for `f32`, or for a GPU that takes the smallest numbers for zero.
const NOTHING: f32 = 1e-18;

/// `p` moved by whole world sizes into `[0, size)`, for a move of less than one world size.
#[inline(always)]
fn wrapped<R: Real>(p: R, size: R) -> R {
    let zero = p.constant(0.0);
    let p = (p + size).where_or(p.less_than(zero), p);
    let p = p.where_or(p.less_than(size), p - size);
    // A tiny negative p rounds to exactly `size` when it is added: that is the origin again. So is
    // whatever is outside still: nobody ever leaves.
    let p = p.where_or(p.less_than(size), zero);
    zero.where_or(p.less_than(zero), p)
}

// Component by component and not through a closure: a closure cannot be told to become part of its
// caller, and in one that is compiled for wide lanes the call costs more than the arithmetic.

/// `x`, and +0 where it is next to nothing or −0: the engines agree on the bits of what is at rest,
/// and some GPUs do not tell the zeros apart.
#[inline(always)]
fn settled<R: Real>(x: R) -> R {
    let small = x.max(-x).less_than(x.constant(NOTHING));
    x.constant(0.0).where_or(small, x)
}

/// `p` put into `[0, size]`.
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

/// How far to move `to` that it lies nearest to `from`: by `size`, back by it, or not at all.
#[inline(always)]
fn image_shift<R: Real>(from: R, to: R, size: R) -> R {
    let (difference, half, zero) = (to - from, size * size.constant(0.5), size.constant(0.0));
    let above = (-size).where_or(half.less_than(difference), zero);
    size.where_or(difference.less_than(-half), above)
}

impl World {
    /// Where `to`, seen from `from`, is nearest: in a wrapped world perhaps across the seam. The
    /// offset is the difference of the two. A neighbour loop that knows on which side of the seam a
    /// neighbour lies moves it once for all agents that it meets, before it subtracts, and finds the
    /// same bits. (Rounded so, the offset of one agent from another across the seam may differ
    /// in its last bit from that of the other from the one.)
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

    /// Position and velocity after the boundary has had its say.
    #[inline(always)]
    pub fn confine<R: Real>(&self, p: Vector<R>, v: Vector<R>) -> (Vector<R>, Vector<R>) {
        let (p, v) = self.bounded(p, v);
        (Vector { x: settled(p.x), y: settled(p.y) }, Vector { x: settled(v.x), y: settled(v.y) })
    }

    /// The same, before what is next to nothing counts as zero.
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
                // On the edge the outward part of the velocity is lost: a wall does not push back.
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
