//! Scenes in space with obstacles and hunters: asteroids, a school of fish, starlings over a roost.

use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::GpuEngine;
use flockwork::engine::{Engine, EngineKind};
use flockwork::model::state::FlockState;
use flockwork::model::vector::Point;

use super::avoid::{Collisions, collisions};
use super::{Run, adapter, built_in_scene, mean, metrics_within, on_both, stepped};

#[test]
fn ships_among_asteroids_keep_out_as_their_method_allows() {
    on_both("asteroids", |run| {
        let alone = |run: &mut Run, method: &str, weight: &str| -> Collisions {
            let others = ["feeler", "box", "ahead"].into_iter().filter(|other| *other != method);
            let mut overrides: Vec<String> =
                others.map(|other| format!("{other}.count=0")).collect();
            overrides.push(format!("{method}.avoid.weight={weight}"));
            let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
            run.start(None, &overrides);
            collisions(run, 1000, 5)
        };
        let feeler = alone(run, "feeler", "1");
        assert_eq!(feeler.agents, 0, "{feeler:?}");
        let boxes = alone(run, "box", "10");
        assert!(boxes.agents < 20 && boxes.time < 1e-3, "{boxes:?}");
        let ahead = alone(run, "ahead", "1");
        assert!(ahead.agents < 300 && ahead.time < 0.02, "{ahead:?}");
        let blind = alone(run, "ahead", "0");
        assert!(blind.agents > 400 && blind.time > 4.0 * ahead.time, "{blind:?}");
    });
}

/// Length of the mean heading of some agents.
fn polarisation(velocities: &[Point]) -> f32 {
    let headings = velocities.iter().map(|v| v.normalize_or_zero());
    headings.sum::<Point>().length() / velocities.len() as f32
}

/// For each agent of species 0 the distance to the nearest of species 1.
fn distances(state: &FlockState) -> Vec<f32> {
    let prey = state.species.iter().filter(|species| **species == 0).count();
    let (prey, hunters) = state.position.split_at(prey);
    let nearest = |p: &Point| hunters.iter().map(|q| p.distance(*q)).fold(f32::MAX, f32::min);
    prey.iter().map(nearest).collect()
}

/// The share of fish that are within 20 of a predator, and the mean polarisation of the fish within 40
/// of a fish: means over 1,500 ticks after the first 500.
fn schooling(run: &mut Run) -> (f32, f32) {
    run.step(500);
    let (mut close, mut order) = (Vec::new(), Vec::new());
    for _ in 0..30 {
        let state = run.step(50);
        let away = distances(&state);
        close.push(mean(away.iter().map(|d| f32::from(*d < 20.0))));
        for focus in (0..away.len()).step_by(40) {
            let near = |other: &usize| {
                *other != focus && state.position[*other].distance(state.position[focus]) < 40.0
            };
            let velocities: Vec<Point> =
                (0..away.len()).filter(near).map(|other| state.velocity[other]).collect();
            if velocities.len() > 5 {
                order.push(polarisation(&velocities));
            }
        }
    }
    (mean(close), mean(order))
}

#[test]
fn a_school_keeps_together_and_away_from_predators_and_rocks() {
    on_both("school", |run| {
        let among = collisions(run, 1000, 10);
        assert!(among.time < 1e-3 && among.agents < 80, "{among:?}");
        run.start(None, &[]);
        let (close, order) = schooling(run);
        assert!(order > 0.75, "polarisation {order} within 40 of a fish");
        run.start(None, &["fish.evade.weight=0"]);
        let (careless, _) = schooling(run);
        assert!(8.0 * close < careless, "{close} near a predator, {careless} without evasion");
        run.start(None, &["fish.avoid.weight=0", "shark.avoid.weight=0"]);
        let blind = collisions(run, 1000, 10);
        assert!(blind.time > 20.0 * among.time, "{blind:?} without avoidance");
    });
}

/// The middle of the world, where the roost is.
fn roost(run: &Run) -> Point {
    run.scene.world.size * 0.5
}

