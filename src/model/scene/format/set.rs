//! Overrides of single values of a scene file, as `--set` takes them.

use super::formula::{RANGE, RULES, VALUE};
use super::keys::SECTIONS;
use super::law::LAW;
use super::parse::is_a_key;
use super::tree::{Node, Value, parse_value};
use crate::behaviours::{Body, Kind};
use crate::formula::PARAMETERS;
use crate::parameter::{Meaning, NO_TARGET, Parameter, Parameters};
use crate::quote::{cut, listed, suggest};
use crate::scene::{Origin, SceneError};

/// The word that removes a key.
const NONE: &str = "none";

/// The form of an override.
const EXAMPLE: &str = "write --set KEY=VALUE, such as --set starling.seek.weight=2";

/// True if `none` is a value of the key at this path. The name of a species, a rule or a sum takes no values.
fn takes_none(path: &[&str]) -> bool {
    let own = |parameter: &Parameter| match parameter.meaning {
        Meaning::Choice(names) => names.contains(&NONE),
        Meaning::Target => parameter.default == NO_TARGET,
        _ => false,
    };
    let parameters = match *path {
        ["species", _, _] => <Body as Parameters<f32>>::TABLE,
        ["species", _, behaviour, _] => {
            Kind::from_key(behaviour).map_or(&[][..], |kind| kind.info().parameters)
        }
        [table, key] => {
            let mut sections = SECTIONS.iter().filter(|own| own.table == format!("[{table}]"));
            let key = sections.find_map(|section| section.key(key));
            return key.is_some_and(|key| key.range().contains("`\"none\"`"));
        }
        _ => return false,
    };
    parameters.iter().any(|parameter| path.last() == Some(&parameter.key) && own(parameter))
}

/// The pieces of a text, such as an override's key, between the signs `at` that stand outside quotes.
pub fn pieces(text: &str, at: char) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    text.split(move |sign| {
        is_quoted ^= sign == '"';
        sign == at && !is_quoted
    })
}

/// The key and the value of `KEY=VALUE`. A name in the key may be in quotes, and then has any signs but quotes.
#[must_use]
pub fn key_and_value(assignment: &str) -> Option<(&str, &str)> {
    let key = pieces(assignment, '=').next()?;
    Some((key, assignment.get(key.len() + 1..)?))
}

/// The parts of a key between its points; names are without their quotes.
pub fn key_parts(key: &str) -> impl Iterator<Item = &str> {
    pieces(key.trim(), '.')
        .map(|part| part.strip_prefix('"').and_then(|part| part.strip_suffix('"')).unwrap_or(part))
}

/// Overrides one value: `assignment` is `path.to.key=VALUE`; VALUE is TOML or a bare word. The word
/// `none` removes the key, unless it is a value of that key.
///
/// The leading `species.` may be omitted, as in `starling.seek.weight`. A name with a dot is in quotes.
pub fn set(root: &mut Node<Origin>, assignment: &str) -> Result<(), SceneError> {
    let origin = Origin::Set(assignment.into());
    let fail = |key: &str, problem: String| SceneError::new(&origin, key, problem);
    let (path, text) = key_and_value(assignment).ok_or_else(|| fail("", EXAMPLE.into()))?;
    let keys: Vec<&str> = key_parts(path).collect();
    if keys.iter().any(|key| key.is_empty()) {
        return Err(fail("", format!("the key has an empty part; {EXAMPLE}")));
    }
    let text = text.trim();
    let node = parse_value(text, &origin)?;
    let full = match root.value.get("species").and_then(|species| species.get(keys[0])) {
        Some(_) => [&["species"], keys.as_slice()].concat(),
        None => keys,
    };
    if full.len() > 1 && !is_a_key(full[0]) {
        let all = match root.value.get("species") {
            Some(Value::Table(all)) => all.iter().map(|(name, _)| name.as_str()).collect(),
            _ => Vec::new(),
        };
        let problem =
            format!("the scene has no such species or table; its species: {}", listed(&all));
        return Err(fail(full[0], problem));
    }
    let wanted = (text != NONE || takes_none(&full)).then_some(node);
    put(root, &full, 0, wanted, &origin)
        .map_err(|(depth, problem)| fail(&full[..depth].join("."), problem))
}

