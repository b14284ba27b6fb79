//! Level 3: what the scenes promise, as numbers, on both engines.

mod adapter;

use std::sync::Arc;

use flockwork::engine::Engine;
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::GpuEngine;
use flockwork::model::scene::{BuiltIn, Request, Scene};
use flockwork::model::state::FlockState;
use flockwork::model::statistics::Metrics;
use flockwork::model::vector::{Point, Vector};

/// A built-in scene as it is written, running on one engine.
struct Run {
    engine: Box<dyn Engine>,
    scene: Scene,
}

impl Run {
    fn step(&mut self, ticks: u32) -> FlockState {
        self.engine.step(ticks).unwrap();
        self.engine.read_back().unwrap()
    }

    fn metrics(&mut self, ticks: u32) -> Metrics {
        let state = self.step(ticks);
        Metrics::of(&self.scene, &state)
    }

    /// Distance of the only agent to the only target of the file, tick by tick.
    fn distances(&mut self, ticks: u32) -> Vec<f32> {
        let target = self.scene.targets[1].position;
        (0..ticks).map(|_| self.step(1).position[0].distance(target)).collect()
    }
}

/// Runs `check` with the scene on the CPU and on the GPU, as many agents as the scene has or
/// `count`.
fn on_both(name: &str, count: Option<u64>, check: impl Fn(&mut Run) -> String) {
    let cpu: Box<dyn Engine> = Box::new(CpuEngine::new(None).unwrap());
    let gpu = adapter::gpu(name).map(|gpu| Box::new(GpuEngine::new(Arc::clone(&gpu))) as _);
    for mut engine in [Some(cpu), gpu].into_iter().flatten() {
        let text = BuiltIn::named(name).unwrap().text;
        let mut scene = Scene::parse(name, text, &[]).unwrap();
        let state = scene.populate(&Request { count, ..Request::default() }).unwrap();
        engine.load(&scene, &state).unwrap();
        let kind = engine.kind();
        let figure = check(&mut Run { engine, scene });
        println!("{name} on {kind}: {figure}");
    }
}

#[test]
fn every_scene_parses_and_runs() {
    for scene in flockwork::model::scene::built_in() {
        on_both(scene.name, None, |run| {
            let state = run.step(10);
            assert!(state.position.iter().all(|p| p.is_finite()));
            format!("{} agents", state.len())
        });
    }
}

#[test]
fn flock_comes_to_order() {
    on_both("flock", None, |run| {
        let start = run.metrics(0).polarisation;
        assert!(start < 0.5, "the flock starts in order: {start}");
        let mut ordered = None;
        for tick in (50..=2000).step_by(50) {
            if run.metrics(50).polarisation > 0.9 {
                ordered = Some(tick);
                break;
            }
        }
        let tick = ordered.expect("polarisation never rose above 0.9 within 2,000 ticks");
        format!("polarisation rose from {start:.2} above 0.9 within {tick} ticks")
    });
}

#[test]
fn flock_turns_to_the_pointer() {
    on_both("flock", None, |run| {
        let state = run.step(200);
        let (size, world) = (run.scene.world.size, run.scene.world);
        let mean = |state: &FlockState, pointer: Point| {
            let away = |p: &Point| {
                let way = Vector { x: p.x - pointer.x, y: p.y - pointer.y };
                world.shortest(way).length()
            };
            state.position.iter().map(away).sum::<f32>() / state.len() as f32
        };
        // Of four places the one from which the flock is farthest: it must turn to get there.
        let places = [(0.25, 0.25), (0.25, 0.75), (0.75, 0.25), (0.75, 0.75)];
        let places = places.map(|(x, y)| size * Point::new(x, y));
        let farthest = |a: &Point, b: &Point| mean(&state, *a).total_cmp(&mean(&state, *b));
        let pointer = places.into_iter().max_by(farthest).unwrap();
        let before = mean(&state, pointer);
        run.engine.set_pointer(Some(pointer));
        let after = mean(&run.step(400), pointer);
        assert!(after < 0.5 * before, "{before} to {after}");
        run.engine.set_pointer(None);
        let released = mean(&run.step(400), pointer);
        assert!(released > 1.2 * after, "still held at {released} after {after}");
        format!("mean distance to the pointer {before:.0} to {after:.0}, {released:.0} released")
    });
}

