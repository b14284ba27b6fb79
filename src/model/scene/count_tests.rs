//! The number of agents, and the world that goes with it.

use super::{Request, Rule, Scene, built_in};
use crate::vector::{Point, flat};

fn parsed(name: &str, overrides: &[&str]) -> Scene {
    let text = built_in().find(|scene| scene.name == name).unwrap().text;
    Scene::parse_with(name, text, overrides).unwrap()
}

/// The built-in scene at the size of `count` agents; 0: its own number.
fn sized(name: &str, count: u64, overrides: &[&str]) -> Scene {
    let mut scene = parsed(name, overrides);
    let count = Some(count).filter(|count| *count > 0);
    scene.resize(&Request { count, ..Request::default() }).unwrap();
    scene
}

#[test]
fn every_species_has_an_agent_where_there_are_enough() {
    let scene = parsed("predators", &[]);
    for count in [1, 2, 3, 500, 999, 1001, 100_000] {
        let (_, state) =
            scene.populate(&Request { count: Some(count), ..Request::default() }).unwrap();
        let hunters = state.species.iter().filter(|species| **species == 1).count() as u64;
        assert_eq!(state.len() as u64, count);
        // One hunter in 1001.
        let wanted = (count as f64 / 1001.0).round().max(if count == 1 { 0.0 } else { 1.0 });
        assert_eq!(hunters as f64, wanted, "{count}");
    }
    // Nobody asked for a species without agents.
    let text = "[species.a]\ncount = 9\n[species.b]\ncount = 0\n[species.c]\ncount = 1\n";
    let scene = Scene::parse("test", text).unwrap();
    let (_, state) = scene.populate(&Request { count: Some(2), ..Request::default() }).unwrap();
    assert_eq!(state.species, [0, 2]);
}

#[test]
fn agents_are_sent_into_the_world() {
    for (boundary, wanted) in
        [("wrap", [80.0, 10.0]), ("walls", [0.0, 50_f32.next_down()]), ("open", [-20.0, 110.0])]
    {
        let world = format!("[world]\nsize = [100, 50]\nboundary = \"{boundary}\"\n");
        let target = "[[targets]]\nhit_radius = 1\nsends_to = [-20, 110]\n[species.a]\ncount = 9\n";
        let mut scene = Scene::parse("test", &(world + target)).unwrap();
        scene.resize(&Request::default()).unwrap();
        assert_eq!(scene.targets[1].sends_to, Some(flat(wanted[0], wanted[1])), "{boundary}");
    }
}

#[test]
fn one_agent_more_changes_the_world_little() {
    for built_in in built_in() {
        let own = parsed(built_in.name, &[]).own_count();
        let volume = |count: u64| sized(built_in.name, count, &[]).world.volume();
        for count in [own - own.min(2), own - 1, own, own + 1, own * 2, own * 3] {
            let (less, more) = (volume(count.max(1)), volume(count.max(1) + 1));
            let most = (1.0 + 2.1 / count.max(1) as f64) * less;
            let name = built_in.name;
            assert!(
                less * 0.9999 <= more && more <= most * 1.0001,
                "{name} {count}: {less} {more}"
            );
        }
    }
}

#[test]
fn a_scaled_scene_is_scaled_again_from_what_is_written() {
    for name in built_in().map(|built_in| built_in.name) {
        let own = sized(name, 0, &[]);
        for count in [own.own_count(), own.own_count() * 2] {
            let mut again = sized(name, own.own_count() * 3, &[]);
            again.resize(&Request { count: Some(count), ..Request::default() }).unwrap();
            let once = sized(name, count, &[]);
            assert_eq!((again.world, again.paths), (once.world, once.paths), "{name}, {count}");
            assert_eq!(again.species, once.species, "{name}, {count}");
        }
    }
}

