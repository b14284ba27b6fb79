//! Forces of rules in text that are no numbers: every engine counts as many as brute force finds, and names
//! their rules.

use crate::adapter;
use crate::common::gpu::{engine, with_cpu};
use crate::common::ranks::{on_ranks, part};
use crate::common::{self, run};
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::{BrokenForces, Change, Engine};
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;

/// Ticks that are more than one submission holds.
const TICKS: u32 = 70;

/// Three species. The rule `edge` divides by 0 where x is below 50, and `alone` where an agent has no neighbour.
/// The third species has a rule without weight.
fn scene(size: &str, guarded: bool) -> (Scene, FlockState) {
    let [by_edge, by_number] = match guarded {
        true => ["max(floor(x(position) / 50), 1)", "max(n, 1)"],
        false => ["floor(x(position) / 50)", "n"],
    };
    let text = format!(
        "seed = 5\nworld = {{ size = {size}, boundary = \"open\" }}\n\
         [species.a]\ncount = 90\nrules.edge = {{ force = \"0.01 * velocity / {by_edge}\" }}\n\
         [species.b]\ncount = 70\nrules.alone = {{ radius = 20, sum.n = \"1\", \
         force = \"0.01 * heading / {by_number}\" }}\n\
         [species.c]\ncount = 30\nrules.none = {{ weight = 0, force = \"velocity / {by_edge}\" }}\n"
    );
    common::parsed(&text)
}

/// The forces of the next tick that are no numbers.
fn broken(state: &FlockState) -> u64 {
    let breaks = |agent: usize| {
        let place = state.position[agent];
        let near = |other: &usize| place.distance_squared(state.position[*other]) < 400.0;
        match state.species[agent] {
            0 => place.x < 50.0 && place.x >= 0.0,
            1 => (0..state.len()).filter(near).count() == 1,
            _ => false,
        }
    };
    (0..state.len()).filter(|agent| breaks(*agent)).count() as u64
}

#[test]
fn forces_that_are_no_numbers_are_counted_and_named() {
    let mut engines = with_cpu(adapter::gpu());
    for size in ["[400, 300]", "[400, 100, 100]"] {
        let (scene, state) = scene(size, false);
        let (guarded, _) = self::scene(size, true);
        let (keeping, _) = common::parsed(&format!(
            "world.size = {size}\n[species.a]\nrules.edge = {{ state.s = \"s + 1\", force = \
             \"0.01 * velocity / floor(x(position) / 50)\" }}\n"
        ));
        let mut all: Vec<BrokenForces> = Vec::new();
        for engine in &mut engines {
            engine.load(&scene, &state).unwrap();
            assert_eq!(engine.broken_forces(), BrokenForces::default());
            let mut wanted = 0;
            for _ in 0..3 {
                let now = broken(&engine.read_back().unwrap());
                assert!(now > 10, "too few to tell: {now}");
                wanted += now;
                engine.step(1).unwrap();
                engine.finish().unwrap();
                assert_eq!(engine.broken_forces().count, wanted, "{}", engine.describe());
            }
            let sentence = engine.broken_forces().sentence(&scene).unwrap();
            assert!(sentence.contains("of `a.rules.edge`, `b.rules.alone` had"), "{sentence}");
            // A larger grid, and then agents that keep a number, need other buffers: the count goes on.
            engine.step(TICKS).unwrap();
            let mut edited = scene.clone();
            edited.world.size *= 3.0;
            engine.update(&edited, Change::WORLD).unwrap();
            engine.step(1).unwrap();
            edited.species[0].rules[0] = keeping.species[0].rules[0].clone();
            engine.update(&edited, Change::PARAMETERS).unwrap();
            engine.step(1).unwrap();
            engine.finish().unwrap();
            all.push(engine.broken_forces());
            // Rules that have gone are not named, nor others in their places.
            edited.species[0].rules.clear();
            engine.update(&edited, Change::PARAMETERS).unwrap();
            let sentence = engine.broken_forces().sentence(&edited).unwrap();
            assert!(sentence.contains("forces had a component"), "{sentence}");
            edited.world.size /= 3.0;
            engine.update(&edited, Change::WORLD).unwrap();
            engine.step(TICKS).unwrap();
            engine.finish().unwrap();
            let sentence = engine.broken_forces().sentence(&edited).unwrap();
            assert!(sentence.contains("forces of `b.rules.alone` had"), "{sentence}");

            // The control: formulas that do not divide by 0. It is a new flock, so the count begins anew.
            run(&mut **engine, &guarded, &state, TICKS);
            assert_eq!(engine.broken_forces().sentence(&guarded), None);
        }
        assert!(all.windows(2).all(|two| two[0] == two[1]), "{all:?}");
    }
}

#[test]
fn ranks_count_the_forces_of_all() {
    let (scene, state) = scene("[400, 300]", false);
    let on = |engine: &mut dyn Engine, part: &FlockState| {
        run(engine, &scene, part, TICKS);
        engine.broken_forces()
    };
    let cpu = |_: usize| CpuEngine::new(Some(2)).unwrap();
    let wanted = on(&mut cpu(0), &state);
    assert!(wanted.count > 1000, "{wanted:?}");
    let found = on_ranks(3, cpu, |many, rank| on(many, &part(&state, rank, 3)));
    assert_eq!(found, wanted);
    if adapter::gpu().is_some() {
        let gpu = |_: usize| engine(&adapter::gpu().unwrap());
        let found = on_ranks(2, gpu, |many, rank| on(many, &part(&state, rank, 2)));
        assert_eq!(found, wanted);
    }
}
