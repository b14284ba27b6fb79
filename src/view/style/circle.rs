//! Circles of colours: for headings, which have no first and no last.

use std::f32::consts::TAU;

/// A colour circle: the colour at an angle is `level + cosine · cos + sine · sin`; red, green and blue,
/// sRGB. An ellipse has no corners, so a turning flock shows no bands; and the mean colour of several
/// agents follows from the mean cosine and sine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circle {
    /// The middle.
    pub level: [f32; 3],
    /// Factors on the cosine of the angle.
    pub cosine: [f32; 3],
    /// Factors on the sine of the angle.
    pub sine: [f32; 3],
}

impl Circle {
    /// For dark backgrounds: the best fit to the circle of lightness 0.73 and chroma 0.13 in Oklab, so
    /// all hues are about equally light.
    pub const BRIGHT: Self = Self {
        level: [0.58, 0.638, 0.63],
        cosine: [0.39, -0.123, -0.013],
        sine: [0.154, 0.0, -0.369],
    };

    /// For light backgrounds: the same for lightness 0.52 and chroma 0.11.
    pub const INKS: Self = Self {
        level: [0.356, 0.393, 0.377],
        cosine: [0.294, -0.097, -0.01],
        sine: [0.115, 0.0, -0.31],
    };

    /// For glows: makes each look like an ember, also if its colour shows a quantity.
    pub const EMBERS: Self =
        Self { level: [0.85, 0.36, 0.1], cosine: [0.15, -0.08, -0.04], sine: [0.0, 0.139, -0.069] };

    /// The colours themselves as a basis: red, green and blue instead of level, cosine and sine.
    pub const CHANNELS: Self =
        Self { level: [1.0, 0.0, 0.0], cosine: [0.0, 1.0, 0.0], sine: [0.0, 0.0, 1.0] };

    /// The colour at `turn`; 0 and 1 are the same.
    #[must_use]
    pub fn at(&self, turn: f32) -> [f32; 3] {
        let (sine, cosine) = (TAU * turn).sin_cos();
        [0, 1, 2].map(|i| self.level[i] + self.cosine[i] * cosine + self.sine[i] * sine)
    }
}

#[cfg(test)]
mod tests {
    use super::super::oklab;
    use super::*;

    /// Extremes of lightness and least chroma around a circle.
    fn extremes(colour: impl Fn(f32) -> [f32; 3]) -> (f32, f32, f32) {
        let colours = (0..360).map(|degree| oklab::of(colour(degree as f32 / 360.0)));
        colours.fold((1.0, 0.0, 1.0), |(low, high, chroma), [l, a, b]| {
            (low.min(l), high.max(l), chroma.min(a.hypot(b)))
        })
    }

    #[test]
    fn all_headings_are_equally_light_and_in_colour() {
        for (circle, least, most, wanted) in
            [(Circle::BRIGHT, 0.705, 0.755, 0.115), (Circle::INKS, 0.5, 0.54, 0.085)]
        {
            let (low, high, chroma) = extremes(|turn| circle.at(turn));
            assert!(low > least && high < most && chroma > wanted, "{low}, {high}, {chroma}");
            for degree in 0..360 {
                let colour = circle.at(degree as f32 / 360.0);
                assert!(colour.iter().all(|c| (0.0..=1.0).contains(c)), "{degree}: {colour:?}");
            }
        }
        // The control: three cosines a third of a turn apart, as green as they are dark blue.
        let (low, high, _) = extremes(|turn| {
            [0.0, 1.0 / 3.0, 2.0 / 3.0].map(|phase| 0.6 + 0.4 * (TAU * (turn - phase)).cos())
        });
        assert!(high - low > 0.2, "{low}, {high}");
    }
}
