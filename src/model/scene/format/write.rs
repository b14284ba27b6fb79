//! The content of a scene's file: the keys of a [`Scene`] with their values.

use super::fields::{Entry, Fields, Form, Written, number};
use super::tables::{Clicks, SpeciesTables, TopKeys, WorldKeys};
use super::values::SceneNames;
use super::{edit, species};
use crate::behaviours::Target;
use crate::scene::{CameraPlan, POINTER, Scene, Spawn, Species};
use crate::scenery::Path;
use crate::vector::Point;
use crate::world::ratio;

impl Scene {
    /// The scene as a scene file, without comments. [`Scene::parse`] reads the same scene from it.
    ///
    /// Keys with their default values are left out. If [`Scene::populate`] has scaled the scene,
    /// the file describes the unscaled scene. Moved obstacles are written at their original places.
    #[must_use]
    pub fn to_toml(&self) -> String {
        edit::document(&entries(self))
    }

    /// The same with every key that the scene has a value for, also where that is the default: it
    /// stays the same scene in a program with other defaults.
    #[must_use]
    pub fn to_full_toml(&self) -> String {
        edit::document(&stated(entries(self)))
    }
}

/// The entries without their defaults, so that all of them are written.
fn stated(entries: Vec<Entry>) -> Vec<Entry> {
    let whole = |value: Written| match value {
        Written::Table(form, entries) => Written::Table(form, stated(entries)),
        Written::List(tables) => Written::List(tables.into_iter().map(stated).collect()),
        value => value,
    };
    let stated = |entry: Entry| Entry { value: entry.value.map(whole), default: None, ..entry };
    entries.into_iter().map(stated).collect()
}

/// All keys of the scene, in the order of the built-in scenes.
pub fn entries(scene: &Scene) -> Vec<Entry> {
    let unscaled = Unscaled { times: ratio(scene.world.size, scene.written_size) };
    let axes = scene.world.axes();
    let own = scene.targets.iter().filter(|target| target.name != POINTER);
    let names: Vec<&str> = scene.species.iter().map(|species| species.name.as_str()).collect();
    let names = SceneNames { species: &names, targets: &scene.targets, paths: &scene.paths };
    let table = |(index, own): (usize, &Species)| {
        let written = species::write(index, &unscaled.species(own), &names, &scene.style, axes);
        Entry::wanted(&own.name, Written::Table(Form::Headed, written))
    };
    let top = TopKeys {
        about: scene.about.clone(),
        seed: scene.seed,
        time_step: scene.time_step,
        click: Clicks(scene.click, scene.follows),
        world: WorldKeys {
            size: scene.written_size,
            boundary: scene.world.boundary,
            density: scene.density,
            within: scene.density.map(|_| scene.density_radius),
            grows: scene.grows,
        },
        style: scene.style.clone(),
        camera: unscaled.camera(&scene.camera),
        targets: own.map(|target| unscaled.target(target)).collect(),
        obstacles: scene.obstacle_plans.clone(),
        paths: scene.paths.iter().map(|path| unscaled.path(path)).collect(),
        flow: scene.flow.clone(),
        species: SpeciesTables(scene.species.iter().enumerate().map(table).collect()),
    };
    let mut entries = top.entries(&TopKeys::default(), axes);
    let tables = entries.iter_mut().filter_map(|entry| match &mut entry.value {
        Some(Written::Table(_, keys)) if entry.key == "world" => Some(keys),
        _ => None,
    });
    // Without this key a file means its own largest radius.
    for within in tables.flatten().filter(|entry| entry.key == "within") {
        let largest = scene.density.map(|_| scene.perception_radius());
        within.default = largest.map(|radius| Written::Value(number(radius)));
    }
    entries
}

/// Scales places back to the world of the file.
struct Unscaled {
    /// Current size divided by the written size, on each axis.
    times: Point,
}

impl Unscaled {
    fn place(&self, place: Point) -> Point {
        let along = |axis: usize| divided(place[axis], self.times[axis]);
        Point::new(along(0), along(1), along(2))
    }

    fn target(&self, target: &Target) -> Target {
        let mut own = target.clone();
        own.position = self.place(own.position);
        own.sends_to = own.sends_to.map(|place| self.place(place));
        own
    }

    fn camera(&self, camera: &CameraPlan) -> CameraPlan {
        let mut own = camera.clone();
        own.scale(|place| self.place(place));
        own
    }

    fn path(&self, path: &Path) -> Path {
        let points = path.points.iter().map(|point| self.place(*point)).collect();
        Path { points, ..path.clone() }
    }

    fn species(&self, species: &Species) -> Species {
        let spawn = |spawn: Spawn| Spawn { at: spawn.at.map(|at| self.place(at)), ..spawn };
        Species {
            spawn: spawn(species.spawn),
            spawn_at_scale: spawn(species.spawn_at_scale),
            ..species.clone()
        }
    }
}

/// A number that gives `value` when multiplied by `times`. If rounding allows several, the one with
/// the fewest digits, because it is probably the number in the file.
fn divided(value: f32, times: f32) -> f32 {
    if times == 1.0 {
        return value;
    }
    let quotient = value / times;
    let (mut above, mut below) = (quotient, quotient);
    let mut near = vec![quotient];
    for _ in 0..3 {
        (above, below) = (above.next_up(), below.next_down());
        near.extend([above, below]);
    }
    let shortest = near.into_iter().min_by_key(|number_near| number(*number_near).len());
    shortest.unwrap_or(quotient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Request, built_in};

    /// Everything about a scene but the lines of its file.
    fn all_of(scene: &Scene) -> String {
        format!("{:?}", Scene { origins: Vec::new(), ..scene.clone() })
    }

    #[test]
    fn a_full_text_makes_the_same_scene_and_the_same_flock() {
        for built_in in built_in() {
            let scene = Scene::parse("test", built_in.text, &[]).unwrap();
            let full = scene.to_full_toml();
            let again = Scene::parse("test", &full, &[]).unwrap_or_else(|e| panic!("{e}\n{full}"));
            assert_eq!(all_of(&again), all_of(&scene), "{full}");
            assert_eq!((again.to_toml(), again.to_full_toml()), (scene.to_toml(), full));
            for count in [None, Some(777)] {
                let request = Request { count, ..Request::default() };
                let [mut one, mut other] = [scene.clone(), again.clone()];
                let states = [&mut one, &mut other].map(|scene| scene.populate(&request).unwrap());
                assert!(states[0] == states[1], "{} with {count:?} agents", built_in.name);
                assert_eq!(all_of(&one), all_of(&other));
            }
        }
    }

    #[test]
    fn a_full_text_has_every_parameter_and_changes_with_each() {
        let mut numbers = 0;
        for built_in in built_in() {
            let scene = Scene::parse("test", built_in.text, &[]).unwrap();
            let full = scene.to_full_toml();
            let keys: toml::Table = full.parse().unwrap();
            for (index, species) in scene.species.iter().enumerate() {
                for (rule, own) in species.rules.iter().enumerate() {
                    let info = own.kind.info();
                    let table = keys["species"][&species.name][info.key].as_table().unwrap();
                    for (place, parameter) in info.parameters.iter().enumerate() {
                        assert!(table.contains_key(parameter.key), "{}:\n{full}", parameter.key);
                        if parameter.key == "weight" {
                            let mut other = scene.clone();
                            other.species[index].rules[rule].values[place] += 0.5;
                            assert_ne!(other.to_full_toml(), full);
                            numbers += 1;
                        }
                    }
                }
            }
        }
        assert!(numbers > 10, "{numbers} weights");
    }
}
