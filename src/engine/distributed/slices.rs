//! The slices of a flock's grid, which processes share out.

use flockwork_model::grid::{Grid, Slab, Window};
use flockwork_model::scene::Scene;
use flockwork_model::vector::{Axes, Point, Space, components};
use flockwork_model::world::{World, with_axes};

/// The grid of a whole flock, as all of its processes know it.
#[derive(Clone, Copy, Debug)]
pub struct Slices {
    world: World,
    radius: f32,
    everyone: usize,
}

impl Slices {
    /// The grid for `everyone` agents of a scene.
    pub fn of(scene: &Scene, everyone: usize) -> Self {
        Self { world: scene.world, radius: scene.perception_radius(), everyone }
    }

    fn grid<const D: usize>(&self) -> Grid<D>
    where
        Axes<D>: Space<D>,
    {
        Grid::new(&self.world, self.radius, self.everyone)
    }

    /// Number of slices: rows in a plane, layers in a space.
    pub fn count(&self) -> u32 {
        with_axes!(self.world, AXES => self.grid::<AXES>().slices())
    }

    /// The window of a slab.
    pub fn window(&self, slab: Slab) -> Window {
        with_axes!(self.world, AXES => Window::of(&self.grid::<AXES>(), slab))
    }

    /// The slices beside a slab.
    pub fn beside(&self, slab: Slab) -> Vec<u32> {
        let wraps = with_axes!(self.world, AXES => self.grid::<AXES>().wraps);
        self.window(slab).beside(wraps)
    }

    /// The cells at these places.
    pub fn cells_at(&self, places: &[Point]) -> Vec<u32> {
        with_axes!(self.world, AXES => {
            let grid = self.grid::<AXES>();
            places.iter().map(|place| grid.key_of(components(*place))).collect()
        })
    }

    /// The slices at these places.
    pub fn at(&self, places: &[Point]) -> Vec<u32> {
        let window = self.window(Slab::default());
        self.cells_at(places).into_iter().map(|cell| window.slice_of(cell)).collect()
    }
}
