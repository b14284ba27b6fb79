//! Numbers that agents keep for their rules in text, on both engines: who reads which, when they change, and
//! what happens to them when the flock or its rules do.

use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::{Change, Engine};
use flockwork::model::kept::{KeptNames, KeptRow};
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;

use crate::adapter;
use crate::common::gpu::{compares_bits, with_cpu};
use crate::common::{self, bits, run};

/// Agents of a situation: as many as there are bits in a whole number.
const AGENTS: u64 = 24;

/// The worlds of the tests.
const WORLDS: [&str; 4] = [
    "{ size = [60, 50] }",
    "{ size = [60, 50], boundary = \"walls\" }",
    "{ size = [60, 50, 40] }",
    "{ size = [60, 50, 40], boundary = \"open\" }",
];

/// The engines whose bits are compared.
#[track_caller]
fn exact_engines() -> Vec<Box<dyn Engine>> {
    with_cpu(adapter::gpu().filter(|gpu| compares_bits(gpu)))
}

fn scene_of(world: &str, species: &str) -> (Scene, FlockState) {
    let text = format!("seed = 5\nworld = {world}\n{species}");
    common::parsed(&text)
}

fn numbers(state: &FlockState, name: &str) -> Vec<f32> {
    let place = state.kept_names.place(name).unwrap();
    state.kept.iter().map(|row| row[place]).collect()
}

#[test]
fn numbers_change_together_and_others_see_the_old_ones() {
    // Two that change places, one that counts, one that halves what it was drawn as.
    let species = format!(
        "[species.a]\ncount = {AGENTS}\n[species.a.rules.own]\nforce = \"vector_of_count\"\n\
         state.one = {{ next = \"other\", start = 3 }}\nstate.other = {{ next = \"one\", start = -7.25 }}\n\
         state.count = \"count + 1\"\n\
         state.half = {{ next = \"half / 2\", start = {{ from = -1, to = 1 }} }}\n"
    );
    for mut engine in with_cpu(adapter::gpu()) {
        for world in WORLDS {
            let vector = if world.matches(',').count() > 1 && world.contains("40]") {
                "vector(count, 0, 0)"
            } else {
                "vector(count, 0)"
            };
            let (scene, state) = scene_of(world, &species.replace("vector_of_count", vector));
            let drawn = numbers(&state, "half");
            assert!(drawn.iter().any(|x| *x > 0.5) && drawn.iter().any(|x| *x < -0.5));
            for ticks in [1, 2, 7] {
                let after = run(&mut *engine, &scene, &state, ticks);
                let (one, other) = if ticks % 2 == 1 { (-7.25, 3.0) } else { (3.0, -7.25) };
                assert!(numbers(&after, "one").iter().all(|x| *x == one), "{ticks}");
                assert!(numbers(&after, "other").iter().all(|x| *x == other), "{ticks}");
                assert!(numbers(&after, "count").iter().all(|x| *x == ticks as f32), "{ticks}");
                let halved: Vec<f32> =
                    drawn.iter().map(|x| x * 0.5_f32.powi(ticks as i32)).collect();
                assert_eq!(numbers(&after, "half"), halved);
            }
        }
    }
}

