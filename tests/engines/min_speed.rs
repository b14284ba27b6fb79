//! The smallest speed of a species: agents at rest, slow ones and fast ones, in a plane and in a space.

use flockwork::Engine;
use flockwork::model::scene::Scene;
use flockwork::model::vector::{Point, flat};

use crate::adapter;
use crate::common::gpu::{GPU, engine, on_both};
use crate::common::situations::{FLOCKING, hurried};
use crate::common::variants::situations_of;
use crate::common::{agents, assert_ticks, run};

/// The velocities after a tick of agents that no force moves: at rest, slow, too slow for a square, and fast.
fn velocities(engine: &mut dyn Engine, size: &str, body: &str) -> Vec<Point> {
    let text = format!("world = {{ size = {size} }}\n[species.a]\ncount = 5\n{body}\n");
    let velocities = [Point::ZERO, Point::ZERO, flat(0.0, 0.1), flat(-1e-20, 0.0), flat(2.5, 0.0)];
    let place = |row: usize| flat(20.0 * row as f32 + 5.0, 50.0);
    let all: Vec<_> = (0..5).map(|row| (place(row), velocities[row])).collect();
    run(engine, &Scene::parse("test", &text).unwrap(), &agents(&all), 1).velocity
}

fn assert_moving(engine: &mut dyn Engine, (size, _): (&str, &str)) -> Vec<Point> {
    let found = velocities(engine, size, "min_speed = 1");
    for (velocity, speed) in found.iter().zip([1.0, 1.0, 1.0, 1.0, 2.5]) {
        assert!((velocity.length() - speed).abs() < 1e-6, "{found:?}");
    }
    // An agent at rest heads along the x axis, a slow one keeps its heading.
    assert!([0, 1, 3].iter().all(|row| found[*row] == Point::X), "{found:?}");
    assert!(found[2].y > 0.999 && found[4] == flat(2.5, 0.0), "{found:?}");
    // The controls: without it agents stay as they are; a smaller max_speed holds.
    let without = velocities(engine, size, "");
    assert!(without[0] == Point::ZERO && without[2] == flat(0.0, 0.1), "{without:?}");
    let limited = velocities(engine, size, "min_speed = 1\nmax_speed = 0.5");
    assert!(limited.iter().all(|v| (v.length() - 0.5).abs() < 1e-6), "{limited:?}");
    found
}

#[test]
fn no_agent_is_slower_than_its_min_speed() {
    on_both(adapter::gpu(), assert_moving);
}

#[test]
fn the_gpu_engine_hurries_as_the_reference_does() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut engine = engine(&gpu);
    for axes in [2, 3] {
        let usual = situations_of(axes, &FLOCKING, 100).into_iter().zip(0..);
        assert_ticks(&mut engine, usual.map(|(case, number)| hurried(case, number)), 1, GPU);
    }
}