/// Puts `wanted` at the path `keys`, or takes away the value there; the first `depth` keys lead to
/// `node`. If the keys name an element that does not exist, returns the number of keys that lead to
/// an existing value, and the problem.
fn put(
    node: &mut Node<Origin>,
    keys: &[&str],
    depth: usize,
    wanted: Option<Node<Origin>>,
    origin: &Origin,
) -> Result<(), (usize, String)> {
    let key = keys[depth];
    let number = key.parse::<usize>().ok();
    let by_species = matches!(
        keys[..depth],
        ["species", _, RULES, _, PARAMETERS, _] | ["species", _, RULES, _, PARAMETERS, _, VALUE]
    );
    let is_there = match &node.value {
        Value::List(list) => number.is_some_and(|number| number < list.len()),
        value => value.get(key).is_some(),
    };
    if !is_there {
        let problem = match &wanted {
            None => Some(not_there(&node.value, key)),
            // A number creates no table, except where any word is the name of a species.
            Some(_) => match &node.value {
                Value::List(list) => Some(no_element(list.len(), keys, depth)),
                Value::Number(own) if by_species && !is_of_number(key) => {
                    let (path, key) = (keys[..depth].join("."), cut(key));
                    Some(format!(
                        "this is {own} for all species; give all of them, as in --set \
                         '{}={{ {key} = 1, OTHER = {own} }}'",
                        cut(&path)
                    ))
                }
                Value::Table(_) if by_species => None,
                _ if number.is_none() || depth == 0 || keys[..depth] == ["species"] => None,
                Value::Table(table) if table.is_empty() => Some(format!(
                    "the scene has none; give the whole list, as in --set '{}=[{}]'",
                    cut(&keys[..depth].join(".")),
                    if depth + 1 < keys.len() { "{ … }" } else { "…, …" }
                )),
                other => Some(format!(
                    "this is {}, not a list with an element `{}`",
                    other.describe(),
                    cut(key)
                )),
            },
        };
        if let Some(problem) = problem {
            return Err((depth, problem));
        }
    }
    let is_last = depth + 1 == keys.len();
    if !matches!(node.value, Value::Table(_) | Value::List(_)) {
        // The path expects a table here. A number goes on in it; the reader reports an unknown key or a wrong type.
        let table = Node { value: Value::Table(Vec::new()), note: origin.clone() };
        let own = std::mem::replace(node, table);
        if let (Value::Table(table), Some(kept)) = (&mut node.value, kept_as(key))
            && matches!(own.value, Value::Number(_))
        {
            table.push((kept.into(), own));
        }
    }
    let below = match &mut node.value {
        Value::List(list) => {
            let index = number.unwrap_or_default();
            if is_last {
                // A point with another number is the override's, and so is a shorter list.
                node.note = origin.clone();
                if wanted.is_none() {
                    list.remove(index);
                    return Ok(());
                }
            }
            &mut list[index]
        }
        Value::Table(table) => {
            let index = table.iter().position(|(name, _)| name == key);
            if wanted.is_none() && is_last {
                index.map(|index| table.remove(index));
                return Ok(());
            }
            let index = index.unwrap_or_else(|| {
                let empty = Node { value: Value::Table(Vec::new()), note: origin.clone() };
                table.push((key.into(), empty));
                table.len() - 1
            });
            &mut table[index].1
        }
        _ => return Ok(()),
    };
    match wanted {
        Some(wanted) if is_last => *below = wanted,
        wanted => put(below, keys, depth + 1, wanted, origin)?,
    }
    Ok(())
}

/// True for a key of a table that a number may be.
fn is_of_number(key: &str) -> bool {
    [VALUE, RANGE].contains(&key) || LAW.key(key).is_some()
}

/// The key of a number beside `key`, if an override of that one makes the number a table.
fn kept_as(key: &str) -> Option<&'static str> {
    match key {
        "amplitude" | "period" | "grows_with_size" | "shrinks_with_size" => Some("base"),
        "from" => Some("to"),
        RANGE => Some(VALUE),
        _ => None,
    }
}

/// The problem of `key`, which `value` lacks and which is to be taken away.
fn not_there(value: &Value<Origin>, key: &str) -> String {
    let rest = match value {
        Value::Table(table) if !table.is_empty() => {
            let names: Vec<&str> = table.iter().map(|(name, _)| name.as_str()).collect();
            suggest(key, &names)
        }
        Value::List(list) if !list.is_empty() => {
            format!("this list has the elements 0 to {}", list.len() - 1)
        }
        other => format!("this is {} without keys", other.describe()),
    };
    format!("there is no `{}` to remove; {rest}", cut(key))
}

/// The problem of a path whose first `depth` keys lead to a list of `count` elements without the next.
fn no_element(count: usize, keys: &[&str], depth: usize) -> String {
    let shown = cut(keys[depth]);
    match count {
        0 => format!("this list is empty and has no element `{shown}`; give the whole list"),
        _ if keys[depth].parse::<usize>().is_err() => format!(
            "this is a list; name an element by its number, as in {}",
            // A name in the place of the number, or nothing in it.
            cut(&[&keys[..depth], &["0"], &keys[(depth + 1).min(keys.len() - 1)..]]
                .concat()
                .join("."))
        ),
        1 => format!("this list has no element `{shown}`, only 0"),
        _ => format!("this list has no element `{shown}`, only 0 to {}", count - 1),
    }
}

#[cfg(test)]
mod tests {
    use crate::scene::Scene;

    const TEXT: &str = "seed = 7\nabout = \"x\"\n[camera]\nfollow = \"centre\"\n[world]\nsize = [90, 60]\n\
                        [flow]\nkind = \"vortex\"\n[[targets]]\n[[targets]]\nname = \"b\"\n\
                        [species.a]\ncount = 9\nlimit = \"sum\"\n[species.a.seek]\nweight = 2\n\
                        [species.b]\n[species.light]\nrules.follow.force = \"zero\"\n";

