//! The 256 colours of a GIF, chosen from a picture.
//!
//! The picture's colours are divided into boxes: again and again the box with the largest error is cut
//! across its longest side (Wan, Wong and Prusinkiewicz, "An algorithm for multidimensional data
//! clustering", 1988). Each box becomes the mean of its colours. All sums are of whole numbers, so the
//! same picture gives the same palette for any number of threads.
//!
//! NeuQuant (`color_quant`, which the GIF library can bring) was measured on pictures of the built-in scenes,
//! 480 × 270: of 22 with more than 256 colours all lose more by it (51 instead of 60 dB in the mean), and it
//! takes 0.2 to 0.4 s a picture instead of 2 to 120 ms. It keeps no background exact.

use rayon::prelude::*;

use crate::frame::Frame;

/// The most colours of a GIF.
const MAX_COLOURS: usize = 256;

/// A colour that fills at least one pixel in so many is in the palette as it is: a background must not
/// be off by one.
const SHARE_OF_GROUND: u64 = 16;

/// A palette stays for the next picture until the error is larger than its own by this factor …
const WORSE: f64 = 1.5;

/// … and by this much: the mean square per pixel, in steps of 255. Films flicker less if palettes stay.
const MUCH_WORSE: f64 = 0.5;

/// It stays as well only while no colour is off by more than its own picture's, by the same factor, and by more
/// than this: the square of the distance, in steps of 255. A small thing counts little in the mean.
const MAX_FARTHEST: f64 = 40.0 * 40.0;

/// Red, green and blue, from 0 to 255.
pub type Rgb = [u8; 3];

/// A colour of a picture and the number of its pixels.
#[derive(Clone, Copy, Debug)]
struct Tint {
    colour: Rgb,
    count: u64,
}

/// Numbers of a set of tints.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: u64,
    colour: [u64; 3],
    square: [u64; 3],
}

/// Tints that become one colour.
struct ColourBox {
    tints: Vec<Tint>,
    sums: Sums,
}

/// How far the colours of a picture are from a palette's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Misfit {
    /// Mean square of the difference, per pixel.
    mean: f64,
    /// Square of the largest difference.
    farthest: f64,
}

/// The palette of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Palette {
    colours: Vec<Rgb>,
    /// From the picture that it was made of.
    own: Misfit,
}

/// Turns pictures into indices of palettes.
#[derive(Default)]
pub struct Quantiser {
    palette: Option<Palette>,
    /// For each colour of the last picture the index of the nearest colour of the palette.
    nearest: Vec<u8>,
}

/// A colour as a number below 2^24.
fn number(pixel: &[u8]) -> u32 {
    u32::from_be_bytes([0, pixel[0], pixel[1], pixel[2]])
}

/// The different colours of a picture, in ascending order.
fn tints(frame: &Frame) -> Vec<Tint> {
    let mut numbers: Vec<u32> = frame.pixels.par_chunks_exact(4).map(number).collect();
    numbers.par_sort_unstable();
    let runs = numbers.chunk_by(|a, b| a == b);
    let tint = |run: &[u32]| {
        let [_, r, g, b] = run[0].to_be_bytes();
        Tint { colour: [r, g, b], count: run.len() as u64 }
    };
    runs.map(tint).collect()
}

impl Sums {
    fn of(tints: &[Tint]) -> Self {
        let mut sums = Self::default();
        for Tint { colour, count } in tints {
            sums.count += count;
            for (channel, value) in colour.iter().enumerate() {
                sums.colour[channel] += count * u64::from(*value);
                sums.square[channel] += count * u64::from(*value) * u64::from(*value);
            }
        }
        sums
    }

    /// The sum of the squares of the differences from the mean, per channel.
    fn errors(&self) -> [f64; 3] {
        [0, 1, 2].map(|channel| {
            let sum = self.colour[channel] as f64;
            (self.square[channel] as f64 - sum * sum / self.count.max(1) as f64).max(0.0)
        })
    }

    fn error(&self) -> f64 {
        self.errors().iter().sum()
    }

    fn mean(&self) -> Rgb {
        let count = self.count.max(1);
        self.colour.map(|sum| ((sum + count / 2) / count) as u8)
    }
}

impl ColourBox {
    fn of(tints: Vec<Tint>) -> Self {
        Self { sums: Sums::of(&tints), tints }
    }

