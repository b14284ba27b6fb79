//! Rules in text: as the built-in behaviours that they can say, on both engines to the bit; against an
//! evaluator of its own in f64; and at their limits.

use crate::adapter;
use crate::common::expressions::{Generator, Kind};
use crate::common::gpu::{compares_bits, different, share, with_cpu};
use crate::common::{self, BOUNDARIES, bits, run};
use flockwork::engine::cpu::CpuEngine;
use flockwork::model::formula::{Formula, Given, Inputs, RuleText, Tape};
use flockwork::model::scene::{Scene, drawn};
use flockwork::model::state::FlockState;
use flockwork::model::vector::Point;

/// Ticks of a comparison with built-in behaviours.
const TICKS: u32 = 200;

/// Behaviours as a built-in one, and as a rule that says the same.
const SAID: [(&str, &str); 6] = [
    (
        "separation = { KEYS, weight = 1.5 }",
        "rules.separation = { KEYS, weight = 1.5, sum = { \
         away = 'offset * if(distance_squared > 1e-20, 1 / distance_squared, 0)', \
         coincident = 'if(distance_squared > 1e-20, 0, 1)' }, \
         force = '''if(neighbours > 0, with_length(if(coincident > 0, with_length(spread, \
         coincident / max(radius * 1e-3, 1e-10)), zero) - away, max_speed) - velocity, zero)''' }",
    ),
    (
        "alignment = { KEYS, weight = 1 }",
        "rules.alignment = { KEYS, weight = 1, sum = { v = 'other_velocity' }, \
         force = 'if(neighbours > 0, with_length(v, max_speed) - velocity, zero)' }",
    ),
    (
        "cohesion = { KEYS, weight = 0.9 }",
        "rules.cohesion = { KEYS, weight = 0.9, sum = { pull = 'offset' }, \
         force = 'if(neighbours > 0, with_length(pull, max_speed) - velocity, zero)' }",
    ),
    (
        "cohesion = { KEYS, inner = 6, weight = 0.9 }",
        "rules.gather = { KEYS, weight = 0.9, parameters = { near = 6 }, sum = { \
         pull = 'if(distance_squared > near * near, offset * (1 / distance_squared), zero)', \
         n = 'if(distance_squared > near * near, 1, 0)' }, \
         force = 'if(n > 0, with_length(pull, max_speed) - velocity, zero)' }",
    ),
    (
        "separation = { KEYS, inner = 4.1, weight = 1.5 }",
        "rules.separation = { KEYS, inner = 4.1, weight = 1.5, sum = { \
         away = 'offset * if(distance_squared > 1e-20, 1 / distance_squared, 0)' }, force = \
         'if(neighbours > 0, with_length(zero - away, max_speed) - velocity, zero)' }",
    ),
    (
        "alignment = { KEYS, inner = 7.3, weight = 1 }",
        "rules.alignment = { KEYS, inner = 7.3, weight = 1, sum = { v = 'other_velocity' }, \
         force = 'if(neighbours > 0, with_length(v, max_speed) - velocity, zero)' }",
    ),
];

/// A scene whose two species have `behaviours`, by lines in which KEYS stands for how they perceive.
fn scene(world: &str, body: &str, behaviours: &[&str], count: u64) -> (Scene, FlockState) {
    let lines = |keys: &str| -> String {
        behaviours.iter().map(|line| line.replace("KEYS", keys) + "\n").collect()
    };
    let text = format!(
        "seed = 5\nworld = {world}\n[species.a]\ncount = {count}\n{body}\n{}\n\
         [species.b]\ncount = {}\n{body}\nmax_speed = 3\n{}",
        lines("radius = 14, with = \"all\""),
        count / 3,
        lines("radius = 20, fov = 250, nearest = 6, with = [\"a\"]"),
    );
    common::parsed(&text)
}

