//! How the numbers of agents in equal boxes vary: giant number fluctuations.

use super::super::vector::Point;
use super::super::world::World;
use crate::parallel::each;

/// The mean number of agents in a box of [`number_variance`], about: the sides of the boxes are whole
/// parts of the world's.
const MEAN: f64 = 16.0;

/// The number of boxes of the largest size of [`number_exponent`], about.
const COARSE_BOXES: f64 = 16.0;

/// The least mean number of agents in a box of its smallest size.
const MIN_MEAN: f64 = 4.0;

/// The numbers of boxes of nearly equal sides on each axis, about `boxes` in all, and at least one.
fn along(world: &World, boxes: f64) -> [usize; 3] {
    let size = world.size.to_array().map(f64::from);
    let mut sizes = size[..world.axes()].to_vec();
    loop {
        let volume: f64 = sizes.iter().product();
        let side = (volume / boxes.max(1.0)).powf(1.0 / sizes.len() as f64);
        let axes = sizes.len();
        // An axis shorter than half a side has one box, and the others share them all.
        sizes.retain(|size| *size >= 0.5 * side);
        if sizes.len() == axes {
            return size.map(|size| (size / side).round().max(1.0) as usize);
        }
    }
}

/// Mean and variance of the numbers of agents in equal boxes: the unbiased estimate, whose ratio to the
/// mean is expected to be 1 for independent agents. `None` for fewer than two boxes.
fn mean_and_variance(world: &World, along: [usize; 3], positions: &[Point]) -> Option<[f64; 2]> {
    let boxes = along.iter().product::<usize>();
    if boxes < 2 {
        return None;
    }
    let size = world.size.to_array();
    let scale: [f64; 3] = std::array::from_fn(|axis| along[axis] as f64 / f64::from(size[axis]));
    let mut counts = vec![0_u32; boxes];
    for place in positions {
        let index = |axis: usize| {
            // A plane has one box on its third axis.
            let index = f64::from(place[axis]) * scale[axis];
            (index as usize).min(along[axis] - 1)
        };
        counts[(index(2) * along[1] + index(1)) * along[0] + index(0)] += 1;
    }
    let mean = positions.len() as f64 / boxes as f64;
    let squares: f64 = counts.iter().map(|count| (f64::from(*count) - mean).powi(2)).sum();
    Some([mean, squares / (boxes - 1) as f64])
}

/// Variance over mean of the numbers in boxes of about [`MEAN`] agents.
pub fn number_variance(world: &World, positions: &[Point]) -> f64 {
    let boxes = along(world, positions.len() as f64 / MEAN);
    mean_and_variance(world, boxes, positions).map_or(0.0, |[mean, variance]| variance / mean)
}

/// The slope of the logarithm of the variance over the logarithm of the mean, by least squares. Each
/// size of boxes halves the sides of the one before.
pub fn number_exponent(world: &World, positions: &[Point]) -> f64 {
    let count = positions.len() as f64;
    let largest = along(world, COARSE_BOXES);
    let halved = |times: u32| {
        let axes = world.axes();
        std::array::from_fn(|axis| if axis < axes { largest[axis] << times } else { 1 })
    };
    let is_filled = |boxes: &[usize; 3]| count >= MIN_MEAN * boxes.iter().product::<usize>() as f64;
    let sizes: Vec<[usize; 3]> = (0..32).map(halved).take_while(is_filled).collect();
    let logarithms = each(sizes.len(), &|size| {
        let [mean, variance] = mean_and_variance(world, sizes[size], positions)?;
        (variance > 0.0).then(|| [mean.ln(), variance.ln()])
    });
    slope(&logarithms.into_iter().flatten().collect::<Vec<_>>())
}

