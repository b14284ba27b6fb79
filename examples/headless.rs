//! A flock without a window: a scene of one's own, both engines, and figures of the result.
//!
//!     cargo run --release --example headless --no-default-features --features gpu -- 5000 600
//!
//! The arguments are the number of agents and of ticks.

use std::process::ExitCode;

use flockwork::{AdapterChoice, CpuEngine, Engine, Error, Gpu, GpuEngine, Metrics, Request, Scene};

/// A scene as in a file of `scenes/`. Sizes are in world units, speeds in world units per tick.
const SCENE: &str = r#"
about = "A school that a pair of sharks hunts"

[world]
size = [1200, 800]
boundary = "wrap"
density = 12

[species.fish]
count = 1000
size = 5
max_speed = 3
max_force = 0.1
separation = { radius = 25, weight = 1.5 }
alignment = { radius = 50, weight = 1 }
cohesion = { radius = 50, weight = 1 }
evade = { with = ["shark"], radius = 100, weight = 4 }

[species.shark]
count = 2
size = 14
max_speed = 3.5
max_force = 0.08
pursue = { with = ["fish"], radius = 200, weight = 1 }
wander = { weight = 0.3 }
"#;

/// Runs the flock and prints its figures five times on the way.
fn run(engine: &mut dyn Engine, count: u64, ticks: u32) -> Result<Metrics, Error> {
    let scene = Scene::parse_with("school", SCENE, &["world.density=15"])?;
    let (scene, start) = scene.populate(&Request { count: Some(count), ..Request::default() })?;
    engine.load(&scene, &start)?;
    println!("{} ({}), {} agents", engine.kind(), engine.describe(), start.len());
    println!(
        "{:>6} {:>12} {:>10} {:>10} {:>14}",
        "tick", "polarisation", "rotation", "speed", "neighbours"
    );
    let mut metrics = Metrics::of(&scene, &start);
    for part in 0..=5 {
        println!(
            "{:>6} {:>12.3} {:>10.3} {:>10.3} {:>14.2}",
            metrics.tick,
            metrics.polarisation,
            metrics.rotation,
            metrics.mean_speed,
            metrics.mean_neighbours,
        );
        if part < 5 {
            engine.step(ticks / 5 + u32::from(part < ticks % 5))?;
            metrics = Metrics::of(&scene, &engine.read_back()?);
        }
    }
    Ok(metrics)
}

fn main() -> ExitCode {
    match compare() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The same run on both engines.
fn compare() -> Result<(), Error> {
    let number = |at: usize, otherwise| {
        std::env::args().nth(at).and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    let (count, ticks) = (number(1, 2000), number(2, 500));
    let on_cpu = run(&mut CpuEngine::new(None)?, count, ticks as u32)?;
    match Gpu::open(&AdapterChoice::Best) {
        Ok(gpu) => {
            let on_gpu = run(&mut GpuEngine::new(gpu), count, ticks as u32)?;
            // The engines do the same arithmetic in the same order.
            println!("the figures of both engines are equal: {}", on_cpu == on_gpu);
        }
        Err(error) => println!("no run on a GPU: {error}"),
    }
    Ok(())
}
