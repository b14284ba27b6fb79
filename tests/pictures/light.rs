//! Level 5: pictures of light. Exposure, bloom and shade against closed forms, on the GPU alone.

use std::sync::Arc;

use crate::adapter;
use crate::picture::{agents, built_in_scene, by_cpu, by_gpu, by_gpu_at, populated, scene};
use flockwork::engine::Engine;
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::Gpu;
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::model::vector::{Point, flat};
use flockwork::view::camera::Camera;
use flockwork::view::cpu::raster;
use flockwork::view::frame::Frame;
use flockwork::view::gpu::offscreen::Offscreen;
use flockwork::view::space::lighting::Lighting;
use flockwork::view::space::sky::Sky;
use flockwork::view::style::{Extent, Measure, OPACITY, SLENDERNESS, scale_of};
use flockwork::view::{Layer, Motif, Painter};

/// Steps of 255 between a channel and its closed form: half a step of dither, half of rounding, and the
/// error of light in 16 bits.
const EXPOSED: f64 = 1.3;

/// One disc in the middle of a world, or none.
fn disc(radius: f32, keys: &[&str]) -> (Scene, FlockState) {
    let size = format!("starling.size={radius}");
    let mut all = vec!["world.size=[400, 200]", "starling.look=disc", size.as_str()];
    all.extend(["style.colour='#B04020'", "style.frame=false"]);
    all.extend(keys);
    (scene(&all), agents(&[(flat(200.0, 100.0), Point::X)]))
}

pub fn light_of(channel: f64) -> f64 {
    if channel <= 0.04045 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
}

/// Khronos' curve above 0.8, then sRGB; 0 to 255.
fn exposed(light: [f64; 3]) -> [f64; 3] {
    let peak = light.into_iter().fold(0.0, f64::max);
    let toned = if peak <= 0.8 {
        light
    } else {
        let lowered = 1.0 - 0.04 / (peak - 0.6);
        let white = 1.0 - 1.0 / (0.15 * (peak - lowered) + 1.0);
        light.map(|channel| channel * lowered / peak * (1.0 - white) + lowered * white)
    };
    toned
        .map(|c| 255.0 * if c <= 0.0031308 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 })
}

fn unit(colour: [u8; 3]) -> [f64; 3] {
    colour.map(|channel| f64::from(channel) / 255.0)
}

fn steps(found: Option<[u8; 3]>, wanted: [f64; 3]) -> f64 {
    let apart = found.unwrap().into_iter().zip(wanted).map(|(a, b)| (f64::from(a) - b).abs());
    apart.fold(0.0, f64::max)
}

#[test]
fn light_is_blended_exposed_and_compressed() {
    let Some(gpu) = adapter::gpu() else { return };
    let (over, ground) = (unit([0xB0, 0x40, 0x20]), unit([0x30, 0x70, 0xD0]));
    let alpha = f64::from(OPACITY);
    let mixed = [0, 1, 2].map(|i| light_of(over[i]) * alpha + light_of(ground[i]) * (1.0 - alpha));
    let painted = [0, 1, 2].map(|i| light_of(over[i] * alpha + ground[i] * (1.0 - alpha)));
    let mut wrong = 0.0_f64;
    for factor in [0.25, 1.0, 3.0, 20.0] {
        let exposure = format!("style.exposure={factor}");
        let (scene, state) = disc(60.0, &["style.background='#3070D0'", &exposure]);
        let camera = Camera::fit(&scene.world, 320, 160);
        let frame = by_gpu(&gpu, &scene, &state, &camera);
        let behind = exposed(ground.map(|channel| factor * light_of(channel)));
        let before = exposed(mixed.map(|light| factor * light));
        let apart = [steps(frame.rgb(3, 3), behind), steps(frame.rgb(160, 80), before)];
        println!("exposure {factor}: {apart:?}");
        assert!(apart.iter().all(|steps| *steps < EXPOSED), "exposure {factor}: {apart:?}");
        // The control: colours painted over one another.
        wrong = wrong.max(steps(frame.rgb(160, 80), exposed(painted.map(|light| factor * light))));
    }
    assert!(wrong > 2.0 * EXPOSED, "painted colours: {wrong}");
}

