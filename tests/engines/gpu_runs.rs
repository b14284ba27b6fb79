//! Levels 3 and 4: runs of the GPU engine against the CPU engine and against each other, with
//! controls that must make each comparison fail.

use crate::adapter;
use crate::common;
use std::sync::Arc;

use crate::common::gpu::{GPU, different, engine, share, shipped, without_subgroups};
use crate::common::ranks::of_all;
use crate::common::{
    BOUNDARIES, assert_a_thousand_ticks, bits, flock, flock_in_space, mixed, mixed_in_space, run,
    stepped,
};
use flockwork::engine::Engine;
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::GpuEngine;
use flockwork::model::scene::{Request, Scene, built_in};
use flockwork::model::state::FlockState;
use flockwork::model::statistics::Metrics;

#[test]
fn a_mixed_scene_loses_no_agent_and_runs_the_same_at_once_and_one_by_one() {
    let Some(gpu) = adapter::gpu() else { return };
    let is_software = gpu.is_software();
    let mut engine = shipped(&gpu);
    // A submission holds at most 64 ticks: varying values cross its end.
    let ticks = 150;
    // A second driver runs one of the boundaries.
    for (turn, boundary) in BOUNDARIES.into_iter().enumerate().step_by(share().min(3)) {
        for (space, scene_with) in [mixed, mixed_in_space].into_iter().enumerate() {
            // Where both engines have the same bits, in a plane and in a space by turns.
            if is_software && turn % 2 != space {
                continue;
            }
            let (scene, first) = scene_with(boundary, &[]);
            assert_a_thousand_ticks(&mut engine, &scene, &first);
            let at_once = run(&mut engine, &scene, &first, ticks);
            engine.load(&scene, &first).unwrap();
            for _ in 0..ticks {
                engine.step(1).unwrap();
            }
            let one_by_one = engine.read_back().unwrap();
            let same = bits(&at_once) == bits(&one_by_one) && at_once.tick == one_by_one.tick;
            assert!(same, "{boundary}: two runs differ");
            // Control: a value that varies differently.
            let (other, _) = scene_with(boundary, &["starling.cohesion.weight.amplitude=0.51"]);
            assert!(bits(&at_once) != bits(&run(&mut engine, &other, &first, ticks)));
        }
    }
}

/// Ticks of every scene on drivers that compute on the CPU and so round like the CPU engine.
const SCENE_TICKS: u32 = 50;
/// On a GPU, which may round differently: the share of agents that may gain or lose a neighbour in
/// one tick.
const SCENE_APART: f64 = 0.01;

#[test]
fn every_scene_is_the_same_on_both_engines() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut on_cpu = CpuEngine::new(None).unwrap();
    let ticks = if gpu.is_software() { SCENE_TICKS } else { 1 };
    // Two engines take the scenes by turns; `resume` compares each scene on the other of the two.
    let mut engines = different(&gpu);
    let count = engines.len();
    for (turn, on_gpu) in engines.iter_mut().enumerate() {
        for built_in in built_in().skip(turn).step_by(count * share().min(3)) {
            let scene = Scene::parse(built_in.name, built_in.text).unwrap();
            let (scene, state) = scene.populate(&Request::default()).unwrap();
            let a = run(on_gpu, &scene, &state, ticks);
            let b = run(&mut on_cpu, &scene, &state, ticks);
            if gpu.is_software() {
                assert!(bits(&a) == bits(&b), "{}: other bits", built_in.name);
            } else {
                let apart = apart(&scene, &a, &b);
                assert!(apart < SCENE_APART, "{}: {apart} of the agents apart", built_in.name);
            }
            // Control: one more tick.
            assert!(bits(&a) != bits(&stepped(&mut on_cpu, 1)));
        }
    }
}

#[test]
fn a_mixed_scene_is_the_same_on_both_engines() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut on_cpu = CpuEngine::new(None).unwrap();
    let mut engines = different(&gpu);
    // A GPU may round differently; after a few ticks single agents decide otherwise.
    let ticks = if gpu.is_software() { 60 } else { 1 };
    let worlds = [false, true].into_iter().flat_map(|space| BOUNDARIES.map(|b| (space, b)));
    for (space, boundary) in worlds.step_by(share().min(2)) {
        // In a plane another test compares them for longer.
        if !gpu.is_software() && !space {
            continue;
        }
        let what = format!("{boundary}, space {space}");
        let (scene, state) = of_all(space, boundary, &[]);
        let wanted = run(&mut on_cpu, &scene, &state, ticks);
        let targets = on_cpu.targets().unwrap();
        assert!(targets[2].hits > 0 || ticks == 1, "{what}: no agent hit the hare");
        // Control: another weight.
        let (other, _) = of_all(space, boundary, &["starling.separation.weight=1.55"]);
        let control = bits(&run(&mut on_cpu, &other, &state, ticks));
        for engine in &mut engines {
            let found = run(engine, &scene, &state, ticks);
            if gpu.is_software() {
                assert!(bits(&found) == bits(&wanted), "{what}: other bits");
                assert_eq!(engine.targets().unwrap(), targets, "{what}");
            } else {
                let apart = farthest_apart(&found, &wanted);
                assert!(apart < GPU.position, "{what}: up to {apart} apart");
            }
            assert!(bits(&found) != control, "{what}: another weight is not noticed");
        }
    }
}

