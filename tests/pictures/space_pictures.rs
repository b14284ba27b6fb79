//! Level 5: pictures of a space. The two renderers against each other, and what a picture must show.

use crate::adapter;
use std::sync::Arc;

use crate::picture::{apart, by_cpu, by_gpu, populated, texture};
use flockwork::engine::Engine;
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::Gpu;
use flockwork::model::memory::Memory;
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::model::vector::Point;
use flockwork::view::camera::Camera;
use flockwork::view::frame::Frame;
use flockwork::view::gpu::offscreen::Offscreen;
use flockwork::view::gpu::trails::TrailLight;
use flockwork::view::space::lighting::Lighting;
use flockwork::view::{Layer, Motif, Painter};

/// Mean difference of the two renderers' pictures, as a share of the mean difference from the
/// background. Measured: 0.04 at most on lavapipe and 0.06 on SwiftShader, where the thin lines of a floor
/// differ.
const TOLERANCE: f64 = 0.09;

/// The least difference of pictures of other flocks or from other sides.
const MIN_CONTROL: f64 = 0.18;

const SIZE: (u32, u32) = (480, 270);

fn flock(keys: &str, looks: &str, count: u64) -> (Scene, FlockState) {
    let size = if looks.contains("size") { "" } else { "size = 2" };
    let text = format!(
        "world = {{ size = [120, 90, 70], boundary = \"wrap\" }}\n{keys}\n\
         [species.a]\ncount = 100\n{size}\nmax_speed = 2\n{looks}\n[species.a.cohesion]\n"
    );
    populated(Scene::parse("test", &text).unwrap(), count)
}

fn camera(scene: &Scene, state: &FlockState) -> Camera {
    Camera::of(scene, 700, Camera::followed(scene, state), SIZE)
}

/// The CPU's picture, and the GPU's if there is one.
fn by_both(
    gpu: Option<&Arc<Gpu>>,
    scene: &Scene,
    state: &FlockState,
    camera: &Camera,
) -> Vec<Frame> {
    let on_gpu = gpu.map(|gpu| by_gpu(gpu, scene, state, camera));
    [by_cpu(scene, state, camera)].into_iter().chain(on_gpu).collect()
}

/// The same flock after each agent has moved.
fn moved(state: &FlockState, by: f32) -> FlockState {
    let mut moved = state.clone();
    for place in &mut moved.position {
        *place += Point::new(by, 0.3 * by, -by);
    }
    moved
}

const VARIANTS: [(&str, &str, u64); 16] = [
    ("", "", 300),
    ("", "", 20_000),
    ("", "size = { from = 0.2, to = 3 }", 800),
    ("style = { colour = \"depth\", fog = 3 }", "", 500),
    ("style = { colour = \"speed\", background = \"paper\" }", "", 500),
    ("style = { background = \"dusk\" }", "size = 0.4", 3_000),
    ("style = { background = \"paper\", colour = \"#000000\", matter = 3 }", "size = 0.05", 40_000),
    ("style = { background = \"none\", look = \"disc\" }", "", 200),
    ("style = { look = \"glow\" }", "", 200),
    ("style = { look = \"bird\", background = \"dusk\" }", "", 300),
    ("style = { look = \"fish\" }", "size = { from = 0.2, to = 4 }", 800),
    ("style = { ground = true, background = \"night\" }", "", 400),
    // Near the floor, where shadows reach behind the eye.
    ("style = { ground = true }\ncamera = { zoom = 10, centre = [60, 45, 2] }", "size = 6", 300),
    ("camera = { follow = 7, ride = true, zoom = 0.6 }", "", 3_000),
    ("camera = { elevation = -30, fov = 90, rotation = 25, zoom = 4 }", "", 3_000),
    (
        "obstacles = [{ position = [60, 40, 30], radius = 18 }, { position = [20, 70, 60] }]\n\
         paths = [{ points = [[10, 10, 10], [60, 80, 30], [110, 20, 60]] }]\n\
         targets = [{ position = [90, 45, 35], hit_radius = 6 }]",
        "follow_path = { radius = 5 }",
        2_000,
    ),
];

