//! The scene file: its keys, its reader and its writer.

mod camera;
mod document;
mod fields;
mod formula;
mod key;
pub mod keys;
mod law;
mod parse;
mod reader;
mod rewrite;
mod scenery;
mod set;
mod spawn;
mod species;
mod style;
mod tree;
mod values;
mod write;

pub use camera::{CameraKey, CameraPlan, Follow};
pub use fields::{OrWord, point_text};
pub use keys::ObstaclePlan;
pub use parse::is_a_key;
pub use rewrite::{edit_toml, overrides};
pub use scenery::{NO_TARGETS, check_paths};
pub use set::{key_and_value, key_parts, pieces};
pub use style::Style;

use std::collections::HashSet;
use std::str::FromStr;

use super::{Origin, Scene, SceneError};
use crate::world::ratio;

impl Scene {
    /// Parses a scene from TOML. `name` is used in messages. Fails with the first wrong key, its place
    /// and the remedy.
    pub fn parse(name: &str, text: &str) -> Result<Self, SceneError> {
        Self::parse_with(name, text, &[""; 0])
    }

    /// Parses a scene and overrides some of its values: `KEY=VALUE` texts, as in `--set`. A text may be a
    /// scene only with its overrides. A line that an override makes wrong is the override's error.
    pub fn parse_with(
        name: &str,
        text: &str,
        overrides: &[impl AsRef<str>],
    ) -> Result<Self, SceneError> {
        let with_first = |count: usize| {
            let (scene, written) = Self::overridden(name, text, &overrides[..count])?;
            written.map_or(Ok(()), |written| formula::check_added(&scene, &written))?;
            Ok(scene)
        };
        with_first(overrides.len()).map_err(|error: SceneError| {
            let fails = |count: &usize| with_first(*count).is_err_and(|own| own == error);
            match (0..overrides.len()).find(fails).unwrap_or(overrides.len()).checked_sub(1) {
                Some(last) if matches!(error.origin, Origin::Line { .. }) => {
                    SceneError { origin: Origin::Set(overrides[last].as_ref().into()), ..error }
                }
                _ => error,
            }
        })
    }

    /// The scene with its overrides, and what it is without them, if it has some.
    fn overridden(
        name: &str,
        text: &str,
        overrides: &[impl AsRef<str>],
    ) -> Result<(Self, Option<Self>), SceneError> {
        let mut root = tree::parse(name, text)?;
        if overrides.is_empty() {
            return Ok((parse::scene(name, &root, None)?, None));
        }
        let written = parse::scene(name, &root, None).ok();
        for assignment in overrides {
            set::set(&mut root, assignment.as_ref())?;
        }
        Ok((parse::scene(name, &root, written.as_ref())?, written))
    }

