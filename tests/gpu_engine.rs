//! Levels 2 to 4: the GPU engine against the brute-force reference and against the CPU engine, with
//! controls that must turn each comparison red.

mod adapter;
mod common;

use std::sync::Arc;

use common::situations::{Situation, parity};
use common::{Tolerance, bits, check_invariants, compare, differences, reference, run};
use flockwork::engine::Engine;
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::shaders::Variant;
use flockwork::engine::gpu::{Gpu, GpuEngine, Options};
use flockwork::model::scene::{BuiltIn, Request, Scene};
use flockwork::model::state::FlockState;
use flockwork::model::statistics::Metrics;

/// Situations for each set of behaviours; nine sets.
const EACH: u64 = 120;

/// A GPU may fuse a product and a sum, and its division and square root may be off by 2.5 units in
/// the last place (Vulkan's precision rules): up to some times the error of correct rounding.
const GPU: Tolerance = Tolerance { position: 1e-3, velocity: 1e-3 };

/// How much two engines' polarisation may differ after 100 ticks of a flock of 2,000: single agents
/// part company where rounding tips a balance, the flock as a whole does not. A different seed
/// changes it by 0.1 and more.
const ORDER: f64 = 0.02;

fn engine(gpu: &Arc<Gpu>) -> GpuEngine {
    GpuEngine::with_options(Arc::clone(gpu), Options { checked: true, ..Options::default() })
}

/// The situations, those of one shader variant after another: each variant is compiled once.
fn situations() -> Vec<Situation> {
    let mut all: Vec<Situation> = parity(EACH).collect();
    all.sort_by_key(|case| {
        format!("{:?}", Variant::of(&case.scene, &case.scene.grid(case.state.len())))
    });
    all
}

#[test]
fn one_tick_is_that_of_the_reference() {
    let Some(gpu) = adapter::gpu("one_tick_is_that_of_the_reference") else { return };
    let mut engine = engine(&gpu);
    let (mut worst, mut doubtful, mut cases) = ((0.0_f64, 0.0_f64), 0.0, 0);
    for case in situations() {
        let expected = reference::step(&case.scene, &case.state);
        let state = run(&mut engine, &case.scene, &case.state, 1);
        let (position, velocity) = differences(&case.scene, &expected, &state);
        worst = (worst.0.max(position), worst.1.max(velocity));
        doubtful += common::doubtful_part(&expected);
        cases += 1;
        if let Err(problem) = compare(&case.scene, &expected, &state, GPU) {
            panic!("{}: {problem}", case.name);
        }
    }
    println!("{cases} situations: off by {:.1e} units, {:.1e} units/tick", worst.0, worst.1);
    common::assert_decided(doubtful / f64::from(cases), "parity");
}

#[test]
fn every_perturbed_parameter_is_noticed_on_the_device() {
    let Some(gpu) = adapter::gpu("every_perturbed_parameter_is_noticed") else { return };
    let mut engine = engine(&gpu);
    // All behaviours at once, one species: one variant, and every parameter in it.
    let all = |case: &Situation| {
        case.name.contains("Contain, ")
            || case.name.starts_with("[Separation, Alignment, Cohesion, ")
    };
    let cases: Vec<Situation> = situations().into_iter().filter(all).take(40).collect();
    assert!(!cases.is_empty());
    let size = |engine: &GpuEngine| engine.read_buffer("species").unwrap().len() / 4;
    let mut unseen: Option<Vec<usize>> = None;
    for case in &cases {
        let expected = reference::step(&case.scene, &case.state);
        engine.load(&case.scene, &case.state).unwrap();
        let species = engine.read_buffer("species").unwrap();
        let words = size(&engine) / case.scene.species.len();
        let unseen = unseen.get_or_insert_with(|| (0..words).collect());
        unseen.retain(|word| {
            // One number of every species is changed behind the engine's back, in the very bytes
            // that the shader reads.
            let mut poisoned = species.clone();
            for one in 0..case.scene.species.len() {
                let at = (one * words + word) * 4;
                let bytes: [u8; 4] = poisoned[at..at + 4].try_into().unwrap();
                let value = f32::from_le_bytes(bytes);
                // Whole numbers (targets, species sets) look like denormals: flip their last bit.
                let changed = if value.abs() > 1e-30 && value.is_finite() {
                    (value * 1.1).to_le_bytes()
                } else if u32::from_le_bytes(bytes) == 0 {
                    0.3_f32.to_le_bytes()
                } else {
                    (u32::from_le_bytes(bytes) ^ 3).to_le_bytes()
                };
                poisoned[at..at + 4].copy_from_slice(&changed);
            }
            engine.load(&case.scene, &case.state).unwrap();
            engine.write_buffer("species", &poisoned).unwrap();
            engine.step(1).unwrap();
            let state = engine.read_back().unwrap();
            compare(&case.scene, &expected, &state, GPU).is_ok()
        });
    }
    // `size` is drawn, not simulated: the fourth number of a species.
    assert_eq!(unseen.unwrap(), [3], "words of the species that make no difference");
}

/// `flock`, scaled, from a uniform start.
fn flock(count: u64, overrides: &[&str]) -> (Scene, FlockState) {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).into()).collect();
    let mut scene =
        Scene::parse("flock", BuiltIn::named("flock").unwrap().text, &overrides).unwrap();
    let state = scene.populate(&Request { count: Some(count), ..Request::default() }).unwrap();
    (scene, state)
}