#[test]
fn both_renderers_draw_the_same_space() {
    let Some(gpu) = adapter::gpu() else { return };
    for (keys, looks, count) in VARIANTS {
        let (scene, state) = flock(keys, looks, count);
        let camera = camera(&scene, &state);
        let nobody = FlockState::default();
        let behind = by_cpu(&scene, &nobody, &camera);
        let ours = by_cpu(&scene, &state, &camera);
        let theirs = by_gpu(&gpu, &scene, &state, &camera);
        let seen = apart(&ours, &behind);
        let off = apart(&ours, &theirs) / seen;
        println!("{off:.4} {keys} {looks} {count}");
        assert!(seen > 1e4 && off < TOLERANCE, "{keys} {looks} {count}: {off}");
        // The controls: another place, another side.
        let elsewhere = by_gpu(&gpu, &scene, &moved(&state, 2.0), &camera);
        let control = apart(&ours, &elsewhere) / seen;
        assert!(control > MIN_CONTROL, "{keys} {looks} {count}: {control} when moved");
        let mut turned = camera;
        turned.orbit(glam::Vec2::new(30.0, 10.0));
        let control = apart(&ours, &by_gpu(&gpu, &scene, &state, &turned)) / seen;
        assert!(control > MIN_CONTROL, "{keys} {looks} {count}: {control} when turned");
    }
}

/// How far apart the renderers may be where panes of glass lie over one another: a GPU rounds each of up to five to 8
/// bits, the CPU rounds once.
const GLASS_STEPS: u8 = 3;

#[test]
fn both_renderers_draw_the_same_glass() {
    let Some(gpu) = adapter::gpu() else { return };
    let tank = |frame: bool| {
        let text = format!(
            "world = {{ size = [120, 90, 70], boundary = \"walls\" }}\nstyle = {{ frame = {frame}, ground = true }}\n\
             obstacles = [{{ position = [60, 45, 30], radius = 14 }}]\n[species.a]\n"
        );
        Scene::parse("test", &text).unwrap()
    };
    let (glass, bare) = (tank(true), tank(false));
    let nobody = FlockState::default();
    for turn in [[0.0, 0.0], [140.0, -30.0]] {
        let mut camera = camera(&glass, &nobody);
        camera.orbit(glam::Vec2::from(turn));
        let [ours, without] = [&glass, &bare].map(|scene| by_cpu(scene, &nobody, &camera));
        let theirs = by_gpu(&gpu, &glass, &nobody, &camera);
        let far = |a: &Frame, b: &Frame| {
            let pairs = a.pixels.iter().zip(&b.pixels).map(|(a, b)| a.abs_diff(*b));
            pairs.filter(|steps| *steps > GLASS_STEPS).count() as f64 / a.pixels.len() as f64
        };
        // The edges of the tank, of its floor's lines and of the sphere are smoothed in their own ways: 0.0002 to 0.003
        // of the channels, measured on lavapipe and SwiftShader.
        let off = far(&ours, &theirs);
        assert!(off < 0.01, "{off} of all channels");
        // The control: a tank without glass.
        let control = far(&without, &theirs);
        println!("{off:.4}, {control:.3} without glass");
        assert!(control > 0.2, "{control} of all channels without glass");
    }
}

/// The most that the water behind trails differs from water without trails, as a share of the mirrored flock.
const MAX_WATER_DIFFERENCE: f64 = 0.02;

#[test]
fn water_behind_trails_is_the_same_and_mirrors_the_flock() {
    let Some(gpu) = adapter::gpu() else { return };
    for style in ["", "background = \"dusk\", exposure = 1, sun = 20, "] {
        let keys = format!(
            "style = {{ {style}ground = \"water\" }}\ncamera = {{ elevation = 5, orbit = \"none\" }}"
        );
        let (scene, state) = flock(&keys, "", 2_000);
        let camera = camera(&scene, &state);
        let without = by_gpu(&gpu, &scene, &state, &camera);
        let nobody = by_gpu(&gpu, &scene, &moved(&state, 1e7), &camera);
        // As the window draws trails, before there are some.
        let mut light = TrailLight::new(Arc::clone(&gpu));
        let (mut offscreen, mut engine) = (
            Offscreen::new(Arc::clone(&gpu), SIZE.0, SIZE.1).unwrap(),
            CpuEngine::new(Some(1)).unwrap(),
        );
        engine.load(&scene, &state).unwrap();
        let motif = Motif { layer: Layer::Behind, ..Motif::of(&scene, &camera) };
        let behind = offscreen.paint(&mut engine, motif).unwrap();
        let blank = texture(&gpu, SIZE, wgpu::TextureUsages::TEXTURE_BINDING);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        light.add(&mut encoder, &blank, &camera, 0, 1.0);
        gpu.queue.submit([encoder.finish()]);
        offscreen.set_trails(light.view());
        let window = offscreen.paint(&mut engine, Motif::of(&scene, &camera)).unwrap();
        // Below the flock, where water alone is.
        let water = |frame: &Frame| frame.pixels[frame.pixels.len() * 9 / 10..].to_vec();
        let apart = |one: &Frame, other: &Frame| {
            let pairs = water(one).into_iter().zip(water(other));
            pairs.map(|(a, b)| f64::from(a.abs_diff(b))).sum::<f64>()
        };
        let mirrored = apart(&without, &nobody);
        let off = [&window, &behind].map(|frame| apart(frame, &without) / mirrored);
        println!("{off:?} of the mirrored flock, {mirrored}");
        assert!(
            mirrored > 1e4 && off.into_iter().all(|off| off < MAX_WATER_DIFFERENCE),
            "{off:?}, {mirrored}"
        );
    }
}

