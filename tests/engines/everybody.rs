//! Rules in text with `radius = "all"`: who is heard, what the sums are, and how many can hear.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::Arc;

use flockwork::engine::cpu::{CpuEngine, InstructionSet};
use flockwork::engine::gpu::Gpu;
use flockwork::engine::{Change, Engine, EngineError};
use flockwork::model::behaviours::Uses;
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::model::world::Boundary;
use glam::{DVec2, DVec3};

use crate::adapter;
use crate::common::gpu::{
    checked_with_cpu, compares_bits, cpu_and, share, with_cpu, without_subgroups,
};
use crate::common::reference::minimum_image;
use crate::common::{self, BOUNDARIES, bits, run, stepped};

/// Worlds of all boundaries, in a plane and in space.
fn worlds() -> impl Iterator<Item = String> {
    let sizes = ["[120, 90]", "[70, 60, 50]"].into_iter();
    let all = sizes.flat_map(move |size| {
        BOUNDARIES
            .map(|own| format!("{{ size = {size}, boundary = \"{own}\", sampling = \"none\" }}"))
    });
    all.step_by(share().min(3))
}

/// The device, unless it has the bits of the CPU engine, as two of these tests show.
#[track_caller]
fn gpu_with_own_bits() -> Option<Arc<Gpu>> {
    adapter::gpu().filter(|gpu| !gpu.is_software())
}

/// Two species with these rules. KEYS becomes the species that they hear; the second one gets the key `fov`, too.
fn scene_of(world: &str, rules: &str, fov: &str, count: u64) -> (Scene, FlockState) {
    let body = "limit = \"none\"\nmax_speed = 9\nsize = { from = 1, to = 3 }";
    let text = format!(
        "seed = 5\nworld = {world}\n[species.a]\ncount = {count}\n{body}\n{}\n\
         [species.b]\ncount = {}\n{body}\n{}",
        rules.replace("KEYS", "with = \"all\""),
        count / 3,
        rules.replace("KEYS", &format!("with = [\"a\"]{fov}")),
    );
    common::parsed(&text)
}

/// Rules whose agents look at everybody.
const LOOKING: &str = "rules.a = { KEYS, radius = RADIUS, inner = 2.3, parameters = { far = 31.7 }, \
    sum.pull = 'offset * (exp(-distance / far) - 3 / (1 + distance_squared))', \
    sum.turn = '(other_velocity - velocity) * other_size / (3 + distance)', \
    force = '0.001 * pull + 0.002 * turn / neighbours' }\n\
    rules.b = { KEYS, radius = RADIUS, sum.s = 'sin(other_phase - phase) / (1 + distance)', \
    force = '0.01 * s * heading', state.phase = { next = 'phase + 0.01 * s', start = { from = 0, to = 1 } } }";

/// Rules whose sums all agents of a species share.
const SHARED: &str = "rules.a = { KEYS, radius = \"all\", parameters = { k = { base = 3.1, amplitude = 1 } }, \
    sum.v = 'other_velocity', sum.place = 'k * other_position', sum.n = 'other_size * other_species', \
    force = '0.03 * v / neighbours + 1e-4 * (place / neighbours - k * position) + 1e-3 * n / neighbours * heading' }\n\
    rules.b = { KEYS, radius = \"all\", sum.east = 'cos(other_phase)', sum.north = 'sin(other_phase)', \
    force = '0.01 * east / neighbours * heading', state.phase = { \
    next = 'phase + 0.03 * (north * cos(phase) - east * sin(phase)) / neighbours', start = { from = 0, to = 1 } } }";

#[test]
fn everybody_is_who_is_within_a_radius_that_holds_the_world() {
    let mut engines = with_cpu(adapter::gpu().filter(|gpu| compares_bits(gpu)));
    // The grid has one cell, so all are in the same order.
    let hold = "\nrules.hold = { radius = 900, sum.n = '1', force = 'zero' }";
    for world in worlds() {
        let scene_within = |radius: &str| {
            scene_of(&world, &(LOOKING.replace("RADIUS", radius) + hold), ", fov = 250", 90)
        };
        let (scene, state) = scene_within("900");
        let (of_all, same_state) = scene_within("\"all\"");
        let (of_less, _) = scene_within("30");
        assert!(bits(&state) == bits(&same_state));
        assert!(of_all.uses().has(Uses::EVERYBODY) && !scene.uses().has(Uses::EVERYBODY));
        let wanted = bits(&run(&mut *engines[0], &scene, &state, 60));
        for engine in &mut engines {
            let found = run(&mut **engine, &of_all, &state, 60);
            assert!(bits(&found) == wanted, "{world}: {}", engine.describe());
        }
        // The control: those within a shorter radius.
        let found = run(&mut *engines[0], &of_less, &state, 60);
        assert!(bits(&found) != wanted, "{world}: the control is blind");
    }
}