/// The worlds and bodies of the comparisons.
fn places() -> Vec<(String, &'static str)> {
    let mut all = Vec::new();
    let bodies = [
        "max_force = 0.1",
        "limit = \"sum\"\nspawn = { place = \"point\", speed = 1 }",
        "combine = \"priority\"\nmass = 2\nposition_step = \"old\"",
        "combine = \"exclusive\"\nlimit = \"none\"\nmax_turn = 20\njitter = 0.2",
    ];
    for (nth, size) in ["[120, 90]", "[70, 60, 50]"].into_iter().enumerate() {
        for (at, boundary) in BOUNDARIES.into_iter().enumerate() {
            let world = format!("{{ size = {size}, boundary = \"{boundary}\" }}");
            all.push((world, bodies[nth + at]));
        }
    }
    all
}

#[test]
fn a_rule_that_says_what_a_behaviour_does_gives_its_bytes() {
    let mut engines = with_cpu(adapter::gpu().filter(|gpu| compares_bits(gpu)));
    for (world, body) in places().into_iter().step_by(share().min(3)) {
        for (built_in, said) in [
            (SAID[..3].iter().map(|(own, _)| *own).collect::<Vec<_>>(), &SAID[..3]),
            (vec![SAID[3].0], &SAID[3..4]),
            (vec![SAID[4].0, SAID[5].0], &SAID[4..]),
        ] {
            let said: Vec<&str> = said.iter().map(|(_, said)| *said).collect();
            let (scene_of_built_in, state) = scene(&world, body, &built_in, 160);
            let (scene_of_rules, same_state) = scene(&world, body, &said, 160);
            assert!(state == same_state);
            // All engines give the same bytes, so one runs the behaviours.
            let wanted = bits(&run(&mut *engines[0], &scene_of_built_in, &state, TICKS));
            assert!(wanted != bits(&state));
            for engine in &mut engines {
                let found = run(&mut **engine, &scene_of_rules, &state, TICKS);
                assert!(bits(&found) == wanted, "{world}, {body}: {said:?}");
            }
            // The control, on one engine: a force that is off by two units in the last place.
            let off =
                said.iter().map(|text| text.replace("- velocity,", "- velocity * 1.0000002,"));
            let off: Vec<String> = off.collect();
            let off: Vec<&str> = off.iter().map(String::as_str).collect();
            let (other, _) = scene(&world, body, &off, 160);
            let found = run(&mut *engines[0], &other, &state, TICKS);
            assert!(bits(&found) != wanted, "{world}, {body}: the control is blind");
        }
    }
}

/// An agent alone: position, velocity, and its limits.
struct Alone<'a>(&'a [f32; 8]);

impl Inputs<f32> for Alone<'_> {
    fn given(&self, given: Given) -> f32 {
        match given {
            Given::Position(axis) => self.0[axis],
            Given::Velocity(axis) => self.0[3 + axis],
            Given::MaxSpeed => self.0[6],
            _ => self.0[7],
        }
    }
}

/// The force of a rule without neighbours, for the inputs of an agent; none if the rule is too long, or
/// divides by 0.
fn force_of<const D: usize>(text: &str, agent: &[f32; 8]) -> Option<[f32; D]> {
    let text = RuleText { name: "test".into(), force: text.into(), ..RuleText::default() };
    let formula = match Formula::compiled(text.clone(), D) {
        Ok(formula) => formula,
        Err((_, error)) => {
            let known = ["operations", "divides by 0"];
            assert!(known.iter().any(|part| error.problem.contains(part)), "{error}\n{text:?}");
            return None;
        }
    };
    let mut tape = Tape::<f32, 1>::new(&formula.force, 0.0);
    tape.prepare(&Alone(agent));
    Some(std::array::from_fn(|axis| tape.number(axis)))
}

