//! Agents are added to a flock and removed from it between two ticks. The flock continues like one
//! loaded with the same agents, on both engines, and no id is used twice.

use crate::adapter;
use crate::common;
use crate::common::gpu::{checked_with_cpu, compares_bits};
use crate::common::{bits, flock, mixed, populated, run, stepped};
use flockwork::engine::{Engine, EngineError, EngineKind};
use flockwork::model::scene::{Request, Scene};
use flockwork::model::state::FlockState;
use flockwork::model::vector::flat;

/// Ticks before an edit, and after it.
const BEFORE: u32 = 6;
const AFTER: u32 = 5;

/// Both engines, and whether they round equally.
#[track_caller]
fn engines() -> (Vec<Box<dyn Engine>>, bool) {
    let gpu = adapter::gpu();
    let alike = gpu.as_ref().is_none_or(|gpu| compares_bits(gpu));
    (checked_with_cpu(gpu), alike)
}

/// Agents of the scene's species, at given places and with velocities of their own.
fn newcomers(scene: &Scene, first: u32, count: u32) -> FlockState {
    let place = |id: u32| {
        let (x, y) = ((id % 101 * 37 % 101) as f32 / 101.0, (id % 89 * 53 % 89) as f32 / 89.0);
        flat(x, y) * scene.world.size
    };
    FlockState {
        id: (first..=first + (count - 1)).collect(),
        species: (0..count).map(|nth| (nth as usize % scene.species.len()) as u8).collect(),
        position: (first..=first + (count - 1)).map(place).collect(),
        velocity: (0..count).map(|nth| glam::Vec2::from_angle(nth as f32).extend(0.0)).collect(),
        ..FlockState::default()
    }
}

/// A state with more agents after its own.
fn joined(state: &FlockState, more: &FlockState, scene: &Scene) -> FlockState {
    let mut all = state.clone();
    all.memory = scene.memory_of(state);
    all.memory.extend(scene.memory_of(more));
    all.id.extend(&more.id);
    all.species.extend(&more.species);
    all.position.extend(&more.position);
    all.velocity.extend(&more.velocity);
    all.kept = scene.kept_of(state);
    all.kept.extend(scene.kept_of(more));
    all
}

/// A state without some agents.
fn without(state: &FlockState, gone: &[u32]) -> FlockState {
    let rows: Vec<usize> = (0..state.len()).filter(|row| !gone.contains(&state.id[*row])).collect();
    state.in_order(&rows)
}

/// The scenes of these tests: all features, with and without a seam; a flock so dense that cells
/// are sorted as crowds; few agents.
fn scenes() -> Vec<(Scene, FlockState)> {
    let crowd = ["starling.spawn_at_scale={place = \"disc\", radius = 40}"];
    vec![mixed("wrap", &[]), mixed("walls", &[]), flock(6000, &crowd), flock(70, &[])]
}

#[test]
fn a_flock_holds_the_agents_that_were_added_and_not_those_that_were_removed() {
    let (mut engines, _) = engines();
    for (scene, state) in scenes() {
        for engine in &mut engines {
            engine.load(&scene, &state).unwrap();
            let more = newcomers(&scene, 20_000, 40);
            engine.append(&more).unwrap();
            let all = joined(&state, &more, &scene);
            let now = engine.read_back().unwrap();
            assert!(bits(&now) == bits(&all) && now.id == all.id && now.species == all.species);
            // The first and the last rows, and every third.
            let gone: Vec<u32> = all.id.iter().copied().filter(|id| id % 3 == 0).collect();
            let gone = [&gone[..], &[20_039]].concat();
            engine.remove(&gone).unwrap();
            let rest = without(&all, &gone);
            let now = engine.read_back().unwrap();
            assert!(bits(&now) == bits(&rest) && now.id == rest.id && now.species == rest.species);
            let after = stepped(&mut **engine, AFTER);
            assert_eq!(after.id, rest.id);
            assert!(bits(&after) != bits(&rest), "they move on");
        }
    }
}

/// In space an agent's motion takes more bytes than the least that a buffer had.
#[test]
fn a_flock_that_loses_all_agents_goes_on_empty() {
    let (mut engines, _) = engines();
    for size in ["[90, 60]", "[90, 60, 40]"] {
        let text = "[species.a]\ncount = 4\n[species.a.separation]\n";
        let scene = Scene::parse_with("few", text, &[format!("world.size={size}")]).unwrap();
        let (scene, state) = scene.populate(&Request::default()).unwrap();
        for engine in &mut engines {
            engine.load(&scene, &state).unwrap();
            engine.remove(&[0, 1, 2, 3]).unwrap();
            assert_eq!(stepped(&mut **engine, AFTER).len(), 0, "{size}");
            let more = FlockState { id: vec![4, 5, 6, 7], ..state.clone() };
            engine.append(&more).unwrap();
            assert_eq!(stepped(&mut **engine, AFTER).id, more.id, "{size}");
        }
    }
}

/// How a run gets its edits.
#[derive(Clone, Copy, PartialEq)]
enum Edits {
    None,
    /// `append` and `remove` between ticks.
    Between,
    /// The edited state is loaded.
    Loaded,
}

