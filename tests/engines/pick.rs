//! `pick = "one"`: behaviours that hear one of their neighbours, drawn evenly in each tick.

use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::model::statistics::Metrics;
use flockwork::model::vector::Point;

use crate::adapter;
use crate::common::dice::Dice;
use crate::common::gpu::with_cpu;
use crate::nearest::{AGENTS, Stand, added, crowd, numbered, perceived};

const SEED: u32 = 77;

/// The time step is so much shorter than a tick, and the forces are so many times as large as the velocities that they
/// give. So nobody comes to a wall.
const MUCH: f32 = 512.0;

/// Velocities are these parts of the ones that say who is heard.
const SLOWER: f32 = 1.0 / 4096.0;

/// The hash of Jarzynski and Olano, written again.
fn pcg(word: u32) -> u32 {
    let word = word.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((word >> ((word >> 28) + 4)) ^ word).wrapping_mul(277_803_737);
    word ^ (word >> 22)
}

/// The place of agent `other` in the order that agent `own` draws in a tick. 30 is the use of these numbers.
fn place(own: u32, other: u32, tick: u32) -> u32 {
    let order = [own, tick, 30].into_iter().fold(pcg(SEED), |word, next| pcg(word ^ next));
    pcg(order ^ other)
}

/// How a rule of one species draws.
#[derive(Clone, Copy, Debug)]
struct Picking {
    radius: f32,
    fov: f32,
    with: &'static str,
}

/// The rules of both species.
type Rules = [Vec<Picking>; 2];