#[test]
fn a_light_background_has_its_own_colour() {
    let Some(gpu) = adapter::gpu() else { return };
    for colour in [[255, 255, 255], [0xF4, 0xF1, 0xEA], [0xFF, 0xE0, 0x30]] {
        let [r, g, b] = colour;
        let ground = format!("style.background='#{r:02X}{g:02X}{b:02X}'");
        let (scene, state) = disc(60.0, &[&ground, "style.exposure=1"]);
        let frame = by_gpu(&gpu, &scene, &state, &Camera::fit(&scene.world, 320, 160));
        let apart = steps(frame.rgb(3, 3), colour.map(f64::from));
        // The control: the curve that dark backgrounds have.
        let wrong = steps(Some(colour), exposed(unit(colour).map(light_of)));
        println!("{ground}: {apart} steps, else {wrong}");
        assert!(apart < EXPOSED && wrong > 2.0 * EXPOSED, "{ground}: {apart}, {wrong}");
    }
}

/// The light of a picture's pixels, before a black ground.
fn light(frame: &Frame) -> Vec<f64> {
    let pixel = |p: &[u8]| p[..3].iter().map(|c| light_of(f64::from(*c) / 255.0)).sum::<f64>();
    frame.pixels.chunks_exact(4).map(pixel).collect()
}

/// A picture in a size of `scale` times 320 × 160.
fn bloomed(gpu: &Arc<Gpu>, bloom: f32, scale: u32) -> Frame {
    let key = format!("style.bloom={bloom}");
    let keys = ["style.background='#000000'", "style.exposure=1", &key];
    let (scene, state) = disc(10.0, &keys);
    let camera = Camera::fit(&scene.world, 320 * scale, 160 * scale);
    by_gpu_at(gpu, &scene, &state, &camera, scale as f32)
}

#[test]
fn bloom_spreads_light_and_neither_adds_nor_takes_any() {
    let Some(gpu) = adapter::gpu() else { return };
    let (none, half) = (bloomed(&gpu, 0.0, 1), bloomed(&gpu, 0.5, 1));
    let sum = |frame: &Frame| light(frame).iter().sum::<f64>();
    let kept = sum(&half) / sum(&none);
    println!("kept: {kept}");
    // Calmed pixels at the disc's edge, and faint light below the first step, are lost.
    assert!((0.85..1.03).contains(&kept), "{kept}");
    // 30 pixels from the middle, well outside the disc.
    let at = |frame: &Frame, scale: u32| {
        let x = 160 * scale + 30 * scale;
        light(frame)[(80 * scale * frame.width + x) as usize]
    };
    assert!(at(&none, 1) < 1e-4 && at(&half, 1) > 1e-3, "{} {}", at(&none, 1), at(&half, 1));
    let large = bloomed(&gpu, 0.5, 3);
    let ratio = at(&large, 3) / at(&half, 1);
    println!("three times as large: {ratio}");
    assert!((0.8..1.25).contains(&ratio), "it spreads as far in any resolution: {ratio}");
}

/// The most steps between a picture and a transparent one over black: two numbers of a file are rounded.
const MAX_STEPS_OVER_BLACK: u8 = 2;

/// The most steps between a transparent picture over black, as viewers blend files, and one before black.
fn apart_over_black(transparent: &Frame, black: &Frame) -> u8 {
    let stored = transparent.to_straight();
    let pixels = stored.chunks_exact(4).zip(black.pixels.chunks_exact(4));
    let over_black = |p: &[u8], i: usize| ((u32::from(p[i]) * u32::from(p[3]) + 127) / 255) as u8;
    let apart = pixels.flat_map(|(p, q)| (0..3).map(move |i| over_black(p, i).abs_diff(q[i])));
    apart.max().unwrap()
}

