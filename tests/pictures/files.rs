//! Level 5: the two renderers against each other, and pictures that are the same every time.

use crate::adapter;
use crate::png_file;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::picture::{agents, apart, blobs, by_cpu, by_gpu, light, middle, populated, scene};
use flockwork::model::memory::Memory;
use flockwork::model::scene::{BoidShape, ColourBy, Request};
use flockwork::model::vector::flat;
use flockwork::view::camera::Camera;
use flockwork::view::frame::Frame;
use glam::Vec2;

/// Mean absolute difference per channel between the two pictures of a dense flock, as a share of
/// the mean light. Only edges differ, but darts two pixels wide are all edge: the GPU measures a
/// pixel's coverage with four samples, tiny-skia by area. Measured on lavapipe: 0.20 if darts are
/// apart, 0.10 if they crowd; the controls are 0.45 to 1.7.
const DENSE_TOLERANCE: f64 = 0.28;

/// Difference of the light of the two pictures, as a share of it. It finds a rasteriser that draws
/// darts too large or too pale. Measured on lavapipe: 0.016 at most.
const LIGHT_TOLERANCE: f64 = 0.03;

/// Distance in pixels between the centres of the same dart in the two pictures.
const PLACE_TOLERANCE: f32 = 1.0;

/// The centres of the darts.
fn centres(frame: &Frame) -> Vec<Vec2> {
    // One rasteriser draws a pixel that a dart barely touches, and the other does not.
    blobs(frame, 12).iter().map(|blob| middle(frame, blob)).collect()
}

/// The difference of two pictures, as a share of the light of the first.
fn difference(a: &Frame, b: &Frame) -> f64 {
    apart(a, b) / light(a)
}

/// The centres in `found` without one in `wanted` within the tolerance.
fn strays(found: &[Vec2], wanted: &[Vec2]) -> Vec<Vec2> {
    let near = |p: &Vec2| wanted.iter().any(|q| p.distance(*q) < PLACE_TOLERANCE);
    found.iter().copied().filter(|p| !near(p)).collect()
}

#[test]
fn both_draw_the_same_darts_at_the_same_places() {
    let Some(gpu) = adapter::gpu() else { return };
    // Without an edge, because its picture has another shape.
    let scene = scene(&["world.boundary=open"]);
    // On a lattice, so that darts do not touch; away from pixel corners; heading in all directions.
    let count = 96_u16;
    let place = |i: u16| flat(26.3 + 50.7 * f32::from(i % 12), 22.6 + 44.9 * f32::from(i / 12));
    let way = |i: u16| Vec2::from_angle(f32::from(i) * 0.37).extend(0.0) * 2.0;
    let state = agents(&(0..count).map(|i| (place(i), way(i))).collect::<Vec<_>>());
    for camera in [Camera::fit(&scene.world, 1280, 720), Camera::fit(&scene.world, 333, 211)] {
        let drawn = centres(&by_gpu(&gpu, &scene, &state, &camera));
        let rastered = centres(&by_cpu(&scene, &state, &camera));
        assert_eq!((drawn.len(), rastered.len()), (count.into(), count.into()));
        assert_eq!(strays(&drawn, &rastered), []);
        assert_eq!(strays(&rastered, &drawn), []);

        // One agent moved by three pixels is noticed.
        let mut other = state.clone();
        other.position[40].x += 3.0 / camera.pixels_per_unit;
        let moved = centres(&by_cpu(&scene, &other, &camera));
        assert_eq!((strays(&drawn, &moved).len(), strays(&moved, &drawn).len()), (1, 1));
    }
}

