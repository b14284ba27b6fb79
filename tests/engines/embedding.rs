//! Calls that programs make between ticks: agents come and go, neighbours are looked up, and values that no
//! scene file could hold are refused. On both engines.

use crate::adapter;
use crate::common::gpu::checked_with_cpu;
use crate::common::{
    BOUNDARIES, agents, bits, built_in, flock, mixed, mixed_in_space, run, stepped,
};
use flockwork::engine::{Change, Engine, EngineError};
use flockwork::model::scene::Scene;
use flockwork::model::scenery::Obstacle;
use flockwork::model::state::FlockState;
use flockwork::model::vector::{Point, flat};

/// The ids of the agents less than `radius` away from agent `id`, found by looking at every agent. `way`
/// leads from one place to another.
fn brute_force(
    state: &FlockState,
    id: u32,
    radius: f32,
    way: impl Fn(Point, Point) -> Point,
) -> Vec<u32> {
    let own = state.id.iter().position(|other| *other == id).unwrap();
    let others = state.id.iter().zip(&state.position);
    let near = |place: &Point| {
        let way = way(state.position[own], *place).to_array();
        // In this order the engines sum.
        way[0] * way[0] + way[1] * way[1] + way[2] * way[2] < radius * radius
    };
    let near = others.filter(|(other, place)| **other != id && near(place));
    near.map(|(id, _)| *id).collect()
}

#[test]
fn neighbours_are_those_that_a_look_at_every_agent_finds() {
    let mut across = 0;
    for boundary in BOUNDARIES {
        let world = format!("world.boundary=\"{boundary}\"");
        for (scene, state) in [
            flock(3000, &[&world]),
            built_in("flock-3d", 2000, &[&world]),
            // A grid of few cells.
            flock(60, &[&world, "world.size=[400, 200]"]),
        ] {
            for engine in &mut checked_with_cpu(adapter::gpu()) {
                let now = run(&mut **engine, &scene, &state, 5);
                let world = &scene.world;
                let own = scene.perception_radius();
                for radius in [0.0, 0.3 * own, own, 3.7 * own, 2.0 * world.size.length(), f32::MAX]
                {
                    for id in now.id.iter().copied().step_by(now.len() / 40) {
                        let found = engine.neighbours(id, radius).unwrap();
                        let wanted = brute_force(&now, id, radius, |from, to| {
                            world.shortest_between(from, to)
                        });
                        assert_eq!(found, wanted, "{boundary}, agent {id}, radius {radius}");
                        // The control: a look that knows no seam.
                        let blind = brute_force(&now, id, radius, |from, to| to - from);
                        across += usize::from(blind != wanted);
                        assert!(boundary == "wrap" || blind == wanted);
                    }
                }
                let error = engine.neighbours(1 << 25, 1.0).unwrap_err();
                assert_eq!(error, EngineError::NoAgent { id: 1 << 25 });
            }
        }
    }
    assert!(across > 50, "the control: {across} searches cross a seam");
}

#[test]
fn no_id_is_ever_given_twice() {
    for (scene, state) in [mixed("wrap", &[]), mixed_in_space("walls", &[])] {
        let count = state.len() as u32;
        let places = [scene.world.size * 0.25, scene.world.size * 0.5];
        let ways = [Point::ZERO, scene.world.on_axes(0.5)];
        let mut ends = Vec::new();
        for engine in &mut checked_with_cpu(adapter::gpu()) {
            engine.load(&scene, &state).unwrap();
            engine.step(2).unwrap();
            let spawn = |engine: &mut dyn Engine| engine.spawn(&places, &ways, &[0, 1]);
            let first = spawn(&mut **engine).unwrap();
            assert_eq!(first, [count, count + 1]);
            let now = engine.read_back().unwrap();
            let row = now.id.iter().position(|id| *id == first[1]).unwrap();
            assert_eq!((now.position[row], now.velocity[row]), (places[1], ways[1]));
            assert_eq!(now.species[row], 1);
            engine.remove(&first).unwrap();
            assert_eq!(spawn(&mut **engine).unwrap(), [count + 2, count + 3]);
            // Callers that choose ids themselves.
            let one = |id: u32| FlockState { id: vec![id], ..agents(&[(places[0], ways[0])]) };
            let error = engine.append(&one(count + 3)).unwrap_err();
            assert_eq!(error, EngineError::UsedId { id: count + 3, next: count + 4 });
            engine.append(&one(count + 9)).unwrap();
            engine.remove(&[count + 9]).unwrap();
            assert_eq!(spawn(&mut **engine).unwrap(), [count + 10, count + 11]);
            let error = engine.spawn(&places, &ways, &[0]).unwrap_err();
            assert_eq!(error, EngineError::Uneven { lengths: [2, 1, 2, 2] });
            ends.push(bits(&stepped(&mut **engine, 5)));
        }
        let rounds_equally = adapter::gpu().is_none_or(|gpu| gpu.is_software());
        assert!(!rounds_equally || ends.windows(2).all(|pair| pair[0] == pair[1]));
    }
}