#[test]
fn exposed_pictures_without_a_background_are_right_over_any() {
    let Some(gpu) = adapter::gpu() else { return };
    let keys = ["style.background=none", "style.exposure=2", "style.bloom=0.3"];
    for look in ["disc", "glow"] {
        let key = format!("starling.look={look}");
        let (scene, state) = disc(10.0, &[&keys[..], &[&key]].concat());
        let camera = Camera::fit(&scene.world, 320, 160);
        let frame = by_gpu(&gpu, &scene, &state, &camera);
        let premultiplied = |p: &[u8]| p[..3].iter().all(|channel| *channel <= p[3]);
        assert!(frame.pixels.chunks_exact(4).all(premultiplied), "{look}");
        assert_eq!(frame.pixels[..4], [0; 4], "{look}: nothing in the corner");
        let middle = &frame.pixels[4 * (80 * 320 + 160)..][..4];
        assert!(middle[0] > 150 && middle[3] > 150, "{look}: {middle:?}");
        let before = ["style.background='#000000'", keys[1], keys[2], &key];
        let (scene, state) = disc(10.0, &before);
        let apart = apart_over_black(&frame, &by_gpu(&gpu, &scene, &state, &camera));
        println!("{look}: {apart} steps over black");
        assert!(apart <= MAX_STEPS_OVER_BLACK, "{look}: {apart}");
    }
}

/// The most steps between a space without a background over black and one before black: four samples are rounded, too.
const MAX_STEPS_IN_SPACE: u8 = 3;

/// Balls in fog hide those behind them, and water mirrors the flock alone.
#[test]
fn spaces_without_a_background_are_right_over_black() {
    let gpu = adapter::gpu();
    let flock = |keys: &str| {
        let text = format!(
            "world = {{ size = [120, 90, 70] }}\ncamera = {{ elevation = 9, orbit = \"none\" }}\n\
             style = {{ look = \"disc\", frame = false, fog = 2, {keys} }}\n[species.a]\nsize = 4\n"
        );
        let (scene, state) = populated(Scene::parse("test", &text).unwrap(), 300);
        let camera = Camera::of(&scene, 0, None, (320, 180));
        (scene, state, camera)
    };
    for keys in ["", "exposure = 1, ", "ground = \"water\", "] {
        let [clear, black] =
            ["none", "#000000"].map(|ground| flock(&format!("{keys}background = \"{ground}\"")));
        let mut pictures = Vec::new();
        if let Some(gpu) = &gpu {
            let [clear, black] =
                [&clear, &black].map(|(scene, state, camera)| by_gpu(gpu, scene, state, camera));
            pictures.push((clear, black));
        }
        if keys.is_empty() {
            let [clear, before] =
                [&clear, &black].map(|(scene, state, camera)| by_cpu(scene, state, camera));
            // The layer of agents over trails.
            let (scene, state, camera) = &black;
            let alone =
                raster::draw_layer(scene, state, &scene.targets, camera, 1.0, Layer::Agents);
            pictures.extend([(clear, before.clone()), (alone, before)]);
        }
        for (clear, black) in pictures {
            let lowest = &clear.pixels[clear.pixels.len() * 9 / 10..];
            assert!(lowest.chunks_exact(4).any(|pixel| pixel[3] == 0), "{keys}");
            let apart = apart_over_black(&clear, &black);
            println!("{keys}: {apart} steps over black");
            assert!(apart <= MAX_STEPS_IN_SPACE, "{keys}: {apart}");
        }
    }
}

/// A probe in the middle of a world, and agents above it that cast shade on it; with the probe's pixel in
/// the picture.
fn shaded(gpu: &Arc<Gpu>, matter: &str, others: bool) -> (f64, f64) {
    let text = format!(
        "world = {{ size = [160, 160, 160], boundary = \"walls\" }}\n\
         style = {{ {matter}light = \"none\", fog = 0, background = \"#000000\", frame = false }}\n\
         [species.small]\nsize = 0.5\n[species.probe]\nlook = \"disc\"\nsize = 6\n\
         colour = \"#FFFFFF\"\n"
    );
    let (scene, _) = populated(Scene::parse("test", &text).unwrap(), 10);
    let camera = Camera::of(&scene, 0, None, (480, 270));
    let eye = camera.eye.unwrap();
    let sun = Lighting::of(&scene, &camera, &eye, false).sun;
    let middle = scene.world.size * 0.5;
    let places = (0..64_000).map(|i| [i % 40, i / 40 % 40, i / 1600].map(|i| 2.0 + 4.0 * i as f32));
    let above = |place: &Point| (*place - middle).dot(eye.up) > 12.0;
    let places: Vec<Point> = places.map(Point::from_array).filter(above).collect();
    // The depth of the agents in a tube round the ray to the sun. The first does not hide the probe.
    const TUBE: f64 = 12.0;
    let in_tube = |place: &&Point| {
        let offset = **place - middle;
        let along = offset.dot(sun);
        along > 0.0 && f64::from((offset - sun * along).length()) < TUBE
    };
    let area = 2.0 * f64::from(SLENDERNESS) * 0.5 * 0.5;
    let count = places.iter().filter(in_tube).count() as f64;
    let depth = count * area / (std::f64::consts::PI * TUBE * TUBE);
    let small = if others { places } else { Vec::new() };
    let all = small.into_iter().chain([middle]).map(|place| (place, Point::X));
    let mut state = agents(&all.collect::<Vec<_>>());
    *state.species.last_mut().unwrap() = 1;
    let frame = by_gpu(gpu, &scene, &state, &camera);
    let pixel = camera.seen(middle).unwrap().pixel;
    let found = frame.rgb(pixel.x as u32, pixel.y as u32).unwrap();
    (f64::from(found[1]) / 255.0, depth)
}

