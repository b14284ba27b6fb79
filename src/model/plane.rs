//! The plane: what vectors with two axes do in their own way. The first axis points to the right,
//! the second one up.

use super::random;
use super::real::Real;
use super::vector::{Axes, Deviates, Remembered, Space, Vector};

impl Space<2> for Axes<2> {
    const REMEMBERS_DIRECTIONS: bool = false;

    #[inline(always)]
    fn sideways<R: Real>(vector: Vector<R, 2>) -> Vector<R, 2> {
        let Vector([x, y]) = vector;
        Vector([-y, x])
    }

    #[inline(always)]
    fn left<R: Real>(heading: Vector<R, 2>) -> Vector<R, 2> {
        Self::sideways(heading)
    }

    #[inline(always)]
    fn framed<R: Real>(heading: Vector<R, 2>, own: Vector<R, 2>) -> Vector<R, 2> {
        heading * own.0[0] + Self::left(heading) * own.0[1]
    }

    #[inline(always)]
    fn at_angle<R: Real>(turns: R) -> Vector<R, 2> {
        Vector(on_circle(turns))
    }

    #[inline(always)]
    fn beside<R: Real>(
        _heading: Vector<R, 2>,
        left: Vector<R, 2>,
        offset: Vector<R, 2>,
    ) -> (R, Vector<R, 2>) {
        (left.dot(offset), left)
    }

    #[inline(always)]
    fn strolled<R: Real>(
        remembered: &mut Remembered<R, 2>,
        turn: R,
        noise: Vector<R, 2>,
        acts: R::Mask,
    ) -> Vector<R, 2> {
        let noise = noise.0[0];
        let (half, one) = (turn.constant(0.5), turn.constant(1.0));
        let angle = remembered.angle + turn * (noise + noise - one);
        let angle = (angle - one).where_or(half.less_than(angle), angle);
        let angle = (angle + one).where_or(angle.less_than(-half), angle);
        remembered.angle = angle.where_or(acts, remembered.angle);
        Self::at_angle(remembered.angle)
    }

    #[inline(always)]
    fn random_direction<R: Real>(numbers: [R; 2]) -> Vector<R, 2> {
        Self::at_angle(numbers[0] - numbers[0].constant(0.5))
    }

    #[inline(always)]
    fn tilted<R: Real>(
        (heading, _way): (Vector<R, 2>, Vector<R, 2>),
        amount: R,
        is_even: R::Mask,
        numbers: Deviates<R>,
    ) -> Vector<R, 2> {
        let (half, one) = (amount.constant(0.5), amount.constant(1.0));
        let even = amount.min(one) * (numbers.even - half);
        let turn = even.where_or(is_even, amount * numbers.normal[0]);
        let [cosine, sine] = at_any_angle(turn);
        heading * cosine + Self::left(heading) * sine
    }

    #[inline(always)]
    fn spread_direction(id: u32) -> [f32; 2] {
        random::spread(random::spread_bits(id))
    }
}

/// Cosine and sine of an angle of `turns` (−0.5 to 0.5).
///
/// By a polynomial of degree eleven; its error is less than 2e-7. The sines of processors and drivers
/// differ, and both engines must give the same bits.
#[inline(always)]
pub fn on_circle<R: Real>(turns: R) -> [R; 2] {
    let quarter = turns.constant(0.25);
    let half = turns.constant(0.5);
    let zero = turns.constant(0.0);
    let size = turns.max(-turns);
    let folded = (half - size).where_or(quarter.less_than(size), size);
    let folded = (-folded).where_or(turns.less_than(zero), folded);
    [sine(quarter - size), sine(folded)]
}

/// Cosine and sine of any angle; turns. The error is below 2e-7 within one turn.
#[inline(always)]
pub fn at_any_angle<R: Real>(turns: R) -> [R; 2] {
    on_circle(turns - (turns + turns.constant(0.5)).floor())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_has_the_sine_and_cosine_of_its_angle() {
        for step in -5000..=5000 {
            let turns = step as f32 / 10_000.0;
            let Vector([x, y]) = Axes::<2>::at_angle(turns);
            let (sine, cosine) = (f64::from(turns) * std::f64::consts::TAU).sin_cos();
            assert!((f64::from(x) - cosine).abs() < 2e-7, "cosine at {turns}: {x}");
            assert!((f64::from(y) - sine).abs() < 2e-7, "sine at {turns}: {y}");
        }
    }

    #[test]
    fn turning_is_to_the_left() {
        let ahead = Vector([3.0_f32, 0.0]);
        assert_eq!(Axes::sideways(ahead), Vector([0.0, 3.0]));
        assert_eq!(Axes::framed(ahead, Vector([0.0, 1.0])), Vector([0.0, 3.0]));
        assert_eq!(ahead.heading(), Vector([1.0, 0.0]));
        assert_eq!(Vector::<f32, 2>::zero(1.0).heading(), Vector([1.0, 0.0]));
    }
}