#[test]
fn seek_reaches_overshoots_and_orbits() {
    on_both("seek", None, |run| {
        let distances = run.distances(1000);
        let first = distances.iter().position(|d| *d < 10.0).expect("never reached the target");
        let farthest = distances[first..].iter().copied().fold(0.0, f32::max);
        // It passes at 8 a tick and needs v²/a = 320 units, half of them to stop, to come back.
        assert!(farthest > 50.0, "no overshoot: {farthest}");
        assert!(farthest < 320.0, "orbits beyond its turning circle: {farthest}");
        format!("reached in {} ticks, then at most {farthest:.0} away", first + 1)
    });
}

#[test]
fn flee_gains_distance_until_the_wrap() {
    on_both("flee", None, |run| {
        let distances = run.distances(60);
        let peak = distances.iter().position(|d| *d > 180.0).expect("never far away");
        assert!(distances[..peak].is_sorted(), "it came back before the wrap");
        format!("{:.0} units away after {} ticks", distances[peak], peak + 1)
    });
}

#[test]
fn arrive_comes_to_rest() {
    on_both("arrive", None, |run| {
        let distances = run.distances(1500);
        let first = distances.iter().position(|d| *d < 1.0).expect("never arrived");
        let overshoot = distances[first..].iter().copied().fold(0.0, f32::max);
        let speed = run.step(0).velocity[0].length();
        assert!(overshoot <= 5.0, "overshoot of {overshoot}: more than 5 % of the slowing radius");
        assert!(distances[1499] < 1.0 && speed < 0.05, "at {} with {speed}", distances[1499]);
        format!("within 1 after {} ticks, then at most {overshoot:.2} away", first + 1)
    });
}

#[test]
fn walls_hold() {
    on_both("walls", None, |run| {
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

#[test]
fn separation_keeps_a_distance() {
    on_both("separation", None, |run| {
        let state = run.step(2000);
        let mut nearest = f32::MAX;
        for (i, p) in state.position.iter().enumerate() {
            for q in &state.position[..i] {
                let d = Vector { x: p.x - q.x, y: p.y - q.y };
                nearest = nearest.min(run.scene.world.shortest(d).length());
            }
        }
        assert!(nearest > 20.0, "two agents are {nearest} apart");
        format!("no pair closer than {nearest:.1} of 24")
    });
}

#[test]
fn seek_and_separation_make_a_disc() {
    on_both("seek-separate", None, |run| {
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
fn a_flock_at_one_point_is_bounded() {
    on_both("flock", Some(20_000), |run| {
        let mut state = run.step(0);
        let middle = run.scene.world.size * 0.5;
        state.position.fill(middle);
        let scene = run.scene.clone();
        run.engine.load(&scene, &state).unwrap();
        run.engine.set_pointer(Some(middle));
        let state = run.step(50);
        let metrics = Metrics::of(&run.scene, &state);
        assert!(state.position.iter().chain(&state.velocity).all(|p| p.is_finite()));
        assert!(metrics.sampled_agents > 0, "no run was sampled");
        let moved = state.position.iter().filter(|p| p.distance(middle) > 1.0).count();
        assert!(moved > 19_000, "only {moved} left the spot");
        format!("largest cell {}, {} sampled", metrics.largest_cell, metrics.sampled_agents)
    });
}

#[test]
fn nothing_is_lost_in_1000_ticks() {
    on_both("flock", Some(2_000), |run| {
        let size = run.scene.world.size;
        let max_speed = run.scene.species[0].body.max_speed * (1.0 + 1e-6);
        for _ in 0..100 {
            let state = run.step(10);
            assert_eq!(state.len(), 2_000);
            let inside = |p: &Point| p.cmpge(Point::ZERO).all() && p.cmplt(size).all();
            assert!(state.position.iter().all(|p| p.is_finite() && inside(p)));
            assert!(state.velocity.iter().all(|v| v.length() <= max_speed));
        }
        "finite, inside, none lost, none too fast".into()
    });
}