/// The largest error of the light in shade: cells are two world units wide, and an agent is in one of them
/// as a whole.
const MAX_SHADE_ERROR: f64 = 0.04;

#[test]
fn a_crowd_takes_the_suns_light_from_what_is_behind_it() {
    let Some(gpu) = adapter::gpu() else { return };
    let (clear, _) = shaded(&gpu, "matter = 3, ", false);
    let (without, _) = shaded(&gpu, "", true);
    assert!(clear > 0.99 && without > 0.99, "no crowd, or no matter: {clear}, {without}");
    for matter in [1.0, 3.0, 8.0] {
        let (found, depth) = shaded(&gpu, &format!("matter = {matter}, "), true);
        let wanted = 0.22 + 0.78 * (-matter * depth).exp();
        println!("matter {matter}: {found} for {wanted}");
        assert!((found - wanted).abs() < MAX_SHADE_ERROR, "{matter}: {found}, not {wanted}");
    }
}

#[test]
fn an_agent_hides_as_many_times_as_much_as_matter_says() {
    let measure = |world: &str, matter: &str, pixels_per_unit, scale| {
        let text = format!("world = {{ size = [{world}] }}\n{matter}[species.a]\nsize = 1\n");
        let scene = Scene::parse("test", &text).unwrap();
        Measure::of(&scene, &scene.species[0], pixels_per_unit, scale)
    };
    let hidden = |measure: &Measure| {
        let Extent { radius, strength, .. } = measure.extent(1.0);
        f64::from(radius * radius * strength)
    };
    let mut bodies = 0;
    for world in ["9, 9", "9, 9, 9"] {
        for (pixels, scale) in
            [(0.01, 1.0), (0.1, 0.3), (0.1, 1.0), (0.4, 3.0), (2.0, 1.0), (9.0, 3.0)]
        {
            let alone = measure(world, "", pixels, scale);
            for matter in [0.3_f32, 1.0, 5.0, 40.0] {
                let own = measure(world, &format!("style.matter = {matter}\n"), pixels, scale);
                let times = hidden(&own) / hidden(&alone) / f64::from(matter);
                assert!((times - 1.0).abs() < 1e-4, "{world}, {pixels}, {matter}: {times}");
                let strength = own.extent(1.0).strength;
                // An agent that hides more than its size does is a body that hides all behind it, or summed.
                let whole = (strength / OPACITY - 1.0).abs() < 1e-4;
                assert!(matter <= 1.0 || if own.shows(1.0) { whole } else { strength < 0.3 });
                bodies += u32::from(matter > 1.0 && own.shows(1.0) && !alone.shows(1.0));
            }
        }
    }
    assert!(bodies > 5, "{bodies}");
}

/// The most that the light of a dense crowd differs between two resolutions; a share of it.
const MAX_LIGHT_DIFFERENCE: f64 = 0.04;

