//! Level 5: agents too small to show their shape, drawn into cells: compared with triangles at the
//! size of the switch, and with the CPU's picture.

use crate::adapter;
use std::sync::Arc;

use crate::picture::{self, Studio, difference, light, populated, scene};
use flockwork::engine::Engine;
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::{Gpu, GpuEngine};
use flockwork::model::memory::Memory;
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::model::vector::{Point, flat};
use flockwork::view::camera::Camera;
use flockwork::view::cpu::raster;
use flockwork::view::frame::Frame;
use flockwork::view::gpu::renderer::Method;
use flockwork::view::splats::{self, MAX_STRENGTH};
use flockwork::view::style::{self, MIN_HALF_LENGTH, OPACITY};
use glam::Vec2;

/// Side of the compared regions; pixels. People who zoom a flock see light and colour, not which of
/// two neighbouring pixels has a thin dart.
const REGION: u32 = 8;

/// Mean absolute difference per channel (of 255) between the regions of the two pictures. A screen
/// shows no step smaller than 1. Measured on lavapipe: 0.42 at the switch; the controls are 1.6 and
/// more.
const SEAM_TOLERANCE: f64 = 0.8;

/// Difference of the light of the two pictures, as a share of it. Measured on lavapipe: 0.0063.
/// People notice about 0.01.
const LIGHT_TOLERANCE: f64 = 0.01;

/// Mean difference per channel (of 255) between the pictures of the GPU and of the CPU. The sums
/// differ by the last bits of sines and logarithms. A GPU may also round colour and opacity to 8
/// bits each before it blends; the CPU rounds once. Measured on lavapipe: 0.18 to 0.2.
const TWIN_TOLERANCE: f64 = 0.3;

/// The same between pictures of packed and unpacked sums. Packed sums may be as coarse as 128ths of
/// a depth. Measured on lavapipe: 0.012.
const PACKED_TOLERANCE: f64 = 0.05;

/// A flock that has gathered into swarms, and a camera that shows its darts at `strength`.
fn gathered(count: u64, ticks: u32, strength: f32) -> (Scene, FlockState, Camera) {
    let (scene, state) = populated(scene(&[]), count);
    let mut engine = CpuEngine::new(None).unwrap();
    engine.load(&scene, &state).unwrap();
    engine.step(ticks).unwrap();
    let state = engine.read_back().unwrap();
    let natural = strength / OPACITY * MIN_HALF_LENGTH;
    let pixels_per_unit = natural / scene.species[0].body.size;
    let camera = Camera { pixels_per_unit, ..Camera::fit(&scene.world, 1280, 720) };
    (scene, state, camera)
}

struct Drawing<'a> {
    studio: Studio,
    state: &'a FlockState,
}

impl<'a> Drawing<'a> {
    fn of(gpu: &Arc<Gpu>, state: &'a FlockState, camera: &Camera) -> Self {
        let size = (camera.size.x as u32, camera.size.y as u32);
        Self { studio: Studio::new(gpu, size, 1.0), state }
    }

    fn by(&mut self, method: Method, scene: &Scene, camera: &Camera) -> Frame {
        self.studio.offscreen.set_method(method);
        self.studio.draw(scene, self.state, camera)
    }
}

fn drawn(gpu: &Arc<Gpu>, scene: &Scene, state: &FlockState, camera: &Camera) -> Frame {
    assert!(splats::fits(scene, camera, 1.0));
    Drawing::of(gpu, state, camera).by(Method::BySize, scene, camera)
}

/// Mean difference per channel between regions.
fn seam(a: &Frame, b: &Frame) -> f64 {
    picture::seam::<3>(a, b, REGION)
}

/// Also on a screen with small pixels.
#[test]
fn the_switch_leaves_no_seam() {
    let Some(gpu) = adapter::gpu() else { return };
    for (count, size, scale) in [
        (46_000, Vec2::new(1280.0, 720.0), 1.0),
        (20_000, Vec2::new(1283.0, 721.0), 1.5),
        (20_000, Vec2::new(1283.0, 721.0), 2.0),
    ] {
        let (scene, state, camera) = gathered(count, 60, MAX_STRENGTH * 0.999);
        let camera = Camera { size, ..camera };
        assert!(splats::fits(&scene, &camera, scale), "this is drawn into cells");
        let larger = Camera { pixels_per_unit: camera.pixels_per_unit * 1.01, ..camera };
        assert!(!splats::fits(&scene, &larger, scale), "this is at the switch");
        let mut drawing = Drawing::of(&gpu, &state, &camera);
        drawing.studio.offscreen.set_scale(scale);
        let triangles = drawing.by(Method::Triangles, &scene, &camera);
        let cells = drawing.by(Method::BySize, &scene, &camera);
        assert!(triangles != cells);
        // A region holds fewer darts by this factor.
        let tolerance = SEAM_TOLERANCE * f64::from(scale);
        let brighter = |frame: &Frame| light(frame) / light(&triangles) - 1.0;
        let (own, light) = (seam(&triangles, &cells), brighter(&cells));
        assert!(own < tolerance, "{scale}: {own}");
        assert!(light.abs() < LIGHT_TOLERANCE, "{scale}: {light}");
        // Moved by four cells: noticed.
        let noticed = |frame: &Frame| {
            let other = seam(&triangles, frame);
            assert!(other > 1.5 * tolerance, "{scale}: {other} is not noticed");
        };
        let mut moved = camera;
        moved.pan(Vec2::new(4.0 * scale, 0.0));
        noticed(&drawing.by(Method::BySize, &scene, &moved));
        if scale > 1.0 {
            continue;
        }
        // In other colours: noticed.
        let mut painted = scene.clone();
        painted.species[0].colour = flockwork::model::scene::ColourBy::Speed;
        noticed(&drawing.by(Method::BySize, &painted, &camera));
        // Darts a twentieth wider and longer have a tenth more light.
        let longer = Camera { pixels_per_unit: camera.pixels_per_unit * 1.05, ..camera };
        let longer = brighter(&drawing.by(Method::Triangles, &scene, &longer));
        assert!(longer.abs() > 2.0 * LIGHT_TOLERANCE, "{longer}");
    }
}

