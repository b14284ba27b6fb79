//! The CPU twin of `shaders/splat.wgsl` and `shaders/splat_resolve.wgsl`: draws agents that are too
//! small to show their shape. For machines without a GPU, and to check the shaders.

use glam::Vec2;
use rayon::prelude::*;

use crate::camera::Camera;
use crate::frame::Frame;
use crate::space::body;
use crate::space::lighting::Lighting;
use crate::splats::{Canvas, LIFT_DEPTH, MARGIN};
use crate::style::{self, Circle, Extents};
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;

/// Sums of a cell: the depth; and the depth times each factor of [`style::Paint::factors`], where the
/// second and the third are increased by one.
type Sums = [u32; 4];

/// Number of pixel rows that one thread draws at a time: their sums fit its cache.
const BAND: usize = 32;

/// Number of agents that one thread distributes to the bands at a time.
const CHUNK: usize = 1 << 16;

/// The look of a species in this picture.
struct SplatStyle<'a> {
    extents: Extents<'a>,
    /// See [`body::faces`].
    faces: Point,
    paint: style::Paint,
}

/// The amounts that an agent adds per bit of depth.
struct Amount {
    factors: [f32; 3],
    strength: f32,
    rounding: f32,
}

/// Draws the flock over the content of `frame`, which has the size of the camera's picture and
/// `scale` pixels per point.
///
/// Threads first distribute the agents to bands of rows, then draw the bands. The sums are
/// integers, so their order does not matter.
pub fn draw(scene: &Scene, state: &FlockState, camera: &Camera, scale: f32, frame: &mut Frame) {
    let size = (frame.width, frame.height);
    let canvas = Canvas::of(scene, state.len() as u64, camera, size, scale);
    let paints = style::Paint::all(scene);
    let basis = paints.first().map_or(Circle::BRIGHT, style::Paint::basis);
    let styles = scene.species.iter().zip(paints).map(|(species, paint)| SplatStyle {
        extents: Extents::of(scene, species, camera.pixels_per_unit, scale),
        faces: body::faces(scene, species.look),
        paint,
    });
    let lighting = camera.eye.as_ref().map(|eye| Lighting::of(scene, camera, eye, true));
    let flock =
        DrawnFlock { canvas: &canvas, basis, styles: styles.collect(), state, camera, lighting };
    let width = frame.width as usize;
    if canvas.cells_per_pixel == 1.0 {
        let dealt = flock.distribute(0, canvas.rows as usize);
        let bands = frame.pixels.par_chunks_mut(4 * width.max(1) * BAND);
        bands.enumerate().for_each(|(number, pixels)| {
            let part = flock.sum(&dealt, number, 0);
            for (line, sums) in pixels.chunks_exact_mut(4 * width.max(1)).zip(part.lines()) {
                for (pixel, sums) in line.chunks_exact_mut(4).zip(&sums[MARGIN as usize..]) {
                    blend(shown(&canvas, &basis, sums), pixel);
                }
            }
        });
    } else {
        let cells = SplatCells::of(&flock);
        let lines = frame.pixels.par_chunks_mut(4 * width.max(1)).enumerate();
        lines.for_each(|(row, line)| {
            for (column, pixel) in line.chunks_exact_mut(4).enumerate() {
                blend(cells.between(column, row), pixel);
            }
        });
    }
}

/// The flock and the picture.
struct DrawnFlock<'a> {
    canvas: &'a Canvas,
    /// The vectors that colours are sums of.
    basis: Circle,
    styles: Vec<SplatStyle<'a>>,
    state: &'a FlockState,
    camera: &'a Camera,
    /// If the flock is in space.
    lighting: Option<Lighting>,
}