fn scene(world: &str, rules: &Rules) -> Scene {
    let mut text = format!("seed = {SEED}\ntime_step = {}\nworld = {world}\n", 1.0 / MUCH);
    for (name, rules) in ["a", "b"].into_iter().zip(rules) {
        text += &format!("[species.{name}]\ncount = 12\nlimit = \"none\"\nmax_speed = 10000\n");
        for (number, Picking { radius, fov, with }) in rules.iter().enumerate() {
            text += &format!(
                "[species.{name}.rules.who{number}]\nradius = {radius}\npick = \"one\"\nfov = {fov}\nwith = {with}\n\
                 sum = {{ heard = \"other_velocity\" }}\nforce = \"{} * heard\"\n",
                MUCH * (1 + number) as f32
            );
        }
    }
    Scene::parse("test", &text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The sums of velocities by brute force: each rule hears the first of its neighbours by this key of an agent's own
/// row, the other one's, and their distance.
fn heard(
    scene: &Scene,
    state: &FlockState,
    rules: &Rules,
    key: impl Fn(usize, usize, f32) -> u32,
) -> Vec<Point> {
    let of_rule = |own: usize, Picking { radius, fov, with }: Picking| {
        let found = perceived(scene, state, own, (radius, fov, with));
        let first = found.map(|(other, squared)| (key(own, other, squared), other)).min();
        first.map_or(Point::ZERO, |(_, other)| state.velocity[other])
    };
    let sum = |own: usize| {
        let rules = rules[usize::from(state.species[own])].iter().zip(1..);
        rules.map(|(rule, number)| of_rule(own, *rule) * number as f32).sum()
    };
    (0..AGENTS).map(sum).collect()
}

#[test]
fn each_agent_hears_the_first_of_its_neighbours_in_an_order_of_ids() {
    let mut engines = with_cpu(adapter::gpu());
    let mut dice = Dice::new(8);
    let (both, a) = ("[\"a\", \"b\"]", "[\"a\"]");
    let wide = |radius| Picking { radius, fov: 360.0, with: both };
    let ahead = Picking { radius: 13.0, fov: 200.0, with: a };
    // Rules that draw alike, rules that do not, and species that look at different ones.
    let all: [Rules; 3] = [
        [vec![wide(19.0), wide(19.0)], vec![ahead]],
        [vec![wide(19.0), wide(8.5)], vec![wide(8.5), wide(8.5)]],
        [vec![ahead, Picking { with: a, ..wide(13.0) }], vec![wide(60.0)]],
    ];
    let (mut compared, mut noticed) = (0, [0; 4]);
    for axes in [2, 3] {
        for boundary in ["wrap", "walls", "open"] {
            let size = ["[40, 40]", "[40, 40, 40]"][axes - 2];
            let world = format!("{{ size = {size}, boundary = \"{boundary}\" }}");
            for (rules, tick) in all.iter().zip([0, 1, 123_456]) {
                for stand in [Stand::Scattered, Stand::Lattice, Stand::Crowd] {
                    let mut state = numbered(stand, axes, &mut dice);
                    state.tick = tick;
                    for (place, velocity) in state.position.iter_mut().zip(&mut state.velocity) {
                        *velocity *= SLOWER;
                        for axis in 0..axes {
                            place[axis] = place[axis].clamp(0.1, 39.9);
                        }
                    }
                    // Not the rows.
                    state.id = (0..AGENTS as u32).map(|row| row * row * 7 + 5).collect();
                    let own = scene(&world, rules);
                    let by = |one: u32, other: u32, tick: u64| place(one, other, tick as u32);
                    let id = &state.id;
                    let wanted =
                        heard(&own, &state, rules, |one, other, _| by(id[one], id[other], tick));
                    for engine in &mut engines {
                        let found = added(&mut **engine, &own, &state);
                        assert_eq!(found, wanted, "{world}, {stand:?}, {rules:?}");
                        compared += 1;
                    }
                    // The controls: the same order in rows, in every tick and for every agent; the nearest.
                    let others = [
                        heard(&own, &state, rules, |one, other, _| {
                            by(one as u32, other as u32, tick)
                        }),
                        heard(&own, &state, rules, |one, other, _| {
                            by(id[one], id[other], tick + 1)
                        }),
                        heard(&own, &state, rules, |_, other, _| by(0, id[other], tick)),
                        heard(&own, &state, rules, |_, _, squared| squared.to_bits()),
                    ];
                    for (times, other) in noticed.iter_mut().zip(others) {
                        *times += usize::from(other != wanted);
                    }
                }
            }
        }
    }
    println!("{compared} compared, controls noticed {noticed:?} times");
    assert_eq!(noticed, [54; 4], "in each of the situations");
}

/// Of how many agents one is drawn in the test below, and how often.
const OTHERS: usize = 12;
const TICKS: u32 = 6_000;

/// Σ (count − mean)² / mean.
fn chi_squared(counts: &[u32]) -> f64 {
    let mean = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
    counts.iter().map(|count| (f64::from(*count) - mean).powi(2) / mean).sum()
}

/// The most that χ² of `cells` even counts may be: four standard deviations above its mean. One of ten thousand
/// exceeds it.
fn most(cells: usize) -> f64 {
    let freedom = (cells - 1) as f64;
    freedom + 4.0 * (2.0 * freedom).sqrt()
}

#[test]
fn draws_are_even_over_neighbours_ticks_and_agents() {
    let draw = |own: u32, tick: u32| {
        let others = (0..OTHERS as u32).map(|other| 100 + other);
        others.min_by_key(|other| place(own, *other, tick)).unwrap() as usize - 100
    };
    let square = OTHERS * OTHERS;
    let (mut in_time, mut of_two) = (vec![0; square], vec![0; square]);
    for own in 0..8 {
        let mut counts = vec![0; OTHERS];
        for tick in 0..TICKS {
            counts[draw(own, tick)] += 1;
            in_time[draw(own, tick) * OTHERS + draw(own, tick + 1)] += 1;
            of_two[draw(own, tick) * OTHERS + draw(own + 1, tick)] += 1;
        }
        assert!(chi_squared(&counts) < most(OTHERS), "agent {own}: {counts:?}");
    }
    assert!(chi_squared(&in_time) < most(square), "one tick after the other: {in_time:?}");
    assert!(chi_squared(&of_two) < most(square), "one agent beside the other: {of_two:?}");
    // Control: an order that the tick alone draws is even, but all agents draw the same.
    let mut alike = vec![0; square];
    for tick in 0..TICKS {
        alike[draw(0, tick) * (OTHERS + 1)] += 1;
    }
    assert!(chi_squared(&alike) > most(square));
}

#[test]
fn one_is_heard_in_crowds_and_lonely_agents_are_counted() {
    for engine in &mut with_cpu(adapter::gpu()) {
        let (scene, state) = crowd("", "\npick = \"one\"");
        let counts = added(&mut **engine, &scene, &state);
        assert!(counts.iter().all(|sum| sum.x == 1.0));
        // The control hears a sample of all.
        let (scene, state) = crowd("", "");
        assert!(added(&mut **engine, &scene, &state).iter().all(|sum| sum.x > 1.0));
    }
    let found_fewer = |key| {
        let (scene, mut state) = crowd("", key);
        state.position[3] = Point::new(100.0, 100.0, 0.0);
        Metrics::of(&scene, &state).found_fewer
    };
    assert_eq!((found_fewer("\npick = \"one\""), found_fewer("")), (1, 0));
}

#[test]
fn a_wrong_pick_is_one_sentence_with_the_remedy() {
    let problem = |behaviour: &str| {
        let text = format!("[species.a]\n[species.a.{behaviour}\n");
        Scene::parse("test", &text).map_or_else(|error| error.to_string(), |_| "none".into())
    };
    let rule = "rules.r]\nsum.n = \"1\"\nforce = \"vector(n, 0)\"\n";
    for (behaviour, words) in [
        ("alignment]\npick = \"two\"".to_string(), "\"two\" is not one of all, one"),
        ("alignment]\npick = 1".into(), "expected a string, found"),
        ("alignment]\nnearest = 7\npick = \"one\"".into(), "remove one of the two keys"),
        (format!("{rule}pick = \"one\"\nnearest = 1"), "remove one of the two keys"),
        ("wander]\npick = \"one\"".into(), "unknown key"),
        ("rules.r]\nforce = \"zero\"\npick = \"one\"".into(), "add one, or remove this key"),
        ("alignment]\nnearest = 7\npick = \"all\"".into(), "none"),
        (format!("{rule}pick = \"one\"\nnearest = \"all\""), "none"),
    ] {
        let problem = problem(&behaviour);
        assert!(problem.contains(words), "{behaviour}: {problem}");
        assert!(words == "none" || problem.contains("pick"), "{problem}");
        assert_eq!(problem.lines().count(), 1, "{problem}");
    }
}

#[test]
fn scenes_that_draw_are_written_and_read_again() {
    let text = "[species.a.cohesion]\npick = \"one\"\n[species.a.alignment]\nnearest = 7\n\
                [species.a.rules.r]\npick = \"one\"\nsum.n = \"1\"\nforce = \"vector(n, 0)\"\n";
    let scene = Scene::parse("test", text).unwrap();
    for text in [scene.to_toml(), scene.to_full_toml()] {
        assert_eq!(Scene::parse("test", &text).unwrap().species, scene.species, "{text}");
        assert_eq!(text.matches("pick = \"one\"").count(), 2, "{text}");
    }
    // `--set` takes the draw away.
    let set = ["a.cohesion.pick=\"all\"", "a.cohesion.nearest=3"];
    let other = Scene::parse_with("test", text, &set).unwrap();
    assert_ne!(other.species, scene.species);
    assert!(!other.to_toml().contains("[species.a.cohesion]\npick"));
}
