//! The CPU engine against the brute-force reference, and what it promises of bits and time.

mod common;

use common::situations::{behaviour_sets, parity, situation};
use common::{CORRECTLY_ROUNDED, bits, check_invariants, compare, differences, reference, run};
use flockwork::engine::Engine;
use flockwork::engine::cpu::{CpuEngine, InstructionSet};
use flockwork::model::behaviours::Kind;
use flockwork::model::parameter::{Meaning, Parameter};
use flockwork::model::scene::{BuiltIn, Request, Scene};
use flockwork::model::state::FlockState;
use glam::{DVec2, Vec2};

/// Situations for each set of behaviours; nine sets.
const EACH: u64 = 250;

fn engine() -> CpuEngine {
    CpuEngine::new(Some(2)).unwrap()
}

fn flock(count: u64, overrides: &[&str]) -> (Scene, FlockState) {
    let text = BuiltIn::named("flock").unwrap().text;
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_string()).collect();
    let mut scene = Scene::parse("flock", text, &overrides).unwrap();
    let state = scene.populate(&Request { count: Some(count), ..Request::default() }).unwrap();
    (scene, state)
}

#[test]
fn one_tick_is_that_of_the_reference() {
    let mut engine = engine();
    let (mut worst_position, mut worst_velocity, mut doubtful, mut cases) = (0.0, 0.0, 0.0, 0);
    for case in parity(EACH) {
        let expected = reference::step(&case.scene, &case.state);
        let state = run(&mut engine, &case.scene, &case.state, 1);
        let (position, velocity) = differences(&case.scene, &expected, &state);
        worst_position = f64::max(worst_position, position);
        worst_velocity = f64::max(worst_velocity, velocity);
        doubtful += common::doubtful_part(&expected);
        cases += 1;
        if let Err(problem) = compare(&case.scene, &expected, &state, CORRECTLY_ROUNDED) {
            panic!("{}: {problem}", case.name);
        }
    }
    println!("{:.2} % too close to call", 100.0 * doubtful / f64::from(cases));
    println!(
        "{cases} situations: off by {worst_position:.1e} units, {worst_velocity:.1e} units/tick"
    );
    common::assert_decided(doubtful / f64::from(cases), "parity");
}

/// A value that differs visibly from the one a parameter has.
fn perturbed(parameter: &Parameter, value: f32) -> f32 {
    match parameter.meaning {
        Meaning::Number if value == 0.0 => 0.05,
        Meaning::Number => value * 1.05,
        Meaning::Target if value == 2.0 => 1.0,
        Meaning::Target => 2.0,
        Meaning::SpeciesSet { .. } => value + if value as u32 & 2 == 0 { 2.0 } else { -2.0 },
    }
}

/// True when some situation tells the engine's scene from `change(scene)`.
fn notices(kinds: &[Kind], change: impl Fn(&mut Scene)) -> bool {
    let mut engine = engine();
    (0..EACH).any(|number| {
        let case = situation(kinds, number);
        let mut other = case.scene.clone();
        change(&mut other);
        let expected = reference::step(&other, &case.state);
        let state = run(&mut engine, &case.scene, &case.state, 1);
        compare(&case.scene, &expected, &state, CORRECTLY_ROUNDED).is_err()
    })
}

#[test]
fn every_perturbed_parameter_turns_the_comparison_red() {
    for kinds in behaviour_sets() {
        for kind in kinds.iter().copied() {
            for (slot, parameter) in kind.info().parameters.iter().enumerate() {
                let red = notices(&kinds, |scene| {
                    for species in &mut scene.species {
                        for rule in species.rules.iter_mut().filter(|rule| rule.kind == kind) {
                            rule.values[slot] = perturbed(parameter, rule.values[slot]);
                        }
                    }
                });
                assert!(red, "{kinds:?}: {kind:?}.{} makes no difference", parameter.key);
            }
        }
        assert!(notices(&kinds, |scene| scene.time_step *= 1.05), "time_step");
        for field in 0..3 {
            let red = notices(&kinds, |scene| {
                for body in scene.species.iter_mut().map(|species| &mut species.body) {
                    let values = [&mut body.mass, &mut body.max_speed, &mut body.max_force];
                    *values.into_iter().nth(field).unwrap() *= 1.05;
                }
            });
            assert!(red, "{kinds:?}: body field {field} makes no difference");
        }
    }
}

