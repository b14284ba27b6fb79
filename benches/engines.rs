//! A whole tick of the scenes `flock` and `flock-3d` on each engine, over counts and densities.
//!
//! `cargo bench -p benches --bench engines` runs all; `cargo bench -p benches -- gpu/k10` selects some. `passes.rs`
//! measures the parts of a tick. `flockwork bench` measures larger flocks and crowds, compares the
//! engines and draws plots.

mod common;
mod replay;

use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use flockwork::engine::Engine;
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::{Gpu, GpuEngine};

use common::{Flock, gpu, scene};
use replay::DENSITIES;

const COUNTS: [u64; 2] = [10_000, 100_000];

/// The end of a group's name, and its scene.
const SCENES: [(&str, &str); 2] = [("", "flock"), ("-in-space", "flock-3d")];

fn cpu(name: &str, threads: Option<usize>) -> Option<Box<dyn Engine>> {
    match CpuEngine::new(threads) {
        Ok(engine) => {
            eprintln!("{name} is {}", engine.describe());
            Some(Box::new(engine))
        }
        Err(error) => {
            eprintln!("{name}: skipped: {error}");
            None
        }
    }
}

fn on_gpu(gpu: Arc<Gpu>) -> Box<dyn Engine> {
    Box::new(GpuEngine::new(gpu))
}

/// Time of `ticks` ticks.
fn time_ticks(engine: &mut dyn Engine, flock: &Flock, ticks: u64) -> Duration {
    let mut time = Duration::ZERO;
    flock.replay(engine, ticks, |engine, now| {
        let begin = Instant::now();
        engine.step(now).expect("the engine runs");
        engine.finish().expect("the engine runs");
        time += begin.elapsed();
    });
    time
}

fn whole_tick(criterion: &mut Criterion) {
    let engines =
        [("gpu", gpu().map(on_gpu)), ("cpu", cpu("cpu", None)), ("cpu1", cpu("cpu1", Some(1)))];
    for (name, engine) in engines {
        let Some(mut engine) = engine else { continue };
        let flocks = SCENES.into_iter().flat_map(|scene| DENSITIES.map(|density| (scene, density)));
        for ((label, name_of_scene), density) in flocks {
            let mut group = criterion.benchmark_group(format!("{name}{label}/k{density}"));
            // A few minutes in total on a machine without a GPU.
            group.sampling_mode(SamplingMode::Flat).sample_size(10);
            group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
            for count in COUNTS {
                let flock = scene(name_of_scene, &[], count, density);
                group.throughput(Throughput::Elements(count));
                group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
                    bencher.iter_custom(|ticks| time_ticks(engine.as_mut(), &flock, ticks));
                });
            }
            group.finish();
        }
    }
}

criterion_group!(benches, whole_tick);
criterion_main!(benches);
