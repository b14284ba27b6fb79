//! A scene file changed so that it describes another scene: its text with its comments, or overrides
//! as `--set` takes them.

use toml_edit::{DocumentMut, TomlError};

use super::document::write_document;
use super::keys::SpeciesTables;
use super::tree::{Table, Value, get};
use super::write;
use crate::scene::{Origin, Scene, SceneError};
use crate::toml_words::problem;

/// The keys of the scene that is in the file `text`.
fn entries_of(text: &str, overrides: &[String], scene: &Scene) -> Result<Table<bool>, SceneError> {
    Ok(write::entries(&Scene::parse_with(&scene.name, text, overrides)?))
}

/// An error about a key of a scene that a file cannot describe.
fn fail(scene: &Scene, key: impl Into<String>, problem: impl Into<String>) -> SceneError {
    let origin = Origin::Line { file: scene.name.as_str().into(), line: 1 };
    SceneError::new(&origin, key, problem)
}

/// The scene file `text`, changed so that it describes `scene`. Comments, order and layout stay,
/// and so do all values that have not changed.
///
/// A new key is added to its table; a key that is back at its default is written with it. Text that
/// belongs to removed parts of the scene is removed with its comments. Behaviours whose order has
/// changed are written as separate tables. Fails if `text` is not a scene file, or if no file can
/// describe `scene` because a value is out of range.
pub fn edit_toml(text: &str, scene: &Scene) -> Result<String, SceneError> {
    let (before, wanted) = (entries_of(text, &[], scene)?, write::entries(scene));
    if before == wanted {
        return Ok(text.into());
    }
    // The library's own lines end with a line feed only.
    let parsed = text.replace("\r\n", "\n").parse();
    let mut document: DocumentMut =
        parsed.map_err(|error: TomlError| fail(scene, "", problem(error.message())))?;
    write_document(document.as_table_mut(), &wanted, &before);
    let mut edited = document.to_string();
    if text.contains("\r\n") {
        edited = edited.replace('\n', "\r\n");
    }
    match difference(&entries_of(&edited, &[], scene)?, &wanted) {
        None => Ok(edited),
        Some(key) => Err(fail(scene, key, "a scene file cannot describe this value")),
    }
}

/// The first key with different values.
fn difference(one: &Table<bool>, other: &Table<bool>) -> Option<String> {
    if one == other {
        return None;
    }
    let mut keys = one.iter().chain(other).map(|(key, _)| key);
    let Some(key) = keys.find(|key| get(one, key) != get(other, key)) else {
        return Some("the order of its keys".into());
    };
    match (get(one, key), get(other, key)) {
        (Some(Value::Table(one)), Some(Value::Table(other))) => {
            difference(one, other).map(|below| format!("{key}.{below}"))
        }
        _ => Some(key.clone()),
    }
}

/// The texts `KEY=VALUE` with which [`Scene::parse`] makes `scene` of the scene file `text`.
///
/// Where `scene` lacks a key that `text` has, the override is the whole table or list. Fails if `text`
/// is no scene file.
pub fn overrides(text: &str, scene: &Scene) -> Result<Vec<String>, SceneError> {
    let wanted = write::entries(scene);
    let mut all = Vec::new();
    let fail = |key: String| fail(scene, key, "no override can describe this value");
    // An override of the world's size takes its density away, which must then be said as well.
    for _ in 0..2 {
        let before = entries_of(text, &all, scene)?;
        add(&mut all, "", &wanted, &before).map_err(fail)?;
    }
    let after = entries_of(text, &all, scene)?;
    difference(&after, &wanted).map_or(Ok(all), |key| Err(fail(key)))
}

