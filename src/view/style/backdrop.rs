//! The backdrop of a flock.

use super::oklab::{self, unit};
use crate::frame::Frame;
use crate::shapes::StyledShape;
use flockwork_model::scene::{Background, Rgb};

/// A background as the renderers draw it: colours from top to bottom; none if it is transparent.
#[derive(Clone, Debug, PartialEq)]
pub struct Backdrop(Vec<[u8; 3]>);

/// The order in which the pixels of a square become brighter (Bayer, 1973). Without such a pattern the
/// 20 shades of a dark gradient would be visible bands.
const ORDER: [[u8; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

impl Backdrop {
    /// The background of a scene.
    #[must_use]
    pub fn of(background: &Background) -> Self {
        Self(background.colours().into_iter().map(|Rgb(colour)| colour).collect())
    }

    /// Its colour, if it has only one: red, green, blue and alpha. `None` for a gradient.
    #[must_use]
    pub fn plain(&self) -> Option<[u8; 4]> {
        match self.0[..] {
            [] => Some([0; 4]),
            [[r, g, b]] => Some([r, g, b, 255]),
            _ => None,
        }
    }

    /// The mean lightness in Oklab; black's if it is transparent.
    #[must_use]
    pub fn lightness(&self) -> f32 {
        let sum: f32 = self.0.iter().map(|colour| oklab::of(unit(*colour))[0]).sum();
        sum / self.0.len().max(1) as f32
    }

    /// True if agents are drawn as ink on it, not as light.
    #[must_use]
    pub fn is_light(&self) -> bool {
        self.lightness() > 0.6
    }

    /// A picture of nothing else.
    #[must_use]
    pub fn frame(&self, width: u32, height: u32) -> Frame {
        match self.plain() {
            Some([r, g, b, 255]) => return Frame::filled(width, height, [r, g, b]),
            Some(_) => return Frame::transparent(width, height),
            None => {}
        }
        let mut pixels = Vec::with_capacity(4 * width as usize * height as usize);
        for row in 0..height {
            let place = (row as f32 + 0.5) / height as f32;
            let colour = self.at(place).unwrap_or_default().map(|channel| 255.0 * channel);
            // A row repeats its pattern of four pixels.
            let pixel = |column: u32| {
                let order = ORDER[row as usize % 4][column as usize % 4];
                let [r, g, b] =
                    colour.map(|channel| (channel + (f32::from(order) + 0.5) / 16.0) as u8);
                [r, g, b, 255]
            };
            pixels.extend((0..width).flat_map(pixel));
        }
        Frame { width, height, pixels }
    }

    /// Its sRGB colour at a place from 0 at the top to 1; `None` if it is transparent. Between its colours a
    /// monotone cubic goes through Oklab (Fritsch and Butland, 1984): a straight line would crease where it
    /// meets the next one.
    fn at(&self, place: f32) -> Option<[f32; 3]> {
        let last = self.0.len().checked_sub(1)?;
        let place = place * last as f32;
        let index = (place as usize).min(last.saturating_sub(1));
        let share = place - index as f32;
        let lab = |number: usize| oklab::of(unit(self.0[number.min(last)]));
        let [before, from, to, after] =
            [index.saturating_sub(1), index, index + 1, index + 2].map(lab);
        // The slope at a colour is the harmonic mean of those beside it.
        let mean = |a: f32, b: f32| if a * b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 };
        Some(oklab::to_srgb([0, 1, 2].map(|i| {
            let step = to[i] - from[i];
            let first = if index == 0 { step } else { mean(from[i] - before[i], step) };
            let second = if index + 1 >= last { step } else { mean(step, after[i] - to[i]) };
            let bend = 3.0 * step - 2.0 * first - second;
            from[i] + share * (first + share * (bend + share * (first + second - 2.0 * step)))
        })))
    }

    /// Its premultiplied colours from top to bottom, evenly spaced, from 0 to 1; zeros if it is
    /// transparent.
    #[must_use]
    pub fn stops<const N: usize>(&self) -> [[f32; 4]; N] {
        let stop = |number| self.at(number as f32 / (N - 1).max(1) as f32);
        std::array::from_fn(|number| stop(number).map_or([0.0; 4], |[r, g, b]| [r, g, b, 1.0]))
    }

    /// Shapes in colours that suit it. Their own are for dark backgrounds: on a light one, what is
    /// lighter becomes darker, in the same hue.
    #[must_use]
    pub fn suited(&self, shapes: &[StyledShape]) -> Vec<StyledShape> {
        let mut shapes = shapes.to_vec();
        if self.is_light() {
            for shape in &mut shapes {
                let [lightness, a, b] = oklab::of(unit(shape.colour));
                let colour = oklab::to_srgb([1.1 - 0.8 * lightness, a, b]);
                shape.colour = colour.map(|channel| (255.0 * channel).round() as u8);
            }
        }
        shapes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::Shape;
    use crate::style::BACKGROUND;
    use flockwork_model::scene::BackgroundName;

    fn named(name: BackgroundName) -> Backdrop {
        Backdrop::of(&Background::Named(name))
    }

    #[test]
    fn a_gradient_goes_from_top_to_bottom() {
        let colours = vec![Rgb([200, 10, 10]), Rgb([10, 10, 200])];
        let frame = Backdrop::of(&Background::Colours(colours)).frame(40, 200);
        let rgb = |row| frame.rgb(7, row).unwrap();
        assert!(rgb(0)[0] > 195 && rgb(0)[2] < 20 && rgb(199)[0] < 20 && rgb(199)[2] > 195);
        let means: Vec<u32> = (0..50)
            .map(|block| {
                let pixels = (0..16).map(|i| frame.rgb(i % 4, 4 * block + i / 4).unwrap());
                pixels.map(|[r, ..]| u32::from(r)).sum()
            })
            .collect();
        assert!(means.windows(2).all(|pair| pair[0] > pair[1]), "blocks of 4 × 4 show every step");
        assert!(frame.pixels.chunks_exact(4).all(|pixel| pixel[3] == 255));
    }

    #[test]
    fn a_gradient_has_no_crease_at_its_colours() {
        let dusk = named(BackgroundName::Dusk);
        // The largest change of the slope of the lightness from a place to the next.
        let bend = |at: &dyn Fn(f32) -> [f32; 3]| {
            let light = (0..=400).map(|i| oklab::of(at(i as f32 / 400.0))[0]).collect::<Vec<_>>();
            let bends = light.windows(3).map(|l| (l[0] - 2.0 * l[1] + l[2]).abs());
            bends.fold(0.0, f32::max)
        };
        let straight = |place: f32| {
            let index = ((4.0 * place) as usize).min(3);
            let [from, to] = [index, index + 1].map(|i| unit(dusk.0[i]));
            oklab::mix(from, to, 4.0 * place - index as f32)
        };
        let (smooth, creased) = (bend(&|place| dusk.at(place).unwrap()), bend(&straight));
        assert!(smooth < 0.1 * creased, "{smooth} and, with straight lines, {creased}");
        for (number, colour) in dusk.0.iter().enumerate() {
            let found = dusk.at(number as f32 / 4.0).unwrap().map(|c| (255.0 * c).round() as u8);
            assert_eq!(found, *colour, "it passes through its colours");
        }
        let lit: [[f32; 4]; 64] = dusk.stops();
        let rises = lit.windows(2).all(|s| s[1][0] >= s[0][0]);
        assert!(rises, "no colour overshoots");
    }

    #[test]
    fn the_default_is_one_dark_colour() {
        assert_eq!(named(BackgroundName::default()).plain(), Some([11, 14, 20, 255]));
        assert_eq!(named(BackgroundName::default()).frame(3, 2), Frame::filled(3, 2, BACKGROUND));
        let none = named(BackgroundName::None).frame(3, 2);
        assert!(none.pixels.iter().all(|byte| *byte == 0));
        let light = BackgroundName::NAMES.map(|(_, name)| named(name).is_light());
        assert_eq!(light, [false, false, true, true, true, false]);
    }

    #[test]
    fn shapes_stay_visible_on_paper() {
        let shape = Shape::Cross { centre: flockwork_model::vector::Point::ZERO };
        let shapes = [StyledShape { shape, colour: [236, 196, 108], opacity: 0.8 }];
        assert_eq!(named(BackgroundName::Night).suited(&shapes), shapes);
        let suited = named(BackgroundName::Paper).suited(&shapes);
        assert!(oklab::of(unit(suited[0].colour))[0] < 0.5);
    }
}
