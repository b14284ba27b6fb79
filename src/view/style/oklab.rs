//! Colours by lightness and hue: Oklab (Björn Ottosson, "A perceptual color space for image
//! processing", 2020). Colours are mixed in it, because halfway between two colours is then what people
//! see as halfway.

/// Lightness from 0 to 1, and two axes of colour: green to red, blue to yellow.
pub type Lab = [f32; 3];

/// The light of an sRGB channel; both from 0 to 1.
#[must_use]
pub fn light_of(channel: f32) -> f32 {
    if channel <= 0.040_45 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
}

/// The same for a premultiplied colour; its alpha stays.
#[must_use]
pub fn light_of_paint([r, g, b, alpha]: [f32; 4]) -> [f32; 4] {
    let [r, g, b] = [r, g, b].map(|channel| alpha * light_of(channel / alpha.max(1e-6)));
    [r, g, b, alpha]
}

/// The Oklab values of an sRGB colour from 0 to 1.
#[must_use]
pub fn of(colour: [f32; 3]) -> Lab {
    let [r, g, b] = colour.map(light_of);
    let l = (0.412_221_47 * r + 0.536_332_54 * g + 0.051_445_99 * b).cbrt();
    let m = (0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b).cbrt();
    let s = (0.088_302_46 * r + 0.281_718_84 * g + 0.629_978_7 * b).cbrt();
    [
        0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s,
        1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s,
        0.025_904_037 * l + 0.782_771_8 * m - 0.808_675_77 * s,
    ]
}

/// The nearest sRGB colour, from 0 to 1.
#[must_use]
pub fn to_srgb([lightness, a, b]: Lab) -> [f32; 3] {
    let l = (lightness + 0.396_337_78 * a + 0.215_803_76 * b).powi(3);
    let m = (lightness - 0.105_561_346 * a - 0.063_854_17 * b).powi(3);
    let s = (lightness - 0.089_484_18 * a - 1.291_485_5 * b).powi(3);
    let linear = [
        4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_94 * s,
        -1.268_438 * l + 2.609_757_4 * m - 0.341_319_4 * s,
        -0.004_196_086_3 * l - 0.703_418_6 * m + 1.707_614_7 * s,
    ];
    linear.map(|c| {
        let encoded = if c <= 0.003_130_8 { c * 12.92 } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
        encoded.clamp(0.0, 1.0)
    })
}

/// The colour at `share` of the way from one to another; all sRGB.
#[must_use]
pub fn mix(from: [f32; 3], to: [f32; 3], share: f32) -> [f32; 3] {
    let (from, to) = (of(from), of(to));
    to_srgb([0, 1, 2].map(|i| from[i] + (to[i] - from[i]) * share))
}

/// A colour in bytes as numbers from 0 to 1.
#[must_use]
pub fn unit(colour: [u8; 3]) -> [f32; 3] {
    colour.map(|channel| f32::from(channel) / 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_returns() {
        for (r, g, b) in (0..512).map(|i| (i % 8 * 36, i / 8 % 8 * 36, i / 64 * 36)) {
            let colour = unit([r as u8, g as u8, b as u8]);
            let apart = |i: usize| (to_srgb(of(colour))[i] - colour[i]).abs();
            assert!(apart(0).max(apart(1)).max(apart(2)) < 1e-3, "{colour:?}");
        }
        assert!((of([1.0; 3])[0] - 1.0).abs() < 1e-4 && of([0.0; 3])[0].abs() < 1e-4);
    }
}