#[test]
fn a_flock_goes_on_with_others_as_one_that_is_loaded_so_and_as_on_the_other_engine() {
    let (mut engines, alike) = engines();
    let gone = [9_000, 3, 9_150, 17, 64];
    for (scene, state) in scenes() {
        let more = newcomers(&scene, 9_000, 300);
        let mut ends = Vec::new();
        for engine in &mut engines {
            let mut run = |edits: Edits| {
                engine.load(&scene, &state).unwrap();
                engine.step(BEFORE).unwrap();
                let reload = |engine: &mut dyn Engine, state: &FlockState| {
                    let scene = scene.with_targets(engine.targets().unwrap());
                    engine.load(&scene, state).unwrap();
                };
                match edits {
                    Edits::None => {}
                    Edits::Between => engine.append(&more).unwrap(),
                    Edits::Loaded => {
                        let all = joined(&engine.read_back().unwrap(), &more, &scene);
                        reload(engine.as_mut(), &all);
                    }
                }
                engine.step(1).unwrap();
                match edits {
                    Edits::None => {}
                    Edits::Between => engine.remove(&gone).unwrap(),
                    Edits::Loaded => {
                        let rest = without(&engine.read_back().unwrap(), &gone);
                        reload(engine.as_mut(), &rest);
                    }
                }
                stepped(&mut **engine, AFTER)
            };
            let edited = bits(&run(Edits::Between));
            assert_eq!(edited.len(), state.len() + 300 - 5);
            assert!(edited == bits(&run(Edits::Loaded)), "not as after a load");
            // The control: newcomers and gaps change how the others move.
            let alone = bits(&without(&run(Edits::None), &gone));
            assert!(edited[..alone.len()] != alone, "no agent has noticed");
            ends.push(edited);
        }
        assert!(!alike || ends.windows(2).all(|pair| pair[0] == pair[1]), "the engines part");
    }
}

#[test]
fn random_numbers_stay_the_same_when_another_agent_is_removed() {
    // Wanderers without neighbours: their motion depends only on their ids.
    let (scene, state) = wanderers(500);
    let (mut engines, _) = engines();
    for engine in &mut engines {
        let mut without_some = |gone: &[u32]| {
            engine.load(&scene, &state).unwrap();
            engine.step(BEFORE).unwrap();
            engine.remove(gone).unwrap();
            stepped(&mut **engine, AFTER)
        };
        let (all, rest) = (without_some(&[]), without_some(&[0, 1, 2, 250]));
        assert!(bits(&rest) == bits(&without(&all, &[0, 1, 2, 250])));
        // The control: agents whose draws followed their rows would behave differently.
        let mut renumbered = without(&state, &[0, 1, 2, 250]);
        renumbered.id = (0..renumbered.len() as u32).collect();
        let control = run(&mut **engine, &scene, &renumbered, BEFORE + AFTER);
        assert!(bits(&control) != bits(&rest));
    }
}

fn wanderers(count: u64) -> (Scene, FlockState) {
    let text = "[species.a]\nmax_speed = { from = 1, to = 3 }\n[species.a.wander]\n";
    populated(Scene::parse("test", text).unwrap(), count)
}

#[test]
fn an_id_is_used_once_and_what_cannot_be_changes_nothing() {
    let (mut engines, _) = engines();
    let (scene, state) = flock(100, &[]);
    for engine in &mut engines {
        engine.load(&scene, &state).unwrap();
        engine.remove(&[99, 98]).unwrap();
        let before = engine.read_back().unwrap();
        let used = |id, next| Err(EngineError::UsedId { id, next });
        assert_eq!(engine.append(&newcomers(&scene, 98, 1)), used(98, 100));
        assert_eq!(engine.append(&newcomers(&scene, 99, 2)), used(99, 100));
        let most = match engine.kind() {
            EngineKind::Gpu => 1 << 27,
            EngineKind::Cpu => u32::MAX,
        };
        let large = newcomers(&scene, most - 1, 2);
        let error = EngineError::LargeId { id: most, largest: most - 1 };
        assert_eq!(engine.append(&large), Err(error));
        let mut strange = newcomers(&scene, 100, 2);
        strange.species[1] = 7;
        assert!(matches!(engine.append(&strange), Err(EngineError::UnknownSpecies { .. })));
        for gone in [&[98][..], &[5, 300], &[1 << 30]] {
            assert!(matches!(engine.remove(gone), Err(EngineError::NoAgent { .. })));
        }
        assert!(engine.read_back().unwrap() == before);
        engine.append(&newcomers(&scene, 100, 1)).unwrap();
        assert_eq!(engine.read_back().unwrap().id[97..], [97, 100]);
    }
}

#[test]
fn a_flock_that_grows_allocates_now_and_then() {
    let Some(gpu) = adapter::gpu() else { return };
    let (scene, state) = flock(2000, &[]);
    let mut engine = common::gpu::engine(&gpu);
    engine.load(&scene, &state).unwrap();
    let mut allocations = 0;
    for step in 0..50 {
        let before = gpu.made().buffers;
        engine.append(&newcomers(&scene, 2000 + 20 * step, 20)).unwrap();
        engine.step(1).unwrap();
        allocations += u32::from(gpu.made().buffers > before);
    }
    assert_eq!(engine.read_back().unwrap().len(), 3000);
    assert!((1..=6).contains(&allocations), "{allocations} of 50");
}
