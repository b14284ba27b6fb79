//! Each pass of a tick alone: the GPU's passes, the CPU's `steer` on each instruction set of this
//! processor, and the CPU's `sort`.
//!
//! `cargo bench -p benches --bench passes` runs all; `cargo bench -p benches -- kernel/avx2` selects some. The engine
//! itself measures the times of its passes, with timestamps if the device has them.

mod common;
mod replay;

use std::sync::Arc;
use std::time::Duration;

use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use flockwork::engine::Engine;
use flockwork::engine::cpu::{CpuEngine, InstructionSet};
use flockwork::engine::gpu::{EngineOptions, GpuEngine};

use common::{Flock, flock, gpu, scene};
use replay::DENSITIES;

/// Large enough to keep a GPU busy, small enough for a scalar core to finish in minutes.
const AGENTS: u64 = 50_000;
/// Approximate time for one pass of one flock; a few minutes in total on a machine without a GPU.
const PATIENCE: Duration = Duration::from_secs(1);

/// Flocks that use other paths through the kernels, at the first density: several species, fields
/// of view, three axes, and all agents in one cell, where runs are sampled and crowds sorted. Each has
/// a label, the scene, and overrides.
const OTHERS: [(&str, &str, &[&str]); 4] = [
    ("species", "predators", &[]),
    ("sight", "flock", &["starling.alignment.fov=270"]),
    ("space", "flock-3d", &[]),
    ("crowd", "flock", &["starling.spawn_at_scale={place = \"point\"}"]),
];

/// The time that `pass` took in `ticks` ticks, soon after the first state.
fn time_pass(engine: &mut dyn Engine, flock: &Flock, pass: &str, ticks: u64) -> Duration {
    let mut time = Duration::ZERO;
    flock.replay(engine, ticks, |engine, now| {
        // One tick at a time: in a batch an engine may time only a part.
        for _ in 0..now {
            engine.step(1).expect("the engine runs");
            engine.finish().expect("the engine runs");
            let profile = engine.profile();
            time +=
                profile.passes.iter().filter(|p| p.pass == pass).map(|p| p.time).sum::<Duration>();
        }
    });
    time
}

/// Benchmarks the passes of `engine` listed in `wanted`, as `group/pass/k`.
fn passes(criterion: &mut Criterion, name: &str, engine: &mut dyn Engine, wanted: &[&str]) {
    engine.set_profiling(true);
    let flocks = DENSITIES.map(|density| (format!("k{density}"), flock(AGENTS, density)));
    let others = OTHERS.map(|(label, name, overrides)| {
        (label.to_string(), scene(name, overrides, AGENTS, DENSITIES[0]))
    });
    for (label, flock) in flocks.into_iter().chain(others) {
        flock.replay(engine, 1, |engine, _| engine.step(1).expect("the engine runs"));
        engine.finish().expect("the engine runs");
        let profile = engine.profile();
        let chosen =
            profile.passes.iter().filter(|p| wanted.is_empty() || wanted.contains(&p.pass));
        for pass in chosen {
            let group = format!("{name}/{}", pass.pass);
            let mut group = criterion.benchmark_group(group);
            // criterion's own clock measures all passes; it decides how many ticks to run, but the
            // reported times belong to this pass.
            group.sampling_mode(SamplingMode::Flat).sample_size(10);
            group.warm_up_time(Duration::from_millis(100)).measurement_time(PATIENCE);
            group.throughput(Throughput::Elements(AGENTS));
            group.bench_function(BenchmarkId::from_parameter(&label), |bencher| {
                bencher.iter_custom(|ticks| time_pass(engine, &flock, pass.pass, ticks));
            });
            group.finish();
        }
    }
}

/// `gpu/PASS/k10`, …; and, if subgroups are the default, `gpu-without-subgroups/steer/k10`, …: the
/// neighbour loop of other devices.
fn gpu_passes(criterion: &mut Criterion) {
    let Some(gpu) = gpu() else { return };
    passes(criterion, "gpu", &mut GpuEngine::new(Arc::clone(&gpu)), &[]);
    if gpu.has_subgroups_of_agents() {
        let options = EngineOptions { without_subgroups: true, ..EngineOptions::default() };
        let mut engine = GpuEngine::with_options(gpu, options);
        passes(criterion, "gpu-without-subgroups", &mut engine, &["steer", "reorder"]);
    }
}

/// `kernel/INSTRUCTIONS/steer/k10`, …, on one thread.
fn kernels(criterion: &mut Criterion) {
    let available = InstructionSet::available();
    let names: Vec<String> = available.iter().map(ToString::to_string).collect();
    eprintln!(
        "kernels: this processor has {}; other instruction sets are skipped",
        names.join("; ")
    );
    for set in available {
        match CpuEngine::with_instructions(Some(1), set) {
            Ok(mut engine) => {
                let name = format!("kernel/{}", format!("{set:?}").to_lowercase());
                passes(criterion, &name, &mut engine, &["steer"]);
            }
            Err(error) => eprintln!("kernels: {set} is skipped: {error}"),
        }
    }
}

/// `cpu/sort/k10` on all threads and `cpu1/sort/k10` on one, …
fn sort(criterion: &mut Criterion) {
    for (name, threads) in [("cpu", None), ("cpu1", Some(1))] {
        match CpuEngine::new(threads) {
            Ok(mut engine) => passes(criterion, name, &mut engine, &["sort"]),
            Err(error) => eprintln!("{name}: skipped: {error}"),
        }
    }
}

criterion_group!(benches, gpu_passes, kernels, sort);
criterion_main!(benches);