#[test]
fn a_situation_is_what_its_name_says() {
    let cases: Vec<_> = parity(EACH).collect();
    assert!(cases.len() > 1000);
    let some = |what: &dyn Fn(&FlockState, &Scene) -> bool| {
        cases.iter().filter(|case| what(&case.state, &case.scene)).count()
    };
    let pair = |state: &FlockState, near: &dyn Fn(Vec2) -> bool| {
        let all = &state.position;
        (0..all.len()).any(|i| (0..i).any(|j| near(all[i] - all[j])))
    };
    assert!(some(&|state, _| state.velocity.contains(&Vec2::ZERO)) > 50);
    assert!(some(&|state, scene| state.position.contains(&scene.targets[1].position)) > 10);
    assert!(some(&|state, _| pair(state, &|d| d == Vec2::ZERO)) > 50);
    assert!(some(&|state, _| pair(state, &|d| d.length_squared() == 100.0)) > 50);
    assert!(some(&|state, _| state.len() == 1) > 50);
    for cells in 1..=3 {
        assert!(some(&|state, scene| scene.grid(state.len()).columns == cells) > 50, "{cells}");
    }
}

#[test]
fn threads_and_instruction_sets_give_the_same_bits() {
    let mixed = std::fs::read_to_string("tests/common/mixed.toml").unwrap();
    let mut scenes = vec![
        flock(3000, &[]),
        flock(3000, &["world.boundary=\"walls\"", "starling.contain.weight=2"]),
        // Crowded: runs are sampled from the first tick on.
        flock(3000, &["starling.spawn_at_scale.place=\"point\""]),
        // Small worlds: every group is at the seam.
        flock(300, &["world.size=[120, 90]"]),
        flock(40, &["world.size=[160, 160]", "world.density=10"]),
    ];
    for boundary in ["wrap", "walls", "open"] {
        let overrides = [format!("world.boundary=\"{boundary}\"")];
        let mut scene = Scene::parse("mixed", &mixed, &overrides).unwrap();
        let state = scene.populate(&Request::default()).unwrap();
        scenes.push((scene, state));
    }
    println!("instruction sets: {:?}", InstructionSet::available());
    for (index, (scene, state)) in scenes.iter().enumerate() {
        let mut scalar = CpuEngine::with_instructions(Some(1), InstructionSet::Scalar).unwrap();
        let expected = bits(&run(&mut scalar, scene, state, 100));
        for set in InstructionSet::available() {
            for threads in [1, 2, 3, 7] {
                let mut engine = CpuEngine::with_instructions(Some(threads), set).unwrap();
                let state = run(&mut engine, scene, state, 100);
                assert!(bits(&state) == expected, "scene {index}, {set}, {threads} threads");
            }
        }
    }
}

#[test]
fn one_more_ulp_changes_the_bits() {
    // The control of the test above.
    let (scene, state) = flock(3000, &[]);
    let mut engine = engine();
    let mut other = state.clone();
    other.position[7].x = other.position[7].x.next_up();
    let same = bits(&run(&mut engine, &scene, &state, 100))
        == bits(&run(&mut engine, &scene, &other, 100));
    assert!(!same);
}

#[test]
fn ticks_may_be_taken_one_by_one_or_at_once_or_after_a_reload_of_the_order() {
    let (scene, state) = flock(2000, &[]);
    let mut engine = engine();
    let at_once = run(&mut engine, &scene, &state, 20);
    engine.load(&scene, &state).unwrap();
    for _ in 0..20 {
        engine.step(1).unwrap();
    }
    let one_by_one = engine.read_back().unwrap();
    assert_eq!(at_once, one_by_one);
    assert_eq!(at_once.tick, 20);
}

#[test]
fn a_thousand_ticks_lose_nobody() {
    let mixed = std::fs::read_to_string("tests/common/mixed.toml").unwrap();
    for boundary in ["wrap", "walls", "open"] {
        let overrides = [format!("world.boundary=\"{boundary}\"")];
        let mut scene = Scene::parse("mixed", &mixed, &overrides).unwrap();
        let first = scene.populate(&Request::default()).unwrap();
        let mut engine = engine();
        engine.load(&scene, &first).unwrap();
        for _ in 0..20 {
            engine.step(50).unwrap();
            let state = engine.read_back().unwrap();
            if let Err(problem) = check_invariants(&scene, &first, &state) {
                panic!("{boundary}, tick {}: {problem}", state.tick);
            }
        }
        let mut state = engine.read_back().unwrap();
        state.velocity[3].x = f32::NAN;
        assert!(check_invariants(&scene, &first, &state).is_err());
    }
}

