//! The numbers for looks in the agents' memory, accelerations, ages, structures and banks, against what the states
//! say, on both engines and with both numbers of axes.

use crate::adapter;
use crate::common::gpu::checked_with_cpu;
use crate::common::reference::minimum_image;
use crate::common::{BOUNDARIES, bits, mixed, mixed_in_space, run, stepped};
use flockwork::engine::{Change, Engine};
use flockwork::model::behaviours::Uses;
use flockwork::model::memory::{BANK_WEIGHT, Memory, Shown, growth_of_age, leant};
use flockwork::model::scene::{ColourBy, Scene};
use flockwork::model::state::FlockState;
use glam::DVec3;

/// Ticks of a run. Many agents are sent elsewhere meanwhile.
const TICKS: usize = 40;

/// Ages end after so many ticks, so that some are beyond the end of the scale.
const MAX_AGE: &str = "style.age=29";

/// The agents whose number is of this kind.
fn those_with(scene: &Scene, state: &FlockState, shown: Shown) -> Vec<usize> {
    let rows = 0..state.len();
    rows.filter(|row| scene.shown().species(state.species[*row]) == shown).collect()
}

/// The states of a run, one after each tick.
fn states(
    engine: &mut dyn Engine,
    scene: &Scene,
    first: &FlockState,
    ticks: usize,
) -> Vec<FlockState> {
    engine.load(scene, first).unwrap();
    let mut all = vec![engine.read_back().unwrap()];
    for _ in 0..ticks {
        all.push(stepped(engine, 1));
    }
    all
}

/// The number of agents whose number of this kind does not fit the states before and after a tick, and the
/// different numbers found. Where `fits` gives nothing, rounding decides.
fn wrong(
    scene: &Scene,
    states: &[FlockState],
    shown: Shown,
    fits: impl Fn(&FlockState, &FlockState, usize) -> Option<bool>,
) -> (usize, Vec<u32>) {
    let (mut wrong, mut found) = (0, Vec::new());
    for pair in states.windows(2) {
        let [before, after] = pair else { unreachable!() };
        for row in those_with(scene, after, shown) {
            let Some(fits) = fits(before, after, row) else { continue };
            wrong += usize::from(!fits);
            found.push(after.memory[row].shown());
        }
    }
    found.sort_unstable();
    found.dedup();
    (wrong, found)
}

/// The most that forces may change the velocity of an agent in a tick.
fn most_change(scene: &Scene, state: &FlockState, row: usize) -> f64 {
    let species = &scene.species[state.species[row] as usize];
    let body = species.of_agent(scene.seed, state.id[row]).body;
    f64::from(body.max_force) * f64::from(scene.time_step) / f64::from(body.mass)
}

/// An acceleration is the change of the velocity.
fn assert_accelerations(scene: &Scene, states: &[FlockState]) {
    let wrong_at = |scale: f64| {
        wrong(scene, states, Shown::Acceleration, |before, after, row| {
            let change = after.velocity[row].as_dvec3() - before.velocity[row].as_dvec3();
            let share = change.length() / most_change(scene, after, row) * scale;
            let exact = share / (share + 1.0) * 255.0;
            // The velocities are rounded, and so is the number, downwards.
            Some((exact - 1.04..exact + 0.04).contains(&f64::from(after.memory[row].shown())))
        })
    };
    let (wrong, found) = wrong_at(1.0);
    assert_eq!(wrong, 0);
    // A force above max_force differs too, and nothing is at the end of the palette.
    let most = found.last().copied().unwrap_or_default();
    assert!(found.len() > 100 && (135..255).contains(&most), "{found:?}");
    // The control: a scale that is 3 percent off.
    assert!(wrong_at(1.03).0 > 100);
}

/// A bird leans into its turns, as the change of its velocity says.
fn assert_banks(scene: &Scene, states: &[FlockState]) {
    let wrong_at = |side: f64| {
        wrong(scene, states, Shown::Bank, |before, after, row| {
            let [was, is] = [before, after].map(|state| state.velocity[row].as_dvec3());
            let aside = was.truncate().perp_dot((is - was).truncate()) / was.truncate().length();
            let weight = most_change(scene, after, row) * f64::from(BANK_WEIGHT);
            let share = side * aside / weight;
            let turn = share / (share.abs() + 1.0) * 127.0;
            // A turn that is rounded to another whole number may be off by a step.
            let wanted = Memory(leant(before.memory[row].shown(), turn as f32)).bank();
            Some((after.memory[row].bank() - wanted).abs() <= 1.0)
        })
    };
    let (wrong, found) = wrong_at(1.0);
    assert_eq!(wrong, 0);
    let leans = || found.iter().map(|shown| Memory(*shown).bank());
    let ends = [leans().fold(0.0, f32::min), leans().fold(0.0, f32::max)];
    assert!(found.len() > 100 && ends[0] < -50.0 && ends[1] > 50.0, "{found:?}");
    // The control: birds that lean out of their turns.
    assert!(wrong_at(-1.0).0 > 100);
}

