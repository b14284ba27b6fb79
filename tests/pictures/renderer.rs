//! Level 5: pictures of the GPU renderer, and darts of both renderers.

use crate::adapter;
use std::sync::Arc;

use crate::picture::{
    Blob, agents as flock, blobs, by_cpu, by_gpu, centre_of, light_at, middle, populated, scene,
};
use flockwork::engine::Engine;
use flockwork::engine::gpu::GpuEngine;
use flockwork::model::memory::Memory;
use flockwork::model::scene::{BoidShape, ColourBy, Scene};
use flockwork::model::vector::{Point, flat};
use flockwork::view::camera::Camera;
use flockwork::view::frame::Frame;
use flockwork::view::gpu::offscreen::Offscreen;
use flockwork::view::shapes::{Shape, StyledShape};
use flockwork::view::style::{self, Measure};
use flockwork::view::{Motif, Painter};
use glam::Vec2;

fn pixel(frame: &Frame, x: u32, y: u32) -> [u8; 3] {
    frame.rgb(x, y).unwrap()
}

/// Fails unless a pixel wholly inside a dart of `colour` has the right value.
fn assert_painted(got: [u8; 3], colour: [f32; 3], what: &str) {
    for channel in 0..3 {
        let background = f32::from(style::BACKGROUND[channel]) * (1.0 - style::OPACITY);
        let wanted = 255.0 * colour[channel] * style::OPACITY + background;
        assert!((f32::from(got[channel]) - wanted).abs() < 3.0, "{what}: {got:?} for {colour:?}");
    }
}

/// The colour of an agent.
fn colour(scene: &Scene, velocity: Point, species: usize, neighbours: u32) -> [f32; 3] {
    let paint = style::Paint::all(scene)[species];
    paint.colour(paint.tone(velocity, scene.species[species].body.max_speed, neighbours as f32))
}

/// Agents on a lattice, far enough apart, heading in all directions; some are at rest.
pub fn lattice() -> Vec<(Point, Point)> {
    let agent = |i: u16| {
        let place = flat(40.0 + 60.0 * f32::from(i % 10), 30.0 + 55.0 * f32::from(i / 10));
        let speed = if i % 7 == 3 { 0.0 } else { 2.0 };
        (place, Vec2::from_angle(f32::from(i) * 0.7).extend(0.0) * speed)
    };
    (0..60).map(agent).collect()
}

/// On both renderers.
#[test]
fn every_agent_is_a_dart_at_its_place_along_its_heading_in_its_colour() {
    let gpu = adapter::gpu();
    let scene = scene(&["starling.size=12"]);
    let camera = Camera::fit(&scene.world, 640, 360);
    let agents = lattice();
    let state = flock(&agents);
    let by_gpu = gpu.map(|gpu| by_gpu(&gpu, &scene, &state, &camera));
    for frame in by_gpu.into_iter().chain([by_cpu(&scene, &state, &camera)]) {
        assert!(!frame.is_transparent());
        let blobs = blobs(&frame, 1);
        assert_eq!(blobs.len(), agents.len());
        for (position, velocity) in &agents {
            let place = camera.pixel_from_world(*position);
            let (blob, _) = nearest(&frame, &blobs, place);
            let heading = Vec2::from_angle(style::heading_angle(*velocity));
            let ahead = Vec2::new(heading.x, -heading.y);
            // The centroid of a triangle is a third of its height above its base.
            let centre = place - ahead * (12.0 / 3.0);
            let found = middle(&frame, blob);
            assert!(found.distance(centre) < 0.25, "{found:?} is not {centre:?}");
            let along = |p: &(u32, u32)| (centre_of(*p) - place).dot(ahead);
            let across = |p: &(u32, u32)| (centre_of(*p) - place).perp_dot(ahead);
            let nose = blob.iter().map(along).fold(f32::MIN, f32::max);
            let tail = blob.iter().map(along).fold(f32::MAX, f32::min);
            let side = blob.iter().map(across).fold(f32::MIN, f32::max);
            assert!((9.5..=13.0).contains(&nose), "the nose is {nose} ahead");
            assert!((-13.0..=-11.0).contains(&tail), "the tail is {tail} ahead");
            assert!((side - 12.0 * style::SLENDERNESS).abs() < 1.5, "half the tail is {side} wide");

            let colour = colour(&scene, *velocity, 0, 0);
            assert_painted(pixel(&frame, centre.x as u32, centre.y as u32), colour, "heading");
        }
    }
}

