//! Wander, contain, follow flow: vehicles that move alone.

use flockwork::model::scene::BoidShape;
use flockwork::model::scenery::FlowField;
use flockwork::model::state::FlockState;
use flockwork::model::vector::{Point, flat};

use super::{Run, assert_none_lost, mean, on_both};

/// Mean turn of the heading in one tick; degrees.
fn mean_turn(run: &mut Run) -> f32 {
    let before = run.step(0);
    let after = run.step(1);
    let turns = before.velocity.iter().zip(&after.velocity);
    mean(turns.map(|(a, b)| a.angle_between(*b).to_degrees()))
}

/// Mean cosine between the headings at two times.
fn correlation(before: &FlockState, after: &FlockState) -> f32 {
    let pairs = before.velocity.iter().zip(&after.velocity);
    mean(pairs.map(|(a, b)| a.normalize_or_zero().dot(b.normalize_or_zero())))
}

/// The mean displacement between two times and its root mean square, by the shortest way.
fn displacement(run: &Run, before: &FlockState, after: &FlockState) -> (f32, f32) {
    let ways = || before.position.iter().zip(&after.position).map(|(p, q)| run.way(*p, *q));
    let drift = flat(mean(ways().map(|way| way.x)), mean(ways().map(|way| way.y)));
    (drift.length(), mean(ways().map(Point::length_squared)).sqrt())
}

#[test]
fn wanderers_turn_gently_and_drift_nowhere() {
    on_both("wander", |run| {
        run.start(Some(10_000), &[]);
        let start = run.step(0);
        let turn = mean_turn(run);
        assert!(turn > 0.1 && turn < 2.0, "{turn} degrees a tick");
        let mut memory = vec![1.0, correlation(&start, &run.step(9))];
        while memory.len() < 9 {
            memory.push(correlation(&start, &run.step(10)));
        }
        // Over 80 ticks it falls smoothly, and after 600 it has vanished: the correlation of 10,000
        // random headings is about 0.007.
        let steps = || memory.windows(2).map(|pair| pair[0] - pair[1]);
        assert!(steps().all(|step| step > 0.0 && step < 0.3), "not smooth: {memory:?}");
        let state = run.step(520);
        let late = correlation(&start, &state);
        assert!(late.abs() < 0.06, "{late} is left after 600 ticks");
        // 10,000 independent displacements have a mean of rms/100; three times that has a
        // probability of e^-9. A flock with equal starts would drift by the rms itself.
        let (drift, rms) = displacement(run, &start, &state);
        assert!(drift < 0.03 * rms, "a drift of {drift}, {rms} each");
        // Controls: without wandering no agent turns; with four times the force all turn faster.
        run.start(Some(1000), &["vehicle.wander.weight=0"]);
        assert!(mean_turn(run) < 0.1);
        run.start(Some(1000), &["vehicle.max_force=0.2"]);
        run.step(100);
        let quick = mean_turn(run);
        assert!(quick > 2.0, "{quick} degrees with a force of 0.2");
    });
}

#[test]
fn embers_glow_and_stray() {
    on_both("embers", |run| {
        assert_eq!(run.scene.species[0].look, BoidShape::Glow);
        run.start(Some(10_000), &[]);
        let start = run.step(0);
        let turn = mean_turn(run);
        let state = run.step(299);
        assert_none_lost(run, &state, 10_000);
        let late = correlation(&start, &state);
        let (drift, rms) = displacement(run, &start, &state);
        // A kick turns the heading by up to asin(r / (D + v)), which is 5.7 degrees.
        assert!(turn > 1.0 && turn < 4.0, "{turn} degrees a tick");
        assert!(late.abs() < 0.05, "{late} is left after 300 ticks");
        assert!(rms > 50.0 && drift < 0.03 * rms, "a drift of {drift}, {rms} each");
    });
}

/// Over 200 ticks, the mean share of turns that go to the other side than the turn before.
fn changes_of_side(run: &mut Run) -> f32 {
    let mut before = run.step(1).velocity;
    let mut sides: Vec<f32> = vec![0.0; before.len()];
    let mut changes = Vec::new();
    for _ in 0..200 {
        let after = run.step(1).velocity;
        for ((side, a), b) in sides.iter_mut().zip(&before).zip(&after) {
            let turn = a.truncate().perp_dot(b.truncate());
            changes.push(f32::from(u8::from(*side * turn < 0.0)));
            *side = turn;
        }
        before = after;
    }
    mean(changes)
}

