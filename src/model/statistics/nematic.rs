//! How well the headings lie along one line, whichever way along it each agent heads.

use super::super::state::FlockState;
use super::super::world::World;
use super::order::{Term, dot, sum};

/// The products of the heading's components: xx, yy, zz, xy, xz, yz.
#[derive(Clone, Copy)]
struct Lines;

impl Term<6> for Lines {
    #[inline(always)]
    fn of(&self, _: [f64; 3], v: [f64; 3]) -> [f64; 6] {
        let squared = dot(v, v);
        // An agent at rest has no heading.
        let scale = if squared > 0.0 { 1.0 / squared } else { 0.0 };
        let [x, y, z] = v;
        [x * x, y * y, z * z, x * y, x * z, y * z].map(|product| product * scale)
    }
}

/// `|Σ exp(2iθ)| / N` in a plane, the largest eigenvalue of `Σ (3 n nᵀ − 1) / 2N` in a space, for a
/// flock with at least one agent.
pub fn nematic_order(world: &World, state: &FlockState) -> f64 {
    let count = state.len() as f64;
    let [xx, yy, zz, xy, xz, yz] = sum(state, Lines).map(|sum| sum / count);
    if world.is_flat() {
        return (xx - yy).hypot(2.0 * xy);
    }
    let third = (xx + yy + zz) / 3.0;
    let diagonal = [xx, yy, zz].map(|square| 1.5 * (square - third));
    largest_eigenvalue(diagonal, [xy, xz, yz].map(|product| 1.5 * product))
}

/// Of a symmetric matrix whose diagonal sums to 0, in closed form (Smith 1961, Communications of the
/// ACM 4, 168).
fn largest_eigenvalue([xx, yy, zz]: [f64; 3], [xy, xz, yz]: [f64; 3]) -> f64 {
    let squares = dot([xx, yy, zz], [xx, yy, zz]) + 2.0 * dot([xy, xz, yz], [xy, xz, yz]);
    let scale = (squares / 6.0).sqrt();
    if scale == 0.0 {
        return 0.0;
    }
    let determinant =
        xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    let cosine = (determinant / (2.0 * scale * scale * scale)).clamp(-1.0, 1.0);
    // The angle is at most a sixth of a turn: of the three eigenvalues its cosine gives the largest.
    2.0 * scale * (cosine.acos() / 3.0).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, unit};
    use crate::vector::Point;
    use crate::world::Boundary;
    use glam::{DMat3, DVec3};

    /// Rounding of sums of some hundred terms of size 1, and of the roots.
    const ROUNDING: f64 = 1e-12;

    fn order(depth: f32, velocity: Vec<Point>) -> f64 {
        let world = World { size: Point::new(10.0, 10.0, depth), boundary: Boundary::Wrap };
        let position = vec![Point::ZERO; velocity.len()];
        nematic_order(&world, &FlockState { position, velocity, ..FlockState::default() })
    }

    /// Headings around the x axis, the second half reversed.
    fn drawn(count: u32, spread: f32, depth: f32) -> Vec<Point> {
        let number = |id, axis| unit(3, id, axis, Purpose::Trait) - 0.5;
        let of = |id: u32| {
            let way = Point::new(1.0, spread * number(id, 1), depth * spread * number(id, 2));
            if id < count / 2 { way * 0.7 } else { -way }
        };
        (0..count).map(of).collect()
    }

    #[test]
    fn in_a_plane_it_is_the_mean_of_doubled_angles() {
        for spread in [0.0, 1.0, 3.0, 1e6] {
            let headings = drawn(300, spread, 0.0);
            let angle = |v: &Point| 2.0 * f64::from(v.y).atan2(f64::from(v.x));
            let sum = headings.iter().map(angle).fold([0.0, 0.0], |[cosines, sines], angle| {
                [cosines + angle.cos(), sines + angle.sin()]
            });
            let expected = sum[0].hypot(sum[1]) / 300.0;
            let found = order(0.0, headings);
            assert!((found - expected).abs() < ROUNDING, "{found}, {expected}");
        }
    }

    #[test]
    fn in_space_it_is_the_largest_eigenvalue() {
        for spread in [0.0, 1.0, 3.0, 1e6] {
            let headings = drawn(300, spread, 1.0);
            let line = |v: &Point| {
                let n = v.as_dvec3().normalize();
                DMat3::from_cols(n * n.x, n * n.y, n * n.z)
            };
            let mean = headings.iter().map(line).sum::<DMat3>() * (1.0 / 300.0);
            let q = mean * 1.5 - DMat3::from_diagonal(DVec3::splat(0.5));
            // The eigenvalues lie between −1/2 and 1: after the shift the largest is largest in size.
            let shifted = q + DMat3::IDENTITY;
            let mut vector = DVec3::new(0.6, 0.5, 0.4);
            for _ in 0..10_000 {
                vector = (shifted * vector).normalize();
            }
            let expected = vector.dot(q * vector);
            let found = order(10.0, headings);
            assert!((found - expected).abs() < ROUNDING, "{found}, {expected}");
        }
    }

    #[test]
    fn it_ignores_the_sign_and_vanishes_for_a_cross() {
        assert!((order(0.0, drawn(200, 0.0, 0.0)) - 1.0).abs() < ROUNDING);
        assert!((order(10.0, drawn(200, 0.0, 0.0)) - 1.0).abs() < ROUNDING);
        let cross = |axes: &[Point]| axes.iter().flat_map(|axis| [*axis, -axis]).collect();
        assert!(order(0.0, cross(&[Point::X, Point::Y])) < ROUNDING);
        assert!(order(10.0, cross(&[Point::X, Point::Y, Point::Z])) < ROUNDING);
        // Without one axis: the eigenvalues are 1/4, 1/4 and −1/2.
        assert!((order(10.0, cross(&[Point::X, Point::Y])) - 0.25).abs() < ROUNDING);
        // An agent at rest counts, but has no heading.
        assert!((order(10.0, vec![Point::X, Point::ZERO]) - 0.5).abs() < ROUNDING);
        assert_eq!([order(0.0, vec![Point::ZERO]), order(10.0, vec![Point::ZERO])], [0.0, 0.0]);
    }
}
