//! Seek, flee, arrive, pursue, swim: vehicles and a target.

use flockwork::Engine;
use flockwork::model::vector::{Point, flat};

use super::{mean, on_both};
use crate::adapter;
use crate::common::gpu::with_cpu;
use crate::common::{bits, parsed, run};

#[test]
fn seek_reaches_overshoots_and_orbits() {
    on_both("seek", |run| {
        let distances = run.distances(1000);
        let first = distances.iter().position(|d| *d < 10.0).expect("never reached the target");
        let farthest = distances[first..].iter().copied().fold(0.0, f32::max);
        // It passes at 8 per tick and needs v²/a = 320 units to come back, half of them to stop.
        assert!(farthest > 50.0, "no overshoot: {farthest}");
        assert!(farthest < 320.0, "orbits beyond its turning circle: {farthest}");
    });
}

#[test]
fn flee_gains_distance_until_the_wrap() {
    on_both("flee", |run| {
        let distances = run.distances(60);
        let peak = distances.iter().position(|d| *d > 180.0).expect("never far away");
        assert!(distances[..peak].is_sorted(), "it came back before the wrap");
    });
}

/// How far the only agent overshoots the only target along the way of its first approach, and its
/// distance and speed at the end.
fn past(run: &mut super::Run, ticks: u32) -> (f32, f32, f32) {
    let target = run.scene.targets[1].position;
    let ahead = (target - run.step(0).position[0]).normalize();
    let mut past = f32::MIN;
    for _ in 0..ticks {
        past = past.max((run.step(1).position[0] - target).dot(ahead));
    }
    let state = run.step(0);
    (past, state.position[0].distance(target), state.velocity[0].length())
}

#[test]
fn arrive_comes_to_rest() {
    on_both("arrive", |run| {
        // With the source's 100 units it cannot stop in time, because 8²/(2 · 0.2) = 160. The
        // overshoot follows from the source's own numbers.
        let (overshoot, distance, speed) = past(run, 1500);
        assert!((15.0..22.0).contains(&overshoot), "{overshoot} past the target");
        assert!(distance < 1.0 && speed < 0.05, "at {distance} with {speed}");
        // With 200 it can: no more than 5 % past.
        run.start(None, &["vehicle.arrive.slowing_radius=200"]);
        let (in_time, rest, slow) = past(run, 1500);
        assert!(in_time <= 10.0, "{in_time} past the target, with 200 units to slow down");
        assert!(rest < 1.0 && slow < 0.05, "at {rest} with {slow}");
    });
}

#[test]
fn a_factor_of_half_never_arrives() {
    on_both("arrive-half", |run| {
        let target = run.scene.targets[1].position;
        let far = |run: &mut super::Run| {
            run.step(1000);
            run.distances(1000).into_iter().fold(0.0, f32::max)
        };
        let astray = far(run);
        let speeds: Vec<f32> = (0..200).map(|_| run.step(1).velocity[0].length()).collect();
        let fastest = speeds.into_iter().fold(0.0, f32::max);
        assert!(astray > 30.0 && fastest > 3.5, "{astray} away at most, {fastest} at most");
        // Control: without the factor it arrives.
        run.start(None, &["vehicle.arrive.factor=0"]);
        assert_eq!(run.scene.targets[1].position, target);
        let arrived = far(run);
        assert!(arrived < 1.0, "{arrived} away though it slows down");
    });
}

#[test]
fn a_gain_brings_vehicles_to_rest_near_the_target() {
    on_both("seek-gain", |run| {
        let (overshoot, distance, _) = past(run, 600);
        assert!(overshoot < 0.1 && distance < 1.0, "{overshoot} past, {distance} away");
        run.start(None, &["vehicle.seek.gain=0"]);
        let (overshot, ..) = past(run, 600);
        assert!(overshot > 30.0, "{overshot} past the target without gain");
    });
    on_both("arrive-gain", |run| {
        let (overshoot, distance, speed) = past(run, 2000);
        assert!(overshoot < 0.1 && distance < 10.0, "{overshoot} past, {distance} away");
        // Its desired velocity falls with the square of the distance: it keeps coming nearer, ever
        // more slowly.
        assert!(speed < 0.01, "{speed} in the end");
    });
}