#[test]
fn agents_have_the_colours_that_the_look_says() {
    let Some(gpu) = adapter::gpu() else { return };
    let velocity = flat(2.0, 0.0);
    // 40 is a crowd, and little of an acceleration or an age.
    let (columns, numbers) = ([100, 180, 260, 340, 420, 500], [0, 10, 25, 40, 200, 255]);
    for by in [
        ColourBy::Speed,
        ColourBy::Species,
        ColourBy::Neighbours,
        ColourBy::Acceleration,
        ColourBy::Age,
    ] {
        let mut scene = scene(&["starling.size=12"]);
        scene.species[0].colour = by;
        scene.species.push(scene.species[0].clone());
        scene.species[1].body.max_speed = 6.0;
        let camera = Camera::fit(&scene.world, 640, 360);
        let mut state = flock(&columns.map(|x| (flat(x as f32, 180.0), velocity)));
        state.species = vec![0, 1, 0, 1, 0, 1];
        // The angle stored beside the number must not matter.
        state.memory = numbers.map(|number| Memory::new(-0.3, number as f32)).to_vec();
        state.shown = scene.shown();
        let frame = by_gpu(&gpu, &scene, &state, &camera);
        // Agents without memory have nothing to show.
        state.memory.clear();
        let forgotten = by_gpu(&gpu, &scene, &state, &camera);
        let found = |frame: &Frame, index: usize| pixel(frame, columns[index] - 4, 180);
        let wanted = |index: usize, number| colour(&scene, velocity, index % 2, number);
        for (index, number) in numbers.into_iter().enumerate() {
            assert_painted(found(&frame, index), wanted(index, number), &format!("{by:?}"));
            assert_painted(found(&forgotten, index), wanted(index, 0), "forgotten");
        }
        if !scene.shows_memory() {
            continue;
        }
        let apart = |one: usize, other: usize| {
            let [one, other] = [one, other].map(|index| wanted(0, numbers[index]));
            one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
        };
        let is_crowd = by == ColourBy::Neighbours;
        assert!(apart(0, 4) > 0.25, "{by:?}");
        assert_eq!(apart(4, 5) > 0.05, !is_crowd, "a crowd has no more to show");
        if is_crowd {
            let sum = |index| found(&frame, index).iter().map(|c| u32::from(*c)).sum::<u32>();
            assert!(sum(0) < sum(1) && sum(1) < sum(2) && sum(2) < sum(3), "from dark to bright");
            assert_eq!(found(&frame, 3), found(&frame, 5));
        }
    }
}

/// The blob nearest to a place, and the distance of its middle.
fn nearest<'a>(frame: &Frame, blobs: &'a [Blob], place: Vec2) -> (&'a Blob, f32) {
    let far = |blob: &Blob| middle(frame, blob).distance(place);
    let blob = blobs.iter().min_by(|a, b| far(a).total_cmp(&far(b))).unwrap();
    (blob, far(blob))
}

