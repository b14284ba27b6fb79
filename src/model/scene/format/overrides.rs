//! The overrides that turn a scene file into another scene, as `--set` takes them.

use super::edit::difference;
use super::fields::{Entry, Written};
use super::tables::SpeciesTables;
use super::write;
use crate::scene::{Origin, Scene, SceneError};

/// The texts `KEY=VALUE` with which [`Scene::parse`] makes `scene` of the scene file `text`.
///
/// Where `scene` lacks a key that `text` has, the override is the whole table or list. Fails if `text`
/// is no scene file.
pub fn overrides(text: &str, scene: &Scene) -> Result<Vec<String>, SceneError> {
    let before = write::entries(&Scene::parse(&scene.name, text, &[])?);
    let wanted = write::entries(scene);
    let mut all = Vec::new();
    let fail = |key: String| SceneError {
        origin: Origin::Line { file: scene.name.as_str().into(), line: 1 },
        key,
        problem: "no override can describe this value".into(),
    };
    add(&mut all, "", &wanted, &before).map_err(&fail)?;
    // An override of the world's size takes its density away, which must then be said as well.
    let after = write::entries(&Scene::parse(&scene.name, text, &all)?);
    add(&mut all, "", &wanted, &after).map_err(&fail)?;
    let after = write::entries(&Scene::parse(&scene.name, text, &all)?);
    difference(&after, &wanted).map_or(Ok(all), |key| Err(fail(key)))
}

/// Adds what makes `wanted` of `before`, which stand below `path`; or returns the key that cannot be
/// overridden.
fn add(
    all: &mut Vec<String>,
    path: &str,
    wanted: &[Entry],
    before: &[Entry],
) -> Result<(), String> {
    let of = |entries: &[Entry], key: &str| {
        entries.iter().find(|entry| entry.key == key).and_then(|entry| entry.value.clone())
    };
    let full = |key: &str| match path {
        "" => key.to_string(),
        // A species that is there may stand without this word.
        SpeciesTables::KEY if of(before, key).is_some() => key.to_string(),
        path => format!("{path}.{key}"),
    };
    let stale = before.iter().filter(|entry| entry.value.is_some());
    for gone in stale.filter(|entry| of(wanted, &entry.key).is_none()) {
        match gone.value {
            Some(Written::List(_)) => all.push(format!("{}=[]", full(&gone.key))),
            _ => return Err(full(&gone.key)),
        }
    }
    if path == SpeciesTables::KEY && !is_order_kept(wanted, before) {
        return Err(path.into());
    }
    for Entry { key, value, .. } in wanted {
        let Some(value) = value else { continue };
        match (value, of(before, key)) {
            (value, Some(old)) if *value == old => {}
            (Written::Table(_, wanted), Some(Written::Table(_, before))) => {
                let said = all.len();
                if add(all, &full(key), wanted, &before).is_err() {
                    all.truncate(said);
                    all.push(format!("{}={}", full(key), inline(value)));
                }
            }
            (Written::List(wanted), Some(Written::List(before)))
                if wanted.len() == before.len() =>
            {
                let said = all.len();
                let mut pairs = wanted.iter().zip(&before).enumerate();
                let each = pairs.try_for_each(|(index, (wanted, before))| {
                    add(all, &format!("{}.{index}", full(key)), wanted, before)
                });
                if each.is_err() {
                    all.truncate(said);
                    all.push(format!("{}={}", full(key), inline(value)));
                }
            }
            (value, _) => all.push(format!("{}={}", full(key), inline(value))),
        }
    }
    Ok(())
}

/// True if the species `before` are the first ones of those `wanted`, in their order.
fn is_order_kept(wanted: &[Entry], before: &[Entry]) -> bool {
    let keys = |all: &[Entry]| all.iter().map(|entry| entry.key.clone()).collect::<Vec<_>>();
    keys(wanted).starts_with(&keys(before))
}

/// A key as TOML has it.
fn quoted(key: &str) -> String {
    let letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(letter) {
        return key.into();
    }
    super::fields::text(key)
}

/// A value on one line.
fn inline(value: &Written) -> String {
    let table = |entries: &[Entry]| {
        let said = entries.iter().filter(|entry| !entry.is_default());
        let pairs = said.filter_map(|entry| {
            entry.value.as_ref().map(|value| format!("{} = {}", quoted(&entry.key), inline(value)))
        });
        format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
    };
    match value {
        Written::Value(text) => text.lines().map(str::trim).collect::<Vec<_>>().join(" "),
        Written::Table(_, entries) => table(entries),
        Written::List(tables) => {
            format!("[{}]", tables.iter().map(|t| table(t)).collect::<Vec<_>>().join(", "))
        }
    }
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
        let mut scene = Scene::parse("test", TEXT, &[]).unwrap();
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
        // Without one of its tables, a species is written as a whole.
        scene.species[0].rules.remove(0);
        let all = overrides(TEXT, &scene).unwrap();
        assert!(all.iter().any(|text| text.starts_with("a={ count = 9, ")), "{all:?}");
        assert_eq!(Scene::parse("test", TEXT, &all).unwrap().species, scene.species);
        // Without its targets the list is empty.
        scene.targets.truncate(1);
        let all = overrides(TEXT, &scene).unwrap();
        assert!(all.iter().any(|text| text == "targets=[]"), "{all:?}");
        let made = |all: &[String]| Scene::parse("test", TEXT, all).unwrap().to_toml();
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
        let mut scene = Scene::parse("test", &text, &[]).unwrap();
        scene.targets[1] = Target::fixed("seed", flat(3.0, 4.0));
        let all = overrides(&text, &scene).unwrap();
        assert!(all.iter().any(|one| one.starts_with("targets=[{ name = \"seed\"")), "{all:?}");
        let again = Scene::parse("test", &text, &all).unwrap();
        assert_eq!(again.to_toml(), scene.to_toml());
    }

    #[test]
    fn a_scene_at_any_size_can_be_asked_for() {
        for built_in in built_in() {
            let mut scene = Scene::parse("test", built_in.text, &[]).unwrap();
            let request = Request { count: Some(300), ..Request::default() };
            scene.populate(&request).unwrap();
            let fixed = scene.fixed(300);
            let all = overrides(built_in.text, &fixed).unwrap();
            let again = Scene::parse("test", built_in.text, &all).unwrap();
            assert_eq!(again.to_toml(), fixed.to_toml(), "{}", built_in.name);
        }
    }
}
