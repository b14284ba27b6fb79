//! A scene file as a tree. Every value has its origin.

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::SECTIONS;
use crate::behaviours::Kind;
use crate::parameter::{Meaning, NO_TARGET};
use crate::quote::{cut, quoted};
use crate::scene::{Origin, SceneError, suggest};
use crate::toml_words::problem;

/// The word that removes a key.
const NONE: &str = "none";

/// A value of a scene file.
#[derive(Clone, Debug)]
pub enum Value {
    /// Integer or float.
    Number(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Node>),
    /// A table, in the order of the file.
    Table(Table),
}

/// Keys and values in the order of the file.
pub type Table = Vec<(String, Node)>;

/// A value and its origin.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Line of the file, or its `--set`.
    pub origin: Origin,
}

impl Value {
    /// The value in words, for messages.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Number(n) => n.to_string(),
            Self::Boolean(b) => b.to_string(),
            Self::Text(t) => quoted(t),
            Self::List(_) => "an array".into(),
            Self::Table(_) => "a table".into(),
        }
    }
}

impl Node {
    /// The origins of the keys below this one. In lists, only tables count.
    #[must_use]
    pub fn origins(&self) -> Vec<(String, Origin)> {
        let mut origins = Vec::new();
        self.add_origins("", &mut origins);
        origins
    }

    fn add_origins(&self, path: &str, origins: &mut Vec<(String, Origin)>) {
        let mut add = |key: &str, node: &Self| {
            let path = if path.is_empty() { key.into() } else { format!("{path}.{key}") };
            origins.push((path.clone(), node.origin.clone()));
            node.add_origins(&path, origins);
        };
        match &self.value {
            Value::Table(table) => table.iter().for_each(|(key, node)| add(key, node)),
            Value::List(list) => {
                let items = list.iter().enumerate();
                let tables = items.filter(|(_, node)| matches!(node.value, Value::Table(_)));
                tables.for_each(|(number, node)| add(&number.to_string(), node));
            }
            _ => {}
        }
    }
}

/// Turns byte offsets into lines.
struct LineEnds {
    file: Arc<str>,
    /// The offset of each line feed. Each value of a file asks for its line, so the text is searched
    /// once for all of them.
    feeds: Vec<usize>,
}

impl LineEnds {
    fn of(file: &str, text: &str) -> Self {
        Self { file: file.into(), feeds: text.match_indices('\n').map(|(at, _)| at).collect() }
    }

    fn origin(&self, span: &Range<usize>) -> Origin {
        let line = self.feeds.partition_point(|feed| *feed < span.start) + 1;
        Origin::Line { file: Arc::clone(&self.file), line }
    }

    fn node(&self, spanned: &Spanned<DeValue>) -> Result<Node, SceneError> {
        let origin = self.origin(&spanned.span());
        let number = |text: &str| -> Result<Value, SceneError> {
            text.replace('_', "").parse().map(Value::Number).map_err(|_| SceneError {
                origin: origin.clone(),
                key: String::new(),
                problem: format!("`{}` is not a decimal number", cut(text)),
            })
        };
        let value = match spanned.get_ref() {
            DeValue::Integer(i) if i.radix() == 10 => number(i.as_str())?,
            DeValue::Integer(i) => {
                let digits = i64::from_str_radix(&i.as_str().replace('_', ""), i.radix());
                digits.map(|whole| Value::Number(whole as f64)).map_err(|_| SceneError {
                    origin: origin.clone(),
                    key: String::new(),
                    problem: format!("`{}` is not a number", cut(&i.to_string())),
                })?
            }
            DeValue::Float(f) => number(f.as_str())?,
            DeValue::Boolean(b) => Value::Boolean(*b),
            DeValue::String(s) => Value::Text(s.to_string()),
            DeValue::Datetime(d) => Value::Text(d.to_string()),
            DeValue::Array(list) => {
                Value::List(list.iter().map(|v| self.node(v)).collect::<Result<_, _>>()?)
            }
            DeValue::Table(table) => Value::Table(self.table(table)?),
        };
        Ok(Node { value, origin })
    }

    fn table(&self, table: &DeTable) -> Result<Table, SceneError> {
        table
            .iter()
            .map(|(key, value)| Ok((key.get_ref().to_string(), self.node(value)?)))
            .collect()
    }

    fn error(&self, error: &toml::de::Error) -> SceneError {
        let origin = self.origin(&error.span().unwrap_or(0..0));
        SceneError { origin, key: String::new(), problem: problem(error.message()) }
    }
}

