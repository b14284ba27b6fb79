//! Functions of formulas that no processor computes alike: polynomials of additions, multiplications
//! and divisions, which every engine rounds in the same way.

use crate::real::Real;

/// Exponents of the powers of two by which numbers are scaled, the largest first.
const STEPS: [i32; 7] = [64, 32, 16, 8, 4, 2, 1];

/// 2ˣ, with an error of 2e-7 of its value. 0 below x = −125, and the largest at 127.
pub fn exp2<R: Real>(x: R) -> R {
    let zero = x.constant(0.0);
    let small = x.less_than(x.constant(-125.0));
    let x = x.max(x.constant(-125.0)).min(x.constant(127.0));
    let whole = (x + x.constant(0.5)).floor();
    // The terms of the series of e^(ln 2 · rest) for a rest of −1/2 to 1/2.
    let rest = (x - whole) * x.constant(std::f32::consts::LN_2);
    let terms = [1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];
    let power = polynomial(rest, &terms);
    let mut scale = x.constant(1.0);
    let mut left = whole.max(-whole);
    for step in STEPS {
        let has = x.constant(step as f32 - 0.5).less_than(left);
        scale = (scale * x.constant(2.0_f32.powi(step))).where_or(has, scale);
        left = (left - x.constant(step as f32)).where_or(has, left);
    }
    let scaled = (power / scale).where_or(whole.less_than(zero), power * scale);
    zero.where_or(small, scaled)
}

/// The logarithm to the base 2, with an error of 2e-7 of the larger of it and 1. −126 for everything
/// below 2⁻¹²⁶, also for negative numbers.
pub fn log2<R: Real>(x: R) -> R {
    let one = x.constant(1.0);
    let x = x.max(x.constant(f32::MIN_POSITIVE));
    let small = x.less_than(one);
    let mut rest = (x * x.constant(2.0_f32.powi(126))).where_or(small, x);
    let mut whole = x.constant(-126.0).where_or(small, x.constant(0.0));
    for step in STEPS {
        let less = rest.less_than(x.constant(2.0_f32.powi(step)));
        rest = rest.where_or(less, rest * x.constant(2.0_f32.powi(-step)));
        whole = whole.where_or(less, whole + x.constant(step as f32));
    }
    // Now it is 1 to 2; between the roots of 1/2 and 2 the series is short.
    let large = x.constant(std::f32::consts::SQRT_2).less_than(rest);
    rest = (rest * x.constant(0.5)).where_or(large, rest);
    whole = (whole + one).where_or(large, whole);
    let part = (rest - one) / (rest + one);
    let terms = [1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0, 1.0];
    let series = part * polynomial(part * part, &terms);
    whole + series * x.constant(2.0 * std::f32::consts::LOG2_E)
}

/// The angle of the vector (`x`, `y`) against the first axis, −0.5 to 0.5 turns, with an error of
/// 1e-7; 0 for the vector of length 0.
pub fn atan2<R: Real>(y: R, x: R) -> R {
    let (zero, one) = (x.constant(0.0), x.constant(1.0));
    let (wide, high) = (x.max(-x), y.max(-y));
    let (less, more) = (wide.min(high), wide.max(high));
    let slope = zero.where_or(more.equals(zero), less / more);
    // Above an eighth of the half circle the angle is taken from the diagonal.
    let steep = x.constant(0.414_213_57).less_than(slope);
    let small = ((slope - one) / (slope + one)).where_or(steep, slope);
    let mut terms = [0.0; 8];
    for (nth, term) in terms.iter_mut().rev().enumerate() {
        let sign = if nth % 2 == 0 { 1.0 } else { -1.0 };
        *term = sign / (2 * nth + 1) as f32 / std::f32::consts::TAU;
    }
    let angle = small * polynomial(small * small, &terms);
    let angle = (angle + x.constant(0.125)).where_or(steep, angle);
    let angle = (x.constant(0.25) - angle).where_or(wide.less_than(high), angle);
    let angle = (x.constant(0.5) - angle).where_or(x.less_than(zero), angle);
    (-angle).where_or(y.less_than(zero), angle)
}

/// Σ termᵢ · xⁱ; the term of the highest power comes first.
fn polynomial<R: Real>(x: R, terms: &[f32]) -> R {
    let mut sum = x.constant(terms[0]);
    for term in &terms[1..] {
        sum = sum * x + x.constant(*term);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plane::at_any_angle;

    /// Numbers of every size and sign.
    fn numbers() -> impl Iterator<Item = f32> {
        (0..200_000_u32).map(|n| f32::from_bits(n.wrapping_mul(2_654_435_761)))
    }

    #[test]
    fn functions_are_those_of_the_processor_within_their_errors() {
        for x in numbers().filter(|x| x.is_finite()) {
            assert_eq!(x.floor().to_bits(), Real::floor(x).to_bits(), "floor({x})");
            let y = f64::from(x);
            if y.abs() < 100.0 {
                let [cos, sin] = at_any_angle(x).map(f64::from);
                let angle = y.fract() * std::f64::consts::TAU;
                // A step of an f32 at 100 turns is 8e-6 of a turn.
                let off = 2.5e-7 + y.abs() * 4e-7;
                assert!((sin - angle.sin()).abs() < off, "sin({x}) = {sin}");
                assert!((cos - angle.cos()).abs() < off, "cos({x}) = {cos}");
            }
            if (-125.0..=127.0).contains(&y) {
                let off = (f64::from(exp2(x)) / y.exp2() - 1.0).abs();
                assert!(off < 3e-7, "exp2({x}) is {off} off");
            }
            if x >= f32::MIN_POSITIVE {
                let off = f64::from(log2(x)) - y.log2();
                assert!(off.abs() < 2e-7 * y.log2().abs().max(1.0), "log2({x}) is {off} off");
            }
        }
        assert_eq!((exp2(-126.0), log2(0.0), log2(-3.0)), (0.0, -126.0, -126.0));
        assert!(exp2(f32::MAX).is_finite());
        for (x, y) in numbers().zip(numbers().skip(77_777)) {
            if x.abs() > 1e-30 && x.abs() < 1e30 && y.abs() > 1e-30 && y.abs() < 1e30 {
                let wanted = f64::from(y).atan2(x.into()) / std::f64::consts::TAU;
                let off = (f64::from(atan2(y, x)) - wanted).abs();
                assert!(off < 1.2e-7, "atan2({y}, {x}) is {off} off");
            }
        }
        assert_eq!(atan2(0.0, 0.0), 0.0);
        let turns = [(0.0, -1.0), (1.0, 0.0), (-1.0, 0.0)].map(|(y, x)| atan2(y, x));
        assert_eq!(turns, [0.5, 0.25, -0.25]);
    }
}