/// The mean light in the middle of a ball of 12,000 birds before a bright ground. The picture has `times` the width
/// and height of 320 × 180. With `matter = 5` the smallest picture sums the birds and larger ones draw their bodies.
fn crowd(gpu: &Arc<Gpu>, matter: f32, times: u32) -> f64 {
    let style = format!("style.matter={matter}");
    let keys = [&style, "style.sun=none", "style.background='#C0C0C0'", "camera.elevation=0"];
    let (scene, state) = populated(built_in_scene("murmuration", &keys), 12_000);
    let (width, height) = (320 * times, 180 * times);
    let camera = Camera::of(&scene, 0, None, (width, height));
    let all = light(&by_gpu_at(gpu, &scene, &state, &camera, scale_of(width, height)));
    let rows = (height * 2 / 5..height * 3 / 5)
        .flat_map(|y| (width * 9 / 20..width * 11 / 20).map(move |x| (y * width + x) as usize));
    let (count, sum) = rows.fold((0.0, 0.0), |(count, sum), i| (count + 1.0, sum + all[i]));
    sum / count / 3.0
}

#[test]
fn a_crowd_that_is_matter_is_as_dark_in_any_resolution() {
    let Some(gpu) = adapter::gpu() else { return };
    let apart = |one: f64, other: f64| (one / other - 1.0).abs();
    for matter in [5.0, 20.0] {
        let [small, middle, large] = [1, 2, 6].map(|times| crowd(&gpu, matter, times));
        println!("matter {matter}: {small}, {middle}, {large}");
        let most = apart(small, middle).max(apart(large, middle));
        assert!(most < MAX_LIGHT_DIFFERENCE, "matter {matter}: {small}, {middle}, {large}");
        // The controls: bodies that are no matter, and bodies of too small a power of it.
        let wrong = [1.0, matter.sqrt()].map(|less| apart(crowd(&gpu, less, 6), small));
        println!("without, and with its root: {wrong:?}");
        assert!(wrong.into_iter().all(|apart| apart > 8.0 * MAX_LIGHT_DIFFERENCE), "{wrong:?}");
    }
}

/// A sky with the sun at these angles, seen from elevation -10, without agents.
fn sky(gpu: &Arc<Gpu>, height: f32, azimuth: f32) -> (Scene, Camera, Frame) {
    let text = format!(
        "world = {{ size = [100, 100, 100], boundary = \"open\" }}\n\
         style = {{ background = \"dusk\", frame = false, exposure = 1, sun = {height}, \
         sun_azimuth = {azimuth} }}\ncamera = {{ azimuth = 30, elevation = -10 }}\n\
         [species.a]\nsize = 0.01\n"
    );
    let scene = Scene::parse("test", &text).unwrap();
    // Behind the eye.
    let state = agents(&[(Point::splat(-1e6), Point::X)]);
    let camera = Camera::of(&scene, 0, None, (480, 270));
    let frame = by_gpu(gpu, &scene, &state, &camera);
    (scene, camera, frame)
}

/// The largest difference between the sky and the colours that fog takes from it, in steps of 255: those are
/// evenly spaced over the height of a picture, and the air round the sun is not among them.
const MAX_FOG_STEPS: f64 = 3.0;

