//! The GPU engine in space: against the CPU engine and against itself.

use crate::adapter;
use std::sync::Arc;

use crate::common::gpu::{GPU, share, shipped, without_subgroups};
use crate::common::{assert_a_thousand_ticks, bits, flock, mixed_in_space, run};
use flockwork::engine::Engine;
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::GpuEngine;
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::model::statistics::Metrics;

const BOUNDARIES: [&str; 3] = ["wrap", "walls", "open"];

/// `flock` in a space with sides in these proportions. `overrides` may give it another density.
fn flock_in_space(count: u64, sides: &str, overrides: &[&str]) -> (Scene, FlockState) {
    let size = format!("world.size=[{sides}]");
    let even =
        ["spawn", "spawn_at_scale"].map(|key| format!("starling.{key}={{place = \"uniform\"}}"));
    let all = [&size, even[0].as_str(), even[1].as_str()];
    flock(count, &[&all, overrides].concat())
}

#[test]
fn both_engines_move_a_mixed_scene_in_space_the_same_way() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut on_cpu = CpuEngine::new(None).unwrap();
    // A GPU may round differently; after a few ticks single agents decide otherwise.
    let ticks = if gpu.is_software() { 60 } else { 1 };
    let mut engines = [shipped(&gpu), without_subgroups(&gpu)];
    let mut hits = 0;
    for (number, boundary) in [0, 1].iter().flat_map(|number| BOUNDARIES.map(|b| (*number, b))) {
        let engine = &mut engines[number];
        let (mut scene, state) = mixed_in_space(boundary, &[]);
        // The hare is easy to hit.
        scene.targets[2].hit_radius = 30.0;
        let on_gpu = run(engine, &scene, &state, ticks);
        let wanted = run(&mut on_cpu, &scene, &state, ticks);
        let apart = on_gpu.position.iter().zip(&wanted.position).map(|(p, q)| p.distance(*q));
        let apart = f64::from(apart.fold(0.0, f32::max));
        if gpu.is_software() {
            assert!(bits(&on_gpu) == bits(&wanted), "{boundary}: up to {apart} apart");
            assert_eq!(engine.targets().unwrap(), on_cpu.targets().unwrap());
        } else {
            assert!(apart < GPU.position, "{boundary}: up to {apart} apart");
        }
        hits += engine.targets().unwrap()[2].hits;
        // Control: another weight.
        let (mut other, _) = mixed_in_space(boundary, &["starling.separation.weight=1.55"]);
        other.targets[2].hit_radius = 30.0;
        assert!(bits(&on_gpu) != bits(&run(&mut on_cpu, &other, &state, ticks)));
    }
    assert!(hits > 0 || ticks == 1, "no agent hit the hare");
}

#[test]
fn a_subgroup_finds_the_neighbours_in_space_that_each_agent_finds_alone() {
    let test = "a_subgroup_finds_the_neighbours_in_space";
    let Some(gpu) = adapter::gpu() else { return };
    if !gpu.has_subgroups_of_agents() {
        return eprintln!("{test}: no subgroups of agents on {}", gpu.name());
    }
    let mut by_subgroup = GpuEngine::new(Arc::clone(&gpu));
    let mut alone = without_subgroups(&gpu);
    let mut on_cpu = CpuEngine::new(None).unwrap();
    let even = "300, 260, 280";
    let ball = "starling.spawn_at_scale={place = \"ball\", radius = 40}";
    let point = "starling.spawn_at_scale={place = \"point\"}";
    // Even; sampled and unsampled cells side by side; the longest run possible; few columns, rows or
    // layers; columns of half the radius.
    let cases = [
        (3_001, even, "world.density=10", false),
        (5_000, even, ball, true),
        (2_000, even, point, true),
        (301, "2000, 200, 150", "world.density=10", false),
        (200, even, "world.density=10", false),
        (300, "90, 400, 400", "world.density=10", false),
        (300, "400, 90, 400", "world.density=10", false),
        (300, "400, 400, 90", "world.density=10", false),
        (4_000, even, "world.density=80", false),
    ];
    for boundary in BOUNDARIES {
        for (count, sides, shape, is_sampled) in cases {
            let overrides = [shape, &format!("world.boundary=\"{boundary}\"")];
            let (mut scene, state) = flock_in_space(count, sides, &overrides);
            let one = run(&mut by_subgroup, &scene, &state, 12);
            let what = format!("{count} agents, {sides}, {overrides:?}");
            assert!(bits(&one) == bits(&run(&mut alone, &scene, &state, 12)), "{what}: alone");
            assert!(
                bits(&one) == bits(&run(&mut on_cpu, &scene, &state, 12)),
                "{what}: on the CPU"
            );
            let sampled = Metrics::of(&scene, &state).sampled_agents > 0;
            assert_eq!(sampled, is_sampled, "{what}");
            // Control: another seed samples other members of a crowd.
            scene.seed = 2;
            let other = run(&mut by_subgroup, &scene, &state, 12);
            assert!(!sampled || bits(&one) != bits(&other), "{what}");
        }
    }
}

#[test]
fn flocks_of_every_size_move_in_space() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut on_gpu = shipped(&gpu);
    let mut on_cpu = CpuEngine::new(None).unwrap();
    for count in [1, 2, 63, 64, 65, 1_000, 65_535, 65_536, 65_537] {
        let (scene, state) = flock_in_space(count, "300, 260, 280", &[]);
        assert_eq!(state.len() as u64, count);
        let moved = run(&mut on_gpu, &scene, &state, 3);
        let same = bits(&moved) == bits(&run(&mut on_cpu, &scene, &state, 3));
        assert!(same || !gpu.is_software(), "{count} agents: the engines differ");
        assert!(bits(&moved) != bits(&state), "{count} agents did not move");
    }
}

#[test]
fn a_mixed_scene_in_space_loses_no_agent_and_runs_the_same_twice() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut engine = shipped(&gpu);
    // A second driver runs one of them.
    for boundary in BOUNDARIES.into_iter().step_by(share().min(3)) {
        let (scene, first) = mixed_in_space(boundary, &[]);
        assert_a_thousand_ticks(&mut engine, &scene, &first);
        let at_once = run(&mut engine, &scene, &first, 150);
        engine.load(&scene, &first).unwrap();
        for _ in 0..150 {
            engine.step(1).unwrap();
        }
        let one_by_one = engine.read_back().unwrap();
        assert!(bits(&at_once) == bits(&one_by_one), "{boundary}: two runs differ");
    }
}
