//! Level 5: styles. Both renderers draw each of them, and draw the same.

use crate::adapter;
use std::sync::Arc;

use crate::picture::{agents, by_cpu, by_gpu, populated, scene, seam, texture};
use flockwork::engine::Engine;
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::Gpu;
use flockwork::model::memory::{Memory, ShownBy};
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::model::vector::{Point, flat};
use flockwork::view::camera::Camera;
use flockwork::view::cpu::raster;
use flockwork::view::frame::Frame;
use flockwork::view::gpu::offscreen::Offscreen;
use flockwork::view::gpu::renderer::Renderer;
use flockwork::view::gpu::subject::Subject;
use flockwork::view::gpu::trails::TrailLight;
use flockwork::view::gpu::upload::UploadedAgents;
use flockwork::view::trails::Trails;
use flockwork::view::{Layer, Motif, Painter, RasterPainter};
use glam::Vec2;

/// Side of the compared regions; pixels. Edges of darts differ: the GPU takes four samples per pixel, the
/// CPU computes the covered share.
const REGION: u32 = 6;

/// Mean difference per channel (of 255) between regions of the pictures of the GPU and of the CPU.
/// Measured on lavapipe: 0.03 to 0.48; two styles differ by 1.3 and more.
const TOLERANCE: f64 = 0.6;

/// A flock of agents large enough to show their shape, or of small ones.
fn flock(overrides: &[&str], count: u64) -> (Scene, FlockState, Camera) {
    let mut scene = scene(overrides);
    let second = scene.species[0].clone();
    scene.species.push(second);
    let (scene, mut state) = populated(scene, count);
    // As many neighbours as make a crowd, or all ages and accelerations.
    let step = if scene.shown() == ShownBy::default() { 1 } else { 5 };
    let shown = |row: usize| (row % 50 * step) as f32;
    state.memory = (0..state.len()).map(|row| Memory::new(0.1, shown(row))).collect();
    for (row, velocity) in state.velocity.iter_mut().enumerate() {
        *velocity *= (row % 7) as f32 / 2.0;
    }
    let camera = Camera::of(&scene, 0, Camera::followed(&scene, &state), (480, 270));
    (scene, state, camera)
}

/// Mean difference per channel between regions.
fn difference(a: &Frame, b: &Frame) -> f64 {
    seam::<4>(a, b, REGION)
}

/// Draws the styles with both renderers. Each pair must be alike, and no two styles may be.
fn compare(gpu: &Arc<Gpu>, styles: &[&[&str]], count: u64) {
    let mut pictures: Vec<Frame> = Vec::new();
    for style in styles {
        let (scene, state, camera) = flock(style, count);
        let drawn = by_gpu(gpu, &scene, &state, &camera);
        let own = difference(&drawn, &by_cpu(&scene, &state, &camera));
        assert!(own < TOLERANCE, "{style:?} of {count}: {own}");
        for (other, picture) in styles.iter().zip(&pictures) {
            let apart = difference(&drawn, picture);
            assert!(apart > 2.0 * TOLERANCE, "{style:?} and {other:?} of {count}: {apart}");
        }
        pictures.push(drawn);
    }
}

#[test]
fn both_renderers_draw_every_colour() {
    let Some(gpu) = adapter::gpu() else { return };
    let styles: &[&[&str]] = &[
        &[],
        &["style.palette=viridis"],
        &["style.palette=okabe-ito"],
        &["style.colour=speed"],
        &["style.colour=speed", "style.palette=magma"],
        &["style.colour=speed", "style.palette=hues"],
        &["style.colour=neighbours"],
        &["style.colour=neighbours", "style.palette=cividis"],
        &["style.colour=acceleration", "style.palette=['#FF2020', '#20FFFF']"],
        &["style.colour=age", "style.age=20"],
        &["style.colour=structure"],
        &[
            "style.colour=structure",
            "style.palette=['#FF2020', '#2020FF']",
            "style.background=paper",
        ],
        &["style.colour=species"],
        &["style.colour=species", "style.palette=['#FF0000', '#00FF00']"],
        &["style.colour='#E6C0A0'"],
    ];
    compare(&gpu, styles, 300);
    compare(&gpu, styles, 40_000);
}