/// A sphere before the flock hides it; one behind does not.
#[test]
fn what_is_near_hides_what_is_far() {
    let gpu = adapter::gpu();
    for (y, hides) in [(8.0, true), (82.0, false)] {
        let keys = format!(
            "camera = {{ azimuth = 0, elevation = 0, orbit = \"none\" }}\n\
             obstacles = [{{ position = [60, {y}, 35], radius = 7 }}]"
        );
        let (scene, mut state) = flock(&keys, "colour = \"#FF0000\"", 1);
        (state.position, state.velocity) = (vec![Point::new(60.0, 45.0, 35.0)], vec![Point::X]);
        let camera = camera(&scene, &state);
        for picture in by_both(gpu.as_ref(), &scene, &state, &camera) {
            let red = picture.pixels.chunks_exact(4).filter(|p| p[0] > 90 && p[0] / 2 > p[2]);
            assert_eq!(red.count() == 0, hides, "at {y}");
        }
    }
}

/// The floor is darker where an obstacle keeps the sun from it, and as before on the other side.
#[test]
fn obstacles_cast_soft_shadows_on_the_floor() {
    let gpu = adapter::gpu();
    let keys = |obstacles: &str| {
        format!(
            "style = {{ ground = true, background = \"paper\", fog = 0 }}\n\
             camera = {{ elevation = 80, zoom = 2 }}\nobstacles = [{obstacles}]"
        )
    };
    let (bare, state) = flock(&keys(""), "size = 0.01", 1);
    let centre = Point::new(60.0, 45.0, 20.0);
    let (scene, _) = flock(&keys("{ position = [60, 45, 20], radius = 8 }"), "size = 0.01", 1);
    let camera = camera(&scene, &state);
    let sun = Lighting::of(&scene, &camera, &camera.eye.unwrap(), false).sun;
    let throw = (sun * (centre.z / sun.z)).with_z(0.0);
    let draw = |scene: &Scene| by_both(gpu.as_ref(), scene, &state, &camera);
    for (with, without) in draw(&scene).iter().zip(draw(&bare)) {
        // Off the lines of the grid.
        let light = |frame: &Frame, way: f32| {
            let place = centre.with_z(0.0) + throw * way + Point::new(2.0, 2.0, 0.0);
            let seen = camera.seen(place).unwrap().pixel;
            f64::from(frame.rgb(seen.x as u32, seen.y as u32).unwrap()[1])
        };
        let [under, beside] = [-1.0, 2.0].map(|way| light(with, way) / light(&without, way));
        println!("{under:.3} of the light in the shadow, {beside:.3} on the other side");
        assert!((under - 0.5).abs() < 0.03 && (beside - 1.0).abs() < 0.02, "{under}, {beside}");
    }
}

/// An agent is seen a second time where a mirror at the bottom of the world would show it.
#[test]
fn water_mirrors_what_is_above_it() {
    let Some(gpu) = adapter::gpu() else { return };
    for light in ["", "exposure = 1, sun = 30, "] {
        let of = |ground: &str, place: Point| {
            let keys = format!(
                "camera = {{ elevation = 15, orbit = \"none\" }}\n\
                 style = {{ {light}ground = {ground}, background = \"dawn\", fog = 0 }}"
            );
            let (scene, mut state) = flock(&keys, "size = 6\ncolour = \"#FF0000\"", 1);
            (state.position, state.velocity) = (vec![place], vec![Point::X]);
            let camera = camera(&scene, &state);
            let frame = by_gpu(&gpu, &scene, &state, &camera);
            assert!(frame == by_gpu(&gpu, &scene, &state, &camera), "the same bytes again");
            (frame, camera)
        };
        let (place, elsewhere) = (Point::new(60.0, 45.0, 12.0), Point::new(10.0, 80.0, 60.0));
        // How much redder the picture is for the agent, at its place and at the mirrored one.
        let redder = |ground: &str| {
            let ((with, camera), (without, _)) = (of(ground, place), of(ground, elsewhere));
            [1.0, -1.0].map(|side| {
                let seen = camera.seen(place * Point::new(1.0, 1.0, side)).unwrap().pixel;
                let red = |frame: &Frame| {
                    let [r, g, b] = frame.rgb(seen.x as u32, seen.y as u32).unwrap().map(i32::from);
                    r - (g + b) / 2
                };
                red(&with) - red(&without)
            })
        };
        let [direct, mirrored] = redder("\"water\"");
        println!("{light}: {direct} redder at its place, {mirrored} in the mirror");
        assert!(direct > 100 && mirrored > 20 && mirrored < direct, "{direct}, {mirrored}");
        let [direct, below] = redder("true");
        assert!(direct > 100 && below.abs() < 5, "{direct}, {below} without water");
    }
}