#[test]
fn a_gain_makes_a_pursuer_trail_its_quarry() {
    on_both("pursuit-gain", |run| {
        let mut away = Vec::new();
        for _ in 0..1000 {
            let place = run.step(1).position[0];
            away.push(run.engine.targets().unwrap()[1].position.distance(place));
        }
        // It is as fast as the target at a distance of 60 times its speed, less the predicted tick:
        // (60 − 1) · 1.5. It is nearer only where a wall throws the target back towards it.
        let farthest = away[300..].iter().copied().fold(0.0, f32::max);
        assert!((85.0..90.0).contains(&farthest), "{farthest} behind");
        away.sort_by(f32::total_cmp);
        let median = away[away.len() / 2];
        assert!(median > 60.0, "{median} behind");
        // Control: a vehicle that steers at full speed gets there soon.
        run.start(None, &["vehicle.pursue.gain=0"]);
        let mut nearest = f32::MAX;
        for _ in 0..1000 {
            let place = run.step(1).position[0];
            nearest = nearest.min(run.engine.targets().unwrap()[1].position.distance(place));
        }
        assert!(nearest < 6.0, "{nearest} away at full speed");
    });
}

#[test]
fn proximity_brings_a_seeker_to_rest() {
    on_both("seek-proximity", |run| {
        run.engine.step(400).unwrap();
        let distance = run.distances(1)[0];
        let speed = run.step(0).velocity[0].length();
        assert!(speed < 0.05 && distance < 1.0, "{distance} away at {speed}");
        // Control: with constant limits it orbits.
        run.start(None, &["vehicle.seek.proximity=0"]);
        run.engine.step(400).unwrap();
        let orbit = run.distances(200).into_iter().fold(0.0, f32::max);
        assert!(orbit > 50.0, "plain seek comes to rest as well: {orbit}");
    });
}

#[test]
fn pursuit_hits_sooner_than_seek() {
    const MAX_WAIT: u32 = 1000;
    on_both("pursuit", |run| {
        let speed = run.scene.targets[1].velocity.length();
        assert!((speed - 3.0).abs() < 1e-4, "the quarry moves at {speed}");
        let (mut times, mut sooner) = ([0.0; 2], 0);
        // From all over the world; from some places both ways are the same.
        let starts = (0..24).map(|i| [70 + 140 * (i % 6), 70 + 140 * (i / 6)]);
        for start in starts {
            let at = format!("vehicle.spawn.at={start:?}");
            // Pursuit that predicts no tick is seek.
            let hits = ["10", "0"].map(|ticks| {
                let ticks = format!("vehicle.pursue.ticks={ticks}");
                run.start(None, &[&at, &ticks]);
                let mut hit = 0;
                while hit < MAX_WAIT && run.engine.targets().unwrap()[1].hits == 0 {
                    run.engine.step(2).unwrap();
                    hit += 2;
                }
                hit
            });
            assert!(hits[0] <= hits[1] + 2, "from {start:?} after {hits:?} ticks");
            sooner += u32::from(hits[0] < hits[1]);
            times.iter_mut().zip(hits).for_each(|(time, hit)| *time += hit as f32 / 24.0);
        }
        let [pursuit, seek] = times;
        assert!(pursuit < 0.85 * seek && sooner >= 12, "{pursuit}, seek {seek}, sooner {sooner}");
        run.start(None, &[]);
        run.engine.step(3000).unwrap();
        let hits = run.engine.targets().unwrap()[1].hits;
        assert!(hits > 10, "{hits} hits in 3,000 ticks");
    });
}

#[test]
fn a_hit_sends_the_pursuer_home_and_the_quarry_another_way() {
    on_both("pursuit", |run| {
        let home = flat(420.0, 280.0);
        let mut hits = 0;
        let mut last = run.engine.targets().unwrap()[1].clone();
        let mut ticks = 0;
        while hits < 5 {
            let before = run.step(0);
            let state = run.step(1);
            ticks += 1;
            assert!(ticks < 5000, "{hits} hits");
            let quarry = run.engine.targets().unwrap()[1].clone();
            if quarry.hits == last.hits {
                assert_eq!(quarry.velocity, last.velocity, "it turns without a hit");
                assert!(run.way(before.position[0], state.position[0]).length() < 8.01);
            } else {
                assert_eq!(state.position[0], home, "the pursuer is not in the middle");
                // An agent that is sent home keeps its velocity: it changes no more than in any
                // other tick.
                let turn = state.velocity[0].distance(before.velocity[0]);
                assert!(turn < 0.21, "its velocity changed by {turn}");
                assert!((quarry.velocity.length() - 3.0).abs() < 1e-4, "{}", quarry.velocity);
                assert!(quarry.velocity.distance(last.velocity) > 1e-3, "the same direction");
                hits += 1;
            }
            last = quarry;
        }
        // Controls: neither happens unless the scene says so.
        run.start(None, &["targets.0.turns=false"]);
        run.engine.step(1000).unwrap();
        let quarry = run.engine.targets().unwrap()[1].clone();
        assert!(quarry.hits > 0 && quarry.velocity == flat(-1.8, 2.4), "{quarry:?}");
    });
}

