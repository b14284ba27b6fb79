//! A picture with a depth: four samples a pixel, as a GPU takes them.

use glam::Vec2;
use rayon::prelude::*;

use crate::camera::Eye;
use crate::frame::Frame;
use crate::space::solids::Corner;
use crate::space::{Depth, Sight};
use flockwork_model::vector::Point;

/// Rows of pixels that one thread draws at a time.
const BAND: usize = 32;

/// Where the samples of a pixel are: the standard places of graphics interfaces.
const PLACES: [Vec2; 4] = [
    Vec2::new(0.375, 0.125),
    Vec2::new(0.875, 0.375),
    Vec2::new(0.125, 0.625),
    Vec2::new(0.625, 0.875),
];

/// Half the width of the triangle round a circle of radius 1 at its base.
const ROOT: f32 = 1.732_050_8;

/// Triangles that one thread distributes to the bands at a time.
const CHUNK: usize = 1 << 14;

/// The samples of a pixel: the nearness of what is seen (the near plane over its depth), and its
/// premultiplied colour.
#[derive(Clone, Copy, Debug, Default)]
struct Pixel {
    near: [f32; 4],
    colour: [[u8; 4]; 4],
}

/// The paint of a triangle. The round ones fill the circle that the triangle surrounds.
#[derive(Clone, Copy, Debug)]
pub enum Fill {
    /// One premultiplied colour.
    Flat([f32; 4]),
    /// The colour of each corner, interpolated.
    Smooth([[f32; 4]; 3]),
    /// A sphere: its colour, the share of it that is seen, and its radius in reaches.
    Ball([f32; 3], f32, f32),
    /// A glow: its premultiplied light, the light of its core, and its radius in reaches.
    Glow([f32; 4], [f32; 3], f32),
    /// A soft shadow of this opacity.
    Shadow(f32),
}

/// A triangle of the picture.
#[derive(Clone, Copy, Debug)]
pub struct Triangle {
    /// Column, row and nearness.
    pub corners: [[f32; 3]; 3],
    /// Its paint.
    pub fill: Fill,
}

/// The samples of a picture.
pub struct Samples<'a> {
    width: usize,
    height: usize,
    pixels: Vec<Pixel>,
    /// Where the samples of a pixel are.
    places: [Vec2; 4],
    sight: Sight<'a>,
}

/// Triangles of corners in threes.
pub fn of_solids(corners: &[Corner]) -> Vec<Triangle> {
    let triangle = |three: &[Corner]| Triangle {
        corners: [0, 1, 2].map(|i| three[i].position),
        fill: Fill::Smooth([0, 1, 2].map(|i| three[i].colour)),
    };
    corners.chunks_exact(3).map(triangle).collect()
}

/// The corners of the triangle round a circle, from its middle and the arms of a reach to the right and
/// upwards.
pub fn around(middle: [f32; 3], right: [f32; 3], up: [f32; 3]) -> [[f32; 3]; 3] {
    [(0.0, 2.0), (ROOT, -1.0), (-ROOT, -1.0)]
        .map(|(x, y)| std::array::from_fn(|i| middle[i] + x * right[i] + y * up[i]))
}

impl<'a> Samples<'a> {
    /// Samples that show a picture, with nothing before it.
    pub fn of(frame: &Frame, sight: Sight<'a>) -> Self {
        let pixel = |bytes: &[u8]| {
            let colour = [bytes[0], bytes[1], bytes[2], bytes[3]];
            Pixel { near: [0.0; 4], colour: [colour; 4] }
        };
        Self {
            width: frame.width as usize,
            height: frame.height as usize,
            pixels: frame.pixels.par_chunks_exact(4).map(pixel).collect(),
            places: if sight.camera.sharp { [Vec2::splat(0.5); 4] } else { PLACES },
            sight,
        }
    }

    /// The picture: the mean of each pixel's samples.
    pub fn resolve(&self, frame: &mut Frame) {
        let pixels = frame.pixels.par_chunks_exact_mut(4).zip(&self.pixels);
        pixels.for_each(|(bytes, pixel)| {
            for (i, byte) in bytes.iter_mut().enumerate() {
                let sum: u32 = pixel.colour.iter().map(|colour| u32::from(colour[i])).sum();
                *byte = ((sum + 2) / 4) as u8;
            }
        });
    }

    /// Draws triangles in order.
    pub fn draw(&mut self, triangles: &[Triangle], depth: Depth) {
        let bands = self.height.div_ceil(BAND);
        let bands_of = |(chunk, triangles): (usize, &[Triangle])| {
            let mut in_band = vec![Vec::new(); bands];
            for (number, triangle) in triangles.iter().enumerate() {
                let rows = triangle.corners.map(|corner| corner[1]);
                let (low, high) = (
                    rows.into_iter().fold(f32::MAX, f32::min),
                    rows.into_iter().fold(f32::MIN, f32::max),
                );
                if !(high > 0.0 && low < self.height as f32) {
                    continue;
                }
                // `as` turns negative numbers into 0.
                let (from, to) = (low as usize / BAND, (high as usize / BAND).min(bands - 1));
                for band in &mut in_band[from..=to] {
                    band.push((chunk * CHUNK + number) as u32);
                }
            }
            in_band
        };
        let dealt: Vec<Vec<Vec<u32>>> =
            triangles.par_chunks(CHUNK).enumerate().map(bands_of).collect();
        let Self { width, height, places, sight, .. } = *self;
        let parts = self.pixels.par_chunks_mut((width * BAND).max(1)).enumerate();
        parts.for_each(|(number, pixels)| {
            let top = number * BAND;
            let mut band = Band { pixels, top, width, height, places, sight, depth };
            for triangle in dealt.iter().flat_map(|bands| &bands[number]) {
                band.fill(&triangles[*triangle as usize]);
            }
        });
    }
}