#[test]
fn every_agent_is_a_disc_at_its_place() {
    let Some(gpu) = adapter::gpu() else { return };
    let drawn = |look: &str| {
        let scene = scene(&["starling.size=12", look]);
        let camera = Camera::fit(&scene.world, 640, 360);
        (by_gpu(&gpu, &scene, &flock(&lattice()), &camera), camera, scene)
    };
    // 12 pixels in radius. A pixel that the edge touches counts fully.
    let area = std::f32::consts::PI * 12.0 * 12.0..std::f32::consts::PI * 13.0 * 13.0;
    let round = |blob: &Blob| area.contains(&(blob.len() as f32));
    let (frame, camera, scene) = drawn("starling.look=disc");
    let discs = blobs(&frame, 1);
    assert_eq!(discs.len(), lattice().len());
    for (position, velocity) in lattice() {
        let place = camera.pixel_from_world(position);
        let (disc, off) = nearest(&frame, &discs, place);
        assert!(off < 0.2 && round(disc), "{} pixels {off} away", disc.len());
        let farthest = disc.iter().map(|p| centre_of(*p).distance(place)).fold(0.0, f32::max);
        assert!((11.5..13.0).contains(&farthest), "{farthest} from the middle");
        let colour = colour(&scene, velocity, 0, 0);
        assert_painted(pixel(&frame, place.x as u32, place.y as u32), colour, "disc");
        // Soft at the edge: pixels there are neither background nor fully painted.
        let full = pixel(&frame, place.x as u32, place.y as u32);
        let soft = disc.iter().filter(|(x, y)| pixel(&frame, *x, *y) != full).count();
        assert!((30..150).contains(&soft), "{soft} pixels on the edge");
    }
    // Darts of the same length look different.
    let (frame, ..) = drawn("starling.look=triangle");
    assert!(!blobs(&frame, 1).iter().any(round));
}

#[test]
fn every_agent_is_a_glow_that_fades_from_its_place() {
    let Some(gpu) = adapter::gpu() else { return };
    let scene = scene(&["starling.size=6", "starling.look=glow"]);
    let camera = Camera::fit(&scene.world, 640, 360);
    let frame = by_gpu(&gpu, &scene, &flock(&lattice()), &camera);
    let glows = blobs(&frame, 1);
    assert_eq!(glows.len(), lattice().len());
    let species = &scene.species[0];
    let measure = Measure::of(&scene, species, camera.pixels_per_unit, 1.0);
    let glyph = measure.extent(species.body.size);
    for (position, _) in lattice() {
        let place = camera.pixel_from_world(position);
        let (glow, off) = nearest(&frame, &glows, place);
        assert!(off < 1.0, "{off} away");
        let farthest = glow.iter().map(|p| centre_of(*p).distance(place)).fold(0.0, f32::max);
        assert!((glyph.radius * 2.5..glyph.reach).contains(&farthest), "{farthest}");
        let (x, y) = (place.x as u32, place.y as u32);
        let along: Vec<u32> = (0..24).map(|right| light_at(&frame, x + right, y)).collect();
        assert!(along.windows(2).all(|pair| pair[1] <= pair[0]), "{along:?}");
        // Less than half as bright at the edge of its core.
        let half = along[6] as f32 / along[0] as f32;
        assert!((0.2..0.5).contains(&half), "{half}");
    }
}

#[test]
fn light_adds_up_and_has_a_limit() {
    let Some(gpu) = adapter::gpu() else { return };
    // The brightness next to `count` agents on one spot, and at their middle.
    let together = |look: &str, count: usize| {
        let scene = scene(&["starling.size=12", look, "starling.colour=speed"]);
        let camera = Camera::fit(&scene.world, 640, 360);
        let agents = vec![(flat(320.0, 180.0), flat(3.0, 0.0)); count];
        let frame = by_gpu(&gpu, &scene, &flock(&agents), &camera);
        (light_at(&frame, 331, 180) as f32, pixel(&frame, 320, 180))
    };
    let gain = |look| together(look, 2).0 / together(look, 1).0;
    let (glow, disc) = (gain("starling.look=glow"), gain("starling.look=disc"));
    assert!(glow > 1.4, "two glows are {glow} times as bright as one");
    assert!(disc < 1.15, "two discs are {disc} times as bright as one");
    let (_, crowd) = together("starling.look=glow", 1000);
    assert!(crowd[0] > 250 && crowd[2] < 160, "a crowd of embers is {crowd:?}");
}