#[test]
fn a_dart_becomes_a_point_without_a_jump() {
    let Some(gpu) = adapter::gpu() else { return };
    let (scene, state, camera) = gathered(150_000, 60, splats::FAINT);
    let mut drawing = Drawing::of(&gpu, &state, &camera);
    // So close together that no agent moves by a fifth of a pixel.
    let mut at = |factor: f32| {
        let camera = Camera { pixels_per_unit: camera.pixels_per_unit * factor, ..camera };
        drawing.by(Method::BySize, &scene, &camera)
    };
    let (points, darts, farther) = (at(0.9999), at(1.0001), at(0.97));
    assert!(points != darts);
    let brighter = |frame: &Frame| light(frame) / light(&darts) - 1.0;
    let (own, other) = (seam(&darts, &points), seam(&darts, &farther));
    // Measured: 0.22 and 0.00006, well below what the switch to triangles may cost.
    assert!(own < SEAM_TOLERANCE, "{own}");
    assert!(brighter(&points).abs() < LIGHT_TOLERANCE, "{}", brighter(&points));
    assert!(other > 1.5 * SEAM_TOLERANCE, "a picture from farther off is not noticed: {other}");
}

#[test]
fn the_cpu_makes_the_same_cells() {
    let Some(gpu) = adapter::gpu() else { return };
    for (overrides, neighbours) in [
        (&[][..], false),
        (&["starling.colour=speed"], false),
        (&["starling.colour=neighbours"], true),
    ] {
        let (mut scene, mut state) = populated(scene(overrides), 50_000);
        let (second, rows) = (scene.species[0].clone(), state.len());
        if neighbours {
            state.memory = (0..rows).map(|row| Memory::new(0.1, (row % 50) as f32)).collect();
            scene.species.push(second);
            state.species.iter_mut().step_by(3).for_each(|species| *species = 1);
        }
        state.position[7] = flat(f32::NAN, 1.0);
        state.position[8] = flat(1e30, 1.0);
        state.velocity[9] = Point::ZERO;
        state.velocity[10] = flat(f32::INFINITY, 1.0);
        state.velocity[11] = flat(1.0, f32::NAN);
        // Some are beyond every edge.
        let mut camera = Camera::fit(&scene.world, 641, 361);
        camera.pixels_per_unit *= 1.1;
        let by_gpu = drawn(&gpu, &scene, &state, &camera);
        let by_cpu = picture::by_cpu(&scene, &state, &camera);
        let own = difference(&by_gpu, &by_cpu);
        assert!(own < TWIN_TOLERANCE, "{overrides:?}: {own}");

        // Moved by an eighth of a pixel, or turned by half a turn.
        let mut moved = camera;
        moved.pan(Vec2::new(0.125, 0.0));
        let mut turned = state.clone();
        turned.velocity.iter_mut().for_each(|v| *v = -*v);
        for (what, state, camera) in [("moved", &state, &moved), ("turned", &turned, &camera)] {
            let other = picture::by_cpu(&scene, state, camera);
            let other = difference(&by_gpu, &other);
            assert!(other > 2.0 * TWIN_TOLERANCE, "{overrides:?}, {what}: {other}");
        }
    }
}

#[test]
fn the_cpu_makes_the_same_cells_of_any_size() {
    let Some(gpu) = adapter::gpu() else { return };
    let (scene, state) = populated(scene(&[]), 150_000);
    for (scale, width, height) in [(3.0, 1281, 721), (1.5, 640, 361), (0.5, 640, 360)] {
        // Some are beyond every edge.
        let mut camera = Camera::fit(&scene.world, width, height);
        camera.pixels_per_unit *= 1.1;
        assert!(splats::fits(&scene, &camera, scale));
        let mut drawing = Drawing::of(&gpu, &state, &camera);
        drawing.studio.offscreen.set_scale(scale);
        let by_gpu = drawing.by(Method::BySize, &scene, &camera);
        let by_cpu = raster::draw(&scene, &state, &scene.targets, &camera, scale);
        let own = difference(&by_gpu, &by_cpu);
        println!("{scale}: {own}");
        assert!(own < TWIN_TOLERANCE, "{scale}: {own}");
        // Moved by a quarter of a cell, or from a little nearer: noticed.
        let mut moved = camera;
        moved.pan(Vec2::new(0.25, 0.0));
        let nearer = Camera { pixels_per_unit: 1.02 * camera.pixels_per_unit, ..camera };
        for (what, camera) in [("moved", moved), ("nearer", nearer)] {
            let other = raster::draw(&scene, &state, &scene.targets, &camera, scale);
            let other = difference(&by_gpu, &other);
            assert!(other > 2.0 * TWIN_TOLERANCE, "{scale}, {what}: {other}");
        }
    }
}

