//! The content of a scene's file: the keys of a [`Scene`] with their values.

use super::fields::Fields;
use super::keys::{Clicks, SpeciesTables, TopKeys, WorldKeys};
use super::tree::{Table, Value};
use super::{document, species};
use crate::scene::{POINTER, Scene};
use crate::vector::Point;
use crate::world::ratio;

impl Scene {
    /// The scene as a scene file, without comments. [`Scene::parse`] reads the same scene from it.
    ///
    /// Keys with their default values are left out. If [`Scene::populate`] has scaled the scene,
    /// the file describes the unscaled scene. Moved obstacles are written at their original places.
    #[must_use]
    pub fn to_toml(&self) -> String {
        document::document(&entries(self))
    }

    /// The same with every key that the scene has a value for, also where that is the default: it
    /// stays the same scene in a program with other defaults. Keys of species that follow other keys
    /// are left out, so that an override of the other key holds.
    #[must_use]
    pub fn to_full_toml(&self) -> String {
        let mut all = entries(self);
        for (_, node) in all.iter_mut().filter(|(key, _)| key == SpeciesTables::KEY) {
            if let Value::Table(species) = &mut node.value {
                species
                    .iter_mut()
                    .for_each(|(_, own)| species::leave_followers_out(&mut own.value));
            }
        }
        match Value::Table(all).stated() {
            Value::Table(all) => document::document(&all),
            _ => String::new(),
        }
    }

    /// Scales the world and the places in it back to the written size.
    pub(in crate::scene) fn unscale(&mut self) {
        let times = ratio(self.world.size, self.written_size);
        let back = |place: Point, axis: usize| divided(place[axis], times[axis]);
        self.map_places(|place| Point::new(back(place, 0), back(place, 1), back(place, 2)));
        self.world.size = self.written_size;
    }
}

/// All keys of the scene, in the order of the built-in scenes.
pub fn entries(scene: &Scene) -> Table<bool> {
    let axes = scene.world.axes();
    let mut own = scene.clone();
    own.unscale();
    own.forget_lost_colours();
    let table = |(index, name): (usize, &str)| {
        (name.into(), Value::Table(species::write(index, &own)).into())
    };
    let species = SpeciesTables(own.species_names().into_iter().enumerate().map(table).collect());
    own.targets.retain(|target| target.name != POINTER);
    let world = WorldKeys {
        size: own.written_size,
        boundary: own.world.boundary,
        density: own.density,
        within: Some(own.density_radius).filter(|radius| *radius > 0.0),
        grows: own.grows,
        sampling: own.sampling,
    };
    let top = TopKeys {
        species,
        about: own.about,
        seed: own.seed,
        time_step: own.time_step,
        click: Clicks(own.click, own.follows),
        world,
        style: own.style,
        camera: own.camera,
        targets: own.targets,
        obstacles: own.obstacle_plans,
        paths: own.paths,
        flow: own.flow,
    };
    // Without the key `within` a file means its own largest radius.
    let within = scene.density.map(|_| scene.perception_radius());
    let unwritten = WorldKeys { within, ..WorldKeys::default() };
    let mut entries = top.table(&TopKeys::default(), axes);
    for (_, node) in entries.iter_mut().filter(|(key, _)| key == "world") {
        node.value = Value::Table(top.world.table(&unwritten, axes));
    }
    entries
}

/// A number that gives `value` when multiplied by `times`, or the nearest to it that any gives. If rounding
/// allows several, the one with the fewest digits, because it is probably the number in the file.
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
    let error = |near: f32| (near * times - value).abs().to_bits();
    let length = |near: f32| Value::from(near).to_string().len();
    near.into_iter().min_by_key(|near| (error(*near), length(*near))).unwrap_or(quotient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviours::Kind;
    use crate::scene::{Request, built_in};

    /// Everything about a scene but the lines of its file.
    fn all_of(scene: &Scene) -> String {
        format!("{:?}", Scene { origins: Vec::new(), ..scene.clone() })
    }

    #[test]
    fn places_in_a_world_of_another_size_are_written_exactly() {
        let text = "world.size = [300, 200]\npaths = [{ name = \"p\", points = [[10, 10], [200, 100]] }]\n[species.a]\n";
        let mut scene = Scene::parse("test", text).unwrap();
        scene.world.size *= 1.5;
        let places = |scene: &Scene| scene.paths[0].points.clone();
        let before = places(&scene);
        scene.set("a.max_speed=2").unwrap();
        assert_eq!(places(&scene), before);
        // A smaller world has places that no number of the file gives.
        for number in 1..2000 {
            let (value, times) = (number as f32 * 0.377, 0.7);
            let given = divided(value, times) * times;
            assert!(given == value || given == value.next_up() || given == value.next_down());
            assert_eq!(divided(given, times) * times, given);
        }
    }

    #[test]
    fn an_override_means_the_same_in_a_full_text() {
        let text = "[species.a]\ncohesion = {}\n";
        for (set, count) in [
            ("style.colour=speed", 100),
            ("style.look=disc", 100),
            ("style.palette=viridis", 100),
            ("a.spawn.speed=5", 101),
            ("a.spawn.velocity={ from = [0, 0], to = [1, 1] }", 101),
        ] {
            let full = Scene::parse("test", text).unwrap().to_full_toml();
            let request = Request { count: Some(count), ..Request::default() };
            let [one, other] = [text, &full].map(|text| {
                let scene = Scene::parse_with("test", text, &[set]).unwrap();
                scene.populate(&request).unwrap()
            });
            assert_eq!(all_of(&one.0), all_of(&other.0), "{set}");
            assert!(one.1 == other.1, "{set}");
        }
    }

    #[test]
    fn a_full_text_has_every_parameter_and_makes_the_same_scene_and_flock() {
        for built_in in built_in() {
            let scene = Scene::parse("test", built_in.text).unwrap();
            let full = scene.to_full_toml();
            let again = Scene::parse("test", &full).unwrap_or_else(|e| panic!("{e}\n{full}"));
            assert_eq!(all_of(&again), all_of(&scene), "{full}");
            assert_eq!(again.to_toml(), scene.to_toml());
            assert_eq!(again.to_full_toml(), full);
            let keys: toml::Table = full.parse().unwrap();
            for species in &scene.species {
                // Rules in text have tables of their own kind.
                let kinds = species.rules.iter().map(|rule| rule.kind);
                for info in kinds.filter(|kind| kind.formula().is_none()).map(Kind::info) {
                    let table = keys["species"][&species.name][info.key].as_table().unwrap();
                    for parameter in info.parameters {
                        assert!(table.contains_key(parameter.key), "{}:\n{full}", parameter.key);
                    }
                }
            }
            for count in [None, Some(777)] {
                let request = Request { count, ..Request::default() };
                let [one, other] = [&scene, &again].map(|scene| scene.populate(&request).unwrap());
                assert!(one.1 == other.1, "{} with {count:?} agents", built_in.name);
                assert_eq!(all_of(&one.0), all_of(&other.0));
            }
        }
    }
}
