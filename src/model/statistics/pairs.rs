//! All pairs of agents that are near each other.

use rayon::prelude::*;

use super::cells::Cells;
use crate::grid::Grid;
use crate::parallel::each;
use crate::vector::Point;
use crate::world::{World, with_axes};

/// Number of agents whose lists are made together.
const PART: usize = 1024;

/// Near agents as index arrays: agent `first[k]` has the neighbour `second[k]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// Numbers of agents, ascending.
    pub first: Vec<u32>,
    /// Numbers of their neighbours, ascending for each agent.
    pub second: Vec<u32>,
}

impl Pairs {
    /// The pairs of agents at `positions` that are less than `radius` world units apart, by the shortest way; each
    /// pair from both sides. Exact in crowds too: N agents within the radius have N² pairs. `radius` is finite.
    #[must_use]
    pub fn of(world: &World, positions: &[Point], radius: f32) -> Self {
        let parts = each_pair(world, positions, radius, Vec::new, |pairs, row, other, _| {
            pairs.push((row as u32, other as u32));
        });
        let mut pairs = parts.concat();
        pairs.par_sort_unstable();
        let (first, second) = pairs.into_iter().unzip();
        Self { first, second }
    }
}

/// Visits all pairs of agents that are less than `radius` world units apart: the rows of an agent and of the other, and
/// their squared distance. Each thread has results of its own, which `begin` makes.
pub fn each_pair<T: Send>(
    world: &World,
    positions: &[Point],
    radius: f32,
    begin: impl Fn() -> T + Sync,
    visit: impl Fn(&mut T, usize, usize, f64) + Sync,
) -> Vec<T> {
    if positions.is_empty() || radius <= 0.0 {
        return Vec::new();
    }
    with_axes!(world, AXES => {
        let grid = Grid::<AXES>::new(world, radius, positions.len());
        let cells = Cells::in_grid(grid, world, positions);
        in_cells(&cells, f64::from(radius).powi(2), begin, visit)
    })
}

fn in_cells<const D: usize, T: Send>(
    cells: &Cells<D>,
    limit: f64,
    begin: impl Fn() -> T + Sync,
    visit: impl Fn(&mut T, usize, usize, f64) + Sync,
) -> Vec<T> {
    let count = cells.cell.len();
    let of_part = |part: usize| {
        let mut own = begin();
        for agent in part * PART..((part + 1) * PART).min(count) {
            let runs = cells.starts.grid.runs_around(cells.cell[agent]);
            let others = runs.flat_map(|run| cells.starts.agents(run.first, run.last));
            for other in others.filter(|other| *other != agent) {
                let squared = cells.distance_squared(agent, other);
                if squared < limit {
                    visit(&mut own, cells.row(agent), cells.row(other), squared);
                }
            }
        }
        own
    };
    each(count.div_ceil(PART), &of_part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, unit};
    use crate::statistics::tests::distance_squared;
    use crate::vector::point;
    use crate::world::Boundary;

    /// Every pair.
    fn by_brute_force(world: &World, positions: &[Point], radius: f32) -> Pairs {
        let mut pairs = Pairs::default();
        for (first, a) in positions.iter().enumerate() {
            for (second, b) in positions.iter().enumerate() {
                let squared = distance_squared(world, *a, *b);
                if first != second && squared < f64::from(radius).powi(2) {
                    pairs.first.push(first as u32);
                    pairs.second.push(second as u32);
                }
            }
        }
        pairs
    }

    #[test]
    fn pairs_are_those_of_brute_force() {
        let mut found = 0;
        for boundary in [Boundary::Wrap, Boundary::Walls, Boundary::Open] {
            for (size, flat) in [([90.0, 50.0, 0.0], true), ([60.0, 45.0, 30.0], false)] {
                // A radius of some cells, one that reaches round the world, and one beyond it.
                for radius in [0.0, 4.0, 21.0, 70.0] {
                    let world = World { size: point(size), boundary };
                    let place = |id: u32| {
                        let along = |axis: u32| unit(7, id, axis, Purpose::SpawnX);
                        let free = point([0, 1, 2].map(|axis| along(axis) * size[axis as usize]));
                        // Some share a place, and in an open world some are outside.
                        let beyond = if boundary == Boundary::Open { 1.3 } else { 1.0 };
                        if id.is_multiple_of(7) { world.size * 0.5 } else { free * beyond }
                    };
                    let positions: Vec<Point> = (0..150).map(place).collect();
                    assert_eq!(world.is_flat(), flat);
                    let pairs = Pairs::of(&world, &positions, radius);
                    let wanted = by_brute_force(&world, &positions, radius);
                    assert_eq!(pairs, wanted, "{world:?} {radius}");
                    found += pairs.first.len();
                }
            }
        }
        assert!(found > 100_000, "{found}");
        let world = World { size: point([90.0, 50.0, 0.0]), boundary: Boundary::Wrap };
        assert_eq!(Pairs::of(&world, &[], 5.0), Pairs::default());
    }
}
