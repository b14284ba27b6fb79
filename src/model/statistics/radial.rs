//! The density of agents around agents.

use std::f64::consts::PI;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::pairs::each_pair;
use crate::vector::Point;
use crate::world::World;

/// The radial distribution function: the density of others at each distance from an agent, as a multiple of that in
/// an even flock. Distances go the shortest way, and in a wrapped world they make sense up to half its shortest side.
/// Near walls and open edges there are fewer others than in the middle, and the function stays below 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RadialDistribution {
    /// Pairs in each interval of distances, each pair from both sides. The intervals have equal widths.
    pub pairs: Vec<u64>,
    /// The function in each interval. 1 on average in a flock whose agents are independent of each other; 0 in an
    /// empty one.
    pub values: Vec<f64>,
}

impl RadialDistribution {
    /// The distribution of all agents. `intervals` equal parts cover the distances from 0 to `radius` world units.
    #[must_use]
    pub fn of(world: &World, positions: &[Point], radius: f32, intervals: usize) -> Self {
        Self::around_first(world, (positions, positions.len()), radius, intervals)
    }

    /// The distribution of all agents around the first ones.
    #[must_use]
    pub fn around_first(
        world: &World,
        (positions, first): (&[Point], usize),
        radius: f32,
        intervals: usize,
    ) -> Self {
        let rows = (0..first, 0..positions.len());
        let pairs = counts(world, positions, (radius, intervals), rows);
        // An agent is not its own neighbour.
        Self::from(world, pairs, first as f64 * (positions.len() as f64 - 1.0), radius)
    }

    /// The distribution of `others` around agents of another kind, such as another species.
    #[must_use]
    pub fn around(
        world: &World,
        agents: &[Point],
        others: &[Point],
        radius: f32,
        intervals: usize,
    ) -> Self {
        let (all, end) = ([agents, others].concat(), agents.len());
        let rows = (0..end, end..all.len());
        let pairs = counts(world, &all, (radius, intervals), rows);
        Self::from(world, pairs, (agents.len() * others.len()) as f64, radius)
    }

    /// `possible` is the number of pairs in the whole world.
    fn from(world: &World, pairs: Vec<u64>, possible: f64, radius: f32) -> Self {
        let axes = world.axes();
        let size: f64 = (0..axes).map(|axis| f64::from(world.size[axis])).product();
        let width = f64::from(radius) / pairs.len() as f64;
        let value = |(interval, pairs): (usize, &u64)| {
            let [inner, outer] = [interval, interval + 1].map(|n| content(axes, n as f64 * width));
            let expected = possible * (outer - inner) / size;
            if expected > 0.0 { *pairs as f64 / expected } else { 0.0 }
        };
        Self { values: pairs.iter().enumerate().map(value).collect(), pairs }
    }
}

/// For each agent the number of others less than `radius` world units away, over the content of that disc or ball.
/// `radius` is positive.
#[must_use]
pub fn local_densities(world: &World, positions: &[Point], radius: f32) -> Vec<f64> {
    let others: Vec<AtomicU32> = positions.iter().map(|_| AtomicU32::new(0)).collect();
    each_pair(
        world,
        positions,
        radius,
        || (),
        |(), row, _, _| {
            others[row].fetch_add(1, Ordering::Relaxed);
        },
    );
    let around = content(world.axes(), f64::from(radius));
    others.into_iter().map(|others| f64::from(others.into_inner()) / around).collect()
}

/// Area of a disc, or volume of a ball.
fn content(axes: usize, radius: f64) -> f64 {
    if axes == 2 { PI * radius.powi(2) } else { 4.0 / 3.0 * PI * radius.powi(3) }
}

