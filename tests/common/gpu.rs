//! The GPU engine for tests, and how far it may be from the reference.

use std::fmt::Debug;
use std::panic::Location;
use std::sync::Arc;

use flockwork::engine::Engine;
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::{EngineOptions, Gpu, GpuEngine};

use super::Errors;

/// A GPU may fuse a product and a sum, and its division and square root may be off by 2.5 units in
/// the last place (Vulkan's precision rules): its error is several times the error of correct rounding.
pub const GPU: Errors = Errors { position: 1e-3, velocity: 1e-3, angle: 1e-6, direction: 1.1e-3 };

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

/// The CPU engine, and these.
pub fn cpu_and(engines: impl IntoIterator<Item = GpuEngine>) -> Vec<Box<dyn Engine>> {
    let cpu: Box<dyn Engine> = Box::new(CpuEngine::new(Some(2)).unwrap());
    let others = engines.into_iter().map(|engine| Box::new(engine) as _);
    [cpu].into_iter().chain(others).collect()
}

/// The CPU engine, and every engine that differs on this device, if there is one.
pub fn with_cpu(gpu: Option<Arc<Gpu>>) -> Vec<Box<dyn Engine>> {
    cpu_and(gpu.iter().flat_map(different))
}

/// The CPU engine, and the engine with the device's bounds checks, if there is a device.
pub fn checked_with_cpu(gpu: Option<Arc<Gpu>>) -> Vec<Box<dyn Engine>> {
    cpu_and(gpu.iter().map(engine))
}

/// Runs a check in a plane and in a space, on both engines; what it returns must be the same to the bit
/// where bits are compared. The check gets the size of the world, and what places have for a third number.
#[track_caller]
pub fn on_both<T: PartialEq + Debug>(
    gpu: Option<Arc<Gpu>>,
    check: impl Fn(&mut dyn Engine, (&str, &str)) -> T,
) {
    let worlds = [("[100, 100]", ""), ("[100, 100, 100]", ", 0")];
    let mut cpu = CpuEngine::new(Some(2)).unwrap();
    let on_cpu = worlds.map(|world| check(&mut cpu, world));
    let Some(gpu) = gpu else { return };
    let exact = compares_bits(&gpu);
    let mut gpu = shipped(&gpu);
    let on_gpu = worlds.map(|world| check(&mut gpu, world));
    if exact {
        assert_eq!(on_gpu, on_cpu);
    }
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
#[track_caller]
pub fn compares_bits(gpu: &Gpu) -> bool {
    let compares = gpu.is_software();
    if !compares {
        let test = Location::caller();
        eprintln!("NOT COMPARED TO THE BIT on {}: {test}", gpu.name());
    }
    compares
}
