//! The CPU engine against the brute-force reference, and its guarantees about bits and time.

use crate::common;
use crate::common::controls::{changes, perturbed};
use crate::common::scenery::in_the_corner;
use crate::common::situations::{
    FLOCKING, OF_LOOKS, OF_RULES, Situation, behaviour_sets, parity_in, situation_in,
};
use crate::common::{
    BOUNDARIES, CORRECTLY_ROUNDED, Errors, agents, assert_a_thousand_ticks, assert_none,
    assert_ticks, bits, check_invariants, compare, compare_targets, decided, flock, largest_errors,
    mixed, reference, run, stepped,
};
use flockwork::engine::Engine;
use flockwork::engine::cpu::{CpuEngine, InstructionSet};
use flockwork::model::behaviours::{Kind, Uses};
use flockwork::model::scene::{Request, Rule, Scene};
use flockwork::model::scenery::Segment;
use flockwork::model::state::FlockState;
use flockwork::model::world::Boundary;
use glam::{DVec3, Vec2, Vec3};

/// Situations for each behaviour alone and for all together.
const ALONE: u64 = 300;
const TOGETHER: u64 = 500;

/// The most situations that a control tries until the change shows.
const MAX_TRIES: u64 = 2000;

fn engine() -> CpuEngine {
    CpuEngine::new(Some(2)).unwrap()
}

#[test]
fn one_tick_in_a_plane_equals_the_reference() {
    assert_one_tick(2);
}

#[test]
fn one_tick_in_space_equals_the_reference() {
    assert_one_tick(3);
}

fn assert_one_tick(axes: usize) {
    let mut engine = engine();
    let mut worst = Errors::default();
    let (mut doubtful, mut cases) = ([0.0; Kind::ALL.len()], [0_u32; Kind::ALL.len()]);
    let (mut total, mut number) = (0.0, 0_u32);
    let mut problems = vec![];
    for case in parity_in(axes, ALONE, TOGETHER) {
        let expected = reference::step(&case.scene, &case.state);
        let state = run(&mut engine, &case.scene, &case.state, 1);
        worst = worst.or_worse(largest_errors(&case.scene, &expected, &state));
        for kind in Kind::ALL.into_iter().filter(|kind| case.scene.uses().contains(*kind)) {
            cases[kind.number()] += 1;
            doubtful[kind.number()] += common::doubtful_part(&expected);
        }
        total += common::doubtful_part(&expected);
        number += 1;
        let compared = compare(&case.scene, &expected, &state, CORRECTLY_ROUNDED).and_then(|()| {
            compare_targets(&case.scene, case.state.tick, &mut engine, CORRECTLY_ROUNDED)
        });
        if let Err(problem) = compared {
            problems.push(format!("{problem}\n{}", case.name));
        }
    }
    assert_none(&problems);
    for kind in Kind::ALL {
        let (cases, doubtful) = (cases[kind.number()], doubtful[kind.number()]);
        let part = doubtful / f64::from(cases);
        assert!(u64::from(cases) >= ALONE, "{kind:?} in {cases} situations only");
        common::assert_decided(part, kind.info().key);
    }
    println!(
        "{number} situations, {:.2} % too close to call: {worst:?}",
        100.0 * total / f64::from(number)
    );
    common::assert_decided(total / f64::from(number), "parity");
}

#[test]
fn later_ticks_equal_the_reference() {
    let mut engine = engine();
    for axes in [2, 3] {
        assert_ticks(&mut engine, parity_in(axes, 100, 300), 4, CORRECTLY_ROUNDED);
    }
}

#[test]
fn an_agent_in_the_corner_sees_obstacles() {
    let mut engine = engine();
    assert_ticks(&mut engine, in_the_corner(), 1, CORRECTLY_ROUNDED);
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let one = |set| CpuEngine::with_instructions(Some(1), set).unwrap();
    let mut portable = one(InstructionSet::Portable);
    let mut others: Vec<_> = InstructionSet::available().into_iter().map(one).collect();
    for case in parity_in(2, 60, 300).chain(parity_in(3, 60, 300)) {
        let expected = bits(&run(&mut portable, &case.scene, &case.state, 2));
        for engine in &mut others {
            let state = run(engine, &case.scene, &case.state, 2);
            assert!(bits(&state) == expected, "{}: {}", engine.describe(), case.name);
        }
    }
}

