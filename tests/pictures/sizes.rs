//! Agents that draw their own sizes are drawn at these sizes: on the GPU and on the CPU, as
//! triangles, discs and glows, and as sums of cells.

use crate::adapter;
use std::sync::Arc;

use crate::picture::{agents, by_cpu, by_gpu, difference, from_buffers, light, populated, scene};
use crate::renderer;
use flockwork::engine::Engine;
use flockwork::engine::gpu::GpuEngine;
use flockwork::engine::gpu::shaders::{Variant, compose};
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::model::vector::Point;
use flockwork::view::camera::Camera;
use flockwork::view::frame::Frame;
use flockwork::view::splats;
use flockwork::view::style;
use glam::Vec2;

/// Sizes that differ threefold.
const DRAWN: &str = "starling.size={ from = 4, to = 12 }";

/// Mean difference per channel (of 255) between the pictures of the GPU and of the CPU: both round
/// colours, and triangles differ at their edges because of the samples. Measured on lavapipe: 0.14
/// at most, for triangles.
const TWIN_TOLERANCE: f64 = 0.3;

/// Agents far enough apart that the largest do not touch. The order of their ids differs from the
/// order of their rows.
fn lattice() -> FlockState {
    let mut state = agents(&renderer::lattice());
    state.id.reverse();
    state
}

/// The light in the square of a lattice agent with this velocity, in fully painted pixels.
fn painted(frame: &Frame, place: Vec2, velocity: Point) -> f64 {
    let (left, top) = (place.x as u32 - 20, place.y as u32 - 20);
    let turn = style::heading_angle(velocity) / std::f32::consts::TAU;
    let hue = style::Circle::BRIGHT.at(turn);
    let full = style::OPACITY * hue.iter().sum::<f32>() * 255.0
        - style::OPACITY * style::BACKGROUND.iter().map(|c| f32::from(*c)).sum::<f32>();
    let mut sum = 0.0;
    for (x, y) in (0..1600).map(|i| (left + i % 40, top + i / 40)) {
        let rgb = frame.rgb(x, y).unwrap();
        let above = rgb.iter().zip(style::BACKGROUND);
        sum += above.map(|(c, b)| f64::from(*c) - f64::from(b)).sum::<f64>();
    }
    sum / f64::from(full)
}

/// Fails unless the area of every agent of the lattice fits its own size.
fn assert_areas(scene: &Scene, frame: &Frame, camera: &Camera, area: impl Fn(f64) -> f64) {
    let state = lattice();
    let mut sizes = Vec::new();
    let agents = state.position.iter().zip(&state.velocity).zip(&state.id);
    for ((position, velocity), id) in agents {
        let size = f64::from(scene.species[0].size_of(scene.seed, *id) * camera.pixels_per_unit);
        let found = painted(frame, camera.pixel_from_world(*position), *velocity);
        assert!((found / area(size) - 1.0).abs() < 0.1, "agent {id}: {found}, not {}", area(size));
        sizes.push(size);
    }
    sizes.sort_by(f64::total_cmp);
    assert!(sizes[0] > 4.0 && sizes[59] < 12.0 && sizes[59] > 2.0 * sizes[0]);
}

#[test]
fn each_agent_is_as_large_as_it_is_on_the_cpu() {
    let triangle = |size: f64| 2.0 * f64::from(style::SLENDERNESS) * size * size;
    let disc = |size: f64| std::f64::consts::PI * size * size;
    let darts = scene(&[DRAWN]);
    let camera = Camera::fit(&darts.world, 640, 360);
    assert_areas(&darts, &by_cpu(&darts, &lattice(), &camera), &camera, triangle);
    let discs = scene(&[DRAWN, "starling.look=disc"]);
    assert_areas(&discs, &by_cpu(&discs, &lattice(), &camera), &camera, disc);
}

#[test]
fn the_gpu_draws_the_same_sizes() {
    let Some(gpu) = adapter::gpu() else { return };
    for look in ["triangle", "disc", "glow"] {
        let look = format!("starling.look={look}");
        let scene = scene(&[DRAWN, &look]);
        let camera = Camera::fit(&scene.world, 640, 360);
        let state = lattice();
        let (a, b) = (by_gpu(&gpu, &scene, &state, &camera), by_cpu(&scene, &state, &camera));
        let twins = difference(&a, &b);
        println!("{look}: {twins}");
        assert!(twins < TWIN_TOLERANCE, "{look}: {twins}");
        // All agents as large as the largest, or with the sizes of other agents: noticed.
        let mut largest = scene.clone();
        largest.species[0].variations.clear();
        let largest = difference(&a, &by_cpu(&largest, &state, &camera));
        let mut others = state.clone();
        others.id.reverse();
        let others = difference(&a, &by_cpu(&scene, &others, &camera));
        assert!(largest > 4.0 * TWIN_TOLERANCE, "{look}: all as large as the largest: {largest}");
        assert!(others > 2.0 * TWIN_TOLERANCE, "{look}: sizes of other agents: {others}");
    }
}

#[test]
fn small_agents_of_their_own_sizes_are_as_bright_on_both() {
    let Some(gpu) = adapter::gpu() else { return };
    let (scene, state) = populated(scene(&["starling.size={ from = 1, to = 12 }"]), 4000);
    let camera = Camera { pixels_per_unit: 0.07, ..Camera::fit(&scene.world, 320, 180) };
    assert!(splats::fits(&scene, &camera, 1.0));
    let (a, b) = (by_gpu(&gpu, &scene, &state, &camera), by_cpu(&scene, &state, &camera));
    let twins = difference(&a, &b);
    assert!(twins < TWIN_TOLERANCE, "{twins}");
    let mut largest = scene.clone();
    largest.species[0].variations.clear();
    let brighter = light(&by_cpu(&largest, &state, &camera)) / light(&b);
    assert!(brighter > 1.05, "all as large as the largest: {brighter}");
    let by_gpu = light(&by_gpu(&gpu, &largest, &state, &camera)) / light(&a);
    assert!((by_gpu / brighter - 1.0).abs() < 0.01, "{by_gpu} and {brighter}");
}

#[test]
fn sizes_stay_with_their_agents_in_the_engine() {
    let Some(gpu) = adapter::gpu() else { return };
    let scene = scene(&[DRAWN]);
    let camera = Camera::fit(&scene.world, 640, 360);
    // Ids are rows, as in every new flock; cells put the agents in another order.
    let mut state = lattice();
    state.position.reverse();
    state.id = (0..60).collect();
    let mut engine = GpuEngine::new(Arc::clone(&gpu));
    engine.load(&scene, &state).unwrap();
    let frame = from_buffers(&gpu, &engine, &scene, &camera);
    assert_eq!(frame, by_gpu(&gpu, &scene, &state, &camera));
    state.id.reverse();
    assert_ne!(frame, by_gpu(&gpu, &scene, &state, &camera), "sizes of other agents");
}

#[test]
fn a_shader_draws_no_sizes_that_its_scene_does_not() {
    for name in ["draw_boids", "splat"] {
        let wgsl =
            |own_sizes| compose(name, &Variant::of_drawing(false, own_sizes, false)).unwrap().0;
        assert!(wgsl(true).contains("drawn(") && wgsl(true).contains("PURPOSE_TRAIT"), "{name}");
        for word in ["drawn(", "PURPOSE_TRAIT", "sized("] {
            assert!(!wgsl(false).contains(word), "{name}: `{word}` is paid for and not used");
        }
    }
}
