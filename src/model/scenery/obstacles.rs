//! Obstacles: circles that agents steer around.

use std::borrow::Cow;

use glam::DVec3;

use super::{CellLists, SpatialIndex};
use crate::real::Real;
use crate::vector::{Point, Vector};
use crate::world::{Boundary, World};

/// The most cells in an index of obstacles.
const MAX_CELLS: usize = 1 << 18;

/// Cells across the reach of an obstacle. More cells make the lists shorter and the table longer.
const CELLS_ACROSS: f32 = 4.0;

/// The most cells per obstacle: a large world with few obstacles gets wider cells.
const MAX_CELLS_PER_OBSTACLE: usize = 64;

/// The least value of the limits on cells and on entries, even for few obstacles.
const MIN_SIZE: usize = 1 << 12;

/// The most entries of all lists together, per obstacle.
const MAX_ENTRIES_PER_OBSTACLE: usize = 64;

/// The most entries of all lists together, unless there are more obstacles; 80 MiB.
const MAX_ENTRIES: usize = 1 << 22;

/// A circle, or a sphere in space. Shaders read these four floats.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Obstacle {
    /// The centre; world units.
    pub position: Point,
    /// World units.
    pub radius: f32,
}

impl Obstacle {
    /// A circle of `radius` around `position`.
    #[must_use]
    pub fn new(position: Point, radius: f32) -> Self {
        Self { position, radius }
    }
}

/// For each cell the obstacles that may affect an agent in it; none by default.
#[derive(Clone, Debug, Default)]
pub struct Obstacles {
    /// The cells. No obstacle is within reach of places outside them.
    pub index: SpatialIndex,
    /// For each cell the obstacles within reach of a place in it, in the order of the scene.
    pub cells: CellLists<Obstacle>,
}

impl Obstacles {
    /// Lists each of the `obstacles` in the cells within `reach` of its centre.
    #[must_use]
    pub fn within(world: &World, obstacles: &[Obstacle], reach: impl Fn(&Obstacle) -> f32) -> Self {
        if obstacles.is_empty() {
            return Self::default();
        }
        // None farther outside than the shortest way allows.
        let inside = |own: &Obstacle| Obstacle::new(world.folded(own.position), own.radius);
        let obstacles: Vec<Obstacle> = obstacles.iter().map(inside).collect();
        let wraps = world.boundary == Boundary::Wrap;
        let (mut low, mut high) = (Point::ZERO, world.size);
        let mut widest = 0.0_f32;
        for obstacle in &obstacles {
            let reach = world.on_axes(reach(obstacle));
            widest += reach.x / obstacles.len() as f32;
            if world.boundary == Boundary::Open {
                low = low.min(obstacle.position - reach);
                high = high.max(obstacle.position + reach);
            }
        }
        let mut side = 2.0 * widest / CELLS_ACROSS;
        let count = obstacles.len();
        let most_cells = (count * MAX_CELLS_PER_OBSTACLE).clamp(MIN_SIZE, MAX_CELLS) as u32;
        let most_entries = (count * MAX_ENTRIES_PER_OBSTACLE).clamp(MIN_SIZE, MAX_ENTRIES) as f64;
        let mut index = SpatialIndex::over(low, high, side, most_cells);
        let listed = |index: &SpatialIndex| -> f64 {
            let cells = index.cells_per_unit.as_dvec3();
            let limits = DVec3::from_array(index.cells_along.map(f64::from));
            let one = |obstacle: &Obstacle| {
                let across = 2.0 * f64::from(reach(obstacle)) * cells + 1.0;
                across.min(limits).element_product()
            };
            obstacles.iter().map(one).sum()
        };
        // If a few obstacles are much larger than the others, cells are widened: each large
        // obstacle would be in the lists of nearly all narrow cells.
        while index.cells() > 1 && listed(&index) > most_entries {
            side = side.max(index.cell_size().max_element()) * 2.0;
            index = SpatialIndex::over(low, high, side, most_cells);
        }
        let mut lists = vec![Vec::new(); index.cells()];
        for (number, obstacle) in obstacles.iter().enumerate() {
            let reach = reach(obstacle);
            let middle = (obstacle.position - index.origin) * index.cells_per_unit;
            let [columns, rows, layers] = [0, 1, 2].map(|axis| {
                let reach = reach * index.cells_per_unit[axis];
                covered(middle[axis], reach, index.cells_along[axis], wraps)
            });
            let lines = layers.iter().flat_map(|layer| rows.iter().map(move |row| (*row, *layer)));
            for (row, layer) in lines {
                for column in &columns {
                    lists[index.number([*column, row, layer])].push(number as u32);
                }
            }
        }
        Self { index, cells: CellLists::of(&obstacles, &lists) }
    }