#[test]
fn generated_formulas_are_those_of_f64_within_their_rounding() {
    fn compare<const D: usize>() {
        let (mut compared, mut doubtful, mut off_is_seen) = (0, 0, 0);
        for number in 0..3000 {
            let mut generator = Generator::new(number, D);
            let tree = generator.tree(Kind::Vector, 5);
            let agent = generator.agent();
            let found = force_of::<D>(&tree.text(), &agent);
            let (Some(found), Some(wanted)) = (found, tree.value(&agent, D)) else {
                doubtful += 1;
                continue;
            };
            // A component that is too large makes the whole force zero.
            let sound = |axis| {
                let (value, bound) = wanted.component(axis);
                value.abs() < 1e17 && bound < 1e-2 * (1.0 + value.abs())
            };
            if !(0..D).all(sound) {
                doubtful += 1;
                continue;
            }
            for (axis, found) in found.into_iter().enumerate() {
                let (value, bound) = wanted.component(axis);
                let off = (f64::from(found) - value).abs();
                assert!(off <= bound, "{}\n{found} is {off} from {value} ± {bound}", tree.text());
                compared += 1;
                off_is_seen += u32::from((f64::from(found) * 1.001 - value).abs() > bound);
            }
        }
        assert!(compared > 3000, "{compared} compared, {doubtful} not");
        // The control: a value that is off by a thousandth.
        assert!(off_is_seen * 2 > compared, "{off_is_seen} of {compared}");
    }
    compare::<2>();
    compare::<3>();
}

/// The line of a rule that is made up. The third one hears everybody.
fn made_up(generator: &mut Generator, nth: usize, axes: usize) -> String {
    loop {
        let kind = |sum: usize| [Kind::Number, Kind::Vector][(sum + nth) % 2];
        let everybody = nth == 2;
        let mut sums: Vec<(String, String)> =
            (0..3).map(|sum| (format!("s{sum}"), generator.sum(kind(sum)).text())).collect();
        for (_, sum) in sums.iter_mut().filter(|_| everybody) {
            *sum = sum.replace("offset", "other_position");
        }
        let force = generator.force_of_sums(nth).text();
        let text = RuleText { name: "test".into(), force, sums, everybody, ..RuleText::default() };
        if Formula::compiled(text.clone(), axes).is_ok() {
            let sums: Vec<String> =
                text.sums.iter().map(|(name, sum)| format!("{name} = '{sum}'")).collect();
            let radius = if everybody { "\"all\"".into() } else { (8 + 4 * nth).to_string() };
            let (fov, sums) = ([360, 300][nth % 2], sums.join(", "));
            return format!(
                "rules.r{nth} = {{ radius = {radius}, fov = {fov}, sum = {{ {sums} }}, force = '{}' }}\n",
                text.force
            );
        }
    }
}

#[test]
fn generated_rules_give_the_same_bits_on_both_engines() {
    let Some(gpu) = adapter::gpu().filter(|gpu| compares_bits(gpu)) else { return };
    let mut cpu = CpuEngine::new(Some(2)).unwrap();
    let mut engines = different(&gpu);
    for (axes, size) in [(2, "[120, 90]"), (3, "[70, 60, 50]")] {
        for number in 0..6 / share().min(3) as u64 {
            let mut generator = Generator::new(1000 + number, axes);
            let rules: String = (0..4).map(|nth| made_up(&mut generator, nth, axes)).collect();
            let world = format!("{{ size = {size}, boundary = \"wrap\" }}");
            let (scene, state) = scene(&world, "max_force = 0.3", &[&rules], 200);
            let wanted = run(&mut cpu, &scene, &state, 30);
            assert!(bits(&wanted) != bits(&state));
            for engine in &mut engines {
                let found = run(engine, &scene, &state, 30);
                let same = bits(&wanted).iter().zip(&bits(&found)).filter(|(a, b)| a == b).count();
                assert_eq!(same, state.len(), "{rules}");
            }
        }
    }
}