/// Living bodies move from tick to tick, alike in both renderers; small ones, and darts, do not.
#[test]
fn birds_beat_their_wings_and_fish_their_tails() {
    let gpu = adapter::gpu();
    for (look, size, moves) in
        [("bird", 5.0, true), ("fish", 5.0, true), ("bird", 0.7, false), ("triangle", 5.0, false)]
    {
        let keys = format!("style = {{ look = \"{look}\", fog = 0 }}");
        let (scene, mut state) = flock(&keys, &format!("size = {size}"), 60);
        let camera = camera(&scene, &state);
        let behind = by_cpu(&scene, &FlockState::default(), &camera);
        let of_ticks = [0, 8].map(|tick| {
            state.tick = tick;
            let pictures = by_both(gpu.as_ref(), &scene, &state, &camera);
            let ours = &pictures[0];
            // Drivers draw bodies of a few pixels in their own ways: of darts of that size SwiftShader's
            // are 0.43 apart.
            for theirs in pictures[1..].iter().filter(|_| size > 1.0) {
                let off = apart(ours, theirs) / apart(ours, &behind);
                assert!(off < TOLERANCE, "{look} of {size} at {tick}: {off}");
            }
            pictures
        });
        let [first, later] = &of_ticks;
        for (first, later) in first.iter().zip(later) {
            let moved = apart(first, later) / apart(first, &behind);
            println!("{look} of {size}: {moved:.3}");
            assert!(
                if moves { moved > MIN_CONTROL } else { moved == 0.0 },
                "{look} of {size}: {moved}"
            );
        }
    }
}

/// Birds lean as their memory says, alike in both renderers; fish do not.
#[test]
fn birds_lean_as_they_remember() {
    let gpu = adapter::gpu();
    for (look, colour, leans) in
        [("bird", "heading", true), ("bird", "neighbours", false), ("fish", "heading", false)]
    {
        let keys = format!("style = {{ look = \"{look}\", colour = \"{colour}\", fog = 0 }}");
        let (scene, mut state) = flock(&keys, "size = 5\npalette = \"#C0C0C0\"", 60);
        let camera = camera(&scene, &state);
        let behind = by_cpu(&scene, &FlockState::default(), &camera);
        let of_banks = [0, 70, 186].map(|bank| {
            state.memory = vec![Memory(bank); state.len()];
            state.shown = scene.shown();
            let mut pictures = by_both(gpu.as_ref(), &scene, &state, &camera);
            let ours = pictures.remove(0);
            for theirs in pictures {
                let off = apart(&ours, &theirs) / apart(&ours, &behind);
                assert!(off < TOLERANCE, "{look} that leans by {bank}: {off}");
            }
            ours
        });
        for pair in [[0, 1], [0, 2], [1, 2]] {
            let [one, other] = pair.map(|bank| &of_banks[bank]);
            let moved = apart(one, other) / apart(one, &behind);
            println!("{look} by {colour}: {moved:.3}");
            let fits = if leans { moved > MIN_CONTROL } else { moved == 0.0 };
            assert!(fits, "{look} by {colour}: {moved}");
        }
    }
}

