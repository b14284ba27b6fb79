//! A run resumed from a state gives the same bytes as a run that never stopped, because the order
//! in which an engine keeps its agents, and so the order of every sum, depends only on the state.

use crate::adapter;
use std::sync::Arc;

use crate::common::gpu::{share, shipped, without_subgroups};
use crate::common::{
    BOUNDARIES, bits, built_in_scene, flock, mixed, mixed_in_space, populated, run,
};
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::{EngineOptions, GpuEngine};
use flockwork::engine::{Engine, Snapshot};
use flockwork::model::scene::{Scene, built_in};
use flockwork::model::state::FlockState;

/// Ticks before the stop and after it: long enough for agents to change cells several times.
const BEFORE: u32 = 24;
const AFTER: u32 = 24;

/// Number of agents in each scene, besides the scene's own number.
const COUNT: u64 = 700;
/// The most agents of a scene that starts with its own number.
const MAX_OWN_COUNT: u64 = 2_500;

/// A flock to start from, and its name.
struct Start {
    name: String,
    scene: Scene,
    state: FlockState,
}

/// The most runs in which a nudge at the stop may leave no trace at the end: an agent that arrives
/// somewhere loses its past.
const MAX_FORGOTTEN: usize = 3;

/// Every built-in scene at two counts, one after the other.
fn scenes() -> impl Iterator<Item = Start> {
    built_in().flat_map(|built_in| {
        let scene = built_in_scene(built_in.name, &[]);
        [scene.own_count().min(MAX_OWN_COUNT), COUNT].map(|count| {
            let (scene, state) = populated(scene.clone(), count);
            Start { name: format!("{}, {count}", built_in.name), scene, state }
        })
    })
}

/// A scene with all features, and crowds.
fn others() -> Vec<Start> {
    let mut starts = vec![];
    for boundary in BOUNDARIES {
        let (scene, state) = mixed(boundary, &[]);
        starts.push(Start { name: format!("mixed, {boundary}"), scene, state });
    }
    for boundary in BOUNDARIES {
        let (scene, state) = mixed_in_space(boundary, &[]);
        starts.push(Start { name: format!("mixed in space, {boundary}"), scene, state });
    }
    // Agents were removed from these flocks, so their ids have gaps.
    for (name, (scene, mut state)) in
        [("mixed", mixed("wrap", &[])), ("mixed in space", mixed_in_space("wrap", &[]))]
    {
        state.id.iter_mut().for_each(|id| *id = *id * *id + 3);
        starts.push(Start { name: format!("{name}, with gaps"), scene, state });
    }
    let disc = "starling.spawn_at_scale={place=\"disc\", radius=60}";
    let ball = "starling.spawn_at_scale={place=\"ball\", radius=60}";
    let velocity = "starling.spawn.velocity={from=[-1,-1,-1], to=[1,1,1]}";
    for (name, sets) in [
        ("crowd", vec![disc]),
        ("crowd in space", vec!["world.size=[300,200,200]", velocity, ball]),
    ] {
        let (scene, state) = flock(2_000, &sets);
        starts.push(Start { name: name.into(), scene, state });
    }
    starts
}

/// The flock as a run resumes from it.
fn snapshot(engine: &mut dyn Engine) -> Snapshot {
    Snapshot { state: engine.read_back().unwrap(), targets: engine.targets().unwrap() }
}

/// The flock of `scene` after `ticks` ticks from `from`.
fn go_on(engine: &mut dyn Engine, scene: &Scene, from: &Snapshot, ticks: u32) -> Snapshot {
    let scene = scene.with_targets(from.targets.clone());
    engine.load(&scene, &from.state).unwrap();
    engine.step(ticks).unwrap();
    snapshot(engine)
}

/// The flock at the stop and at the end of a run that does not stop there.
fn straight(engine: &mut dyn Engine, start: &Start) -> [Snapshot; 2] {
    engine.load(&start.scene, &start.state).unwrap();
    [BEFORE, AFTER].map(|ticks| {
        engine.step(ticks).unwrap();
        snapshot(engine)
    })
}

/// True if positions, velocities, memory, targets and tick have the same bits.
fn same(a: &Snapshot, b: &Snapshot) -> bool {
    let (first, second) = (&a.state, &b.state);
    let who = (first.tick, &first.id, &first.species) == (second.tick, &second.id, &second.species);
    who && bits(first) == bits(second) && a.targets == b.targets
}

