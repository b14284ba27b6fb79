//! What the tests of both engines share: situations, the reference, and comparisons.

#![allow(dead_code, reason = "each test binary uses its own part of this")]

pub mod reference;
pub mod situations;

use flockwork::engine::Engine;
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use glam::DVec2;

/// How far an engine may be from the `f64` reference after one tick.
///
/// Positions are `f32`: in the situations' worlds of up to 150 units one rounding is 8e-6 units, and
/// a difference across the seam, a sum over 60 neighbours and three normalisations add some more.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// World units.
    pub position: f64,
    /// World units per tick.
    pub velocity: f64,
}

/// For an engine that rounds every operation correctly: five times the largest error seen over
/// 2,250 situations, 2.2e-5 units and 2.2e-5 units per tick.
pub const CORRECTLY_ROUNDED: Tolerance = Tolerance { position: 1.1e-4, velocity: 1.1e-4 };

/// At most this part of a flock may be left out of a comparison as too close to call.
const MOST_DOUBTFUL: f64 = 0.1;

/// The largest differences of position and velocity from the reference, over the agents that are
/// not too close to call.
pub fn differences(scene: &Scene, expected: &reference::Stepped, state: &FlockState) -> (f64, f64) {
    let (mut position, mut velocity) = (0.0_f64, 0.0_f64);
    for agent in (0..state.len()).filter(|agent| !expected.doubtful[*agent]) {
        let off = state.position[agent].as_dvec2() - expected.position[agent];
        let off = reference::minimum_image(scene, off).0.length();
        let turned = (state.velocity[agent].as_dvec2() - expected.velocity[agent]).length();
        // NaN compares with nothing: it must not pass for a small difference.
        position = if off <= position { position } else { off };
        velocity = if turned <= velocity { velocity } else { turned };
    }
    (position, velocity)
}

/// Compares an engine's state with the reference, agent by agent.
pub fn compare(
    scene: &Scene,
    expected: &reference::Stepped,
    state: &FlockState,
    tolerance: Tolerance,
) -> Result<(), String> {
    if state.len() != expected.position.len() {
        return Err(format!("{} agents instead of {}", state.len(), expected.position.len()));
    }
    for agent in (0..state.len()).filter(|agent| !expected.doubtful[*agent]) {
        let (p, v) = (state.position[agent].as_dvec2(), state.velocity[agent].as_dvec2());
        let (q, u) = (expected.position[agent], expected.velocity[agent]);
        let off = reference::minimum_image(scene, p - q).0.length();
        let turned = (v - u).length();
        let close = off <= tolerance.position && turned <= tolerance.velocity;
        if !close {
            return Err(format!(
                "agent {agent} is at {p} with {v} instead of {q} with {u}: off by {off:.2e} and \
                 {turned:.2e}, allowed {tolerance:?}"
            ));
        }
    }
    Ok(())
}

/// Part of a flock that a comparison leaves out.
pub fn doubtful_part(expected: &reference::Stepped) -> f64 {
    let doubtful = expected.doubtful.iter().filter(|doubtful| **doubtful).count();
    doubtful as f64 / expected.doubtful.len().max(1) as f64
}

/// Fails when so many agents were too close to call, over many situations, that the comparison
/// says nothing.
pub fn assert_decided(doubtful: f64, what: &str) {
    assert!(doubtful < MOST_DOUBTFUL, "{what}: {:.1} % not compared", doubtful * 100.0);
}

/// The state after `ticks` on an engine.
pub fn run(engine: &mut dyn Engine, scene: &Scene, state: &FlockState, ticks: u32) -> FlockState {
    engine.load(scene, state).unwrap();
    engine.step(ticks).unwrap();
    engine.finish().unwrap();
    engine.read_back().unwrap()
}

/// What must hold of a flock at any time: all there, finite, inside, no faster than allowed.
pub fn check_invariants(
    scene: &Scene,
    first: &FlockState,
    state: &FlockState,
) -> Result<(), String> {
    if state.id != first.id || state.species != first.species {
        return Err("agents were lost or changed".into());
    }
    let size = scene.world.size;
    for (agent, (p, v)) in state.position.iter().zip(&state.velocity).enumerate() {
        if !p.is_finite() || !v.is_finite() {
            return Err(format!("agent {agent} is at {p} with {v}"));
        }
        let inside = match scene.world.boundary {
            flockwork::model::world::Boundary::Open => true,
            flockwork::model::world::Boundary::Walls => {
                p.cmpge(glam::Vec2::ZERO).all() && p.cmple(size).all()
            }
            flockwork::model::world::Boundary::Wrap => {
                p.cmpge(glam::Vec2::ZERO).all() && p.cmplt(size).all()
            }
        };
        if !inside {
            return Err(format!("agent {agent} is at {p}, outside {size}"));
        }
        // `limit` rounds: a few units in the last place over.
        let most = scene.species[state.species[agent] as usize].body.max_speed * (1.0 + 1e-6);
        if v.length() > most {
            return Err(format!("agent {agent} moves at {}", v.length()));
        }
    }
    Ok(())
}

/// The bits of a state, for comparisons that allow no difference.
pub fn bits(state: &FlockState) -> Vec<[u32; 4]> {
    let agents = state.position.iter().zip(&state.velocity);
    agents.map(|(p, v)| [p.x, p.y, v.x, v.y].map(f32::to_bits)).collect()
}

/// Mean of vectors.
pub fn mean(vectors: &[DVec2]) -> DVec2 {
    vectors.iter().sum::<DVec2>() / vectors.len() as f64
}