#[test]
fn a_count_far_from_the_scenes_own_has_the_density_that_the_scene_asks_for() {
    for (count, wanted) in [(20, 10.0), (60, 8.1813), (240, 8.1813), (294, 10.0), (3000, 10.0)] {
        let scene = sized("flock", count, &[]);
        let found = scene.uniform_neighbours(count as usize);
        assert!((found - wanted).abs() < 1e-2, "{count}: {found}");
    }
    // The world does not shrink while the flock grows into it.
    assert!((sized("flock", 200, &[]).world.size - flat(640.0, 360.0)).length() < 1e-2);
}

#[test]
fn the_radii_of_places_grow_with_the_world() {
    let radii = |name, count, times: f32| {
        let scene = sized(name, count, &[]);
        let bird = &scene.species[0];
        let follows = |rule: &&Rule| rule.kind.info().needs.paths_within.is_some();
        let path = bird.rules.iter().find(follows);
        let path = path.map_or(0.0, |rule| bird.value_of(rule.kind, "radius"));
        [bird.spawn.radius, bird.spawn_at_scale.radius, path].map(|radius| radius / times)
    };
    let own = radii("murmuration", 0, 1.0);
    assert_eq!((own, radii("murmuration", 8 * 10_003, 2.0)), ([150.0, 150.0, 70.0], own));
    // Control: a world that keeps its size, or has a density.
    for name in ["path", "flock"] {
        assert_eq!(radii(name, 8000, 1.0), radii(name, 0, 1.0), "{name}");
    }
}

#[test]
fn a_world_that_an_override_sizes_stays_at_any_count() {
    for (name, size) in [("flock", "[1000, 1000]"), ("curl", "[500, 500, 400]")] {
        for count in [0, 1000, 100_000] {
            let scene = sized(name, count, &[&format!("world.size={size}")]);
            assert_eq!(format!("{:?}", scene.world.sides()).replace(".0", ""), size, "{count}");
            let mut again = Scene::parse(name, &scene.to_toml()).unwrap();
            again.resize(&Request { count: Some(count.max(1)), ..Request::default() }).unwrap();
            assert_eq!(again.world, scene.world, "as a file, {count}");
        }
    }
    let side = sized("flock", 1000, &["world.size.0=1000"]).world.size;
    assert_eq!(side, flat(1000.0, 360.0));
    // A density is asked for, and the size gives the shape.
    let both = sized("flock", 1000, &["world.size=[50, 50]", "world.density=5"]);
    assert!((both.uniform_neighbours(1000) - 5.0).abs() < 1e-3);
    assert_eq!(both.world.size.x, both.world.size.y);
}

#[test]
fn another_radius_is_no_other_world_unless_a_density_is_asked_for() {
    for count in [0, 130, 3000] {
        let written = sized("flock", count, &[]).world;
        let zero = ["separation", "alignment", "cohesion"];
        let zero = zero.map(|key| format!("starling.{key}.radius=0"));
        for overrides in [
            &["starling.cohesion.radius=80"][..],
            &["starling.cohesion.radius=9", "starling.alignment.radius=9"],
            &zero.each_ref().map(String::as_str),
        ] {
            let scene = sized("flock", count, overrides);
            assert_eq!(scene.world, written, "{count}, {overrides:?}");
            // Also as a file, in which nobody sees that it was an override.
            let mut again = Scene::parse("flock", &scene.to_toml()).unwrap();
            let count = Some(count).filter(|count| *count > 0);
            again.resize(&Request { count, ..Request::default() }).unwrap();
            assert_eq!(again.world, written, "{count:?}, {overrides:?} as a file");
        }
    }
    let wider = "starling.cohesion.radius=80";
    for count in [0, 125, 3000] {
        let asked = sized("flock", count, &[wider, "world.density=6"]);
        let count = if count == 0 { 120 } else { count };
        let found = asked.uniform_neighbours(count as usize);
        assert!((found - 6.0).abs() < 1e-3, "{count}: {found}");
    }
    let mut scene = parsed("flock", &[wider]);
    scene.resize(&Request { density: Some(6.0), ..Request::default() }).unwrap();
    assert!((scene.uniform_neighbours(120) - 6.0).abs() < 1e-3);
}

