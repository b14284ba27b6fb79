//! Flow fields: a direction for each cell.

use noise::{NoiseFn, Perlin};

use super::SpatialIndex;
use crate::model::vector::Point;

/// The most cells of a field; larger worlds get wider cells.
const MOST_CELLS: u32 = 1 << 20;

/// The source of the vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowKind {
    /// Perlin noise: an angle that changes gently from place to place.
    Perlin,
    /// Anticlockwise around the middle of the world.
    Vortex,
    /// A grid read from a file.
    File,
}

impl FlowKind {
    /// Every variant, with its name in scene files.
    pub const NAMES: [(&'static str, Self); 3] =
        [("perlin", Self::Perlin), ("vortex", Self::Vortex), ("file", Self::File)];
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
    /// Columns and rows of the file.
    pub grid: (u32, u32),
    /// The file's path; hosts read the file.
    pub file: Option<String>,
    /// The file's vectors, row by row from the bottom; empty until the host has read it.
    pub vectors: Vec<Point>,
}

impl Default for FlowPlan {
    fn default() -> Self {
        Self {
            kind: FlowKind::Perlin,
            cell: 20.0,
            frequency: 0.1,
            grid: (0, 0),
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
    /// Row by row from the bottom.
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
        let mut index = SpatialIndex::over(Point::ZERO, size, plan.cell, MOST_CELLS);
        if plan.kind == FlowKind::File {
            (index.columns, index.rows) = plan.grid;
            index.cells_per_unit = Point::new(index.columns as f32, index.rows as f32) / size;
            return Self { index, vectors: plan.vectors.clone() };
        }
        let perlin = Perlin::new(seed);
        let frequency = f64::from(plan.frequency);
        let way = |column: u32, row: u32| match plan.kind {
            FlowKind::Vortex => (index.middle(column, row) - size * 0.5).perp(),
            _ => {
                let noise = perlin.get([f64::from(column) * frequency, f64::from(row) * frequency]);
                // Noise from −1 to 1 covers the whole circle.
                Point::from_angle(((noise + 1.0) * std::f64::consts::PI) as f32)
            }
        };
        let cells = (0..index.rows).flat_map(|row| (0..index.columns).map(move |c| (c, row)));
        Self { index, vectors: cells.map(|(column, row)| way(column, row)).collect() }
    }

    /// The vector at a position; zero without a field.
    #[inline]
    #[must_use]
    pub fn at(&self, place: Point) -> Point {
        // `as` saturates, and turns NaN into 0.
        let column = (place.x * self.index.cells_per_unit.x) as u32;
        let row = (place.y * self.index.cells_per_unit.y) as u32;
        let last = |cells: u32| cells.saturating_sub(1);
        let (column, row) = (column.min(last(self.index.columns)), row.min(last(self.index.rows)));
        let cell = row as usize * self.index.columns as usize + column as usize;
        self.vectors.get(cell).copied().unwrap_or(Point::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vortex_turns_to_the_left() {
        let plan = FlowPlan { kind: FlowKind::Vortex, ..FlowPlan::default() };
        let field = FlowField::new(&plan, Point::new(400.0, 400.0), 1);
        let Point { x, y } = field.at(Point::new(390.0, 210.0));
        assert!(y > 0.0 && x.abs() < y, "{x} {y} at the right");
        let Point { x, y } = field.at(Point::new(210.0, 1e9));
        assert!(x < 0.0 && y.abs() < -x, "{x} {y} at the top");
    }

    #[test]
    fn noise_is_gentle_and_depends_on_the_seed() {
        let size = Point::new(2000.0, 1000.0);
        let field = FlowField::new(&FlowPlan::default(), size, 1);
        assert_eq!((field.index.columns, field.index.rows), (100, 50));
        let row = &field.vectors[..100];
        let turn = |pair: &[Point]| pair[0].angle_to(pair[1]).abs();
        assert!(row.windows(2).all(|pair| turn(pair) < 1.0));
        assert!(row.iter().any(|way| way.angle_to(row[0]).abs() > 1.0));
        assert_ne!(field.vectors, FlowField::new(&FlowPlan::default(), size, 2).vectors);
        assert_eq!(field.vectors, FlowField::new(&FlowPlan::default(), size, 1).vectors);
    }
}