/// Pairs in intervals of distances: from agents in the rows `from` to others in the rows `to`.
fn counts(
    world: &World,
    positions: &[Point],
    (radius, intervals): (f32, usize),
    (from, to): (Range<usize>, Range<usize>),
) -> Vec<u64> {
    let scale = intervals as f64 / f64::from(radius);
    let count = |pairs: &mut Vec<u64>, row: usize, other: usize, squared: f64| {
        if from.contains(&row) && to.contains(&other) {
            // A distance just below the radius may be rounded up to it.
            let interval = ((squared.sqrt() * scale) as usize).min(intervals - 1);
            pairs[interval] += 1;
        }
    };
    let mut all = vec![0; intervals];
    if intervals == 0 {
        return all;
    }
    for part in each_pair(world, positions, radius, || vec![0; intervals], count) {
        all.iter_mut().zip(part).for_each(|(all, part)| *all += part);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, unit};
    use crate::statistics::tests::distance_squared;
    use crate::vector::point;
    use crate::world::Boundary;

    fn places(count: u32, size: Point) -> Vec<Point> {
        let along = |id: u32, axis: u32| unit(11, id, axis, Purpose::SpawnX);
        (0..count).map(|id| point([0, 1, 2].map(|axis| along(id, axis))) * size).collect()
    }

    #[test]
    fn without_intervals_there_is_nothing() {
        let world = World { size: Point::new(9.0, 9.0, 0.0), boundary: Boundary::Wrap };
        let none = RadialDistribution::of(&world, &[Point::ONE, Point::ONE], 3.0, 0);
        assert!(none.values.is_empty() && none.pairs.is_empty());
    }

    #[test]
    fn pairs_and_densities_are_those_of_brute_force() {
        for size in [[90.0, 50.0, 0.0], [40.0, 45.0, 30.0]] {
            for boundary in [Boundary::Wrap, Boundary::Walls] {
                let world = World { size: point(size), boundary };
                let all = places(300, world.size);
                let (agents, others) = all.split_at(70);
                let (radius, intervals) = (13.0, 7);
                let interval = |a: &Point, b: &Point| {
                    let distance = distance_squared(&world, *a, *b).sqrt();
                    (distance < f64::from(radius)).then_some((distance / 13.0 * 7.0) as usize)
                };
                let brute = |from: &[Point], to: &[Point]| {
                    let mut pairs = vec![0; intervals];
                    for (a, b) in from.iter().flat_map(|a| to.iter().map(move |b| (a, b))) {
                        if let Some(own) = interval(a, b).filter(|_| !std::ptr::eq(a, b)) {
                            pairs[own] += 1;
                        }
                    }
                    pairs
                };
                let own = RadialDistribution::of(&world, &all, radius, intervals);
                assert_eq!(own.pairs, brute(&all, &all), "{world:?}");
                let mixed = RadialDistribution::around(&world, agents, others, radius, intervals);
                assert_eq!(mixed.pairs, brute(agents, others), "{world:?}");
                assert_ne!(own.pairs, mixed.pairs);
                let around = |a: &Point| all.iter().filter_map(|b| interval(a, b)).count() - 1;
                let content = content(world.axes(), f64::from(radius));
                let expected: Vec<f64> = all.iter().map(|a| around(a) as f64 / content).collect();
                assert_eq!(local_densities(&world, &all, radius), expected);
            }
        }
    }

    #[test]
    fn independent_agents_are_as_dense_everywhere() {
        for size in [[200.0, 200.0, 0.0], [60.0, 60.0, 60.0]] {
            let world = World { size: point(size), boundary: Boundary::Wrap };
            let all = places(20_000, world.size);
            let (radius, intervals) = (20.0, 10);
            let even = RadialDistribution::of(&world, &all, radius, intervals);
            let mixed =
                RadialDistribution::around(&world, &all[..9_000], &all[9_000..], radius, intervals);
            for (pairs, value) in
                even.pairs.iter().zip(&even.values).chain(mixed.pairs.iter().zip(&mixed.values))
            {
                // Numbers of pairs vary nearly as a Poisson process; both sides of a pair count.
                let error = (2.0 / *pairs as f64).sqrt();
                assert!((value - 1.0).abs() < 4.0 * error, "{value} ± {error}");
            }
            // On a lattice several agents share a spot, and none is between two spots.
            let side = f32::from(10_u8);
            let lattice: Vec<Point> = all.iter().map(|p| (*p / side).floor() * side).collect();
            let values = RadialDistribution::of(&world, &lattice, radius, intervals).values;
            assert!(values[0] > 5.0 && values[2] == 0.0, "{values:?}");
        }
    }

    #[test]
    fn nobody_has_no_density() {
        let world = World { size: point([9.0, 9.0, 0.0]), boundary: Boundary::Wrap };
        for few in [&[][..], &[Point::ONE][..]] {
            let own = RadialDistribution::of(&world, few, 3.0, 4);
            assert_eq!((own.pairs, own.values), (vec![0; 4], vec![0.0; 4]));
            assert_eq!(local_densities(&world, few, 3.0), vec![0.0; few.len()]);
        }
    }
}
