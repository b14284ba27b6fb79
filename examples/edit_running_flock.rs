//! Edits a flock that runs: a weight, an obstacle, agents that come and agents that go.
//!
//!     cargo run --release --example edit_running_flock --no-default-features -- 2000
//!
//! The argument is the number of agents.

use std::process::ExitCode;

use flockwork::scene::Obstacle;
use flockwork::{
    Boundary, Change, CpuEngine, Engine, Error, Metrics, Request, Scene, Species, World, flat,
};

/// Ticks between two edits.
const TICKS: u32 = 200;

/// A scene without a file: a species, and its keys as `--set` takes them.
fn scene() -> Result<Scene, Error> {
    let size = flat(800.0, 600.0);
    let mut scene = Scene::new("edited", World { size, boundary: Boundary::Wrap });
    scene.species.push(Species::new("bird"));
    for assignment in [
        "bird.count=2000",
        "bird.max_force=0.1",
        "bird.separation={ radius = 12, weight = 1.5 }",
        "bird.alignment={ radius = 25 }",
        "bird.cohesion={ radius = 25 }",
        "bird.avoid={ reach = 40 }",
    ] {
        scene.set(assignment)?;
    }
    Ok(scene)
}

/// Advances the flock and prints a line about it.
fn run(engine: &mut impl Engine, scene: &Scene, edit: &str) -> Result<(), Error> {
    engine.step(TICKS)?;
    let state = engine.read_back()?;
    let Metrics { tick, polarisation, mean_neighbours, .. } = Metrics::of(scene, &state);
    let agents = state.len();
    println!("{tick:>5} {agents:>7} {polarisation:>13.3} {mean_neighbours:>11.2}  {edit}");
    Ok(())
}

fn edit(count: u64) -> Result<(), Error> {
    let scene = scene()?;
    let (mut scene, start) =
        scene.populate(&Request { count: Some(count), ..Request::default() })?;
    let mut engine = CpuEngine::new(None)?;
    engine.load(&scene, &start)?;
    println!(" tick  agents  polarisation  neighbours  after");
    run(&mut engine, &scene, "the start")?;

    // A wrong key or value is refused, and changes nothing.
    if let Err(error) = scene.set("bird.alignment.wieght=0") {
        println!("{error}");
    }
    scene.set("bird.alignment.weight=0")?;
    engine.update(&scene, Change::PARAMETERS)?;
    run(&mut engine, &scene, "a weight is 0: they no longer align")?;
    scene.set("bird.alignment.weight=1")?;
    engine.update(&scene, Change::PARAMETERS)?;
    run(&mut engine, &scene, "it is 1 again")?;

    let middle = scene.world.size / 2.0;
    scene.obstacles.push(Obstacle { position: middle, radius: 60.0 });
    engine.update(&scene, Change::SCENERY)?;
    run(&mut engine, &scene, "an obstacle stands in the middle")?;

    // A column of agents on their way to the right, with ids that no agent of this flock ever had.
    let places: Vec<_> = (0..500).map(|row| flat(50.0, 50.0 + row as f32)).collect();
    let ids = engine.spawn(&places, &[flat(2.0, 0.0); 500], &[0; 500])?;
    run(&mut engine, &scene, "500 agents have come")?;
    let near = engine.neighbours(ids[0], 25.0)?;
    println!("agent {} has {} agents within 25 world units", ids[0], near.len());

    let half: Vec<u32> = ids.into_iter().step_by(2).collect();
    engine.remove(&half)?;
    run(&mut engine, &scene, "every other of them has gone")
}

fn main() -> ExitCode {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(2000);
    match edit(count) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
