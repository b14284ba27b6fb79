//! The source of a flock, and how to make it again.

use std::path::Path;

use flockwork_model::scene::{BuiltIn, Request, Scene, edit_toml, overrides};
use flockwork_model::state::FlockState;

/// The scene file that a flock is made from, and what was asked for beside it.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The value of `--scene` for the file; none: there is only its text.
    pub argument: Option<String>,
    /// The text of the file.
    pub text: String,
    /// Overrides, in `--set` syntax.
    pub overrides: Vec<String>,
    /// The count, the density and the seed, where they are not the scene's.
    pub request: Request,
}

/// A flock that is ready to start.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Its source.
    pub source: Source,
    /// The scene, at the size of its flock.
    pub scene: Scene,
    /// The first state.
    pub state: FlockState,
}

impl Source {
    /// The text of a scene file for `scene`, the edited scene of this source at the size of its
    /// flock. It keeps the comments of this source's file. Paths in it are relative to the current
    /// folder.
    #[must_use]
    pub fn edited(&self, scene: &Scene, agents: u64) -> String {
        let mut whole = scene.fixed(agents);
        let folder = self.argument.as_deref().and_then(|file| Path::new(file).parent());
        // The file of a flow field is named relative to the scene's folder.
        if let (Some(folder), Some(plan)) = (folder, &mut whole.flow)
            && let Some(file) = &mut plan.file
        {
            *file = folder.join(&*file).to_string_lossy().into_owned();
        }
        // Without the comments it is still the same scene.
        edit_toml(&self.text, &whole).unwrap_or_else(|_| whole.to_toml())
    }

    /// The command line that shows `scene`, as in [`Self::edited`], on any machine; or why there is
    /// none.
    pub fn command_line(&self, scene: &Scene, agents: u64) -> Result<String, String> {
        let Self { argument, overrides, request, .. } = self.shortest(scene, agents)?;
        Ok(line(argument.as_deref().unwrap_or_default(), &request, &overrides))
    }

    /// The built-in scene of this source with the fewest overrides that make `scene` of it; or why there
    /// are none.
    pub fn shortest(&self, scene: &Scene, agents: u64) -> Result<Self, String> {
        let own = |name: &&String| BuiltIn::named(name).is_some_and(|own| own.text == self.text);
        if self.argument.as_ref().filter(own).is_none() {
            return Err("this scene is not built in; copy it as text".into());
        }
        let fixed = scene.fixed(agents);
        // An override of the world's size fixes it at any count.
        let mut at_any = fixed.clone();
        (at_any.density, at_any.grows) = (None, false);
        let makes = |sets: &[String], request: &Request, wanted: &Scene| {
            let mut made = Scene::parse_with(&scene.name, &self.text, sets).ok()?;
            let count = made.resize(request).ok()?;
            (made.fixed(count).to_toml() == wanted.to_toml()).then_some(())
        };
        let own = Scene::parse(&scene.name, &self.text);
        let own_count = own.map_or(0, |own| own.own_count());
        let short =
            Request { count: Some(agents).filter(|count| *count != own_count), ..self.request };
        let nothing = Request::default();
        // An edit may change the size that the world would have for this count. Then the command
        // line states the size itself.
        for (whole, request, wanted) in [(scene, &short, &fixed), (&at_any, &nothing, &at_any)] {
            let mut sets = overrides(&self.text, whole).map_err(|error| {
                format!("no command line can say this ({}); save the scene instead", error.key)
            })?;
            if request.seed.is_some() {
                sets.retain(|set| !set.starts_with("seed="));
            }
            if makes(&sets, request, wanted).is_some() {
                return Ok(Self { overrides: sets, request: *request, ..self.clone() });
            }
        }
        Err("no command line can say this scene; save it instead".into())
    }
}

