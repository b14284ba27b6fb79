//! Level 5: the scenery, under the flock and over it, by both renderers.

use crate::adapter;
use crate::picture::{self, Studio, agents, apart, by_cpu, by_gpu, populated, scene};
use flockwork::engine::Engine;
use flockwork::engine::cpu::CpuEngine;
use flockwork::model::scene::{Request, Scene};
use flockwork::model::state::FlockState;
use flockwork::model::vector::{Point, flat};
use flockwork::view::camera::Camera;
use flockwork::view::frame::Frame;
use flockwork::view::gpu::offscreen::Offscreen;
use flockwork::view::shapes::{Shape, StyledShape};
use flockwork::view::{Layer, Motif, Painter, RasterPainter, style};
use glam::Vec2;

/// A wrapped world with an obstacle in the middle, one on the seam, a path and a target.
fn landscape() -> Scene {
    let text = "
        world = { size = [640, 360], boundary = \"wrap\" }
        obstacles = [{ position = [320, 180], radius = 40 }, { position = [630, 90], radius = 30 }]
        paths = [{ points = [[60, 300], [300, 260], [560, 300]] }]
        targets = [{ name = \"food\", position = [160, 90], hit_radius = 20 }]
        [species.walker]
        count = 1
        [species.walker.follow_path]
        radius = 15
        [species.walker.avoid]
        reach = 20
        [species.walker.seek]
        target = \"food\"
    ";
    let scene = Scene::parse("landscape", text).unwrap();
    let (scene, _) = scene.populate(&Request::default()).unwrap();
    scene
}

#[test]
fn both_renderers_draw_the_scenery_in_its_place() {
    let Some(gpu) = adapter::gpu() else { return };
    let scene = landscape();
    let nobody = FlockState::default();
    let somebody = agents(&[(flat(320.0, 180.0), Point::X)]);
    for camera in [
        Camera::fit(&scene.world, 640, 360),
        Camera {
            pixels_per_unit: 1.3,
            centre: flat(300.0, 170.0),
            ..Camera::fit(&scene.world, 500, 400)
        },
    ] {
        let seen = |pixel: Vec2| pixel.cmpge(Vec2::ZERO).all() && pixel.cmplt(camera.size).all();
        let frames = [by_gpu(&gpu, &scene, &nobody, &camera), by_cpu(&scene, &nobody, &camera)];
        assert!(frames[0] == frames[1], "the background is the raster's, to the byte");
        let at = |x: f32, y: f32| {
            let pixel = camera.pixel_from_world(flat(x, y));
            seen(pixel).then(|| frames[0].rgb(pixel.x as u32, pixel.y as u32).unwrap())
        };
        let mut found = 0;
        // In the obstacles, across the seam, on the path's band, on the target's cross and ring.
        for (x, y) in [
            (320.0, 180.0),
            (355.0, 180.0),
            (605.0, 90.0),
            (10.0, 90.0),
            (300.0, 250.0),
            (162.0, 90.0),
            (140.0, 90.0),
        ] {
            found += usize::from(at(x, y).is_some());
            assert_ne!(at(x, y), Some(style::BACKGROUND), "nothing at {x}, {y}");
        }
        assert!(found > 3);
        // And next to all of them.
        for (x, y) in [(320.0, 225.0), (275.0, 180.0), (40.0, 90.0), (300.0, 235.0), (170.0, 80.0)]
        {
            assert!(at(x, y).is_none_or(|c| c == style::BACKGROUND), "something at {x}, {y}");
        }
        // An agent on the obstacle is brighter and drawn over it.
        let middle = camera.pixel_from_world(flat(318.0, 180.0));
        for frame in [by_gpu(&gpu, &scene, &somebody, &camera), by_cpu(&scene, &somebody, &camera)]
        {
            let sum = |frame: &Frame| {
                let rgb = frame.rgb(middle.x as u32, middle.y as u32).unwrap();
                rgb.iter().map(|c| u32::from(*c)).sum::<u32>()
            };
            assert!(sum(&frame) > 2 * sum(&frames[0]), "{} over {}", sum(&frame), sum(&frames[0]));
        }
    }
}

#[test]
fn the_background_follows_camera_targets_and_scene() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut scene = landscape();
    let nobody = FlockState::default();
    let mut camera = Camera::fit(&scene.world, 640, 360);
    let mut studio = Studio::new(&gpu, (640, 360), 1.0);
    let mut last = Frame::filled(640, 360, style::BACKGROUND);
    for step in 0..7 {
        match step {
            1 => camera.pan(Vec2::new(30.0, 10.0)),
            2 => camera.zoom_at(Vec2::new(190.0, 280.0), 1.2),
            3 => scene.targets[1].position.x += 10.0,
            4 => scene.obstacles[0].position.y += 5.0,
            5 => scene.paths[0].closed = true,
            6 => scene.species[0].rules[0].values[4] = 40.0,
            _ => {}
        }
        let drawn = studio.draw(&scene, &nobody, &camera);
        assert!(drawn == by_cpu(&scene, &nobody, &camera), "step {step}");
        assert!(drawn != last, "step {step} changes nothing");
        // Once more: from the cache.
        last = studio.draw(&scene, &nobody, &camera);
        assert!(last == drawn, "step {step} again");
    }
    // A scene without scenery does not show the previous one.
    let empty = picture::scene(&[]);
    let drawn = studio.draw(&empty, &nobody, &camera);
    assert!(drawn == Frame::filled(640, 360, style::BACKGROUND));
}

#[test]
fn both_renderers_draw_the_shapes_above_over_the_flock() {
    let Some(gpu) = adapter::gpu() else { return };
    let (scene, state) = populated(scene(&["starling.size=40"]), 1);
    let camera = Camera::fit(&scene.world, 640, 360);
    let mut engine = CpuEngine::new(Some(1)).unwrap();
    engine.load(&scene, &state).unwrap();
    let centre = state.position[0] - flat(10.0, 0.0);
    let shape = Shape::Disc { centre, radius: 5.0 };
    let styled = StyledShape { shape, colour: [10, 240, 20], opacity: 1.0 };
    let pixel = camera.pixel_from_world(centre);
    let painters: [Box<dyn Painter>; 2] =
        [Box::new(Offscreen::new(gpu, 640, 360).unwrap()), Box::new(RasterPainter { scale: 1.0 })];
    for mut painter in painters {
        let mut at_mark = |above: &[StyledShape]| {
            let motif = Motif { above, ..Motif::of(&scene, &camera) };
            let frame = painter.paint(&mut engine, motif).unwrap();
            frame.rgb(pixel.x as u32, pixel.y as u32).unwrap()
        };
        assert_eq!(at_mark(std::slice::from_ref(&styled)), styled.colour);
        assert_ne!(at_mark(&[]), styled.colour);
    }
}

#[test]
fn both_painters_draw_the_legend_that_the_style_asks_for() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut painters: [Box<dyn Painter>; 2] =
        [Box::new(Offscreen::new(gpu, 640, 360).unwrap()), Box::new(RasterPainter { scale: 1.0 })];
    let [without, with] = ["false", "true"].map(|legend| {
        let scene = scene(&["style.colour=structure", &format!("style.legend={legend}")]);
        let camera = Camera::fit(&scene.world, 640, 360);
        let mut engine = CpuEngine::new(Some(1)).unwrap();
        engine.load(&scene, &FlockState::default()).unwrap();
        let mut painted = |painter: &mut Box<dyn Painter>| {
            let motif = Motif::of(&scene, &camera);
            let alone = Motif { layer: Layer::Agents, ..motif };
            let alone = painter.paint(&mut engine, alone).unwrap();
            assert!(alone.pixels.iter().all(|channel| *channel == 0), "it is no agent");
            painter.paint(&mut engine, motif).unwrap()
        };
        painters.each_mut().map(&mut painted)
    });
    assert!(with[0] == with[1], "the same legend");
    let apart = |at: &usize| with[0].pixels[4 * at..][..4] != without[0].pixels[4 * at..][..4];
    let places: Vec<usize> = (0..640 * 360).filter(apart).collect();
    assert!(places.len() > 4000 && places.iter().all(|at| at % 640 < 170 && at / 640 > 270));
}

#[test]
fn agents_that_are_drawn_later_cast_their_shadows() {
    let gpu = adapter::gpu();
    let text = "world = { size = [120, 90, 70] }\nstyle = { ground = true, background = \"paper\", fog = 0 }\n\
                camera = { elevation = 60 }\n[species.a]\nsize = 4\n";
    let (scene, state) = populated(Scene::parse("test", text).unwrap(), 60);
    let camera = Camera::of(&scene, 0, None, (480, 270));
    let mut engine = CpuEngine::new(Some(1)).unwrap();
    engine.load(&scene, &state).unwrap();
    let offscreen = gpu.map(|gpu| Offscreen::new(gpu, 480, 270).unwrap());
    let mut painters: Vec<Box<dyn Painter>> = vec![Box::new(RasterPainter { scale: 1.0 })];
    painters.extend(offscreen.map(|offscreen| Box::new(offscreen) as Box<dyn Painter>));
    for mut painter in painters {
        let motif = Motif::of(&scene, &camera);
        let [whole, agents, behind] = [Layer::Whole, Layer::Agents, Layer::Behind]
            .map(|layer| painter.paint(&mut engine, Motif { layer, ..motif }).unwrap());
        // The agents themselves are left out of both.
        let beside = |mut frame: Frame| {
            let pixels = frame.pixels.chunks_exact_mut(4).zip(agents.pixels.chunks_exact(4));
            pixels.filter(|(_, agent)| agent[3] > 0).for_each(|(pixel, _)| pixel.fill(0));
            frame
        };
        let nobody = beside(by_cpu(&scene, &FlockState::default(), &camera));
        let whole = beside(whole);
        let (off, shadows) = (apart(&beside(behind), &whole), apart(&nobody, &whole));
        println!("{off} of {shadows} are off");
        assert!(shadows > 1e4 && off < 0.01 * shadows, "{off} of {shadows}");
    }
}