/// The number of agents whose number is not their age, and how many were sent elsewhere. `longest` is
/// the scene's, but for a control.
fn wrong_ages(scene: &Scene, states: &[FlockState], longest: f64) -> (usize, usize) {
    let place = scene.targets.iter().find_map(|target| target.sends_to).unwrap();
    let (mut wrong, mut sent) = (0, 0);
    let mut born = vec![states[0].tick; states[0].len()];
    for state in states {
        for row in those_with(scene, state, Shown::Age) {
            if state.position[row] == place && state.tick > states[0].tick {
                born[row] = state.tick;
                sent += 1;
            }
            let ticks = (state.tick - born[row]) as f64;
            let seen = f64::from(state.memory[row].shown());
            // A number is rounded, and so is the number at birth.
            let exact = (ticks * 255.0 / longest).min(255.0);
            wrong += usize::from((seen - exact).abs() > 1.0 || (ticks == 0.0 && seen != 0.0));
        }
    }
    (wrong, sent)
}

/// A run that goes on from a tick on its way counts on.
fn assert_goes_on(
    engine: &mut dyn Engine,
    scene: &Scene,
    first: &FlockState,
    states: &[FlockState],
) {
    let half = run(engine, scene, first, 20);
    let scene = scene.with_targets(engine.targets().unwrap());
    assert!(bits(&run(engine, &scene, &half, 17)) == bits(&states[37]));
    // The control: a tick that is off by one.
    let late = FlockState { tick: half.tick + 1, ..half };
    assert!(bits(&run(engine, &scene, &late, 17)) != bits(&states[37]));
}

/// Checks flocks of agents of all kinds. Returns how many agents a target has sent elsewhere.
fn assert_shown(flocks: [(Scene, FlockState); 3]) -> usize {
    let gpu = adapter::gpu();
    let alike = gpu.as_ref().is_none_or(|gpu| gpu.is_software());
    let mut engines = checked_with_cpu(gpu);
    let mut sent = 0;
    for (scene, first) in flocks {
        let mut ends = Vec::new();
        for engine in &mut engines {
            let states = states(engine.as_mut(), &scene, &first, TICKS);
            assert_accelerations(&scene, &states);
            if scene.uses().has(Uses::BANKS) {
                assert_banks(&scene, &states);
            }
            let (wrong, of_scene) = wrong_ages(&scene, &states, 29.0);
            assert_eq!(wrong, 0, "{:?}", engine.kind());
            sent += of_scene;
            // The control: another scale.
            assert!(wrong_ages(&scene, &states, 31.0).0 > 100);
            assert_goes_on(engine.as_mut(), &scene, &first, &states);
            ends.push(bits(&states[TICKS]));
        }
        assert!(!alike || ends.windows(2).all(|pair| pair[0] == pair[1]), "the engines part");
        // The control: ages of another scale.
        let mut slower = scene.clone();
        slower.style.age += 100;
        let last = engines.last_mut().unwrap().as_mut();
        assert!(bits(&run(last, &slower, &first, TICKS as u32)) != ends[0]);
    }
    sent
}

#[test]
fn accelerations_ages_and_banks_are_what_the_states_say() {
    let in_plane = BOUNDARIES.map(|boundary| mixed(boundary, &[MAX_AGE]));
    let look = [MAX_AGE, "style.look=bird"];
    let in_space = BOUNDARIES.map(|boundary| mixed_in_space(boundary, &look));
    let sent = assert_shown(in_plane) + assert_shown(in_space);
    assert!(sent > 5, "{sent}");
}

#[test]
fn whether_birds_lean_changes_no_motion() {
    let motion = |state: &FlockState| (state.position.clone(), state.velocity.clone());
    for engine in &mut checked_with_cpu(adapter::gpu()) {
        for boundary in BOUNDARIES {
            let [birds, darts] = ["style.look=bird", "style.look=triangle"].map(|look| {
                let (scene, first) = mixed_in_space(boundary, &[look]);
                run(engine.as_mut(), &scene, &first, TICKS as u32)
            });
            assert!(motion(&birds) == motion(&darts), "{:?}, {boundary}", engine.kind());
            // The control: the numbers differ.
            assert!(birds.memory != darts.memory);
        }
    }
    // Scenes without birds, and planes, pay nothing.
    let uses = |look: &str| mixed_in_space("wrap", &[look]).0.uses().has(Uses::BANKS);
    assert!(uses("style.look=bird") && !uses("style.look=fish"));
    assert!(!mixed("wrap", &["style.look=bird"]).0.uses().has(Uses::BANKS));
}