fn line(argument: &str, request: &Request, sets: &[String]) -> String {
    let mut words = vec!["flockwork".to_string(), "--scene".into(), quoted(argument)];
    let mut option = |name: &str, value: Option<String>| {
        words.extend(value.map(|value| format!("--{name} {}", quoted(&value))));
    };
    option("count", request.count.map(|count| count.to_string()));
    option("density", request.density.map(|density| density.to_string()));
    option("seed", request.seed.map(|seed| seed.to_string()));
    for set in sets {
        option("set", Some(set.clone()));
    }
    words.join(" ")
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.=-/".contains(c);
    if word.chars().all(plain) && !word.is_empty() {
        return word.into();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(name: &str, request: Request) -> (Source, Scene, FlockState) {
        let text = BuiltIn::named(name).unwrap().text.to_string();
        let scene = Scene::parse(name, &text).unwrap();
        let (scene, state) = scene.populate(&request).unwrap();
        let argument = Some(name.to_string());
        (Source { argument, text, overrides: Vec::new(), request }, scene, state)
    }

    #[test]
    fn a_command_line_is_as_short_as_it_can_be() {
        let (own, mut scene, state) = source("flock", Request::default());
        let agents = 120;
        let line = |own: &Source, scene: &Scene, agents| own.command_line(scene, agents);
        assert_eq!(state.len(), 120);
        assert_eq!(line(&own, &scene, agents).unwrap(), "flockwork --scene flock");
        scene.species[0].body.max_speed = 2.5;
        let said = "flockwork --scene flock --set starling.max_speed=2.5";
        assert_eq!(line(&own, &scene, agents).unwrap(), said);
        let request = Request { count: Some(3000), seed: Some(7), density: None };
        let (own, mut scene, _) = source("flock", request);
        let agents = 3000;
        let said = "flockwork --scene flock --count 3000 --seed 7";
        assert_eq!(line(&own, &scene, agents).unwrap(), said);
        // A larger radius is no larger world.
        let rule = &mut scene.species[0].rules[1];
        let radius = rule.kind.parameter("radius").unwrap();
        rule.values[radius] = 80.0;
        let said =
            "flockwork --scene flock --count 3000 --seed 7 --set starling.alignment.radius=80";
        assert_eq!(line(&own, &scene, agents).unwrap(), said);
        // A world of another size than this count would have.
        scene.world.size *= 1.25;
        let said = line(&own, &scene, agents).unwrap();
        assert!(said.contains("--set 'world={ size = [") && !said.contains("--count"), "{said}");
        assert!(said.contains("--set starling.count=3000"), "{said}");
        scene.species[0].rules.remove(0);
        let said = line(&own, &scene, agents).unwrap();
        assert!(said.contains("--set 'starling={ count = 3000, "), "{said}");
        scene.species[0].name = "other".into();
        let said = line(&own, &scene, agents).unwrap();
        assert!(said.contains("--set 'species={ other = { count = 3000, "), "{said}");
        // Others have neither the text nor the file of a scene that is not built in.
        let text_alone = Source { argument: None, ..own.clone() };
        let file = Source { argument: Some("mine/flock.toml".into()), ..own };
        for own in [text_alone, file] {
            assert!(line(&own, &scene, agents).unwrap_err().contains("not built in"));
        }
    }

    #[test]
    fn the_words_are_quoted_for_a_shell() {
        let request = Request::default();
        let said = line("it's mine.toml", &request, &["a=[1, 2]".into()]);
        assert_eq!(said, r"flockwork --scene 'it'\''s mine.toml' --set 'a=[1, 2]'");
    }

    #[test]
    fn an_edited_file_keeps_its_comments_and_makes_the_flock() {
        let request = Request { count: Some(500), ..Request::default() };
        let (own, mut scene, state) = source("flock", request);
        scene.species[0].body.max_force = 0.125;
        let text = own.edited(&scene, 500);
        assert!(text.contains("# Source: The Nature of Code"), "{text}");
        assert!(text.contains("= 0.125"), "{text}");
        let again = Scene::parse("again", &text).unwrap();
        let (again, same) = again.populate(&Request::default()).unwrap();
        assert_eq!(same, state);
        assert_eq!((again.species, again.world), (scene.fixed(500).species, scene.world));
    }
}
