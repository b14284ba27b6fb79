//! Groups against all pairs of agents, and crowds.

use super::cells::Cells;
use super::clusters::Clusters;
use super::tests::distance_squared;
use crate::grid::Grid;
use crate::random::{Purpose, unit};
use crate::vector::{Point, components};
use crate::world::{Boundary, World};

const RADIUS: f32 = 10.0;

/// The groups, and for each agent the smallest id in its own.
type Found = (Clusters, Vec<Option<u32>>);

/// The id of a row: large ones come first.
fn id_of(row: usize) -> u32 {
    9_000_000 - 7 * row as u32
}

/// The groups found by looking at all pairs.
fn by_all_pairs(world: &World, positions: &[Point], radius: f32) -> Found {
    let limit = f64::from(radius) * f64::from(radius);
    let near = |a: Point, b: Point| distance_squared(world, a, b) < limit;
    let mut rest: Vec<usize> = (0..positions.len()).collect();
    let (mut found, mut smallest) = (Clusters::default(), vec![None; positions.len()]);
    while let Some(first) = rest.pop() {
        let (mut next, mut members) = (vec![first], Vec::new());
        while let Some(agent) = next.pop() {
            members.push(agent);
            let (joined, others) =
                rest.into_iter().partition(|other| near(positions[agent], positions[*other]));
            rest = others;
            next.extend::<Vec<usize>>(joined);
        }
        found.count += 1;
        found.largest = found.largest.max(members.len() as u64);
        let least = members.iter().map(|row| id_of(*row)).min();
        members.iter().for_each(|row| smallest[*row] = least.filter(|_| members.len() > 1));
    }
    (found, smallest)
}

fn found<const D: usize>(world: &World, positions: &[Point], radius: f32) -> Found {
    let grid = Grid::<D>::new(world, radius, positions.len());
    let cells = Cells::in_grid(grid, world, positions);
    let ids: Vec<u32> = (0..positions.len()).map(id_of).collect();
    (Clusters::of(&cells, radius), Clusters::smallest_ids_in(&cells, radius, &ids))
}

fn world<const D: usize>(boundary: Boundary, side: f32) -> World {
    let size = crate::vector::point([side; D]);
    World { size, boundary }
}

/// Places with coordinates from 0 to 1.
fn places<const D: usize>(seed: u32, count: u32) -> impl Iterator<Item = Point> {
    let of = move |id| {
        crate::vector::point::<D>(std::array::from_fn(|axis| {
            unit(seed, id, axis as u32, Purpose::Trait)
        }))
    };
    (0..count).map(of)
}

fn assert_all_pairs<const D: usize>(world: &World, positions: &[Point], case: &str) -> bool {
    let wanted = by_all_pairs(world, positions, RADIUS);
    assert_eq!(found::<D>(world, positions, RADIUS), wanted, "{case}");
    // The control: with half the radius there are other groups.
    found::<D>(world, positions, RADIUS / 2.0) != wanted
}

fn even_flocks_and_crowds<const D: usize>() {
    let mut differ = 0;
    for boundary in Boundary::NAMES.map(|(_, boundary)| boundary) {
        for (seed, side) in [8.0, 15.0, 25.0, 35.0, 60.0, 110.0, 200.0].into_iter().enumerate() {
            let world = world::<D>(boundary, side);
            let seed = seed as u32;
            let mut even: Vec<Point> = places::<D>(seed, 400).map(|p| p * side).collect();
            if boundary == Boundary::Open {
                even.iter_mut().step_by(9).for_each(|p| p.x -= side);
            }
            let case = format!("{D} axes, {boundary:?}, side {side}");
            differ += u32::from(assert_all_pairs::<D>(&world, &even, &case));
            // Blobs of 100 agents, in chains whose links are about as long as the radius.
            let blob = |number: u32| {
                let middle = places::<D>(seed + 50, 4).nth(number as usize / 2).unwrap() * side;
                let link = Point::X * (RADIUS + 2.0) * (number % 2) as f32;
                places::<D>(seed + number, 100).map(move |p| middle + link + p * 2.5)
            };
            let mut crowds: Vec<Point> = (0..8).flat_map(blob).collect();
            if boundary == Boundary::Wrap {
                crowds.iter_mut().for_each(|p| *p = wrapped::<D>(*p, side));
            }
            differ += u32::from(assert_all_pairs::<D>(&world, &crowds, &format!("{case}, crowds")));
        }
    }
    assert!(differ > 20, "half the radius gives the same groups: only {differ} differ");
}

fn wrapped<const D: usize>(p: Point, side: f32) -> Point {
    let inside =
        components::<D>(p).map(|p| p.rem_euclid(side)).map(|p| if p < side { p } else { 0.0 });
    crate::vector::point(inside)
}

#[test]
fn groups_are_those_of_all_pairs() {
    even_flocks_and_crowds::<2>();
    even_flocks_and_crowds::<3>();
}

#[test]
fn crowds_take_bounded_time() {
    let count = 100_000;
    let world = world::<2>(Boundary::Walls, 400.0);
    let spots = |apart: f32, width: f32| -> Vec<Point> {
        let places = places::<2>(1, 2 * count).enumerate();
        let spot = |(id, p): (usize, Point)| {
            Point::new(191.0 + apart * (id % 2) as f32, 191.0, 0.0) + p * width
        };
        places.map(spot).collect()
    };
    let groups = |apart, width| {
        let (Clusters { count, largest }, _) = found::<2>(&world, &spots(apart, width), RADIUS);
        (count, largest)
    };
    let (all, half) = (2 * u64::from(count), u64::from(count));
    assert_eq!(groups(0.0, 0.0), (1, all), "one spot");
    assert_eq!(groups(0.0, 8.0), (1, all), "one cell");
    assert_eq!(groups(1.5 * RADIUS, 0.0), (2, half), "two spots");
    assert_eq!(groups(1.5 * RADIUS, 4.0), (2, half), "two blobs");
    assert_eq!(groups(1.3 * RADIUS, 4.0), (1, all), "two blobs with a link");
}

#[test]
fn agents_that_perceive_nobody_are_alone() {
    let world = world::<2>(Boundary::Wrap, 50.0);
    let places: Vec<Point> = places::<2>(1, 20).map(|p| p * 50.0).collect();
    assert_eq!(found::<2>(&world, &places, 0.0).0, Clusters { count: 20, largest: 1 });
    assert_eq!(found::<2>(&world, &[], 10.0).0, Clusters::default());
}