#[test]
fn an_agent_hears_the_numbers_of_its_neighbours() {
    // Agent n keeps 2ⁿ: a sum says who is in it.
    let rule = |name: &str| {
        format!(
            "[species.{name}]\ncount = 12\nmax_speed = 1e-6\n[species.{name}.rules.hear]\nradius = 18\n\
             sum.total = \"other_own\"\nsum.above = \"if(other_own > own, 1, 0)\"\nforce = \"zero\"\n\
             state.own = \"own\"\nstate.heard = \"total\"\nstate.larger = \"above\"\n"
        )
    };
    // The third species reads what it does not change; it has no `heard`.
    let species = format!(
        "{}{}[species.c]\ncount = 3\nmax_speed = 1e-6\n[species.c.rules.know]\nradius = 18\n\
         sum.total = \"other_own\"\nforce = \"zero\"\nstate.own = \"own\"\nstate.known = \"total\"\n",
        rule("a"),
        rule("b")
    );
    let (mut wider_is_seen, mut worlds) = (0, 0);
    for mut engine in with_cpu(adapter::gpu()) {
        for world in WORLDS {
            let (scene, mut state) = scene_of(world, &species);
            let names = scene.kept_names();
            let place = |name| names.place(name).unwrap();
            for (agent, row) in state.kept.iter_mut().enumerate() {
                row[place("own")] = if agent < 24 { (1 << agent) as f32 } else { 0.0 };
                row[place("known")] = 0.0;
            }
            let after = run(&mut *engine, &scene, &state, 1);
            let near = |agent: usize, other: usize| {
                let way =
                    scene.world.shortest_between(state.position[agent], state.position[other]);
                agent != other && way.length() < 18.0
            };
            for agent in 0..27 {
                let others: Vec<usize> = (0..24).filter(|other| near(agent, *other)).collect();
                let total: f32 = others.iter().map(|other| (1 << other) as f32).sum();
                let larger = others.iter().filter(|other| **other > agent).count() as f32;
                let row = after.kept[agent];
                let wanted: KeptRow = {
                    let mut row = KeptRow::default();
                    row[place("own")] = if agent < 24 { (1 << agent) as f32 } else { 0.0 };
                    if agent < 24 {
                        row[place("heard")] = total;
                        row[place("larger")] = larger;
                    } else {
                        row[place("known")] = total;
                    }
                    row
                };
                assert_eq!(row, wanted, "{world}: agent {agent}");
            }
            // The control: a radius that is a little larger takes in one too many.
            let (wider, _) = scene_of(world, &species.replace("radius = 18", "radius = 19"));
            let other = run(&mut *engine, &wider, &state, 1);
            wider_is_seen += u32::from(other.kept != after.kept);
            worlds += 1;
        }
    }
    assert_eq!(wider_is_seen, worlds);
}

/// Oscillators that listen to one another and are steered by it, with numbers that are no powers of two.
fn oscillators(rate: &str) -> String {
    format!(
        "[species.a]\ncount = 150\nmax_force = 0.2\nseparation = {{ radius = 9 }}\n\
         [species.a.rules.beat]\nradius = 13\nnearest = 7\nfov = 300\nwith = \"all\"\n\
         sum.pull = \"sin(other_phase - phase)\"\nsum.way = \"cos(other_phase - phase) * direction\"\n\
         force = \"0.1 * way + 0.03 * energy * heading\"\n\
         [species.a.rules.beat.state]\nphase = {{ next = \"phase + {rate} + 0.01 * pull\", \
         start = {{ from = 0, to = 1 }} }}\n\
         energy = {{ next = \"energy * 0.97 + 0.1 * random(3)\", start = {{ mean = 1, deviation = 0.3 }} }}\n\
         [species.b]\ncount = 60\nmax_speed = 3\ncombine = \"priority\"\n[species.b.seek]\n\
         [species.b.rules.follow]\nradius = 15\nsum.way = \"offset * (1.1 + sin(other_phase))\"\n\
         force = \"way / max(neighbours, 1)\"\n[species.b.rules.follow.state]\n\
         phase = \"phase * 0.9 + 0.3 / (1 + neighbours)\"\n\
         [species.c]\ncount = 40\nwander = {{}}\n"
    )
}

#[test]
fn every_engine_keeps_the_same_bits() {
    let mut engines = exact_engines();
    for world in WORLDS {
        let (scene, state) = scene_of(world, &oscillators("0.0123"));
        let wanted = run(&mut *engines[0], &scene, &state, 60);
        for engine in &mut engines[1..] {
            let found = run(&mut **engine, &scene, &state, 60);
            assert!(bits(&found) == bits(&wanted), "{world}: {}", engine.describe());
        }
        // The control: a rate that differs in its last place.
        let (other, state) = scene_of(world, &oscillators("0.012300001"));
        assert!(bits(&run(&mut *engines[0], &other, &state, 60)) != bits(&wanted));
        // A species without the rule keeps nothing.
        let place = wanted.kept_names.place("phase").unwrap();
        let own = |species: u8| {
            let rows = wanted.species.iter().zip(&wanted.kept);
            rows.filter(move |(own, _)| **own == species).map(move |(_, row)| row[place])
        };
        assert!(own(0).all(|x| x != 0.0) && own(1).all(|x| x != 0.0) && own(2).all(|x| x == 0.0));
    }
}

