//! Space: what vectors with three axes do in their own way. The third axis points up.

use super::plane::{at_any_angle, on_circle};
use super::random;
use super::real::Real;
use super::vector::{Axes, Deviates, Remembered, Space, Vector};

/// The largest square of a horizontal length that counts as none.
const MAX_VERTICAL_SQUARED: f32 = 1e-12;

impl Space<3> for Axes<3> {
    const REMEMBERS_DIRECTIONS: bool = true;

    #[inline(always)]
    fn sideways<R: Real>(vector: Vector<R, 3>) -> Vector<R, 3> {
        let Vector([x, y, z]) = vector;
        let zero = x.constant(0.0);
        let level = z * z * x.constant(MAX_VERTICAL_SQUARED);
        let horizontal = level.less_than(x * x + y * y);
        let upright = Vector([z.max(-z), zero, zero]);
        Vector([-y, x, zero]).where_or(horizontal, upright)
    }

    #[inline(always)]
    fn left<R: Real>(heading: Vector<R, 3>) -> Vector<R, 3> {
        Self::sideways(heading).with_length(heading.0[0].constant(1.0))
    }

    #[inline(always)]
    fn framed<R: Real>(heading: Vector<R, 3>, own: Vector<R, 3>) -> Vector<R, 3> {
        let left = Self::left(heading);
        heading * own.0[0] + left * own.0[1] + cross(heading, left) * own.0[2]
    }

    #[inline(always)]
    fn at_angle<R: Real>(turns: R) -> Vector<R, 3> {
        let [cosine, sine] = on_circle(turns);
        Vector([cosine, sine, turns.constant(0.0)])
    }

    #[inline(always)]
    fn beside<R: Real>(
        heading: Vector<R, 3>,
        left: Vector<R, 3>,
        offset: Vector<R, 3>,
    ) -> (R, Vector<R, 3>) {
        let away = heading * heading.dot(offset) - offset;
        let distance = away.length();
        let zero = distance.constant(0.0);
        let one = distance.constant(1.0);
        (-distance, away.with_length(one).where_or(zero.less_than(distance), left))
    }

    /// The place moves on its sphere in a random direction, by an angle drawn evenly up to `turn`.
    #[inline(always)]
    fn strolled<R: Real>(
        remembered: &mut Remembered<R, 3>,
        turn: R,
        noise: Vector<R, 3>,
        acts: R::Mask,
    ) -> Vector<R, 3> {
        let own = remembered.direction;
        let other = on_sphere([noise.0[1], noise.0[2]]);
        let one = turn.constant(1.0);
        let along = (other - own * own.dot(other)).with_length(one);
        let [cosine, sine] = on_circle(turn * noise.0[0]);
        let turned = (own * cosine + along * sine).with_length(one);
        remembered.direction = turned.where_or(acts, own);
        remembered.direction
    }

    #[inline(always)]
    fn random_direction<R: Real>(numbers: [R; 2]) -> Vector<R, 3> {
        on_sphere(numbers)
    }

    /// Directions in a cone are as likely as one another where the cosines of their angles are. The difference of
    /// a cosine from 1 is twice the square of the sine of half the angle.
    #[inline(always)]
    fn tilted<R: Real>(
        (heading, way): (Vector<R, 3>, Vector<R, 3>),
        amount: R,
        is_even: R::Mask,
        numbers: Deviates<R>,
    ) -> Vector<R, 3> {
        let (one, two) = (amount.constant(1.0), amount.constant(2.0));
        let [_, widest] = on_circle(amount.min(one) * amount.constant(0.25));
        let less = numbers.even * (widest * widest * two);
        let beside = (less * (two - less)).max(amount.constant(0.0)).sqrt();
        let [first, second] = numbers.normal;
        let [cosine, sine] = at_any_angle(amount * (first * first + second * second).sqrt());
        let (cosine, sine) =
            ((one - less).where_or(is_even, cosine), beside.where_or(is_even, sine));
        let across = (way - heading * heading.dot(way)).with_length(one);
        heading * cosine + across * sine
    }

    #[inline(always)]
    fn spread_direction(id: u32) -> [f32; 3] {
        let bits = random::spread_bits(id);
        let [x, y] = random::spread(bits);
        // Another 16 bits.
        let [z, _] = random::spread(random::pcg(bits));
        [x, y, z]
    }
}

