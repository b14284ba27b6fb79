//! The GPU engine with one option changed at a time, compared with the defaults: shows which
//! options suit a device that has not been measured. `benches/gpu.sh` runs it.
//!
//!     cargo bench -p benches --bench experiments -- [COUNT [ADAPTER]]

mod common;

use std::time::Instant;

use flockwork::engine::Engine;
use flockwork::engine::gpu::{AdapterChoice, EngineOptions, Gpu, GpuEngine};

/// Rounds of all variants in turn, so that slow minutes of the machine affect all of them.
const ROUNDS: usize = 3;
/// Milliseconds that one measurement should take.
const PATIENCE: f64 = 300.0;
/// The most ticks of one measurement, so that flocks do not form meanwhile.
const MAX_TICKS: u32 = 200;

/// Flocks for the variants: a label, a scene with overrides, neighbours.
const FLOCKS: [(&str, &str, &[&str], f32); 4] = [
    ("k = 10", "flock", &[], 10.0),
    ("k = 100", "flock", &[], 100.0),
    ("one point", "flock", &["starling.spawn_at_scale={place = \"point\"}"], 10.0),
    ("space, k = 10", "flock-3d", &[], 10.0),
];

fn variants(gpu: &Gpu) -> Vec<(&'static str, EngineOptions)> {
    let usual = EngineOptions::default();
    let mut all = vec![
        ("as it is", usual),
        ("bounds checked, loops counted", EngineOptions { checked: true, ..usual }),
        ("crowded above 128", EngineOptions { crowded_above: 128, ..usual }),
        ("crowded above 2048", EngineOptions { crowded_above: 2048, ..usual }),
        ("scan always in two passes", EngineOptions { small_grid: Some(0), ..usual }),
        ("scan in one pass up to 64 blocks", EngineOptions { small_grid: Some(64), ..usual }),
    ];
    if gpu.has_subgroups_of_agents() {
        all.push(("each agent by itself", EngineOptions { without_subgroups: true, ..usual }));
    }
    all
}

/// Milliseconds a tick, over `ticks` ticks.
fn time(engine: &mut GpuEngine, ticks: u32) -> f64 {
    let begin = Instant::now();
    engine.step(ticks).expect("the engine runs");
    engine.finish().expect("the engine runs");
    begin.elapsed().as_secs_f64() * 1e3 / f64::from(ticks)
}

fn main() {
    // cargo adds `--bench`.
    let words: Vec<String> = std::env::args().skip(1).filter(|w| !w.starts_with("--")).collect();
    let count = words.first().and_then(|word| word.parse().ok()).unwrap_or(100_000);
    let adapter = match words.get(1).filter(|word| !word.is_empty()) {
        Some(word) => word.parse().expect("an adapter's name"),
        None => AdapterChoice::Best,
    };
    let gpu = match Gpu::open(&adapter) {
        Ok(gpu) => gpu,
        Err(error) => return eprintln!("skipped: {error}"),
    };
    println!(
        "variants of the engine on {}, {count} agents; ms a tick, least of {ROUNDS}",
        gpu.name()
    );
    for (label, scene, overrides, density) in FLOCKS {
        let flock = common::scene(scene, overrides, count, density);
        let variants = variants(&gpu);
        let mut least = vec![f64::INFINITY; variants.len()];
        for _ in 0..ROUNDS {
            for ((_, options), least) in variants.iter().zip(&mut least) {
                let mut engine = GpuEngine::with_options(gpu.clone(), *options);
                engine.load(&flock.scene, &flock.state).expect("the flock fits");
                // Compiles the shaders and warms up the memory.
                let first = time(&mut engine, 3);
                let ticks = (PATIENCE / first).clamp(3.0, MAX_TICKS.into()) as u32;
                engine.load(&flock.scene, &flock.state).expect("the flock fits");
                *least = least.min(time(&mut engine, ticks));
            }
        }
        println!("{label}");
        for ((name, _), ms) in variants.iter().zip(&least) {
            println!("  {name:<34} {ms:>10.3} {:>7.2}", ms / least[0]);
        }
    }
}
