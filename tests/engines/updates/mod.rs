//! An engine whose scene is edited between two ticks continues like one that loads the edited scene
//! with the current state: byte for byte, for every kind of edit, on both engines.

mod edits;
mod random;

use crate::adapter;
use crate::common;
use std::sync::Arc;

use crate::common::gpu::checked_with_cpu;
use crate::common::{bits, built_in, flock, mixed, mixed_in_space, run, stepped};
use edits::*;
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::Gpu;
use flockwork::engine::{Change, Engine};
use flockwork::model::behaviours::{Kind, Target};
use flockwork::model::scene::Scene;
use flockwork::model::scenery::Obstacle;
use flockwork::model::state::FlockState;
use flockwork::model::vector::{Point, Vector, flat};
use flockwork::model::world::World;

/// Ticks before an edit, and after it.
const TICKS: [u32; 2] = [7, 6];

/// A flock in a plane and one in a space.
fn flocks() -> [(Scene, FlockState); 2] {
    let two = ["flock", "flock-3d"].map(|scene| built_in(scene, 2000, &[]));
    let cells = |scene: &Scene| match scene.world.is_flat() {
        true => scene.grid::<2>(2000).cells(),
        false => scene.grid::<3>(2000).cells(),
    };
    for (scene, _) in &two {
        let mut smaller = scene.clone();
        scale_radii(&mut smaller, 1.0 / 3.0);
        assert!(cells(&smaller) > 2 * cells(scene), "{} and {}", cells(scene), cells(&smaller));
    }
    two
}

/// The result of a run.
type End = (Vec<[u32; 11]>, Vec<Target>);

fn end(engine: &mut dyn Engine) -> End {
    let state = engine.read_back().unwrap();
    (bits(&state), engine.targets().unwrap())
}

/// Moves agents inside a world, as at the end of a tick.
fn confine(state: &mut FlockState, world: &World) {
    for (p, v) in state.position.iter_mut().zip(&mut state.velocity) {
        let velocity = Vector(v.to_array());
        let axes = if world.is_flat() { 2 } else { 3 };
        (0..axes).for_each(|axis| p[axis] = world.boundary.near(p[axis], world.size[axis]));
        let (position, velocity) = world.confine(Vector(p.to_array()), velocity);
        *p = Point::from_array(position.0);
        *v = Point::from_array(velocity.0);
    }
}

/// How a run is edited.
#[derive(Clone, Copy, PartialEq)]
enum By {
    /// By an update.
    Update,
    /// By loading the current state with the edited scene.
    Load,
}

/// The end of a run that is edited after `before` ticks.
fn edited(
    engine: &mut dyn Engine,
    (scene, state): &(Scene, FlockState),
    edit: &Edit,
    before: u32,
    by: By,
) -> End {
    engine.load(scene, state).unwrap();
    engine.step(before).unwrap();
    let mut scene = scene.with_targets(engine.targets().unwrap());
    (edit.how)(&mut scene);
    match by {
        By::Update => engine.update(&scene, edit.change).unwrap(),
        By::Load => {
            let mut state = engine.read_back().unwrap();
            if edit.change.has(Change::WORLD) {
                confine(&mut state, &scene.world);
            }
            engine.load(&scene, &state).unwrap();
        }
    }
    engine.step(TICKS[1]).unwrap();
    end(engine)
}

/// Checks every edit of `base` on `engine`: against the engine itself, and against the CPU engine
/// if that rounds equally.
fn check(
    engine: &mut dyn Engine,
    mut other: Option<&mut dyn Engine>,
    base: &(Scene, FlockState),
    edits: Vec<Edit>,
) {
    // The control: every edit matters.
    let nothing = edit("nothing", Change::default(), |_| {});
    let unedited =
        [0, TICKS[0]].map(|before| (before, edited(engine, base, &nothing, before, By::Update)));
    for edit in edits {
        let name = edit.name;
        for (before, unedited) in &unedited {
            let before = *before;
            let updated = edited(engine, base, &edit, before, By::Update);
            if let Some(other) = &mut other {
                let same = edited(&mut **other, base, &edit, before, By::Update);
                assert!(updated == same, "{name}: the engines part after {before} ticks");
            }
            let loaded = edited(engine, base, &edit, before, By::Load);
            assert!(updated.0 == loaded.0, "{name}: not as after a load");
            assert_eq!(updated.1, loaded.1, "{name}: other targets than after a load");
            assert!(updated != *unedited, "{name}: no edit");
        }
    }
}