/// How often per tick a fish changes from one side of its way to the other, far from the food and
/// near it; and how far it swings, as the root mean square of the sine of the angle.
fn wriggle(run: &mut super::Run) -> ([f32; 2], f32) {
    let food = run.scene.targets[1].position;
    let (mut changes, mut ticks) = ([0.0; 2], [0.0_f32; 2]);
    let mut swings = Vec::new();
    let mut before: Vec<f32> = Vec::new();
    for _ in 0..200 {
        let state = run.step(1);
        let sides: Vec<f32> = state
            .position
            .iter()
            .zip(&state.velocity)
            .map(|(p, v)| {
                let (way, heading) = ((food - *p).truncate(), v.truncate());
                way.normalize_or_zero().perp_dot(heading.normalize_or_zero())
            })
            .collect();
        for (i, p) in state.position.iter().enumerate() {
            let distance = p.distance(food);
            let band = match distance {
                d if d > 180.0 => 0,
                d if (60.0..120.0).contains(&d) => 1,
                _ => continue,
            };
            ticks[band] += 1.0;
            let last = before.get(i).copied().unwrap_or_default();
            changes[band] += f32::from(sides[i] * last < 0.0);
            swings.push(sides[i] * sides[i]);
        }
        before = sides;
    }
    ([changes[0] / ticks[0].max(1.0), changes[1] / ticks[1].max(1.0)], mean(swings).sqrt())
}

#[test]
fn fish_wriggle_slower_when_nearer() {
    on_both("fish", |run| {
        run.start(Some(200), &[]);
        let ([far, near], swing) = wriggle(run);
        // At distance d the angle grows by d/10 degrees per tick: two changes in 3,600/d ticks.
        assert!(far > 0.05 && near < 0.7 * far, "{far} changes a tick far away, {near} nearer");
        let food = run.scene.targets[1].position;
        let away = |state: &[Point]| mean(state.iter().map(|p| p.distance(food)));
        let after = away(&run.step(200).position);
        assert!(after < 50.0, "{after} from the food");
        // Control: with a circle of radius 0 a fish swims straight.
        run.start(Some(200), &["fish.swim.radius=0"]);
        let (_, straight) = wriggle(run);
        assert!(swing > 3.0 * straight, "swings of {swing}, and {straight} without the circle");
    });
}

#[test]
fn places_outside_a_wrapped_world_are_places_inside_it() {
    let scene = |boundary: &str, target: i32, obstacle: i32| {
        parsed(&format!(
            "world = {{ size = [100, 30], boundary = \"{boundary}\" }}\n[[targets]]\nposition = [45, {target}]\n\
             hit_radius = 0.5\n[[obstacles]]\nposition = [45, {obstacle}]\nradius = 5\n\
             [species.a]\ncount = 9\nseek = {{}}\navoid = {{ reach = 40 }}\n"
        ))
    };
    for mut engine in with_cpu(adapter::gpu()) {
        let after = |engine: &mut dyn Engine, target, obstacle| {
            let (scene, state) = scene("wrap", target, obstacle);
            bits(&run(engine, &scene, &state, 20))
        };
        let wanted = after(&mut *engine, 25, 12);
        for sizes in [2, -2, -3, 100] {
            assert!(after(&mut *engine, 25 + 30 * sizes, 12) == wanted, "target {sizes} away");
            assert!(after(&mut *engine, 25, 12 + 30 * sizes) == wanted, "obstacle {sizes} away");
        }
        assert!(after(&mut *engine, 26, 12) != wanted && after(&mut *engine, 25, 13) != wanted);
        // A target at rest behind a wall stays there, also if it can be hit.
        let (walled, state) = scene("walls", 88, 12);
        run(&mut *engine, &walled, &state, 3);
        assert_eq!(engine.targets().unwrap()[1].position, flat(45.0, 88.0));
    }
}
