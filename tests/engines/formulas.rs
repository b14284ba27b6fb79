//! Cases where a formula meets `f32` rounding: an agent that has turned, one that reverses on the
//! spot, one that grazes a circle, one at rest. On both engines.

use crate::adapter;
use crate::common;
use crate::common::gpu::{checked_with_cpu, share};
use crate::common::{BOUNDARIES, agents as flock, bits, reference, run};
use flockwork::engine::Engine;
use flockwork::engine::cpu::CpuEngine;
use flockwork::model::behaviours::Kind;
use flockwork::model::scene::{Request, Scene};
use flockwork::model::vector::{Point, flat};

/// Runs `check` on the CPU engine and, if there is an adapter, on the GPU engine.
#[track_caller]
fn on_both(mut check: impl FnMut(&mut dyn Engine)) {
    checked_with_cpu(adapter::gpu()).iter_mut().for_each(|engine| check(&mut **engine));
}

fn scene(rules: &str) -> Scene {
    Scene::parse("formulas", rules).unwrap()
}

#[test]
fn an_agent_that_has_turned_from_a_wall_gets_no_force() {
    on_both(|engine| {
        for max_speed in [0.3_f32, 2.0, 3.0, 7.7, 100.0, 9000.0] {
            let max_force = 1e-3 * max_speed;
            let scene = scene(&format!(
                "world = {{ size = [1e6, 1e6], boundary = \"walls\" }}\n[species.a]\n\
                 max_speed = {max_speed}\nmax_force = {max_force}\n[species.a.contain]\n\
                 margin = 1e5\n"
            ));
            // Along one axis, and away from a corner: each velocity is within rounding of the
            // desired one.
            let diagonal = max_speed / 2.0_f32.sqrt();
            let mut agents = Vec::new();
            for nudge in -3..=3 {
                let nudged = |x: f32| x * (1.0 + nudge as f32 * f32::EPSILON);
                let aside = nudge as f32 * max_speed * f32::EPSILON;
                agents.push((flat(5e4, 5e5), flat(nudged(max_speed), aside)));
                let v = flat(nudged(diagonal), diagonal);
                agents.push((flat(5e4, 5e4), v));
                agents.push((flat(9.5e5, 9.5e5), -v));
            }
            let before = flock(&agents);
            let after = run(engine, &scene, &before, 1);
            for (v, u) in before.velocity.iter().zip(&after.velocity) {
                let kick = v.distance(*u);
                assert!(kick < 1e-5_f32.max(1e-6 * max_speed), "{max_speed}: {v} became {u}");
            }
            // An agent that has not turned yet is pushed by exactly max_force.
            let off = flat(diagonal, diagonal - 0.01 * max_speed);
            let after = run(engine, &scene, &flock(&[(Point::splat(5e4), off)]), 1);
            let kick = after.velocity[0].distance(off);
            assert!((kick / max_force - 1.0).abs() < 1e-3, "{max_speed}: {kick}");
        }
    });
}

#[test]
fn an_agent_that_reverses_on_the_spot_moves_on() {
    // The path is in reach of a prediction with the full lookahead, and out of reach from here.
    let scene = scene(
        "world = { size = [640, 360], boundary = \"open\" }\n[[paths]]\npoints = [[0, 100], [640, \
         100]]\n[species.a]\nmax_speed = 3\nmax_force = 0.3\n[species.a.follow_path]\nlookahead = \
         50\nadvance = 10\nradius = 20\n",
    );
    on_both(|engine| {
        let place = flat(300.0, 150.0);
        for (speed, moves) in [(0.0, true), (5e-7, true), (9e-6, true), (2e-5, false)] {
            let before = flock(&[(place, flat(0.0, -speed))]);
            let after = run(engine, &scene, &before, 1);
            let gained = after.velocity[0].length();
            assert_eq!((gained - 0.3).abs() < 1e-4, moves, "{speed} became {gained}");
            let expected = reference::step(&scene, &before);
            assert!(expected[0].velocity.distance(after.velocity[0].as_dvec3()) < 1e-6);
        }
    });
}