/// True when, in some situation, the engine agrees with the reference, but not with the reference
/// after `change`.
fn notices(axes: usize, kinds: &[Kind], change: impl Fn(&mut Scene, &mut FlockState)) -> bool {
    let mut engine = engine();
    (0..MAX_TRIES).any(|number| {
        let case = situation_in(axes, kinds, number);
        let (mut scene, mut state) = (case.scene.clone(), case.state.clone());
        change(&mut scene, &mut state);
        let after = run(&mut engine, &case.scene, &case.state, 1);
        let compared = |scene: &Scene, state: &FlockState| {
            let expected = reference::step(scene, state);
            compare(&case.scene, &expected, &after, CORRECTLY_ROUNDED)
        };
        compared(&scene, &state).is_err() && compared(&case.scene, &case.state).is_ok()
    })
}

/// Every set of behaviours, with both numbers of axes.
fn in_plane_and_space() -> impl Iterator<Item = (usize, Vec<Kind>)> {
    [2, 3].into_iter().flat_map(|axes| behaviour_sets().into_iter().map(move |kinds| (axes, kinds)))
}

#[test]
fn every_perturbed_parameter_turns_the_comparison_red() {
    for (axes, kinds) in in_plane_and_space() {
        for kind in kinds.iter().copied() {
            for (slot, parameter) in kind.info().parameters.iter().enumerate() {
                let red = notices(axes, &kinds, |scene, _| {
                    for species in &mut scene.species {
                        for rule in species.rules.iter_mut().filter(|rule| rule.kind == kind) {
                            rule.values[slot] = perturbed(parameter, rule.values[slot]);
                        }
                    }
                });
                assert!(red, "{axes}, {kinds:?}: {kind:?}.{} makes no difference", parameter.key);
            }
        }
    }
}

#[test]
fn every_other_change_turns_the_comparison_red() {
    for (name, kinds, change) in changes() {
        for axes in [2, 3] {
            let red = notices(axes, &kinds, &change);
            assert!(red, "{axes}, {kinds:?}: {name} makes no difference");
        }
    }
    // Control of the control: without a change, no situation shows a difference.
    assert!(!notices(2, &FLOCKING, |_, _| {}));
}

#[test]
fn a_target_that_moves_differently_is_noticed() {
    let mut engine = engine();
    let changes: [fn(&mut Scene); 3] = [
        |scene| scene.targets.iter_mut().for_each(|target| target.velocity *= 1.05),
        |scene| scene.targets.iter_mut().for_each(|target| target.hit_radius *= 2.0),
        |scene| scene.targets.iter_mut().for_each(|target| target.hits += 1),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        for axes in [2, 3] {
            let red = (0..MAX_TRIES).any(|number| {
                let case = situation_in(axes, &[Kind::Seek], number);
                let mut other = case.scene.clone();
                change(&mut other);
                run(&mut engine, &case.scene, &case.state, 1);
                compare_targets(&other, case.state.tick, &mut engine, CORRECTLY_ROUNDED).is_err()
            });
            assert!(red, "change {number} makes no difference in {axes} axes");
        }
    }
}

#[test]
fn a_value_that_depends_on_the_size_follows_its_law() {
    let mut engine = engine();
    let (small, large) = (5.0_f64, 20.0_f64);
    let grown = |size: f64| 1.0 - (-size / 50.0).exp();
    let shrunk = |size: f64| (-size / 30.0).exp();
    for (law, small_factor, large_factor) in [
        ("grows_with_size = 50", grown(small), grown(large)),
        ("shrinks_with_size = 30", shrunk(small), shrunk(large)),
    ] {
        // The weight of one species and the limit of the other.
        let scene = |weight: &str, max_speed: &str| {
            let text = format!(
                "[species.small]\ncount = 40\nsize = {small}\n[species.small.separation]\n\
                 weight = {weight}\n[species.large]\ncount = 40\nsize = {large}\n\
                 max_speed = {max_speed}\nmax_force = 9\n[species.large.cohesion]\nradius = 200\n"
            );
            Scene::parse("sizes", &text).unwrap()
        };
        let lawful = scene(&format!("{{ base = 1.5, {law} }}"), &format!("{{ base = 4, {law} }}"));
        let (lawful, first) = lawful.populate(&Request::default()).unwrap();
        let after = run(&mut engine, &lawful, &first, 1);
        let compared = |scene: &Scene| {
            compare(scene, &reference::step(scene, &first), &after, CORRECTLY_ROUNDED)
        };
        let plain = |small: f64, large: f64| {
            scene(&format!("{}", 1.5 * small), &format!("{}", 4.0 * large))
        };
        assert_eq!(compared(&plain(small_factor, large_factor)), Ok(()), "{law}");
        assert!(compared(&plain(small_factor * 1.05, large_factor)).is_err(), "{law}: weight");
        assert!(compared(&plain(small_factor, large_factor * 1.05)).is_err(), "{law}: max_speed");
    }
}

