//! Level 5: pictures by the GPU renderer.

mod adapter;

use std::sync::Arc;

use flockwork::engine::gpu::Gpu;
use flockwork::model::scene::{BuiltIn, ColourBy, Scene};
use flockwork::model::state::FlockState;
use flockwork::model::vector::Point;
use flockwork::view::camera::Camera;
use flockwork::view::frame::Frame;
use flockwork::view::look;
use flockwork::view::offscreen::Offscreen;
use flockwork::view::upload::UploadedAgents;

fn scene(overrides: &[&str]) -> Scene {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_string()).collect();
    Scene::parse("flock", BuiltIn::named("flock").unwrap().text, &overrides).unwrap()
}

fn flock(agents: &[(Point, Point)]) -> FlockState {
    FlockState {
        tick: 0,
        id: (0..agents.len() as u32).collect(),
        species: vec![0; agents.len()],
        position: agents.iter().map(|(p, _)| *p).collect(),
        velocity: agents.iter().map(|(_, v)| *v).collect(),
    }
}

fn draw(gpu: &Arc<Gpu>, scene: &Scene, state: &FlockState, camera: &Camera) -> Frame {
    let (width, height) = (camera.size.x as u32, camera.size.y as u32);
    let mut agents = UploadedAgents::new(Arc::clone(gpu));
    agents.upload(state).unwrap();
    let mut offscreen = Offscreen::new(Arc::clone(gpu), width, height).unwrap();
    let frame = offscreen.render(agents.agents(), scene, camera).unwrap();
    assert_eq!((frame.width, frame.height), (width, height));
    assert_eq!(frame.pixels.len(), 4 * width as usize * height as usize);
    frame
}

/// A connected set of pixels that are not background.
struct Blob(Vec<(u32, u32)>);

impl Blob {
    fn centre(&self) -> Point {
        self.0.iter().map(|p| centre_of(*p)).sum::<Point>() / self.0.len() as f32
    }
}

fn centre_of((x, y): (u32, u32)) -> Point {
    Point::new(x as f32 + 0.5, y as f32 + 0.5)
}

fn pixel(frame: &Frame, x: u32, y: u32) -> [u8; 3] {
    let at = 4 * (y as usize * frame.width as usize + x as usize);
    [frame.pixels[at], frame.pixels[at + 1], frame.pixels[at + 2]]
}

fn blobs(frame: &Frame) -> Vec<Blob> {
    let mut seen = vec![false; (frame.width * frame.height) as usize];
    let mut visit = |x: u32, y: u32| {
        let seen = &mut seen[(y * frame.width + x) as usize];
        let new = !*seen && pixel(frame, x, y) != look::BACKGROUND;
        *seen = true;
        new
    };
    let mut blobs = Vec::new();
    for (x, y) in (0..frame.height).flat_map(|y| (0..frame.width).map(move |x| (x, y))) {
        if !visit(x, y) {
            continue;
        }
        let mut pixels = vec![(x, y)];
        let mut next = 0;
        while let Some(&(x, y)) = pixels.get(next) {
            next += 1;
            for ny in y.saturating_sub(1)..(y + 2).min(frame.height) {
                for nx in x.saturating_sub(1)..(x + 2).min(frame.width) {
                    if visit(nx, ny) {
                        pixels.push((nx, ny));
                    }
                }
            }
        }
        blobs.push(Blob(pixels));
    }
    blobs
}

/// What a pixel wholly inside a dart of `colour` holds.
fn assert_painted(got: [u8; 3], colour: [f32; 3], what: &str) {
    for channel in 0..3 {
        let background = f32::from(look::BACKGROUND[channel]) * (1.0 - look::OPACITY);
        let wanted = 255.0 * colour[channel] * look::OPACITY + background;
        assert!((f32::from(got[channel]) - wanted).abs() < 3.0, "{what}: {got:?} for {colour:?}");
    }
}

/// Agents on a lattice, far enough apart, heading every way; some stand still.
fn lattice() -> Vec<(Point, Point)> {
    let agent = |i: u16| {
        let place = Point::new(40.0 + 60.0 * f32::from(i % 10), 30.0 + 55.0 * f32::from(i / 10));
        let speed = if i % 7 == 3 { 0.0 } else { 2.0 };
        (place, Point::from_angle(f32::from(i) * 0.7) * speed)
    };
    (0..60).map(agent).collect()
}

