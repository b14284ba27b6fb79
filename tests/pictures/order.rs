//! Level 5: in a plane, agents are stacked by id, wherever they are kept in memory.

use std::sync::Arc;

use flockwork::engine::Engine;
use flockwork::engine::gpu::GpuEngine;
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::view::camera::Camera;
use flockwork::view::cpu::raster;

use crate::adapter;
use crate::picture::{Studio, by_gpu, differing, from_buffers, populated, scene};

/// A flock of agents that overlap, in several colours.
fn crowd(look: &str) -> (Scene, FlockState, Camera) {
    let look = format!("style.look={look}");
    let scene = scene(&[&look, "style.smallest=40", "style.colour=heading"]);
    let (scene, state) = populated(scene, 400);
    let camera = Camera::fit(&scene.world, 320, 180);
    (scene, state, camera)
}

/// The flock with the rows in another order, and an id in `every` in use.
fn shuffled(state: &FlockState, every: u32) -> FlockState {
    let rows: Vec<usize> = (0..state.len()).map(|row| row * 171 % state.len()).collect();
    let mut shuffled = FlockState { memory: Vec::new(), ..state.in_order(&rows) };
    shuffled.id.iter_mut().for_each(|id| *id = *id * every + 3);
    shuffled
}

#[test]
fn the_order_in_memory_does_not_show() {
    let Some(gpu) = adapter::gpu() else { return };
    for look in ["disc", "triangle", "glow"] {
        let (scene, state, camera) = crowd(look);
        let picture = by_gpu(&gpu, &scene, &state, &camera);
        for every in [1, 1001, 300_000] {
            let other = by_gpu(&gpu, &scene, &shuffled(&state, every), &camera);
            assert!(picture == other, "{look}: ids in steps of {every}");
        }
        // Control: other ids are another order.
        let reversed = FlockState { id: state.id.iter().rev().copied().collect(), ..state };
        assert!(picture != by_gpu(&gpu, &scene, &reversed, &camera), "{look}");
    }
}

/// The GPU engine keeps its agents by cell. Measured on lavapipe: 0.1 % of the pixels differ, on edges;
/// by cell 20 % and more.
#[test]
fn both_renderers_stack_a_flock_on_the_device_alike() {
    let Some(gpu) = adapter::gpu() else { return };
    for look in ["disc", "triangle"] {
        let (scene, state, camera) = crowd(look);
        let mut engine = GpuEngine::new(Arc::clone(&gpu));
        engine.load(&scene, &state).unwrap();
        // Ids without agents, and agents that come later.
        engine.remove(&[0, 5, 31, 32, 64, 399]).unwrap();
        engine.step(3).unwrap();
        let by_cpu = raster::draw(&scene, &engine.read_back().unwrap(), &[], &camera, 1.0);
        let by_gpu = from_buffers(&gpu, &engine, &scene, &camera);
        // Edges differ.
        let apart = differing(&by_cpu, &by_gpu, 24);
        assert!(apart < 0.01, "{look}: {apart}");
    }
}

/// The picture of a flock does not depend on the flock that was drawn before it.
#[test]
fn a_larger_flock_leaves_no_trace() {
    let Some(gpu) = adapter::gpu() else { return };
    let (scene, state, camera) = crowd("disc");
    let few = FlockState { memory: Vec::new(), ..state.rows(0..90) };
    let mut studio = Studio::new(&gpu, (320, 180), 1.0);
    let mut drawn = |state: &FlockState| studio.draw(&scene, state, &camera);
    let first = drawn(&few);
    let all = drawn(&shuffled(&state, 7));
    assert!(first != all && first == drawn(&few) && all == drawn(&state));
}
