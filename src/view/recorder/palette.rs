//! The 256 colours of a GIF.
//!
//! Every colour of a picture lies in a cone, because a pixel is the background with some share of a
//! mixture of hues. The tip of the cone is the background; its base is the disc within the circle
//! of [`style::hue`]. The palette fills that cone evenly. It is the same for every frame, so that
//! films do not flicker, and a pixel is mapped to it by one table lookup.

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::view::frame::Frame;
use crate::view::style;

/// Number of levels at which the cone is cut between its tip and its base.
const LEVELS: usize = 7;
/// Bits per channel that index the table.
const BITS: usize = 6;

type Rgb = [u8; 3];

/// The palette and its table.
pub struct Palette {
    colours: Vec<Rgb>,
    nearest: Vec<u8>,
}

/// The palette of all films.
#[must_use]
pub fn palette() -> &'static Palette {
    static PALETTE: OnceLock<Palette> = OnceLock::new();
    PALETTE.get_or_init(|| {
        let colours = cone();
        let side = 1_usize << BITS;
        let index = |cell: usize| {
            let channel = |shift: usize| {
                let value = (cell >> (shift * BITS)) & (side - 1);
                // The middle of the cell.
                ((value << (8 - BITS)) + (1 << (7 - BITS))) as i32
            };
            let wanted = [channel(2), channel(1), channel(0)];
            let apart = |colour: &Rgb| -> i32 {
                colour.iter().zip(wanted).map(|(c, w)| (i32::from(*c) - w).pow(2)).sum()
            };
            let near = (0..colours.len()).min_by_key(|i| apart(&colours[*i]));
            near.unwrap_or(0) as u8
        };
        let nearest = (0..side.pow(3)).into_par_iter().map(index).collect();
        Palette { colours, nearest }
    })
}

/// The background, then the cone from tip to base: at each level rings of hues round a grey centre.
fn cone() -> Vec<Rgb> {
    let ground = style::BACKGROUND.map(|c| f32::from(c) / 255.0);
    let mut colours = vec![style::BACKGROUND];
    for level in 1..=LEVELS {
        let share = level as f32 / LEVELS as f32;
        // Rings are about as far apart as levels: the base is about as wide as the cone is high.
        let rings = level.div_ceil(2);
        for ring in 0..=rings {
            let saturation = ring as f32 / rings as f32;
            let hues = if ring == 0 { 1 } else { (9 * level * ring).div_ceil(2 * rings).max(6) };
            for hue in 0..hues {
                let vivid = style::hue(hue as f32 / hues as f32);
                let grey = vivid.iter().sum::<f32>() / 3.0;
                let colour = [0, 1, 2].map(|i| {
                    let full = grey + (vivid[i] - grey) * saturation;
                    ((ground[i] + (full - ground[i]) * share) * 255.0).round() as u8
                });
                colours.push(colour);
            }
        }
    }
    colours
}

impl Palette {
    /// The colours; the background is the first.
    #[must_use]
    pub fn colours(&self) -> &[Rgb] {
        &self.colours
    }

    /// For each pixel the index of the nearest colour.
    #[must_use]
    pub fn indices(&self, frame: &Frame) -> Vec<u8> {
        let pixels = frame.pixels.par_chunks_exact(4).with_min_len(1 << 14);
        pixels.map(|pixel| self.index([pixel[0], pixel[1], pixel[2]])).collect()
    }

    fn index(&self, [r, g, b]: Rgb) -> u8 {
        // The background stays as it is, though its cell may be nearer to another colour.
        if [r, g, b] == style::BACKGROUND {
            return 0;
        }
        let cell = |c: u8| usize::from(c) >> (8 - BITS);
        self.nearest[(cell(r) << (2 * BITS)) | (cell(g) << BITS) | cell(b)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_at_most_256_colours_and_most_of_them_are_used() {
        let count = palette().colours().len();
        assert!((200..=256).contains(&count), "{count}");
    }

    #[test]
    fn no_colour_of_a_picture_is_far_from_the_palette() {
        let mut worst = 0;
        for step in 0..20_000_u32 {
            // A mixture of two hues over the background.
            let part = |n: u32| (step.wrapping_mul(n) % 1009) as f32 / 1009.0;
            let (a, b) = (style::hue(part(17)), style::hue(part(331)));
            let pixel = [0, 1, 2].map(|i| {
                let mixed = a[i] + (b[i] - a[i]) * part(57);
                let ground = f32::from(style::BACKGROUND[i]) / 255.0;
                ((ground + (mixed - ground) * part(901)) * 255.0).round() as u8
            });
            let indices = palette().indices(&Frame::filled(1, 1, pixel));
            let found = palette().colours()[usize::from(indices[0])];
            worst = worst.max((0..3).map(|i| found[i].abs_diff(pixel[i])).max().unwrap());
        }
        assert!(worst <= 32, "{worst}");
    }
}
