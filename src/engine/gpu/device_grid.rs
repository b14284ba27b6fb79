//! The grid as the device knows it: one type for planes and spaces.

use flockwork_model::scene::Scene;
use flockwork_model::vector::{DIMENSIONS, components, point};
use flockwork_model::world::with_axes;

/// The numbers of a [`flockwork_model::grid::Grid`]. A plane has one layer of cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceGrid {
    /// Number of cells along each axis.
    pub cells_along: [u32; DIMENSIONS],
    /// Cells per world unit, for each axis; 0 on the third axis of a plane.
    pub cells_per_unit: [f32; DIMENSIONS],
    /// Number of columns on each side of an agent's own that may hold its neighbours.
    pub reach: u32,
    /// True if the cells around an agent wrap around the world and overlap.
    pub is_narrow: bool,
}

impl DeviceGrid {
    /// The grid for `count` agents of a scene.
    #[must_use]
    pub fn of(scene: &Scene, count: usize) -> Self {
        with_axes!(scene.world, AXES => {
            let grid = scene.grid::<AXES>(count);
            let mut cells_along = [1; DIMENSIONS];
            cells_along[..AXES].copy_from_slice(&grid.cells_along);
            Self {
                cells_along,
                cells_per_unit: components(point(grid.cells_per_unit)),
                reach: grid.reach,
                is_narrow: grid.is_narrow(),
            }
        })
    }

    /// Number of cells.
    #[must_use]
    pub fn cells(&self) -> u32 {
        self.cells_along.iter().product()
    }
}