#[test]
fn the_sun_stands_where_it_should_and_fog_takes_the_skys_colours() {
    let Some(gpu) = adapter::gpu() else { return };
    let (scene, camera, frame) = sky(&gpu, 12.0, 40.0);
    let eye = camera.eye.unwrap();
    let sun = Lighting::of(&scene, &camera, &eye, false).sun;
    let [height, east] = [sun.z.asin().to_degrees(), (-sun.x).atan2(sun.y).to_degrees()];
    assert!((height - 12.0).abs() < 1e-3 && (east - 40.0).abs() < 1e-3, "{height}, {east}");
    let far = camera.seen(camera.centre + eye.back * eye.distance + sun * 1e5).unwrap().pixel;
    let bright = |(i, p): (usize, &[u8])| {
        (p[..3].iter().all(|c| *c > 225)).then_some([i as f64 % 480.0, (i / 480) as f64])
    };
    let disc: Vec<[f64; 2]> = frame.pixels.chunks_exact(4).enumerate().filter_map(bright).collect();
    let middle =
        [0, 1].map(|axis| disc.iter().map(|at| at[axis] + 0.5).sum::<f64>() / disc.len() as f64);
    println!("sun: {} pixels at {middle:?}, wanted {far}", disc.len());
    assert!((20..90).contains(&disc.len()));
    assert!((middle[0] - f64::from(far.x)).hypot(middle[1] - f64::from(far.y)) < 1.5);
    // Behind the eye it is not seen, and fog has the colours of the sky.
    let (_, _, frame) = sky(&gpu, 12.0, 210.0);
    assert!(!frame.pixels.chunks_exact(4).enumerate().any(|pixel| bright(pixel).is_some()));
    // Land fades into the sky without an edge, and is darker far below the horizon.
    let bright = |y: u32| frame.rgb(240, y).unwrap().map(i32::from).iter().sum::<i32>();
    let (edge, fall) =
        ((150..269).map(|y| bright(y) - bright(y + 1)).max(), bright(190) - bright(269));
    println!("horizon: {edge:?} steps of {fall}");
    assert!(edge < Some(fall / 4) && fall > 200, "{edge:?}, {fall}");
    let rows = Sky::of(&scene.style).unwrap().rows(&camera, &eye);
    // The horizon is between two of the rows.
    let apart = |row: usize| {
        let wanted = exposed([0, 1, 2].map(|i| f64::from(rows[row][i])));
        steps(frame.rgb(240, (row * 270 / 15).min(269) as u32), wanted)
    };
    let apart: Vec<f64> = (0..16).map(apart).collect();
    println!("fog: {apart:?}");
    let wrong = apart.iter().filter(|steps| **steps > MAX_FOG_STEPS).count();
    assert!(wrong <= 1, "{apart:?}");
}

#[test]
fn a_sun_below_the_horizon_does_not_shine_through_land() {
    let Some(gpu) = adapter::gpu() else { return };
    // How much brighter a row is than the one above it, at most: over the horizon, or below it.
    let rises = |height: f32| {
        let (scene, camera, frame) = sky(&gpu, height, 40.0);
        let eye = camera.eye.unwrap();
        let sun = Lighting::of(&scene, &camera, &eye, false).sun;
        let far = |way: Point| camera.seen(camera.centre + eye.place() + way * 1e5).unwrap().pixel;
        let (x, horizon) = (far(sun).x as u32, far(sun.with_z(0.0)).y as u32);
        let bright = |y: u32| frame.rgb(x, y).unwrap().map(i32::from).iter().sum::<i32>();
        let rows = if height > 0.0 { 0..horizon } else { horizon + 1..frame.height };
        let rows: Vec<i32> = rows.map(bright).collect();
        rows.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap()
    };
    // Three channels, each dithered by a step; and the control, a sun that is seen.
    let [below, above] = [-6.0, 6.0].map(rises);
    println!("{below} steps, {above} with the sun above the horizon");
    assert!(below <= 3 && above > 20, "{below}, {above}");
}

/// A capture with trails puts them between a picture of the background and one of the agents.
#[test]
fn the_background_behind_trails_is_exposed_too() {
    let Some(gpu) = adapter::gpu() else { return };
    for background in ["#303030", "dusk"] {
        let keys =
            [&format!("style.background='{background}'"), "style.exposure=4", "style.trail=16"];
        let (scene, state) = disc(60.0, &keys);
        let camera = Camera::fit(&scene.world, 320, 160);
        let mut engine = CpuEngine::new(Some(1)).unwrap();
        engine.load(&scene, &state).unwrap();
        let mut offscreen = Offscreen::new(Arc::clone(&gpu), 320, 160).unwrap();
        let [behind, whole] = [Layer::Behind, Layer::Whole].map(|layer| {
            let motif = Motif { layer, ..Motif::of(&scene, &camera) };
            offscreen.paint(&mut engine, motif).unwrap()
        });
        for (x, y) in [(3, 3), (310, 150), (20, 80)] {
            assert_eq!(behind.rgb(x, y), whole.rgb(x, y), "{background} at {x}, {y}");
        }
        assert_ne!(behind.rgb(160, 80), whole.rgb(160, 80), "no agent is behind");
        // The control: the background as it is without exposure.
        let plain = raster::draw_layer(&scene, &state, &[], &camera, 1.0, Layer::Behind);
        assert_ne!(behind.rgb(3, 3), plain.rgb(3, 3));
    }
}