#[test]
fn both_engines_walk_the_same_way_for_100_ticks() {
    let Some(gpu) = adapter::gpu("both_engines_walk_the_same_way") else { return };
    let mut on_gpu = GpuEngine::new(gpu);
    let mut on_cpu = CpuEngine::new(None).unwrap();
    for boundary in ["wrap", "walls", "open"] {
        let (scene, state) = flock(
            2_000,
            &[&format!("world.boundary=\"{boundary}\""), "starling.contain.margin=30"],
        );
        for ticks in [1, 100] {
            let a = run(&mut on_gpu, &scene, &state, ticks);
            let b = run(&mut on_cpu, &scene, &state, ticks);
            let apart = a.position.iter().zip(&b.position).map(|(p, q)| p.distance(*q));
            let apart = apart.fold(0.0, f32::max);
            let order = |state: &FlockState| Metrics::of(&scene, state).polarisation;
            println!(
                "{boundary}, {ticks} ticks: at most {apart:.1e} units apart, {}",
                if bits(&a) == bits(&b) { "the same bits" } else { "different bits" }
            );
            assert!(ticks > 1 || f64::from(apart) < GPU.position, "{apart} after one tick");
            assert!((order(&a) - order(&b)).abs() < ORDER, "{} and {}", order(&a), order(&b));
        }
    }
}

/// The largest difference of position after one tick of a crowd whose runs are sampled, between
/// the CPU engine with the scene's seed and the GPU engine with `seed`.
fn crowd_apart(gpu: &Arc<Gpu>, boundary: &str, seed: u32) -> f32 {
    let crowd = ["starling.spawn_at_scale={place = \"disc\", radius = 60}".to_string()];
    let boundary = format!("world.boundary=\"{boundary}\"");
    let (mut scene, state) = flock(5_000, &[&crowd[0], &boundary]);
    assert!(Metrics::of(&scene, &state).sampled_agents > 4_000, "nobody is sampled");
    let on_cpu = run(&mut CpuEngine::new(None).unwrap(), &scene, &state, 1);
    scene.seed = seed;
    let on_gpu = run(&mut engine(gpu), &scene, &state, 1);
    let apart = on_cpu.position.iter().zip(&on_gpu.position).map(|(p, q)| p.distance(*q));
    apart.fold(0.0, f32::max)
}

#[test]
fn both_engines_take_the_same_samples_of_a_crowd() {
    let Some(gpu) = adapter::gpu("both_engines_take_the_same_samples") else { return };
    for boundary in ["wrap", "walls", "open"] {
        let same = crowd_apart(&gpu, boundary, 1);
        // The control: other samples lead elsewhere.
        let other = crowd_apart(&gpu, boundary, 2);
        println!("{boundary}: {same:.1e} units apart, {other:.1e} with other samples");
        assert!(f64::from(same) < GPU.position, "{boundary}: {same}");
        assert!(f64::from(other) > 10.0 * GPU.position, "{boundary}: {other}");
    }
}

#[test]
fn another_seed_does_not_pass_for_the_same_walk() {
    let Some(gpu) = adapter::gpu("another_seed_does_not_pass") else { return };
    let (scene, state) = flock(2_000, &[]);
    let (_, other) = flock(2_000, &["seed=2"]);
    let mut engine = GpuEngine::new(gpu);
    let order = |engine: &mut GpuEngine, state| {
        Metrics::of(&scene, &run(engine, &scene, state, 100)).polarisation
    };
    let apart = (order(&mut engine, &state) - order(&mut engine, &other)).abs();
    assert!(apart > ORDER, "polarisation differs by {apart} only");
}

#[test]
fn several_species_in_every_world_lose_nobody() {
    let Some(gpu) = adapter::gpu("several_species_lose_nobody") else { return };
    let mixed = std::fs::read_to_string("tests/common/mixed.toml").unwrap();
    for boundary in ["wrap", "walls", "open"] {
        let overrides = [format!("world.boundary=\"{boundary}\"")];
        let mut scene = Scene::parse("mixed", &mixed, &overrides).unwrap();
        let first = scene.populate(&Request::default()).unwrap();
        let mut engine = GpuEngine::new(Arc::clone(&gpu));
        engine.load(&scene, &first).unwrap();
        for _ in 0..20 {
            engine.step(50).unwrap();
            let state = engine.read_back().unwrap();
            if let Err(problem) = check_invariants(&scene, &first, &state) {
                panic!("{boundary}, tick {}: {problem}", state.tick);
            }
        }
        let again = run(&mut engine, &scene, &first, 1000);
        let at_once = run(&mut engine, &scene, &first, 1000);
        assert_eq!(bits(&again), bits(&at_once), "two runs of {boundary} differ");
    }
}

#[test]
fn a_count_that_does_not_fit_names_the_limit() {
    let Some(gpu) = adapter::gpu("a_count_that_does_not_fit") else { return };
    let (largest, _) = flockwork::engine::gpu::memory::largest_count(&gpu.device.limits());
    let engine = GpuEngine::new(gpu);
    engine.check_count(largest).unwrap();
    let message = engine.check_count(largest + 1).unwrap_err().to_string();
    for part in
        [format!("{largest} at most"), "lower --count".into(), format!("{} agents", largest + 1)]
    {
        assert!(message.contains(part.as_str()), "{message:?} does not say {part:?}");
    }
}