/// The velocities after the first tick of [`SHARED`] in `f64`; `with_itself` counts each agent among those
/// that it hears.
fn velocities_of_shared(scene: &Scene, state: &FlockState, with_itself: bool) -> Vec<DVec3> {
    let one = |agent: usize| {
        let heard = (0..state.len())
            .filter(|other| with_itself || *other != agent)
            .filter(|other| state.species[agent] == 0 || state.species[*other] == 0);
        let (mut v, mut place, mut n, mut x, mut count) = (DVec3::ZERO, DVec3::ZERO, 0.0, 0.0, 0.0);
        let k = parameter(scene, usize::from(state.species[agent]));
        for other in heard {
            let species = scene.species[usize::from(state.species[other])].clone();
            v += state.velocity[other].as_dvec3();
            place += k * state.position[other].as_dvec3();
            n += f64::from(species.size_of(scene.seed, state.id[other]))
                * f64::from(state.species[other]);
            x += (TAU * f64::from(state.kept[other][0])).cos();
            count += 1.0;
        }
        let own = state.velocity[agent].as_dvec3();
        let heading = own.normalize();
        own + 0.03 * v / count
            + 1e-4 * (place / count - k * state.position[agent].as_dvec3())
            + (1e-3 * n + 0.01 * x) / count * heading
    };
    (0..state.len()).map(one).collect()
}

/// The largest value of `off`, over agents that no wall has stopped.
fn largest(scene: &Scene, state: &FlockState, off: impl Fn(usize) -> f64) -> f64 {
    let is_free = |agent: &usize| {
        let (place, size) = (state.position[*agent], scene.world.size);
        scene.world.boundary != Boundary::Walls
            || (0..scene.world.axes()).all(|axis| place[axis] > 0.0 && place[axis] < size[axis])
    };
    (0..state.len()).filter(is_free).map(off).fold(0.0, f64::max)
}

/// The parameter `k` of a species at the first tick; it varies with time.
fn parameter(scene: &Scene, species: usize) -> f64 {
    let rule = &scene.at(0).species[species].rules[0];
    f64::from(rule.values[rule.kind.parameter("parameters.k").unwrap()])
}

#[test]
fn shared_sums_are_those_of_f64_without_the_agent_itself() {
    // Sums of 2,000 positions up to 120, rounded 8 times a lane and 8 times between lanes, are off by 1e-4 of
    // a place; the force takes 1e-4 of that. The other sums are smaller.
    const TOLERANCE: f64 = 2e-6;
    let mut engines = cpu_and(adapter::gpu().map(|gpu| without_subgroups(&gpu)));
    for world in worlds() {
        for count in [3, 40, 1500] {
            let (scene, state) = scene_of(&world, SHARED, "", count);
            let uses = scene.uses();
            assert!(uses.has(Uses::SHARED) && !uses.has(Uses::EVERYBODY));
            let state = FlockState { kept: scene.kept_of(&state), ..state };
            let wanted = velocities_of_shared(&scene, &state, false);
            let with_itself = velocities_of_shared(&scene, &state, true);
            for engine in &mut engines {
                let found = run(&mut **engine, &scene, &state, 1);
                let off = |wanted: &[DVec3]| {
                    largest(&scene, &found, |agent| {
                        (found.velocity[agent].as_dvec3() - wanted[agent]).length()
                    })
                };
                assert!(off(&wanted) < TOLERANCE, "{world}, {count}: {}", off(&wanted));
                // The control: an agent that hears itself.
                assert!(off(&with_itself) > 3.0 * TOLERANCE, "{world}, {count}: blind");
            }
        }
    }
}

