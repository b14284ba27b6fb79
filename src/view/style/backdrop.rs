//! The backdrop of a flock.

use super::oklab::{self, mix, unit};
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
        let colours = match self.plain() {
            Some([r, g, b, 255]) => return Frame::filled(width, height, [r, g, b]),
            Some(_) => {
                let pixels = vec![0; 4 * width as usize * height as usize];
                return Frame { width, height, pixels };
            }
            None => &self.0,
        };
        let intervals = (colours.len() - 1) as f32;
        let mut pixels = Vec::with_capacity(4 * width as usize * height as usize);
        for row in 0..height {
            let place = (row as f32 + 0.5) / height as f32 * intervals;
            let index = (place as usize).min(colours.len() - 2);
            let [from, to] = [index, index + 1].map(|i| unit(colours[i]));
            let colour = mix(from, to, place - index as f32).map(|channel| 255.0 * channel);
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

    /// Its premultiplied colours from top to bottom, evenly spaced, from 0 to 1; zeros if it is
    /// transparent.
    #[must_use]
    pub fn stops<const N: usize>(&self) -> [[f32; 4]; N] {
        std::array::from_fn(|number| {
            let place = number as f32 / (N - 1).max(1) as f32 * (self.0.len().max(1) - 1) as f32;
            let index = (place as usize).min(self.0.len().saturating_sub(2));
            let Some(from) = self.0.get(index) else { return [0.0; 4] };
            let to = self.0.get(index + 1).unwrap_or(from);
            let [r, g, b] = mix(unit(*from), unit(*to), place - index as f32);
            [r, g, b, 1.0]
        })
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
    fn the_default_is_one_dark_colour() {
        assert_eq!(named(BackgroundName::default()).plain(), Some([11, 14, 20, 255]));
        assert_eq!(named(BackgroundName::default()).frame(3, 2), Frame::filled(3, 2, BACKGROUND));
        let none = named(BackgroundName::None).frame(3, 2);
        assert!(none.pixels.iter().all(|byte| *byte == 0));
        let light = BackgroundName::NAMES.map(|(_, name)| named(name).is_light());
        assert_eq!(light, [false, false, true, true, false]);
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
