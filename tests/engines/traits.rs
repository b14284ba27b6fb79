//! Numbers that each agent draws for itself: both engines against the reference and against each
//! other, with controls that must make each comparison fail.

use crate::adapter;
use crate::common;
use crate::common::gpu::{GPU, engine, without_subgroups};
use crate::common::situations::Situation;
use crate::common::{BOUNDARIES, CORRECTLY_ROUNDED, bits, compare, mixed, reference, run, stepped};
use flockwork::engine::Engine;
use flockwork::engine::cpu::{CpuEngine, InstructionSet};
use flockwork::engine::gpu::device_grid::DeviceGrid;
use flockwork::engine::gpu::reflect;
use flockwork::engine::gpu::shaders::{Variant, compose, members_of_trait};
use flockwork::model::behaviours::Uses;
use flockwork::model::scene::{Law, Request, Scene};
use flockwork::model::state::FlockState;

/// Two species that draw all possible numbers between them; one also follows noise.
const DRAWN: &str = r#"
[world]
size = [200, 150]
[[targets]]
position = [60, 50]
[[obstacles]]
position = [120, 90]
radius = 12
[[paths]]
points = [[10, 20], [150, 130]]
[flow]
[species.a]
count = 60
mass = { from = 0.5, to = 2 }
max_speed = { from = 1, to = 4 }
max_force = { from = 0.1, to = 1 }
colour = "neighbours"
separation = { radius = { from = 5, to = 15 }, weight = { from = 0.5, to = 2 } }
cohesion = { radius = 40, inner = { from = 8, to = 30 } }
alignment = { radius = 12, weight = { base = 1, amplitude = 0.5, period = 20 } }
pursue = { radius = { from = 10, to = 40 }, ticks = { from = 0, to = 20 }, with = "b" }
wander = { turn = { from = 5, to = 40 }, radius = { from = 10, to = 30 } }
follow_path = { lookahead = { from = 5, to = 25 }, advance = { from = 2, to = 12 } }
avoid = { reach = { from = 10, to = 60 }, buffer = { from = 1, to = 9 } }
[species.b]
count = 60
max_speed = { base = 3, amplitude = 1, period = 30 }
view = { radius = { from = 15, to = 60 }, fov = 200 }
evade = { with = "a", weight = { from = 0.2, to = 1.5 } }
seek = { gain = { from = 0.01, to = 0.1 } }
flee = { radius = { from = 20, to = 150 } }
arrive = { slowing_radius = { from = 40, to = 200 } }
contain = { margin = { from = 20, to = 70 } }
size = { from = 2, to = 12 }
avoid = { method = "box", reach = 60 }
follow_flow = { weight = { from = 0, to = 1 } }
"#;

fn drawn(overrides: &[&str]) -> Situation {
    let scene = Scene::parse_with("drawn", DRAWN, overrides).unwrap();
    let (scene, state) = scene.populate(&Request::default()).unwrap();
    Situation { name: format!("{overrides:?}"), scene, state }
}

/// One situation for each version of the kernels: several species, one species, and a plain flock.
fn cases() -> Vec<Situation> {
    let mut cases: Vec<Situation> =
        BOUNDARIES.map(|edge| drawn(&[&format!("world.boundary={edge}")])).into();
    let flock = "[world]\nsize = [150, 100]\n[species.a]\nmax_speed = { from = 2, to = 4 }\n\
                 separation = { radius = { from = 5, to = 15 } }\nalignment = {}\n\
                 cohesion = { radius = 20 }\n";
    let (scene, state) = common::parsed(flock);
    cases.push(Situation { name: "flock".into(), scene, state });
    cases
}

#[test]
fn the_cpu_engine_draws_as_the_reference_does() {
    let mut engine = CpuEngine::new(Some(2)).unwrap();
    common::assert_ticks(&mut engine, cases(), 6, CORRECTLY_ROUNDED);
    for set in InstructionSet::available() {
        let mut other = CpuEngine::with_instructions(Some(1), set).unwrap();
        for case in cases() {
            let [a, b] = [&mut engine, &mut other].map(|e| run(e, &case.scene, &case.state, 20));
            assert!(bits(&a) == bits(&b), "{set}: {}", case.name);
        }
    }
}

#[test]
fn the_gpu_engine_draws_as_the_reference_does() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut on_gpu = engine(&gpu);
    common::assert_ticks(&mut on_gpu, cases(), 6, GPU);
    common::assert_ticks(&mut without_subgroups(&gpu), cases(), 2, GPU);
    // On a device that rounds every operation correctly, both engines have the same bits.
    let mut on_cpu = CpuEngine::new(None).unwrap();
    for case in cases() {
        let a = run(&mut on_gpu, &case.scene, &case.state, 50);
        let b = run(&mut on_cpu, &case.scene, &case.state, 50);
        let same = bits(&a) == bits(&b);
        println!("{}: {} after 50 ticks", case.name, if same { "the same bits" } else { "apart" });
        assert!(same || !gpu.name().contains("llvmpipe"), "{}", case.name);
    }
}

/// True if one tick of a case differs from the reference of a changed scene.
fn notices(case: &Situation, after: &FlockState, change: impl Fn(&mut Scene)) -> bool {
    let mut other = case.scene.clone();
    change(&mut other);
    let expected = reference::step(&other, &case.state);
    compare(&case.scene, &expected, after, CORRECTLY_ROUNDED).is_err()
}

