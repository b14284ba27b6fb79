//! An edit that is made together with a tick gives the bytes of an edit after the tick, on both engines:
//! for random edits one after the other, while agents come and go.

use crate::adapter;
use crate::common;
use std::sync::Arc;

use crate::common::situations::{Dice, FLOCKING, situation_in};
use crate::common::{bits, flock, mixed, mixed_in_space};
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::{EngineOptions, GpuEngine};
use flockwork::engine::{Change, Engine};
use flockwork::model::behaviours::Target;
use flockwork::model::scene::{ColourBy, Scene, Slot};
use flockwork::model::state::FlockState;

/// An engine, and whether it makes edits together with ticks.
struct Runner {
    engine: Box<dyn Engine>,
    joins: bool,
    /// True if it rounds as the CPU engine does.
    rounds_equally: bool,
}

/// Both engines, twice each. With `crowded_above` few agents are a crowd.
fn runners(test: &str, crowded_above: Option<u32>) -> Vec<Runner> {
    let mut all = Vec::new();
    let gpu = adapter::gpu(test);
    for joins in [false, true] {
        let engine = Box::new(CpuEngine::new(Some(2)).unwrap());
        all.push(Runner { engine, joins, rounds_equally: true });
    }
    for (gpu, joins) in gpu.iter().flat_map(|gpu| [(gpu, false), (gpu, true)]) {
        let mut options = EngineOptions { checked: true, ..EngineOptions::default() };
        if let Some(few) = crowded_above {
            (options.crowded_above, options.small_grid) = (few, 1);
        }
        let engine = Box::new(GpuEngine::with_options(Arc::clone(gpu), options));
        all.push(Runner { engine, joins, rounds_equally: gpu.is_software() });
    }
    all
}

/// Fails unless all runners are at the same state.
fn assert_same(runners: &mut [Runner], what: &str) {
    let mut before: Option<(bool, _)> = None;
    for runner in runners {
        let engine = &mut runner.engine;
        let end = (bits(&engine.read_back().unwrap()), engine.targets().unwrap());
        // A GPU that rounds in its own way is compared with itself.
        let comparable = before.take_if(|(equally, _)| *equally == runner.rounds_equally);
        if let Some((_, other)) = comparable {
            let way = if runner.joins { "with the tick" } else { "after it" };
            assert!(end == other, "{what}: {} differs, edited {way}", engine.kind());
        }
        before = Some((runner.rounds_equally, end));
    }
}

/// One tick and an edit of parameters.
fn tick_and_edit(runner: &mut Runner, scene: &Scene) {
    let engine = &mut runner.engine;
    if runner.joins {
        engine.step_and_update(scene, Change::PARAMETERS).unwrap();
    } else {
        engine.step(1).unwrap();
        engine.update(scene, Change::PARAMETERS).unwrap();
    }
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

/// Runs `edits` random edits. Returns how many of them have changed the largest radius.
fn walk(runners: &mut [Runner], name: &str, first: &(Scene, FlockState), edits: usize) -> usize {
    let (mut scene, state) = first.clone();
    let mut dice = Dice::new(edits as u64);
    let (mut next_id, mut changes) = (1 + state.id.last().copied().unwrap_or(0), 0);
    runners.iter_mut().for_each(|one| one.engine.load(&scene, &state).unwrap());
    for number in 0..edits {
        let before = scene.perception_radius();
        edit(&mut scene, &mut dice);
        changes += usize::from(scene.perception_radius() != before);
        let (more, fewer, after) = (dice.below(5) == 0, dice.below(5) == 0, dice.below(3));
        let now = runners[0].engine.read_back().unwrap();
        for runner in &mut *runners {
            if more {
                runner.engine.append(&newcomers(&now, next_id)).unwrap();
            }
            if fewer {
                let gone: Vec<u32> = now.id.iter().copied().skip(1).step_by(17).collect();
                runner.engine.remove(&gone).unwrap();
            }
            tick_and_edit(runner, &scene);
            runner.engine.step(after as u32).unwrap();
        }
        next_id += 3 * u32::from(more);
        assert_same(runners, &format!("{name}, edit {number}"));
    }
    changes
}

#[test]
fn random_edits_made_with_a_tick_are_those_made_after_it() {
    let test = "random_edits_made_with_a_tick_are_those_made_after_it";
    let share = common::gpu::share();
    for crowded_above in [None, Some(4)] {
        let mut runners = runners(test, crowded_above);
        let mut cases: Vec<(String, (Scene, FlockState))> = Vec::new();
        for boundary in ["wrap", "walls", "open"] {
            cases.push((format!("mixed, {boundary}"), mixed(boundary, &[])));
        }
        cases.push(("mixed in space".into(), mixed_in_space("wrap", &[])));
        // Worlds of few cells. Each variant of a scene compiles shaders: crowds come to these alone.
        if crowded_above.is_some() {
            cases.clear();
        }
        for axes in [2, 3] {
            let case = situation_in(axes, &FLOCKING, 3);
            cases.push((case.name, (case.scene, case.state)));
        }
        let mut changes = 0;
        for (name, case) in cases.iter().step_by(share) {
            changes += walk(&mut runners, name, case, 12);
        }
        // Some of the cases have some of the edits.
        assert!(changes * share >= 4, "the control: {changes} edits change the grid");
    }
}

/// The cell of an agent that a target sends elsewhere is one of the new grid.
#[test]
fn agents_that_a_target_sends_while_the_grid_changes_come_to_its_cells() {
    let test = "agents_that_a_target_sends_while_the_grid_changes_come_to_its_cells";
    let (mut scene, state) = flock(2000, &["world.boundary=\"walls\""]);
    let size = scene.world.size;
    let sends_to = Some(size * 0.9);
    let target = Target::fixed("door", size * 0.5);
    scene.targets.push(Target { hit_radius: 60.0, sends_to, ..target });
    let mut runners = runners(test, None);
    for factor in [0.3, 3.0] {
        let mut edited = scene.clone();
        for rule in &mut edited.species[0].rules {
            if let Some(radius) = rule.kind.parameter("radius") {
                rule.values[radius] *= factor;
            }
        }
        for runner in &mut runners {
            runner.engine.load(&scene, &state).unwrap();
            tick_and_edit(runner, &edited);
            let hits = runner.engine.targets().unwrap().last().map(|target| target.hits);
            assert_eq!(hits, Some(1), "the control: agents are sent");
            runner.engine.step(2).unwrap();
        }
        assert_same(&mut runners, &format!("radii times {factor}"));
    }
}
