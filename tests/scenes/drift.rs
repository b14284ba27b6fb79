//! Wander, contain, follow flow: vehicles on their own.

use flockwork::model::scene::Look;
use flockwork::model::scenery::FlowField;
use flockwork::model::state::FlockState;
use flockwork::model::vector::Point;

use super::{Run, assert_nobody_lost, mean, on_both};

/// Mean turn of the heading in one tick; degrees.
fn mean_turn(run: &mut Run) -> f32 {
    let before = run.step(0);
    let after = run.step(1);
    let turns = before.velocity.iter().zip(&after.velocity);
    mean(turns.map(|(a, b)| a.angle_to(*b).abs().to_degrees()))
}

/// Mean cosine between the headings at two times.
fn correlation(before: &FlockState, after: &FlockState) -> f32 {
    let pairs = before.velocity.iter().zip(&after.velocity);
    mean(pairs.map(|(a, b)| a.normalize_or_zero().dot(b.normalize_or_zero())))
}

/// The mean displacement between two times, and its root mean square, by the shortest way.
fn displacement(run: &Run, before: &FlockState, after: &FlockState) -> (f32, f32) {
    let ways = || before.position.iter().zip(&after.position).map(|(p, q)| run.way(*p, *q));
    let drift = Point::new(mean(ways().map(|way| way.x)), mean(ways().map(|way| way.y)));
    (drift.length(), mean(ways().map(Point::length_squared)).sqrt())
}

#[test]
fn wanderers_turn_gently_and_drift_nowhere() {
    on_both("wander", |run| {
        run.start(Some(10_000), &[]);
        let start = run.step(100);
        let turn = mean_turn(run);
        assert!(turn > 0.1 && turn < 2.0, "{turn} degrees a tick");
        let mut memory = vec![1.0, correlation(&start, &run.step(9))];
        while memory.len() < 9 {
            memory.push(correlation(&start, &run.step(10)));
        }
        // Over 80 ticks it falls without a jump, and after 600 nothing is left: the correlation of
        // 10,000 random headings is 0.007 or so.
        let steps = || memory.windows(2).map(|pair| pair[0] - pair[1]);
        assert!(steps().all(|step| step > 0.0 && step < 0.3), "not smooth: {memory:?}");
        let state = run.step(520);
        let late = correlation(&start, &state);
        assert!(late.abs() < 0.06, "{late} is left after 600 ticks");
        // 10,000 independent displacements have a mean of rms/100; thrice that has a probability
        // of e^-9. A flock that started alike would drift by the rms itself.
        let (drift, rms) = displacement(run, &start, &state);
        assert!(drift < 0.03 * rms, "a drift of {drift}, {rms} each");
        // The controls: without wandering nobody turns, with four times the force all turn faster.
        run.start(Some(1000), &["vehicle.wander.weight=0"]);
        assert!(mean_turn(run) < 0.1);
        run.start(Some(1000), &["vehicle.max_force=0.2"]);
        run.step(100);
        let quick = mean_turn(run);
        assert!(quick > 2.0, "{quick} degrees with a force of 0.2");
        let [tenth, eightieth] = [memory[1], memory[8]];
        format!(
            "{turn:.2} degrees a tick (control {quick:.2}); correlation {tenth:.2} after 10 ticks, \
             {eightieth:.2} after 80, {late:.3} after 600; drift {drift:.1} of {rms:.0}"
        )
    });
}

#[test]
fn embers_glow_and_stray() {
    on_both("embers", |run| {
        assert_eq!(run.scene.species[0].look, Look::Glow);
        run.start(Some(10_000), &[]);
        let start = run.step(100);
        let turn = mean_turn(run);
        let state = run.step(299);
        assert_nobody_lost(run, &state, 10_000);
        let late = correlation(&start, &state);
        let (drift, rms) = displacement(run, &start, &state);
        // A kick turns the heading by up to asin(r / (D + v)), which is 5.7 degrees.
        assert!(turn > 1.0 && turn < 4.0, "{turn} degrees a tick");
        assert!(late.abs() < 0.05, "{late} is left after 300 ticks");
        assert!(rms > 50.0 && drift < 0.03 * rms, "a drift of {drift}, {rms} each");
        format!(
            "{turn:.2} degrees a tick; correlation {late:.3} after 300; drift {drift:.1} of {rms:.0}"
        )
    });
}

#[test]
fn walls_hold() {
    on_both("walls", |run| {
        let size = run.scene.world.size;
        let mut nearest = f32::MAX;
        for _ in 0..1000 {
            for p in run.step(10).position {
                assert!(p.cmpge(Point::ZERO).all() && p.cmple(size).all(), "{p} is outside");
                nearest = nearest.min(p.min_element()).min((size - p).min_element());
            }
        }
        format!("nobody left in 10,000 ticks; nearest to a wall: {nearest:.1}")
    });
}

/// Mean cosine between velocity and field over 200 ticks.
fn along_the_flow(run: &mut Run) -> f32 {
    // The field as the scene has it: a scene without the behaviour computes none.
    let plan = run.scene.flow.clone().unwrap();
    let field = FlowField::new(&plan, run.scene.world.size, run.scene.seed);
    run.step(100);
    let mut cosines = Vec::new();
    for _ in 0..40 {
        let state = run.step(5);
        for (p, v) in state.position.iter().zip(&state.velocity) {
            let way = Point::from(field.at(p.to_array()));
            cosines.push(way.normalize_or_zero().dot(v.normalize_or_zero()));
        }
    }
    mean(cosines)
}

#[test]
fn vehicles_go_with_the_flow() {
    on_both("flow", |run| {
        let cosine = along_the_flow(run);
        assert!(cosine > 0.95, "mean cosine {cosine}");
        let none = "follow_flow.weight=0";
        run.start(None, &[&format!("slow.{none}"), &format!("fast.{none}")]);
        let heedless = along_the_flow(run);
        assert!(heedless < 0.5, "mean cosine {heedless} of vehicles that heed no flow");
        format!("mean cosine {cosine:.3}; {heedless:.3} of vehicles that heed no flow")
    });
}
