//! How far the velocity of an agent tells about the velocities around it.

use super::super::random::{Purpose, unit};
use super::super::scene::Scene;
use super::super::state::FlockState;
use super::super::vector::Point;
use crate::parallel::each;
use glam::DVec3;

/// Flocks up to this size pair all agents; of larger ones about this number take part, so that the cost
/// does not grow with the flock: some two million pairs.
const MAX_PAIRED: f32 = 2048.0;

/// Number of agents that one task pairs with all after them. Fixed, so that the sums do not depend on the
/// number of threads.
const PART: usize = 64;

/// Bits of a squared distance in `f32` below the bin's number: three bits of the fraction remain, so a
/// bin is between 4 and 6 % of its distance wide.
const BIN_SHIFT: u32 = 20;
const BINS: usize = 1 << (31 - BIN_SHIFT);

/// Neighbouring bins are joined until they have so many pairs: the mean of independent products is then
/// within 4 % of their deviation.
const JOINED: u64 = 500;

/// In a small flock a sixteenth of all pairs is enough.
const JOINED_SHARE: u64 = 16;

/// Sums over the pairs at about the same distance.
#[derive(Clone, Copy, Default)]
struct Bin {
    pairs: u64,
    distance: f64,
    /// Of scalar products.
    product: f64,
}

impl Bin {
    fn add(&mut self, other: &Self) {
        self.pairs += other.pairs;
        self.distance += other.distance;
        self.product += other.product;
    }
}

/// Position, and velocity without the mean.
type Agent = (Point, DVec3);

/// The distance at which the mean of `u(i) · u(j)` over all pairs at that distance first falls to 0,
/// with u the velocity without the flock's mean; world units. 0 if the nearest pairs are not
/// correlated.
pub fn correlation_length(scene: &Scene, state: &FlockState) -> f64 {
    let share = MAX_PAIRED / state.len() as f32;
    let paired =
        |row: &usize| share >= 1.0 || unit(scene.seed, state.id[*row], 0, Purpose::Paired) < share;
    let rows: Vec<usize> = (0..state.len()).filter(paired).collect();
    let velocity = |row: &usize| state.velocity[*row].as_dvec3();
    // Of the agents that take part: then the products of all pairs sum to less than 0, and the mean must
    // cross it.
    let mean = rows.iter().map(velocity).sum::<DVec3>() / rows.len().max(1) as f64;
    let agents: Vec<Agent> =
        rows.iter().map(|row| (state.position[*row], velocity(row) - mean)).collect();
    let of_part = |part: usize| {
        let mut bins = vec![Bin::default(); BINS];
        for number in part * PART..agents.len().min((part + 1) * PART) {
            let (from, own) = agents[number];
            for (to, other) in &agents[number + 1..] {
                let squared = scene.world.shortest_between(from, *to).length_squared();
                bins[(squared.to_bits() >> BIN_SHIFT) as usize].add(&Bin {
                    pairs: 1,
                    distance: f64::from(squared.sqrt()),
                    product: own.dot(*other),
                });
            }
        }
        bins
    };
    let mut bins = vec![Bin::default(); BINS];
    for part in each(agents.len().div_ceil(PART), &of_part) {
        bins.iter_mut().zip(&part).for_each(|(all, bin)| all.add(bin));
    }
    first_crossing(&bins)
}

