//! Each pass of a tick by itself: those of the GPU, the CPU's `steer` on each instruction set that
//! this processor has, and the CPU's `sort`.
//!
//! `cargo bench --bench passes` runs all; `cargo bench -- kernel/avx2` picks. A pass has the times
//! that the engine itself measures, by timestamps where the device has them.

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

/// Large enough that a GPU is busy, small enough that a scalar core is done in minutes.
const AGENTS: u64 = 50_000;
/// Time for one pass of one flock, about; all in all some minutes on a machine without a GPU.
const PATIENCE: Duration = Duration::from_secs(1);

/// Flocks that take other ways through the kernels, at the first density: several species, fields of
/// view, and all agents in one cell, where runs are sampled and crowds sorted. What it is, the scene,
/// and the keys set.
const OTHERS: [(&str, &str, &[&str]); 3] = [
    ("species", "predators", &[]),
    ("sight", "flock", &["starling.alignment.fov=270"]),
    ("crowd", "flock", &["starling.spawn_at_scale={place = \"point\"}"]),
];

/// Time that `pass` took in `ticks` ticks, soon after the first state.
fn time_pass(engine: &mut dyn Engine, flock: &Flock, pass: &str, ticks: u64) -> Duration {
    let mut time = Duration::ZERO;
    flock.replay(engine, ticks, |engine, now| {
        // One tick at a time: an engine may measure only a part of many at once.
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

/// Benchmarks the passes of `engine` that `wanted` names, as `group/pass/k`.
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
            // criterion goes by the wall clock here: the other passes count for its patience, not for
            // the times that it is told.
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

/// `gpu/PASS/k10`, …; and `gpu-without-subgroups/steer/k10`, …, the neighbour loop of other devices,
/// where a subgroup of agents reads its neighbours together by default.
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