#[test]
fn looking_at_everybody_is_as_in_f64() {
    // A rounding of a place across the seam, 8e-6, and of some hundred terms up to 2.
    const TOLERANCE: f64 = 1e-5;
    let rule = "rules.a = { KEYS, radius = \"all\", sum.pull = 'offset / (9 + distance_squared)', \
                force = 'pull' }";
    let mut engines = with_cpu(gpu_with_own_bits());
    for world in worlds() {
        let (scene, state) = scene_of(&world, rule, "", 150);
        let force = |agent: usize, least: f64| -> DVec3 {
            let heard = (0..state.len())
                .filter(|other| state.species[agent] == 0 || state.species[*other] == 0);
            let offset = |other: usize| {
                let plain = state.position[other] - state.position[agent];
                minimum_image(&scene, plain.as_dvec3()).0
            };
            let offsets = heard.map(offset).filter(|offset| offset.length() >= least);
            offsets.map(|offset| offset / (9.0 + offset.length_squared())).sum()
        };
        for engine in &mut engines {
            let found = run(&mut **engine, &scene, &state, 1);
            let off = |least: f64| {
                largest(&scene, &found, |agent| {
                    let wanted = state.velocity[agent].as_dvec3() + force(agent, least);
                    (found.velocity[agent].as_dvec3() - wanted).length()
                })
            };
            assert!(off(0.0) < TOLERANCE, "{world}: {}", off(0.0));
            // The control: those at a distance below 1 left out.
            assert!(off(1.0) > 10.0 * TOLERANCE, "{world}: {}", off(1.0));
        }
    }
}

#[test]
fn engines_threads_and_instructions_hear_alike_also_after_edits() {
    let mut engines = with_cpu(adapter::gpu().filter(|gpu| compares_bits(gpu)));
    for set in InstructionSet::available() {
        engines.push(Box::new(CpuEngine::with_instructions(Some(1), set).unwrap()));
    }
    let near = "\nseparation = { radius = 8 }\nalignment = { radius = 14, fov = 300 }";
    let looking = LOOKING.replace("RADIUS", "\"all\"");
    // A field of view makes sums that are not shared.
    let rules = [
        (SHARED.to_string() + near, ""),
        (looking.clone() + near, ", fov = 200"),
        (SHARED.to_string(), ", fov = 90"),
        (looking, ""),
    ];
    for (nth, world) in worlds().enumerate() {
        let (rules, fov) = &rules[nth % rules.len()];
        let (scene, state) = scene_of(&world, rules, fov, 300);
        let (later, _) = scene_of(&world, &rules.replace("0.01", "0.02"), fov, 300);
        let one_near = rules.replacen("radius = \"all\"", "radius = 20", 1);
        let (both, _) = scene_of(&world, &one_near, fov, 300);
        let mut wanted: Option<Vec<_>> = None;
        for engine in &mut engines {
            let mut found = Vec::new();
            engine.load(&scene, &state).unwrap();
            let mut go_on = |engine: &mut dyn Engine| {
                found.push(bits(&stepped(engine, 15)));
            };
            go_on(&mut **engine);
            engine.remove(&[1, 17, 350]).unwrap();
            go_on(&mut **engine);
            let places = [state.position[0], state.position[9]];
            engine.spawn(&places, &[state.velocity[0]; 2], &[1, 0]).unwrap();
            go_on(&mut **engine);
            engine.update(&later, Change::PARAMETERS).unwrap();
            go_on(&mut **engine);
            engine.update(&both, Change::PARAMETERS).unwrap();
            go_on(&mut **engine);
            let first = wanted.get_or_insert_with(|| found.clone());
            let differs = found.iter().zip(&*first).position(|(found, wanted)| found != wanted);
            assert_eq!(differs, None, "{world}, {}", engine.describe());
            assert!(found.windows(2).all(|pair| pair[0] != pair[1]));
        }
    }
}