#[test]
fn a_density_that_is_asked_for_counts_within_the_radius_of_the_file() {
    let density = |density| Request { density, ..Request::default() };
    for (line, set, request) in [
        ("", "seed=1", density(Some(5.0))),
        ("density = 3\n", "seed=1", density(Some(5.0))),
        ("", "world.density=5", density(None)),
        ("density = 3\n", "world.density=5", density(None)),
    ] {
        let text = format!(
            "[world]\nsize = [200, 100]\nwithin = 10\n{line}[species.a]\ncount = 500\ncohesion.radius = 40\n"
        );
        let mut scene = Scene::parse_with("test", &text, &[set]).unwrap();
        scene.resize(&request).unwrap();
        let found = 500.0 * std::f64::consts::PI * 100.0 / scene.world.volume();
        assert!((found - 5.0).abs() < 1e-3, "{line} {set}: {found}");
        assert!(scene.idle_keys().is_empty(), "{:?}", scene.idle_keys());
    }
}

#[test]
fn obstacles_stay_in_a_world_that_shrinks_and_repeat_in_one_that_grows() {
    let wanted = parsed("school", &[]).obstacle_plans;
    let small = sized("school", 100, &[]);
    assert!(small.world.size.x < small.written_size.x);
    for (obstacle, plan) in small.obstacles.iter().zip(&wanted) {
        let share = obstacle.position / small.world.size;
        let written = plan.position.unwrap() / small.written_size;
        assert!((share - written).length() < 1e-5 && obstacle.radius == plan.radius);
    }
    let large = sized("school", 10_000_000, &[]);
    assert!(large.obstacles.len() > wanted.len());
    assert_eq!(large.obstacles[0].position, wanted[0].position.unwrap());
}

#[test]
fn agents_start_outside_an_open_world_if_the_file_says_so() {
    for (boundary, outside) in [("open", true), ("walls", false)] {
        let text = format!(
            "world.boundary = \"{boundary}\"\n[species.a]\n\
             spawn = {{ place = \"disc\", at = [-500, 180], radius = 50 }}"
        );
        let (_, state) =
            Scene::parse("test", &text).unwrap().populate(&Request::default()).unwrap();
        assert!(state.position.iter().all(|place| (place.x < -449.0) == outside), "{boundary}");
    }
}

#[test]
fn each_obstacle_of_a_long_list_has_its_line() {
    // With a search of the text for each value this takes an hour, not a second.
    let count = super::format::keys::MAX_OBSTACLES as usize;
    let table = "[[obstacles]]\nposition = [320, 180]\nradius = 1\n";
    let text = format!("[species.a]\n{}", table.repeat(count));
    let scene = Scene::parse("test", &text).unwrap();
    assert_eq!(scene.obstacle_plans.len(), count);
    assert_eq!(scene.obstacle_plans[count - 1].position, Some(Point::new(320.0, 180.0, 0.0)));
    let wrong = format!("{text}[[obstacles]]\nradius = -1\n");
    let error = Scene::parse("test", &wrong).unwrap_err().to_string();
    assert!(error.starts_with(&format!("test:{}: ", 3 * count + 3)), "{error}");
    // An override is one text, however many values it has.
    let list = format!("obstacles=[{}]", "{ radius = 1 }, ".repeat(30_000));
    let scene = Scene::parse_with("test", "[species.a]", &[list]).unwrap();
    assert_eq!(scene.obstacle_plans.len(), 30_000);
}

#[test]
fn agents_that_belong_to_no_species_are_refused() {
    let mut scene = parsed("flock", &[]);
    scene.species.iter_mut().for_each(|species| species.count = 0);
    let error = scene.populate(&Request { count: Some(5), ..Request::default() }).unwrap_err();
    assert!(error.to_string().contains("no species has an agent"), "{error}");
}