/// Adds overrides that turn `before` into `wanted`, both below `path`. Fails with the key that none can
/// express.
fn add(
    all: &mut Vec<String>,
    path: &str,
    wanted: &Table<bool>,
    before: &Table<bool>,
) -> Result<(), String> {
    let full = |key: &str| match path {
        "" => key.to_string(),
        // A species that is there may stand without this word.
        SpeciesTables::KEY if get(before, key).is_some() => key.to_string(),
        path => format!("{path}.{key}"),
    };
    for (key, gone) in before.iter().filter(|(key, _)| get(wanted, key).is_none()) {
        match gone.value.tables() {
            Some(_) => all.push(format!("{}=[]", full(key))),
            None => return Err(full(key)),
        }
    }
    // New species are the last ones.
    let keys = |all: &Table<bool>| all.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
    if path == SpeciesTables::KEY && !keys(wanted).starts_with(&keys(before)) {
        return Err(path.into());
    }
    for (key, node) in wanted {
        // A species may have a name that no plain path of keys can say.
        let is_said = !key.is_empty() && !key.contains(['.', '=', '"']);
        if !is_said && get(before, key) != Some(&node.value) {
            return Err(path.into());
        }
        let (path, said) = (full(key), all.len());
        let by_parts = match (&node.value, get(before, key)) {
            (wanted, Some(before)) if wanted == before => Ok(()),
            (Value::Table(wanted), Some(Value::Table(before))) => add(all, &path, wanted, before),
            (wanted, before) => match (wanted.tables(), before.and_then(Value::tables)) {
                (Some(wanted), Some(before)) if wanted.len() == before.len() => {
                    let mut pairs = wanted.iter().zip(before).enumerate();
                    pairs.try_for_each(|(index, (wanted, before))| {
                        add(all, &format!("{path}.{index}"), wanted, before)
                    })
                }
                _ => Err(path.clone()),
            },
        };
        if by_parts.is_err() {
            all.truncate(said);
            all.push(format!("{path}={}", node.value));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviours::{Kind, Target};
    use crate::scene::{Request, Rule, built_in};
    use crate::vector::flat;

    const TEXT: &str = "[[targets]]\nname = \"food\"\nposition = [10, 20]\n[species.a]\ncount = 9\n\
                        [species.a.seek]\n[species.a.separation]\nradius = 25\n";

    #[test]
    fn overrides_make_the_edited_scene() {
        let mut scene = Scene::parse("test", TEXT).unwrap();
        assert_eq!(overrides(TEXT, &scene).unwrap(), [""; 0]);
        scene.species[0].rules[1].values[1] = 7.5;
        scene.species[0].body.max_speed = 2.5;
        scene.targets[1].position = flat(1.5, 2.5);
        scene.seed = 4;
        let wander = Kind::ALL.into_iter().find(|kind| kind.info().key == "wander").unwrap();
        scene.species[0].rules.push(Rule::by_default(wander, 0));
        let all = overrides(TEXT, &scene).unwrap();
        let key = scene.species[0].rules[1].kind.info().parameters[1].key;
        for wanted in [
            "seed=4",
            "targets.0.position=[1.5, 2.5]",
            "a.max_speed=2.5",
            &format!("a.separation.{key}=7.5"),
            "a.wander={  }",
        ] {
            assert!(all.iter().any(|text| text == wanted), "{wanted} is missing in {all:?}");
        }
        assert_eq!(all.len(), 5);
        // So is a species whose name has a point; without its word it would be another table's key.
        let text = TEXT.replace("[species.a", "[species.\"a.b\"");
        let mut pointed = Scene::parse("test", &text).unwrap();
        pointed.species[0].body.max_speed = 2.5;
        let all = overrides(&text, &pointed).unwrap();
        assert!(all.iter().all(|text| text.starts_with("species={ ")), "{all:?}");
        assert_eq!(Scene::parse_with("test", &text, &all).unwrap().species, pointed.species);
        // Without one of its tables, a species is written as a whole.
        scene.species[0].rules.remove(0);
        let all = overrides(TEXT, &scene).unwrap();
        assert!(all.iter().any(|text| text.starts_with("a={ count = 9, ")), "{all:?}");
        assert_eq!(Scene::parse_with("test", TEXT, &all).unwrap().species, scene.species);
        // Without its targets the list is empty.
        scene.targets.truncate(1);
        let all = overrides(TEXT, &scene).unwrap();
        assert!(all.iter().any(|text| text == "targets=[]"), "{all:?}");
        let made = |all: &[String]| Scene::parse_with("test", TEXT, all).unwrap().to_toml();
        assert_eq!(made(&all), scene.to_toml());
        // One species more is a new table; another order or name is all of them.
        scene.copy_species(0).unwrap();
        let all = overrides(TEXT, &scene).unwrap();
        assert!(all.iter().any(|text| text.starts_with("species.a2={ count = 9")), "{all:?}");
        assert_eq!(made(&all), scene.to_toml());
        scene.species[0].name = "it's one".into();
        let all = overrides(TEXT, &scene).unwrap();
        assert!(all.iter().any(|text| text.starts_with("species={ \"it's one\" = {")), "{all:?}");
        assert_eq!(made(&all), scene.to_toml());
    }

    #[test]
    fn a_target_in_the_place_of_another_can_be_asked_for() {
        let text = TEXT.replace("[10, 20]", "[10, 20]\nhit_radius = 5\nsends_to = [1, 2]");
        let mut scene = Scene::parse("test", &text).unwrap();
        scene.targets[1] = Target::fixed("seed", flat(3.0, 4.0));
        let all = overrides(&text, &scene).unwrap();
        assert!(all.iter().any(|one| one.starts_with("targets=[{ name = \"seed\"")), "{all:?}");
        let again = Scene::parse_with("test", &text, &all).unwrap();
        assert_eq!(again.to_toml(), scene.to_toml());
    }

    #[test]
    fn a_scene_at_any_size_can_be_asked_for() {
        for built_in in built_in() {
            let scene = Scene::parse("test", built_in.text).unwrap();
            let request = Request { count: Some(300), ..Request::default() };
            let (scene, _) = scene.populate(&request).unwrap();
            let fixed = scene.fixed(300);
            let all = overrides(built_in.text, &fixed).unwrap();
            let again = Scene::parse_with("test", built_in.text, &all).unwrap();
            assert_eq!(again.to_toml(), fixed.to_toml(), "{}", built_in.name);
        }
    }
}