/// The structure round the agent in a row, from all others: the order times 16, and the root of the number
/// of neighbours times 1.5. `None` if that depends on an agent on the edge of the radius.
fn structure(scene: &Scene, state: &FlockState, row: usize, radius: f64) -> Option<[f64; 2]> {
    let (mut sum, mut aligned, mut near) = (DVec3::ZERO, 0.0, 0.0);
    for other in (0..state.len()).filter(|other| *other != row) {
        let way = state.position[other].as_dvec3() - state.position[row].as_dvec3();
        let distance = minimum_image(scene, way).0.length();
        if (distance - radius).abs() < 1e-3 {
            return None;
        }
        if distance < radius {
            near += 1.0;
            if state.species[other] == state.species[row] {
                (sum, aligned) = (sum + state.velocity[other].as_dvec3(), aligned + 1.0);
            }
        }
    }
    let own = &scene.species[state.species[row] as usize];
    let most = f64::from(own.of_agent(scene.seed, state.id[row]).body.max_speed);
    let order = if aligned > 0.0 { sum.length() / (aligned * most) } else { 0.0 };
    Some([16.0 * order, 1.5 * f64::sqrt(near)])
}

/// Numbers of 4 bits differ from their closed form where that is as near to the next one as this.
const NEAR_STEP: f64 = 1e-3;

/// The number of agents whose number is not the structure round them, and the numbers found.
fn wrong_structures(scene: &Scene, states: &[FlockState], radius: f64) -> (usize, Vec<u32>) {
    wrong(scene, states, Shown::Structure, |before, after, row| {
        let exact = structure(scene, before, row, radius)?;
        let seen = after.memory[row].shown();
        let fits = |seen: u32, exact: f64| {
            let range = exact - 1.0 - NEAR_STEP..exact + NEAR_STEP;
            range.contains(&f64::from(seen)) || seen == 15 && exact > 15.0
        };
        Some(fits(seen >> 4, exact[0]) && fits(seen & 15, exact[1]))
    })
}

#[test]
fn a_structure_is_the_order_and_the_density_of_the_neighbours() {
    const KEYS: [&str; 4] = [
        "starling.colour=structure",
        "starling.alignment.fov=360",
        "starling.alignment.radius=25",
        "starling.alignment.with=[\"starling\"]",
    ];
    let flocks = BOUNDARIES.map(|edge| [mixed(edge, &KEYS), mixed_in_space(edge, &KEYS)]);
    for engine in &mut checked_with_cpu(adapter::gpu()) {
        for (scene, first) in flocks.as_flattened() {
            let states = states(engine.as_mut(), scene, first, 3);
            let (wrong, found) = wrong_structures(scene, &states, 25.0);
            assert_eq!(wrong, 0, "{:?} of {}", engine.kind(), found.len());
            assert!(found.len() > 15, "{found:?}");
            // The control: another radius.
            assert!(wrong_structures(scene, &states[..3], 27.0).0 > 100);
        }
    }
}

#[test]
fn another_colour_begins_at_nothing() {
    for engine in &mut checked_with_cpu(adapter::gpu()) {
        for (scene, first) in [mixed("wrap", &[]), mixed_in_space("wrap", &[])] {
            run(engine.as_mut(), &scene, &first, 30);
            let mut scene = scene.with_targets(engine.targets().unwrap());
            let before = engine.read_back().unwrap();
            let starlings: Vec<usize> =
                (0..before.len()).filter(|row| before.species[*row] == 0).collect();
            let shown = |row: &usize| before.memory[*row].shown();
            assert!(starlings.iter().any(|row| shown(row) > 3), "they are counted");
            scene.species[0].colour = ColourBy::Age;
            engine.update(&scene, Change::PARAMETERS).unwrap();
            let after = engine.read_back().unwrap();
            for row in 0..after.len() {
                let [was, is] = [&before, &after].map(|state| state.memory[row]);
                let kept = if after.species[row] == 0 { was.showing(0) } else { was };
                assert_eq!(is, kept, "only the numbers of the starlings change");
            }
            engine.step(4).unwrap();
            let tick = before.tick as u32;
            let grown: u32 = (tick..tick + 4).map(|tick| growth_of_age(tick, 600)).sum();
            let after = engine.read_back().unwrap();
            let ages: Vec<u32> = starlings.iter().map(|row| after.memory[*row].shown()).collect();
            // The target has sent some of them meanwhile.
            let sent = ages.iter().filter(|age| **age < grown).count();
            assert!(grown > 0 && sent < 20 && ages.iter().all(|age| *age <= grown), "{ages:?}");
            // A state says what its numbers are: as counts of neighbours they do not become ages.
            let (other, _) = mixed("wrap", &["starling.colour=acceleration"]);
            if scene.world.axes() == other.world.axes() {
                let memory = other.memory_of(&after);
                let starlings =
                    after.species.iter().zip(&memory).filter(|(species, _)| **species == 0);
                assert!(starlings.into_iter().all(|(_, memory)| memory.shown() == 0));
            }
        }
    }
}