#[test]
fn looks_side_by_side_equal_each_look_alone() {
    let Some(gpu) = adapter::gpu() else { return };
    let looks = [BoidShape::Triangle, BoidShape::Disc, BoidShape::Glow];
    let places = [120.3, 320.6, 520.9];
    let agents = places.map(|x| (flat(x, 180.4), flat(1.0, 2.0)));
    let mut scene = scene(&["starling.size=12"]);
    scene.species = vec![scene.species[0].clone(); looks.len()];
    scene.species.iter_mut().zip(looks).for_each(|(species, look)| species.look = look);
    let camera = Camera::fit(&scene.world, 640, 360);
    let mut state = flock(&agents);
    state.species = vec![0, 1, 2];
    let together = by_gpu(&gpu, &scene, &state, &camera);
    for (index, x) in [20, 220, 420].into_iter().enumerate() {
        for other in 0..3 {
            let mut alone = scene.clone();
            alone.species = vec![scene.species[other].clone()];
            let frame = by_gpu(&gpu, &alone, &flock(&agents[index..=index]), &camera);
            let part = |frame: &Frame| -> Vec<[u8; 3]> {
                let places = (0..360).flat_map(|y| (x..x + 200).map(move |x| (x, y)));
                places.map(|(x, y)| pixel(frame, x, y)).collect()
            };
            assert_eq!(part(&together) == part(&frame), index == other, "{index} {other}");
        }
    }
}

#[test]
fn pictures_begun_while_the_flock_moves_on_are_those_of_their_ticks() {
    let Some(gpu) = adapter::gpu() else { return };
    // Agents as triangles and in cells.
    for count in [500, 80_000] {
        let (scene, state) = populated(scene(&[]), count);
        let camera = Camera::fit(&scene.world, 640, 360);
        let shape = StyledShape {
            shape: Shape::Disc { centre: camera.centre, radius: 50.0 },
            colour: [255; 3],
            opacity: 0.5,
        };
        let film = |ahead: bool| {
            let mut engine = GpuEngine::new(Arc::clone(&gpu));
            engine.load(&scene, &state).unwrap();
            let mut painter = Offscreen::new(Arc::clone(&gpu), 640, 360).unwrap();
            let (mut frames, mut meanwhile) = (Vec::new(), None);
            for tick in 0..8 {
                let shapes: &[StyledShape] =
                    if tick % 3 == 0 { std::slice::from_ref(&shape) } else { &[] };
                let motif = Motif { above: shapes, ..Motif::of(&scene, &camera) };
                if ahead {
                    frames.extend(painter.begin(&mut engine, motif).unwrap());
                    if tick == 4 {
                        meanwhile = Some(painter.paint(&mut engine, motif).unwrap());
                    }
                } else {
                    frames.push(painter.paint(&mut engine, motif).unwrap());
                }
                engine.step(1).unwrap();
            }
            while let Some(frame) = painter.finish().unwrap() {
                frames.push(frame);
            }
            (frames, meanwhile)
        };
        let ((waited, _), (ahead, meanwhile)) = (film(false), film(true));
        assert!(meanwhile.as_ref() == waited.get(4), "a picture painted among those begun");
        assert!(waited == ahead, "{count} agents");
        // Every tick has its own picture.
        assert!(waited.windows(2).all(|pair| pair[0] != pair[1]));
        assert_eq!(waited.len(), 8);
    }
}

#[test]
fn a_flock_on_another_device_is_drawn_as_on_its_own() {
    let (Some(gpu), Some(other)) = (adapter::gpu(), adapter::gpu()) else { return };
    let (scene, state) = (scene(&["starling.size=12"]), flock(&lattice()));
    let camera = Camera::fit(&scene.world, 640, 360);
    let mut engine = GpuEngine::new(gpu);
    engine.load(&scene, &state).unwrap();
    let mut painter = Offscreen::new(Arc::clone(&other), 640, 360).unwrap();
    let painted = painter.paint(&mut engine, Motif::of(&scene, &camera)).unwrap();
    assert!(painted == by_gpu(&other, &scene, &state, &camera));
    let agents = engine.buffers().unwrap();
    let error = painter.render(agents, &scene, &scene.targets, &camera).unwrap_err();
    assert!(error.to_string().contains("agents on another device"), "{error}");
}

#[test]
fn a_picture_beyond_the_limits_is_refused_with_the_limit() {
    let Some(gpu) = adapter::gpu() else { return };
    let side = gpu.device.limits().max_texture_dimension_2d;
    let error = Offscreen::new(Arc::clone(&gpu), side + 1, 8).unwrap_err().to_string();
    assert!(error.contains(&side.to_string()) && error.contains("--size"), "{error}");
}
