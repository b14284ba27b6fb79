//! Flow fields: a direction for each cell.

use std::f64::consts::{PI, TAU};

use noise::{NoiseFn, Perlin};
use rayon::prelude::*;

use super::SpatialIndex;
use crate::model::vector::Point;

/// The most cells of a field; larger worlds get wider cells.
const MOST_CELLS: u32 = 1 << 20;

/// The source of the vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowKind {
    /// Perlin noise: a direction that changes gently from place to place.
    Perlin,
    /// The curl of Perlin noise: currents that neither spring up nor end. Source: Bridson and others,
    /// *Curl-Noise for Procedural Fluid Flow*, SIGGRAPH 2007.
    Curl,
    /// Anticlockwise around the middle of the world; in space around its vertical axis.
    Vortex,
    /// A grid read from a file.
    File,
}

impl FlowKind {
    /// Every variant, with its name in scene files.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("perlin", Self::Perlin),
        ("curl", Self::Curl),
        ("vortex", Self::Vortex),
        ("file", Self::File),
    ];
}

/// A flow field as a scene describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowPlan {
    /// The source of the vectors.
    pub kind: FlowKind,
    /// Side of a cell for noise and vortex; world units.
    pub cell: f32,
    /// Change of the noise's coordinate from one cell to the next.
    pub frequency: f32,
    /// Columns and rows of the file, and the layers of a space; 0 where there is no file, and for the
    /// layers of a plane.
    pub grid: [u32; 3],
    /// The file's path; hosts read the file.
    pub file: Option<String>,
    /// The file's vectors, row by row and layer by layer from the bottom; empty until the host has read it.
    pub vectors: Vec<Point>,
}

impl Default for FlowPlan {
    fn default() -> Self {
        Self {
            kind: FlowKind::Perlin,
            cell: 20.0,
            frequency: 0.1,
            grid: [0; 3],
            file: None,
            vectors: Vec::new(),
        }
    }
}

/// A vector per cell; its length does not matter.
#[derive(Clone, Debug)]
pub struct FlowField {
    /// The cells, over the whole world; a position outside uses the nearest cell.
    pub index: SpatialIndex,
    /// Row by row, layer by layer from the bottom.
    pub vectors: Vec<Point>,
}

impl FlowField {
    /// No field: the vector is zero everywhere.
    #[must_use]
    pub fn none() -> Self {
        Self { index: SpatialIndex::EMPTY, vectors: Vec::new() }
    }

    /// Computes the field for a world of `size`.
    #[must_use]
    pub fn new(plan: &FlowPlan, size: Point, seed: u32) -> Self {
        let index = SpatialIndex::over(Point::ZERO, size, plan.cell, MOST_CELLS);
        if plan.kind == FlowKind::File {
            let cells_along = plan.grid.map(|cells| cells.max(1));
            let index = SpatialIndex::whole(cells_along, size);
            return Self { index, vectors: plan.vectors.clone() };
        }
        let noise = Noise { of: std::array::from_fn(|number| Perlin::new(seed ^ number as u32)) };
        let frequency = f64::from(plan.frequency);
        let way = |cell: [u32; 3]| {
            let place = cell.map(|index| f64::from(index) * frequency);
            match (plan.kind, size.z == 0.0) {
                (FlowKind::Vortex | FlowKind::File, _) => {
                    let Point { x, y, .. } = index.middle(cell) - size * 0.5;
                    Point::new(-y, x, 0.0)
                }
                (FlowKind::Curl, true) => noise.curl_in_plane(place),
                (FlowKind::Curl, false) => noise.curl(place),
                (FlowKind::Perlin, true) => noise.direction_in_plane(place),
                (FlowKind::Perlin, false) => noise.direction(place),
            }
        };
        let vectors = index.each_cell().collect::<Vec<_>>().into_par_iter().map(way).collect();
        Self { index, vectors }
    }

    /// The vector at a position; zero without a field.
    #[inline]
    #[must_use]
    pub fn at(&self, place: Point) -> Point {
        let steps = (place * self.index.cells_per_unit).to_array();
        let last = self.index.cells_along.map(|cells| cells.saturating_sub(1));
        // `as` saturates, and turns NaN into 0.
        let cell = std::array::from_fn(|axis| (steps[axis] as u32).min(last[axis]));
        self.vectors.get(self.index.number(cell)).copied().unwrap_or(Point::ZERO)
    }
}

/// Three independent fields of Perlin noise; a plane uses the first one.
struct Noise {
    of: [Perlin; 3],
}

/// Step of the difference quotients of the curl, in coordinates of the noise.
const STEP: f64 = 1e-3;

impl Noise {
    /// Noise from −1 to 1 covers the whole circle.
    fn direction_in_plane(&self, [x, y, _]: [f64; 3]) -> Point {
        let around = (self.of[0].get([x, y]) + 1.0) * PI;
        Point::new((around as f32).cos(), (around as f32).sin(), 0.0)
    }

