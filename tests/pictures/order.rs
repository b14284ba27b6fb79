//! Level 5: in a plane, agents are stacked by id, wherever they are kept in memory.

use std::sync::Arc;

use flockwork::engine::Engine;
use flockwork::engine::gpu::{Gpu, GpuEngine};
use flockwork::model::memory::Memory;
use flockwork::model::scene::{Request, Scene};
use flockwork::model::state::FlockState;
use flockwork::view::cpu::raster;
use flockwork::view::gpu::offscreen::Offscreen;
use flockwork::view::gpu::upload::UploadedAgents;
use flockwork::view::{Painter, camera::Camera, frame::Frame};

use crate::adapter;
use crate::picture::{by_gpu, scene};

/// A flock of agents that overlap, in several colours.
fn crowd(look: &str) -> (Scene, FlockState, Camera) {
    let look = format!("style.look={look}");
    let scene = scene(&[&look, "style.smallest=40", "style.colour=heading"]);
    let request = Request { count: Some(400), ..Request::default() };
    let (scene, state) = scene.populate(&request).unwrap();
    let camera = Camera::fit(&scene.world, 320, 180);
    (scene, state, camera)
}

/// The flock with the rows in another order, and an id in `every` in use.
fn shuffled(state: &FlockState, every: u32) -> FlockState {
    let rows: Vec<usize> = (0..state.len()).map(|row| row * 171 % state.len()).collect();
    let memory: Vec<Memory> = Vec::new();
    FlockState {
        tick: state.tick,
        id: rows.iter().map(|row| state.id[*row] * every + 3).collect(),
        species: rows.iter().map(|row| state.species[*row]).collect(),
        position: rows.iter().map(|row| state.position[*row]).collect(),
        velocity: rows.iter().map(|row| state.velocity[*row]).collect(),
        memory,
        ..FlockState::default()
    }
}

/// The share of pixels with a channel that differs by more than edges do.
fn differing(one: &Frame, other: &Frame) -> f64 {
    let pairs = one.pixels.chunks_exact(4).zip(other.pixels.chunks_exact(4));
    let apart = |(a, b): &(&[u8], &[u8])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 24);
    let pixels = one.pixels.len() / 4;
    pairs.filter(apart).count() as f64 / pixels as f64
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
        let by_gpu = painted(&gpu, &mut engine, &scene, &camera);
        let apart = differing(&by_cpu, &by_gpu);
        assert!(apart < 0.01, "{look}: {apart}");
    }
}

fn painted(gpu: &Arc<Gpu>, engine: &mut GpuEngine, scene: &Scene, camera: &Camera) -> Frame {
    let mut offscreen = Offscreen::new(Arc::clone(gpu), 320, 180).unwrap();
    offscreen.paint(engine, scene, camera, &[]).unwrap()
}

/// The picture of a flock does not depend on the flock that was drawn before it.
#[test]
fn a_larger_flock_leaves_no_trace() {
    let Some(gpu) = adapter::gpu() else { return };
    let (scene, state, camera) = crowd("disc");
    let few = FlockState {
        id: state.id[..90].to_vec(),
        species: state.species[..90].to_vec(),
        position: state.position[..90].to_vec(),
        velocity: state.velocity[..90].to_vec(),
        ..FlockState::default()
    };
    let mut offscreen = Offscreen::new(Arc::clone(&gpu), 320, 180).unwrap();
    let mut agents = UploadedAgents::new(Arc::clone(&gpu));
    let mut drawn = |state: &FlockState| {
        agents.upload(state).unwrap();
        offscreen.render(agents.agents(), &scene, &[], &camera).unwrap()
    };
    let first = drawn(&few);
    let all = drawn(&shuffled(&state, 7));
    assert!(first != all && first == drawn(&few) && all == drawn(&state));
}
