//! Operations on a scene and a state: new agents, random paths, seek and flee exchanged.

use super::edit::SpawnBatch;
use super::original_scene::original_species;
use flockwork_model::behaviours::Kind;
use flockwork_model::parameter::NEAREST_TARGET;
use flockwork_model::random::{Purpose, unit};
use flockwork_model::scene::{Click, MAX_AGENTS, Rule, Scene, Slot, Species, Variation};
use flockwork_model::scenery::Path;
use flockwork_model::state::FlockState;
use flockwork_model::vector::{Point, flat};
use flockwork_model::world::{Boundary, World};

/// The corners of a closed path lie between these shares of the distance from the middle of the
/// world to its edge.
const ROUND: (f32, f32) = (0.35, 0.9);

/// A place for agents and objects: inside the world, if its boundary is not open. NaN stays NaN, and is refused.
pub fn inside(world: &World, place: Point) -> Point {
    let along = |axis: usize| {
        let (at, size) = (place[axis], world.size[axis]);
        match world.boundary {
            Boundary::Open => at,
            Boundary::Walls => at.clamp(0.0, size),
            // A plane has no third side.
            Boundary::Wrap if size == 0.0 => 0.0,
            // The remainder of a tiny negative number rounds to the size itself, which is outside.
            Boundary::Wrap => at.rem_euclid(size).clamp(0.0, size.next_down()),
        }
    };
    Point::new(along(0), along(1), along(2))
}

/// A new path for click number `click`, with as many points as `first`, the scene's path. An open
/// path keeps its ends and goes from left to right between them (*The Nature of Code*, 2012,
/// example 6.9); if it has only two points, its ends get new heights. A closed path goes once
/// around the middle of the world.
pub fn random_path(first: &Path, world: &World, seed: u32, click: u32) -> Path {
    let count = first.points.len();
    let draw =
        |corner: usize, axis: u32| unit(seed, click, 2 * corner as u32 + axis, Purpose::PathCorner);
    let corner = |index: usize| {
        let (x, y) = (draw(index, 0), draw(index, 1));
        if first.closed {
            let angle = (index as f32 + 0.8 * (x - 0.5)) / count as f32 * std::f32::consts::TAU;
            let away = ROUND.0 + (ROUND.1 - ROUND.0) * y;
            return world.size * 0.5 * (1.0 + flat(angle.cos(), angle.sin()) * away);
        }
        match index {
            _ if count == 2 => Point { y: y * world.size.y, ..first.points[index] },
            0 => first.points[0],
            _ if index == count - 1 => first.points[index],
            _ => Point::new((index as f32 - 1.0 + x) / (count as f32 - 2.0), y, 0.5) * world.size,
        }
    };
    Path { points: (0..count).map(corner).collect(), ..first.clone() }
}

/// Turns seek into flee and flee into seek in every species. Target, gain and weight stay, with
/// their laws of variation; parameters that only one of the two has get their values and laws from
/// `first`, the scene at the start.
pub fn swap_seek_flee(scene: &mut Scene, first: &Scene) {
    let other = |kind: Kind| kind.info().needs.opposite.unwrap_or(kind);
    // The index of a parameter of `kind` in the other behaviour, if it has it.
    let there = |kind: Kind, index: usize| other(kind).parameter(kind.info().parameters[index].key);
    let starts = original_species(scene, first);
    for (own, (species, first)) in scene.species.iter_mut().zip(starts).enumerate() {
        let first = first.unwrap_or_else(|| species.clone());
        for rule in &mut species.rules {
            let kind = other(rule.kind);
            if kind == rule.kind {
                continue;
            }
            let mut values = original_values(&first, own, kind);
            for (index, value) in rule.values.iter().enumerate() {
                if let Some(index) = there(rule.kind, index) {
                    values[index] = *value;
                }
            }
            (rule.kind, rule.values) = (kind, values);
        }
        species.variations.retain_mut(|variation| {
            let Slot::Rule(kind, index) = variation.slot else { return true };
            let index = there(kind, index);
            variation.slot = Slot::Rule(other(kind), index.unwrap_or_default());
            index.is_some()
        });
        let of_one = |variation: &&Variation| match variation.slot {
            Slot::Rule(kind, index) => {
                there(kind, index).is_none() && species.rules.iter().any(|rule| rule.kind == kind)
            }
            Slot::Body(_) => false,
        };
        species.variations.extend(first.variations.iter().filter(of_one));
        species.sort_variations();
    }
}

