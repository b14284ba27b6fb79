//! `nearest`: behaviours that choose so many neighbours, the nearest ones; and worlds in which crowds are not
//! sampled.

use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::model::vector::Point;
use flockwork::{CpuEngine, Engine};

use crate::adapter;
use crate::common::dice::Dice;
use crate::common::gpu::{GPU, compares_bits, engine, share, with_cpu};
use crate::common::situations::{FLOCKING, choosy};
use crate::common::variants::situations_of;
use crate::common::{agents, assert_none, bits, compare_ticks, run};

/// Agents of a situation: as many as there are bits in two whole numbers.
pub const AGENTS: usize = 24;

/// The side of the world; world units.
pub const SIDE: f32 = 40.0;

/// How the agents stand.
#[derive(Clone, Copy, Debug)]
pub enum Stand {
    Scattered,
    /// With many equal distances.
    Lattice,
    /// All but one at the same spot.
    Crowd,
}

/// Agent `n` moves by 2ⁿ along the first axis, or by 2ⁿ⁻¹² along the second one: a sum of velocities says who is in
/// it. Ids and places are in no order.
pub fn numbered(stand: Stand, axes: usize, dice: &mut Dice) -> FlockState {
    let mut state = FlockState::default();
    for n in 0..AGENTS {
        let place = (n * 7 + 3) % AGENTS;
        let at = |axis: u32, dice: &mut Dice| match stand {
            Stand::Scattered => dice.between(0.0, SIDE),
            Stand::Lattice => (place / 3_usize.pow(axis) % 3) as f32 * 8.0 + 2.0,
            Stand::Crowd => {
                if n == 5 {
                    20.0
                } else {
                    12.0
                }
            }
        };
        let place = Point::new(at(0, dice), at(1, dice), if axes == 3 { at(2, dice) } else { 0.0 });
        let bit = (1 << (n % 12)) as f32;
        state.id.push(n as u32);
        state.species.push((n % 2) as u8);
        state.position.push(place);
        state.velocity.push(if n < 12 { Point::X * bit } else { Point::Y * bit });
    }
    state
}

/// How the agents of one species choose.
#[derive(Clone, Copy, Debug)]
struct Choosing {
    radius: f32,
    nearest: usize,
    fov: f32,
    with: &'static str,
}

