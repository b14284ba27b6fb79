//! Shared by the tests of both engines: situations, the reference, and comparisons.

#![allow(dead_code, reason = "each test binary uses its own part of this")]

pub mod controls;
pub mod dice;
pub mod expressions;
pub mod gpu;
pub mod ranks;
pub mod reference;
pub mod scenery;
pub mod situations;
mod starting;
pub mod variants;

use flockwork::engine::Engine;
use flockwork::model::behaviours::{Kind, Uses};
use flockwork::model::memory::Shown;
use flockwork::model::scene::{Law, Request, Scene, Slot, Species};
use flockwork::model::state::FlockState;
use flockwork::model::world::{Boundary, World};
use glam::{DVec3, Vec3};
use reference::Stepped;
use situations::Situation;

pub use starting::{agents, built_in_scene, populated};

/// The edges of a world, by their names in scene files.
pub const BOUNDARIES: [&str; 3] = ["wrap", "walls", "open"];

/// How far an engine is from the `f64` reference after one tick, or how far it may be.
///
/// Positions are `f32`. The situations' worlds are up to 150 units wide, where one rounding is 8e-6
/// units. A difference across the seam, a sum over 60 neighbours and three normalisations add to
/// that.
#[derive(Clone, Copy, Debug, Default)]
pub struct Errors {
    /// World units, for a time step of up to 1; a larger one multiplies it.
    pub position: f64,
    /// World units per tick.
    pub velocity: f64,
    /// Remembered angle; turns. It is stored in steps of 6e-8.
    pub angle: f64,
    /// Remembered direction; difference of two unit vectors. Storing it changes it by up to
    /// 1.04e-3.
    pub direction: f64,
}

/// For an engine that rounds every operation correctly. Over 17,500 situations, three times as many as the tests take,
/// the largest errors are 4.5e-5 units, 2.4e-5 units per tick and 6e-8 turns. They come from agents outside an open
/// world that seek a far target with a `proximity` and move 30 units per tick; all other errors are at most a quarter
/// of that.
pub const CORRECTLY_ROUNDED: Errors =
    Errors { position: 1.1e-4, velocity: 1.1e-4, angle: 3e-7, direction: 1.1e-3 };

/// Largest share of a flock that a comparison may leave out as too close to call.
const MAX_DOUBTFUL: f64 = 0.1;

impl Errors {
    /// The larger of each. A comparison with NaN is false; NaN must not pass for a small
    /// difference.
    #[must_use]
    pub fn or_worse(self, other: Self) -> Self {
        let larger = |a: f64, b: f64| if b <= a { a } else { b };
        Self {
            position: larger(self.position, other.position),
            velocity: larger(self.velocity, other.velocity),
            angle: larger(self.angle, other.angle),
            direction: larger(self.direction, other.direction),
        }
    }

    /// `step` is the scene's time step: a position is as far off as it times the velocity.
    fn within(self, tolerance: Self, step: f32) -> bool {
        self.position <= tolerance.position * f64::from(step.max(1.0))
            && self.velocity <= tolerance.velocity
            && self.angle <= tolerance.angle
            && self.direction <= tolerance.direction
    }
}

/// How far one agent is from the reference.
fn errors_of(scene: &Scene, expected: &Stepped, state: &FlockState, agent: usize) -> Errors {
    let off = state.position[agent].as_dvec3() - expected.position;
    let turned = state.velocity[agent].as_dvec3() - expected.velocity;
    let (mut angle, mut direction) = (0.0, 0.0);
    if scene.uses().has(Uses::MEMORY) {
        let memory = state.memory[agent];
        if scene.remembers_directions(state.species[agent] as usize) {
            let own = DVec3::from_array(memory.direction().map(f64::from));
            direction = own.distance(expected.direction);
        } else {
            // A difference of one whole turn is no difference.
            let turned = f64::from(memory.angle()) - expected.angle;
            angle = (turned - turned.round()).abs();
        }
    }
    // `min_speed` lengthens rounding errors with the velocity.
    Errors {
        position: reference::minimum_image(scene, off).0.length() / expected.stretch,
        velocity: turned.length() / expected.stretch,
        angle,
        direction,
    }
}