fn cpu() -> CpuEngine {
    CpuEngine::new(Some(2)).unwrap()
}

#[test]
fn the_cpu_engine_goes_on_after_an_update_as_after_a_load() {
    check(&mut cpu(), None, &mixed("wrap", &[]), edits_of_mixed());
    check(&mut cpu(), None, &mixed_in_space("wrap", &[]), edits_of_mixed());
    check(&mut cpu(), None, &flock(500, &[]), edits_of_flock());
    flocks().iter().for_each(|flock| check(&mut cpu(), None, flock, edits_of_grid()));
}

fn gpu_goes_on(gpu: &Arc<Gpu>, base: &(Scene, FlockState), edits: Vec<Edit>) {
    let share = common::gpu::share();
    let edits = edits.into_iter().enumerate().filter(|(number, _)| number % share == 0);
    let mut cpu = cpu();
    let other = gpu.is_software().then_some(&mut cpu as &mut dyn Engine);
    check(&mut common::gpu::engine(gpu), other, base, edits.map(|(_, edit)| edit).collect());
}

#[test]
fn the_gpu_engine_goes_on_after_an_update_as_after_a_load() {
    let Some(gpu) = adapter::gpu() else { return };
    gpu_goes_on(&gpu, &mixed("wrap", &[]), edits_of_mixed());
    gpu_goes_on(&gpu, &flock(500, &[]), edits_of_flock());
    flocks().iter().for_each(|flock| gpu_goes_on(&gpu, flock, edits_of_grid()));
}

#[test]
fn the_gpu_engine_goes_on_in_space_after_an_update_as_after_a_load() {
    let Some(gpu) = adapter::gpu() else { return };
    gpu_goes_on(&gpu, &mixed_in_space("wrap", &[]), edits_of_mixed());
}

#[test]
fn what_an_update_does_not_name_stays_where_the_engine_has_it() {
    let (scene, state) = mixed("wrap", &[]);
    for engine in &mut checked_with_cpu(adapter::gpu()) {
        engine.load(&scene, &state).unwrap();
        engine.step(9).unwrap();
        let before = engine.targets().unwrap();
        assert_ne!(before[2].position, scene.targets[2].position, "the hare runs");
        // In this scene the hare is at its start.
        let mut told = scene.clone();
        told.species[0].body.max_speed = 2.5;
        told.targets[1].position = flat(1.0, 2.0);
        told.targets[0].active = true;
        told.world.size.x = 500.0;
        engine.update(&told, Change::PARAMETERS | Change::target(1)).unwrap();
        let after = engine.targets().unwrap();
        assert_eq!(after[1].position, flat(1.0, 2.0));
        assert_eq!([&after[0], &after[2]], [&before[0], &before[2]]);
        // The control: changing the whole list moves the hare.
        engine.update(&told, Change::TARGETS).unwrap();
        assert_eq!(engine.targets().unwrap(), told.targets);
    }
}

#[test]
fn an_update_of_parameters_compiles_and_allocates_nothing() {
    let Some(gpu) = adapter::gpu() else { return };
    let (mut scene, state) = mixed("wrap", &[]);
    let mut engine = common::gpu::engine(&gpu);
    engine.load(&scene, &state).unwrap();
    let mut made = gpu.made();
    let mut update = |engine: &mut dyn Engine, scene: &Scene, change: Change| {
        engine.update(scene, change).unwrap();
        engine.step(1).unwrap();
        let before = std::mem::replace(&mut made, gpu.made());
        (made.buffers - before.buffers, made.pipelines - before.pipelines)
    };
    for step in 0..20_u8 {
        set(&mut scene, Kind::Separation, "weight", 1.0 + f32::from(step));
        scene.targets[0].active = step % 2 == 0;
        scene.targets[1].position.x = f32::from(step);
        let change = Change::PARAMETERS | Change::POINTER | Change::target(1);
        assert_eq!(update(&mut engine, &scene, change), (0, 0));
        scene.obstacles[0].position.x = 100.0 + f32::from(step);
        assert_eq!(update(&mut engine, &scene, Change::TARGETS), (0, 0));
    }
    // Another grid needs no pass that the load has not compiled.
    let first = scene.clone();
    set(&mut scene, Kind::Alignment, "radius", 40.0);
    assert_eq!(update(&mut engine, &scene, Change::PARAMETERS).1, 0);
    // The controls: a longer list, and another set of behaviours.
    let one = Obstacle::new(flat(5.0, 5.0), 2.0);
    scene.obstacles.extend(std::iter::repeat_n(one, 300));
    assert_eq!(update(&mut engine, &scene, Change::SCENERY), (1, 0));
    for species in &mut scene.species {
        species.rules.retain(|rule| rule.kind != Kind::Arrive);
    }
    let (_, compiled) = update(&mut engine, &scene, Change::PARAMETERS);
    assert_eq!(compiled, 1, "only agents steer in another way");
    // Compiled passes stay compiled.
    assert_eq!(update(&mut engine, &first, Change::PARAMETERS), (0, 0));
    assert_eq!(update(&mut engine, &scene, Change::PARAMETERS), (0, 0));
}