#[test]
fn every_agent_is_a_dart_at_its_place_along_its_heading_in_its_colour() {
    let Some(gpu) =
        adapter::gpu("every_agent_is_a_dart_at_its_place_along_its_heading_in_its_colour")
    else {
        return;
    };
    let scene = scene(&["starling.size=12"]);
    let camera = Camera::fit(&scene.world, 640, 360);
    let agents = lattice();
    let frame = draw(&gpu, &scene, &flock(&agents), &camera);
    let blobs = blobs(&frame);
    assert_eq!(blobs.len(), agents.len());
    for (position, velocity) in agents {
        let place = camera.pixel_from_world(position);
        let far = |blob: &Blob| blob.centre().distance(place);
        let blob = blobs.iter().min_by(|a, b| far(a).total_cmp(&far(b))).unwrap();
        let heading = Point::from_angle(look::heading_angle(velocity));
        let ahead = Point::new(heading.x, -heading.y);
        // The centre of area of a triangle is a third of its height above its base.
        let centre = place - ahead * (12.0 / 3.0);
        assert!(blob.centre().distance(centre) < 0.7, "{:?} is not {centre:?}", blob.centre());
        let along = |p: &(u32, u32)| (centre_of(*p) - place).dot(ahead);
        let across = |p: &(u32, u32)| (centre_of(*p) - place).perp_dot(ahead);
        let nose = blob.0.iter().map(along).fold(f32::MIN, f32::max);
        let tail = blob.0.iter().map(along).fold(f32::MAX, f32::min);
        let side = blob.0.iter().map(across).fold(f32::MIN, f32::max);
        assert!((9.5..=13.0).contains(&nose), "the nose is {nose} ahead");
        assert!((-13.0..=-11.0).contains(&tail), "the tail is {tail} ahead");
        assert!((side - 12.0 * look::SLENDERNESS).abs() < 1.5, "half the tail is {side} wide");

        let colour = look::colour(ColourBy::Heading, velocity, 3.0, 0);
        assert_painted(pixel(&frame, centre.x as u32, centre.y as u32), colour, "heading");
    }
}

#[test]
fn species_and_speed_colour_as_the_look_says() {
    let Some(gpu) = adapter::gpu("species_and_speed_colour_as_the_look_says") else { return };
    for by in [ColourBy::Speed, ColourBy::Species] {
        let mut scene = scene(&["starling.size=12"]);
        let mut second = scene.species[0].clone();
        second.body.max_speed = 6.0;
        scene.species.push(second);
        scene.species.iter_mut().for_each(|species| species.colour = by);
        let camera = Camera::fit(&scene.world, 640, 360);
        let places = [200, 400];
        let velocity = Point::new(2.0, 0.0);
        let mut state = flock(&places.map(|x| (Point::new(x as f32, 180.0), velocity)));
        state.species[1] = 1;
        let frame = draw(&gpu, &scene, &state, &camera);
        for (index, x) in places.into_iter().enumerate() {
            let max_speed = scene.species[index].body.max_speed;
            let colour = look::colour(by, velocity, max_speed, index as u8);
            assert_painted(pixel(&frame, x - 4, 180), colour, "species or speed");
        }
    }
}

#[test]
fn darts_across_the_edge_of_the_picture_are_cut() {
    let Some(gpu) = adapter::gpu("darts_across_the_edge_of_the_picture_are_cut") else { return };
    let scene = scene(&["starling.size=12"]);
    // 333 pixels a row: rows are copied with padding.
    let camera = Camera { size: Point::new(333.0, 200.0), ..Camera::fit(&scene.world, 640, 360) };
    let edge = camera.world_from_pixel(Point::new(333.0, 100.0));
    let outside = camera.world_from_pixel(Point::new(-40.0, 100.0));
    let frame = draw(&gpu, &scene, &flock(&[(edge, Point::ZERO), (outside, Point::ZERO)]), &camera);
    let blobs = blobs(&frame);
    assert_eq!(blobs.len(), 1);
    assert!(blobs[0].0.iter().all(|(x, _)| (320..333).contains(x)));
}

#[test]
fn a_picture_beyond_the_limits_is_refused_with_the_limit() {
    let Some(gpu) = adapter::gpu("a_picture_beyond_the_limits_is_refused_with_the_limit") else {
        return;
    };
    let side = gpu.device.limits().max_texture_dimension_2d;
    let error = Offscreen::new(Arc::clone(&gpu), side + 1, 8).unwrap_err().to_string();
    assert!(error.contains(&side.to_string()) && error.contains("--size"), "{error}");
}

#[test]
fn a_large_picture_can_be_drawn() {
    let Some(gpu) = adapter::gpu("a_large_picture_can_be_drawn") else { return };
    let scene = scene(&[]);
    let camera = Camera::fit(&scene.world, 3840, 2160);
    let frame = draw(&gpu, &scene, &flock(&lattice()), &camera);
    assert_eq!(blobs(&frame).len(), lattice().len());
}