/// Some rows of the picture.
struct Band<'a> {
    pixels: &'a mut [Pixel],
    top: usize,
    width: usize,
    height: usize,
    places: [Vec2; 4],
    sight: Sight<'a>,
    depth: Depth,
}

impl Band<'_> {
    fn fill(&mut self, triangle: &Triangle) {
        let [a, b, c] = triangle.corners.map(|corner| Vec2::new(corner[0], corner[1]));
        let area = (b - a).perp_dot(c - a);
        // Also false for what is not finite.
        if !(area.abs() > 0.0 && area.is_finite()) {
            return;
        }
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let rows = self.pixels.len() / self.width;
        let first = (low.y as usize).max(self.top);
        let last = (high.y as usize + 1).min(self.top + rows).min(self.height);
        let columns = (low.x as usize).min(self.width)..(high.x as usize + 1).min(self.width);
        if high.x < 0.0 {
            return;
        }
        // The weights of the corners at a place.
        let weights = |place: Vec2| {
            let (v, w) = ((place - a).perp_dot(c - a) / area, (b - a).perp_dot(place - a) / area);
            [1.0 - v - w, v, w]
        };
        let near = triangle.corners.map(|corner| corner[2]);
        for row in first..last {
            for column in columns.clone() {
                let corner = Vec2::new(column as f32, row as f32);
                let pixel = &mut self.pixels[(row - self.top) * self.width + column];
                let mut covered = [false; 4];
                let mut nearness = [0.0; 4];
                for (sample, place) in self.places.iter().enumerate() {
                    let [u, v, w] = weights(corner + *place);
                    let depth = u * near[0] + v * near[1] + w * near[2];
                    let inside = u >= 0.0 && v >= 0.0 && w >= 0.0;
                    let first = self.depth == Depth::Ignore || depth > pixel.near[sample];
                    covered[sample] = inside && first;
                    nearness[sample] = depth;
                }
                if !covered.contains(&true) {
                    continue;
                }
                let place = (row as f32 + 0.5) / self.height as f32;
                let weights = weights(corner + 0.5);
                let colour = colour_of(&triangle.fill, weights, place, self.sight);
                let Some(colour) = colour else { continue };
                for sample in (0..4).filter(|sample| covered[*sample]) {
                    if matches!(self.depth, Depth::Write | Depth::Only) {
                        pixel.near[sample] = nearness[sample];
                    }
                    let left = match self.depth {
                        Depth::Write => 0.0,
                        Depth::Only => continue,
                        Depth::Ignore | Depth::Test => 1.0 - colour[3],
                    };
                    for (channel, light) in pixel.colour[sample].iter_mut().zip(colour) {
                        *channel = (255.0 * light + left * f32::from(*channel) + 0.5) as u8;
                    }
                }
            }
        }
    }
}

/// The premultiplied colour at a place with these weights of the corners; `place` is 0 at the top of
/// the picture and 1 at the bottom. `None` outside a ball.
fn colour_of(
    fill: &Fill,
    [u, v, w]: [f32; 3],
    place: f32,
    Sight { eye, lighting, .. }: Sight<'_>,
) -> Option<[f32; 4]> {
    let offset = || Vec2::new(ROOT * (v - w), 2.0 * u - v - w);
    Some(match fill {
        Fill::Flat(colour) => *colour,
        Fill::Smooth([a, b, c]) => std::array::from_fn(|i| u * a[i] + v * b[i] + w * c[i]),
        Fill::Ball(colour, seen, radius) => {
            let at = offset() / *radius;
            let squared = at.length_squared();
            if squared > 1.0 {
                return None;
            }
            let Eye { right, up, back, .. } = eye;
            let normal: Point = *right * at.x + *up * at.y + *back * (1.0 - squared).sqrt();
            let light = lighting.shade(normal);
            lighting.faded(colour.map(|channel| channel * light), *seen, place)
        }
        Fill::Glow(light, heat, radius) => {
            let squared = offset().length_squared();
            let window = (1.0 - squared).max(0.0);
            let share = window * window / (1.0 + squared / (radius * radius));
            let core = share * share * share;
            std::array::from_fn(|i| light[i] * share + heat.get(i).map_or(0.0, |heat| heat * core))
        }
        Fill::Shadow(opacity) => {
            let window = (1.0 - offset().length_squared()).max(0.0);
            [0.0, 0.0, 0.0, opacity * window]
        }
    })
}
