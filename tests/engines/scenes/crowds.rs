//! Separation and cohesion: crowds that spread, gather and cluster.

use flockwork::model::behaviours::Kind;
use flockwork::model::scene::{Request, Slot, drawn};
use flockwork::model::state::FlockState;
use flockwork::model::statistics::Metrics;
use flockwork::model::vector::Point;

use super::{Run, mean, metrics_within, on_both};

/// The distance from each of `places` to the nearest other one.
fn nearest_neighbours(run: &Run, places: &[Point]) -> Vec<f32> {
    let nearest = |i: usize| {
        let others = places.iter().enumerate().filter(|(j, _)| *j != i);
        others.map(|(_, q)| run.way(places[i], *q).length()).fold(f32::MAX, f32::min)
    };
    (0..places.len()).map(nearest).collect()
}

/// The mean distance over all pairs.
fn mean_distance(run: &Run, state: &FlockState) -> f32 {
    let places = &state.position;
    let pairs = (0..places.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    mean(pairs.map(|(i, j)| run.way(places[i], places[j]).length()))
}

#[test]
fn separation_keeps_a_distance() {
    on_both("separation", |run| {
        let closest = |run: &Run, state: &FlockState| {
            nearest_neighbours(run, &state.position).into_iter().fold(f32::MAX, f32::min)
        };
        let state = run.step(0);
        let mut distances = vec![closest(run, &state)];
        for ticks in [100, 400, 500, 1000] {
            let state = run.step(ticks);
            distances.push(closest(run, &state));
        }
        assert!(distances[0] < 24.0 && distances[1] > 24.0, "closest pairs: {distances:?}");
        assert!(distances[2..].iter().all(|d| *d > 38.0), "closest pairs: {distances:?}");
        run.start(None, &["vehicle.separation.weight=0"]);
        let state = run.step(2000);
        let close = closest(run, &state);
        assert!(close < 24.0, "{close} without separation");
    });
}

#[test]
fn seek_and_separation_make_a_disc() {
    on_both("seek-separate", |run| {
        let state = run.step(2000);
        let spacing = Metrics::of(&run.scene, &state).nearest_neighbour_distance;
        assert!((40.0..48.0).contains(&spacing), "mean spacing {spacing}");
        let target = run.scene.targets[1].position;
        let radius = mean(state.position.iter().map(|p| p.distance(target)));
        // 50 agents on a triangular lattice of 45 fill an area of 50 · 45² · √3/2: a disc of radius
        // 167. Their mean distance from its middle is two thirds of that.
        assert!((95.0..135.0).contains(&radius), "the disc's mean radius is {radius}");
        run.start(None, &["vehicle.seek.weight=0"]);
        let state = run.step(2000);
        let loose = mean(state.position.iter().map(|p| run.way(*p, target).length()));
        assert!(loose > 1.2 * radius, "{loose} without seeking");
    });
}

#[test]
fn vehicles_gather_as_near_as_the_inner_radius() {
    on_both("gather", |run| {
        // Within the inner radius agents do not brake, so the crowd oscillates: take means over
        // time.
        let spread = |run: &mut Run, ticks: u32| {
            mean((0..ticks / 50).map(|_| {
                let state = run.step(50);
                mean_distance(run, &state)
            }))
        };
        let start = run.step(0);
        let before = mean_distance(run, &start);
        let after = [spread(run, 500), spread(run, 500), spread(run, 1000)];
        assert!(before > 150.0 && after[0] < 80.0, "{before} to {after:?}");
        assert!(after[1] < 48.0 && after[2] < 36.0, "{before} to {after:?}");
        run.start(None, &["vehicle.cohesion.weight=0", "vehicle.spawn.speed=1"]);
        let apart = spread(run, 1000);
        assert!(apart > 150.0, "{apart} without cohesion");
    });
}

/// For the small and the large agents over the first 3,000 ticks: the mean distance to the nearest
/// of their kind, and the share of observations in which two of them touch (are within 10).
fn clumps(run: &mut Run) -> [(f32, f32); 2] {
    let mut kinds = [(0.0, 0.0); 2];
    for _ in 0..300 {
        let state = run.step(10);
        for (species, (distance, touching)) in kinds.iter_mut().enumerate() {
            let own = state.species.iter().zip(&state.position);
            let own = own.filter(|(s, _)| usize::from(**s) == species).map(|(_, p)| *p);
            let nearest = nearest_neighbours(run, &own.collect::<Vec<_>>());
            assert_eq!(nearest.len(), 10);
            *touching += f32::from(u8::from(nearest.iter().any(|d| *d < 10.0))) / 300.0;
            *distance += mean(nearest) / 300.0;
        }
    }
    kinds
}

#[test]
fn the_small_clump_and_the_large_keep_apart() {
    on_both("big-and-small", |run| {
        let [(small, _), (large, meetings)] = clumps(run);
        // A small one is 5 across and a large one 20. At the start all are about 60 apart.
        assert!(small < 10.0, "the small are {small} apart");
        assert!((41.0..70.0).contains(&large), "the large are {large} apart");
        // Controls: each of the two needs its rule.
        run.start(None, &["small.cohesion.weight=0"]);
        let [(loose, _), _] = clumps(run);
        assert!(loose > 40.0, "the small are {loose} apart without their rule");
        run.start(None, &["large.separation.weight=0"]);
        let [_, (_, clashes)] = clumps(run);
        assert!(2.0 * meetings < clashes, "they meet {meetings} of the time, {clashes} without");
    });
}

/// The number of clusters: groups in which each is within 12 of another, so that two bubbles touch.
fn clusters(run: &Run, state: &FlockState) -> u64 {
    metrics_within(run, &state.position, 12.0).clusters
}

#[test]
fn clusters_of_foam_merge() {
    on_both("foam", |run| {
        // At its own count, with three seeds: twelve clusters are few.
        let mut numbers = [0; 4];
        let mut without = [[0; 2]; 2];
        for seed in 1..=3 {
            let request = Request { seed: Some(seed), ..Request::default() };
            let start = run.start_with(request, &[]);
            numbers[0] += clusters(run, &start);
            for (number, ticks) in numbers[1..].iter_mut().zip([100, 500, 1400]) {
                let state = run.step(ticks);
                *number += clusters(run, &state);
            }
            for (rule, after) in ["cohesion", "alignment"].iter().zip(&mut without) {
                run.start_with(request, &[&format!("bubble.{rule}.weight=0")]);
                for (number, ticks) in after.iter_mut().zip([600, 1400]) {
                    let state = run.step(ticks);
                    *number += clusters(run, &state);
                }
            }
        }
        assert!(numbers[0] > 250 && numbers[1] < 60, "{numbers:?}");
        assert!(3 * numbers[2] < 2 * numbers[1] && 3 * numbers[3] < 2 * numbers[2], "{numbers:?}");
        // Controls: without cohesion there are no clusters, and without alignment they do not
        // merge.
        let [loose, apart] = without;
        assert!(loose[1] > 200, "{loose:?} without cohesion");
        let merged = apart[1] <= 2 * numbers[3] || apart[1] + 6 <= apart[0];
        assert!(!merged, "{apart:?} without alignment");
    });
}

#[test]
fn hungrier_agents_keep_less_room() {
    on_both("hunger", |run| {
        let slot = Slot::Rule(Kind::Seek, Kind::Seek.parameter("weight").unwrap());
        let hunger: Vec<f32> =
            (0..50).map(|id| drawn(0.0, 1.0, run.scene.seed, id, slot.noise_key())).collect();
        let food = run.scene.targets[1].position;
        let mut order: Vec<usize> = (0..50).collect();
        order.sort_by(|a, b| hunger[*a].total_cmp(&hunger[*b]));
        // Distance to the food, and room, of the ten least hungry and of the ten hungriest.
        let figures = |run: &mut Run| {
            let (mut ways, mut rooms) = ([0.0; 2], [0.0; 2]);
            for _ in 0..40 {
                let state = run.step(50);
                let room = nearest_neighbours(run, &state.position);
                for (end, ids) in [&order[..10], &order[40..]].into_iter().enumerate() {
                    let way = |id: &usize| run.way(state.position[*id], food).length();
                    ways[end] += mean(ids.iter().map(way)) / 40.0;
                    rooms[end] += mean(ids.iter().map(|id| room[*id])) / 40.0;
                }
            }
            (ways, rooms)
        };
        // From the first tick on, while they come from all sides.
        let (ways, rooms) = figures(run);
        assert!(ways[1] < 0.6 * ways[0], "{ways:?} from the food");
        assert!(rooms[1] < 0.7 * rooms[0], "{rooms:?} of room");
        // Control: equally hungry ones behave alike.
        run.start(None, &["vehicle.seek.weight=0.5"]);
        let (alike, level) = figures(run);
        assert!(alike[1] > 0.75 * alike[0] && level[1] > 0.85 * level[0], "{alike:?}, {level:?}");
    });
}
