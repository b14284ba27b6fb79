//! A whole tick of the scene `flock` on each engine, over counts and densities.
//!
//! `cargo bench` runs all; `cargo bench -- gpu/k10` picks. The same figures, with the passes and the
//! agreement of the engines, come from `flockwork bench`.

#![expect(missing_docs, reason = "criterion's macros make undocumented functions")]
#![expect(clippy::expect_used, reason = "a benchmark that cannot run has nobody to report to")]

use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use flockwork::engine::Engine;
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::{AdapterChoice, Gpu, GpuEngine};
use flockwork::model::scene::{BuiltIn, Request, Scene};

const COUNTS: [u64; 3] = [10_000, 100_000, 1_000_000];
/// Mean neighbours of the uniform flock that each measurement starts from.
const DENSITIES: [f32; 3] = [10.0, 30.0, 100.0];
/// Ticks before measuring: the device compiles, clocks settle.
const WARM_UP: u32 = 3;

fn engine(name: &str) -> Option<Box<dyn Engine>> {
    match name {
        "gpu" => Some(Box::new(GpuEngine::new(Gpu::open(&AdapterChoice::Best).ok()?))),
        "cpu" => Some(Box::new(CpuEngine::new(None).ok()?)),
        _ => Some(Box::new(CpuEngine::new(Some(1)).ok()?)),
    }
}

/// Time of `ticks` ticks. Flocks form and get denser as time goes by, so that every measurement
/// starts again from the uniform state after a few ticks.
fn time_ticks(
    engine: &mut dyn Engine,
    scene: &Scene,
    state: &flockwork::model::state::FlockState,
    ticks: u64,
) -> Duration {
    const REPLAY: u64 = 20;
    let mut time = Duration::ZERO;
    let mut left = ticks;
    while left > 0 {
        engine.load(scene, state).expect("the flock fits");
        engine.step(WARM_UP).expect("the engine runs");
        engine.finish().expect("the engine runs");
        let now = left.min(REPLAY);
        let begin = Instant::now();
        engine.step(now as u32).expect("the engine runs");
        engine.finish().expect("the engine runs");
        time += begin.elapsed();
        left -= now;
    }
    time
}

fn whole_tick(criterion: &mut Criterion) {
    let flock = BuiltIn::named("flock").expect("the scene is built in");
    for name in ["gpu", "cpu", "cpu1"] {
        let Some(mut engine) = engine(name) else {
            eprintln!("{name}: no such engine here");
            continue;
        };
        eprintln!("{name} is {}", engine.describe());
        for density in DENSITIES {
            let mut group = criterion.benchmark_group(format!("{name}/k{density}"));
            group.sample_size(10).measurement_time(Duration::from_secs(3));
            for count in COUNTS {
                let mut scene = Scene::parse("flock", flock.text, &[]).expect("the scene parses");
                let request =
                    Request { count: Some(count), density: Some(density), ..Request::default() };
                let state = scene.populate(&request).expect("the scene populates");
                group.throughput(Throughput::Elements(count));
                group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
                    bencher
                        .iter_custom(|ticks| time_ticks(engine.as_mut(), &scene, &state, ticks));
                });
            }
            group.finish();
        }
    }
}

criterion_group!(benches, whole_tick);
criterion_main!(benches);