#[test]
fn both_draw_the_same_picture_of_a_dense_flock() {
    let Some(gpu) = adapter::gpu() else { return };
    for (by, density) in
        [(ColourBy::Heading, 10.0), (ColourBy::Heading, 60.0), (ColourBy::Speed, 10.0)]
    {
        let scene = scene(&[]);
        let request = Request { count: Some(20_000), density: Some(density), ..Request::default() };
        let (mut scene, state) = scene.populate(&request).unwrap();
        scene.species[0].colour = by;
        let camera = Camera::fit(&scene.world, 1280, 720);
        let drawn = by_gpu(&gpu, &scene, &state, &camera);
        let rastered = by_cpu(&scene, &state, &camera);
        let own = difference(&drawn, &rastered);
        let brighter = light(&rastered) / light(&drawn) - 1.0;
        assert!(own < DENSE_TOLERANCE, "{by:?}, density {density}: {own}");
        assert!(brighter.abs() < LIGHT_TOLERANCE, "{by:?}, density {density}: {brighter}");

        // The light shows darts that are a tenth longer.
        let mut longer = scene.clone();
        longer.species[0].body.size *= 1.1;
        let brighter = light(&by_cpu(&longer, &state, &camera)) / light(&drawn) - 1.0;
        assert!(brighter > 2.0 * LIGHT_TOLERANCE, "{by:?}, density {density}: {brighter}");

        // Moved by two pixels, heading the other way, or in other colours: noticed.
        let mut moved = state.clone();
        moved.position.iter_mut().for_each(|p| p.x += 2.0 / camera.pixels_per_unit);
        let mut turned = state.clone();
        turned.velocity.iter_mut().for_each(|v| *v = -*v);
        let mut painted = scene.clone();
        let other = if by == ColourBy::Speed { ColourBy::Heading } else { ColourBy::Speed };
        painted.species[0].colour = other;
        for (what, scene, state) in [
            ("moved", &scene, &moved),
            ("turned round", &scene, &turned),
            ("other colours", &painted, &state),
        ] {
            let other = difference(&drawn, &by_cpu(scene, state, &camera));
            assert!(other > 1.5 * DENSE_TOLERANCE, "{by:?}, {what}: {other} is not noticed");
        }
    }
}

/// Difference of the two pictures of a flock of discs or glows, measured by [`difference`]. Both
/// shapes have soft edges by design, so they differ less than darts.
const ROUND_TOLERANCE: f64 = 0.06;

#[test]
fn both_draw_the_same_discs_and_glows() {
    let Some(gpu) = adapter::gpu() else { return };
    for (look, count, zoom) in [
        (BoidShape::Disc, 400, 1.0),
        (BoidShape::Disc, 20_000, 1.0),
        (BoidShape::Glow, 400, 1.0),
        (BoidShape::Glow, 20_000, 1.0),
        (BoidShape::Glow, 20_000, 5.0),
    ] {
        let scene = scene(&["starling.colour=neighbours"]);
        let (mut scene, mut state) = populated(scene, count);
        let memory = |row: u64| Memory::new(0.1, (row % 50) as f32);
        state.memory = (0..count).map(memory).collect();
        scene.species[0].look = look;
        let mut camera = Camera::fit(&scene.world, 1280, 720);
        camera.pixels_per_unit *= zoom;
        let drawn = by_gpu(&gpu, &scene, &state, &camera);
        let rastered = by_cpu(&scene, &state, &camera);
        let own = difference(&drawn, &rastered);
        let brighter = light(&rastered) / light(&drawn) - 1.0;
        assert!(own < ROUND_TOLERANCE, "{look:?}, {count}: {own}");
        assert!(brighter.abs() < LIGHT_TOLERANCE, "{look:?}, {count}: {brighter}");

        // Moved by two pixels, with another look, or without colours: noticed.
        let mut moved = state.clone();
        moved.position.iter_mut().for_each(|p| p.x += 2.0 / camera.pixels_per_unit);
        let mut other = scene.clone();
        other.species[0].look =
            if look == BoidShape::Disc { BoidShape::Glow } else { BoidShape::Disc };
        let mut forgotten = state.clone();
        forgotten.memory.clear();
        for (what, scene, state) in
            [("moved", &scene, &moved), ("look", &other, &state), ("colour", &scene, &forgotten)]
        {
            let other = by_cpu(scene, state, &camera);
            let apart = difference(&drawn, &other);
            assert!(apart > 1.5 * ROUND_TOLERANCE, "{look:?}, {count}, {what}: {apart}");
        }
    }
}

fn capture(folder: &Path, engine: &str, arguments: &str, out: &str) -> Vec<u8> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flockwork"));
    command.args(["capture", "--engine", engine, "--seed", "5", "--out", out]);
    let output = command.args(arguments.split_whitespace()).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read(folder.join(out)).unwrap()
}