    /// Changes one value, as `--set` does: `bird.separation.weight=3`. Fails, and changes nothing, if
    /// the key or the value is wrong.
    ///
    /// A scene that [`Scene::populate`] has scaled keeps its scale and its obstacles: places are places
    /// of the written world, and other `obstacles` hold from the next `populate` on. Another `world.size`
    /// ends the scale: the world has it at once, and places are where they are written. An engine moves
    /// the flock by the new value from its next `update` on.
    ///
    /// ```
    /// use flockwork_model::scene::{Scene, SceneError};
    ///
    /// let mut scene: Scene = "[species.bird]\nseparation = {}".parse()?;
    /// scene.set("bird.separation.weight=3")?;
    /// let error = scene.set("bird.separation.wieght=3").unwrap_err();
    /// assert_eq!(error.key, "species.bird.separation.wieght");
    /// assert_eq!(error.problem, "unknown key; did you mean `weight`?");
    /// # Ok::<(), SceneError>(())
    /// ```
    pub fn set(&mut self, assignment: &str) -> Result<(), SceneError> {
        let text = self.to_full_toml();
        // A parameter comes before the formula that will take it.
        let (mut made, _) = Self::overridden(&self.name, &text, &[assignment])
            .map_err(|error| SceneError { origin: Origin::Set(assignment.into()), ..error })?;
        if made.written_size == self.written_size {
            let times = ratio(self.world.size, self.written_size);
            made.world.size = self.world.size;
            made.map_places(|place| place * times);
        }
        made.obstacles.clone_from(&self.obstacles);
        if let (Some(pointer), Some(own)) = (made.targets.first_mut(), self.targets.first()) {
            pointer.clone_from(own);
        }
        // No key says these.
        for target in &mut made.targets {
            if let Some(own) = self.targets.iter().find(|own| own.name == target.name) {
                (target.hits, target.active) = (own.hits, own.active);
            }
        }
        if let (Some(plan), Some(own)) = (&mut made.flow, &self.flow)
            && (plan.kind, &plan.file, plan.grid) == (own.kind, &own.file, own.grid)
        {
            plan.vectors.clone_from(&own.vectors);
        }
        for own in &mut made.species {
            if let Some(old) = self.species.iter().find(|old| old.name == own.name) {
                (own.original, own.counted) = (old.original, old.counted);
            }
        }
        // Lines of the text that was made here are of no use.
        made.origins.retain(|(_, origin)| matches!(origin, Origin::Set(_)));
        let set: HashSet<&str> = made.origins.iter().map(|(key, _)| key.as_str()).collect();
        let kept = self.origins.iter().filter(|(key, _)| !set.contains(key.as_str()));
        let kept: Vec<_> = kept.cloned().collect();
        made.origins.extend(kept);
        *self = made;
        Ok(())
    }

    /// Fails with the first key that a scene file could not have: a value out of its range, a name that
    /// is taken or unknown, a behaviour that lacks what it needs. The line belongs to
    /// [`Scene::to_full_toml`].
    pub fn check(&self) -> Result<(), SceneError> {
        edit_toml(&self.to_full_toml(), self).map(|_| ())
    }
}

/// A scene of this TOML text, with the name `scene`.
impl FromStr for Scene {
    type Err = SceneError;