impl DrawnFlock<'_> {
    /// Where the agent in a row is; cells of the picture. Not a number in space if it is not seen, or
    /// shows its shape.
    fn cell(&self, row: usize) -> Vec2 {
        let place = self.camera.image(self.state.position[row]);
        if self.lighting.is_none() {
            return self.camera.pixel_from_world(place) * self.canvas.cells_per_pixel;
        }
        let style = self.styles.get(usize::from(self.state.species[row]));
        let Some((style, seen)) = style.zip(self.camera.seen(place)) else { return Vec2::NAN };
        let size = style.extents.size_of(self.state, row);
        let shows = style.extents.measure.at(seen.pixels_per_unit).shows(size);
        if shows { Vec2::NAN } else { seen.pixel * self.canvas.cells_per_pixel }
    }

    /// The rows of the agents on each band, chunk by chunk. The bands cover `rows` rows of cells,
    /// starting at row `first`.
    fn distribute(&self, first: i32, rows: usize) -> Vec<Vec<Vec<u32>>> {
        let half = Vec2::new(self.canvas.columns as f32, self.canvas.rows as f32) * 0.5;
        // No part of an agent is farther than two cells from its middle. Spreading extends one cell
        // more.
        let (part, reach) = (MARGIN as f32 - 1.0, half + (MARGIN as f32 - 2.0));
        let bands = rows.div_ceil(BAND);
        let bands_of = |(chunk, positions): (usize, &[Point])| {
            let mut in_band = vec![Vec::new(); bands];
            for row in 0..positions.len() {
                let middle = self.cell(chunk * CHUNK + row);
                // Also false for positions that are not finite.
                if !(middle - half).abs().cmplt(reach).all() {
                    continue;
                }
                let below = middle.y - first as f32;
                // `as` turns negative numbers into 0.
                let (from, to) = ((below - part) as usize, (below + part) as usize);
                for rows in &mut in_band[(from / BAND).min(bands)..=(to / BAND).min(bands - 1)] {
                    rows.push((chunk * CHUNK + row) as u32);
                }
            }
            in_band
        };
        self.state.position.par_chunks(CHUNK).enumerate().map(bands_of).collect()
    }

    /// The sums of band `number` over the agents distributed to it. The first band starts at row
    /// `first`.
    fn sum(&self, dealt: &[Vec<Vec<u32>>], number: usize, first: i32) -> PicturePart<'_> {
        let width = (self.canvas.columns + 2 * MARGIN) as usize;
        let mut part = PicturePart {
            canvas: self.canvas,
            top: first + (number * BAND) as i32,
            sums: vec![Sums::default(); width * BAND],
        };
        for row in dealt.iter().flat_map(|bands| &bands[number]) {
            let row = *row as usize;
            if let Some(style) = self.styles.get(usize::from(self.state.species[row])) {
                part.add_agent(style, self, row, self.cell(row));
            }
        }
        part
    }
}

/// Red, green, blue and the hidden share of the background, from 0 to 1; premultiplied.
type ShownCell = [f32; 4];

/// The colours of all cells. Used if cells and pixels differ in size.
struct SplatCells<'a> {
    canvas: &'a Canvas,
    /// With a border of one cell.
    shown: Vec<ShownCell>,
}

impl<'a> SplatCells<'a> {
    fn of(flock: &DrawnFlock<'a>) -> Self {
        let canvas = flock.canvas;
        let (columns, rows) = (canvas.columns as usize + 2, canvas.rows as usize + 2);
        let dealt = flock.distribute(-1, rows);
        let mut shown = vec![ShownCell::default(); columns * rows];
        let bands = shown.par_chunks_mut(columns * BAND).enumerate();
        bands.for_each(|(number, band)| {
            let part = flock.sum(&dealt, number, -1);
            for (line, sums) in band.chunks_exact_mut(columns).zip(part.lines()) {
                for (cell, sums) in line.iter_mut().zip(&sums[MARGIN as usize - 1..]) {
                    *cell = self::shown(canvas, &flock.basis, sums);
                }
            }
        });
        Self { canvas, shown }
    }

    /// The colour of a pixel, interpolated between the middles of four cells.
    fn between(&self, column: usize, row: usize) -> ShownCell {
        let Canvas { columns, rows, cells_per_pixel, .. } = *self.canvas;
        let pixel = Vec2::new(column as f32 + 0.5, row as f32 + 0.5);
        let place = pixel * cells_per_pixel - 0.5;
        let most = Vec2::new(columns as f32, rows as f32);
        let corner = place.floor().clamp(Vec2::splat(-1.0), most - 1.0);
        let share = place - corner;
        let first = (corner.y + 1.0) as usize * (columns as usize + 2) + (corner.x + 1.0) as usize;
        let below = first + columns as usize + 2;
        let mix = |a: f32, b: f32, share: f32| a * (1.0 - share) + b * share;
        std::array::from_fn(|i| {
            let at = |cell: usize| self.shown[cell][i];
            let left = mix(at(first), at(below), share.y);
            mix(left, mix(at(first + 1), at(below + 1), share.y), share.x)
        })
    }
}

/// The sums of a band.
struct PicturePart<'a> {
    canvas: &'a Canvas,
    /// Its first row.
    top: i32,
    /// Each row has a margin at both ends.
    sums: Vec<Sums>,
}

