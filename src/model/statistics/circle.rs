//! Sines and cosines of many positions on a circle, for the circular mean. Polynomials without
//! branches, so that several are computed at once.

use std::f64::consts::TAU;

/// The nearest whole number, for numbers below 2⁵⁰: two additions, which every processor does for
/// several numbers at once.
#[inline(always)]
pub fn nearest_whole(x: f64) -> f64 {
    // From 2⁵² on, all numbers are whole; half as much again leaves room for negative ones.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    (x + WHOLE) - WHOLE
}

/// `1 − s/a · (1 − s/b · (…))`: the series of sine and cosine in nested form, the innermost divisor
/// first.
#[inline(always)]
fn series<const N: usize>(squared: f64, divisors: [f64; N]) -> f64 {
    divisors.into_iter().fold(1.0, |sum, divisor| 1.0 - squared * (1.0 / divisor) * sum)
}

/// Sine and cosine of an angle in turns. Within 2⁵⁰ turns, the error is a few units in the last
/// place of 1.
#[inline(always)]
pub fn sine_and_cosine(turns: f64) -> [f64; 2] {
    let turns = turns - nearest_whole(turns);
    // From −2 to 2; the rest is at most an eighth of a turn.
    let quarter = nearest_whole(4.0 * turns);
    let rest = (turns - 0.25 * quarter) * TAU;
    let squared = rest * rest;
    // (n − 1) · n: seven terms after the first.
    let sine = rest * series(squared, [210.0, 156.0, 110.0, 72.0, 42.0, 20.0, 6.0]);
    let cosine = series(squared, [182.0, 132.0, 90.0, 56.0, 30.0, 12.0, 2.0]);
    let odd = quarter * quarter == 1.0;
    let [sine, cosine] = if odd { [cosine, sine] } else { [sine, cosine] };
    // In quarters 1 and ±2 the cosine changes its sign, in −1 and ±2 the sine.
    let back = quarter * quarter == 4.0;
    let sine = if back || quarter == -1.0 { -sine } else { sine };
    let cosine = if back || quarter == 1.0 { -cosine } else { cosine };
    [sine, cosine]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_those_of_the_library() {
        let places = (0..100_000).map(|i| f64::from(i) * 1.000_37e-5);
        let odd = [0.0, 1.0, -1e-300, -0.25, 7.5, 1.0 - f64::EPSILON / 2.0];
        for turns in places.chain(odd) {
            let (sine, cosine) = (turns * TAU).sin_cos();
            let [found_sine, found_cosine] = sine_and_cosine(turns);
            let off = (found_sine - sine).abs().max((found_cosine - cosine).abs());
            assert!(off < 1e-14, "{turns}: {found_sine}, {found_cosine}");
        }
        assert!(sine_and_cosine(f64::NAN)[0].is_nan());
    }
}
