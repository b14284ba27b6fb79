//! The GPU engine for tests, and how far it may be from the reference.

use std::panic::Location;
use std::sync::Arc;

use flockwork::engine::Engine;
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::{EngineOptions, Gpu, GpuEngine};

use super::situations::{FLOCKING, Situation};
use super::variants::situations_of;
use super::{Tolerance, assert_none, bits, run};

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
#[track_caller]
pub fn compares_bits(gpu: &Gpu) -> bool {
    let compares = gpu.is_software();
    if !compares {
        let test = Location::caller();
        eprintln!("NOT COMPARED TO THE BIT on {}: {test}", gpu.name());
    }
    compares
}

/// Compares five ticks of both engines to the bit in `count` situations of a plane and of a space. `both` makes of
/// each a situation and its control; more than `least` controls must be noticed.
pub fn alike_to_the_bit(
    gpu: &Arc<Gpu>,
    count: usize,
    least: u32,
    both: impl Fn(Situation, u64) -> [Situation; 2],
) {
    if !compares_bits(gpu) {
        return;
    }
    let (mut gpu, mut cpu) = (GpuEngine::new(Arc::clone(gpu)), CpuEngine::new(Some(2)).unwrap());
    for axes in [2, 3] {
        let (mut differ, mut seen) = (Vec::new(), 0);
        for (case, number) in situations_of(axes, &FLOCKING, count).into_iter().zip(0..) {
            let [case, control] = both(case, number);
            let on_cpu = bits(&run(&mut cpu, &case.scene, &case.state, 5));
            seen += u32::from(bits(&run(&mut cpu, &control.scene, &control.state, 5)) != on_cpu);
            if bits(&run(&mut gpu, &case.scene, &case.state, 5)) != on_cpu {
                differ.push(case.name);
            }
        }
        assert_none(&differ);
        assert!(seen > least, "{axes} axes: {seen} of {count} controls are noticed");
    }
}