/// Of the line through points by least squares; 0 for fewer than two points.
fn slope(points: &[[f64; 2]]) -> f64 {
    if points.len() < 2 {
        return 0.0;
    }
    let middle = |axis: usize| points.iter().map(|p| p[axis]).sum::<f64>() / points.len() as f64;
    let [x, y] = [middle(0), middle(1)];
    let sum =
        |of: fn([f64; 2]) -> f64| points.iter().map(|p| of([p[0] - x, p[1] - y])).sum::<f64>();
    sum(|[x, y]| x * y) / sum(|[x, _]| x * x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, unit};
    use crate::world::Boundary;

    fn world(size: [f32; 3]) -> World {
        World { size: size.into(), boundary: Boundary::Wrap }
    }

    /// Independent places in the part of the world from the origin to `end`.
    fn drawn(count: u32, end: [f32; 3]) -> Vec<Point> {
        let place = |id| [0, 1, 2].map(|axis| unit(7, id, axis, Purpose::Trait));
        (0..count).map(|id| Point::from(place(id)) * Point::from(end)).collect()
    }

    /// The agents in each box, counted box by box.
    fn brute_force(world: &World, along: [usize; 3], places: &[Point]) -> [f64; 2] {
        let mut counts = Vec::new();
        for z in 0..along[2] {
            for y in 0..along[1] {
                for x in 0..along[0] {
                    let is_in = |place: &&Point| {
                        (0..world.axes()).all(|axis| {
                            let side = f64::from(world.size[axis]) / along[axis] as f64;
                            let low = [x, y, z][axis] as f64 * side;
                            (low..low + side).contains(&f64::from(place[axis]))
                        })
                    };
                    counts.push(places.iter().filter(is_in).count() as f64);
                }
            }
        }
        let mean = counts.iter().sum::<f64>() / counts.len() as f64;
        let squares = counts.iter().map(|count| (count - mean) * (count - mean)).sum::<f64>();
        [mean, squares / (counts.len() - 1) as f64]
    }

    #[test]
    fn counts_are_those_of_every_box() {
        for size in [[64.0, 64.0, 0.0], [128.0, 32.0, 0.0], [64.0, 64.0, 64.0]] {
            let world = world(size);
            let places = drawn(1024, [size[0] * 0.8, size[1], size[2]]);
            let boxes = along(&world, 64.0);
            assert_eq!(boxes.iter().product::<usize>(), 64, "{size:?}: {boxes:?}");
            let [mean, variance] = brute_force(&world, boxes, &places);
            let found = number_variance(&world, &places);
            assert!((found - variance / mean).abs() < 1e-9, "{size:?}: {found}");
            assert_eq!(mean, MEAN);
            let shifted: Vec<_> = places.iter().map(|place| *place * 0.9).collect();
            let other = number_variance(&world, &shifted);
            assert!((other - variance / mean).abs() > 0.1, "{size:?}: {other}");
        }
        // Thin worlds have a row of boxes.
        assert_eq!(along(&world([1e6, 1e-6, 0.0]), 50.0), [50, 1, 1]);
        assert_eq!(along(&world([1e6, 1e-6, 1.0]), 50.0), [50, 1, 1]);
        assert_eq!(along(&world([9.0, 9.0, 9.0]), 0.1), [1, 1, 1]);
    }

    #[test]
    fn independent_agents_vary_by_their_mean() {
        for (size, count) in [([90.0, 50.0, 0.0], 40_000), ([90.0, 50.0, 70.0], 40_000)] {
            let (world, places) = (world(size), drawn(count, size));
            // The ratio of B boxes varies by √(2/B), about 0.03.
            let ratio = number_variance(&world, &places);
            assert!((ratio - 1.0).abs() < 0.12, "{size:?}: {ratio}");
            // The few largest boxes vary by a third.
            let exponent = number_exponent(&world, &places);
            assert!((exponent - 1.0).abs() < 0.2, "{size:?}: {exponent}");
        }
    }

    #[test]
    fn a_lattice_does_not_vary_and_a_half_filled_world_varies_by_the_square() {
        let world = world([64.0, 64.0, 0.0]);
        let lattice = |columns: usize| -> Vec<Point> {
            let rows = (0..64).flat_map(|y| (0..columns).map(move |x| [x, y]));
            rows.map(|[x, y]| Point::new(x as f32 + 0.5, y as f32 + 0.5, 0.0)).collect()
        };
        assert_eq!(number_variance(&world, &lattice(64)), 0.0);
        assert_eq!(number_exponent(&world, &lattice(64)), 0.0);
        // Half of the boxes are empty: N is 0 or twice its mean in every size of boxes; a number B of
        // boxes makes the variance B/(B − 1) times its mean squared.
        let half = lattice(32);
        let sizes = [16.0, 64.0, 256.0].map(|boxes: f64| {
            let mean = 2048.0 / boxes;
            [mean.ln(), (mean * mean * boxes / (boxes - 1.0)).ln()]
        });
        let exponent = number_exponent(&world, &half);
        assert!((exponent - slope(&sizes)).abs() < 1e-9, "{exponent}");
        assert!((exponent - 2.0).abs() < 0.03, "{exponent}");
    }

    #[test]
    fn few_agents_have_no_numbers() {
        let world = world([64.0, 64.0, 0.0]);
        for count in [1, 5, 20] {
            let places = drawn(count, [64.0, 64.0, 0.0]);
            assert_eq!(number_variance(&world, &places), 0.0);
            assert_eq!(number_exponent(&world, &places), 0.0);
        }
    }
}
