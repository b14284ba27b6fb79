//! Separation, alignment and cohesion together, and additions to them.

use flockwork::model::scene::Request;
use flockwork::model::state::FlockState;
use flockwork::model::statistics::Metrics;
use flockwork::model::vector::{Point, flat};

use super::{Run, mean, on_both};

/// Ticks until the polarisation exceeds 0.9, in steps of 50; `None` if that takes more than `most`.
fn order(run: &mut Run, most: u32) -> Option<u32> {
    (1..=most / 50).map(|i| i * 50).find(|_| run.metrics(50).polarisation > 0.9)
}

#[test]
fn flock_comes_to_order() {
    on_both("flock", |run| {
        let start = run.metrics(0).polarisation;
        assert!(start < 0.5, "the flock starts in order: {start}");
        order(run, 2000).expect("polarisation never rose above 0.9 within 2,000 ticks");
    });
}

#[test]
fn a_narrow_view_brings_order_later() {
    on_both("flock-fov", |run| {
        let mut times = [0, 0];
        for seed in 1..=3 {
            let request = Request { seed: Some(seed), ..Request::default() };
            run.start_with(request, &[]);
            times[0] += order(run, 5000).expect("no order within 5,000 ticks");
            run.start_with(request, &["starling.alignment.fov=360"]);
            times[1] += order(run, 5000).expect("no order with a wide view");
        }
        let [narrow, wide] = times.map(|time| time / 3);
        assert!(narrow > 3 * wide, "order after {narrow} ticks, with a wide view after {wide}");
    });
}

#[test]
fn flock_turns_to_the_pointer() {
    on_both("flock-pointer", |run| {
        let state = run.step(200);
        let size = run.scene.world.size;
        let world = run.scene.world;
        let away = |state: &FlockState, pointer: Point| {
            mean(state.position.iter().map(|p| world.shortest_between(*p, pointer).length()))
        };
        // Of four places, the one farthest from the flock: it must turn to get there.
        let places = [(0.25, 0.25), (0.25, 0.75), (0.75, 0.25), (0.75, 0.75)];
        let places = places.map(|(x, y)| size * flat(x, y));
        let farthest = |a: &Point, b: &Point| away(&state, *a).total_cmp(&away(&state, *b));
        let pointer = places.into_iter().max_by(farthest).unwrap();
        let before = away(&state, pointer);
        run.point(Some(pointer));
        let after = away(&run.step(400), pointer);
        assert!(after < 0.5 * before, "{before} to {after}");
        run.point(None);
        let released = away(&run.step(400), pointer);
        assert!(released > 1.2 * after, "still held at {released} after {after}");
    });
}

/// The number of neighbours within 50 and within 60 degrees ahead, and the share of birds without
/// any there: means over 2,000 ticks.
fn blocked(run: &mut Run) -> (f32, f32) {
    let (mut blocking, mut free) = (Vec::new(), Vec::new());
    for _ in 0..40 {
        let state = run.step(50);
        for (i, (p, v)) in state.position.iter().zip(&state.velocity).enumerate() {
            let edge = 30.0_f32.to_radians().cos();
            let others = state.position.iter().enumerate().filter(|(j, _)| *j != i);
            let ways = others.map(|(_, q)| run.way(*p, *q));
            let ahead = |way: &Point| {
                way.length() < 50.0 && way.dot(v.normalize_or_zero()) >= edge * way.length()
            };
            let count = ways.filter(ahead).count();
            blocking.push(count as f32);
            free.push(f32::from(count == 0));
        }
    }
    (mean(blocking), mean(free))
}

#[test]
fn birds_keep_their_view_free() {
    on_both("flock-view", |run| {
        let (blocking, free) = blocked(run);
        // Without the behaviour the scene equals `flock`.
        run.start(None, &["starling.view.weight=0"]);
        let (in_flock, free_in_flock) = blocked(run);
        assert!(blocking < 0.8 * in_flock, "{blocking} in the cone, {in_flock} in `flock`");
        assert!(free > 1.3 * free_in_flock, "{free} see freely, {free_in_flock} in `flock`");
    });
}

/// The largest and smallest mean speed of the flock over 3,200 ticks, without the first 50, in
/// which it speeds up.
fn speeds(run: &mut Run) -> (f32, f32) {
    let means: Vec<f32> = (0..64).map(|_| run.metrics(50).mean_speed as f32).collect();
    let fold = |best: fn(f32, f32) -> f32, first| means.iter().copied().fold(first, best);
    (fold(f32::min, f32::MAX), fold(f32::max, 0.0))
}

#[test]
fn noise_changes_how_a_flock_moves() {
    on_both("flock-noise", |run| {
        // The varying value over 3,000 ticks. It cannot vary by more than one either way.
        let values: Vec<f32> =
            (0..300).map(|i| run.scene.species_at(10 * i)[0].body.max_speed).collect();
        let lowest = values.iter().copied().fold(f32::MAX, f32::min);
        let highest = values.iter().copied().fold(0.0, f32::max);
        assert!(lowest >= 2.0 && highest <= 4.0 && highest - lowest > 0.6, "{lowest}, {highest}");
        let step = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
        assert!(step < 0.2, "a jump by {step} in 10 ticks");
        // No agent is faster than the limit of the tick, and the flock follows that limit.
        for _ in 0..20 {
            let state = run.step(30);
            let limit = run.scene.species_at(state.tick - 1)[0].body.max_speed * (1.0 + 1e-5);
            assert!(state.velocity.iter().all(|v| v.length() <= limit), "tick {}", state.tick);
        }
        let (slow, fast) = speeds(run);
        assert!(fast - slow > 0.4, "mean speed from {slow} to {fast}");
        // The same seed gives the same bytes; another seed gives another flock.
        let request = |seed| Request { seed: Some(seed), ..Request::default() };
        let mut flown = |seed| {
            run.start_with(request(seed), &[]);
            let base = run.scene.species_at(900)[0].body.max_speed;
            (run.step(900), base)
        };
        let (first, again, other) = (flown(1), flown(1), flown(2));
        assert!(first == again, "the same seed gave another flock");
        assert!(first.1 != other.1 && first.0 != other.0, "another seed gave the same flock");
        // Control: with constant parameters the speed changes little.
        let weights = [("separation", 1.5), ("alignment", 1.0), ("cohesion", 1.0)];
        let weights = weights.map(|(rule, w)| format!("starling.{rule}.weight={w}"));
        let mut constant: Vec<&str> = weights.iter().map(String::as_str).collect();
        constant.extend(["starling.max_speed=3", "starling.max_force=0.05"]);
        run.start(None, &constant);
        let (low, high) = speeds(run);
        assert!(2.0 * (high - low) < fast - slow, "{low} to {high} with constants");
    });
}

#[test]
fn a_flock_at_one_point_is_bounded() {
    on_both("flock", |run| {
        let mut state = run.start(Some(20_000), &[]);
        let middle = run.scene.world.size * 0.5;
        state.position.fill(middle);
        let scene = run.scene.clone();
        run.engine.load(&scene, &state).unwrap();
        run.point(Some(middle));
        let state = run.step(50);
        let metrics = Metrics::of(&run.scene, &state);
        assert!(state.position.iter().chain(&state.velocity).all(|p| p.is_finite()));
        assert!(metrics.sampled_agents > 0, "no run was sampled");
        let moved = state.position.iter().filter(|p| p.distance(middle) > 1.0).count();
        assert!(moved > 19_000, "only {moved} left the spot");
    });
}
