//! Tests of the grid, in two and three axes.

use super::*;
use crate::vector::{Point, flat};

/// A grid for a radius of 10, with `density` agents per square of 10 by 10.
fn grid(width: f32, height: f32, boundary: Boundary, density: f32) -> Grid<2> {
    let world = World { size: flat(width, height), boundary };
    Grid::new(&world, 10.0, (width * height * density / 100.0).ceil() as usize)
}

#[test]
fn no_position_names_a_cell_that_does_not_exist() {
    let grid = grid(100.0, 50.0, Boundary::Open, 1.0);
    for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, 0.0, 99.9, 100.0, 1e30] {
        let [column, row] = grid.cell_of([x, x]);
        assert!(column < grid.columns() && row < grid.rows(), "{x}");
    }
}

#[test]
fn keys_of_many_are_the_keys_of_each() {
    let check = |grid: &Grid<2>, p: Point| {
        let mut key = [0];
        grid.keys_of(Vector([p.x, p.y]), &mut key);
        assert_eq!(key[0], grid.key_of([p.x, p.y]), "{p} in {grid:?}");
    };
    let small = grid(100.0, 50.0, Boundary::Open, 1.0);
    let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, -1.0, 1e-40, 99.9, 100.0, 1e30];
    for (x, y) in odd.into_iter().flat_map(|x| odd.map(|y| (x, y))) {
        check(&small, flat(x, y));
    }
    let world = World { size: flat(655_350.0, 10.0), boundary: Boundary::Wrap };
    let wide = Grid::<2>::new(&world, 10.0, 1 << 20);
    assert!(wide.columns() > 60_000);
    for cell in 0..wide.columns() {
        // The edge of each cell, and the floats next to it.
        let edge = cell as f32 / wide.cells_per_unit[0];
        for x in [edge.next_down(), edge, edge.next_up(), edge + 5.0] {
            check(&wide, flat(x, 3.0));
        }
    }
}

#[test]
fn what_is_out_of_reach_is_never_nearer_than_the_radius() {
    for width in [10.0_f32, 999.99, 1000.0, 123_456.0] {
        for density in [0.1, 1.0, 9.0] {
            let grid = grid(width, 10.0, Boundary::Wrap, density);
            let [along, up] = grid.cells_per_unit;
            assert!(grid.reach as f32 / along >= 10.0 || grid.columns() == 1, "{width}");
            assert!(1.0 / up >= 10.0 || grid.rows() == 1, "{width}");
        }
    }
}

#[test]
fn a_thin_world_has_no_more_cells_than_another() {
    for (thin, count) in [(1.0, 10_000), (1e-3, 10_000), (30.0, 100_000), (1e4, 10_000)] {
        for radius in [0.0, 0.5, 20.0] {
            let most = count * CELLS_PER_AGENT as usize;
            let plane = Grid::over([1e4, thin], true, radius, count);
            let low = Grid::over([1e4, 1e4, thin], false, radius, count);
            let upright = Grid::over([thin, thin, 1e4], true, radius, count);
            for cells in [plane.cells(), low.cells(), upright.cells()] {
                assert!(cells <= most, "{thin}, {count}, {radius}: {cells}");
            }
            // A wide radius alone makes fewer.
            assert!(radius > 1.0 || low.cells() * 4 > most, "{thin}: {low:?}");
        }
    }
}

/// Grids in three axes, with one to many cells along each.
fn in_space() -> Vec<Grid<3>> {
    let mut grids = Vec::new();
    for wraps in [true, false] {
        for size in [
            [105.0, 55.0, 65.0],
            [65.0, 25.0, 105.0],
            [15.0, 35.0, 12.0],
            [25.0; 3],
            // Three columns, all of them in reach of each, or seven.
            [35.0, 25.0, 12.0],
        ] {
            for (density, reach) in [(1.0, 1), (9.0, 2)] {
                let count = size.iter().product::<f32>() * density / 1000.0;
                let grid = Grid::over(size, wraps, 10.0, count.ceil() as usize);
                assert_eq!(grid.reach, reach, "{grid:?}");
                grids.push(grid);
            }
        }
    }
    grids
}

#[test]
fn the_cells_of_space_are_numbered_row_by_row_and_layer_by_layer() {
    for grid in in_space() {
        let [columns, rows, layers] = grid.cells_along;
        assert_eq!(grid.cells(), (columns * rows * layers) as usize);
        assert_eq!((grid.columns(), grid.rows()), (columns, rows * layers));
        let in_layer = |z| (0..rows).flat_map(move |y| (0..columns).map(move |x| [x, y, z]));
        for (next, cell) in (0..).zip((0..layers).flat_map(in_layer)) {
            assert_eq!((grid.number(cell), grid.indices_of(next)), (next, cell));
            let p = [0, 1, 2].map(|axis| (cell[axis] as f32 + 0.5) / grid.cells_per_unit[axis]);
            assert_eq!(grid.cell_of(p), cell);
            let mut key = [0];
            grid.keys_of(Vector(p), &mut key);
            assert_eq!((grid.key_of(p), key[0]), (next, next));
        }
    }
}

/// How far two cells are apart along an axis, and on which sides of the seam they are so near.
fn apart(grid: &Grid<3>, axis: usize, from: u32, to: u32) -> (u32, Vec<i32>) {
    let cells = grid.cells_along[axis] as i32;
    let sides: &[i32] = if grid.wraps { &[-1, 0, 1] } else { &[0] };
    let distance = |side: &i32| (to as i32 + side * cells).abs_diff(from as i32);
    let least = sides.iter().map(distance).min().unwrap_or_default();
    (least, sides.iter().copied().filter(|side| distance(side) == least).collect())
}

#[test]
fn the_runs_around_a_cell_of_space_are_the_cells_in_reach() {
    let (mut narrow, mut wide) = (0, 0);
    for grid in in_space() {
        for number in 0..grid.cells() as u32 {
            let mut sides = vec![None; grid.cells()];
            let runs: Vec<_> = grid.runs_around(number).collect();
            for pair in runs.windows(2) {
                let [row, next] = [0, 1].map(|nth| pair[nth].first / grid.columns());
                let ascends = row != next || pair[0].last < pair[1].first;
                assert!(ascends, "{pair:?} round {number} of {grid:?}");
            }
            for run in runs {
                for near in run.first..=run.last {
                    let again = sides[near as usize].replace(run.sides);
                    assert_eq!(again, None, "{near} is twice round {number} of {grid:?}");
                }
            }
            for other in 0..grid.cells() as u32 {
                let (here, there) = (grid.indices_of(number), grid.indices_of(other));
                let axes = [0, 1, 2].map(|axis| apart(&grid, axis, here[axis], there[axis]));
                let reach = [grid.reach, 1, 1];
                let near = (0..3).all(|axis| axes[axis].0 <= reach[axis]);
                let found = sides[other as usize];
                assert_eq!(found.is_some(), near, "{other} round {number} of {grid:?}");
                let Some(found) = found.filter(|_| !grid.is_narrow()) else {
                    narrow += usize::from(near);
                    continue;
                };
                wide += 1;
                for axis in 0..3 {
                    assert_eq!(axes[axis].1, [found[axis]], "{other} round {number} of {grid:?}");
                }
            }
        }
    }
    assert!(narrow > 100 && wide > 1000, "{narrow} {wide}");
}