/// True if seek and flee have been exchanged since `first`, the scene at the start.
pub fn is_swapped(scene: &Scene, first: &Scene) -> bool {
    let turned = |(now, first): (&Species, Option<Species>)| {
        let opposite = |rule: &Rule| rule.kind.info().needs.opposite;
        let gone = |rule: &&Rule| now.rule(rule.kind).is_none();
        let first = first.unwrap_or_else(|| now.clone());
        let mut gone = first.rules.iter().filter(gone).filter_map(opposite);
        gone.any(|other| now.rule(other).is_some() && first.rule(other).is_none())
    };
    scene.species.iter().zip(original_species(scene, first)).any(turned)
}

/// The values of a behaviour in the scene at the start, for the species of number `own`; the defaults
/// if the scene lacks it.
fn original_values(first: &Species, own: usize, kind: Kind) -> Vec<f32> {
    let defaults = || Rule::by_default(kind, own).values;
    first.rule(kind).map_or_else(defaults, |rule| rule.values.clone())
}

/// Adds agents to a state, without memory. Each draws its start velocity as its species does, and
/// newcomers draw their places too. Ids count up from `next_id`. Fails if they are used up.
pub fn spawn_agents(
    state: &mut FlockState,
    scene: &Scene,
    batch: &SpawnBatch,
    next_id: u64,
) -> Result<(), String> {
    if next_id + batch.len() as u64 > MAX_AGENTS {
        return Err(format!("a flock has {MAX_AGENTS} ids at most: none was added"));
    }
    let SpawnBatch { species, places, newcomers } = batch;
    let scene = &scene.at(state.tick);
    let species = scene.species.iter().position(|own| own.name == *species).unwrap_or_default();
    let end = next_id + places.len() as u64;
    let kind = scene.species.get(species);
    for (place, id) in places.iter().zip(next_id as u32..end as u32) {
        let velocity = kind.map_or(Point::ZERO, |kind| {
            let max_speed = kind.of_agent(scene.seed, id).body.max_speed;
            kind.spawn.start.velocity(&scene.world, scene.seed, id, max_speed)
        });
        state.id.push(id);
        state.species.push(species as u8);
        state.position.push(inside(&scene.world, *place));
        state.velocity.push(velocity);
    }
    state.extend(&scene.newcomers(species, end as u32, *newcomers));
    Ok(())
}

