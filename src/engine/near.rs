//! The agents near a place, through the grid.

use std::ops::Range;

use flockwork_model::grid::Grid;
use flockwork_model::vector::{Axes, Space, Vector};
use flockwork_model::world::World;

/// Far beyond all cells of a grid.
const FAR: f32 = 1e12;

/// Runs of cells that hold all agents within `radius` of `place`, by their numbers; `radius` is 0 or more.
pub fn cells_within<const D: usize>(
    grid: &Grid<D>,
    place: [f32; D],
    radius: f32,
) -> Vec<Range<usize>>
where
    Axes<D>: Space<D>,
{
    let indices = |axis: usize| -> Vec<u32> {
        let cells = i64::from(grid.cells_along[axis]);
        let index = |p: f32| (p * grid.cells_per_unit[axis]).clamp(-FAR, FAR).floor() as i64;
        // One cell more on each side: the ends are rounded.
        let (first, last) = (index(place[axis] - radius) - 1, index(place[axis] + radius) + 1);
        if !grid.wraps {
            // The cells at the edges hold the agents outside.
            let [first, last] = [first, last].map(|index| index.clamp(0, cells - 1));
            return (first as u32..=last as u32).collect();
        }
        if last - first + 1 >= cells {
            return (0..cells as u32).collect();
        }
        let mut indices: Vec<u32> =
            (first..=last).map(|index| index.rem_euclid(cells) as u32).collect();
        indices.sort_unstable();
        indices
    };
    let mut columns: Vec<Range<u32>> = Vec::new();
    for column in indices(0) {
        match columns.last_mut().filter(|run| run.end == column) {
            Some(run) => run.end += 1,
            None => columns.push(column..column + 1),
        }
    }
    // The first cell of each row: the last axis varies slowest.
    let mut rows = vec![0_usize];
    for axis in (1..D).rev() {
        let along = grid.cells_along[axis] as usize;
        let indices = indices(axis);
        let next =
            rows.iter().flat_map(|row| indices.iter().map(move |i| row * along + *i as usize));
        rows = next.collect();
    }
    let width = grid.cells_along[0] as usize;
    let runs = rows.iter().flat_map(|row| {
        columns
            .iter()
            .map(move |run| row * width + run.start as usize..row * width + run.end as usize)
    });
    runs.collect()
}

/// True if two places are less than `radius` apart.
pub fn is_near<const D: usize>(
    world: &World,
    place: [f32; D],
    other: [f32; D],
    radius: f32,
) -> bool {
    let way = world.shortest(Vector(other) - Vector(place));
    radius > 0.0 && way.dot(way) < radius * radius
}