/// The most frequent colour of an agent that fills much of the picture, and its share of the agent's pixels.
fn colour_of_one(
    keys: &str,
    picture: impl Fn(&Scene, &FlockState, &Camera) -> Frame,
) -> ([u8; 3], f64) {
    let keys = format!(
        "camera = {{ azimuth = 20, elevation = 25, orbit = \"none\", zoom = 2 }}\n\
         style = {{ fog = 0, {keys} }}"
    );
    let (scene, mut state) = flock(&keys, "size = 24", 1);
    (state.position, state.velocity) = (vec![Point::new(60.0, 45.0, 35.0)], vec![Point::Y]);
    let camera = camera(&scene, &state);
    let (behind, seen) =
        (picture(&scene, &FlockState::default(), &camera), picture(&scene, &state, &camera));
    let pixels = behind.pixels.chunks_exact(4).zip(seen.pixels.chunks_exact(4));
    let own: Vec<[u8; 3]> =
        pixels.filter(|(a, b)| a != b).map(|(_, pixel)| [pixel[0], pixel[1], pixel[2]]).collect();
    assert!(own.len() > 1000, "{} pixels", own.len());
    let mut counts = std::collections::BTreeMap::new();
    own.iter().for_each(|colour| *counts.entry(*colour).or_insert(0_usize) += 1);
    let (colour, most) = counts.into_iter().max_by_key(|(_, count)| *count).unwrap();
    (colour, most as f64 / own.len() as f64)
}

/// Only the edges of a silhouette, where it mixes with the background, have other colours.
#[test]
fn without_light_agents_are_silhouettes_before_any_background() {
    let gpu = adapter::gpu();
    let pictures = |keys: &str| {
        let ours = colour_of_one(keys, by_cpu);
        let theirs =
            gpu.as_ref().map(|gpu| colour_of_one(keys, |s, state, c| by_gpu(gpu, s, state, c)));
        [Some(ours), theirs].into_iter().flatten()
    };
    for look in ["triangle", "disc"] {
        for (background, dark) in
            [("dark", false), ("night", false), ("none", false), ("paper", true), ("dusk", true)]
        {
            let keys = |light: &str| {
                format!("look = \"{look}\", background = \"{background}\", light = \"{light}\"")
            };
            for (colour, share) in pictures(&keys("none")) {
                assert!(share > 0.9, "{look}, {background}: {share}");
                let [least, most] = [colour.iter().min(), colour.iter().max()].map(|c| *c.unwrap());
                assert!(if dark { most < 50 } else { least > 200 }, "{background}: {colour:?}");
            }
            // Control: the sun shades it.
            for (_, share) in pictures(&keys("sun")) {
                assert!(share < 0.9, "{look}, {background} under a sun: {share}");
            }
            let own = format!("{}, colour = \"#4080C0\"", keys("none"));
            for (colour, share) in pictures(&own) {
                assert_eq!(colour, [0x40, 0x80, 0xC0], "{background}");
                assert!(share > 0.9, "{look}, {background}: {share}");
            }
        }
    }
}

/// The light of a flock does not depend on the number of pixels, nor on whether agents are just large
/// enough to show their shape.
#[test]
fn a_flock_is_as_bright_in_sums_as_in_bodies() {
    let light = |size: f32| {
        let (scene, state) = flock("", &format!("size = {size}"), 2_000);
        let camera = camera(&scene, &state);
        let behind = by_cpu(&scene, &FlockState::default(), &camera);
        apart(&by_cpu(&scene, &state, &camera), &behind)
    };
    // From all in sums to all with bodies.
    let lights: Vec<f64> = [0.3, 0.36, 0.43, 0.52, 0.62].map(light).into();
    for pair in lights.windows(2) {
        assert!(pair[1] > 0.95 * pair[0] && pair[1] < 1.6 * pair[0], "{lights:?}");
    }
}

/// A camera inside an agent, in the middle of the flock, straight above, or on an agent without a place
/// has a picture all the same.
#[test]
fn every_camera_has_a_picture() {
    let gpu = adapter::gpu();
    let (mut scene, mut state) = flock("camera = { follow = 3, ride = true }", "", 500);
    let mut cameras = vec![camera(&scene, &state)];
    for velocity in [Point::ZERO, Point::Z, -Point::Z, Point::splat(f32::NAN)] {
        state.velocity[3] = velocity;
        cameras.push(camera(&scene, &state));
    }
    state.position[3] = Point::splat(f32::NAN);
    cameras.push(camera(&scene, &state));
    scene.camera.follow = flockwork::model::scene::Follow::None;
    for (elevation, zoom) in [(90.0, 1.0), (-90.0, 1e4), (0.0, 100.0)] {
        (scene.camera.elevation, scene.camera.zoom) = (elevation, zoom);
        scene.camera.centre = Some(state.position[4]);
        cameras.push(camera(&scene, &state));
    }
    for camera in cameras {
        let eye = camera.eye.unwrap();
        assert!(eye.place().is_finite() && camera.centre.is_finite(), "{camera:?}");
        by_both(gpu.as_ref(), &scene, &state, &camera);
    }
}
