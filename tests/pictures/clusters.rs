//! Level 5: each connected group of agents has a hue of its own, with every engine and every renderer.

use std::collections::BTreeSet;
use std::sync::Arc;

use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::{Gpu, GpuEngine};
use flockwork::engine::{Change, Engine};
use flockwork::model::scene::{ColourBy, Request, Scene};
use flockwork::model::state::FlockState;
use flockwork::model::statistics::{Clusters, Selection};
use flockwork::model::vector::flat;
use flockwork::view::camera::Camera;
use flockwork::view::frame::Frame;
use flockwork::view::gpu::offscreen::Offscreen;
use flockwork::view::{Motif, Painter, RasterPainter};

use crate::adapter;
use crate::picture::{agents, built_in_scene, differing};

const SIZE: (u32, u32) = (640, 360);

/// Discs in the colours of their groups.
const LOOKS: [&str; 3] = ["style.colour=cluster", "style.look=disc", "style.smallest=12"];

/// Colours of edges differ by no more.
const EDGES: u8 = 48;

fn scene(name: &str, keys: &[&str]) -> Scene {
    built_in_scene(name, &[&LOOKS, keys].concat())
}

/// Pictures of the agents of the GPU engine, of those that the CPU engine uploads, and by the CPU alone.
fn pictures(gpu: &Arc<Gpu>, scene: &Scene, state: &FlockState) -> [Frame; 3] {
    let camera = Camera::of(scene, 0, None, SIZE);
    let mut on_gpu = GpuEngine::new(Arc::clone(gpu));
    let mut on_cpu = CpuEngine::new(Some(2)).unwrap();
    on_gpu.load(scene, state).unwrap();
    on_cpu.load(scene, state).unwrap();
    let mut offscreen = Offscreen::new(Arc::clone(gpu), SIZE.0, SIZE.1).unwrap();
    let in_place = offscreen.paint(&mut on_gpu, Motif::of(scene, &camera)).unwrap();
    let uploaded = offscreen.paint(&mut on_cpu, Motif::of(scene, &camera)).unwrap();
    let rastered =
        RasterPainter { scale: 1.0 }.paint(&mut on_cpu, Motif::of(scene, &camera)).unwrap();
    [in_place, uploaded, rastered]
}

/// The number of colours of the agents, by the pixels in their middles.
fn colours(frame: &Frame, scene: &Scene, state: &FlockState) -> usize {
    let camera = Camera::of(scene, 0, None, SIZE);
    let pixels = state.position.iter().map(|place| camera.pixel_from_world(*place));
    let found = pixels.map(|pixel| frame.rgb(pixel.x as u32, pixel.y as u32).unwrap());
    found.collect::<BTreeSet<_>>().len()
}

/// Three groups, one more across the seam, and two agents that are alone.
fn groups() -> FlockState {
    let at = |x: f32, y: f32, count: u32| (0..count).map(move |n| flat(x + 25.0 * n as f32, y));
    let places = at(100.0, 100.0, 5).chain(at(330.0, 100.0, 3)).chain(at(450.0, 250.0, 4));
    let places = places.chain(at(10.0, 200.0, 2)).chain(at(600.0, 200.0, 2));
    let places = places.chain([flat(200.0, 300.0), flat(330.0, 320.0)]);
    agents(&places.map(|place| (place, flat(1.0, 0.5))).collect::<Vec<_>>())
}

#[test]
fn a_picture_has_as_many_hues_as_groups() {
    let Some(gpu) = adapter::gpu() else { return };
    let state = groups();
    for (boundary, hues) in [("wrap", 4), ("open", 5)] {
        let scene = scene("flock", &[&format!("world.boundary={boundary}")]);
        let metric = Selection::parse(&["clusters"]).unwrap();
        let figure = metric.values(&scene, &state, &[])[0];
        assert_eq!(figure, f64::from(hues + 2), "{boundary}: the metric has the two lone agents");
        for frame in pictures(&gpu, &scene, &state) {
            let found = colours(&frame, &scene, &state);
            assert_eq!(found, hues as usize + 1, "{boundary}: the hues and grey");
        }
    }
}