    fn from_str(text: &str) -> Result<Self, SceneError> {
        Self::parse("scene", text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Request, Species, built_in};
    use crate::vector::flat;
    use crate::world::{Boundary, World};

    #[test]
    fn a_value_that_is_set_is_that_of_an_override() {
        for built_in in built_in() {
            for scale in [1, 3] {
                let scene = Scene::parse("test", built_in.text).unwrap();
                let count = scene.own_count() * scale;
                let request = Request { count: Some(count), ..Request::default() };
                let (scene, _) = scene.populate(&request).unwrap();
                let name = scene.species[0].name.clone();
                for set in [format!("{name}.max_speed=2.5"), "time_step=0.5".into()] {
                    let other =
                        Scene::parse_with("test", built_in.text, std::slice::from_ref(&set))
                            .unwrap();
                    let (other, _) = other.populate(&request).unwrap();
                    let mut own = scene.clone();
                    own.set(&set).unwrap();
                    assert_eq!(own.world, other.world, "{}: {set}", built_in.name);
                    assert_eq!(own.species, other.species, "{}: {set}", built_in.name);
                    assert_eq!(own.obstacles, other.obstacles, "{}: {set}", built_in.name);
                    assert_eq!(own.paths, other.paths, "{}: {set}", built_in.name);
                    assert_eq!(own.to_toml(), other.to_toml(), "{}: {set}", built_in.name);
                    own.origins.clear();
                    assert!(own.check().is_ok());
                }
            }
        }
    }

    #[test]
    fn a_wrong_value_changes_nothing_and_names_its_remedy() {
        let text = "[[targets]]\nname = \"food\"\n[species.a]\nseek.target = \"food\"\n";
        let mut scene: Scene = text.parse().unwrap();
        let before = format!("{scene:?}");
        for (set, part) in [
            ("a.max_speed=-1", "species.a.max_speed: -1 is outside 0 to 10000 world units/tick"),
            ("a.noise=-1", "species.a.noise: -1 is outside 0 to 10 per √tick"),
            ("a.sek.weight=2", "did you mean `seek`?"),
            ("targets=none", "no target is called \"food\""),
            ("a.count", "write --set KEY=VALUE"),
        ] {
            let error = scene.set(set).unwrap_err();
            assert_eq!(error.origin, Origin::Set(set.into()));
            assert!(error.to_string().contains(part), "{error}");
            assert_eq!(format!("{scene:?}"), before);
        }
    }

    #[test]
    fn what_no_key_says_stays_when_a_value_is_set() {
        let flow = "flow = { kind = \"file\", file = \"wind.csv\", grid = [2, 1] }\n";
        let rest = "[[targets]]\nhit_radius = 3\n[species.a.follow_flow]\n";
        let mut scene: Scene = format!("{flow}{rest}").parse().unwrap();
        let vectors = [flat(1.0, 0.0), flat(0.0, 1.0)];
        scene.flow.as_mut().unwrap().vectors = vectors.into();
        (scene.targets[1].hits, scene.targets[1].active) = (4, false);
        scene.set("a.max_speed=2").unwrap();
        assert_eq!(
            (
                &scene.flow.as_ref().unwrap().vectors[..],
                scene.targets[1].hits,
                scene.targets[1].active
            ),
            (&vectors[..], 4, false)
        );
        // The host has to read another file.
        scene.set("flow.file=\"storm.csv\"").unwrap();
        assert!(scene.flow.unwrap().vectors.is_empty());
    }

    #[test]
    fn a_colour_needs_no_quotes_in_an_override() {
        let background = |set: &str| {
            Scene::parse_with("f", "[species.a]\n", &[set]).map(|scene| scene.to_toml())
        };
        let bare = background("style.background=#ff0000").unwrap();
        assert_eq!(bare, background("style.background=\"#ff0000\"").unwrap());
        assert!(background("style.background=#").is_err());
    }

    #[test]
    fn a_line_that_an_override_makes_wrong_is_its_error() {
        let text = "[species.a.rules.r]\nsum.v = \"offset\"\nforce = \"v\"\n";
        let wrong = |text: &str, sets: &[&str]| {
            Scene::parse_with("f", text, sets).map_err(|error| error.to_string()).unwrap_err()
        };
        for sets in [["a.rules.r.sum=none", "seed=3"], ["seed=3", "a.rules.r.sum=none"]] {
            let told = "--set a.rules.r.sum=none: species.a.rules.r.force: column 1: nothing is called `v`";
            assert!(wrong(text, &sets).starts_with(told), "{}", wrong(text, &sets));
        }
        let force = "a.rules.r.force=\"zero\"";
        assert!(Scene::parse_with("f", text, &["a.rules.r.sum=none", force]).is_ok());
        let own = wrong(&text.replace("\"v\"", "\"w\""), &["seed=3"]);
        assert!(own.starts_with("f:3: species.a.rules.r.force"), "{own}");
    }

    #[test]
    fn a_scene_can_be_built_without_a_text() {
        let size = flat(600.0, 400.0);
        let mut scene = Scene::new("small", World { size, boundary: Boundary::Walls });
        assert!(scene.check().unwrap_err().to_string().contains("[species.NAME]"));
        scene.species.push(Species { count: 7, ..Species::new("bird") });
        scene.set("bird.separation={ radius = 5 }").unwrap();
        scene.set("obstacles=[{ position = [9, 9] }]").unwrap();
        let text = "world = { size = [600, 400], boundary = \"walls\" }\n                    obstacles = [{ position = [9, 9] }]\n                    [species.bird]\ncount = 7\nseparation.radius = 5\n";
        let written = Scene::parse("small", text).unwrap();
        assert_eq!(scene.to_full_toml(), written.to_full_toml());
        scene.check().unwrap();
        scene.species[0].body.mass = -1.0;
        let wrong = scene.check().unwrap_err().to_string();
        assert!(wrong.contains("species.bird.mass: -1 is outside"), "{wrong}");
        scene.species[0] = Species::new("all");
        assert!(scene.check().unwrap_err().to_string().contains("cannot be called `all`"));
    }
}