/// The flock with one agent slightly moved.
fn nudged(snapshot: &Snapshot) -> Snapshot {
    let mut other = snapshot.clone();
    let agent = other.state.len() / 2;
    other.state.position[agent] += 0.5;
    other
}

#[test]
fn a_run_on_the_cpu_goes_on_with_any_number_of_threads() {
    let mut engine = CpuEngine::new(Some(2)).unwrap();
    let mut forgotten = vec![];
    // Each scene at one of its two counts, by turns.
    let scenes = scenes().enumerate().filter(|(nth, _)| nth.div_ceil(2) % 2 == 0);
    for start in scenes.map(|(_, start)| start).chain(others()) {
        let [stop, end] = straight(&mut engine, &start);
        assert_eq!(end.state.tick, u64::from(BEFORE + AFTER));
        for threads in [1, 3] {
            let mut other = CpuEngine::new(Some(threads)).unwrap();
            let resumed = go_on(&mut other, &start.scene, &stop, AFTER);
            assert!(same(&resumed, &end), "{}, {threads} threads: other bytes", start.name);
        }
        // The control: another state at the stop changes the end.
        let control = go_on(&mut engine, &start.scene, &nudged(&stop), AFTER);
        if same(&control, &end) {
            forgotten.push(start.name);
        }
    }
    // Half of the scenes.
    assert!(forgotten.len() <= MAX_FORGOTTEN / 2, "no trace of another state: {forgotten:?}");
}

#[test]
fn a_run_on_the_gpu_goes_on_and_so_does_one_that_changes_engines() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut on_cpu = CpuEngine::new(None).unwrap();
    // Another engine, for which cells of four agents or more are crowded.
    let options = EngineOptions { crowded_above: 3, ..EngineOptions::default() };
    let mut crowded = GpuEngine::with_options(Arc::clone(&gpu), options);
    for (turn, mut on_gpu) in [shipped(&gpu), without_subgroups(&gpu)].into_iter().enumerate() {
        let mut forgotten = vec![];
        // One takes every second scene with its own count, one the scenes between with the other count.
        // `gpu_runs` compares each scene on the other of the two.
        let scenes = scenes().skip(2 - turn).step_by(4 * share());
        let others = others().into_iter().skip(turn).step_by(2 * share());
        for (number, start) in scenes.chain(others).enumerate() {
            let [stop, end] = straight(&mut on_gpu, &start);
            let resumed = go_on(&mut on_gpu, &start.scene, &stop, AFTER);
            assert!(same(&resumed, &end), "{}: other bytes", start.name);
            // Every fifth: sorting hundreds of crowds takes lavapipe seconds.
            if number % 5 == 0 {
                let resumed = go_on(&mut crowded, &start.scene, &stop, AFTER);
                assert!(same(&resumed, &end), "{}: other bytes with crowds", start.name);
            }
            let control = go_on(&mut on_gpu, &start.scene, &nudged(&stop), AFTER);
            if same(&control, &end) {
                forgotten.push(start.name.clone());
            }
            // A GPU may round differently from the CPU. Where it does not, either goes on from the stop of the
            // other, which is the same.
            if gpu.is_software() {
                let [cpu_stop, cpu_end] = straight(&mut on_cpu, &start);
                assert!(same(&cpu_stop, &stop) && same(&cpu_end, &end), "{}", start.name);
                let switched = go_on(&mut on_cpu, &start.scene, &stop, AFTER);
                assert!(same(&switched, &end), "{}: other bytes from gpu to cpu", start.name);
            }
        }
        assert!(forgotten.len() <= MAX_FORGOTTEN, "no trace of another state: {forgotten:?}");
    }
}

#[test]
fn the_order_of_the_agents_decides_the_bits_of_the_sums() {
    // Control: with the agents in another order within the cells, a flock has other bits. In this
    // scene no random number depends on an id.
    let (scene, state) = flock(3_000, &[]);
    let reversed = |state: &FlockState| {
        let mut other = state.clone();
        other.position.reverse();
        other.velocity.reverse();
        other
    };
    let mut engine = CpuEngine::new(Some(2)).unwrap();
    let straight = run(&mut engine, &scene, &state, 20);
    let other = reversed(&run(&mut engine, &scene, &reversed(&state), 20));
    assert!(bits(&straight) != bits(&other));
    let apart =
        straight.position.iter().zip(&other.position).filter(|(p, q)| p.distance(**q) > 0.1);
    assert!(apart.count() < 30, "the agents reversed are another flock");
}