#[test]
fn obstacles_change_after_the_flock_was_made() {
    let (scene, state) = flock(800, &["starling.avoid={}"]);
    let mut walled = scene.clone();
    walled.obstacles.push(Obstacle::new(scene.world.size * 0.5, 40.0));
    let inside = |state: &FlockState| {
        let middle = walled.obstacles[0].position;
        state.position.iter().filter(|place| place.distance(middle) < 35.0).count()
    };
    for engine in &mut checked_with_cpu(adapter::gpu()) {
        let end = |engine: &mut dyn Engine, start: &Scene, update: bool| {
            engine.load(start, &state).unwrap();
            if update {
                engine.update(&walled, Change::SCENERY).unwrap();
            }
            stepped(engine, 200)
        };
        let updated = end(&mut **engine, &scene, true);
        assert!(bits(&updated) == bits(&end(&mut **engine, &walled, false)));
        // The control: without it agents fly through the place.
        assert!(inside(&end(&mut **engine, &scene, false)) > inside(&updated));
    }
}

/// An edit of a scene, its parts, and what the engine says of it.
type BadEdit = (fn(&mut Scene), Change, &'static str);

#[test]
fn numbers_that_no_file_may_hold_are_refused() {
    let (scene, state) = mixed("walls", &[]);
    let edits: [BadEdit; 15] = [
        (|s| s.species[0].body.max_speed = f32::NAN, Change::PARAMETERS, ".max_speed is NaN"),
        (|s| s.species[0].body.mass = -1.0, Change::PARAMETERS, ".mass is -1"),
        (|s| s.species[0].rules[0].values[0] = f32::INFINITY, Change::PARAMETERS, " is inf"),
        (|s| s.species.truncate(1), Change::PARAMETERS, "but the scene has 1 species"),
        (|s| s.species.clear(), Change::PARAMETERS, "number of species is 0"),
        (|s| s.time_step = 0.0, Change::PARAMETERS, "time_step is 0"),
        (|s| s.targets[1].position.y = f32::NAN, Change::target(1), "targets[1].position is NaN"),
        (|s| s.time_step = 1e-5, Change::PARAMETERS, "time_step is 0.00001"),
        (|s| s.targets[1].hit_radius = -1.0, Change::TARGETS, "targets[1].hit_radius is -1"),
        (|s| s.targets[1].velocity.x = 1e6, Change::TARGETS, "targets[1].velocity is 1000000"),
        (|s| s.obstacles[0].radius = f32::NAN, Change::SCENERY, "obstacles[0].radius is NaN"),
        (|s| s.obstacles[0].position.x = 1e30, Change::SCENERY, "obstacles[0].position is 1"),
        (|s| s.paths[0].points.clear(), Change::SCENERY, "a path needs `points`"),
        (|s| s.paths[0].name = "nearest".into(), Change::SCENERY, "the name \"nearest\" is taken"),
        (|s| s.world.size.x = f32::NAN, Change::WORLD, "the world would be NaN"),
    ];
    for engine in &mut checked_with_cpu(adapter::gpu()) {
        let before = bits(&run(&mut **engine, &scene, &state, 3));
        for (edit, change, why) in &edits {
            let mut edited = scene.clone();
            edit(&mut edited);
            let error = engine.update(&edited, *change).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
        let size = scene.world.size;
        for (place, way, why) in [
            (Point::NAN, Point::ZERO, "its position is"),
            (size * 1.5, Point::ZERO, "its position is"),
            (flat(f32::INFINITY, 1.0), Point::ZERO, "its position is"),
            (size * 0.5, flat(1.0, f32::NAN), "its velocity is"),
        ] {
            let error = engine.spawn(&[size * 0.5, place], &[Point::ZERO, way], &[0, 0]);
            let error = error.unwrap_err().to_string();
            let next = state.len() as u32 + 1;
            assert!(error.contains(&format!("agent {next}: {why}")), "{error}");
        }
        let after = bits(&engine.read_back().unwrap());
        assert!(after == before, "a refused edit has changed the flock");
        // The control: an edit within all ranges is taken.
        let mut edited = scene.clone();
        edited.species[0].body.max_speed = 2.5;
        engine.update(&edited, Change::PARAMETERS).unwrap();
        engine.spawn(&[size * 0.5], &[Point::ZERO], &[0]).unwrap();
        for count in [0, 17] {
            edited.species = vec![scene.species[0].clone(); count];
            let error = engine.load(&edited, &FlockState::default()).unwrap_err().to_string();
            assert_eq!(error, format!("number of species is {count}, and must be from 1 to 16"));
        }
    }
}

#[test]
fn an_engine_without_a_flock_says_so() {
    let (scene, state) = flock(10, &[]);
    for engine in &mut checked_with_cpu(adapter::gpu()) {
        let none = Err(EngineError::NoFlock);
        assert_eq!(engine.step(1), none);
        assert_eq!(engine.update(&scene, Change::PARAMETERS), none);
        assert_eq!(engine.append(&state), none);
        assert_eq!(engine.remove(&[1]), none);
        assert_eq!(engine.neighbours(1, 5.0), Err(EngineError::NoFlock));
        assert_eq!(engine.spawn(&[Point::ZERO], &[Point::ZERO], &[0]), Err(EngineError::NoFlock));
        assert!(engine.snapshot().is_err() && engine.targets().is_err());
        // The control, and a radius that reaches nobody.
        engine.load(&scene, &state).unwrap();
        assert_eq!(engine.step(1), Ok(()));
        assert_eq!(engine.neighbours(1, -500.0), Ok(Vec::new()));
        assert!(!engine.neighbours(1, 500.0).unwrap().is_empty());
    }
}
