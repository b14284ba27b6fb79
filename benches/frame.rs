//! The costs of a flock besides its ticks: a frame, and the start.
//!
//! `cargo bench -p benches --bench frame` runs all; `cargo bench -p benches -- start/gpu` selects some. A frame has 1280
//! × 720 pixels and shows the whole world; on the GPU it is drawn and read back. A start is
//! everything from opening the device to the end of the first tick: placing the agents, compiling,
//! loading.

mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, SamplingMode, criterion_group, criterion_main};
use flockwork::engine::Engine;
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::{AdapterChoice, Gpu, GpuEngine};
use flockwork::view::camera::Camera;
use flockwork::view::cpu::raster;
use flockwork::view::gpu::offscreen::Offscreen;
use flockwork::view::gpu::renderer::Method;

use common::{flock, gpu};

/// Flocks drawn as triangles, at the size of the switch, and as clouds.
const DRAWN: [u64; 3] = [40_000, 200_000, 1_000_000];
/// Counts of flocks to start.
const STARTED: [u64; 2] = [200_000, 8_000_000];
/// Mean neighbours.
const DENSITY: f32 = 10.0;

fn frames(criterion: &mut Criterion) {
    for count in DRAWN {
        let flock = flock(count, DENSITY);
        let camera = Camera::fit(&flock.scene.world, 1280, 720);
        let mut group = criterion.benchmark_group("frame");
        group.sampling_mode(SamplingMode::Flat).sample_size(10);
        group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
        if let Some(gpu) = gpu() {
            let mut engine = GpuEngine::new(Arc::clone(&gpu));
            engine.load(&flock.scene, &flock.state).expect("the flock fits");
            engine.finish().expect("the engine runs");
            let mut offscreen = Offscreen::new(gpu, 1280, 720).expect("the picture fits");
            for (name, method) in [("triangles", Method::Triangles), ("by size", Method::BySize)] {
                offscreen.set_method(method);
                group.bench_function(BenchmarkId::new(name, count), |bencher| {
                    bencher.iter(|| {
                        let agents = engine.buffers().expect("a flock is loaded");
                        offscreen.render(agents, &flock.scene, &[], &camera).expect("it draws")
                    });
                });
            }
        }
        group.bench_function(BenchmarkId::new("cpu", count), |bencher| {
            bencher.iter(|| raster::draw(&flock.scene, &flock.state, &[], &camera, 1.0));
        });
    }
}

/// The time from the start to the end of the first tick.
fn start(count: u64, engine: impl FnOnce() -> Box<dyn Engine>) -> Duration {
    let begin = Instant::now();
    let mut engine = engine();
    let flock = flock(count, DENSITY);
    engine.load(&flock.scene, &flock.state).expect("the flock fits");
    engine.step(1).expect("the engine runs");
    engine.finish().expect("the engine runs");
    begin.elapsed()
}

fn starts(criterion: &mut Criterion) {
    let on_gpu = || -> Box<dyn Engine> {
        let gpu = Gpu::open(&AdapterChoice::Best).expect("it opened before");
        Box::new(GpuEngine::new(gpu))
    };
    let on_cpu = || -> Box<dyn Engine> { Box::new(CpuEngine::new(None).expect("threads start")) };
    for count in STARTED {
        let mut group = criterion.benchmark_group("start");
        group.sampling_mode(SamplingMode::Flat).sample_size(10);
        group.warm_up_time(Duration::from_millis(1)).measurement_time(Duration::from_secs(2));
        let sum = |starts: u64, one: &dyn Fn() -> Duration| (0..starts).map(|_| one()).sum();
        if gpu().is_some() {
            group.bench_function(BenchmarkId::new("gpu", count), |bencher| {
                bencher.iter_custom(|starts| sum(starts, &|| start(count, on_gpu)));
            });
        }
        group.bench_function(BenchmarkId::new("cpu", count), |bencher| {
            bencher.iter_custom(|starts| sum(starts, &|| start(count, on_cpu)));
        });
    }
}

criterion_group!(benches, frames, starts);
criterion_main!(benches);
