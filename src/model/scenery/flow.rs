//! Flow fields: a direction for each cell.

use std::f64::consts::{PI, TAU};

use super::SpatialIndex;
use crate::named::named;
use crate::parallel::each;
use crate::vector::{Point, direction_at};
use crate::world::{Boundary, World};
use noise::core::perlin::{perlin_2d, perlin_3d};
use noise::permutationtable::{NoiseHasher, PermutationTable};

/// The most cells of a field; larger worlds get wider cells.
const MAX_CELLS: u32 = 1 << 20;

named! {
    /// The source of the vectors.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FlowKind {
        /// Perlin noise: a direction that changes gently from place to place. In a wrapped space it goes
        /// on across the seams; in a plane it has seams, as in the source.
        Perlin = "perlin",
        /// The curl of Perlin noise: currents that neither spring up nor end, also at the seams of a
        /// wrapped world. Source: Bridson and others, *Curl-Noise for Procedural Fluid Flow*, SIGGRAPH 2007.
        Curl = "curl",
        /// Anticlockwise around the middle of the world; in space around its vertical axis.
        Vortex = "vortex",
        /// A grid read from a file.
        File = "file",
    }
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

impl FlowPlan {
    /// Number of vectors that the file must have.
    #[must_use]
    pub fn file_cells(&self) -> u64 {
        self.grid.iter().map(|cells| u64::from((*cells).max(1))).product()
    }

    /// The key `grid` of the file: two numbers, or three in space.
    #[must_use]
    pub fn grid_text(&self) -> String {
        let [columns, rows, layers] = self.grid;
        match layers {
            0 => format!("[{columns}, {rows}]"),
            _ => format!("[{columns}, {rows}, {layers}]"),
        }
    }
}

/// A vector per cell; its length does not matter. By default there is no field, and the vector is zero everywhere.
#[derive(Clone, Debug, Default)]
pub struct FlowField {
    /// The cells, over the whole world; a position outside uses the nearest cell.
    pub index: SpatialIndex,
    /// Row by row, layer by layer from the bottom.
    pub vectors: Vec<Point>,
}

