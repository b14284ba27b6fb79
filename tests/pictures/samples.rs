//! Level 5: frames that are means of samples, against larger pictures and closed forms. Both renderers.

use std::sync::Arc;

use crate::adapter;
use crate::light::light_of;
use crate::picture::{Studio, agents, populated, scene};
use flockwork::engine::gpu::Gpu;
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::model::vector::Point;
use flockwork::view::camera::Camera;
use flockwork::view::cpu::raster;
use flockwork::view::frame::Frame;

const SIZE: (u32, u32) = (240, 135);

/// Draws pictures of a camera with this many pixels per point.
type Draw<'a> = Box<dyn FnMut(&Camera, f32) -> Frame + 'a>;

/// Both renderers of a flock.
fn renderers<'a>(
    gpu: &'a Arc<Gpu>,
    scene: &'a Scene,
    state: &'a FlockState,
) -> [(&'static str, Draw<'a>); 2] {
    // One for each size, so that samples are drawn one after the other.
    let mut studio: Option<(f32, Studio)> = None;
    let by_gpu = move |camera: &Camera, scale: f32| {
        let kept = studio.take().filter(|(own, _)| *own == scale);
        let size = (camera.size.x as u32, camera.size.y as u32);
        let new = || (scale, Studio::new(gpu, size, scale));
        studio.insert(kept.unwrap_or_else(new)).1.draw(scene, state, camera)
    };
    let by_cpu = |camera: &Camera, scale| raster::draw(scene, state, &scene.targets, camera, scale);
    [("GPU", Box::new(by_gpu)), ("CPU", Box::new(by_cpu))]
}

/// The light of a picture's pixels, red, green and blue.
fn light(frame: &Frame) -> Vec<[f64; 3]> {
    let pixels = frame.pixels.chunks_exact(4);
    pixels.map(|pixel| [0, 1, 2].map(|i| light_of(f64::from(pixel[i]) / 255.0))).collect()
}

/// The mean light of pictures.
fn mean(frames: impl Iterator<Item = Frame>) -> Vec<[f64; 3]> {
    let mut sum: Vec<[f64; 3]> = Vec::new();
    let mut count = 0.0;
    for frame in frames {
        sum.resize((frame.width * frame.height) as usize, [0.0; 3]);
        for (sum, light) in sum.iter_mut().zip(light(&frame)) {
            sum.iter_mut().zip(light).for_each(|(sum, light)| *sum += light);
        }
        count += 1.0;
    }
    sum.into_iter().map(|pixel| pixel.map(|light| light / count)).collect()
}

fn samples(draw: &mut Draw<'_>, camera: &Camera, count: u64, lens: f32) -> Vec<[f64; 3]> {
    mean((0..count).map(|number| draw(&camera.sample(number, count, lens), 1.0)))
}

/// The light of a picture `k` times as large, averaged over squares of `k` × `k` pixels.
fn supersampled(draw: &mut Draw<'_>, camera: &Camera, k: u32) -> Vec<[f64; 3]> {
    let large = draw(&camera.resized(camera.size * k as f32, k as f32), k as f32);
    let (fine, side) = (light(&large), k as usize);
    let pixel = |index: usize| {
        let (row, column) = (index / SIZE.0 as usize, index % SIZE.0 as usize);
        let mut sum = [0.0; 3];
        for y in row * side..(row + 1) * side {
            for own in &fine[y * large.width as usize + column * side..][..side] {
                sum.iter_mut().zip(own).for_each(|(sum, light)| *sum += light);
            }
        }
        sum.map(|sum| sum / f64::from(k * k))
    };
    (0..(SIZE.0 * SIZE.1) as usize).map(pixel).collect()
}

/// The root of the mean square of the differences.
fn apart(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    let squares = a.iter().zip(b).flat_map(|(a, b)| [0, 1, 2].map(|i| (a[i] - b[i]).powi(2)));
    (squares.sum::<f64>() / (3 * a.len()) as f64).sqrt()
}

fn still(scene: Scene, count: u64) -> (Scene, FlockState, Camera) {
    let (scene, state) = populated(scene, count);
    let camera = Camera::of(&scene, 0, None, SIZE);
    (scene, state, camera)
}

