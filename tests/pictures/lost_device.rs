//! A lost device is reported at once by every call, and leaves no partial file behind.

use crate::adapter;
use crate::picture::{built_in_scene, populated};
use crate::png_file;
use std::path::Path;
use std::sync::Arc;

use crate::loses_device::LosesDevice;
use clap::{Args, Parser};
use flockwork::commands::capture::capture;
use flockwork::commands::host::options::Machine;
use flockwork::commands::simulate::simulate;
use flockwork::engine::gpu::{Gpu, GpuEngine};
use flockwork::engine::{Change, Engine, EngineError};
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::view::camera::Camera;
use flockwork::view::gpu::offscreen::Offscreen;

fn is_lost<T>(asked: &str, answer: Result<T, EngineError>) {
    match answer {
        Ok(_) => panic!("{asked}: all is well, it says"),
        Err(error @ EngineError::Lost { .. }) => {
            let text = error.to_string();
            assert!(text.contains("the device was lost"), "{text}");
            assert!(text.contains("--engine cpu"), "{text}");
            assert_eq!(text.lines().count(), 1, "{text}");
        }
        Err(other) => panic!("{asked}: {other}"),
    }
}

/// Makes every call on an engine whose device is lost.
fn all_is_lost(gpu: &Gpu, engine: &mut GpuEngine, scene: &Scene, state: &FlockState) {
    is_lost("step", engine.step(1));
    is_lost("no step", engine.step(0));
    is_lost("check", gpu.check());
    is_lost("finish", engine.finish());
    is_lost("read_back", engine.read_back());
    engine.set_profiling(true);
    is_lost("a profiled step", engine.step(1));
    is_lost("request", engine.request());
    is_lost("poll", engine.poll());
    is_lost("snapshot", engine.snapshot());
    is_lost("update", engine.update(scene, Change::PARAMETERS));
    is_lost("load", engine.load(scene, state));
}

/// NVIDIA's driver opens no more devices once a process holds some sixty.
#[test]
fn a_device_is_closed_with_its_last_owner() {
    let Some(gpu) = adapter::gpu() else { return };
    let instance = gpu.instance.clone();
    // A device stays open while one of its buffers is alive.
    let open = || {
        let report = instance.generate_report().unwrap();
        let all = report.hub_report();
        [all.devices, all.buffers, all.textures].map(|kind| kind.num_allocated)
    };
    let (scene, state) = populated(built_in_scene("flock", &[]), 500);
    let mut offscreen = Offscreen::new(Arc::clone(&gpu), 320, 180).unwrap();
    let mut engine = GpuEngine::new(gpu);
    engine.load(&scene, &state).unwrap();
    engine.set_profiling(true);
    engine.step(3).unwrap();
    engine.finish().unwrap();
    let camera = Camera::fit(&scene.world, 320, 180);
    offscreen.render(engine.buffers().unwrap(), &scene, &scene.targets, &camera).unwrap();
    assert!(open().iter().all(|number| *number > 0), "{:?}", open());
    drop((engine, offscreen));
    assert_eq!(open(), [0; 3]);
}

#[test]
fn a_device_lost_before_the_load_is_reported() {
    let Some(gpu) = adapter::gpu() else { return };
    gpu.check().unwrap();
    gpu.device.destroy();
    is_lost("check", gpu.check());
    let (scene, state) = populated(built_in_scene("flock", &[]), 500);
    let mut engine = GpuEngine::new(Arc::clone(&gpu));
    is_lost("load", engine.load(&scene, &state));
    is_lost("check", gpu.check());
}

#[test]
fn a_device_lost_between_ticks_is_reported_whatever_is_under_way() {
    // Pursuit has moving targets, wander has memory.
    for (name, idle) in [("flock", true), ("flock", false), ("pursuit", true), ("wander", false)] {
        let Some(gpu) = adapter::gpu() else { return };
        let (scene, state) = populated(built_in_scene(name, &[]), 5000);
        let mut engine = GpuEngine::new(Arc::clone(&gpu));
        engine.load(&scene, &state).unwrap();
        engine.step(20).unwrap();
        if idle {
            engine.finish().unwrap();
        }
        gpu.device.destroy();
        all_is_lost(&gpu, &mut engine, &scene, &state);
    }
}

/// The command line of a command with these arguments.
#[derive(Parser)]
struct Line<A: Args> {
    #[command(flatten)]
    args: A,
}

/// A machine that loses its device after `lives` ticks.
fn machine(gpu: &Arc<Gpu>, lives: u64) -> anyhow::Result<Machine> {
    let engine = Box::new(LosesDevice::new(GpuEngine::new(Arc::clone(gpu)), gpu, lives, || ()));
    Ok(Machine { engine, gpu: Some(Arc::clone(gpu)) })
}

/// The program then exits with 1, because the command line was correct and no signal came.
fn failed(done: anyhow::Result<()>) {
    let error = done.expect_err("a run on a lost device is none");
    is_lost("the command", Err::<(), _>(error.downcast::<EngineError>().unwrap()));
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_device_lost_during_a_capture_leaves_no_half_film() {
    let folder = tempfile::tempdir().unwrap();
    for (out, more, frames) in [
        ("a.png", "", 0),
        ("a.gif", "", 0),
        ("a.apng", "--geometry", 0),
        ("frames", "", 10),
        // Too small to show their shape: drawn by other passes.
        ("b.gif", "--count 20000 --set world.density=1000", 0),
    ] {
        let Some(gpu) = adapter::gpu() else { return };
        let path = folder.path().join(out);
        let line = format!("capture --count 50 {more} --ticks 100 --size 64x48");
        let line = if more.contains("--count") { line.replace("--count 50 ", "") } else { line };
        let words = line.split_whitespace().map(Into::into);
        let files = ["--out".into(), path.clone().into_os_string()];
        let Line { args } = Line::parse_from(words.chain(files));
        failed(capture(&args, || machine(&gpu, 10)));
        if frames == 0 {
            assert_eq!(names(folder.path()), [""; 0], "{out}");
            continue;
        }
        let found = names(&path);
        assert!(found.len() <= frames + 1, "{found:?}");
        for name in found {
            let bytes = std::fs::read(path.join(&name)).unwrap();
            assert!(png_file::decode(&bytes).is_some(), "{name} is not whole");
        }
        std::fs::remove_dir_all(&path).unwrap();
    }
}

#[test]
fn a_device_lost_during_a_simulation_leaves_no_half_file() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.csv", "a.npz"] {
        let Some(gpu) = adapter::gpu() else { return };
        let path = |name: &str| folder.path().join(name).into_os_string();
        let words = "simulate --count 50 --ticks 100 --every 5".split_whitespace().map(Into::into);
        let files = ["--out".into(), path(name), "--metrics".into(), path("m.csv")];
        let Line { args } = Line::parse_from(words.chain(files));
        failed(simulate(&args, || machine(&gpu, 10)));
        assert_eq!(names(folder.path()), [""; 0], "{name}");
    }
}