/// The agents that are not too close to call.
pub fn decided(expected: &[Stepped]) -> impl Iterator<Item = (usize, &Stepped)> {
    expected.iter().enumerate().filter(|(_, expected)| !expected.doubtful)
}

/// The largest errors, over all agents that are not too close to call.
pub fn largest_errors(scene: &Scene, expected: &[Stepped], state: &FlockState) -> Errors {
    let all = decided(expected).map(|(agent, expected)| errors_of(scene, expected, state, agent));
    all.fold(Errors::default(), Errors::or_worse)
}

/// Compares an engine's state with the reference, agent by agent.
pub fn compare(
    scene: &Scene,
    expected: &[Stepped],
    state: &FlockState,
    tolerance: Errors,
) -> Result<(), String> {
    if state.len() != expected.len() {
        return Err(format!("{} agents instead of {}", state.len(), expected.len()));
    }
    let counts = scene.uses().has(Uses::COUNTS);
    for (agent, expected) in decided(expected) {
        let off = errors_of(scene, expected, state, agent);
        let (p, v) = (state.position[agent], state.velocity[agent]);
        let (q, u) = (expected.position, expected.velocity);
        if !off.within(tolerance, scene.time_step) {
            return Err(format!(
                "agent {agent} of species {} is at {p} with {v} instead of {q} with {u}: {off:?}, \
                 allowed {tolerance:?}",
                state.species[agent]
            ));
        }
        let counted = scene.shown().species(state.species[agent]) == Shown::Neighbours;
        if counts && counted && state.memory[agent].shown() != expected.neighbours {
            let (seen, there) = (state.memory[agent].shown(), expected.neighbours);
            return Err(format!("agent {agent} counts {seen} neighbours instead of {there}"));
        }
    }
    Ok(())
}

/// Compares an engine's targets after tick `tick` with the reference's.
pub fn compare_targets(
    scene: &Scene,
    tick: u64,
    engine: &mut dyn Engine,
    tolerance: Errors,
) -> Result<(), String> {
    let after = engine.read_back().unwrap();
    let targets = engine.targets().unwrap();
    let expected = reference::targets_after(scene, tick, &after);
    for (target, expected) in targets.iter().zip(expected).filter(|(_, e)| !e.doubtful) {
        let off = reference::minimum_image(scene, target.position.as_dvec3() - expected.position).0;
        let turned = target.velocity.as_dvec3() - expected.velocity;
        let close = off.length() <= tolerance.position && turned.length() <= tolerance.velocity;
        if !close || target.hits != expected.hits {
            return Err(format!("the target is {target:?} instead of {expected:?}"));
        }
    }
    Ok(())
}

/// Compares an engine with the reference after each of several ticks. The reference starts each
/// tick from the engine's own state and targets.
pub fn compare_ticks(
    engine: &mut dyn Engine,
    case: &Situation,
    ticks: u32,
    tolerance: Errors,
) -> Result<(), String> {
    let (mut scene, mut before) = (case.scene.clone(), case.state.clone());
    engine.load(&scene, &before).unwrap();
    for tick in 1..=ticks {
        let expected = reference::step(&scene, &before);
        let after = stepped(engine, 1);
        compare(&scene, &expected, &after, tolerance)
            .and_then(|()| compare_targets(&scene, before.tick, engine, tolerance))
            .map_err(|problem| format!("tick {tick}: {problem}\n{}", case.name))?;
        scene.targets = engine.targets().unwrap();
        before = after;
    }
    Ok(())
}

/// Fails if any of `cases` differs from the reference in any of `ticks` ticks.
pub fn assert_ticks(
    engine: &mut dyn Engine,
    cases: impl IntoIterator<Item = Situation>,
    ticks: u32,
    tolerance: Errors,
) {
    let cases = cases.into_iter();
    let differ = cases.filter_map(|case| compare_ticks(engine, &case, ticks, tolerance).err());
    let problems: Vec<String> = differ.collect();
    assert_none(&problems);
}

/// Share of a flock that a comparison leaves out.
pub fn doubtful_part(expected: &[Stepped]) -> f64 {
    (expected.len() - decided(expected).count()) as f64 / expected.len().max(1) as f64
}