#[test]
fn both_renderers_draw_every_background() {
    let Some(gpu) = adapter::gpu() else { return };
    let styles: &[&[&str]] = &[
        &[],
        &["style.background=night"],
        &["style.background=paper"],
        &["style.background=dusk"],
        &["style.background=none"],
        &["style.background='#203040'"],
        &["style.background=['#600000', '#000060', '#006000']"],
        &["style.background=paper", "style.colour=speed"],
    ];
    compare(&gpu, styles, 300);
    compare(&gpu, styles, 40_000);
}

#[test]
fn both_renderers_draw_every_shape() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut styles: Vec<Vec<&str>> = Vec::new();
    for background in ["style.background=dark", "style.background=paper", "style.background=none"] {
        for look in ["style.look=triangle", "style.look=disc", "style.look=glow"] {
            styles.push(vec![background, look]);
        }
        styles.push(vec![background, "style.look=glow", "style.palette=viridis"]);
        styles.push(vec![background, "style.smallest=14"]);
    }
    let styles: Vec<&[&str]> = styles.iter().map(Vec::as_slice).collect();
    compare(&gpu, &styles, 300);
}

/// Agents darken a light background, and more of them darken it more.
#[test]
fn a_crowd_on_paper_is_dark() {
    let ink = |look: &str, background: &str, count: usize| {
        let look = format!("style.look={look}");
        let (scene, mut state, camera) = flock(&[&look, background], 40_000);
        for position in &mut state.position {
            *position = scene.world.size * 0.5 + *position * 0.02;
        }
        let frame = by_cpu(&scene, &state.rows(0..count), &camera);
        let ground = by_cpu(&scene, &FlockState::default(), &camera);
        let sum = |frame: &Frame| frame.pixels.iter().map(|byte| f64::from(*byte)).sum::<f64>();
        sum(&ground) - sum(&frame)
    };
    for look in ["triangle", "disc", "glow"] {
        for background in ["style.background=paper", "style.background=dusk"] {
            let darker = [50, 500, 5000].map(|count| ink(look, background, count));
            assert!(
                darker[0] > 0.0 && darker[0] < darker[1] && darker[1] < darker[2],
                "{look} {background}: {darker:?}"
            );
        }
        let lighter = ink(look, "style.background=dark", 500) < 0.0;
        assert!(lighter, "{look} on a dark background is light");
    }
}

/// A transparent picture laid over the dark background is the picture with that background.
#[test]
fn transparent_pictures_can_be_laid_over_others() {
    for look in ["triangle", "disc", "glow"] {
        for count in [300, 40_000] {
            let look = format!("style.look={look}");
            let (scene, state, camera) = flock(&[&look], count);
            let opaque = by_cpu(&scene, &state, &camera);
            let (clear, ..) = flock(&[&look, "style.background=none"], count);
            let clear = by_cpu(&clear, &state, &camera);
            assert!(clear.is_transparent() && !opaque.is_transparent());
            let mut over = Frame::filled(opaque.width, opaque.height, [11, 14, 20]);
            for (below, above) in over.pixels.chunks_exact_mut(4).zip(clear.pixels.chunks_exact(4))
            {
                for (below, light) in below.iter_mut().zip(above) {
                    let behind = u32::from(*below) * (255 - u32::from(above[3]));
                    *below = (u32::from(*light) + (behind + 127) / 255).min(255) as u8;
                }
            }
            let own = difference(&over, &opaque);
            assert!(own < 0.8, "{look} of {count}: {own}");
        }
    }
}