#[test]
fn a_grazed_circle_never_pulls() {
    // The circle's edge is at 30. An agent of size 6 touches it up to 36 from the centre.
    let scene = |limit: &str| {
        let scene = scene(&format!(
            "world = {{ size = [640, 360], boundary = \"open\" }}\n[[obstacles]]\nposition = \
             [340, 180]\nradius = 30\n[species.a]\nsize = 6\nmax_speed = 2\nmax_force = 1e4\n\
             limit = \"{limit}\"\n[species.a.avoid]\nmethod = \"box\"\nreach = 40\n"
        ));
        let (scene, _) = scene.populate(&Request::default()).unwrap();
        scene
    };
    on_both(|engine| {
        for limit in ["each", "sum"] {
            let scene = scene(limit);
            for aside in [1.0_f32, 20.0, 29.5, 30.5, 33.0, 35.5, 36.5, 40.0] {
                for side in [-1.0, 1.0] {
                    // 40 before the centre, which is to the left of an agent below it.
                    let place = flat(300.0, 180.0 - side * aside);
                    let before = flock(&[(place, Point::X)]);
                    // At half the full speed the box is 60 long.
                    let force = (36.0 - aside).max(0.0) * (1.0 + (60.0 - 40.0) / 60.0);
                    let braking = if aside < 36.0 { (30.0 - 40.0) * 0.2 } else { 0.0 };
                    let velocity = flat(1.0 + braking, -side * force);
                    let expected = velocity.clamp_length_max(2.0);
                    let after = run(engine, &scene, &before, 1).velocity[0];
                    let away = -side * after.y;
                    assert!(away >= 0.0, "{aside} to the side {side}: pulled, {after}");
                    assert!(after.distance(expected) < 1e-4, "{aside}: {after}, not {expected}");
                }
            }
        }
    });
}

#[test]
fn an_open_world_ends_far_away() {
    // Far out, neighbouring numbers are 65,536 apart: slower agents do not move there.
    let scene = scene("time_step = 10\nworld.boundary = \"open\"\n[species.a]\nmax_speed = 1e4\n");
    on_both(|engine| {
        let agents = [
            (flat(1e12, 5.0), flat(1e4, 1.0)),
            (flat(-1e12, 5.0), flat(-1e4, 0.0)),
            (flat(5.0, -1e12), flat(0.0, -1e4)),
        ];
        let before = flock(&agents);
        let after = run(engine, &scene, &before, 100);
        assert_eq!(after.position[0], flat(1e12, 1005.0));
        assert_eq!(after.position[1..], before.position[1..]);
        assert_eq!(after.velocity[1..], before.velocity[1..]);
        // An agent that flies back does move.
        let back = flock(&[(flat(1e12, 5.0), flat(-1e4, 0.0))]);
        assert!(run(engine, &scene, &back, 10).position[0].x < 1e12);
    });
}

#[test]
fn an_agent_at_rest_has_the_same_bits_on_both_engines() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut on_gpu = common::gpu::engine(&gpu);
    let mut on_cpu = CpuEngine::new(Some(2)).unwrap();
    // Those that need no scenery of their own.
    let needs_none = |kind: &Kind| ![Kind::FollowPath, Kind::FollowFlow].contains(kind);
    let behaviours = Kind::ALL.into_iter().filter(needs_none).map(|kind| kind.info().key);
    // A second driver that takes a second to compile a shader has every third.
    for behaviour in behaviours.step_by(share().min(3)) {
        for boundary in BOUNDARIES {
            for body in ["max_force = 0", "max_speed = 0", "max_force = 0\nlimit = \"sum\""] {
                let scene = scene(&format!(
                    "world = {{ size = [100, 60], boundary = \"{boundary}\" }}\n[[targets]]\n\
                     name = \"t\"\nposition = [50, 30]\n[species.a]\n{body}\n\
                     [species.a.{behaviour}]\n"
                ));
                let mut agents = Vec::new();
                for (number, speed) in [0.0_f32, 0.0, 0.0, 1.0, 1e-25, 1e-40].iter().enumerate() {
                    for (x, y) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
                        let place = flat(10.0 * number as f32, 30.0 + 4.0 * x);
                        agents.push((place, flat(x, y) * *speed));
                    }
                }
                let state = flock(&agents);
                let [a, b] =
                    [run(&mut on_cpu, &scene, &state, 1), run(&mut on_gpu, &scene, &state, 1)];
                for (agent, (a, b)) in bits(&a).into_iter().zip(bits(&b)).enumerate() {
                    let what = format!("{behaviour}, {boundary}, {body}: agent {agent}");
                    assert_eq!(a, b, "{what}, {:?}", state.velocity[agent]);
                    let negative_zero = (-0.0_f32).to_bits();
                    assert!(a[..4].iter().all(|bits| *bits != negative_zero), "{what}: {a:?}");
                }
            }
        }
    }
}