/// True if two agents are such a way apart.
fn has_pair(state: &FlockState, is_apart: impl Fn(Vec3) -> bool) -> bool {
    let all = &state.position;
    (0..all.len()).any(|i| (0..i).any(|j| is_apart(all[i] - all[j])))
}

#[test]
fn a_situation_is_what_its_name_says() {
    [2, 3].into_iter().for_each(assert_degenerate_often_enough);
}

fn assert_degenerate_often_enough(axes: usize) {
    let cases: Vec<_> = parity_in(axes, 200, 200).collect();
    let some = |what: &dyn Fn(&FlockState, &Scene) -> bool| {
        cases.iter().filter(|case| what(&case.state, &case.scene)).count()
    };
    assert!(some(&|state, _| state.velocity.contains(&Vec3::ZERO)) > 500);
    assert!(some(&|state, _| has_pair(state, |d| d == Vec3::ZERO)) > 50);
    assert!(some(&|state, _| state.len() == 1) > 50);
    if axes == 2 {
        assert!(some(&|state, scene| state.position.contains(&scene.targets[1].position)) > 10);
        assert!(some(&|state, _| has_pair(state, |d| d.length_squared() == 100.0)) > 50);
        let columns = |state: &FlockState, scene: &Scene| scene.grid::<2>(state.len()).columns();
        for cells in 1..=3 {
            assert!(some(&|state, scene| columns(state, scene) == cells) > 50, "{cells}");
        }
        // Halved columns; so few that they overlap around the world; so many that seams are rare.
        let halved = |among: std::ops::Range<u32>| {
            some(&|state, scene| {
                scene.grid::<2>(state.len()).reach == 2 && among.contains(&columns(state, scene))
            })
        };
        assert!(halved(0..5) > 100 && halved(5..7) > 40 && halved(7..99) > 40);
    } else {
        let is_upright = |v: &Vec3| v.z != 0.0 && v.truncate() == Vec2::ZERO;
        assert!(some(&|state, _| state.velocity.iter().any(is_upright)) > 500);
        let is_above = |p: &Vec3, q: Vec3| p.truncate() == q.truncate() && p.z != q.z;
        let above = |state: &FlockState, scene: &Scene| {
            state.position.iter().any(|p| is_above(p, scene.targets[1].position))
        };
        assert!(some(&above) > 5);
    }
    // Colours have their own tests, and so have rules in text.
    let elsewhere = [&OF_LOOKS[..], &OF_RULES].concat();
    for (name, extra) in Uses::EXTRAS.into_iter().filter(|(_, extra)| !elsewhere.contains(extra)) {
        assert!(some(&|_, scene| scene.uses().has(extra)) > 50, "{name}");
    }
    let covered = |state: &FlockState, scene: &Scene| {
        let covers = |p: &Vec3| scene.obstacles.iter().any(|o| o.position.distance(*p) < o.radius);
        state.position.iter().any(covers)
    };
    assert!(some(&covered) > 50);
    assert!(some(&|_, scene| scene.paths.iter().any(|path| path.closed)) > 50);
    assert!(some(&|_, scene| scene.targets[0].active) > 50);
    let nowhere = |scene: &Scene| {
        let slot = Kind::Seek.parameter("target").unwrap();
        let pointer = |rule: &Rule| rule.kind == Kind::Seek && rule.values[slot] == 0.0;
        !scene.targets[0].active && scene.species.iter().flat_map(|s| &s.rules).any(pointer)
    };
    assert!(some(&|_, scene| nowhere(scene)) > 10);
    let still = |segment: Segment| segment.from == segment.to;
    assert!(some(&|_, scene| scene.paths.iter().any(|path| path.segments().any(still))) > 50);
}

