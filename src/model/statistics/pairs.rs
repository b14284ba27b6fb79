//! All pairs of agents that are near each other.

use rayon::prelude::*;

use super::cells::Cells;
use crate::grid::Grid;
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
        if positions.is_empty() || radius <= 0.0 {
            return Self::default();
        }
        with_axes!(world, AXES => {
            let grid = Grid::<AXES>::new(world, radius, positions.len());
            of_cells(&Cells::in_grid(grid, world, positions), radius)
        })
    }
}

fn of_cells<const D: usize>(cells: &Cells<D>, radius: f32) -> Pairs {
    let (limit, count) = (f64::from(radius) * f64::from(radius), cells.cell.len());
    let mut place = vec![0_u32; count];
    for agent in 0..count {
        place[cells.row(agent)] = agent as u32;
    }
    let around = |row: usize, found: &mut Vec<u32>| {
        let agent = place[row] as usize;
        let runs = cells.starts.grid.runs_around(cells.cell[agent]);
        let others = runs.flat_map(|run| cells.starts.agents(run.first, run.last));
        let near = |other: &usize| *other != agent && cells.distance_squared(agent, *other) < limit;
        let begin = found.len();
        found.extend(others.filter(near).map(|other| cells.row(other) as u32));
        found[begin..].sort_unstable();
    };
    let of_part = |part: usize| {
        let mut pairs = Pairs::default();
        for row in part * PART..((part + 1) * PART).min(count) {
            around(row, &mut pairs.second);
            pairs.first.resize(pairs.second.len(), row as u32);
        }
        pairs
    };
    let parts: Vec<Pairs> = (0..count.div_ceil(PART)).into_par_iter().map(of_part).collect();
    let joined = |of: fn(&Pairs) -> &Vec<u32>| -> Vec<u32> {
        let slices: Vec<&[u32]> = parts.iter().map(|part| of(part).as_slice()).collect();
        slices.concat()
    };
    Pairs { first: joined(|part| &part.first), second: joined(|part| &part.second) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Use, unit};
    use crate::vector::point;
    use crate::world::Boundary;

    /// Every pair, by the shortest of all ways round the world.
    fn by_brute_force(world: &World, positions: &[Point], radius: f32) -> Pairs {
        let mut pairs = Pairs::default();
        let rounds: &[f64] =
            if world.boundary == Boundary::Wrap { &[-1.0, 0.0, 1.0] } else { &[0.0] };
        let along = |axis: usize, a: Point, b: Point| {
            let ways = rounds.iter().map(|round| {
                (f64::from(b[axis]) - f64::from(a[axis]) + round * f64::from(world.size[axis]))
                    .abs()
            });
            if axis < world.axes() { ways.fold(f64::INFINITY, f64::min) } else { 0.0 }
        };
        for (first, a) in positions.iter().enumerate() {
            for (second, b) in positions.iter().enumerate() {
                let squares = (0..3).map(|axis| along(axis, *a, *b).powi(2));
                if first != second && squares.sum::<f64>() < f64::from(radius).powi(2) {
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
                        let along = |axis: u32| unit(7, id, axis, Use::SpawnX);
                        let free = point([0, 1, 2].map(|axis| along(axis) * size[axis as usize]));
                        // Some share a place, and in an open world some are outside.
                        let beyond = if boundary == Boundary::Open { 1.3 } else { 1.0 };
                        if id.is_multiple_of(7) { world.size * 0.5 } else { free * beyond }
                    };
                    let positions: Vec<Point> = (0..150).map(place).collect();
                    assert_eq!(world.is_flat(), flat);
                    let pairs = Pairs::of(&world, &positions, radius);
                    assert_eq!(
                        pairs,
                        by_brute_force(&world, &positions, radius),
                        "{world:?} {radius}"
                    );
                    found += pairs.first.len();
                }
            }
        }
        assert!(found > 100_000, "{found}");
        let world = World { size: point([90.0, 50.0, 0.0]), boundary: Boundary::Wrap };
        assert_eq!(Pairs::of(&world, &[], 5.0), Pairs::default());
    }
}