#[test]
fn a_result_that_is_no_number_leaves_the_old_one() {
    let species = "[species.a]\ncount = 5\n[species.a.rules.own]\nforce = \"zero\"\n\
                   state.ratio = { next = \"ratio + 1 / (tick - 2)\", start = 10 }\n\
                   state.root = { next = \"sqrt(root - 1)\", start = 1.5 }\n\
                   state.tiny = { next = \"tiny * 1e-15\", start = -1 }\n\
                   state.large = { next = \"large * 1e15\", start = -1 }\n";
    for mut engine in with_cpu(adapter::gpu()) {
        let (scene, state) = scene_of(WORLDS[0], species);
        let after = run(&mut *engine, &scene, &state, 4);
        // −1/2 − 1, nothing at tick 2, + 1.
        let ratios = numbers(&after, "ratio");
        assert!(ratios.iter().all(|x| *x == 9.5), "{ratios:?}");
        let root = 0.5_f32.sqrt();
        assert!(numbers(&after, "root").iter().all(|x| *x == root));
        assert!(numbers(&after, "tiny").iter().all(|x| x.to_bits() == 0));
        assert!(numbers(&after, "large").iter().all(|x| *x == -1e15));
    }
}

#[test]
fn a_species_keeps_a_number_while_one_of_its_rules_does() {
    let text = |rule: &str| {
        format!(
            "[species.a]\ncount = 3\nrules.r = {{ force = \"zero\", state.f = \"8\" }}\n\
             [species.b]\ncount = 2\n{rule}"
        )
    };
    let counts = "rules.r = { force = \"zero\", state.f = { next = \"f + 1\", start = 5 } }";
    let ((with, first), (without, _)) =
        (scene_of(WORLDS[0], &text(counts)), scene_of(WORLDS[0], &text("")));
    assert_eq!(numbers(&first, "f"), [0.0, 0.0, 0.0, 5.0, 5.0]);
    for mut engine in exact_engines() {
        engine.load(&with, &first).unwrap();
        engine.step(1).unwrap();
        let keeps = |engine: &mut dyn Engine, wanted: f32| {
            let state = engine.snapshot().unwrap().state;
            assert_eq!(numbers(&state, "f"), [8.0, 8.0, 8.0, wanted, wanted]);
            state
        };
        keeps(&mut *engine, 6.0);
        engine.update(&without, Change::PARAMETERS).unwrap();
        keeps(&mut *engine, 0.0);
        // It begins anew, though the other species has gone on with its own.
        engine.update(&with, Change::PARAMETERS).unwrap();
        let state = keeps(&mut *engine, 5.0);
        // A table does not say which species keeps a number.
        let of_table = FlockState { kept_names: KeptNames::of(["f"]), ..state };
        engine.load(&without, &of_table).unwrap();
        keeps(&mut *engine, 0.0);
        engine.load(&with, &of_table).unwrap();
        keeps(&mut *engine, 5.0);
    }
}

#[test]
fn a_running_flock_keeps_its_numbers_through_edits() {
    for world in [WORLDS[0], WORLDS[3]] {
        for mut engine in exact_engines() {
            let (scene, state) = scene_of(world, &oscillators("0.0123"));
            engine.load(&scene, &state).unwrap();
            engine.step(5).unwrap();
            // Newcomers begin with first numbers; others keep theirs.
            let mut more = scene.newcomers(0, 1000, 20);
            more.species.fill(0);
            engine.append(&more).unwrap();
            engine.remove(&[3, 150, 1004]).unwrap();
            let joined = engine.snapshot().unwrap().state;
            assert_eq!(joined.len(), state.len() + 17);
            let row = joined.id.iter().position(|id| *id == 1003).unwrap();
            assert_eq!(joined.kept[row], scene.first_kept(scene.kept_names(), 0, 1003));
            // Without `energy`, then without any, then with all again.
            for lost in [&["energy"][..], &["energy", "phase"], &[]] {
                let mut text = oscillators("0.0123");
                for name in lost {
                    // Its line, and 0.5 in its place.
                    let lines = text.lines().filter(|line| !line.starts_with(name));
                    text = lines.collect::<Vec<_>>().join("\n");
                    text = text.replace(&format!("other_{name}"), "0.5").replace(name, "0.5");
                }
                let (mut next, _) = scene_of(world, &text);
                next.world = scene.world;
                let before = engine.snapshot().unwrap().state;
                engine.update(&next, Change::PARAMETERS).unwrap();
                let after = engine.snapshot().unwrap().state;
                assert_eq!(after.kept_names, next.kept_names());
                assert_eq!(after.kept, next.kept_of(&before), "{lost:?}");
                engine.step(5).unwrap();
                let went_on = engine.snapshot().unwrap().state;
                let mut other = CpuEngine::new(Some(1)).unwrap();
                let again = run(&mut other, &next, &before, 5);
                assert!(bits(&went_on) == bits(&again), "{lost:?}");
            }
            // A removed id is not used again.
            assert!(engine.append(&FlockState { id: vec![1004], ..more.rows(0..1) }).is_err());
        }
    }
}