/// Half the depth of a space round a plane: farther than any behaviour of the situations reaches.
const HALF_DEPTH: f32 = 500.0;

/// The situation in the middle of a space.
fn in_a_space(case: &Situation) -> (Scene, FlockState) {
    let (mut scene, mut state) = (case.scene.clone(), case.state.clone());
    scene.world.size.z = 2.0 * HALF_DEPTH;
    let lift = |place: &mut Vec3| place.z = HALF_DEPTH;
    scene.targets.iter_mut().for_each(|target| {
        lift(&mut target.position);
        target.sends_to.iter_mut().for_each(lift);
    });
    scene.obstacles.iter_mut().for_each(|obstacle| lift(&mut obstacle.position));
    scene.paths.iter_mut().flat_map(|path| &mut path.points).for_each(lift);
    state.position.iter_mut().for_each(lift);
    (scene, state)
}

/// How many agents a space moves otherwise than its plane does, and how many were compared. Agents that
/// share a spot leave it in other directions, so there must be none.
fn strays(case: &Situation, change: impl Fn(&mut FlockState)) -> (u32, u32) {
    let (scene, mut state) = in_a_space(case);
    change(&mut state);
    let expected = reference::step(&case.scene, &case.state);
    let flat = run(&mut engine(), &case.scene, &case.state, 1);
    let deep = run(&mut engine(), &scene, &state, 1);
    let (mut wrong, mut compared) = (0, 0);
    for (agent, _) in decided(&expected) {
        let off = deep.position[agent] - flat.position[agent] - Vec3::Z * HALF_DEPTH;
        let off = reference::minimum_image(&scene, off.as_dvec3()).0.length();
        let turned = (deep.velocity[agent] - flat.velocity[agent]).as_dvec3().length();
        let near = off < CORRECTLY_ROUNDED.position && turned < CORRECTLY_ROUNDED.velocity;
        wrong += u32::from(!near);
        compared += 1;
    }
    (wrong, compared)
}

#[test]
fn a_plane_in_space_moves_as_a_plane() {
    // A wanderer's place moves on a sphere, and noise has other directions in space.
    let planar = |kind: &Kind| ![Kind::Wander, Kind::FollowFlow].contains(kind);
    for kind in Kind::ALL.into_iter().filter(planar) {
        let (mut agents, mut controls) = (0, 0);
        for number in 0..120 {
            let case = situation_in(2, &[kind], number);
            if has_pair(&case.state, |d| d == Vec3::ZERO) {
                continue;
            }
            let (wrong, compared) = strays(&case, |_| {});
            assert_eq!(wrong, 0, "{}", case.name);
            agents += compared;
            controls += strays(&case, |state| state.velocity.iter_mut().for_each(|v| v.z = 0.5)).0;
        }
        assert!(agents > 300 && controls > 100, "{kind:?}: {agents} compared, {controls} stray");
    }
}

#[test]
fn threads_and_instruction_sets_give_the_same_bits() {
    const TICKS: u32 = 30;
    let mut scenes = vec![
        flock(3000, &[]),
        flock(3000, &["world.boundary=\"walls\"", "starling.contain.weight=2"]),
        // Crowded: runs are sampled from the first tick on.
        flock(3000, &["starling.spawn_at_scale.place=\"point\""]),
        // Small worlds: every group is at the seam.
        flock(300, &["world={size=[160, 90], density=160, boundary=\"wrap\"}"]),
        flock(300, &["world.size=[120, 90]"]),
        flock(40, &["world.size=[160, 160]", "world.density=10"]),
        // Four columns of half the radius, so every agent reads all of them: one world with so many
        // agents in a row that they are sampled, and one with too few in three columns.
        flock(800, &["world={size=[120, 200], density=261, boundary=\"wrap\"}"]),
        flock(900, &["world={size=[120, 900], density=65, boundary=\"wrap\"}"]),
        // Dense: columns of half the radius.
        flock(3000, &["world.density=30"]),
    ];
    scenes.extend(BOUNDARIES.map(|boundary| mixed(boundary, &[])));
    for (index, (scene, state)) in scenes.iter().enumerate() {
        let mut portable = CpuEngine::with_instructions(Some(1), InstructionSet::Portable).unwrap();
        let expected = bits(&run(&mut portable, scene, state, TICKS));
        // The control: one more unit in the last place.
        let mut other = state.clone();
        other.position[7].x = other.position[7].x.next_up();
        assert!(bits(&run(&mut portable, scene, &other, TICKS)) != expected, "scene {index}");
        // The threads' shares end at other agents with each number of them; the fastest set takes all numbers.
        let sets = InstructionSet::available();
        let of_fastest = [1, 2, 7].map(|threads| (threads, sets[0]));
        for (threads, set) in sets.iter().map(|set| (3, *set)).chain(of_fastest) {
            let mut engine = CpuEngine::with_instructions(Some(threads), set).unwrap();
            let state = run(&mut engine, scene, state, TICKS);
            assert!(bits(&state) == expected, "scene {index}, {set}, {threads} threads");
        }
    }
}