/// Fails if so many agents over many situations were too close to call that the comparison proves
/// nothing.
pub fn assert_decided(doubtful: f64, what: &str) {
    assert!(doubtful < MAX_DOUBTFUL, "{what}: {:.1} % not compared", doubtful * 100.0);
}

/// Fails with the shortest problem, usually the clearest, and the number of problems.
pub fn assert_none(problems: &[String]) {
    if let Some(shortest) = problems.iter().min_by_key(|problem| problem.len()) {
        for problem in problems {
            println!("{}", problem.lines().take(2).collect::<Vec<_>>().join(" <- "));
        }
        panic!("{} situations differ; the shortest:\n{shortest}", problems.len());
    }
}

/// The scene of a text, and its first flock.
pub fn parsed(text: &str) -> (Scene, FlockState) {
    let scene = Scene::parse("test", text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    scene.populate(&Request::default()).unwrap()
}

/// Runs `ticks` ticks on an engine and returns the state.
pub fn run(engine: &mut dyn Engine, scene: &Scene, state: &FlockState, ticks: u32) -> FlockState {
    engine.load(scene, state).unwrap();
    stepped(engine, ticks)
}

/// The state of an engine after so many more ticks.
pub fn stepped(engine: &mut dyn Engine, ticks: u32) -> FlockState {
    engine.step(ticks).unwrap();
    engine.finish().unwrap();
    engine.read_back().unwrap()
}

/// The highest speed that agents of a species may have. Noise adds its amplitude. An agent that
/// seeks with a `proximity` is faster the farther away its target is; if the target may be at any
/// distance, there is no limit.
fn fastest(scene: &Scene, species: &Species) -> f32 {
    let amplitude = species.variations.iter().filter_map(|variation| match variation.law {
        Law::Noise { amplitude, .. } if variation.slot == Slot::Body(1) => Some(amplitude),
        _ => None,
    });
    let speed = species.body.max_speed + amplitude.sum::<f32>();
    let proximity = species.value(Kind::Seek, Kind::Seek.parameter("proximity").unwrap());
    let farther = match scene.world.boundary {
        _ if proximity == 0.0 => 1.0,
        Boundary::Open => f32::INFINITY,
        _ => scene.world.size.length() / proximity,
    };
    speed * farther.max(1.0)
}

/// `flock` with keys set, scaled to `count`.
pub fn flock(count: u64, overrides: &[&str]) -> (Scene, FlockState) {
    // At its own count the scene has its own world, near it nearly its own density: what is compared
    // at some count wants the density that the scene asks for.
    let density = (count != 120).then_some("world.density=10");
    let all: Vec<&str> = density.into_iter().chain(overrides.iter().copied()).collect();
    built_in("flock", count, &all)
}

/// `flock` in a space with sides in these proportions. `overrides` may give it another density.
pub fn flock_in_space(count: u64, sides: &str, overrides: &[&str]) -> (Scene, FlockState) {
    let size = format!("world.size=[{sides}]");
    let even =
        ["spawn", "spawn_at_scale"].map(|key| format!("starling.{key}={{place = \"uniform\"}}"));
    let all = [&size, even[0].as_str(), even[1].as_str()];
    flock(count, &[&all, overrides].concat())
}

/// A built-in scene with `count` agents.
pub fn built_in(name: &str, count: u64, overrides: &[&str]) -> (Scene, FlockState) {
    populated(built_in_scene(name, overrides), count)
}

/// The scene `mixed.toml`, which has all features.
pub fn mixed(boundary: &str, overrides: &[&str]) -> (Scene, FlockState) {
    let text = std::fs::read_to_string("tests/common/mixed.toml").unwrap();
    mixed_of(&text, boundary, overrides)
}

/// The same scene in a space: each place, size and velocity has a third number.
pub fn mixed_in_space(boundary: &str, overrides: &[&str]) -> (Scene, FlockState) {
    mixed_of(&mixed_in_space_text(), boundary, overrides)
}

/// The text of that scene.
pub fn mixed_in_space_text() -> String {
    fn deepen(value: &mut toml::Value) {
        match value {
            toml::Value::Table(table) => table.iter_mut().for_each(|(_, value)| deepen(value)),
            toml::Value::Array(all) => {
                let number = |value: &toml::Value| {
                    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
                };
                match all.iter().map(number).collect::<Option<Vec<f64>>>().as_deref() {
                    Some([x, y]) => all.push(toml::Value::Float(0.15 * (x + y))),
                    _ => all.iter_mut().for_each(deepen),
                }
            }
            _ => {}
        }
    }
    let text = std::fs::read_to_string("tests/common/mixed.toml").unwrap();
    let mut scene = toml::Value::Table(toml::from_str(&text).unwrap());
    deepen(&mut scene);
    toml::to_string(&scene).unwrap()
}

fn mixed_of(text: &str, boundary: &str, overrides: &[&str]) -> (Scene, FlockState) {
    let mut all = vec![format!("world.boundary=\"{boundary}\"")];
    all.extend(overrides.iter().map(|text| (*text).to_string()));
    let scene = Scene::parse_with("mixed", text, &all).unwrap();
    scene.populate(&Request::default()).unwrap()
}

/// Fails if an invariant breaks within a thousand ticks.
pub fn assert_a_thousand_ticks(engine: &mut dyn Engine, scene: &Scene, first: &FlockState) {
    engine.load(scene, first).unwrap();
    for _ in 0..20 {
        let state = stepped(engine, 50);
        if let Err(problem) = check_invariants(scene, first, &state) {
            panic!("{:?}, tick {}: {problem}", scene.world.boundary, state.tick);
        }
    }
}

/// True for a place where agents may be.
pub fn is_inside(world: &World, p: Vec3) -> bool {
    match world.boundary {
        Boundary::Open => true,
        Boundary::Walls => p.cmpge(Vec3::ZERO).all() && p.cmple(world.size).all(),
        Boundary::Wrap => p.cmpge(Vec3::ZERO).all() && world.ends_beyond(p),
    }
}

/// The invariants of a flock: all agents are present, finite, inside, and no faster than allowed.
pub fn check_invariants(
    scene: &Scene,
    first: &FlockState,
    state: &FlockState,
) -> Result<(), String> {
    if state.id != first.id || state.species != first.species {
        return Err("agents were lost or changed".into());
    }
    for (agent, (p, v)) in state.position.iter().zip(&state.velocity).enumerate() {
        if !p.is_finite() || !v.is_finite() {
            return Err(format!("agent {agent} is at {p} with {v}"));
        }
        if scene.world.is_flat() && (p.z != 0.0 || v.z != 0.0) {
            return Err(format!("agent {agent} at {p} with {v} has left its plane"));
        }
        if !is_inside(&scene.world, *p) {
            return Err(format!("agent {agent} is at {p}, outside {}", scene.world.size));
        }
        // `limit` rounds: the result may be a few units in the last place above it.
        let most = fastest(scene, &scene.species[state.species[agent] as usize]) * (1.0 + 1e-6);
        if v.length() > most {
            return Err(format!("agent {agent} moves at {}", v.length()));
        }
    }
    Ok(())
}

/// The bits of a state, for exact comparisons.
pub fn bits(state: &FlockState) -> Vec<[u32; 11]> {
    let agents = state.position.iter().zip(&state.velocity).enumerate();
    let memory = |agent: usize| state.memory.get(agent).map_or(0, |memory| memory.0);
    let bits = |(agent, (p, v)): (usize, (&Vec3, &Vec3))| {
        let [x, y, z] = p.to_array().map(f32::to_bits);
        let [vx, vy, vz] = v.to_array().map(f32::to_bits);
        let kept = state.kept.get(agent).copied().unwrap_or_default().map(f32::to_bits);
        let [one, two, three, four] = kept;
        [x, y, z, vx, vy, vz, memory(agent), one, two, three, four]
    };
    agents.map(bits).collect()
}

/// The mean of several vectors.
pub fn mean(vectors: &[DVec3]) -> DVec3 {
    vectors.iter().sum::<DVec3>() / vectors.len() as f64
}