/// The action of the left button in a scene, and the species that it drops, in a few words; `species` is the
/// selected one.
#[must_use]
pub fn pointer_help(scene: &Scene, species: usize) -> Vec<String> {
    // The pointer is the first target.
    let goes_by_pointer = |rule: &&Rule| {
        let target = rule.kind.parameter("target").map(|index| rule.values[index]);
        target.is_some_and(|target| target == NEAREST_TARGET || target == 0.0)
    };
    let rules = || scene.species.iter().flat_map(|species| &species.rules).filter(goes_by_pointer);
    let flees = |rule: &Rule| rule.kind.info().needs.leads_away;
    let name = scene.species.get(species).map_or("", |species| species.name.as_str());
    let own = match scene.click {
        Click::Call if rules().next().is_none() => None,
        Click::Call if rules().all(flees) => Some("left button: scare them".into()),
        Click::Call => Some("left button: call them".into()),
        Click::Follow => None,
        Click::Path => Some("click: another path".into()),
        Click::Flee => Some("click: seek or flee".into()),
        Click::Target => Some("drag: move the target".into()),
        Click::Obstacle => Some("drag: move an obstacle".into()),
        Click::Add => Some(format!("click or drag: add {name}")),
    };
    let mouse = scene.follows.then(|| "mouse: moves the target".to_string());
    let choice = match scene.species.len().min(9) {
        0 | 1 => String::new(),
        most => format!(" (1–{most}: which)"),
    };
    let dropping = format!("D + drag: add {name}{choice}");
    mouse.into_iter().chain(own).chain([dropping]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockwork_model::scene::Law;

    fn scene(text: &str) -> Scene {
        Scene::parse("test", text).unwrap()
    }

    const TWO: &str = "[species.a]\ncount = 3\nspawn = { speed = 2 }\n[species.b]\ncount = 2\n";

    #[test]
    fn dropped_agents_have_new_ids_and_the_speed_of_their_kind() {
        let scene = scene(TWO);
        let mut state = scene.populate(&flockwork_model::scene::Request::default()).unwrap().1;
        state.id[1] = 70;
        let places = vec![flat(10.0, 20.0), flat(-10.0, 400.0)];
        let batch = SpawnBatch { species: "a".into(), places, newcomers: 0 };
        spawn_agents(&mut state, &scene, &batch, 71).unwrap();
        assert_eq!(state.id, [0, 70, 2, 3, 4, 71, 72]);
        assert_eq!(state.species, [0, 0, 0, 1, 1, 0, 0]);
        assert_eq!(state.position[5..], [flat(10.0, 20.0), flat(630.0, 40.0)]);
        assert!(state.velocity[5..].iter().all(|v| (v.length() - 2.0).abs() < 1e-5));
        assert_ne!(state.velocity[5], state.velocity[6]);
        assert_eq!(state.memory.len(), 0);
    }

    #[test]
    fn dropped_agents_draw_as_those_of_the_scene() {
        let scene = scene(
            "[species.a]\ncount = 3\nmax_speed = { from = 2, to = 4 }\n\
             spawn = { speed = \"max_speed\", heading = 0 }\n",
        );
        let request = |count| flockwork_model::scene::Request { count, ..Default::default() };
        let mut state = scene.populate(&request(None)).unwrap().1;
        let batch = SpawnBatch { species: "a".into(), places: vec![Point::ONE; 2], newcomers: 2 };
        spawn_agents(&mut state, &scene, &batch, 3).unwrap();
        // The same velocities as if they had been there from the start.
        let larger = scene.populate(&request(Some(7))).unwrap().1;
        assert_eq!(state.velocity, larger.velocity);
        assert_eq!(state.position[5..], larger.position[5..], "newcomers draw their places too");
        assert!(state.velocity[3..].windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn a_press_does_something_in_every_built_in_scene() {
        for own in flockwork_model::scene::built_in() {
            let scene = Scene::parse(own.name, own.text).unwrap();
            let help = pointer_help(&scene, 0);
            assert!(!help[0].starts_with("D + drag"), "{}: {help:?}", own.name);
        }
        let first = |rule: &str| {
            let text = format!("[species.a]\n[species.a.{rule}]\ntarget = \"pointer\"\n");
            pointer_help(&scene(&text), 0).swap_remove(0)
        };
        assert_eq!(first("seek"), "left button: call them");
        assert_eq!(first("flee"), "left button: scare them");
        let nothing = pointer_help(&scene("[species.a]\nwander = {}\n"), 0);
        assert_eq!(nothing, ["D + drag: add a"]);
    }

    #[test]
    fn ids_do_not_run_over() {
        let scene = scene(TWO);
        let mut state = scene.populate(&flockwork_model::scene::Request::default()).unwrap().1;
        let last = MAX_AGENTS - 1;
        for (places, newcomers) in [(vec![Point::ONE; 2], 0), (vec![Point::ONE], 1)] {
            let batch = SpawnBatch { species: "a".into(), places, newcomers };
            let refused = spawn_agents(&mut state, &scene, &batch, last);
            assert!(refused.is_err_and(|why| why.contains("ids at most")) && state.len() == 5);
        }
    }

    #[test]
    fn a_place_is_inside_the_world() {
        let size = flat(100.0, 50.0);
        let at = |boundary, x, y| inside(&World { size, boundary }, flat(x, y));
        assert_eq!(at(Boundary::Open, 130.0, -5.0), flat(130.0, -5.0));
        assert_eq!(at(Boundary::Walls, 130.0, -5.0), flat(100.0, 0.0));
        assert_eq!(at(Boundary::Wrap, 130.0, -5.0), flat(30.0, 45.0));
        let world = World { size, boundary: Boundary::Wrap };
        assert!(world.ends_beyond(at(Boundary::Wrap, -1e-9, 50.0)));
    }

    #[test]
    fn a_new_path_leads_from_left_to_right_and_is_the_same_for_the_same_click() {
        let size = flat(640.0, 360.0);
        let world = World { size, boundary: Boundary::Wrap };
        let ends = [flat(-20.0, 180.0), flat(660.0, 180.0)];
        let points = [ends[0], Point::splat(100.0), Point::splat(200.0), ends[1]];
        let first = Path { name: "p".into(), points: points.to_vec(), closed: false, shown: true };
        let path = |click| random_path(&first, &world, 7, click);
        for click in 1..100 {
            let points = path(click).points;
            assert_eq!([points[0], points[3]], ends);
            assert!(points.windows(2).all(|pair| pair[0].x < pair[1].x), "{points:?}");
            assert!(points[1..3].iter().all(|p| (0.0..360.0).contains(&p.y)), "{points:?}");
        }
        assert_eq!(path(3), path(3));
        assert_ne!(path(3), path(4));
    }

    #[test]
    fn a_new_loop_leads_round_the_middle() {
        let world = World { size: flat(640.0, 360.0), boundary: Boundary::Wrap };
        let first =
            Path { name: "p".into(), points: vec![Point::ONE; 6], closed: true, shown: true };
        for click in 1..100 {
            let path = random_path(&first, &world, 7, click);
            let seen = |p: &Point| ((*p - world.size * 0.5) / world.size).truncate();
            // Once around, never back.
            let turns: Vec<f32> =
                path.segments().map(|s| seen(&s.from).angle_to(seen(&s.to))).collect();
            assert!(path.closed && turns.iter().all(|turn| *turn > 0.0), "{turns:?}");
            let sum: f32 = turns.iter().sum();
            assert!((sum - std::f32::consts::TAU).abs() < 1e-3, "{sum}");
            assert!(path.points.iter().all(|p| inside(&world, *p) == *p));
        }
    }

    #[test]
    fn turning_round_keeps_what_both_have_and_twice_is_nothing() {
        let text = "[[targets]]\nname = \"t\"\n[species.a.separation]\n[species.a.seek]\n\
                    target = \"t\"\ngain = 0.5\nproximity = { from = 20, to = 30 }\n\
                    weight = { base = 2, amplitude = 1 }\n";
        let first = crate::before_edits(&scene(text));
        let mut turned = first.clone();
        swap_seek_flee(&mut turned, &first);
        let rule = turned.species[0].rule(Kind::Flee).unwrap();
        let value = |key| rule.values[Kind::Flee.parameter(key).unwrap()];
        assert_eq!([value("weight"), value("target"), value("gain")], [2.0, 1.0, 0.5]);
        assert_eq!(value("radius"), 1e18);
        let [variation] = turned.species[0].variations[..] else { panic!("a law of no value") };
        assert_eq!(variation.slot, Slot::Rule(Kind::Flee, 0));
        assert!(matches!(variation.law, Law::Noise { .. }));
        swap_seek_flee(&mut turned, &first);
        assert_eq!(turned.species[0].rules, first.species[0].rules);
        assert_eq!(turned.species[0].variations, first.species[0].variations);
    }
}
