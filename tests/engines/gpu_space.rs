//! The GPU engine in space against the CPU engine.

use crate::adapter;
use crate::common::gpu::{GPU, shipped, without_subgroups};
use crate::common::{bits, flock_in_space, mixed_in_space, run};
use flockwork::engine::Engine;
use flockwork::engine::cpu::CpuEngine;

const BOUNDARIES: [&str; 3] = ["wrap", "walls", "open"];

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
