//! Shared by all benchmarks: flocks and the adapter.

#![allow(dead_code, reason = "each benchmark uses its own part of this")]

use std::sync::Arc;

use flockwork::engine::gpu::{AdapterChoice, Gpu};
use flockwork::model::scene::{BuiltIn, Request, Scene};
use flockwork::model::state::FlockState;

/// The scene `flock` with some count and density, and its uniform first state.
pub struct Flock {
    /// The scene in a world of the right size.
    pub scene: Scene,
    /// The uniform state.
    pub state: FlockState,
}

/// The scene `flock` with `count` agents.
pub fn flock(count: u64, density: f32) -> Flock {
    scene("flock", &[], count, density)
}

/// The built-in scene `name` with some keys overridden.
pub fn scene(name: &str, overrides: &[&str], count: u64, density: f32) -> Flock {
    let text = BuiltIn::named(name).expect("the scene is built in").text;
    let scene = Scene::parse_with(name, text, overrides).expect("the scene parses");
    let request = Request { count: Some(count), density: Some(density), ..Request::default() };
    let (scene, state) = scene.populate(&request).expect("the scene populates");
    Flock { scene, state }
}

/// The best adapter. Without one it prints a line and returns `None`.
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