#[test]
fn flocks_of_more_than_65536_agents_move_alike() {
    let Some(gpu) = adapter::gpu() else { return };
    let (mut on_gpu, mut on_cpu) = (shipped(&gpu), CpuEngine::new(None).unwrap());
    for (scene, state) in [flock(65_537, &[]), flock_in_space(65_537, "300, 260, 280", &[])] {
        let moved = bits(&run(&mut on_gpu, &scene, &state, 3));
        // A GPU may round differently, but always alike.
        let other: &mut dyn Engine = if gpu.is_software() { &mut on_cpu } else { &mut on_gpu };
        assert!(moved == bits(&run(other, &scene, &state, 3)), "{} axes", scene.world.axes());
        assert!(moved != bits(&state), "no agent moved");
    }
}

/// The largest distance between the places of an agent in two states.
fn farthest_apart(a: &FlockState, b: &FlockState) -> f64 {
    let apart = a.position.iter().zip(&b.position).map(|(p, q)| p.distance(*q));
    f64::from(apart.fold(0.0, f32::max))
}

/// [`farthest_apart`] after one tick of a crowd with sampled runs, between the CPU engine with the scene's
/// seed and the GPU engine with `seed`.
fn crowd_apart(engine: &mut GpuEngine, boundary: &str, radius: f32, seed: u32) -> f64 {
    let crowd = format!("starling.spawn_at_scale={{place = \"disc\", radius = {radius}}}");
    let boundary = format!("world.boundary=\"{boundary}\"");
    let (mut scene, state) = flock(5_000, &[&crowd, &boundary]);
    assert!(Metrics::of(&scene, &state).sampled_agents > 4_000, "too few agents are sampled");
    let on_cpu = run(&mut CpuEngine::new(None).unwrap(), &scene, &state, 1);
    scene.seed = seed;
    farthest_apart(&on_cpu, &run(engine, &scene, &state, 1))
}

/// Share of the agents that are more than a hundredth of a unit apart in two states.
fn apart(scene: &Scene, a: &FlockState, b: &FlockState) -> f64 {
    let pairs = a.position.iter().zip(&b.position);
    let far = pairs.filter(|(p, q)| scene.world.shortest_between(**p, **q).length() > 0.01);
    far.count() as f64 / a.len() as f64
}

/// The polarisation of the starlings, which are most agents and flock; and the mean number of
/// neighbours.
fn order_and_crowding(scene: &Scene, state: &FlockState) -> (f64, f64) {
    let starlings = state.velocity.iter().zip(&state.species).filter(|(_, species)| **species == 0);
    let headings: Vec<_> = starlings.map(|(v, _)| v.as_dvec3().normalize_or_zero()).collect();
    (common::mean(&headings).length(), Metrics::of(scene, state).mean_neighbours)
}

#[test]
fn both_engines_move_a_mixed_scene_the_same_way_for_100_ticks() {
    // In two runs of the CPU engine, one with a rounding error in its start, 2 % of the agents are
    // apart after 30 ticks and most of them after 100; their orders then differ by 0.003 and their
    // numbers of neighbours by half a percent. With another weight of one behaviour, 75 % are apart
    // after 30 ticks. Another seed changes order by 0.1 and neighbours by 45 %.
    const APART: f64 = 0.1;
    const ORDER: f64 = 0.02;
    const CROWDING: f64 = 0.02;
    let Some(gpu) = adapter::gpu() else { return };
    let mut on_gpu = GpuEngine::new(gpu);
    let mut on_cpu = CpuEngine::new(None).unwrap();
    for boundary in BOUNDARIES {
        let (scene, state) = mixed(boundary, &[]);
        let (other, _) = mixed(boundary, &["starling.separation.weight=1.55"]);
        let (seeded, from_another) = mixed(boundary, &["seed=3"]);

        let (a, b) = (run(&mut on_gpu, &scene, &state, 1), run(&mut on_cpu, &scene, &state, 1));
        assert!(apart(&scene, &a, &b) == 0.0, "{boundary}: apart after one tick");
        let (a, b) = (run(&mut on_gpu, &scene, &state, 30), run(&mut on_cpu, &scene, &state, 30));
        let strayed = apart(&scene, &a, &b);
        assert!(strayed < APART, "{boundary}: {strayed} of the agents apart after 30 ticks");
        let control = apart(&scene, &a, &run(&mut on_cpu, &other, &state, 30));
        assert!(control > 3.0 * APART, "{boundary}: another weight moves {control} apart only");

        let (a, b) = (run(&mut on_gpu, &scene, &state, 100), run(&mut on_cpu, &scene, &state, 100));
        let same = if bits(&a) == bits(&b) { "the same bits" } else { "different bits" };
        println!("{boundary}: {strayed} apart after 30 ticks, {same} after 100");
        let hits = |engine: &mut dyn Engine| engine.targets().unwrap()[2].hits;
        println!("the hare was hit {} and {} times", hits(&mut on_gpu), hits(&mut on_cpu));
        assert!(hits(&mut on_gpu) > 5 && hits(&mut on_cpu) > 5, "too few agents hit the hare");
        let (order, crowding) = order_and_crowding(&scene, &b);
        let alike = |state: &FlockState| {
            let (other_order, other_crowding) = order_and_crowding(&scene, state);
            [
                (order - other_order).abs() < ORDER,
                (crowding / other_crowding - 1.0).abs() < CROWDING,
            ]
        };
        assert_eq!(alike(&a), [true; 2], "{boundary}: {:?}", order_and_crowding(&scene, &a));
        let control = run(&mut on_cpu, &seeded, &from_another, 100);
        assert_eq!(alike(&control), [false; 2], "{boundary}: another seed passes for the same");
    }
}