#[test]
fn too_many_that_look_at_everybody_are_refused_and_nothing_is_lost() {
    let rule = |sum: &str| {
        format!("rules.r = {{ radius = \"all\", sum.s = '{sum}', force = '0.001 * s' }}")
    };
    let scene_with = |rule: &str, count: u64| {
        let text = format!("[species.a]\ncount = {count}\n{rule}\n");
        common::parsed(&text)
    };
    for mut engine in checked_with_cpu(adapter::gpu()) {
        let (of_shared, state) = scene_with(&rule("other_velocity"), 65_537);
        let (looks, _) = scene_with(&rule("offset"), 65_537);
        let crowd = |count: usize| EngineError::Crowd {
            count,
            species: "a".into(),
            rule: "rules.r",
            most: 65_536,
        };
        assert_eq!(engine.load(&looks, &state), Err(crowd(65_537)));
        engine.load(&of_shared, &state).unwrap();
        assert_eq!(engine.update(&looks, Change::PARAMETERS), Err(crowd(65_537)));
        assert!(bits(&engine.read_back().unwrap()) == bits(&state), "the flock is as it was");
        engine.step(1).unwrap();
        let fewer: Vec<u32> = (0..65_517).collect();
        engine.remove(&fewer).unwrap();
        engine.update(&looks, Change::PARAMETERS).unwrap();
        engine.step(1).unwrap();
        let many = state.rows(0..65_537);
        let more = engine.spawn(&many.position, &many.velocity, &many.species);
        assert_eq!(more.map(|_| ()), Err(crowd(65_557)));
        assert_eq!(engine.read_back().unwrap().len(), 20);
    }
}

/// How far in step oscillators are that are coupled to all: the length of their mean. Their frequencies are
/// normal with a deviation of `sigma`, the coupling is `k`; both radians per tick. By Kuramoto's theory of very
/// many: r = k r ∫ cos²θ g(k r sin θ) dθ over half a circle.
fn in_step(k: f64, sigma: f64) -> f64 {
    const STEPS: usize = 2000;
    let density = |omega: f64| (-0.5 * (omega / sigma).powi(2)).exp() / (sigma * TAU.sqrt());
    let next = |r: f64| {
        let term = |step: usize| {
            let angle = (step as f64 + 0.5) / STEPS as f64 * PI - FRAC_PI_2;
            angle.cos().powi(2) * density(k * r * angle.sin()) * PI / STEPS as f64
        };
        k * r * (0..STEPS).map(term).sum::<f64>()
    };
    (0..1000).fold(1.0, |r, _| next(r))
}

#[test]
fn oscillators_coupled_to_all_fall_into_step_as_kuramoto_says() {
    const AGENTS: usize = 3000;
    // Three standard deviations of the mean.
    let tolerance = 3.0 / (AGENTS as f64).sqrt();
    let page = std::fs::read_to_string("docs/rules.md").unwrap();
    let text = page.split("```toml\n").find(|text| text.starts_with("# Oscillators")).unwrap();
    let text = text.split("```").next().unwrap();
    let sigma = 0.01 * TAU;
    for mut engine in with_cpu(gpu_with_own_bits()) {
        let mut found = |times: f64| {
            let k = times * sigma * (8.0 / PI).sqrt();
            let set = format!("clock.rules.couple.parameters.coupling.value={k}");
            let scene = Scene::parse_with("test", text, &[set]).unwrap();
            let (scene, state) = common::populated(scene, AGENTS as u64);
            engine.load(&scene, &state).unwrap();
            engine.step(600).unwrap();
            let mut of_ticks = Vec::new();
            for _ in 0..20 {
                let state = stepped(&mut *engine, 20);
                let place = state.kept_names.place("phase").unwrap();
                let angles = state.kept.iter().map(|row| f64::from(row[place]));
                let all = angles.map(|turns| DVec2::from_angle(TAU * turns));
                of_ticks.push((all.sum::<DVec2>() / AGENTS as f64).length());
            }
            (of_ticks.iter().sum::<f64>() / of_ticks.len() as f64, in_step(k, sigma))
        };
        let (below, above, far) = (found(0.6), found(1.4), found(2.0));
        println!("below {below:?}, above {above:?}, far {far:?}");
        assert!(below.1 < 1e-3 && above.1 > 0.5 && far.1 > 0.8);
        for (found, wanted) in [below, above, far] {
            assert!((found - wanted).abs() < tolerance, "{found} instead of {wanted}");
        }
        // The control: the theory for another coupling.
        assert!((far.0 - above.1).abs() > tolerance);
    }
}