fn scene(world: &str, choosing: [Choosing; 2]) -> Scene {
    let mut text = format!("world = {world}\n");
    for (name, Choosing { radius, nearest, fov, with }) in ["a", "b"].into_iter().zip(choosing) {
        text += &format!(
            "[species.{name}]\ncount = 12\nlimit = \"none\"\nmax_speed = 10000\n[species.{name}.rules.who]\n\
             radius = {radius}\nnearest = {nearest}\nfov = {fov}\nwith = {with}\n\
             sum = {{ all = \"other_velocity\" }}\nforce = \"all\"\n"
        );
    }
    Scene::parse("test", &text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The neighbours of an agent by brute force, within a radius, in a field of view, and of some species: each with its
/// squared distance.
pub fn perceived(
    scene: &Scene,
    state: &FlockState,
    own: usize,
    (radius, fov, with): (f32, f32, &'static str),
) -> impl Iterator<Item = (usize, f32)> {
    let heading = state.velocity[own].normalize();
    let edge = (fov / 2.0).to_radians().cos();
    let others = (0..AGENTS).filter(move |other| *other != own);
    others.filter_map(move |other| {
        let offset = scene.world.shortest_between(state.position[own], state.position[other]);
        let squared = offset.dot(offset);
        let is_meant = with.contains(["a", "b"][usize::from(state.species[other])]);
        let is_ahead = fov >= 360.0 || heading.dot(offset) >= edge * squared.sqrt();
        (squared < radius * radius && is_meant && is_ahead).then_some((other, squared))
    })
}

/// The sums of velocities by brute force: of equally near agents those that come first in an `order`, then those with
/// the smallest ids.
fn chosen(
    scene: &Scene,
    state: &FlockState,
    choosing: [Choosing; 2],
    order: fn(&FlockState, usize) -> u32,
) -> Vec<Point> {
    let sum = |own: usize| {
        let Choosing { radius, nearest, fov, with } = choosing[usize::from(state.species[own])];
        let found = perceived(scene, state, own, (radius, fov, with));
        let mut seen: Vec<(usize, f32)> = found.collect();
        let rank = |other: usize| (order(state, other), state.id[other]);
        seen.sort_by(|a, b| a.1.total_cmp(&b.1).then(rank(a.0).cmp(&rank(b.0))));
        seen.iter().take(nearest).map(|(other, _)| state.velocity[*other]).sum()
    };
    (0..AGENTS).map(sum).collect()
}

/// The velocities that the engine adds in a tick.
pub fn added(engine: &mut dyn Engine, scene: &Scene, state: &FlockState) -> Vec<Point> {
    let after = run(engine, scene, state, 1);
    after.velocity.iter().zip(&state.velocity).map(|(after, before)| *after - *before).collect()
}

#[test]
fn agents_choose_the_nearest_and_of_equally_near_ones_the_smallest_ids() {
    let mut engines = with_cpu(adapter::gpu());
    let mut dice = Dice::new(7);
    let by_id = |state: &FlockState, agent: usize| state.id[agent];
    let largest_first = |state: &FlockState, agent: usize| u32::MAX - state.id[agent];
    // Engines keep agents in this order.
    let by_place = |state: &FlockState, agent: usize| {
        let Point { x, y, z } = state.position[agent];
        (z as u32 * 100 + y as u32) * 100 + x as u32
    };
    let (mut compared, mut ties, mut slots, mut too_many, mut too_few) = (0, 0, 0, 0, 0);
    for axes in [2, 3] {
        for boundary in ["wrap", "open"] {
            for (round, nearest) in [[1, 3], [7, 2], [16, 8]].into_iter().enumerate() {
                let size = ["[40, 40]", "[40, 40, 40]"][axes - 2];
                let world = format!("{{ size = {size}, boundary = \"{boundary}\" }}");
                let fov = if round == 1 { 200.0 } else { 360.0 };
                // Five cells in a row, and two, of which one sees both images of an agent.
                let radius = [8.5, 19.0, 13.0][round];
                let mut choosing = [
                    Choosing { radius, nearest: nearest[0], fov, with: "[\"a\", \"b\"]" },
                    Choosing { radius: 8.0, nearest: nearest[1], fov: 360.0, with: "[\"a\"]" },
                ];
                for stand in [Stand::Scattered, Stand::Lattice, Stand::Crowd] {
                    let state = numbered(stand, axes, &mut dice);
                    let own = scene(&world, choosing);
                    let wanted = chosen(&own, &state, choosing, by_id);
                    ties += u32::from(chosen(&own, &state, choosing, largest_first) != wanted);
                    slots += u32::from(chosen(&own, &state, choosing, by_place) != wanted);
                    for engine in &mut engines {
                        let found = added(&mut **engine, &own, &state);
                        assert_eq!(found, wanted, "{world}, {stand:?}, {choosing:?}");
                        compared += 1;
                    }
                    // The controls: one neighbour more, and one fewer.
                    choosing[0].nearest += 1;
                    too_many += u32::from(chosen(&own, &state, choosing, by_id) != wanted);
                    choosing[0].nearest -= 2;
                    too_few += u32::from(chosen(&own, &state, choosing, by_id) != wanted);
                    choosing[0].nearest = nearest[0];
                }
            }
        }
    }
    println!(
        "{compared} compared; {ties} with ties, {slots} where their order in memory is not by id"
    );
    assert!(ties >= 12 && slots >= 6, "{ties} with ties, {slots} in another order in memory");
    assert!(too_many >= 24 && too_few >= 24, "of 36 controls {too_many} and {too_few} are noticed");
}

#[test]
fn the_gpu_engine_chooses_as_the_reference_and_the_cpu_engine_do() {
    let Some(gpu) = adapter::gpu() else { return };
    let exact = compares_bits(&gpu);
    let (mut on_gpu, mut on_cpu) = (engine(&gpu), CpuEngine::new(Some(2)).unwrap());
    // A second driver takes every third situation: each has pipelines of its own.
    let every = share().min(3);
    for axes in [2, 3] {
        let (mut problems, mut seen, mut all) = (Vec::new(), 0, 0);
        let situations = situations_of(axes, &FLOCKING, 20).into_iter().zip(0..);
        for (usual, number) in situations.step_by(every) {
            all += 1;
            let case = choosy(usual.clone(), number);
            problems.extend(compare_ticks(&mut on_gpu, &case, 1, GPU).err());
            let wanted = bits(&run(&mut on_cpu, &case.scene, &case.state, 5));
            if exact && bits(&run(&mut on_gpu, &case.scene, &case.state, 5)) != wanted {
                problems.push(format!("other bits\n{}", case.name));
            }
            // The control: all neighbours in place of the nearest.
            seen += u32::from(bits(&run(&mut on_cpu, &usual.scene, &usual.state, 5)) != wanted);
        }
        assert_none(&problems);
        assert!(4 * seen > all, "{axes} axes: {seen} of {all} controls are noticed");
    }
}

/// 700 agents in one cell, who count one another.
pub fn crowd(world: &str, key: &str) -> (Scene, FlockState) {
    let text = format!(
        "seed = 3\nworld = {{ size = [400, 400]{world} }}\n[species.a]\ncount = 700\nlimit = \"none\"\n\
         max_speed = 10000\n[species.a.rules.who]\nradius = 50{key}\nsum = {{ all = \"offset\", n = \"1\" }}\n\
         force = \"vector(n, 0)\"\n"
    );
    let mut dice = Dice::new(11);
    let corner = Point::new(205.0, 205.0, 0.0);
    let mut place = || dice.place(Point::new(10.0, 10.0, 0.0), 0.0) + corner;
    let state = agents(&std::array::from_fn::<_, 700, _>(|_| (place(), Point::ZERO)));
    (Scene::parse("test", &text).unwrap(), state)
}

#[test]
fn without_sampling_every_agent_of_a_crowd_counts() {
    for engine in &mut with_cpu(adapter::gpu()) {
        let mut counts = |world: &str, key: &str| -> Vec<f32> {
            let (scene, state) = crowd(world, key);
            added(&mut **engine, &scene, &state).iter().map(|sum| sum.x).collect()
        };
        let whole = counts(", sampling = \"none\"", "");
        assert!(whole.iter().all(|count| *count == 699.0));
        // A scene with the nearest is never sampled.
        assert!(counts("", "\nnearest = 16").iter().all(|count| *count == 16.0));
        // The control: a sample is an estimate.
        assert!(counts("", "").iter().any(|count| *count != 699.0));
    }
}