    #[test]
    fn the_word_none_removes_a_key_and_what_it_holds() {
        for (key, gone, left) in [
            ("seed", "seed = 7\n", ""),
            ("about", "about = \"x\"\n", ""),
            ("world", "[world]\nsize = [90, 60]\n", ""),
            ("world.size", "size = [90, 60]\n", ""),
            ("flow", "[flow]\nkind = \"vortex\"\n", ""),
            ("targets", "[[targets]]\n[[targets]]\nname = \"b\"\n", ""),
            ("targets.0", "[[targets]]\n[[targets]]", "[[targets]]"),
            ("targets.1.name", "name = \"b\"\n", ""),
            ("a.count", "count = 9\n", ""),
            ("a.seek.weight", "weight = 2\n", ""),
            ("species.a.seek", "[species.a.seek]\nweight = 2\n", ""),
            ("b", "[species.b]\n", ""),
            ("light", "[species.light]\nrules.follow.force = \"zero\"\n", ""),
            ("light.rules.follow", "rules.follow.force = \"zero\"\n", ""),
            // It is a value of these.
            ("camera.follow", "\"centre\"", "\"none\""),
            ("a.limit", "\"sum\"", "\"none\""),
        ] {
            assert!(TEXT.contains(gone), "{gone}");
            let wanted = Scene::parse("test", &TEXT.replacen(gone, left, 1)).unwrap();
            for none in ["none", " none "] {
                let found = Scene::parse_with("test", TEXT, &[format!("{key}={none}")]).unwrap();
                assert_eq!(found.to_toml(), wanted.to_toml(), "{key}");
            }
        }
        let text = Scene::parse_with("test", TEXT, &["about='none'"]).unwrap();
        assert_eq!(text.about, "none");
    }

    #[test]
    fn a_name_in_quotes_has_any_signs() {
        let text = "[species.\"a.b=c\"]\nseek = {}\n[species.d]\n";
        let sets = ["\"a.b=c\".count=9", "species.\"a.b=c\".seek=none", "\"d\".count=4"];
        let scene = Scene::parse_with("test", text, &sets).unwrap();
        assert_eq!((scene.species[0].count, scene.species[1].count), (9, 4));
        assert!(scene.species[0].rules.is_empty());
    }

    #[test]
    fn a_number_stays_when_it_begins_to_vary() {
        let text = "[species.a]\nmax_speed = 0.03\nrules.r = { force = \"zero\", parameters.k = 1 }\n\
                    [species.2]\nrules.r = { force = \"zero\", parameters.k = { a = 1 } }\n";
        for (set, written) in [
            ("a.max_speed.amplitude=0.01", "max_speed = { base = 0.03, amplitude = 0.01 }"),
            (
                "a.max_speed.shrinks_with_size=2",
                "max_speed = { base = 0.03, shrinks_with_size = 2 }",
            ),
            ("a.max_speed.from=0.01", "max_speed = { from = 0.01, to = 0.03 }"),
            ("a.rules.r.parameters.k.range=[0, 2]", "{ k = { value = 1, range = [0, 2] } }"),
            ("2.rules.r.parameters.k.2=3", "{ k = { a = 1, 2 = 3 } }"),
        ] {
            let scene = Scene::parse_with("test", text, &[set]).unwrap();
            assert!(scene.to_toml().contains(written), "{set}:\n{}", scene.to_toml());
        }
        let sets = ["a.rules.r.parameters.k.base=2", "a.rules.r.parameters.k.amplitude=1"];
        assert!(Scene::parse_with("test", text, &sets).is_ok());
        for species in ["a", "2"] {
            let set = format!("a.rules.r.parameters.k.{species}=3");
            let told = Scene::parse_with("test", text, &[set]).unwrap_err().to_string();
            let part = format!(
                "species.a.rules.r.parameters.k: this is 1 for all species; give all of them, as in \
                 --set 'species.a.rules.r.parameters.k={{ {species} = 1, OTHER = 1 }}'"
            );
            assert!(told.contains(&part), "{told}");
        }
    }

    #[test]
    fn what_is_not_there_cannot_be_removed() {
        for (key, part) in [
            ("sed", "there is no `sed` to remove; did you mean `seed`?"),
            ("a.seek.target", "a.seek: there is no `target` to remove; known names are weight"),
            ("a.wander.turn", "species.a: there is no `wander` to remove"),
            ("targets.2", "there is no `2` to remove; this list has the elements 0 to 1"),
            ("targets.0.name", "there is no `name` to remove; this is a table without keys"),
            ("fly.count", "fly: the scene has no such species or table; its species: a, b, light"),
            ("seed.x", "there is no `x` to remove; this is 7 without keys"),
        ] {
            let error = Scene::parse_with("test", TEXT, &[format!("{key}=none")]).unwrap_err();
            let message = error.to_string();
            assert!(message.starts_with("--set ") && message.contains(part), "{message}");
        }
    }
}