#[test]
fn any_number_of_agents_in_one_cell_has_their_colour() {
    let Some(gpu) = adapter::gpu() else { return };
    let (scene, state) = populated(scene(&[]), 300_000);
    let camera = Camera { size: Vec2::new(64.0, 64.0), ..Camera::fit(&scene.world, 1280, 720) };
    for heading in [0.3, 2.0, 4.0_f32] {
        let mut state = state.clone();
        state.position.fill(camera.centre);
        state.velocity.fill(Vec2::from_angle(heading).extend(0.0));
        // A crowd is lighter than a loner, in the same hue.
        let canvas = splats::Canvas::of(&scene, 300_000, &camera, (64, 64), 1.0);
        assert!(canvas.lift > 0.1 && canvas.lift_to == 1.0);
        let hue = style::Circle::BRIGHT.at(heading / std::f32::consts::TAU);
        let wanted = hue.map(|channel| channel + canvas.lift * (1.0 - channel));
        let by_cpu = raster::draw(&scene, &state, &[], &camera, 1.0);
        for frame in [drawn(&gpu, &scene, &state, &camera), by_cpu] {
            let found = frame.rgb(32, 32).unwrap();
            for (found, wanted) in found.iter().zip(wanted) {
                let apart = (f32::from(*found) - 255.0 * wanted).abs();
                assert!(apart < 2.0, "{found} instead of {}", 255.0 * wanted);
            }
            assert_eq!(frame.rgb(40, 32), Some(style::BACKGROUND));
        }
    }
}

#[test]
fn packed_sums_make_the_same_picture_and_only_where_they_fit() {
    let Some(gpu) = adapter::gpu() else { return };
    let (scene, mut state, camera) = gathered(150_000, 60, 0.3);
    // `claim` replaces the engine's count of the fullest cell.
    let drawn = |state: &FlockState, claim: Option<u32>| {
        let mut engine = GpuEngine::new(Arc::clone(&gpu));
        engine.load(&scene, state).unwrap();
        if let Some(members) = claim {
            engine.write_buffer("grid_stats", &members.to_le_bytes()).unwrap();
        }
        picture::from_buffers(&gpu, &engine, &scene, &camera)
    };
    let (packed, wide) = (drawn(&state, None), drawn(&state, Some(u32::MAX)));
    let own = difference(&packed, &wide);
    println!("packed sums: {own}");
    assert!(own < PACKED_TOLERANCE, "{own}");
    let moved = Camera { centre: camera.centre + 0.1 / camera.pixels_per_unit, ..camera };
    let other =
        difference(&wide, &Drawing::of(&gpu, &state, &moved).by(Method::BySize, &scene, &moved));
    assert!(other > 2.0 * PACKED_TOLERANCE, "a tenth of a pixel farther is not noticed: {other}");
    assert!(packed != wide || !gpu.packs_sums(), "nothing was packed");

    // A crowd: its packed sums would overflow, which false statistics show.
    state.position[..50_000].fill(camera.centre);
    let (crowd, wide) = (drawn(&state, None), drawn(&state, Some(u32::MAX)));
    assert!(crowd == wide);
    assert!(drawn(&state, Some(1)) != wide || !gpu.packs_sums(), "no overflow is noticed");
}

#[test]
fn a_picture_in_bands_is_whole() {
    let Some(gpu) = adapter::gpu() else { return };
    // More than 128 MiB of sums.
    let height = 2200;
    let (scene, state) = populated(scene(&[]), 100_000);
    let camera =
        Camera { size: Vec2::new(4000.0, height as f32), ..Camera::fit(&scene.world, 1280, 720) };
    let whole = splats::Canvas::of(&scene, 100_000, &camera, (4000, height), 1.0);
    assert!(whole.bands(height, 1 << 27).len() > 1);
    let by_gpu = drawn(&gpu, &scene, &state, &camera);
    let by_cpu = picture::by_cpu(&scene, &state, &camera);
    let wrong = |a: &Frame, b: &Frame| {
        let pairs = a.pixels.iter().zip(&b.pixels);
        pairs.filter(|(a, b)| a.abs_diff(**b) > 2).count()
    };
    assert!(light(&by_gpu) > 1e6);
    assert_eq!(wrong(&by_gpu, &by_cpu), 0);
    let mut moved = camera;
    moved.pan(Vec2::new(0.0, 1.0));
    assert!(wrong(&by_gpu, &picture::by_cpu(&scene, &state, &moved)) > 100_000);
}