/// The smallest size is a number of points: a picture of twice the size shows agents of twice as many
/// pixels.
#[test]
fn no_agent_is_smaller_than_the_style_says() {
    let ahead = |smallest: &str, scale: f32| {
        let (scene, _, camera) = flock(&[smallest, "world.boundary=open"], 300);
        let state = agents(&[(camera.centre, Point::X)]);
        let camera = Camera { pixels_per_unit: 0.01, ..camera };
        let frame = raster::draw(&scene, &state, &[], &camera, scale);
        let row = frame.height / 2;
        let lit = |x: &u32| frame.rgb(*x, row) != Some([11, 14, 20]);
        (0..frame.width).filter(lit).count()
    };
    assert_eq!([ahead("style.smallest=20", 1.0), ahead("style.smallest=20", 2.0)], [20, 40]);
    assert!(ahead("style.smallest=3.5", 1.0) <= 4);
}

/// A turned, magnified picture, and one that goes on beyond the seam of its world.
#[test]
fn both_renderers_see_through_the_same_camera() {
    let Some(gpu) = adapter::gpu() else { return };
    for (count, look) in
        [(300, "style.look=triangle"), (300, "style.look=glow"), (40_000, "style.look=triangle")]
    {
        let views: [&[&str]; 4] = [
            &[look],
            &[look, "camera.rotation=30"],
            &[look, "camera.zoom=1.7", "camera.centre=[500, 120]"],
            &[look, "camera.follow=7", "camera.rotation=-100", "camera.zoom=0.9"],
        ];
        compare(&gpu, &views, count);
    }
}

/// Following an agent across the seam shows the same picture as following it elsewhere: the world has no
/// edge.
#[test]
fn a_followed_flock_has_no_edge() {
    let (scene, state, _) = flock(&["camera.follow=7", "style.look=disc"], 300);
    let picture = |state: &FlockState| {
        let camera = Camera::of(&scene, 0, Camera::followed(&scene, state), (480, 270));
        (by_cpu(&scene, state, &camera), camera)
    };
    let (one, camera) = picture(&state);
    assert_eq!(camera.centre, state.position[7]);
    let mut moved = state.clone();
    let size = scene.world.size;
    for place in &mut moved.position {
        *place = (*place - state.position[7] + flat(1.0, size.y - 1.0)).rem_euclid(size);
    }
    let (other, _) = picture(&moved);
    let own = difference(&one, &other);
    assert!(own < 0.1, "{own}");
    // Without images of the agents, three quarters of the picture would be empty.
    let (camera, state) = (Camera { period: Point::ZERO, ..picture(&moved).1 }, &moved);
    assert!(difference(&one, &by_cpu(&scene, state, &camera)) > 1.0);
}

/// Trails are made of pictures of the agents alone. Measured on lavapipe: 0.005 to 0.15, and 0.69 and more
/// without the trails.
#[test]
fn both_renderers_leave_the_same_trails() {
    let Some(gpu) = adapter::gpu() else { return };
    for (count, background) in [(300, "dusk"), (300, "dark"), (40_000, "paper")] {
        let background = format!("style.background={background}");
        let (scene, state, camera) =
            flock(&[&background, "style.trail=16", "world.boundary=walls"], count);
        let trailed = |painter: &mut dyn Painter, trail: bool| {
            let mut engine = CpuEngine::new(Some(1)).unwrap();
            engine.load(&scene, &state).unwrap();
            let mut trails = Trails::new(16.0, &camera);
            let motif = Motif { layer: Layer::Agents, ..Motif::of(&scene, &camera) };
            let mut agents = painter.paint(&mut engine, motif).unwrap();
            let clear = agents.pixels.chunks_exact(4).filter(|pixel| pixel[3] == 0).count();
            assert!(clear > 9000, "{clear} pixels without agents");
            for _ in 0..3 {
                trails.add(&agents, &camera);
                engine.step(1).unwrap();
                agents = painter.paint(&mut engine, motif).unwrap();
            }
            if !trail {
                trails = Trails::new(16.0, &camera);
            }
            trails.add(&agents, &camera);
            let behind = raster::draw_layer(&scene, &state, &[], &camera, 1.0, Layer::Behind);
            trails.picture(behind, &agents)
        };
        let mut offscreen = Offscreen::new(Arc::clone(&gpu), 480, 270).unwrap();
        let by_gpu = trailed(&mut offscreen, true);
        let by_cpu = trailed(&mut RasterPainter { scale: 1.0 }, true);
        let own = difference(&by_gpu, &by_cpu);
        assert!(own < 0.5 * TOLERANCE, "{count}: {own}");
        let without = difference(&by_gpu, &trailed(&mut offscreen, false));
        assert!(without > TOLERANCE, "{count}: {without}");
    }
}

