//! The CPU's half of `shaders/splat.wgsl` and `shaders/splat_resolve.wgsl`: agents too small to show
//! their shape, for machines without a GPU and to check the shaders.

use std::f32::consts::TAU;

use rayon::prelude::*;

use super::camera::Camera;
use super::canvas::{Canvas, MARGIN};
use super::frame::Frame;
use super::look::{self, Figure};
use crate::model::scene::{ColourBy, Scene};
use crate::model::state::FlockState;
use crate::model::vector::Point;

/// Sums of a cell: depth, and depth times brightness, one plus cosine and one plus sine.
type Sums = [u32; 4];

/// Rows of pixels that one thread draws at a time: their sums stay in its cache.
const BAND: usize = 32;

/// Agents that one thread deals out to the bands at a time.
const CHUNK: usize = 1 << 16;

/// How the agents of a species look in this picture.
struct Style {
    strength: f32,
    by: ColourBy,
    /// World units per tick.
    max_speed: f32,
}

/// What an agent adds for each bit of depth.
struct Paint {
    brightness: f32,
    wave: Point,
    strength: f32,
    rounding: f32,
}

/// Draws the flock over what is on `frame`, which has the size of the camera's.
///
/// Threads deal the agents out to bands of rows and then draw the bands; sums of integers are the same
/// whatever the order.
pub fn draw(scene: &Scene, state: &FlockState, camera: &Camera, frame: &mut Frame) {
    let canvas = Canvas::of(scene, state.len() as u64, camera, (frame.width, frame.height), 1.0);
    let styles = scene.species.iter().map(|species| Style {
        strength: Figure::of(species.look, species.body.size, camera.pixels_per_unit, 1.0).strength,
        by: species.colour,
        max_speed: species.body.max_speed,
    });
    let styles: Vec<Style> = styles.collect();
    let dealt = deal(&canvas, state, camera);
    let width = frame.width as usize;
    let bands = frame.pixels.par_chunks_mut(4 * width.max(1) * BAND);
    bands.enumerate().for_each(|(number, pixels)| {
        let mut part = Part {
            canvas: &canvas,
            top: number * BAND,
            sums: vec![Sums::default(); (canvas.columns + 2 * MARGIN) as usize * BAND],
        };
        for row in dealt.iter().flat_map(|hands| &hands[number]) {
            let row = *row as usize;
            if let Some(style) = styles.get(usize::from(state.species[row])) {
                part.add_agent(style, state, row, camera.pixel_from_world(state.position[row]));
            }
        }
        let lines = part.sums.chunks_exact((canvas.columns + 2 * MARGIN) as usize);
        for (line, sums) in pixels.chunks_exact_mut(4 * width.max(1)).zip(lines) {
            for (pixel, sums) in line.chunks_exact_mut(4).zip(&sums[MARGIN as usize..]) {
                resolve(&canvas, sums, pixel);
            }
        }
    });
}

/// The rows of the agents that lie on each band, chunk by chunk.
fn deal(canvas: &Canvas, state: &FlockState, camera: &Camera) -> Vec<Vec<Vec<u32>>> {
    let half = Point::new(canvas.columns as f32, canvas.rows as f32) * 0.5;
    // No part of an agent is farther than two cells from its middle; one more is spread over.
    let (part, reach) = (MARGIN as f32 - 1.0, half + (MARGIN as f32 - 2.0));
    let bands = (canvas.rows as usize).div_ceil(BAND);
    let hands_of = |(chunk, positions): (usize, &[Point])| {
        let mut hands = vec![Vec::new(); bands];
        for (row, position) in positions.iter().enumerate() {
            let middle = camera.pixel_from_world(*position);
            // False for places that are not finite, too.
            if !(middle - half).abs().cmplt(reach).all() {
                continue;
            }
            // `as` sends what is negative to 0.
            let (first, last) = ((middle.y - part) as usize, (middle.y + part) as usize);
            for hand in &mut hands[first / BAND..=(last / BAND).min(bands - 1)] {
                hand.push((chunk * CHUNK + row) as u32);
            }
        }
        hands
    };
    state.position.par_chunks(CHUNK).enumerate().map(hands_of).collect()
}

/// The sums of a band.
struct Part<'a> {
    canvas: &'a Canvas,
    /// Its first row.
    top: usize,
    /// With the margin at both ends of each row.
    sums: Vec<Sums>,
}

impl Part<'_> {
    fn add_agent(&mut self, style: &Style, state: &FlockState, row: usize, middle: Point) {
        let velocity = state.velocity[row];
        let neighbours = state.memory.get(row).map_or(0, |memory| memory.neighbours());
        let species = state.species[row];
        let (turn, brightness) =
            look::shade(style.by, velocity, style.max_speed, species, neighbours);
        let paint = Paint {
            brightness,
            wave: Point::from_angle(TAU * turn) * brightness,
            strength: style.strength,
            rounding: ((row as u32).wrapping_mul(2_654_435_769) >> 8) as f32 / 16_777_216.0,
        };
        // Rows of pixels count downwards, the world's y upwards.
        let ahead = velocity.try_normalize().unwrap_or(Point::X) * Point::new(1.0, -1.0);
        for [along, area] in [self.canvas.nose, self.canvas.tail] {
            if area > 0.0 {
                self.spread(middle + ahead * along, area, &paint);
            }
        }
    }

    /// Spreads `area` cells round `middle`, as far as they lie in the band.
    fn spread(&mut self, middle: Point, area: f32, paint: &Paint) {
        let corner = (middle - 0.5).floor();
        let right = middle - 0.5 - corner;
        let left = Point::ONE - right;
        let column = (corner.x + MARGIN as f32) as usize;
        for (row, share) in [(corner.y, left.y), (corner.y + 1.0, right.y)] {
            let row = row - self.top as f32;
            if row >= 0.0 && row < BAND as f32 {
                let cell = row as usize * (self.canvas.columns + 2 * MARGIN) as usize + column;
                self.add(cell, area * left.x * share, paint);
                self.add(cell + 1, area * right.x * share, paint);
            }
        }
    }

    /// `covered` is a share of the cell.
    fn add(&mut self, cell: usize, covered: f32, paint: &Paint) {
        let Some(sums) = self.sums.get_mut(cell) else { return };
        let hidden = (paint.strength * covered).min(self.canvas.most_hidden);
        let depth = -(1.0 - hidden).log2() * self.canvas.counts_per_bit;
        let wave = paint.wave + 1.0;
        let shares = [1.0, paint.brightness, wave.x, wave.y];
        for (sum, share) in sums.iter_mut().zip(shares) {
            *sum += (depth * share + paint.rounding) as u32;
        }
    }
}

/// The pixel that the sums of a cell stand for, over what it was.
fn resolve(canvas: &Canvas, sums: &Sums, pixel: &mut [u8]) {
    let [depth, brightness, x, y] = sums.map(|sum| sum as f32);
    if depth <= 0.0 {
        return;
    }
    // Of the light behind the agents this is left.
    let left = (-depth / canvas.counts_per_bit).exp2();
    let brightness = if canvas.dimmed == 0 { 1.0 } else { brightness / depth };
    for (i, channel) in pixel.iter_mut().take(3).enumerate() {
        let phase = TAU * i as f32 / 3.0;
        let wave = ((x - depth) * phase.cos() + (y - depth) * phase.sin()) / depth;
        let colour = brightness * look::HUE_LEVEL + look::HUE_SWING * wave;
        let light = 255.0 * (1.0 - left) * colour + left * f32::from(*channel);
        *channel = (light + 0.5) as u8;
    }
}