#[test]
fn agents_beyond_a_smaller_world_are_brought_inside_and_the_others_stay() {
    let mut engines = checked_with_cpu(adapter::gpu());
    for boundary in ["wrap", "walls"] {
        let (scene, state) = flock(2000, &[&format!("world.boundary=\"{boundary}\"")]);
        let size = scene.world.size * 0.7;
        let is_inside = |p: &Point| p.cmpge(Point::ZERO).all() && p.cmple(size).all();
        for engine in &mut engines {
            engine.load(&scene, &state).unwrap();
            let mut smaller = scene.clone();
            smaller.world.size = size;
            engine.update(&smaller, Change::WORLD).unwrap();
            let after = engine.read_back().unwrap();
            let pairs = || state.position.iter().zip(&after.position);
            let outside = pairs().filter(|(before, _)| !is_inside(before)).count();
            assert!(outside > 500, "{outside}");
            assert!(pairs().all(|(before, after)| {
                is_inside(after) && (before == after) == is_inside(before)
            }));
            let mut expected = state.clone();
            confine(&mut expected, &smaller.world);
            assert!(bits(&expected) == bits(&after), "{boundary}");
            assert!(stepped(&mut **engine, 3).position.iter().all(is_inside));
        }
    }
}

/// A target may send agents to a place that lies outside since the world was made smaller.
#[test]
fn agents_that_a_target_sends_beyond_a_smaller_world_stay_inside() {
    let gpu = adapter::gpu();
    let rounds_equally = gpu.as_ref().is_some_and(|gpu| gpu.is_software());
    let mut engines = checked_with_cpu(gpu);
    for boundary in ["wrap", "walls"] {
        let (mut scene, state) = flock(500, &[&format!("world.boundary=\"{boundary}\"")]);
        let (size, place) = (scene.world.size * 0.5, scene.world.size * 0.9);
        let mut door = Target::fixed("door", size * 0.5);
        (door.hit_radius, door.sends_to) = (60.0, Some(place));
        scene.targets.push(door);
        let mut ends = Vec::new();
        for engine in &mut engines {
            let at_place =
                |state: &FlockState| state.position.iter().filter(|p| **p == place).count();
            let mut shut = scene.clone();
            shut.targets[1].active = false;
            let sent = at_place(&run(&mut **engine, &shut, &state, 1));
            assert_eq!(sent, 0, "{boundary}: a target that is off sends agents");
            engine.load(&scene, &state).unwrap();
            engine.step(1).unwrap();
            let sent = at_place(&engine.read_back().unwrap());
            assert!(sent > 3, "the control: {sent} agents are sent");
            let mut smaller = scene.with_targets(engine.targets().unwrap());
            smaller.world.size = size;
            engine.update(&smaller, Change::WORLD).unwrap();
            let state = stepped(&mut **engine, 1);
            let is_inside = |p: &Point| p.cmpge(Point::ZERO).all() && p.cmple(size).all();
            let outside = state.position.iter().find(|p| !is_inside(p));
            assert_eq!(outside, None, "{boundary}: in a world of {size}");
            assert!(engine.targets().unwrap()[1].hits > 1, "{boundary}: no agent was sent");
            ends.push(bits(&state));
        }
        assert!(!rounds_equally || ends[0] == ends[1], "{boundary}: the engines differ");
    }
}