#[test]
fn the_same_command_draws_the_same_bytes() {
    let Some(_) = adapter::gpu() else { return };
    let folder = tempfile::tempdir().unwrap();
    for engine in ["gpu", "cpu"] {
        for (arguments, ending) in [
            ("--count 20000 --ticks 30 --size 640x360", "png"),
            ("--count 300 --ticks 8 --size 160x90", "gif"),
            ("--count 300 --ticks 8 --size 160x90", "apng"),
        ] {
            let draw =
                |name| capture(folder.path(), engine, arguments, &format!("{name}.{ending}"));
            assert!(draw("first") == draw("second"), "{engine}, {ending}");
        }
    }
}

#[test]
fn pictures_of_cinema_size_can_be_drawn() {
    let Some(_) = adapter::gpu() else { return };
    let folder = tempfile::tempdir().unwrap();
    let pictures = ["gpu", "cpu"].map(|engine| {
        let name = format!("{engine}.png");
        capture(folder.path(), engine, "--count 5000 --ticks 1 --size 3840x2160", &name);
        let picture = png_file::open(&folder.path().join(name));
        assert_eq!((picture.width, picture.height), (3840, 2160));
        picture
    });
    let difference = difference(&pictures[0], &pictures[1]);
    assert!(difference < DENSE_TOLERANCE, "{difference}");
}

/// The mean of all channels above the background.
fn brightness(frame: &Frame) -> f64 {
    light(frame) / f64::from(3 * frame.width * frame.height)
}

/// Difference of the mean light of a flock between two resolutions, as a share of it. Only the
/// rounding of edges remains. Measured: 0.019 at most; 0.7 if sizes are in pixels.
const RESOLUTION_TOLERANCE: f64 = 0.03;

#[test]
fn a_flock_is_as_bright_in_any_resolution() {
    let Some(_) = adapter::gpu() else { return };
    let folder = tempfile::tempdir().unwrap();
    for engine in ["cpu", "gpu"] {
        // Darts at their natural size, at their smallest size, and in cells; the same much denser;
        // glows.
        for flock in
            ["--count 3000", "--count 20000", "--count 200000", "--scene embers --count 5000"]
        {
            let drawn = |size: &str| {
                let (name, arguments) =
                    (format!("{size}.png"), format!("{flock} --ticks 1 --size {size}"));
                capture(folder.path(), engine, &arguments, &name);
                brightness(&png_file::open(&folder.path().join(name)))
            };
            let reference = drawn("1280x720");
            assert!(reference > 3.0, "{flock}: there is something to see");
            for size in ["640x360", "1920x1080", "3840x2160"] {
                let other = drawn(size);
                println!("{engine} {flock} {size}: {other} and {reference}");
                let apart = other / reference - 1.0;
                assert!(apart.abs() < RESOLUTION_TOLERANCE, "{engine}, {flock} at {size}: {apart}");
            }
        }
    }
}

/// A limit on file sizes simulates a full disk; only the end of the film is missing.
#[cfg(unix)]
#[test]
fn a_film_that_cannot_be_finished_is_named_and_leaves_nothing() {
    if let Err(reason) = flockwork::view::recorder::mp4::check() {
        return eprintln!("SKIPPED: {reason}");
    }
    let folder = tempfile::tempdir().unwrap();
    let capture = |limit: &str| {
        let program = env!("CARGO_BIN_EXE_flockwork");
        let line = format!(
            "trap '' XFSZ; ulimit -f {limit}; {program} capture --count 200 --engine cpu --ticks 20 \
             --size 320x200 --out a.mp4"
        );
        let mut shell = Command::new("sh");
        shell.current_dir(folder.path()).args(["-c", &line]).output().unwrap()
    };
    assert!(capture("unlimited").status.success());
    let film = folder.path().join("a.mp4");
    let bytes = fs::metadata(&film).unwrap().len();
    fs::remove_file(&film).unwrap();
    // The shell counts in blocks of 512 bytes. The end is missing, or half of the film.
    for limit in [bytes / 512 - 2, bytes / 1024] {
        let output = capture(&limit.to_string());
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("cannot write a.mp4: ffmpeg failed: "), "{message}");
        assert!(message.contains("write to another disk"), "{message}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "something stayed");
    }
}