/// Forces that a compiler could compute in another way, with other last bits.
const FORCES: [&str; 13] = [
    "-speed * speed * heading",
    "(-speed) * (-speed) * heading",
    "pow(-speed, 2) * heading",
    "pow(abs(speed), 2) * heading",
    "velocity / (-speed * speed)",
    "heading * length(vector(abs(speed), 1))",
    "0.01 * vector(1 / (1 / x(position)), log(y(position)))",
    "heading * pow(pow(speed, -2), -1)",
    "heading * max(-1, min(1 / (0 - tick), 1))",
    "smoothstep(speed, speed, 3) * heading",
    "smoothstep(floor(speed), 0, 2) * heading",
    "vector(0 * sqrt(x(velocity)), 0.01)",
    "velocity * 0.5 * speed * 0.25 + velocity * speed - (speed - speed) * heading",
];

/// The same of sums, of which some are no numbers where agents share a spot.
const SUMS: [&str; 11] = [
    "-distance * distance",
    "(-distance) * (-distance)",
    "abs(distance) * abs(distance)",
    "1 / (1 / distance)",
    "length(vector(-distance, 1))",
    "distance * other_species / distance",
    "distance / distance * other_species",
    "0 * (distance / distance)",
    "distance / distance - distance / distance",
    "distance * radius + distance * other_speed",
    "(distance + 1) + other_speed - 1",
];

#[test]
fn compilers_change_no_bit_of_a_formula() {
    let Some(gpu) = adapter::gpu().filter(|gpu| compares_bits(gpu)) else { return };
    let mut cpu = CpuEngine::new(Some(2)).unwrap();
    let of_forces = FORCES.iter().map(|force| format!("rules.t.force = \"{force}\""));
    let of_sums = SUMS.iter().map(|sum| {
        format!("rules.t = {{ radius = 30, sum.s = \"{sum}\", force = \"0.01 * s * heading\" }}")
    });
    let mut engines = different(&gpu);
    for rule in of_forces.chain(of_sums).step_by(share().min(3)) {
        for spawn in ["{ speed = 2 }", "{ place = \"point\", speed = 1 }", "{ speed = 0 }"] {
            let text = format!(
                "world.size = [3000, 200]\n[species.a]\ncount = 200\nmax_force = 10\n\
                 spawn = {spawn}\n{rule}\n"
            );
            let (scene, state) = common::parsed(&text);
            let wanted = run(&mut cpu, &scene, &state, 2);
            for engine in &mut engines {
                let found = run(engine, &scene, &state, 2);
                let off = bits(&wanted).iter().zip(&bits(&found)).filter(|(a, b)| a != b).count();
                assert_eq!(off, 0, "agents that differ in\n{text}");
            }
        }
    }
}

#[test]
fn agents_draw_the_numbers_of_a_rule_for_themselves() {
    let text = "seed = 9\nworld.boundary = \"open\"\n[species.a]\ncount = 500\nmax_force = 10\n\
                max_speed = 10\nspawn.speed = 0\n\
                rules.go = { parameters.k = { from = 1, to = 3 }, force = \"k * heading\" }\n";
    let (scene, state) = common::parsed(text);
    let slot = scene.traits()[0];
    assert_eq!(slot.key(), "rules.go.parameters.k");
    let mut engines = with_cpu(adapter::gpu());
    for engine in &mut engines {
        let after = run(&mut **engine, &scene, &state, 1);
        for (id, velocity) in after.id.iter().zip(&after.velocity) {
            // An agent at rest heads along the first axis.
            let own = drawn(1.0, 3.0, scene.seed, *id, slot.noise_key());
            assert_eq!((velocity.x, velocity.y), (own, 0.0), "agent {id}");
        }
        let speeds = || after.velocity.iter().map(|velocity| velocity.x);
        assert!(speeds().fold(f32::MAX, f32::min) < 1.1 && speeds().fold(0.0, f32::max) > 2.9);
    }
}