    /// One noise for the direction round the vertical, another for its height. Most noise is near 0:
    /// taken twice, it reaches all directions.
    fn direction(&self, place: [f64; 3]) -> Point {
        let around = self.of[0].get(place) * 2.0 * TAU;
        let height = (self.of[1].get(place) * 2.0).clamp(-1.0, 1.0);
        let level = (1.0 - height * height).sqrt();
        let [x, y] = [around.cos(), around.sin()].map(|part| (part * level) as f32);
        Point::new(x, y, height as f32)
    }

    /// The change of noise number `of` along an axis.
    fn slope(&self, of: usize, place: [f64; 3], axis: usize) -> f64 {
        let at = |step: f64| {
            let mut place = place;
            place[axis] += step;
            self.of[of].get(place)
        };
        (at(STEP) - at(-STEP)) / (2.0 * STEP)
    }

    fn curl_in_plane(&self, place: [f64; 3]) -> Point {
        let slope = |axis| self.slope(0, place, axis) as f32;
        Point::new(slope(1), -slope(0), 0.0)
    }

    fn curl(&self, place: [f64; 3]) -> Point {
        let slope = |of, axis| self.slope(of, place, axis);
        Point::new(
            (slope(2, 1) - slope(1, 2)) as f32,
            (slope(0, 2) - slope(2, 0)) as f32,
            (slope(1, 0) - slope(0, 1)) as f32,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::vector::flat;

    #[test]
    fn a_vortex_turns_to_the_left() {
        let plan = FlowPlan { kind: FlowKind::Vortex, ..FlowPlan::default() };
        let field = FlowField::new(&plan, flat(400.0, 400.0), 1);
        let Point { x, y, .. } = field.at(flat(390.0, 210.0));
        assert!(y > 0.0 && x.abs() < y, "{x} {y} at the right");
        let Point { x, y, .. } = field.at(flat(210.0, 1e9));
        assert!(x < 0.0 && y.abs() < -x, "{x} {y} at the top");
    }

    #[test]
    fn noise_is_gentle_and_depends_on_the_seed() {
        let size = flat(2000.0, 1000.0);
        let field = FlowField::new(&FlowPlan::default(), size, 1);
        assert_eq!(field.index.cells_along, [100, 50, 1]);
        let row = &field.vectors[..100];
        let turn = |pair: &[Point]| pair[0].angle_between(pair[1]);
        assert!(row.windows(2).all(|pair| turn(pair) < 1.0));
        assert!(row.iter().any(|way| way.angle_between(row[0]) > 1.0));
        assert_ne!(field.vectors, FlowField::new(&FlowPlan::default(), size, 2).vectors);
        assert_eq!(field.vectors, FlowField::new(&FlowPlan::default(), size, 1).vectors);
    }

    #[test]
    fn a_vortex_in_space_turns_round_the_vertical() {
        let plan = FlowPlan { kind: FlowKind::Vortex, ..FlowPlan::default() };
        let field = FlowField::new(&plan, Point::new(400.0, 400.0, 100.0), 1);
        assert_eq!(field.index.cells_along, [20, 20, 5]);
        for height in [1.0, 99.0] {
            let Point { x, y, z } = field.at(Point::new(390.0, 210.0, height));
            assert!(y > 0.0 && x.abs() < y && z == 0.0, "{x} {y} {z}");
        }
    }

    #[test]
    fn curl_noise_neither_springs_up_nor_ends() {
        let noise = Noise { of: std::array::from_fn(|number| Perlin::new(number as u32)) };
        let (mut diverging, mut size) = (0.0_f64, 0.0_f64);
        for number in 0..500 {
            let at = f64::from(number);
            let place = [0.37 * at, 0.11 * at + 0.3, 0.23 * at + 0.7];
            let slope = |axis: usize, of: fn(&Noise, [f64; 3]) -> Point| {
                let step = |step: f64| {
                    let mut place = place;
                    place[axis] += step;
                    f64::from(of(&noise, place)[axis])
                };
                (step(1e-2) - step(-1e-2)) / 2e-2
            };
            diverging += (0..3).map(|axis| slope(axis, Noise::curl)).sum::<f64>().abs();
            diverging += (0..2).map(|axis| slope(axis, Noise::curl_in_plane)).sum::<f64>().abs();
            size += (0..3).map(|axis| slope(axis, Noise::curl).abs()).sum::<f64>();
        }
        assert!(diverging < size * 0.01, "{diverging} of {size}");
    }

    #[test]
    fn noise_in_space_points_everywhere() {
        let field = FlowField::new(&FlowPlan::default(), Point::splat(800.0), 1);
        let mean = field.vectors.iter().sum::<Point>() / field.vectors.len() as f32;
        assert!(mean.length() < 0.5, "{mean}");
        assert!(field.vectors.iter().any(|way| way.z > 0.3));
        assert!(field.vectors.iter().any(|way| way.z < -0.3));
        assert!(field.vectors.iter().all(|way| (way.length() - 1.0).abs() < 1e-5));
    }
}