#[test]
fn both_engines_take_the_same_samples_of_a_crowd() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut engine = engine(&gpu);
    // Runs of 2,600 agents, which have the smallest sample, and of 400, which have a larger one.
    for (boundary, radius) in
        BOUNDARIES.iter().flat_map(|boundary| [(boundary, 60.0), (boundary, 170.0)])
    {
        let same = crowd_apart(&mut engine, boundary, radius, 1);
        // Control: another sample changes the result.
        let other = crowd_apart(&mut engine, boundary, radius, 2);
        println!("{boundary}: {same:.1e} units apart, {other:.1e} with other samples");
        assert!(same < GPU.position, "{boundary}, {radius}: {same}");
        assert!(other > 10.0 * GPU.position, "{boundary}, {radius}: {other}");
    }
}

#[test]
fn a_subgroup_finds_the_neighbours_that_each_agent_finds_alone_and_on_the_cpu() {
    const EVEN: &str = "starling.spawn_at_scale={place = \"uniform\"}";
    const POINT: &str = "starling.spawn_at_scale={place = \"point\"}";
    const DISC: &str = "starling.spawn_at_scale={place = \"disc\", radius = 60}";
    const BALL: &str = "starling.spawn_at_scale={place = \"ball\", radius = 40}";
    const CUBE: &str = "300, 260, 280";
    let Some(gpu) = adapter::gpu() else { return };
    if !gpu.has_subgroups_of_agents() {
        return eprintln!("{}: no subgroups of agents on {}", module_path!(), gpu.name());
    }
    let (mut by_subgroup, mut alone) = (GpuEngine::new(Arc::clone(&gpu)), without_subgroups(&gpu));
    let mut on_cpu = CpuEngine::new(None).unwrap();
    // Even; sampled and unsampled cells side by side; the longest run possible; rows with one agent
    // per ten cells; worlds of few columns, rows and layers, where every agent is near the seam; columns of
    // half the radius. With the sides of a space.
    let cases = [
        (3_001, "", EVEN, false),
        (5_000, "", DISC, true),
        (2_000, "", POINT, true),
        (301, "", "world.size=[20000, 500]", false),
        (77, "", "world.size=[160, 2000]", false),
        (200, "", "world.size=[90, 110]", false),
        (3_001, "", "world.density=30", false),
        (800, "", "world={size=[120, 200], density=261}", true),
        (450, "", "world={size=[160, 200], density=110}", false),
        (1_000, "", "world={size=[160, 200], density=244}", true),
        (640, "", "world={size=[200, 120], density=209}", true),
        (3_001, CUBE, "world.density=10", false),
        (5_000, CUBE, BALL, true),
        (2_000, CUBE, POINT, true),
        (301, "2000, 200, 150", "world.density=10", false),
        (200, CUBE, "world.density=10", false),
        (300, "90, 400, 400", "world.density=10", false),
        (300, "400, 90, 400", "world.density=10", false),
        (300, "400, 400, 90", "world.density=10", false),
        (4_000, CUBE, "world.density=80", false),
    ];
    for boundary in BOUNDARIES {
        for (count, sides, shape, is_sampled) in cases {
            let overrides = [shape, &format!("world.boundary=\"{boundary}\"")];
            let (mut scene, state) = match sides {
                "" => flock(count, &overrides),
                sides => flock_in_space(count, sides, &overrides),
            };
            let what = format!("{count} agents, {sides}, {overrides:?}");
            let one = bits(&run(&mut by_subgroup, &scene, &state, 12));
            assert!(one == bits(&run(&mut alone, &scene, &state, 12)), "{what}: alone");
            assert!(one == bits(&run(&mut on_cpu, &scene, &state, 12)), "{what}: on the CPU");
            assert_eq!(Metrics::of(&scene, &state).sampled_agents > 0, is_sampled, "{what}");
            // Control: another seed samples other members of a crowd.
            scene.seed = 2;
            assert!(!is_sampled || one != bits(&run(&mut on_cpu, &scene, &state, 12)), "{what}");
        }
    }
}