#[test]
fn a_sample_of_a_crowd_is_right_on_average() {
    // 1000 agents in a cell: each looks at an eighth of them. Over many ticks the sampled sums must
    // have the mean of the exact ones: alignment alone, seen through the change of velocity.
    let text = "world = { size = [100, 100], boundary = \"open\" }\n\
                [species.a]\nmax_speed = 1e3\nmax_force = 1e-3\n[species.a.alignment]\nradius = 50\n";
    let mut scene = Scene::parse("crowd", text, &[]).unwrap();
    let mut dice = common::situations::Dice::new(5);
    let count = 1000;
    let mut state = FlockState {
        id: (0..count).collect(),
        species: vec![0; count as usize],
        ..FlockState::default()
    };
    for _ in 0..count {
        state.position.push(Vec2::new(dice.between(20.0, 30.0), dice.between(20.0, 30.0)));
        state.velocity.push(Vec2::new(dice.between(0.5, 1.5), dice.between(-0.5, 1.0)));
    }
    // Agent 0 stands still and is given a force along the direction of the sum.
    state.velocity[0] = Vec2::ZERO;
    let exact: DVec2 = state.velocity.iter().map(|v| v.as_dvec2()).sum();
    let mut engine = engine();
    let mut headings = Vec::new();
    for seed in 0..300 {
        scene.seed = seed;
        let after = run(&mut engine, &scene, &state, 1);
        headings.push(after.velocity[0].as_dvec2().normalize());
    }
    let off = |heading: DVec2| heading.angle_to(exact).to_degrees().abs();
    let sampled = off(common::mean(&headings));
    // One sample of 125 is off by 0.3/√125 rad = 1.5°, the mean of 300 by a seventeenth of that.
    let worst = headings.iter().map(|heading| off(*heading)).fold(0.0, f64::max);
    println!("one sample is up to {worst:.2}° off the exact sum, the mean of 300 {sampled:.2}°");
    assert!(sampled < 0.4, "the mean of the samples is {sampled}° off");
    // The control: a sample that is always the same is not right on average.
    assert!(worst > 0.8, "nothing was sampled");
}

#[test]
fn a_flock_on_one_spot_does_not_stop_the_engine() {
    let (scene, first) = flock(200_000, &["starling.spawn_at_scale.place=\"point\""]);
    let mut engine = engine();
    engine.load(&scene, &first).unwrap();
    assert_eq!(engine.largest_cell(), 200_000);
    engine.step(3).unwrap();
    check_invariants(&scene, &first, &engine.read_back().unwrap()).unwrap();
}

#[test]
fn the_pointer_is_sought_and_let_go() {
    let (scene, state) = flock(100, &["world.boundary=\"open\""]);
    let mut engine = engine();
    let calm = run(&mut engine, &scene, &state, 30);
    engine.load(&scene, &state).unwrap();
    engine.set_pointer(Some(Vec2::new(0.0, 0.0)));
    engine.step(30).unwrap();
    let drawn = engine.read_back().unwrap();
    let mean = |state: &FlockState| {
        let all: Vec<DVec2> = state.position.iter().map(|p| p.as_dvec2()).collect();
        common::mean(&all).length()
    };
    assert!(mean(&drawn) < mean(&calm) - 1.0);
    engine.set_pointer(None);
    engine.load(&scene, &state).unwrap();
    engine.step(30).unwrap();
    assert_eq!(bits(&engine.read_back().unwrap()), bits(&calm));
}

#[test]
fn passes_are_measured_when_asked_for() {
    let (scene, state) = flock(1000, &[]);
    let mut engine = engine();
    run(&mut engine, &scene, &state, 1);
    assert!(engine.profile().passes.is_empty());
    engine.set_profiling(true);
    engine.step(5).unwrap();
    let profile = engine.profile();
    let names: Vec<_> = profile.passes.iter().map(|pass| pass.pass).collect();
    assert_eq!(names, ["steer", "sort"]);
    assert!(!profile.by_timestamps);
}
