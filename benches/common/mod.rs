//! What all benchmarks share: flocks, engines, and ticks soon after an even start.

#![allow(dead_code, reason = "each benchmark uses some of it")]

use std::sync::Arc;

use flockwork::engine::Engine;
use flockwork::engine::gpu::{AdapterChoice, Gpu};
use flockwork::model::scene::{BuiltIn, Request, Scene};
use flockwork::model::state::FlockState;

/// Mean neighbours of the uniform flock that each measurement starts from.
pub const DENSITIES: [f32; 3] = [10.0, 30.0, 100.0];
/// Ticks before measuring: the device compiles, clocks settle.
const WARM_UP: u32 = 3;
/// Ticks after which a measurement starts afresh: flocks form and get denser as time goes by.
const REPLAY: u64 = 20;

/// The scene `flock` in some size and density, and its even first state.
pub struct Flock {
    /// In a world of the right size.
    pub scene: Scene,
    /// Even.
    pub state: FlockState,
}

/// With `count` agents.
pub fn flock(count: u64, density: f32) -> Flock {
    scene("flock", &[], count, density)
}

/// The built-in scene `name`, with some keys set to other values.
pub fn scene(name: &str, overrides: &[&str], count: u64, density: f32) -> Flock {
    let text = BuiltIn::named(name).expect("the scene is built in").text;
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_string()).collect();
    let mut scene = Scene::parse(name, text, &overrides).expect("the scene parses");
    let request = Request { count: Some(count), density: Some(density), ..Request::default() };
    let state = scene.populate(&request).expect("the scene populates");
    Flock { scene, state }
}

impl Flock {
    /// Has `ticks` ticks done, a few at a time, each time from the first state on.
    pub fn replay(
        &self,
        engine: &mut dyn Engine,
        ticks: u64,
        mut measure: impl FnMut(&mut dyn Engine, u32),
    ) {
        let mut left = ticks;
        while left > 0 {
            engine.load(&self.scene, &self.state).expect("the flock fits");
            engine.step(WARM_UP).expect("the engine runs");
            engine.finish().expect("the engine runs");
            let now = left.min(REPLAY);
            measure(engine, now as u32);
            left -= now;
        }
    }
}

/// The best adapter; where there is none, a printed line says so.
pub fn gpu() -> Option<Arc<Gpu>> {
    match Gpu::open(&AdapterChoice::Best) {
        Ok(gpu) => {
            eprintln!("gpu is {}", gpu.name());
            Some(gpu)
        }
        Err(error) => {
            eprintln!("gpu: skipped: {error}");
            None
        }
    }
}
