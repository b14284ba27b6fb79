//! Level 3: the promises of the scenes as numbers, on the CPU engine and on hardware; on software drivers only where
//! a test says so. Each promise has a control: a
//! run without the behaviour, or a bound that a worse behaviour would miss.

mod avoid;
mod crowds;
mod drift;
mod edges;
mod flocks;
mod groups;
mod hunt;
mod laboratory;
mod oscillators;
mod paths;
mod prey;
mod reynolds;
mod schooling;
mod space;
mod targets;

use crate::adapter;
use crate::common::{agents, built_in_scene, is_inside, stepped};
use std::sync::Arc;

use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::{Gpu, GpuEngine};
use flockwork::engine::{Change, Engine};
use flockwork::model::behaviours::Uses;
use flockwork::model::grid::MAX_WHOLE_RUN;
use flockwork::model::scene::{Request, Scene, built_in};
use flockwork::model::state::FlockState;
use flockwork::model::statistics::Metrics;
use flockwork::model::vector::Point;

/// A built-in scene running on one engine.
struct Run {
    engine: Box<dyn Engine>,
    scene: Scene,
    name: &'static str,
}

impl Run {
    /// Restarts with `count` agents, or the scene's own number, and with overrides (`KEY=VALUE`) of
    /// the file's values.
    fn start(&mut self, count: Option<u64>, overrides: &[&str]) -> FlockState {
        self.start_with(Request { count, ..Request::default() }, overrides)
    }

    /// The same with another seed.
    fn start_with(&mut self, request: Request, overrides: &[&str]) -> FlockState {
        let scene = built_in_scene(self.name, overrides);
        let (scene, state) = scene.populate(&request).unwrap();
        self.scene = scene;
        self.engine.load(&self.scene, &state).unwrap();
        state
    }

    fn step(&mut self, ticks: u32) -> FlockState {
        stepped(&mut *self.engine, ticks)
    }

    /// Moves the target `pointer`, or switches it off.
    fn point(&mut self, pointer: Option<Point>) {
        let target = &mut self.scene.targets[0];
        (target.active, target.position) = (pointer.is_some(), pointer.unwrap_or(target.position));
        self.engine.update(&self.scene, Change::POINTER).unwrap();
    }

    fn metrics(&mut self, ticks: u32) -> Metrics {
        let state = self.step(ticks);
        Metrics::of(&self.scene, &state)
    }

    /// The distance of the only agent to the only target of the file, for each tick.
    fn distances(&mut self, ticks: u32) -> Vec<f32> {
        let target = self.scene.targets[1].position;
        (0..ticks).map(|_| self.step(1).position[0].distance(target)).collect()
    }

    /// The shortest way from one place to another.
    fn way(&self, from: Point, to: Point) -> Point {
        self.scene.world.shortest_between(from, to)
    }
}

/// Runs `check` with the scene on the CPU and on a hardware GPU. A software driver gives the bits of the CPU
/// engine, as `gpu_runs` shows for 50 ticks of every scene, and takes many times as long. Only hardware computes the
/// changed scenes of a promise there.
fn on_both(name: &'static str, check: impl Fn(&mut Run)) {
    on_engines(name, adapter::gpu().filter(|gpu| !gpu.is_software()), check);
}

/// Runs `check` with the scene on the CPU and on `gpu`.
fn on_engines(name: &'static str, gpu: Option<Arc<Gpu>>, check: impl Fn(&mut Run)) {
    let cpu: Box<dyn Engine> = Box::new(CpuEngine::new(None).unwrap());
    let gpu = gpu.map(|gpu| Box::new(GpuEngine::new(gpu)) as _);
    for engine in [Some(cpu), gpu].into_iter().flatten() {
        let mut run = Run { engine, scene: built_in_scene(name, &[]), name };
        run.start(None, &[]);
        check(&mut run);
    }
}

/// The mean of some numbers.
fn mean(values: impl IntoIterator<Item = f32>) -> f32 {
    let (mut sum, mut count) = (0.0, 0);
    for value in values {
        sum += f64::from(value);
        count += 1;
    }
    (sum / f64::from(count.max(1))) as f32
}

/// The metrics of agents at these places in a scene in which nobody perceives farther than `radius`: its
/// clusters are the groups with shorter gaps.
fn metrics_within(run: &Run, places: &[Point], radius: f32) -> Metrics {
    let mut scene = run.scene.clone();
    for rule in scene.species.iter_mut().flat_map(|species| &mut species.rules) {
        if let Some(slot) = rule.kind.parameter("radius") {
            rule.values[slot] = radius;
        }
    }
    let all: Vec<_> = places.iter().map(|place| (*place, Point::X)).collect();
    Metrics::of(&scene, &agents(&all))
}

/// Fails unless every agent is there, finite, and inside the world if it has edges.
fn assert_none_lost(run: &Run, state: &FlockState, count: usize) {
    assert_eq!(state.len(), count, "{}", run.name);
    for (p, v) in state.position.iter().zip(&state.velocity) {
        let is_sound = p.is_finite() && v.is_finite() && is_inside(&run.scene.world, *p);
        assert!(is_sound, "{}: {p} with {v}", run.name);
    }
}

/// Number of agents without any other agent within the scene's largest radius.
fn alone(run: &Run, state: &FlockState) -> usize {
    let radius = run.scene.perception_radius();
    let near = |i: usize, q: &Point| run.way(state.position[i], *q).length() < radius;
    let others = |i: usize| state.position.iter().enumerate().filter(move |(j, _)| *j != i);
    (0..state.len()).filter(|i| !others(*i).any(|(_, q)| near(*i, q))).count()
}

#[test]
fn every_scene_runs_at_its_own_count_and_at_5_000() {
    for (number, scene) in built_in().enumerate() {
        // A software driver gives the bits of the CPU engine, as `gpu_runs` shows for every scene.
        let gpu = adapter::gpu().filter(|gpu| !gpu.is_software() || number % 8 == 0);
        on_engines(scene.name, gpu, |run| {
            let own = run.scene.own_count() as usize;
            let state = run.step(10);
            assert_none_lost(run, &state, own);
            // Where everybody may hear everybody, the work grows with the square.
            let grows =
                run.scene.run_cap() != MAX_WHOLE_RUN || run.scene.uses().has(Uses::EVERYBODY);
            let many = if grows { 2_000 } else { 5_000 };
            let before = run.start(Some(many), &[]);
            let state = run.step(20);
            assert_none_lost(run, &state, many as usize);
            let moved = before.position.iter().zip(&state.position).filter(|(p, q)| p != q);
            let moved = moved.count();
            // An agent that starts at rest and only keeps apart stays in place if no other agent is
            // near.
            let idle = if scene.name == "separation" { alone(run, &before) } else { 0 };
            let most = many as usize * 19 / 20;
            assert!(moved + idle > most, "only {moved} of {many} moved, {idle} are alone");
        });
    }
}
