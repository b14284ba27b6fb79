//! Level 5: an exposure that is measured in the first picture, against closed forms and pictures with a fixed one.

use std::f32::consts::PI;
use std::sync::Arc;

use crate::adapter;
use crate::light::light_of;
use crate::picture::{Studio, agents, by_gpu, scene, texture};
use flockwork::engine::Engine;
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::Gpu;
use flockwork::model::memory::{Memory, structure_of};
use flockwork::model::random::{Purpose, unit};
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::model::vector::{Point, flat};
use flockwork::view::camera::Camera;
use flockwork::view::frame::Frame;
use flockwork::view::gpu::offscreen::Offscreen;
use flockwork::view::gpu::renderer::Renderer;
use flockwork::view::gpu::subject::Subject;
use flockwork::view::gpu::upload::UploadedAgents;
use flockwork::view::{Layer, Motif, Painter};

/// The factor is right to a sixteenth of a stop, 4.4 %; a picture to a step more.
const STEP: f64 = 1.09;

/// A flock that is evenly strewn before black, in colours that are the lighter the denser it is: all go one way,
/// and have the neighbours of such a flock within 20 units.
fn flock(exposure: &str, count: u32) -> (Scene, FlockState) {
    let exposure = format!("style.exposure={exposure}");
    let keys = ["world.size=[640, 360]", "style.background='#000000'", "style.frame=false"];
    let more = ["style.look=disc", "style.colour=structure", "starling.size=2", &exposure];
    let draw = |id: u32, purpose| unit(9, id, 0, purpose);
    let place =
        |id: u32| flat(640.0 * draw(id, Purpose::SpawnX), 360.0 * draw(id, Purpose::SpawnY));
    let neighbours = count as f32 / (640.0 * 360.0) * PI * 20.0 * 20.0;
    let scene = scene(&[&keys[..], &more].concat());
    let all: Vec<_> = (0..count).map(|id| (place(id), Point::X)).collect();
    let state = FlockState {
        memory: vec![Memory(structure_of(1.0, neighbours)); all.len()],
        shown: scene.shown(),
        ..agents(&all)
    };
    (scene, state)
}

/// A painter of pictures of `scale` times 640 × 360, as a film has one.
struct Film {
    studio: Studio,
    scale: u32,
}

impl Film {
    fn new(gpu: &Arc<Gpu>, scale: u32) -> Self {
        Self { studio: Studio::new(gpu, (640 * scale, 360 * scale), scale as f32), scale }
    }

    fn picture(&mut self, (scene, state): &(Scene, FlockState)) -> Frame {
        let camera = Camera::fit(&scene.world, 640 * self.scale, 360 * self.scale);
        self.studio.draw(scene, state, &camera)
    }
}

/// How bright the brightest hundredth of the lit points is, before a black ground: the light of their red.
fn brightness(frame: &Frame) -> f64 {
    let scale = frame.width as usize / 640;
    let red = |x: usize, y: usize| frame.pixels[4 * (y * 640 * scale + x)];
    let point = |x: usize, y: usize| {
        let pixels = (0..scale * scale).map(|i| red(scale * x + i % scale, scale * y + i / scale));
        pixels.map(|red| light_of(f64::from(red) / 255.0)).sum::<f64>() / (scale * scale) as f64
    };
    let mut lit: Vec<f64> = (0..640 * 360).map(|i| point(i % 640, i / 640)).collect();
    lit.retain(|light| *light > 0.004);
    lit.sort_unstable_by(f64::total_cmp);
    lit[lit.len() - 1 - lit.len() / 100]
}

fn ratio(one: f64, other: f64) -> f64 {
    one.max(other) / one.min(other)
}

#[test]
fn flocks_of_any_size_are_equally_bright() {
    let Some(gpu) = adapter::gpu() else { return };
    let of = |exposure: &str| {
        [2_000, 20_000, 200_000]
            .map(|count| brightness(&Film::new(&gpu, 1).picture(&flock(exposure, count))))
    };
    let (measured, fixed) = (of("measured"), of("1"));
    println!("brightness: {measured:?}, with exposure = 1: {fixed:?}");
    assert!(measured.into_iter().all(|bright| ratio(bright, measured[1]) < STEP), "{measured:?}");
    // The control: the same flocks with a fixed exposure.
    assert!(ratio(fixed[0], fixed[2]) > 2.0, "{fixed:?}");
}

#[test]
fn a_picture_is_equally_bright_in_any_resolution() {
    let Some(gpu) = adapter::gpu() else { return };
    let flock = flock("measured", 2_000);
    let of = [1, 2, 3].map(|scale| brightness(&Film::new(&gpu, scale).picture(&flock)));
    println!("brightness: {of:?}");
    assert!(of.into_iter().all(|bright| ratio(bright, of[0]) < STEP), "{of:?}");
}

