//! Typed access to the tree of a scene file. Every error names the key, its origin and the allowed
//! values.

use super::key::{Key, Section};
use super::tree::{Node, Value};
use crate::quote::{hint, quoted, suggest};
use crate::scene::{Origin, SceneError};
use crate::vector::Point;

/// A value of the scene, with its path of keys.
#[derive(Clone)]
pub struct Reader<'a> {
    node: &'a Node<Origin>,
    path: String,
    /// Number of axes of the scene's world.
    axes: usize,
}

impl<'a> Reader<'a> {
    /// The root of a scene.
    #[must_use]
    pub fn new(node: &'a Node<Origin>) -> Self {
        let size = node.value.get("world").and_then(|world| world.get("size"));
        let is_space = matches!(size, Some(Value::List(sides)) if sides.len() == 3);
        Self { node, path: String::new(), axes: if is_space { 3 } else { 2 } }
    }

    /// Number of axes of the scene's world: 2 or 3.
    #[must_use]
    pub fn axes(&self) -> usize {
        self.axes
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> &'a Value<Origin> {
        &self.node.value
    }

    /// An error about this value.
    pub fn fail(&self, problem: impl Into<String>) -> SceneError {
        SceneError::new(&self.node.note, self.path.as_str(), problem)
    }

    /// An error about a name that no `kind` of thing has.
    pub fn unknown(&self, kind: &str, name: &str, known: &[&str]) -> SceneError {
        let help = suggest(name, known);
        self.fail(format!("no {kind} is called {}; {help}", quoted(name)))
    }

    /// An error about a value of another kind than the one that is wanted.
    pub fn wrong(&self, wanted: &str) -> SceneError {
        self.fail(format!("expected {wanted}, found {}", self.value().describe()))
    }

    /// One of two texts, for a plane and for a space.
    #[must_use]
    pub fn by_axes<T>(&self, plane: T, space: T) -> T {
        if self.axes == 2 { plane } else { space }
    }

    fn below(&self, key: impl std::fmt::Display, node: &'a Node<Origin>) -> Self {
        let path = match self.path.as_str() {
            "" => key.to_string(),
            path => format!("{path}.{key}"),
        };
        Self { node, path, axes: self.axes }
    }

    /// The entries of a table.
    pub fn entries(&self) -> Result<Vec<(&'a str, Self)>, SceneError> {
        match self.value() {
            Value::Table(table) => {
                Ok(table.iter().map(|(key, node)| (key.as_str(), self.below(key, node))).collect())
            }
            _ => Err(self.wrong("a table")),
        }
    }

    /// The value of a key, if this is a table that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Self> {
        let Value::Table(table) = self.value() else { return None };
        let (_, node) = table.iter().find(|(name, _)| name == key)?;
        Some(self.below(key, node))
    }

    /// The entries of a table. Fails if a key is not among `known`.
    pub fn known(&self, known: &[&str]) -> Result<Vec<(&'a str, Self)>, SceneError> {
        let entries = self.entries()?;
        match entries.iter().find(|(key, _)| !known.contains(key)) {
            Some((key, value)) => Err(value.fail(format!("unknown key; {}", suggest(key, known)))),
            None => Ok(entries),
        }
    }

    /// The entries of a table, with the declarations of their keys.
    pub fn section(&self, section: &Section) -> Result<Vec<(&'static Key, Self)>, SceneError> {
        let names: Vec<&str> = section.keys.iter().map(|key| key.name).collect();
        let entries = self.known(&names)?.into_iter();
        Ok(entries.filter_map(|(name, value)| Some((section.key(name)?, value))).collect())
    }

    /// The items of an array; any other value counts as an array of one.
    #[must_use]
    pub fn items(&self) -> Vec<Self> {
        match self.value() {
            Value::List(list) => {
                list.iter().enumerate().map(|(index, node)| self.below(index, node)).collect()
            }
            _ => vec![self.clone()],
        }
    }

    /// A string.
    pub fn text(&self) -> Result<&'a str, SceneError> {
        match self.value() {
            Value::Text(text) => Ok(text),
            _ => Err(self.wrong("a string")),
        }
    }

    /// One of a list of names.
    pub fn choice<T: Clone>(&self, choices: &[(&str, T)]) -> Result<T, SceneError> {
        self.choice_or(choices, "not one of", "", |_| None)
    }

    /// One of a list of names, or what `other` makes of another text. The message for all other texts
    /// begins with `is` and ends with `nor`.
    pub fn choice_or<T: Clone>(
        &self,
        choices: &[(&str, T)],
        is: &str,
        nor: &str,
        other: impl Fn(&str) -> Option<T>,
    ) -> Result<T, SceneError> {
        let text = self.text()?;
        let named = choices.iter().find(|(name, _)| *name == text);
        named.map(|(_, value)| value.clone()).or_else(|| other(text)).ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let hint = hint(text, names.iter().copied());
            self.fail(format!("{} is {is} {}{nor}{hint}", quoted(text), names.join(", ")))
        })
    }

    /// A finite number from `low` to `high`, both inclusive.
    pub fn number(&self, (low, high): (f32, f32), unit: &str) -> Result<f32, SceneError> {
        let Value::Number(number) = *self.value() else {
            return Err(self.wrong("a number"));
        };
        // Compared after rounding to `f32`, so that a bound written in decimals is allowed.
        if !(low..=high).contains(&(number as f32)) {
            let unit = match unit.strip_prefix("1/") {
                Some(per) => format!(" per {per}"),
                None if unit.is_empty() => String::new(),
                None => format!(" {unit}"),
            };
            // As a file would have them: 1e18 without its zeros.
            let shown = |own: Value<bool>| own.to_string();
            let number = if number.is_nan() { "NaN".into() } else { shown(Value::Number(number)) };
            let (low, high) = (shown(low.into()), shown(high.into()));
            return Err(self.fail(format!("{number} is outside {low} to {high}{unit}")));
        }
        Ok(number as f32)
    }

    /// A whole number from `low` to `high`, both inclusive.
    pub fn whole(&self, (low, high): (u64, u64)) -> Result<u64, SceneError> {
        match *self.value() {
            Value::Number(number) if number.fract() == 0.0 => {
                if number < low as f64 || number > high as f64 {
                    return Err(self.fail(format!("{number} is outside {low} to {high}")));
                }
                Ok(number as u64)
            }
            _ => Err(self.wrong("a whole number")),
        }
    }

    /// An array of numbers, one for each axis of the world, within the bounds of `key`.
    pub fn point(&self, key: &Key) -> Result<Point, SceneError> {
        match self.value() {
            Value::List(list) if list.len() == self.axes => {
                let mut point = Point::ZERO;
                for (axis, item) in self.items().iter().enumerate() {
                    point[axis] = item.number(key.bounds(), key.unit)?;
                }
                Ok(point)
            }
            Value::List(list) if list.len() == 3 => Err(self.fail(
                "expected an array of two numbers, found three: the world is a plane; give \
                 world.size three numbers too, or remove the third",
            )),
            Value::List(list) if list.len() == 2 => Err(self.fail(
                "expected an array of three numbers, found two: the world is a space, because \
                 world.size has three; add the z",
            )),
            _ if self.path == "world.size" => {
                Err(self.wrong("two numbers, such as [640, 360], or three for a space"))
            }
            _ => Err(self.wrong(self.by_axes(
                "an array of two numbers, such as [320, 180]",
                "an array of three numbers, such as [320, 180, 240]",
            ))),
        }
    }
}
