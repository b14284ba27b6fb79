//! Flocks to start from.

use flockwork::model::scene::{BuiltIn, Request, Scene};
use flockwork::model::state::FlockState;
use flockwork::model::vector::Point;

/// A built-in scene, with keys set.
pub fn built_in_scene(name: &str, overrides: &[&str]) -> Scene {
    Scene::parse_with(name, BuiltIn::named(name).unwrap().text, overrides).unwrap()
}

/// A scene with so many agents, and its first flock.
pub fn populated(scene: Scene, count: u64) -> (Scene, FlockState) {
    scene.populate(&Request { count: Some(count), ..Request::default() }).unwrap()
}

/// Agents of the first species with these positions and velocities.
pub fn agents(all: &[(Point, Point)]) -> FlockState {
    FlockState {
        id: (0..all.len() as u32).collect(),
        species: vec![0; all.len()],
        position: all.iter().map(|agent| agent.0).collect(),
        velocity: all.iter().map(|agent| agent.1).collect(),
        ..FlockState::default()
    }
}