    /// The obstacles that may affect an agent at a position.
    #[inline]
    #[must_use]
    pub fn near(&self, place: Point) -> &[Obstacle] {
        self.index.cell(place).map_or(&[], |cell| self.cells.list(cell))
    }

    /// The obstacles that may affect any of several agents. Agents with a `weight` of 0 do not
    /// count.
    #[inline]
    #[must_use]
    pub fn near_any<R: Real, const D: usize>(
        &self,
        place: &Vector<R, D>,
        weight: &R,
    ) -> Cow<'_, [Obstacle]> {
        let asked = place.points().zip(weight.numbers()).filter(|(_, weight)| **weight > 0.0);
        self.cells.joined(asked.filter_map(|(place, _)| self.index.cell(place)))
    }

    /// True if a position lies inside an obstacle.
    #[must_use]
    pub fn cover(&self, world: &World, position: Point) -> bool {
        self.near(position).iter().any(|obstacle| {
            let offset = world.shortest_between(obstacle.position, position);
            offset.length_squared() < obstacle.radius * obstacle.radius
        })
    }
}

/// Bound on the error of a position in cells: there are at most 2¹⁸ cells, and a product of two
/// numbers has a relative error of 2⁻²³.
const ROUNDING: f32 = 0.05;

/// The cells on one axis within `reach` cells of `middle`, each once; across the seam if the axis
/// `wraps`.
fn covered(middle: f32, reach: f32, cells: u32, wraps: bool) -> Vec<u32> {
    let count = cells as i64;
    // The margin is larger than the rounding of a position's own cell.
    let first = (middle - reach - ROUNDING).floor().max(-1e9) as i64;
    let last = (middle + reach + ROUNDING).floor().min(1e9) as i64;
    if !wraps {
        return (first.max(0)..=last.min(count - 1)).map(|cell| cell as u32).collect();
    }
    (0..(last - first + 1).min(count)).map(|i| (first + i).rem_euclid(count) as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, unit};
    use crate::vector::flat;

    #[test]
    fn every_obstacle_in_reach_is_found_from_everywhere() {
        for boundary in [Boundary::Wrap, Boundary::Walls, Boundary::Open] {
            let world = World { size: flat(300.0, 200.0), boundary };
            let obstacles: Vec<Obstacle> = (0..40)
                .map(|i| {
                    let at = |purpose| unit(1, i, 0, purpose);
                    let place =
                        flat(at(Purpose::SpawnX) * 500.0 - 100.0, at(Purpose::SpawnY) * 200.0);
                    Obstacle::new(place, 5.0 + i as f32)
                })
                .collect();
            let reach = |obstacle: &Obstacle| obstacle.radius + 15.0;
            let index = Obstacles::within(&world, &obstacles, reach);
            let (mut found, mut listed) = (0, 0);
            for i in 0..2000 {
                let at = |purpose| unit(2, i, 0, purpose);
                let p = flat(at(Purpose::SpawnX), at(Purpose::SpawnY)) * world.size;
                let near = index.near(p);
                listed += near.len();
                for obstacle in &obstacles {
                    let place = world.folded(obstacle.position);
                    let obstacle = &Obstacle::new(place, obstacle.radius);
                    let way = world.shortest_between(obstacle.position, p);
                    if way.length() < reach(obstacle) {
                        assert!(near.contains(obstacle), "{boundary:?}: {obstacle:?} from {p}");
                        found += 1;
                    }
                }
            }
            assert!(found > 1000 && listed < 2000 * 40, "{found} of {listed}");
        }
    }
}