/// Where the mean product first falls to 0, between the mean distances of joined bins.
fn first_crossing(bins: &[Bin]) -> f64 {
    let pairs: u64 = bins.iter().map(|bin| bin.pairs).sum();
    let enough = JOINED.min(pairs / JOINED_SHARE).max(1);
    let (mut joined, mut before, mut left) = (Bin::default(), None, pairs);
    for bin in bins {
        joined.add(bin);
        left -= bin.pairs;
        // The farthest pairs are a group, however few they are: the mean may fall to 0 only there.
        if joined.pairs < if left > 0 { enough } else { 1 } {
            continue;
        }
        let count = joined.pairs as f64;
        let [distance, mean] = [joined.distance / count, joined.product / count];
        if mean <= 0.0 {
            return before.map_or(0.0, |[nearer, positive]: [f64; 2]| {
                nearer + (distance - nearer) * positive / (positive - mean)
            });
        }
        (before, joined) = (Some([distance, mean]), Bin::default());
    }
    0.0
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;
    use crate::vector::flat;

    fn scene(size: &str, boundary: &str) -> Scene {
        let text = format!("world = {{ size = {size}, boundary = \"{boundary}\" }}\n[species.a]");
        Scene::parse("test", &text).unwrap()
    }

    /// Places on a lattice of whole quarters, so that `f32` has their squared distances exactly, with
    /// these velocities.
    fn drawn(count: u32, size: Point, velocity: impl Fn(Point) -> Point) -> FlockState {
        let place = |id| {
            let unit = Point::from([0, 1, 2].map(|axis| unit(5, id, axis, Purpose::Trait)));
            (unit * size * 4.0).floor() / 4.0
        };
        let position: Vec<Point> = (0..count).map(place).collect();
        let velocity = position.iter().map(|place| velocity(*place)).collect();
        FlockState { id: (0..count).collect(), position, velocity, ..FlockState::default() }
    }

    /// A wave along x of this many periods.
    fn wave(periods: f64, length: f32) -> impl Fn(Point) -> Point {
        move |place| {
            let turns = f64::from(place.x / length) * periods;
            Point::new(3.0, (turns * TAU).cos() as f32, 0.0)
        }
    }

    /// The same from a sorted list of all pairs in `f64`.
    fn brute_force(state: &FlockState, wrapped: Option<f64>) -> f64 {
        let n = state.len();
        let velocity: Vec<DVec3> = state.velocity.iter().map(|v| v.as_dvec3()).collect();
        let mean = velocity.iter().sum::<DVec3>() / n as f64;
        let mut pairs = Vec::new();
        for i in 0..n {
            for j in i + 1..n {
                let way = (state.position[i].as_dvec3() - state.position[j].as_dvec3()).abs();
                let way = wrapped.map_or(way, |size| way.min((DVec3::splat(size) - way).abs()));
                let product = (velocity[i] - mean).dot(velocity[j] - mean);
                pairs.push((way.length_squared(), product));
            }
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Eight bins between two powers of two.
        let bin = |squared: f64| {
            let power = squared.log2().floor();
            (power, ((squared / power.exp2() - 1.0) * 8.0).floor())
        };
        let least = (pairs.len() / 16).min(500);
        let (mut group, mut before) = (Vec::new(), None);
        for (index, pair) in pairs.iter().enumerate() {
            group.push(*pair);
            let next = pairs.get(index + 1);
            if next.is_some_and(|next| bin(next.0) == bin(pair.0) || group.len() < least) {
                continue;
            }
            let of =
                |of: fn(&(f64, f64)) -> f64| group.iter().map(of).sum::<f64>() / group.len() as f64;
            let (distance, mean) = (of(|pair| pair.0.sqrt()), of(|pair| pair.1));
            if mean <= 0.0 {
                let (nearer, positive) = before.unwrap_or((distance, 0.0));
                return nearer + (distance - nearer) * positive / (positive - mean);
            }
            (before, group) = (Some((distance, mean)), Vec::new());
        }
        0.0
    }

    #[test]
    fn it_agrees_with_a_list_of_all_pairs() {
        let size = Point::new(64.0, 64.0, 0.0);
        for count in [30, 200, 600] {
            let state = drawn(count, size, wave(1.0, 64.0));
            let wrapped = correlation_length(&scene("[64, 64]", "wrap"), &state);
            let open = correlation_length(&scene("[64, 64]", "open"), &state);
            // Roots of distances are rounded to `f32`.
            let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-6;
            assert!(close(wrapped, brute_force(&state, Some(64.0))), "{count}: {wrapped}");
            assert!(close(open, brute_force(&state, None)), "{count}: {open}");
            assert!(!close(wrapped, open), "the seam makes no difference");
            // Only the few pairs with the last agent, which is far away, are not correlated.
            let mut alone = drawn(count, size, |_| flat(1.0, 0.0));
            alone.position[0] = flat(900.0, 0.0);
            alone.velocity[0] = flat(-1.0, 0.0);
            let far = correlation_length(&scene("[64, 64]", "open"), &alone);
            assert!(far > 64.0 && close(far, brute_force(&alone, None)), "{count}: {far}");
        }
    }

    #[test]
    fn a_wave_is_correlated_up_to_the_first_zero_of_its_bessel_function() {
        // Over all directions cos(k r) has the mean J₀(k r) in a plane and sin(k r)/(k r) in a space.
        // Bins are up to 6 % wide; the sample makes some percent.
        let length = |size: &str, depth: f32, periods: f64, count: u32| {
            let state = drawn(count, Point::new(64.0, 64.0, depth), wave(periods, 64.0));
            correlation_length(&scene(size, "wrap"), &state)
        };
        const TOLERANCE: f64 = 0.06;
        let close = |found: f64, expected: f64| (found / expected - 1.0).abs() < TOLERANCE;
        let [plane, half] = [1.0, 2.0].map(|periods| length("[64, 64]", 0.0, periods, 2000));
        assert!(close(plane, 2.404_826 / TAU * 64.0), "{plane}");
        assert!(close(half, plane / 2.0) && !close(half, plane), "{half}");
        let space = length("[64, 64, 64]", 64.0, 2.0, 2000);
        assert!(close(space, 16.0), "{space}");
        let sampled = length("[64, 64]", 0.0, 1.0, 20_000);
        assert!(close(sampled, plane) && sampled != plane, "{sampled}");
    }

    #[test]
    fn without_fluctuations_there_is_no_length() {
        let scene = scene("[64, 64]", "wrap");
        let size = Point::new(64.0, 64.0, 0.0);
        for count in [1, 2, 500] {
            assert_eq!(correlation_length(&scene, &drawn(count, size, |_| flat(0.3, 0.1))), 0.0);
        }
        // Two agents always differ by the same amount from their mean.
        assert_eq!(correlation_length(&scene, &drawn(2, size, wave(1.0, 64.0))), 0.0);
    }
}