#[test]
fn a_random_force_is_nervous() {
    on_both("wander-nervous", |run| {
        let twitches = changes_of_side(run);
        assert!((0.45..0.55).contains(&twitches), "{twitches} of all turns change the side");
        // Control: a stroll keeps to a side for a while, and turns as much.
        let turn = mean_turn(run);
        let kind = ["kind=circle", "distance=80", "radius=25", "turn=15"];
        let kind = kind.map(|key| format!("vehicle.wander.{key}"));
        run.start(None, &kind.each_ref().map(String::as_str));
        let strolls = changes_of_side(run);
        let gentle = mean_turn(run);
        assert!(strolls < 0.1 && gentle > 0.5 * turn, "{strolls} with turns of {gentle}");
    });
}

/// The share of observations in which a vehicle is beyond the walls, and how far it gets.
fn outside(run: &mut Run) -> (f32, f32) {
    let size = run.scene.world.size;
    let (mut out, mut far) = (Vec::new(), 0.0_f32);
    for _ in 0..200 {
        for p in run.step(10).position {
            let beyond = (-p).max(p - size).max_element();
            out.push(f32::from(u8::from(beyond > 0.0)));
            far = far.max(beyond);
        }
    }
    (mean(out), far)
}

#[test]
fn walls_hold_vehicles() {
    on_both("walls", |run| {
        let (gone, _) = outside(run);
        assert_eq!(gone, 0.0, "an agent left");
        // If only the behaviour holds them, vehicles are hardly ever outside, and then only
        // slightly.
        run.start(None, &["world.boundary=open"]);
        let (share, far) = outside(run);
        assert!(share < 1e-3 && far < 3.0, "{share} of the time outside, up to {far}");
        // At the source's own speed a vehicle cannot turn within the margin.
        run.start(None, &["world.boundary=open", "vehicle.max_speed=8", "vehicle.spawn.speed=8"]);
        let (fast, farther) = outside(run);
        assert!(fast > 0.1 && farther > 50.0, "{fast} of the time outside, up to {farther}");
        run.start(None, &["world.boundary=open", "vehicle.contain.weight=0"]);
        let (lost, _) = outside(run);
        assert!(lost > 0.9, "{lost} of the time outside without the behaviour");
    });
}

/// For each vehicle the mean cosine between velocity and field over 300 ticks.
fn along_the_flow(run: &mut Run) -> Vec<f32> {
    // The field of the scene, even if the behaviour is missing and the scene computes none.
    let plan = run.scene.flow.clone().unwrap();
    let field = FlowField::new(&plan, &run.scene.world, run.scene.seed);
    let mut cosines = vec![0.0; run.scene.own_count() as usize];
    for _ in 0..60 {
        let state = run.step(5);
        let vehicles = state.position.iter().zip(&state.velocity);
        for (cosine, (p, v)) in cosines.iter_mut().zip(vehicles) {
            let way = field.at(*p);
            *cosine += way.normalize_or_zero().dot(v.normalize_or_zero()) / 60.0;
        }
    }
    cosines
}

#[test]
fn vehicles_go_with_the_flow() {
    on_both("flow", |run| {
        let cosines = along_the_flow(run);
        let cosine = mean(cosines.iter().copied());
        // Each vehicle has drawn its own speed and force. They decide how tightly it can turn:
        // v²/f.
        let bodies: Vec<_> =
            (0..120).map(|id| run.scene.species[0].of_agent(run.scene.seed, id).body).collect();
        let radius = |id: usize| bodies[id].max_speed.powi(2) / bodies[id].max_force;
        let nimble = |id: &usize| radius(*id) < 40.0;
        let able = mean((0..120).filter(nimble).map(|id| cosines[id]));
        let clumsy = mean((0..120).filter(|id| radius(*id) > 80.0).map(|id| cosines[id]));
        assert!(able > 0.95, "mean cosine {able} of those that turn within two cells");
        // In the source a fast vehicle may draw a small force, which needs more than four cells to
        // turn it.
        assert!(cosine > 0.93 && clumsy < able, "{cosine}, and {clumsy} of the clumsy");
        let mut speeds: Vec<f32> = run.step(0).velocity.iter().map(|v| v.length()).collect();
        speeds.sort_by(f32::total_cmp);
        let (slowest, fastest) = (speeds[2], speeds[117]);
        assert!((1.8..2.5).contains(&slowest) && (4.5..=5.0).contains(&fastest), "{speeds:?}");
        run.start(None, &["vehicle.follow_flow.weight=0", "vehicle.spawn.speed=1"]);
        let heedless = mean(along_the_flow(run));
        assert!(heedless < 0.5, "mean cosine {heedless} of vehicles that heed no flow");
    });
}