#[test]
fn starlings_stay_over_their_roost_as_one_flat_flock() {
    on_both("murmuration", |run| {
        let (mut away, mut together, mut order, mut flat) = (vec![], vec![], vec![], vec![]);
        run.step(400);
        for _ in 0..4 {
            let state = run.step(200);
            let places = &state.position[..10_000];
            away.push(mean(places.iter().map(|p| p.distance(roost(run)))));
            // Birds with gaps below 20 hang together.
            together.push(metrics_within(run, places, 20.0).largest_cluster as f32);
            order.push(polarisation(&state.velocity[..10_000]));
            let middle = places.iter().sum::<Point>() / 1e4;
            let [x, y, z] =
                [0, 1, 2].map(|axis| mean(places.iter().map(|p| (p[axis] - middle[axis]).powi(2))));
            flat.push((z / x.max(y)).sqrt());
        }
        let [away, together, order, flat] = [away, together, order, flat].map(mean);
        assert!((150.0..350.0).contains(&away), "mean distance from the roost {away}");
        assert!(together > 0.6, "{together} of the birds in the largest group");
        assert!((0.35..0.95).contains(&order), "polarisation {order}");
        assert!(flat < 0.6, "height over width {flat}");
        run.start(None, &["starling.follow_path.weight=0"]);
        let state = run.step(500);
        let gone = mean(state.position[..10_000].iter().map(|p| p.distance(roost(run))));
        assert!(gone > 2.0 * away, "{gone} from the roost without an area over it");
    });
}

/// Distances that a wave has gone when 5, 10, … 25 ticks have passed.
type Front = [f32; 5];

/// How far from the birds that turned first those are that turn later, for the next attack: a falcon
/// comes near the flock, and two engines go on from there, one of them without evasion. A bird has turned
/// when its headings in the two differ by 10 degrees. `None` if fewer than 500 turn in 25 ticks.
fn wave(run: &mut Run) -> Option<(Front, f32)> {
    let falcons = |state: &FlockState| distances(&swapped(state));
    let mut far: Vec<bool> = falcons(&run.step(0)).iter().map(|d| *d > 60.0).collect();
    let state = (0..100).find_map(|_| {
        let state = run.step(4);
        let near = falcons(&state);
        let attacks = near.iter().zip(&far).any(|(d, far)| *d < 44.0 && *far);
        for (far, d) in far.iter_mut().zip(&near) {
            *far |= *d > 60.0;
        }
        attacks.then_some(state)
    })?;
    let calm = built_in_scene(run.name, &["starling.evade.weight=0"]);
    let mut other: Box<dyn Engine> = match run.engine.kind() {
        EngineKind::Cpu => Box::new(CpuEngine::new(None).unwrap()),
        EngineKind::Gpu => Box::new(GpuEngine::new(adapter::gpu()?)),
    };
    other.load(&calm, &state).unwrap();
    let birds = 10_000;
    let mut turned = vec![false; birds];
    let mut source = None;
    let mut front = Front::default();
    let edge = 10.0_f32.to_radians().cos();
    for tick in 1..=25 {
        let frightened = run.step(1);
        let calm = stepped(&mut *other, 1);
        for (bird, turned) in turned.iter_mut().enumerate() {
            let [one, two] = [&frightened, &calm].map(|s| s.velocity[bird].normalize_or_zero());
            *turned |= one.dot(two) < edge;
        }
        let places: Vec<Point> =
            (0..birds).filter(|bird| turned[*bird]).map(|bird| state.position[bird]).collect();
        if places.len() >= 5 {
            let source =
                *source.get_or_insert_with(|| places.iter().sum::<Point>() / places.len() as f32);
            let mut away: Vec<f32> = places.iter().map(|p| p.distance(source)).collect();
            away.sort_by(f32::total_cmp);
            if tick % 5 == 0 {
                front[tick / 5 - 1] = away[away.len() * 9 / 10];
            }
        }
    }
    let speed = mean(state.velocity[..birds].iter().map(|v| v.length()));
    (turned.iter().filter(|turned| **turned).count() > 500).then_some((front, speed))
}

/// The flock with falcons as species 0 and starlings as species 1.
fn swapped(state: &FlockState) -> FlockState {
    let mut swapped = state.clone();
    swapped.position.rotate_left(10_000);
    swapped.species = state.species.iter().map(|species| 1 - species).rev().collect();
    swapped
}

#[test]
fn an_attack_runs_through_the_flock_faster_than_birds_fly() {
    on_both("murmuration", |run| {
        run.step(500);
        let waves: Vec<(Front, f32)> = (0..3).filter_map(|_| wave(run)).collect();
        assert!(waves.len() >= 2, "{waves:?}");
        // Units a tick from the tenth to the 25th tick.
        let speeds = waves.iter().map(|(front, bird)| (front[4] - front[1]) / 15.0 / bird);
        let speeds: Vec<f32> = speeds.collect();
        let mean_speed = mean(speeds.iter().copied());
        assert!(mean_speed > 2.5, "{speeds:?} times the birds' speed: {waves:?}");
    });
}