/// A behaviour with the same inner radius does not hear it.
#[test]
fn a_rule_hears_a_neighbour_exactly_at_its_inner_radius() {
    for (inner, heard) in [(5.0, 2.0), (5.5, 0.0)] {
        let keys = format!("radius = 50, inner = {inner}");
        let (scene, mut state) = common::parsed(&format!(
            "world.boundary = \"open\"\n[species.a]\ncount = 2\nsize = 2\nmax_force = 1e4\nmax_speed = 1e4\n\
             spawn.speed = 0\nseparation = {{ {keys} }}\n\
             rules.near = {{ {keys}, sum.s = \"other_size\", force = \"s * heading\" }}\n"
        ));
        state.position[0] = Point::new(10.0, 10.0, 0.0);
        state.position[1] = Point::new(15.0, 10.0, 0.0);
        let mut engines = with_cpu(adapter::gpu());
        for engine in &mut engines {
            let after = run(&mut **engine, &scene, &state, 1);
            assert!(
                after.velocity.iter().all(|v| (v.x, v.y) == (heard, 0.0)),
                "{inner}: {after:?}"
            );
        }
    }
}

#[test]
fn a_sum_takes_the_sizes_that_neighbours_draw() {
    let text = "seed = 4\nworld = { size = [300, 200], boundary = \"open\" }\n\
                [species.a]\ncount = 60\nsize = { from = 2, to = 9 }\nmax_force = 1e4\nmax_speed = 1e4\n\
                limit = \"sum\"\nspawn.speed = 0\nrules.big = { radius = 60, sum.s = \"other_size\", \
                force = \"s * heading\" }\n[species.b]\ncount = 40\nsize = 3\nspawn.speed = 0\n";
    let (scene, state) = common::parsed(text);
    let own = |other: usize| &scene.species[state.species[other] as usize];
    let drawn = |other: usize| own(other).size_of(scene.seed, state.id[other]);
    let sum = |row: usize, size: &dyn Fn(usize) -> f32| -> f64 {
        let near = (0..state.len()).filter(|other| *other != row);
        let near = near.filter(|other| state.position[row].distance(state.position[*other]) < 60.0);
        near.map(|other| f64::from(size(other))).sum()
    };
    let mut engines = with_cpu(adapter::gpu());
    for engine in &mut engines {
        let after = run(&mut **engine, &scene, &state, 1);
        let mut unlike = 0;
        for (row, id) in state.id.iter().enumerate().filter(|(row, _)| state.species[*row] == 0) {
            let now = after.id.iter().position(|own| own == id).unwrap();
            let found = f64::from(after.velocity[now].x);
            let close = |wanted: f64| (found - wanted).abs() < 1e-4 * (1.0 + wanted);
            assert!(close(sum(row, &drawn)), "{id}: {found} for {}", sum(row, &drawn));
            // The control: each neighbour with the largest size of its species.
            unlike += u32::from(!close(sum(row, &|other| own(other).body.size)));
        }
        assert!(unlike > 40, "{unlike}");
    }
}

#[test]
fn every_example_of_the_page_runs() {
    let page = std::fs::read_to_string("docs/rules.md").unwrap();
    let examples = page.split("```toml\n").skip(1).map(|part| part.split("```").next().unwrap());
    let mut engine = CpuEngine::new(Some(2)).unwrap();
    let mut count = 0;
    for text in examples {
        let (scene, state) = common::parsed(text);
        assert!(!scene.formulas().is_empty(), "no rule in\n{text}");
        let after = run(&mut engine, &scene, &state, 60);
        // Without the rules the flock goes another way.
        let mut without = scene.clone();
        for species in &mut without.species {
            species.rules.retain(|rule| rule.kind.formula().is_none());
        }
        let other = run(&mut engine, &without, &state, 60);
        assert!(bits(&after) != bits(&other), "the rules do nothing in\n{text}");
        assert!(after.velocity.iter().all(|velocity| velocity.is_finite()), "{text}");
        count += 1;
    }
    assert_eq!(count, 15);
}