/// Parses the TOML `text` of `file`.
pub fn parse(file: &str, text: &str) -> Result<Node, SceneError> {
    let lines = LineEnds::of(file, text);
    let document = DeTable::parse(text).map_err(|e| lines.error(&e))?;
    let value = Value::Table(lines.table(document.get_ref())?);
    Ok(Node { value, origin: Origin::Line { file: lines.file, line: 1 } })
}

/// True if `none` is a value of the key at this path.
fn takes_none(path: &[&str]) -> bool {
    let Some((name, above)) = path.split_last() else { return false };
    if let Some(kind) = above.last().and_then(|key| Kind::from_key(key)) {
        let mut parameters = kind.info().parameters.iter().filter(|own| own.key == *name);
        return parameters.any(|own| own.meaning == Meaning::Target && own.default == NO_TARGET);
    }
    let mut keys = SECTIONS.iter().flat_map(|section| section.keys).filter(|key| key.name == *name);
    keys.any(|key| key.range().contains("`\"none\"`"))
}

/// Overrides one value: `assignment` is `path.to.key=VALUE`; VALUE is TOML or a bare word. The word
/// `none` removes the key, unless it is a value of that key.
///
/// The leading `species.` may be omitted, as in `starling.seek.weight`.
pub fn set(root: &mut Node, assignment: &str) -> Result<(), SceneError> {
    let origin = Origin::Set(assignment.into());
    let fail = |problem: &str| SceneError {
        origin: origin.clone(),
        key: String::new(),
        problem: problem.into(),
    };
    let Some((path, text)) = assignment.split_once('=') else {
        return Err(fail("write --set KEY=VALUE, such as --set starling.seek.weight=2"));
    };
    let keys: Vec<&str> = path.trim().split('.').collect();
    if keys.iter().any(|key| key.is_empty()) {
        return Err(fail(
            "the key has an empty part; write --set KEY=VALUE, such as --set \
             starling.seek.weight=2",
        ));
    }
    let text = text.trim();
    let bare = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
    let lines = LineEnds::of("", text);
    let mut node = match DeValue::parse(text) {
        Ok(value) => lines.node(&value)?,
        Err(_) if bare => Node { value: Value::Text(text.into()), origin: origin.clone() },
        Err(error) => return Err(fail(&problem(error.message()))),
    };
    set_origin(&mut node, &origin);
    let full = match child(root, "species").and_then(|species| child(species, keys[0])) {
        Some(_) => [&["species"], keys.as_slice()].concat(),
        None => keys,
    };
    let removes = text == NONE && !takes_none(&full);
    let done = if removes { remove(root, &full, 0, &origin) } else { place(root, &full, 0, node) };
    done.map_err(|(depth, problem)| SceneError { key: full[..depth].join("."), ..fail(&problem) })
}

fn set_origin(node: &mut Node, origin: &Origin) {
    node.origin = origin.clone();
    match &mut node.value {
        Value::List(list) => list.iter_mut().for_each(|n| set_origin(n, origin)),
        Value::Table(table) => table.iter_mut().for_each(|(_, n)| set_origin(n, origin)),
        _ => {}
    }
}

fn child<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
    match &node.value {
        Value::Table(table) => table.iter().find(|(k, _)| k == key).map(|(_, n)| n),
        _ => None,
    }
}

/// Takes the value at the path `keys` away; the first `depth` keys lead to `node`. Fails like [`place`].
fn remove(
    node: &mut Node,
    keys: &[&str],
    depth: usize,
    origin: &Origin,
) -> Result<(), (usize, String)> {
    let Some(key) = keys.get(depth) else { return Ok(()) };
    let below = match &mut node.value {
        Value::Table(table) => match table.iter().position(|(name, _)| name == key) {
            Some(index) if depth + 1 == keys.len() => {
                table.remove(index);
                return Ok(());
            }
            found => found.map(|index| &mut table[index].1),
        },
        Value::List(list) => match key.parse().ok().filter(|index| *index < list.len()) {
            Some(index) if depth + 1 == keys.len() => {
                list.remove(index);
                node.origin = origin.clone();
                return Ok(());
            }
            found => found.map(|index: usize| &mut list[index]),
        },
        _ => None,
    };
    if let Some(below) = below {
        return remove(below, keys, depth + 1, origin);
    }
    let problem = format!("there is no `{}` to remove", cut(key));
    Err((
        depth,
        match &node.value {
            Value::Table(table) if !table.is_empty() => {
                let names: Vec<&str> = table.iter().map(|(name, _)| name.as_str()).collect();
                format!("{problem}; {}", suggest(key, &names))
            }
            Value::List(list) if !list.is_empty() => {
                format!("{problem}; this list has the elements 0 to {}", list.len() - 1)
            }
            other => format!("{problem}; this is {} without keys", other.describe()),
        },
    ))
}

