//! The GPU engine for tests, and how far it may be from the reference.

use std::sync::Arc;

use flockwork::engine::Engine;
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::{EngineOptions, Gpu, GpuEngine};

use super::Tolerance;

/// A GPU may fuse a product and a sum, and its division and square root may be off by 2.5 units in
/// the last place (Vulkan's precision rules): its error is several times the error of correct rounding.
pub const GPU: Tolerance =
    Tolerance { position: 1e-3, velocity: 1e-3, angle: 1e-6, direction: 1.1e-3 };

/// The engine with the device's bounds checks.
pub fn engine(gpu: &Arc<Gpu>) -> GpuEngine {
    GpuEngine::with_options(
        Arc::clone(gpu),
        EngineOptions { checked: true, ..EngineOptions::default() },
    )
}

/// The engine as shipped: no bounds checks and no loop counters.
pub fn shipped(gpu: &Arc<Gpu>) -> GpuEngine {
    GpuEngine::with_options(
        Arc::clone(gpu),
        EngineOptions { checked: false, ..EngineOptions::default() },
    )
}

/// The shipped engine without subgroups, as on a real GPU.
pub fn without_subgroups(gpu: &Arc<Gpu>) -> GpuEngine {
    let options =
        EngineOptions { checked: false, without_subgroups: true, ..EngineOptions::default() };
    GpuEngine::with_options(Arc::clone(gpu), options)
}

/// The engines as shipped that differ on this device: with subgroups, and as on a real GPU.
pub fn different(gpu: &Arc<Gpu>) -> Vec<GpuEngine> {
    let by_itself = gpu.has_subgroups_of_agents().then(|| without_subgroups(gpu));
    [shipped(gpu)].into_iter().chain(by_itself).collect()
}

/// The CPU engine, and every engine that differs on this device, if there is one.
pub fn with_cpu(gpu: Option<Arc<Gpu>>) -> Vec<Box<dyn Engine>> {
    let mut all: Vec<Box<dyn Engine>> = vec![Box::new(CpuEngine::new(Some(2)).unwrap())];
    for engine in gpu.iter().flat_map(different) {
        all.push(Box::new(engine));
    }
    all
}

/// A test runs one in this many situations: `FLOCKWORK_TEST_SHARE`, or 1 (all) if it is not set.
/// For a second driver that is too slow to run all of them.
pub fn share() -> usize {
    let share = std::env::var("FLOCKWORK_TEST_SHARE").unwrap_or_else(|_| "1".into());
    share.parse().ok().filter(|share| *share >= 1).expect("FLOCKWORK_TEST_SHARE is a count")
}

/// True where the engines are compared to the bit: on a driver that rounds each operation by itself, as the
/// CPU engine does, and software drivers must. A GPU may fuse a product and a sum, and divide less exactly;
/// there this says so, and the engines are compared by the tests that have a tolerance.
pub fn compares_bits(gpu: &Gpu, test: &str) -> bool {
    let compares = gpu.is_software();
    if !compares {
        eprintln!("NOT COMPARED TO THE BIT on {}: {test}", gpu.name());
    }
    compares
}