#[test]
fn another_draw_turns_the_comparison_red() {
    let case = drawn(&[]);
    let after = run(&mut CpuEngine::new(Some(1)).unwrap(), &case.scene, &case.state, 1);
    assert!(!notices(&case, &after, |_| {}));
    for species in 0..2 {
        for number in 0..case.scene.species[species].variations.len() {
            // Halve the lower end, if the value is drawn.
            let red = notices(&case, &after, |scene| {
                let Law::PerAgent { from } = &mut scene.species[species].variations[number].law
                else {
                    return;
                };
                *from *= 0.5;
            });
            let variation = case.scene.species[species].variations[number];
            let key = variation.slot.key();
            // Halving the lower end changes nothing when it is 0.
            let silent = matches!(variation.law, Law::PerAgent { from } if from == 0.0);
            assert!(red || silent || !variation.is_drawn(), "{key} makes no difference");
        }
    }
    assert!(notices(&case, &after, |scene| scene.species[0].variations.clear()));
    assert!(notices(&case, &after, |scene| scene.seed += 1));
}

#[test]
fn the_device_reads_the_ends_of_every_draw() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut engine = engine(&gpu);
    // Without noise, which would rewrite the table.
    let constant = ["a.alignment.weight=1", "b.max_speed=3"];
    let case = drawn(&constant);
    let grid = DeviceGrid::of(&case.scene, case.state.len());
    let (_, module) = compose("steer", &Variant::of(&case.scene, grid.is_narrow, false)).unwrap();
    let layout = reflect::member(&module, "tables", "species").unwrap().element;
    let whole = run(&mut engine, &case.scene, &case.state, 1);
    let mut poisoned = 0;
    for slot in case.scene.traits() {
        let (member, least) = members_of_trait(slot, &case.scene.formulas());
        for path in [member, least] {
            let at = layout.fields[&path].offset as usize;
            engine.load(&case.scene, &case.state).unwrap();
            let mut bytes = engine.read_buffer("tables").unwrap();
            for record in bytes.chunks_exact_mut(layout.size as usize).take(2) {
                let value = f32::from_le_bytes(record[at..at + 4].try_into().unwrap());
                record[at..at + 4].copy_from_slice(&(value * 0.7 + 0.01).to_le_bytes());
            }
            engine.write_buffer("tables", &bytes).unwrap();
            let state = stepped(&mut engine, 1);
            assert!(bits(&state) != bits(&whole), "{path} makes no difference");
            poisoned += 1;
        }
    }
    println!("{poisoned} numbers");
}

#[test]
fn a_draw_depends_on_seed_agent_and_key_alone() {
    let speeds = |overrides: &[&str]| -> Vec<f32> {
        let Situation { scene, state, .. } = drawn(overrides);
        let own = |id: &u32| scene.species[0].of_agent(scene.seed, *id).body.max_speed;
        state.id.iter().take(60).map(own).collect()
    };
    let first = speeds(&[]);
    assert!(first.iter().all(|speed| (1.0..=4.0).contains(speed)));
    // Other changes to the scene change nothing.
    let others = ["a.mass=1", "a.wander.turn=3", "b.count=70", "world.size=[300,200]"];
    assert_eq!(first, speeds(&others));
    assert_eq!(first, speeds(&["a.separation.weight={ from = 0, to = 3 }"]));
    let moved: Vec<f32> = speeds(&["a.max_speed={ from = 2, to = 5 }"]);
    let as_much = first.iter().zip(&moved).all(|(a, b)| (a + 1.0 - b).abs() < 1e-5);
    assert!(as_much, "another draw, not other ends");
    assert_ne!(first, speeds(&["seed=2"]));
    // Two keys with the same ends draw different numbers.
    let Situation { scene, .. } = drawn(&["a.mass={ from = 1, to = 4 }"]);
    let pairs = (0..60).map(|id| scene.species[0].of_agent(scene.seed, id).body);
    let alike = pairs.filter(|body| (body.mass - body.max_speed).abs() < 0.1).count();
    assert!(alike < 15, "{alike} of 60 draw the same for both");
}

#[test]
fn a_shader_draws_only_what_its_scene_draws() {
    let wgsl = |scene: &Scene| {
        let variant = Variant::of(scene, DeviceGrid::of(scene, 100).is_narrow, false);
        compose("steer", &variant).unwrap().0
    };
    let plain = drawn(&[]).scene;
    assert!(wgsl(&plain).contains("least_max_speed") && plain.uses().has(Uses::TRAITS));
    let mut none = plain;
    none.species.iter_mut().for_each(|species| species.variations.clear());
    for word in ["least_", "with_traits", "PURPOSE_TRAIT"] {
        let lines: Vec<String> =
            wgsl(&none).lines().filter(|l| l.contains(word)).map(String::from).collect();
        assert!(lines.is_empty(), "`{word}` is in a shader that draws nothing: {lines:?}");
    }
    let (mixed, _) = mixed("wrap", &[]);
    let wgsl = wgsl(&mixed);
    assert!(wgsl.contains("least_wander_turn") && !wgsl.contains("least_mass"));
}
