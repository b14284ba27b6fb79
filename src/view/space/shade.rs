//! The grid in which a flock that is matter casts shade on itself.

use crate::style::SLENDERNESS;
use flockwork_model::scene::Scene;

/// Cells along the longest side of the world.
const CELLS: f32 = 80.0;

/// See [`ShadeGrid::shaded`].
const SHADED: f32 = 0.22;

/// The grid and its light. Plain numbers for `shaders/shade.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShadeGrid {
    /// Cells per world unit along one side.
    pub cells_per_unit: f32,
    /// The optical depth of one agent in a cell, from side to side.
    pub depth_of_agent: f32,
    /// The light of an agent in full shade, as a share of its light in the sun.
    pub shaded: f32,
    /// Cells per axis; none if nothing casts shade.
    pub cells_along: [u32; 3],
}

impl ShadeGrid {
    /// The shade in a picture of a scene.
    pub fn of(scene: &Scene) -> Self {
        let Some(matter) = scene.style.matter.filter(|_| !scene.world.is_flat()) else {
            return Self::default();
        };
        let cells_per_unit = CELLS / scene.world.size.max_element();
        let size = scene.species.first().map_or(0.0, |species| species.body.size);
        // A dart from the side.
        let area = 2.0 * SLENDERNESS * size * size;
        let along = (scene.world.size * cells_per_unit).ceil().to_array();
        Self {
            cells_per_unit,
            depth_of_agent: matter * area * cells_per_unit * cells_per_unit,
            shaded: SHADED,
            cells_along: along.map(|cells| (cells as u32).max(1)),
        }
    }

    /// Number of cells.
    pub fn cells(&self) -> u32 {
        self.cells_along.iter().product()
    }
}