    /// Cuts it at the mean of its longest side. The box has several colours.
    fn cut(self) -> [Self; 2] {
        let errors = self.sums.errors();
        let longest = (0..3).max_by(|a, b| errors[*a].total_cmp(&errors[*b])).unwrap_or(0);
        let middle = self.sums.colour[longest] / self.sums.count.max(1);
        let below = |tint: &Tint| u64::from(tint.colour[longest]) <= middle;
        let (low, high) = self.tints.into_iter().partition(below);
        [Self::of(low), Self::of(high)]
    }
}

impl Palette {
    /// The palette that suits these tints.
    fn of(tints: &[Tint]) -> Self {
        let pixels: u64 = tints.iter().map(|tint| tint.count).sum();
        let is_ground = |tint: &&Tint| tint.count * SHARE_OF_GROUND >= pixels;
        let mut colours: Vec<Rgb> =
            tints.iter().filter(is_ground).map(|tint| tint.colour).collect();
        let rest: Vec<Tint> = tints.iter().filter(|tint| !is_ground(tint)).copied().collect();
        let mut boxes = if rest.is_empty() { Vec::new() } else { vec![ColourBox::of(rest)] };
        while boxes.len() + colours.len() < MAX_COLOURS {
            let worst = (0..boxes.len())
                .max_by(|a, b| boxes[*a].sums.error().total_cmp(&boxes[*b].sums.error()));
            let Some(worst) = worst.filter(|worst| boxes[*worst].tints.len() > 1) else { break };
            let halves = boxes.swap_remove(worst).cut();
            boxes.extend(halves);
        }
        colours.extend(boxes.iter().map(|one| one.sums.mean()));
        let mut palette = Self { colours, own: Misfit::default() };
        palette.own = palette.fit(tints).1;
        palette
    }

    /// The colours.
    pub fn colours(&self) -> &[Rgb] {
        &self.colours
    }

    /// For each tint the index of the nearest colour, and how far it is.
    fn fit(&self, tints: &[Tint]) -> (Vec<u8>, Misfit) {
        let apart = |colour: &Rgb, other: &Rgb| -> u32 {
            colour.iter().zip(other).map(|(a, b)| u32::from(a.abs_diff(*b)).pow(2)).sum()
        };
        let nearest = |tint: &Tint| -> (u8, u32) {
            let all = self.colours.iter().map(|colour| apart(colour, &tint.colour)).enumerate();
            let (index, apart) = all.min_by_key(|(_, apart)| *apart).unwrap_or_default();
            (index as u8, apart)
        };
        let (indices, apart): (Vec<u8>, Vec<u32>) = tints.par_iter().map(nearest).unzip();
        let pixels: u64 = tints.iter().map(|tint| tint.count).sum();
        let errors = tints.iter().zip(&apart).map(|(tint, apart)| tint.count * u64::from(*apart));
        let mean = errors.sum::<u64>() as f64 / pixels.max(1) as f64;
        (indices, Misfit { mean, farthest: apart.into_iter().max().unwrap_or(0).into() })
    }
}