/// The flock of a scene, spread so thinly that it is in many groups; a third of it in a crowd.
fn thin(name: &str, keys: &[&str], count: u64, crowd: bool) -> (Scene, FlockState) {
    let request = Request { count: Some(count), seed: Some(1), ..Request::default() };
    let (scene, mut state) = scene(name, keys).populate(&request).unwrap();
    let crowded = if crowd { state.len() / 3 } else { 0 };
    for place in &mut state.position[..crowded] {
        *place = scene.world.size * 0.3 + *place * 0.03;
    }
    (scene, state)
}

#[test]
fn all_give_a_group_the_same_hue() {
    let Some(gpu) = adapter::gpu() else { return };
    let radii = ["starling.alignment.radius=9", "starling.cohesion.radius=9"];
    let uniform = "starling.spawn={ place = 'uniform', speed = 1 }";
    let small =
        [radii[0], radii[1], "starling.separation.radius=9", "world.size=[26, 26]", uniform];
    let space = ["style.light=none", "style.palette=hues", "world.density=1"];
    let cases: [(&str, &[&str], u64, bool); 6] = [
        ("flock", &["world.density=2"], 700, false),
        ("flock", &["world.density=2", "world.boundary=open"], 700, false),
        ("flock", &["world.density=2"], 6000, true),
        ("flock", &small, 6, false),
        ("flock-3d", &space, 500, false),
        ("flock-3d", &[&space[..], &["world.boundary=walls"]].concat(), 500, false),
    ];
    for (name, keys, count, crowd) in cases {
        let (scene, state) = thin(name, keys, count, crowd);
        let found = Clusters::smallest_ids(&scene, &state.position, &state.id);
        let groups: BTreeSet<_> = found.iter().collect();
        assert!(groups.len() > 1, "{name} {keys:?}: one group");
        let all = pictures(&gpu, &scene, &state);
        // Another radius makes other groups.
        let mut other = scene.clone();
        let radius = 0.6 * scene.perception_radius();
        for rule in &mut other.species[0].rules {
            if let Some(slot) = rule.kind.parameter("radius") {
                rule.values[slot] = rule.values[slot].min(radius);
            }
        }
        let [others, ..] = pictures(&gpu, &other, &state);
        let control = differing(&others, &all[0], EDGES);
        for frame in &all[1..] {
            let apart = differing(&all[0], frame, EDGES);
            assert!(apart < 0.1 * control, "{name} {keys:?}: {apart} of {control}");
        }
    }
}

/// A species that shows its neighbours keeps its colours, and an edit brings the hues of groups.
#[test]
fn species_and_edits_choose_the_colour() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut scene = scene("flock", &["world.density=2"]);
    let mut second = scene.species[0].clone();
    second.colour = ColourBy::Neighbours;
    scene.species.push(second);
    let request = Request { count: Some(500), ..Request::default() };
    let (scene, state) = scene.populate(&request).unwrap();
    let mut before = scene.clone();
    before.species.iter_mut().for_each(|species| species.colour = ColourBy::Neighbours);
    let camera = Camera::of(&scene, 0, None, SIZE);
    let mut offscreen = Offscreen::new(Arc::clone(&gpu), SIZE.0, SIZE.1).unwrap();
    let mut engine = GpuEngine::new(Arc::clone(&gpu));
    engine.load(&before, &state).unwrap();
    engine.step(3).unwrap();
    let counted = offscreen.paint(&mut engine, Motif::of(&before, &camera)).unwrap();
    engine.update(&scene, Change::PARAMETERS).unwrap();
    let grouped = offscreen.paint(&mut engine, Motif::of(&scene, &camera)).unwrap();
    let by_cpu =
        flockwork::view::cpu::raster::draw(&scene, &engine.read_back().unwrap(), &[], &camera, 1.0);
    let (same, changed) =
        (differing(&grouped, &by_cpu, EDGES), differing(&grouped, &counted, EDGES));
    assert!(same < 0.1 * changed, "{same} of {changed}");
}