#[test]
fn a_thousand_ticks_lose_no_agent() {
    let in_space: Vec<_> = (0..12).map(|number| situation_in(3, &Kind::ALL, number)).collect();
    let seen = |edge| in_space.iter().any(|case| case.scene.world.boundary == edge);
    assert!(Boundary::NAMES.iter().all(|(_, edge)| seen(*edge)));
    // A flock of one species has a kernel of its own.
    let flocks = BOUNDARIES.map(|edge| mixed(edge, &[])).into_iter().chain([flock(2000, &[])]);
    let in_space = in_space.into_iter().map(|case| (case.scene, case.state));
    for (scene, first) in flocks.chain(in_space) {
        let mut engine = engine();
        assert_a_thousand_ticks(&mut engine, &scene, &first);
        let mut state = engine.read_back().unwrap();
        state.velocity[0].x = f32::NAN;
        assert!(check_invariants(&scene, &first, &state).is_err());
    }
}

#[test]
fn a_sample_of_a_crowd_is_right_on_average() {
    // 1000 agents in a cell: each reads every 31st of them. Over many ticks the sampled sums must
    // have the same mean as the exact ones. Only alignment, measured by the change of velocity.
    let text = "world = { size = [100, 100], boundary = \"open\" }\n\
                [species.a]\nmax_speed = 1e3\nmax_force = 1e-3\n[species.a.alignment]\nradius = 50\n";
    let mut scene = Scene::parse("crowd", text).unwrap();
    let mut dice = common::dice::Dice::new(5);
    let mut between = |x: [f32; 2], y: [f32; 2]| {
        Vec3::new(dice.between(x[0], x[1]), dice.between(y[0], y[1]), 0.0)
    };
    let all = [(); 1000]
        .map(|()| (between([20.0, 30.0], [20.0, 30.0]), between([0.5, 1.5], [-0.5, 1.0])));
    let mut state = agents(&all);
    // Agent 0 is at rest and gets a force in the direction of the sum.
    state.velocity[0] = Vec3::ZERO;
    let exact: DVec3 = state.velocity.iter().map(|v| v.as_dvec3()).sum();
    let mut engine = engine();
    let mut headings = Vec::new();
    for seed in 0..600 {
        scene.seed = seed;
        let after = run(&mut engine, &scene, &state, 1);
        headings.push(after.velocity[0].as_dvec3().normalize());
    }
    let off = |heading: DVec3| heading.angle_between(exact).to_degrees();
    let sampled = off(common::mean(&headings));
    // One sample of 32 is off by 0.3/√32 rad = 3.0°; the mean of 600 samples by a 24th of that,
    // 0.12°. Three times as much happens in one case of four hundred. (The sampling tests check the
    // size of the sums.)
    let worst = headings.iter().map(|heading| off(*heading)).fold(0.0, f64::max);
    assert!(sampled < 0.4, "the mean of the samples is {sampled}° off");
    // Control: if all seeds gave the same sample, the mean would be as far off as that one.
    assert!(worst > 0.8, "nothing was sampled: at most {worst}° off");
}

#[test]
fn a_flock_on_one_spot_does_not_stop_the_engine() {
    let (scene, first) = flock(200_000, &["starling.spawn_at_scale.place=\"point\""]);
    let mut engine = engine();
    engine.load(&scene, &first).unwrap();
    assert_eq!(engine.largest_cell(), 200_000);
    check_invariants(&scene, &first, &stepped(&mut engine, 3)).unwrap();
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