impl Quantiser {
    /// For each pixel the index of the nearest colour of the palette, and the palette.
    pub fn indices(&mut self, frame: &Frame) -> (Vec<u8>, &Palette) {
        let tints = tints(frame);
        let stays = self.palette.take().and_then(|palette| {
            let (indices, Misfit { mean, farthest }) = palette.fit(&tints);
            let own = palette.own;
            let fits = mean <= (WORSE * own.mean).max(own.mean + MUCH_WORSE)
                && farthest <= (WORSE * own.farthest).max(MAX_FARTHEST);
            fits.then_some((palette, indices))
        });
        let (palette, of_tints) = stays.unwrap_or_else(|| {
            let palette = Palette::of(&tints);
            let indices = palette.fit(&tints).0;
            (palette, indices)
        });
        self.nearest.resize(1 << 24, 0);
        for (tint, index) in tints.iter().zip(of_tints) {
            self.nearest[number(&tint.colour) as usize] = index;
        }
        let pixels = frame.pixels.par_chunks_exact(4).with_min_len(1 << 14);
        let indices = pixels.map(|pixel| self.nearest[number(pixel) as usize]).collect();
        (indices, self.palette.insert(palette))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::Backdrop;
    use flockwork_model::scene::{Background, BackgroundName};

    /// A gradient with a bright spot that moves.
    fn picture(step: u32) -> Frame {
        let mut frame = Backdrop::of(&Background::Named(BackgroundName::Dusk)).frame(320, 180);
        for (i, pixel) in frame.pixels.chunks_exact_mut(4).enumerate() {
            let (x, y) = (i as u32 % 320, i as u32 / 320);
            let far = (f64::from(x) - f64::from(60 + step)).hypot(f64::from(y) - 90.0) / 40.0;
            let light = (1.0 - far).max(0.0);
            for (channel, colour) in pixel.iter_mut().zip([90.0, 200.0, 40.0]) {
                *channel = (f64::from(*channel) * (1.0 - light) + colour * light).round() as u8;
            }
        }
        frame
    }

    /// The ratio of the largest signal to the noise; decibels.
    fn peak_ratio(frame: &Frame, (indices, palette): (Vec<u8>, &Palette)) -> f64 {
        let colours = indices.iter().map(|index| palette.colours()[usize::from(*index)]);
        let pixels = frame.pixels.chunks_exact(4).zip(colours);
        let squares: u64 = pixels
            .flat_map(|(pixel, colour)| {
                [0, 1, 2].map(|i| u64::from(pixel[i].abs_diff(colour[i])).pow(2))
            })
            .sum();
        10.0 * (255.0_f64.powi(2) * (indices.len() * 3) as f64 / squares as f64).log10()
    }

    #[test]
    fn few_colours_stay_as_they_are() {
        let pixels =
            (0..256_u32).flat_map(|i| [(i * 7) as u8, (i * 31) as u8, 250 - (i / 2) as u8, 255]);
        let frame = Frame { width: 16, height: 16, pixels: pixels.collect() };
        let mut quantiser = Quantiser::default();
        assert_eq!(peak_ratio(&frame, quantiser.indices(&frame)), f64::INFINITY);
    }

    #[test]
    fn a_gradient_with_a_light_loses_little() {
        let frame = picture(0);
        let mut quantiser = Quantiser::default();
        let (indices, palette) = quantiser.indices(&frame);
        assert_eq!(palette.colours().len(), MAX_COLOURS);
        let ratio = peak_ratio(&frame, (indices, palette));
        assert!(ratio > 45.0, "{ratio}");
    }

    #[test]
    fn the_background_is_exact() {
        let mut frame = Frame::filled(320, 180, [11, 14, 20]);
        for (i, pixel) in frame.pixels.chunks_exact_mut(4).enumerate().skip(5760) {
            let step = i as u32;
            let near = [step % 3, step / 3 % 3, step / 9 % 3].map(|more| more as u8);
            let noise = [7_u32, 77, 991].map(|n| (step.wrapping_mul(n * 2_654_435) >> 20) as u8);
            // More than half are lighter by a hair: a mean would be one of them. The others need colours.
            let colour = if i % 7 < 4 { [11 + near[0], 14 + near[1], 20 + near[2]] } else { noise };
            pixel[..3].copy_from_slice(&colour);
        }
        let mut quantiser = Quantiser::default();
        let (indices, palette) = quantiser.indices(&frame);
        assert_eq!(palette.colours()[usize::from(indices[0])], [11, 14, 20]);
    }

    #[test]
    fn a_palette_stays_until_the_picture_changes() {
        let mut quantiser = Quantiser::default();
        let first = quantiser.indices(&picture(0)).1.clone();
        for step in 1..50 {
            assert_eq!(*quantiser.indices(&picture(step)).1, first, "{step}");
        }
        let mut other = picture(0);
        other.pixels.chunks_exact_mut(4).for_each(|pixel| pixel[..3].rotate_left(1));
        let (indices, palette) = quantiser.indices(&other);
        assert_ne!(*palette, first);
        assert!(peak_ratio(&other, (indices, palette)) > 42.0);
    }

    #[test]
    fn a_small_thing_that_enters_has_its_colour() {
        let mut quantiser = Quantiser::default();
        let mut frame = Frame::filled(1280, 720, [11, 14, 20]);
        for colour in [[250, 60, 10], [11, 14, 90]] {
            quantiser.indices(&frame);
            frame.pixels[4000..4003].copy_from_slice(&colour);
            let (indices, palette) = quantiser.indices(&frame);
            assert_eq!(palette.colours()[usize::from(indices[1000])], colour);
        }
    }

    #[test]
    fn the_palette_does_not_depend_on_the_number_of_threads() {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut quantiser = Quantiser::default();
                let (indices, palette) = quantiser.indices(&picture(3));
                (indices, palette.clone())
            })
        };
        assert!(on(1) == on(3));
    }
}
