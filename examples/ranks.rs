//! One flock on several ranks that are threads of one process, and how they share the work.
//!
//! ```text
//! cargo run --release --example ranks -- 100000 clumped
//! ```
//!
//! With the feature `mpi`, `MpiRanks` takes the place of `ThreadRanks`, and every rank is a process.

use std::sync::Arc;

use flockwork::distributed::{DistributedEngine, LoadBalance, Ranks, ThreadRanks};
use flockwork::{BuiltIn, CpuEngine, Engine, EngineError, Request, Scene};

/// Ticks that each flock runs.
const TICKS: u32 = 64;

/// Runs a flock on `size` ranks.
fn run(
    size: usize,
    scene: &Scene,
    request: &Request,
    moves: bool,
) -> Result<LoadBalance, EngineError> {
    let on_rank = |ranks: ThreadRanks| {
        let (rank, size) = (ranks.rank() as u64, ranks.size() as u64);
        // Each rank makes its share of the agents; loading sends them to where they belong.
        let rows = |count: u64| count * rank / size..count * (rank + 1) / size;
        let (scene, state) =
            scene.populate_rows(request, rows).expect("a scene that can be scaled");
        let local = CpuEngine::new(Some(1))?;
        let mut engine = DistributedEngine::new(Arc::new(ranks), Box::new(local));
        if !moves {
            engine.keep_borders();
        }
        engine.load(&scene, &state)?;
        engine.step(TICKS)?;
        Ok(engine.load_balance())
    };
    std::thread::scope(|scope| {
        let threads = ThreadRanks::new(size).into_iter();
        let threads: Vec<_> = threads.map(|ranks| scope.spawn(|| on_rank(ranks))).collect();
        let loads = threads.into_iter().map(|thread| thread.join().expect("a rank that ends"));
        loads.last().expect("at least one rank")
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let count = arguments.first().map_or(Ok(100_000), |count| count.parse())?;
    let clumped = arguments.iter().any(|word| word == "clumped");
    let spawn = "starling.spawn_at_scale={place = \"ball\", radius = 900, speed = 1}";
    let flock = BuiltIn::named("flock").ok_or("no scene `flock`")?;
    let scene = Scene::parse_with("flock", flock.text, clumped.then_some(spawn).as_slice())?;
    let request = Request { count: Some(count), ..Request::default() };
    println!("{count} agents, {TICKS} ticks; per tick and rank:");
    println!("ranks  borders  agents  ghosts  sent, kB  slowest/mean  best  moved");
    for size in [1, 2, 4, 8] {
        for moves in [false, true] {
            if size == 1 && moves {
                continue;
            }
            let load = run(size, &scene, &request, moves)?;
            let each = (load.ticks * size as u64).max(1) as f64;
            let borders = if moves { "move" } else { "stay" };
            println!(
                "{size:5}  {borders:>7}  {:6.0}  {:6.0}  {:8.1}  {:12.2}  {:4.2}  {:5}",
                load.agents as f64 / each,
                load.ghosts as f64 / each,
                load.sent as f64 / each / 1e3,
                load.imbalance,
                load.best,
                load.moves,
            );
        }
    }
    Ok(())
}
