//! The CPU's half of `shaders/splat.wgsl` and `shaders/splat_resolve.wgsl`: agents too small to show
//! their shape, for machines without a GPU and to check the shaders.

use std::f32::consts::TAU;
use std::sync::atomic::{AtomicI32, Ordering};

use rayon::prelude::*;

use super::camera::Camera;
use super::canvas::{Canvas, MARGIN};
use super::frame::Frame;
use super::look::{self, Figure};
use crate::model::scene::{ColourBy, Scene};
use crate::model::state::FlockState;
use crate::model::vector::Point;

/// Sums of a cell: depth, and depth times brightness, cosine and sine.
type Sums = [AtomicI32; 4];

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
/// Threads add to the same cells: sums of integers are the same whatever the order.
pub fn draw(scene: &Scene, state: &FlockState, camera: &Camera, frame: &mut Frame) {
    let canvas = Canvas::of(scene, state.len() as u64, (frame.width, frame.height), 1.0);
    let cells = (canvas.columns + 2 * MARGIN) as usize * (canvas.rows + 2 * MARGIN) as usize;
    let mut sums = Vec::new();
    (0..cells).into_par_iter().map(|_| Sums::default()).collect_into_vec(&mut sums);
    let styles = scene.species.iter().map(|species| Style {
        strength: Figure::of(species.look, species.body.size, camera.pixels_per_unit, 1.0).strength,
        by: species.colour,
        max_speed: species.body.max_speed,
    });
    let styles: Vec<Style> = styles.collect();
    (0..state.len()).into_par_iter().for_each(|row| {
        if let Some(style) = styles.get(usize::from(state.species[row])) {
            add_agent(&canvas, &sums, style, state, row, camera);
        }
    });
    let width = frame.width as usize;
    let lines = frame.pixels.par_chunks_exact_mut(4 * width.max(1));
    lines.enumerate().for_each(|(row, line)| {
        let start = (row + MARGIN as usize) * (canvas.columns + 2 * MARGIN) as usize;
        for (pixel, sums) in line.chunks_exact_mut(4).zip(&sums[start + MARGIN as usize..]) {
            resolve(&canvas, sums, pixel);
        }
    });
}

fn add_agent(
    canvas: &Canvas,
    sums: &[Sums],
    style: &Style,
    state: &FlockState,
    row: usize,
    camera: &Camera,
) {
    let middle = camera.pixel_from_world(state.position[row]);
    let half = Point::new(canvas.columns as f32, canvas.rows as f32) * 0.5;
    let reach = half + (MARGIN as f32 - 2.0);
    // False for places that are not finite, too.
    if !(middle - half).abs().cmplt(reach).all() {
        return;
    }
    let velocity = state.velocity[row];
    let neighbours = state.memory.get(row).map_or(0, |memory| memory.neighbours());
    let species = state.species[row];
    let (turn, brightness) = look::shade(style.by, velocity, style.max_speed, species, neighbours);
    let paint = Paint {
        brightness,
        wave: Point::from_angle(TAU * turn) * brightness,
        strength: style.strength,
        rounding: ((row as u32).wrapping_mul(2_654_435_769) >> 8) as f32 / 16_777_216.0,
    };
    // Rows of pixels count downwards, the world's y upwards.
    let ahead = velocity.try_normalize().unwrap_or(Point::X) * Point::new(1.0, -1.0);
    for [along, area] in [canvas.nose, canvas.tail] {
        spread(canvas, sums, middle + ahead * along, area, &paint);
    }
}

/// Spreads `area` cells round `middle`.
fn spread(canvas: &Canvas, sums: &[Sums], middle: Point, area: f32, paint: &Paint) {
    let corner = (middle - 0.5).floor();
    let right = middle - 0.5 - corner;
    let left = Point::ONE - right;
    let width = (canvas.columns + 2 * MARGIN) as usize;
    let place = corner + MARGIN as f32;
    let cell = place.y as usize * width + place.x as usize;
    for (cell, share) in [
        (cell, left.x * left.y),
        (cell + 1, right.x * left.y),
        (cell + width, left.x * right.y),
        (cell + width + 1, right.x * right.y),
    ] {
        let hidden = (paint.strength * area * share).min(canvas.most_hidden);
        let depth = -(1.0 - hidden).log2();
        let Some(sums) = sums.get(cell) else { continue };
        let wave = paint.wave * depth;
        let amounts = [depth, depth * paint.brightness, wave.x, wave.y];
        for (number, (sum, amount)) in sums.iter().zip(amounts).enumerate() {
            if number == 1 && canvas.dimmed == 0 {
                continue;
            }
            let size = (amount.abs() * canvas.counts_per_bit + paint.rounding) as i32;
            sum.fetch_add(if amount < 0.0 { -size } else { size }, Ordering::Relaxed);
        }
    }
}

/// The pixel that the sums of a cell stand for, over what it was.
fn resolve(canvas: &Canvas, sums: &Sums, pixel: &mut [u8]) {
    let [depth, brightness, x, y] = [0, 1, 2, 3].map(|i| sums[i].load(Ordering::Relaxed) as f32);
    if depth <= 0.0 {
        return;
    }
    // Of the light behind the agents this is left.
    let left = (-depth / canvas.counts_per_bit).exp2();
    let brightness = if canvas.dimmed == 0 { 1.0 } else { brightness / depth };
    for (i, channel) in pixel.iter_mut().take(3).enumerate() {
        let phase = TAU * i as f32 / 3.0;
        let wave = (x * phase.cos() + y * phase.sin()) / depth;
        let colour = brightness * look::HUE_LEVEL + look::HUE_SWING * wave;
        let light = 255.0 * (1.0 - left) * colour + left * f32::from(*channel);
        *channel = (light + 0.5) as u8;
    }
}
