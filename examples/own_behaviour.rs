//! A behaviour of one's own, outside the library: agents circle round the middle of the world.
//!
//!     cargo run --release --example own_behaviour --no-default-features --features gpu -- 2000 300
//!
//! The arguments are the number of agents and of ticks.
//!
//! Between two ticks the program reads the state, adds its force to the velocities, and loads the state
//! again. This works on every engine, but it copies the flock twice a tick. A behaviour in the library
//! runs inside the engines' own passes and has a scene key: `docs/new-behaviour.md` shows how to add one.

use std::process::ExitCode;

use flockwork::{
    AdapterChoice, CpuEngine, Engine, Error, FlockState, Gpu, GpuEngine, Metrics, Point, Request,
    Scene, Species, flat,
};

const SCENE: &str = r#"
about = "Birds that only keep apart"

[world]
size = [800, 800]
boundary = "walls"

[species.bird]
count = 1000
max_speed = 3
max_force = 0.1
separation = { radius = 15, weight = 1.5 }
contain = { margin = 50, weight = 1 }
"#;

/// A steering behaviour: the desired velocity is at right angles to the way to a place.
struct Circle {
    place: Point,
    /// Factor on the force.
    weight: f32,
}

impl Circle {
    /// The force on an agent: `limit(desired − v, max_force)`, as in every behaviour of the library.
    fn force(&self, species: &Species, position: Point, velocity: Point) -> Point {
        let way = self.place - position;
        let desired = flat(-way.y, way.x).normalize_or_zero() * species.body.max_speed;
        (desired - velocity).clamp_length_max(species.body.max_force) * self.weight
    }

    /// Adds the force to the velocity of every agent.
    fn act(&self, scene: &Scene, state: &mut FlockState) {
        for agent in 0..state.len() {
            let species = &scene.species[usize::from(state.species[agent])];
            let velocity = &mut state.velocity[agent];
            let force = self.force(species, state.position[agent], *velocity);
            let pushed = *velocity + force / species.body.mass * scene.time_step;
            *velocity = pushed.clamp_length_max(species.body.max_speed);
        }
    }
}

/// Runs the flock and returns its figures at the end.
fn run(engine: &mut dyn Engine, count: u64, ticks: u32, weight: f32) -> Result<Metrics, Error> {
    let scene = Scene::parse("birds", SCENE)?;
    let (mut scene, mut state) =
        scene.populate(&Request { count: Some(count), ..Request::default() })?;
    let circle = Circle { place: scene.world.size / 2.0, weight };
    for _ in 0..ticks {
        circle.act(&scene, &mut state);
        engine.load(&scene, &state)?;
        engine.step(1)?;
        // Targets move too. This scene has none but the pointer.
        scene.targets = engine.targets()?;
        state = engine.read_back()?;
    }
    Ok(Metrics::of(&scene, &state))
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

/// The same flock without the behaviour and with it, on both engines.
fn compare() -> Result<(), Error> {
    let number = |at: usize, otherwise| {
        std::env::args().nth(at).and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    let (count, ticks) = (number(1, 1000), number(2, 300) as u32);
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(CpuEngine::new(None)?)];
    match Gpu::open(&AdapterChoice::Best) {
        Ok(gpu) => engines.push(Box::new(GpuEngine::new(gpu))),
        Err(error) => println!("no run on a GPU: {error}"),
    }
    for mut engine in engines {
        let without = run(&mut *engine, count, ticks, 0.0)?.rotation;
        let with = run(&mut *engine, count, ticks, 1.0)?.rotation;
        println!(
            "{}: rotation {without:.3} without the behaviour, {with:.3} with it",
            engine.kind()
        );
    }
    Ok(())
}