#[test]
fn samples_converge_to_a_larger_picture() {
    let Some(gpu) = adapter::gpu() else { return };
    let keys = ["world.size=[320,180]", "starling.size=6", "style.background=paper"];
    let plane = still(scene(&keys), 150);
    let text = "world = { size = [60, 40, 40] }\nstyle = { light = \"none\", background = \"paper\" }\n\
                obstacles = [{ position = [30, 20, 20], radius = 9 }]\n[species.a]\nsize = 2\nmax_speed = 1\n";
    let space = still(Scene::parse("test", text).unwrap(), 150);
    for (scene, state, camera) in [&plane, &space] {
        for (name, mut draw) in renderers(&gpu, scene, state) {
            let wanted = supersampled(&mut draw, camera, 8);
            let plain = apart(&mean([draw(camera, 1.0)].into_iter()), &wanted);
            let errors = [4, 16, 64].map(|n| apart(&samples(&mut draw, camera, n, 0.0), &wanted));
            let jagged = Camera { sharp: true, ..*camera };
            let unmoved = apart(&mean((0..64).map(|_| draw(&jagged, 1.0))), &wanted);
            println!(
                "{name}: 1 as today {plain:.4}, of 4, 16, 64 {errors:.4?}, unmoved {unmoved:.4}"
            );
            assert!(errors[2] < 0.3 * plain, "{name}: {errors:?} and {plain}");
            assert!(errors.is_sorted_by(|more, fewer| more > fewer), "{name}: {errors:?}");
            // The control: as many pictures of the same place.
            assert!(unmoved > 8.0 * errors[2], "{name}: {unmoved} and {errors:?}");
        }
    }
}

/// The sum of light before a black ground, and its variance across and down.
fn moments(light: &[[f64; 3]]) -> (f64, [f64; 2]) {
    let weighed = |of: &dyn Fn(f64, f64) -> f64| {
        let place = |(index, light): (usize, &[f64; 3])| {
            let (x, y) = (index as u32 % SIZE.0, index as u32 / SIZE.0);
            light.iter().sum::<f64>() * of(f64::from(x), f64::from(y))
        };
        light.iter().enumerate().map(place).sum::<f64>()
    };
    let whole = weighed(&|_, _| 1.0);
    let [x, y] = [weighed(&|x, _| x), weighed(&|_, y| y)].map(|sum| sum / whole);
    let variances = [weighed(&|own, _| (own - x).powi(2)), weighed(&|_, own| (own - y).powi(2))];
    (whole, variances.map(|sum| sum / whole))
}

#[test]
fn an_agent_out_of_focus_is_a_disc() {
    let Some(gpu) = adapter::gpu() else { return };
    let text = "world = { size = [60, 40, 40], boundary = \"open\" }\n\
                style = { light = \"none\", background = \"#000000\", colour = \"#FFFFFF\", frame = false, look = \"disc\" }\n\
                [species.a]\nsize = 0.8\nmax_speed = 1\n";
    let scene = Scene::parse("test", text).unwrap();
    let camera = Camera::of(&scene, 0, None, SIZE);
    let eye = camera.eye.unwrap();
    let focal = f64::from(camera.pixels_per_unit * eye.distance);
    for share in [0.6, 1.0, 1.8_f32] {
        let depth = eye.distance * share;
        let place = camera.centre + eye.back * (eye.distance - depth);
        let state = agents(&[(place, Point::X)]);
        for (name, mut draw) in renderers(&gpu, &scene, &state) {
            let (sum, own) = moments(&samples(&mut draw, &camera, 128, 0.0));
            let (same, wide) = moments(&samples(&mut draw, &camera, 128, 10.0));
            let radius = 5.0 * focal * f64::from(1.0 / eye.distance - 1.0 / depth).abs();
            // The variance of an even disc is a quarter of the square of its radius.
            let wanted = own.map(|own| own + radius * radius / 4.0);
            println!("{name} at {share}: {own:.2?} to {wide:.2?}, wanted {wanted:.2?}");
            assert!((same / sum - 1.0).abs() < 0.02, "{name}: {same} of {sum} is left");
            for (wide, wanted) in wide.into_iter().zip(wanted) {
                assert!((wide / wanted - 1.0).abs() < 0.06, "{name} {share}: {wide}, not {wanted}");
            }
            // The control: a lens of no width.
            assert!(share == 1.0 || wide[0] > 3.0 * own[0], "{name}: {wide:?} and {own:?}");
        }
    }
}