/// The vector product.
#[inline(always)]
pub fn cross<R: Real>(a: Vector<R, 3>, b: Vector<R, 3>) -> Vector<R, 3> {
    let (Vector([ax, ay, az]), Vector([bx, by, bz])) = (a, b);
    Vector([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
}

/// The unit vector for two random numbers from 0 to 1: uniform on the sphere.
#[inline(always)]
pub fn on_sphere<R: Real>([around, height]: [R; 2]) -> Vector<R, 3> {
    let one = around.constant(1.0);
    let z = height + height - one;
    let [cosine, sine] = on_circle(around - around.constant(0.5));
    let level = (one - z * z).max(around.constant(0.0)).sqrt();
    Vector([cosine * level, sine * level, z])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, unit};

    /// Unit vectors in random directions, then along the axes.
    fn directions() -> impl Iterator<Item = Vector<f32, 3>> {
        let draw = |id, purpose| unit(5, id, 0, purpose);
        let random = (0..2000)
            .map(move |id| on_sphere([draw(id, Purpose::SpawnX), draw(id, Purpose::SpawnY)]));
        let along = (0..6).map(|number| {
            let mut axis = [0.0; 3];
            axis[number / 2] = if number % 2 == 0 { 1.0 } else { -1.0 };
            Vector(axis)
        });
        random.chain(along)
    }

    #[test]
    fn a_frame_has_three_unit_axes_that_are_perpendicular() {
        for heading in directions() {
            let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            let [ahead, left, up] = axes.map(|own| Axes::framed(heading, Vector(own)));
            assert_eq!(ahead, heading);
            for (one, other) in [(ahead, left), (left, up), (up, ahead)] {
                assert!(one.dot(other).abs() < 1e-6, "{heading:?}");
                assert!((one.length() - 1.0).abs() < 1e-6, "{heading:?}");
            }
            assert!(cross(ahead, left).dot(up) > 0.999, "{heading:?}: a right-handed frame");
            assert!(left.0[2] == 0.0 && up.0[2] > -1e-6, "{heading:?}: upright");
        }
    }

    #[test]
    fn left_in_a_plane_is_left_in_space() {
        for step in -8..8 {
            let turns = step as f32 / 16.0;
            let Vector([x, y]) = Axes::<2>::left(Axes::<2>::at_angle(turns));
            let ahead = Axes::<3>::at_angle(turns);
            assert_eq!(Axes::sideways(ahead), Vector([x, y, 0.0]));
        }
        assert_eq!(Axes::sideways(Vector([0.0_f32, 0.0, -2.0])), Vector([2.0, 0.0, 0.0]));
        assert_eq!(Axes::sideways(Vector([0.0_f32, 0.0, 0.0])), Vector([0.0, 0.0, 0.0]));
    }

    #[test]
    fn an_offset_lies_beside_the_heading() {
        for (heading, offset) in directions().zip(directions().skip(7)) {
            let offset = offset * 9.0;
            let (y, away) = Axes::beside(heading, Axes::left(heading), offset);
            let back = heading * heading.dot(offset) + away * y;
            assert!((back - offset).length() < 1e-5, "{heading:?} {offset:?}");
            assert!(y <= 0.0 && away.dot(heading).abs() < 1e-5);
            assert!((away.length() - 1.0).abs() < 1e-6);
        }
        let ahead = Vector([0.0_f32, 1.0, 0.0]);
        let beside = Axes::beside(ahead, Axes::left(ahead), ahead * 3.0);
        assert_eq!(beside, (0.0, Vector([-1.0, 0.0, 0.0])));
    }

    #[test]
    fn directions_are_uniform_on_the_sphere() {
        // The mean of each component, and of its square, which is 1/3; four standard errors.
        let all: Vec<Vector<f32, 3>> = directions().take(2000).collect();
        for axis in 0..3 {
            let mean =
                |power| all.iter().map(|d| f64::from(d.0[axis]).powi(power)).sum::<f64>() / 2e3;
            assert!(mean(1).abs() < 0.052, "{axis}: {}", mean(1));
            assert!((mean(2) - 1.0 / 3.0).abs() < 0.027, "{axis}: {}", mean(2));
        }
        assert!(all.iter().all(|direction| (direction.length() - 1.0).abs() < 1e-6));
    }

    #[test]
    fn a_stroll_stays_on_the_sphere_and_turns_no_farther_than_asked() {
        let mut remembered = Remembered { angle: 0.0_f32, direction: Vector([1.0, 0.0, 0.0]) };
        let mut farthest = 0.0_f32;
        for tick in 0..5000 {
            let noise = Vector(
                [Purpose::Wander, Purpose::WanderAround, Purpose::WanderHeight]
                    .map(|purpose| unit(3, 1, tick, purpose)),
            );
            let before = remembered.direction;
            Axes::strolled(&mut remembered, 0.04, noise, true);
            let turns = before.dot(remembered.direction).min(1.0).acos() / std::f32::consts::TAU;
            farthest = farthest.max(turns);
            assert!((remembered.direction.length() - 1.0).abs() < 1e-6);
            assert!(turns < 0.0401, "{turns}");
        }
        assert!(farthest > 0.039, "{farthest}");
        let resting = remembered.direction;
        Axes::strolled(&mut remembered, 0.04, Vector([0.5; 3]), false);
        assert_eq!(remembered.direction, resting);
    }
}