#[test]
fn a_film_keeps_the_factor_of_its_first_picture() {
    let Some(gpu) = adapter::gpu() else { return };
    let (few, many) = (flock("measured", 200), flock("measured", 20_000));
    let mut film = Film::new(&gpu, 1);
    let first = film.picture(&few);
    let (later, again) = (film.picture(&many), film.picture(&few));
    assert!(first == again, "the first picture comes back");
    let alone = Film::new(&gpu, 1).picture(&many);
    assert!(brightness(&later) > 1.1 * brightness(&alone), "another picture has another factor");
    // Another style is measured again.
    let mut other = many.clone();
    other.0.style.bloom = 0.01;
    let restyled = brightness(&film.picture(&other));
    assert!(ratio(restyled, brightness(&alone)) < STEP, "{restyled}");
}

#[test]
fn pictures_of_a_window_are_exposed_as_the_window_is() {
    let Some(gpu) = adapter::gpu() else { return };
    let (few, many) = (flock("measured", 200), flock("measured", 20_000));
    let mut window = Renderer::new(Arc::clone(&gpu), wgpu::TextureFormat::Rgba8Unorm);
    let mut agents = UploadedAgents::new(Arc::clone(&gpu));
    agents.upload(&few.1, true).unwrap();
    let view = texture(&gpu, (640, 360), wgpu::TextureUsages::RENDER_ATTACHMENT);
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let camera = Camera::fit(&few.0.world, 640, 360);
    let subject = Subject { agents: agents.agents(), scene: &few.0, targets: &[], camera: &camera };
    window.draw(&mut encoder, &view, subject).unwrap();
    gpu.queue.submit([encoder.finish()]);
    let mut kept = Film::new(&gpu, 1);
    kept.picture(&few);
    let mut picture = Film::new(&gpu, 1);
    picture.studio.offscreen.expose_like(&window);
    let (wanted, found) = (kept.picture(&many), picture.picture(&many));
    assert!(found == wanted);
    // The control: a picture that is measured by itself.
    assert!(Film::new(&gpu, 1).picture(&many) != wanted);
}

/// A disc that is a tenth of the picture, before a ground of this colour.
fn disc(exposure: &str, colour: &str, ground: &str) -> (Scene, FlockState) {
    let exposure = format!("style.exposure={exposure}");
    let colour = format!("style.colour='{colour}'");
    let ground = format!("style.background='{ground}'");
    let keys = ["world.size=[640, 360]", "style.look=disc", "style.frame=false"];
    let state = agents(&[(flat(320.0, 180.0), Point::X)]);
    (scene(&[&keys[..], &["starling.size=80", &exposure, &colour, &ground]].concat()), state)
}

fn shown(gpu: &Arc<Gpu>, (scene, state): &(Scene, FlockState)) -> Frame {
    by_gpu(gpu, scene, state, &Camera::fit(&scene.world, 640, 360))
}

#[test]
fn a_flock_is_as_bright_as_light_that_is_left_as_it_is() {
    let Some(gpu) = adapter::gpu() else { return };
    // The sRGB value of a light of 0.8.
    let tone = 255.0 * (1.055 * 0.8_f64.powf(1.0 / 2.4) - 0.055);
    let red = |flock: &_| f64::from(shown(&gpu, flock).rgb(320, 180).unwrap()[0]);
    for colour in ["#201008", "#804020", "#FF8040"] {
        let [found, fixed] = ["measured", "1"].map(|word| red(&disc(word, colour, "#010203")));
        println!("{colour}: {found} for {tone:.1}, and {fixed} with exposure = 1");
        // Half a step of the factor is 2.2 % of the light, 1 % of an sRGB value.
        assert!((found - tone).abs() < 0.01 * tone + 1.0, "{colour}: {found}");
    }
    // Nothing is brighter than paper: there the factor is 1.
    let [found, fixed] =
        ["measured", "1"].map(|word| shown(&gpu, &disc(word, "#204060", "#F4F1EA")));
    assert!(found == fixed);
    assert!(found != shown(&gpu, &disc("0.9", "#204060", "#F4F1EA")), "the control");
}

#[test]
fn a_film_with_trails_and_a_legend_is_measured_once() {
    let Some(gpu) = adapter::gpu() else { return };
    let [(mut many, dense), (_, sparse)] = [4000, 200].map(|count| flock("measured", count));
    (many.style.legend, many.style.trail) = (true, Some(16.0));
    let camera = Camera::fit(&many.world, 640, 360);
    let mut engine = CpuEngine::new(Some(1)).unwrap();
    let mut second = |with_first: bool, with_background: bool| {
        let mut offscreen = Offscreen::new(Arc::clone(&gpu), 640, 360).unwrap();
        let mut paint = |engine: &mut CpuEngine, layer| {
            offscreen.paint(engine, Motif { layer, ..Motif::of(&many, &camera) }).unwrap()
        };
        engine.load(&many, &dense).unwrap();
        if with_first {
            paint(&mut engine, Layer::Agents);
        }
        if with_background {
            paint(&mut engine, Layer::Behind);
        }
        engine.load(&many, &sparse).unwrap();
        paint(&mut engine, Layer::Agents).pixels
    };
    let wanted = second(true, false);
    assert!(second(true, true) == wanted, "the background has another exposure");
    // The control: a film that begins with the second picture.
    assert!(second(false, false) != wanted);
}