/// Puts `value` at the path `keys`; the first `depth` keys lead to `node`. If the keys name an
/// element that does not exist, returns the number of keys that lead to an existing value, and the
/// problem.
fn place(node: &mut Node, keys: &[&str], depth: usize, value: Node) -> Result<(), (usize, String)> {
    let Some(key) = keys.get(depth) else {
        *node = value;
        return Ok(());
    };
    let number = key.parse::<usize>().ok();
    let wrong = |problem: String| Err((depth, problem));
    let shown = cut(key);
    if let Value::List(list) = &mut node.value {
        let count = list.len();
        if let Some(item) = number.and_then(|number| list.get_mut(number)) {
            if depth + 1 == keys.len() {
                // A point with another number is the override's.
                node.origin = value.origin.clone();
            }
            return place(item, keys, depth + 1, value);
        }
        return wrong(match count {
            0 => format!("this list is empty and has no element `{shown}`; give the whole list"),
            _ if number.is_none() => format!(
                "this is a list; name an element, as in {}.0.{}",
                cut(&keys[..depth].join(".")),
                cut(&keys[depth..].join("."))
            ),
            1 => format!("this list has no element `{shown}`, only 0"),
            _ => format!("this list has no element `{shown}`, only 0 to {}", count - 1),
        });
    }
    // A number does not create a table, except under `species`, where any word is a name.
    if number.is_some() && depth > 0 && keys[..depth] != ["species"] && child(node, key).is_none() {
        return wrong(match &node.value {
            Value::Table(table) if table.is_empty() => format!(
                "the scene has none; give the whole list, as in --set '{}=[{{ … }}]'",
                cut(&keys[..depth].join("."))
            ),
            other => format!("this is {}, not a list with an element `{shown}`", other.describe()),
        });
    }
    if !matches!(node.value, Value::Table(_)) {
        // The path expects a table here; the reader then reports the unknown key or the wrong type.
        node.value = Value::Table(Vec::new());
        node.origin = value.origin.clone();
    }
    let Value::Table(table) = &mut node.value else { return Ok(()) };
    let index = table.iter().position(|(k, _)| k == key).unwrap_or_else(|| {
        let empty = Node { value: Value::Table(Vec::new()), origin: value.origin.clone() };
        table.push(((*key).to_string(), empty));
        table.len() - 1
    });
    place(&mut table[index].1, keys, depth + 1, value)
}

#[cfg(test)]
mod tests {
    use crate::scene::Scene;

    const TEXT: &str = "seed = 7\nabout = \"x\"\n[camera]\nfollow = \"centre\"\n[world]\nsize = [90, 60]\n\
                        [flow]\nkind = \"vortex\"\n[[targets]]\n[[targets]]\nname = \"b\"\n\
                        [species.a]\ncount = 9\n[species.a.seek]\nweight = 2\n[species.b]\n";

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
            // It is a value of this one.
            ("camera.follow", "\"centre\"", "\"none\""),
        ] {
            assert!(TEXT.contains(gone), "{gone}");
            let wanted = Scene::parse("test", &TEXT.replacen(gone, left, 1), &[]).unwrap();
            for none in ["none", " none "] {
                let found = Scene::parse("test", TEXT, &[format!("{key}={none}")]).unwrap();
                assert_eq!(found.to_toml(), wanted.to_toml(), "{key}");
            }
        }
        let text = Scene::parse("test", TEXT, &["about='none'".into()]).unwrap();
        assert_eq!(text.about, "none");
    }

    #[test]
    fn what_is_not_there_cannot_be_removed() {
        for (key, part) in [
            ("sed", "there is no `sed` to remove; did you mean `seed`?"),
            ("a.seek.target", "a.seek: there is no `target` to remove; known names are weight"),
            ("a.wander.turn", "species.a: there is no `wander` to remove"),
            ("targets.2", "there is no `2` to remove; this list has the elements 0 to 1"),
            ("targets.0.name", "there is no `name` to remove; this is a table without keys"),
            ("seed.x", "there is no `x` to remove; this is 7 without keys"),
        ] {
            let error = Scene::parse("test", TEXT, &[format!("{key}=none")]).unwrap_err();
            let message = error.to_string();
            assert!(message.starts_with("--set ") && message.contains(part), "{message}");
        }
    }
}
