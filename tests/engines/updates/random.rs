//! Random edits of parameters, one after the other, while agents come and go: the engines stay equal, and
//! each edit gives the bytes of a load.

use crate::adapter;
use crate::common;

use super::{End, end};
use crate::common::dice::Dice;
use crate::common::gpu::cpu_and;
use crate::common::situations::{FLOCKING, situation_in};
use crate::common::{BOUNDARIES, mixed, mixed_in_space};
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::{EngineOptions, GpuEngine};
use flockwork::engine::{Change, Engine};
use flockwork::model::scene::{ColourBy, Scene, Slot};
use flockwork::model::state::FlockState;

/// The CPU engine, and the GPU engine if its device rounds equally. With `crowded_above` few agents are a
/// crowd.
#[track_caller]
fn engines(crowded_above: Option<u32>) -> Vec<Box<dyn Engine>> {
    let mut options = EngineOptions { checked: true, ..EngineOptions::default() };
    if let Some(few) = crowded_above {
        (options.crowded_above, options.small_grid) = (few, Some(1));
    }
    let gpu = adapter::gpu().filter(|gpu| gpu.is_software());
    cpu_and(gpu.map(|gpu| GpuEngine::with_options(gpu, options)))
}

/// A random edit. Most give a behaviour another radius.
fn edit(scene: &mut Scene, dice: &mut Dice) {
    use ColourBy::{Acceleration, Age, Heading, Neighbours};
    let own = dice.below(scene.species.len());
    let species = &mut scene.species[own];
    match dice.below(12) {
        0 => species.colour = dice.one_of(&[Acceleration, Age, Heading, Neighbours]),
        1 => scene.time_step = dice.one_of(&[0.5, 1.0, 2.0]),
        2 => scene.seed += 1,
        3 if species.rules.len() > 1 => {
            let gone = species.rules.remove(dice.below(species.rules.len())).kind;
            let stays = |slot: Slot| !matches!(slot, Slot::Rule(kind, _) if kind == gone);
            species.variations.retain(|one| stays(one.slot));
        }
        _ => {
            let size = dice.one_of(&[0.0, 0.5, 7.0, 20.0, 33.0, 47.0, 90.0, 300.0, 1e6]);
            let varies = |slot: Slot| species.variations.iter().any(|one| one.slot == slot);
            let radii = species.rules.iter().enumerate().filter_map(|(row, rule)| {
                let radius = rule.kind.parameter("radius")?;
                (!varies(Slot::Rule(rule.kind, radius))).then_some((row, radius))
            });
            let radii: Vec<(usize, usize)> = radii.collect();
            if !radii.is_empty() {
                let (row, radius) = dice.one_of(&radii);
                species.rules[row].values[radius] = size;
            }
        }
    }
}

/// Three agents at places of others.
fn newcomers(state: &FlockState, first_id: u32) -> FlockState {
    let row = |id: u32| (id * 7) as usize % state.len();
    let ids = first_id..first_id + 3;
    FlockState {
        id: ids.clone().collect(),
        species: ids.clone().map(|id| state.species[row(id)]).collect(),
        position: ids.clone().map(|id| state.position[row(id)]).collect(),
        velocity: ids.map(|id| state.velocity[row(id + 1)]).collect(),
        ..FlockState::default()
    }
}

/// The end of a run that loads the present flock with an edited scene.
fn reloaded(engine: &mut dyn Engine, scene: &Scene, ticks: u32) -> End {
    let targets = engine.targets().unwrap();
    let mut fresh = CpuEngine::new(Some(2)).unwrap();
    fresh.load(&scene.with_targets(targets), &engine.read_back().unwrap()).unwrap();
    fresh.step(ticks).unwrap();
    end(&mut fresh)
}

/// Runs `edits` random edits. Returns how many of them have changed the largest radius.
fn walk(
    engines: &mut [Box<dyn Engine>],
    name: &str,
    first: &(Scene, FlockState),
    edits: usize,
) -> usize {
    let (mut scene, state) = first.clone();
    let mut dice = Dice::new(edits as u64);
    let (mut next_id, mut changes) = (1 + state.id.last().copied().unwrap_or(0), 0);
    engines.iter_mut().for_each(|one| one.load(&scene, &state).unwrap());
    for number in 0..edits {
        let before = scene.perception_radius();
        edit(&mut scene, &mut dice);
        changes += usize::from(scene.perception_radius() != before);
        let (more, fewer, after) = (dice.below(5) == 0, dice.below(5) == 0, dice.below(3));
        let now = engines[0].read_back().unwrap();
        let ticks = 1 + after as u32;
        let mut ends = Vec::new();
        for engine in &mut *engines {
            if more {
                engine.append(&newcomers(&now, next_id)).unwrap();
            }
            if fewer {
                let gone: Vec<u32> = now.id.iter().copied().skip(1).step_by(17).collect();
                engine.remove(&gone).unwrap();
            }
            engine.update(&scene, Change::PARAMETERS).unwrap();
            if ends.is_empty() {
                ends.push(reloaded(&mut **engine, &scene, ticks));
            }
            engine.step(ticks).unwrap();
            ends.push(end(&mut **engine));
        }
        next_id += 3 * u32::from(more);
        for (end, engine) in ends[1..].iter().zip(engines.iter()) {
            assert!(*end == ends[0], "{name}, edit {number}: {} differs", engine.kind());
        }
    }
    changes
}

#[test]
fn random_edits_keep_the_engines_equal_and_are_those_of_a_load() {
    let share = common::gpu::share();
    for crowded_above in [None, Some(4)] {
        let mut engines = engines(crowded_above);
        let mut cases = Vec::new();
        // Each variant of a scene compiles shaders: crowds come to worlds of few cells alone.
        if crowded_above.is_none() {
            let plane = |edge| (format!("mixed, {edge}"), mixed(edge, &[]));
            cases.extend(BOUNDARIES.map(plane));
            cases.push(("mixed in space".into(), mixed_in_space("wrap", &[])));
        }
        cases.extend([2, 3].map(|axes| {
            let case = situation_in(axes, &FLOCKING, 3);
            (case.name, (case.scene, case.state))
        }));
        let mut changes = 0;
        for (name, case) in cases.iter().step_by(share) {
            changes += walk(&mut engines, name, case, 12);
        }
        // Some of the cases have some of the edits.
        assert!(changes * share >= 4, "the control: {changes} edits change the grid");
    }
}
