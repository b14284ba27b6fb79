//! Separation and cohesion: crowds that spread, gather and cluster.

use flockwork::model::state::FlockState;
use flockwork::model::statistics::Metrics;
use flockwork::model::vector::Point;

use super::{Run, mean, on_both};

/// Distance to the nearest of the others, for each of `places`.
fn nearest_neighbours(run: &Run, places: &[Point]) -> Vec<f32> {
    let nearest = |i: usize| {
        let others = places.iter().enumerate().filter(|(j, _)| *j != i);
        others.map(|(_, q)| run.way(places[i], *q).length()).fold(f32::MAX, f32::min)
    };
    (0..places.len()).map(nearest).collect()
}

/// Mean distance of all pairs.
fn mean_distance(run: &Run, state: &FlockState) -> f32 {
    let places = &state.position;
    let pairs = (0..places.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    mean(pairs.map(|(i, j)| run.way(places[i], places[j]).length()))
}

#[test]
fn separation_keeps_a_distance() {
    on_both("separation", |run| {
        let state = run.step(2000);
        let nearest = nearest_neighbours(run, &state.position).into_iter().fold(f32::MAX, f32::min);
        assert!(nearest > 20.0, "two agents are {nearest} apart");
        format!("no pair closer than {nearest:.1} of 24")
    });
}

#[test]
fn seek_and_separation_make_a_disc() {
    on_both("seek-separate", |run| {
        let state = run.step(2000);
        let spacing = Metrics::of(&run.scene, &state).nearest_neighbour_distance;
        assert!((18.0..26.0).contains(&spacing), "mean spacing {spacing}");
        let target = run.scene.targets[1].position;
        let radius = state.position.iter().map(|p| p.distance(target)).fold(0.0, f32::max);
        // 50 agents on a triangular lattice of 24 fill an area of 50 · 24² · √3/2: a disc of 89.
        assert!((70.0..110.0).contains(&radius), "the disc has radius {radius}");
        format!("mean spacing {spacing:.1} of 24 in a disc of radius {radius:.0}")
    });
}

#[test]
fn vehicles_gather_as_near_as_the_inner_radius() {
    on_both("gather", |run| {
        let start = run.step(0);
        let before = mean_distance(run, &start);
        run.step(1000);
        // Within the inner radius nobody brakes: the crowd breathes, and a mean over time is taken.
        let after = mean((0..20).map(|_| {
            let state = run.step(50);
            mean_distance(run, &state)
        }));
        assert!(before > 150.0 && after < 24.0, "{before} to {after}");
        run.start(None, &["vehicle.cohesion.weight=0"]);
        let state = run.step(2000);
        let apart = mean_distance(run, &state);
        assert!(apart > 150.0, "{apart} without cohesion");
        format!("mean distance {before:.0} to {after:.1} (inner radius 24); {apart:.0} without")
    });
}

#[test]
fn the_small_clump_and_the_large_keep_apart() {
    on_both("big-and-small", |run| {
        let state = run.step(1500);
        let spacing = |species: u8| {
            let own = state.species.iter().zip(&state.position).filter(|(s, _)| **s == species);
            let own: Vec<Point> = own.map(|(_, p)| *p).collect();
            assert_eq!(own.len(), 10);
            mean(nearest_neighbours(run, &own))
        };
        let (small, large) = (spacing(0), spacing(1));
        // A small one is 10 across and a large one 40; at the start all are about 80 apart.
        assert!(small < 24.0, "the small are {small} apart");
        assert!((70.0..100.0).contains(&large), "the large are {large} apart");
        // The control: as large, the small ones keep apart too.
        run.start(None, &["small.size=20", "small.separation.radius=80"]);
        let state = run.step(1500);
        let grown = mean(nearest_neighbours(run, &state.position[..10]));
        assert!(grown > 50.0, "as large, the small ones are {grown} apart");
        format!(
            "nearest neighbour of the small {small:.1}, of the large {large:.1}; grown {grown:.1}"
        )
    });
}

/// Number of clusters: groups in which each is within 20 of another.
fn clusters(run: &Run, state: &FlockState) -> usize {
    let places = &state.position;
    let mut left: Vec<usize> = (0..places.len()).collect();
    let mut clusters = 0;
    while let Some(first) = left.pop() {
        clusters += 1;
        let mut found = vec![first];
        while let Some(i) = found.pop() {
            let near = |j: &mut usize| run.way(places[i], places[*j]).length() < 20.0;
            found.extend(left.extract_if(.., near));
        }
    }
    clusters
}

#[test]
fn clusters_of_foam_merge() {
    on_both("foam", |run| {
        let start = run.start(Some(1000), &[]);
        let mut numbers = vec![clusters(run, &start)];
        for ticks in [100, 900, 3000] {
            let state = run.step(ticks);
            numbers.push(clusters(run, &state));
        }
        assert!(numbers.windows(2).all(|pair| 20 * pair[1] < 19 * pair[0]), "{numbers:?}");
        run.start(Some(1000), &["bubble.cohesion.weight=0"]);
        let state = run.step(1000);
        let loose = clusters(run, &state);
        assert!(loose > 2 * numbers[2], "{loose} clusters without cohesion");
        format!(
            "{numbers:?} clusters after 0, 100, 1,000 and 4,000 ticks; {loose} without cohesion"
        )
    });
}