impl FlowField {
    /// Computes the field of a world.
    #[must_use]
    pub fn new(plan: &FlowPlan, world: &World, seed: u32) -> Self {
        let size = world.size;
        if plan.kind == FlowKind::File {
            let cells_along = plan.grid.map(|cells| cells.max(1));
            let index = SpatialIndex::whole(cells_along, size);
            return Self { index, vectors: plan.vectors.clone() };
        }
        let index = SpatialIndex::over(Point::ZERO, size, plan.cell, MAX_CELLS);
        let wraps = world.boundary == Boundary::Wrap;
        let repeats = wraps && (plan.kind == FlowKind::Curl || !world.is_flat());
        let noise = Noise::new(&index, f64::from(plan.frequency), repeats, seed);
        let way = |cell: [u32; 3]| {
            let place = noise.place(cell);
            match (plan.kind, world.is_flat()) {
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
        let cells: Vec<_> = index.each_cell().collect();
        let vectors = each(cells.len(), &|cell| way(cells[cell]));
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

/// The gradients of Perlin noise.
struct Gradients {
    table: PermutationTable,
    /// After how many steps they repeat on each axis; 0 where they do not.
    period: [isize; 3],
}

impl NoiseHasher for Gradients {
    fn hash(&self, corner: &[isize]) -> usize {
        let mut first = [0; 3];
        for ((first, corner), period) in first.iter_mut().zip(corner).zip(self.period) {
            *first = if period > 0 { corner.rem_euclid(period) } else { *corner };
        }
        self.table.hash(&first[..corner.len()])
    }
}

/// Three independent fields of Perlin noise; a plane uses the first one.
struct Noise {
    of: [Gradients; 3],
    /// From one cell to the next, in coordinates of the noise.
    step: [f64; 3],
    /// Coordinates of the noise per world unit.
    per_unit: [f64; 3],
}

/// Step of the difference quotients of the curl, in coordinates of the noise.
const STEP: f64 = 1e-3;

impl Noise {
    /// Noise that changes by `frequency` from one cell to the next, or by the nearest number with which
    /// it `repeats` after the last cell: at a seam, currents would run against one another and stop.
    fn new(index: &SpatialIndex, frequency: f64, repeats: bool, seed: u32) -> Self {
        let (mut step, mut period, mut per_unit) = ([frequency; 3], [0; 3], [1.0; 3]);
        if frequency > 0.0 {
            for axis in 0..3 {
                let cells = f64::from(index.cells_along[axis]);
                if repeats {
                    let steps = (cells * frequency).round().max(1.0);
                    (step[axis], period[axis]) = (steps / cells, steps as isize);
                }
                per_unit[axis] = step[axis] * f64::from(index.cells_per_unit[axis]);
            }
        }
        let field = |number| Gradients { table: PermutationTable::new(seed ^ number), period };
        Self { of: [0, 1, 2].map(field), step, per_unit }
    }

    fn place(&self, cell: [u32; 3]) -> [f64; 3] {
        std::array::from_fn(|axis| f64::from(cell[axis]) * self.step[axis])
    }

    fn in_plane(&self, [x, y, _]: [f64; 3]) -> f64 {
        perlin_2d([x, y].into(), &self.of[0])
    }

    fn in_space(&self, of: usize, place: [f64; 3]) -> f64 {
        perlin_3d(place.into(), &self.of[of])
    }

    /// Noise from −1 to 1 covers the whole circle.
    fn direction_in_plane(&self, place: [f64; 3]) -> Point {
        direction_at((self.in_plane(place) + 1.0) * PI)
    }

    /// One noise for the direction round the vertical, another for its height. Most noise is near 0:
    /// taken twice, it reaches all directions.
    fn direction(&self, place: [f64; 3]) -> Point {
        let around = self.in_space(0, place) * 2.0 * TAU;
        let height = (self.in_space(1, place) * 2.0).clamp(-1.0, 1.0);
        let level = (1.0 - height * height).sqrt();
        let [x, y] = [around.cos(), around.sin()].map(|part| (part * level) as f32);
        Point::new(x, y, height as f32)
    }

    /// The change of noise along an axis, per world unit.
    fn slope(&self, of: impl Fn([f64; 3]) -> f64, place: [f64; 3], axis: usize) -> f64 {
        let at = |step: f64| {
            let mut place = place;
            place[axis] += step;
            of(place)
        };
        (at(STEP) - at(-STEP)) / (2.0 * STEP) * self.per_unit[axis]
    }

    fn curl_in_plane(&self, place: [f64; 3]) -> Point {
        let slope = |axis| self.slope(|place| self.in_plane(place), place, axis) as f32;
        Point::new(slope(1), -slope(0), 0.0)
    }

    fn curl(&self, place: [f64; 3]) -> Point {
        let slope = |of, axis| self.slope(|place| self.in_space(of, place), place, axis);
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
    use crate::vector::flat;

    fn wrapped(size: Point) -> World {
        World { size, boundary: Boundary::Wrap }
    }

    #[test]
    fn a_vortex_turns_to_the_left_round_the_vertical() {
        let plan = FlowPlan { kind: FlowKind::Vortex, ..FlowPlan::default() };
        for (depth, layers, heights) in [(0.0, 1, &[0.0][..]), (100.0, 5, &[1.0, 99.0])] {
            let field = FlowField::new(&plan, &wrapped(Point::new(400.0, 400.0, depth)), 1);
            assert_eq!(field.index.cells_along, [20, 20, layers]);
            for height in heights {
                let Point { x, y, z } = field.at(Point::new(390.0, 210.0, *height));
                assert!(y > 0.0 && x.abs() < y && z == 0.0, "{x} {y} {z} at the right");
                let Point { x, y, z } = field.at(Point::new(210.0, 1e9, *height));
                assert!(x < 0.0 && y.abs() < -x && z == 0.0, "{x} {y} {z} at the top");
            }
        }
    }

    #[test]
    fn noise_is_gentle_and_depends_on_the_seed() {
        let world = wrapped(flat(2000.0, 1000.0));
        let field = FlowField::new(&FlowPlan::default(), &world, 1);
        assert_eq!(field.index.cells_along, [100, 50, 1]);
        let row = &field.vectors[..100];
        let turn = |pair: &[Point]| pair[0].angle_between(pair[1]);
        assert!(row.windows(2).all(|pair| turn(pair) < 1.0));
        assert!(row.iter().any(|way| way.angle_between(row[0]) > 1.0));
        assert_ne!(field.vectors, FlowField::new(&FlowPlan::default(), &world, 2).vectors);
        assert_eq!(field.vectors, FlowField::new(&FlowPlan::default(), &world, 1).vectors);
    }

    #[test]
    fn curl_noise_neither_springs_up_nor_ends() {
        // A noise that repeats changes by other steps on each axis.
        let index = SpatialIndex::over(Point::ZERO, Point::new(70.0, 90.0, 120.0), 10.0, MAX_CELLS);
        let noise = Noise::new(&index, 0.2, true, 1);
        assert_eq!(noise.of[0].period, [1, 2, 2]);
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
                (step(1e-2) - step(-1e-2)) / 2e-2 * noise.per_unit[axis]
            };
            diverging += (0..3).map(|axis| slope(axis, Noise::curl)).sum::<f64>().abs();
            diverging += (0..2).map(|axis| slope(axis, Noise::curl_in_plane)).sum::<f64>().abs();
            size += (0..3).map(|axis| slope(axis, Noise::curl).abs()).sum::<f64>();
        }
        assert!(diverging < size * 0.01, "{diverging} of {size}");
    }

    #[test]
    fn noise_in_space_points_everywhere() {
        let field = FlowField::new(&FlowPlan::default(), &wrapped(Point::splat(800.0)), 1);
        let mean = field.vectors.iter().sum::<Point>() / field.vectors.len() as f32;
        assert!(mean.length() < 0.5, "{mean}");
        assert!(field.vectors.iter().any(|way| way.z > 0.3));
        assert!(field.vectors.iter().any(|way| way.z < -0.3));
        assert!(field.vectors.iter().all(|way| (way.length() - 1.0).abs() < 1e-5));
    }

    /// The largest angle between the vectors of neighbouring cells on either side of a seam.
    fn sharpest_turn(kind: FlowKind, world: &World) -> f32 {
        let plan = FlowPlan { kind, cell: 10.0, frequency: 0.04, ..FlowPlan::default() };
        let field = FlowField::new(&plan, world, 1);
        let last = world.size - 5.0;
        let mut sharpest = 0.0_f32;
        for number in 0..400 {
            let at = number as f32;
            let place = Point::new(17.0 * at, 23.0 * at, 29.0 * at).rem_euclid(world.size);
            for axis in 0..world.axes() {
                let (mut below, mut above) = (place, place);
                (below[axis], above[axis]) = (last[axis], 5.0);
                let (below, above) = (field.at(below), field.at(above));
                // Where the current is weak it turns on the spot.
                if below.length() + above.length() > 0.004 || kind == FlowKind::Perlin {
                    sharpest = sharpest.max(below.angle_between(above));
                }
            }
        }
        sharpest
    }

    #[test]
    fn noise_goes_on_across_the_seams() {
        let space = wrapped(Point::new(620.0, 500.0, 380.0));
        let plane = wrapped(flat(620.0, 500.0));
        for (kind, world) in
            [(FlowKind::Curl, space), (FlowKind::Curl, plane), (FlowKind::Perlin, space)]
        {
            let turn = sharpest_turn(kind, &world);
            assert!(turn < 1.0, "{kind:?} in {}: {turn}", world.size);
            let walled = World { boundary: Boundary::Walls, ..world };
            let turn = sharpest_turn(kind, &walled);
            assert!(turn > 2.0, "{kind:?} in {} with walls: {turn}", world.size);
        }
    }
}