impl PicturePart<'_> {
    /// The rows, with the margins.
    fn lines(&self) -> impl Iterator<Item = &[Sums]> {
        self.sums.chunks_exact((self.canvas.columns + 2 * MARGIN) as usize)
    }

    fn add_agent(
        &mut self,
        style: &SplatStyle<'_>,
        flock: &DrawnFlock<'_>,
        row: usize,
        middle: Vec2,
    ) {
        let (state, camera) = (flock.state, flock.camera);
        let velocity = state.velocity[row];
        let shown = style.paint.shown(state, row);
        let max_speed = style.extents.species.body.max_speed;
        let mut shade = style.paint.tone(velocity, max_speed, shown);
        let mut extent = style.extents.of_agent(state, row);
        if let Some((lighting, eye)) = flock.lighting.as_ref().zip(camera.eye.as_ref()) {
            let place = camera.image(state.position[row]);
            let Some(seen) = camera.seen(place) else { return };
            let measure = style.extents.measure.at(seen.pixels_per_unit);
            extent = measure.extent(style.extents.size_of(state, row));
            let sight = (place - camera.centre - eye.place()).normalize();
            let [heading, ..] = body::axes(velocity);
            extent.strength *= body::shown_area(style.faces, heading, sight);
            extent.strength *= lighting.visibility(seen.depth);
            let far = lighting.far(seen.depth);
            shade = style.paint.tone_in_space(velocity, max_speed, shown, far);
            shade.light *= lighting.mean_shade();
        }
        let amount = Amount {
            factors: style.paint.factors(shade),
            strength: extent.strength * extent.radius * extent.radius * self.canvas.per_light,
            rounding: ((row as u32).wrapping_mul(2_654_435_769) >> 8) as f32 / 16_777_216.0,
        };
        let ahead = camera.turned(velocity.try_normalize().unwrap_or(Point::X));
        for [along, area] in [self.canvas.nose, self.canvas.tail] {
            if area > 0.0 {
                self.spread(middle + ahead * along, area, &amount);
            }
        }
    }

    /// Spreads `area` cells around `middle`, as far as they lie in the band.
    fn spread(&mut self, middle: Vec2, area: f32, amount: &Amount) {
        let corner = (middle - 0.5).floor();
        let right = middle - 0.5 - corner;
        let left = Vec2::ONE - right;
        let column = (corner.x + MARGIN as f32) as usize;
        for (row, share) in [(corner.y, left.y), (corner.y + 1.0, right.y)] {
            let row = row - self.top as f32;
            if row >= 0.0 && row < BAND as f32 {
                let cell = row as usize * (self.canvas.columns + 2 * MARGIN) as usize + column;
                self.add(cell, area * left.x * share, amount);
                self.add(cell + 1, area * right.x * share, amount);
            }
        }
    }

    /// Adds an agent to a cell. `covered` is the share of the cell that it covers.
    fn add(&mut self, cell: usize, covered: f32, amount: &Amount) {
        let Some(sums) = self.sums.get_mut(cell) else { return };
        let hidden = (amount.strength * covered).min(self.canvas.most_hidden);
        let depth = -(1.0 - hidden).log2() * self.canvas.counts_per_bit;
        let [first, second, third] = amount.factors;
        let shares = [1.0, first, second + 1.0, third + 1.0];
        for (sum, share) in sums.iter_mut().zip(shares) {
            *sum += (depth * share + amount.rounding) as u32;
        }
    }
}

/// The colour of a cell with these sums.
fn shown(canvas: &Canvas, basis: &Circle, sums: &Sums) -> ShownCell {
    let [depth, first, x, y] = sums.map(|sum| sum as f32);
    if depth <= 0.0 {
        return ShownCell::default();
    }
    let first = if canvas.three_factors == 0 { 1.0 } else { first / depth };
    let (second, third) = ((x - depth) / depth, (y - depth) / depth);
    let bits = depth / canvas.counts_per_bit;
    // The share of the background's light that remains.
    let left = (-bits).exp2();
    let crowd = bits * bits / (bits * bits + LIFT_DEPTH * LIFT_DEPTH);
    let lift = canvas.lift * crowd;
    let colour = |i: usize| {
        let others = basis.cosine[i] * second + basis.sine[i] * third;
        let own = first * basis.level[i] + others;
        (1.0 - left) * (own + lift * (canvas.lift_to - own))
    };
    [colour(0), colour(1), colour(2), 1.0 - left]
}

/// Blends a colour over a pixel.
fn blend(shown: ShownCell, pixel: &mut [u8]) {
    if shown[3] <= 0.0 {
        return;
    }
    for (channel, light) in pixel.iter_mut().zip(shown) {
        *channel = (255.0 * light + (1.0 - shown[3]) * f32::from(*channel) + 0.5) as u8;
    }
}