/// The window keeps its trails on the device; a capture keeps them on the host. They are the same, also
/// when the camera moves.
#[test]
fn trails_on_the_device_are_those_of_a_capture() {
    let Some(gpu) = adapter::gpu() else { return };
    for (count, background, turn) in
        [(300, "dusk", 0.0), (300, "dark", 0.03), (40_000, "paper", 0.0)]
    {
        let background = format!("style.background={background}");
        let (scene, state, first) =
            flock(&[&background, "style.trail=16", "world.boundary=walls"], count);
        let camera = |tick: u64| {
            let mut camera = first;
            camera.turn = Vec2::from_angle(turn * tick as f32);
            camera.pan(Vec2::new(20.0 * turn * tick as f32, 0.0));
            camera
        };
        let mut engine = CpuEngine::new(Some(1)).unwrap();
        engine.load(&scene, &state).unwrap();
        let mut on_host = Trails::new(16.0, &first);
        let mut on_device = DeviceTrails::new(&gpu);
        let mut offscreen = Offscreen::new(Arc::clone(&gpu), 480, 270).unwrap();
        let mut agents = None;
        for tick in 0..6 {
            if tick > 0 {
                engine.step(1).unwrap();
            }
            let camera = camera(tick);
            let motif = Motif { layer: Layer::Agents, ..Motif::of(&scene, &camera) };
            let drawn = offscreen.paint(&mut engine, motif).unwrap();
            on_host.add(&drawn, &camera);
            agents = Some(drawn);
            let state = engine.read_back().unwrap();
            on_device.add(&scene, &state, &camera, tick);
            // The same tick again, as when the window draws two frames of it, adds nothing.
            on_device.add(&scene, &state, &camera, tick);
        }
        let behind = raster::draw_layer(&scene, &state, &[], &camera(5), 1.0, Layer::Behind);
        let wanted = on_host.picture(behind, &agents.unwrap());
        let mut picture = |trails| {
            offscreen.set_trails(trails);
            offscreen.paint(&mut engine, Motif::of(&scene, &camera(5))).unwrap()
        };
        let own = difference(&picture(on_device.light.view()), &wanted);
        assert!(own < 0.5 * TOLERANCE, "{count}, {turn}: {own}");
        let without = difference(&picture(None), &wanted);
        assert!(without > TOLERANCE, "{count}, {turn}: {without}");
    }
}

/// Trails as the window keeps them.
struct DeviceTrails {
    gpu: Arc<Gpu>,
    renderer: Renderer,
    target: wgpu::TextureView,
    agents: UploadedAgents,
    light: TrailLight,
}

impl DeviceTrails {
    fn new(gpu: &Arc<Gpu>) -> Self {
        Self {
            gpu: Arc::clone(gpu),
            renderer: Renderer::new(Arc::clone(gpu), wgpu::TextureFormat::Rgba8Unorm),
            target: texture(gpu, (480, 270), wgpu::TextureUsages::RENDER_ATTACHMENT),
            agents: UploadedAgents::new(Arc::clone(gpu)),
            light: TrailLight::new(Arc::clone(gpu)),
        }
    }

    fn add(&mut self, scene: &Scene, state: &FlockState, camera: &Camera, tick: u64) {
        self.agents.upload(state, true).unwrap();
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let (agents, target) = (self.agents.agents(), &self.target);
        let subject = Subject { agents, scene, targets: &[], camera };
        let alone = self.renderer.draw_alone(&mut encoder, target, subject);
        self.light.add(&mut encoder, &alone.unwrap(), camera, tick, 16.0);
        self.gpu.queue.submit([encoder.finish()]);
    }
}
