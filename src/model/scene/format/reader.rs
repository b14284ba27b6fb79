//! Typed access to a scene's tree. Every error names the key, its origin and the allowed values.

use super::fields::point_text;
use super::keys::{ENDS, Key, Section, Values};
use super::tree::{Node, Value};
use crate::parameter::Parameter;
use crate::quote::quoted;
use crate::scene::{SceneError, hint, suggest};
use crate::vector::Point;

/// A value of the scene, with its path of keys.
#[derive(Clone)]
pub struct Reader<'a> {
    node: &'a Node,
    path: String,
    /// Number of axes of the scene's world.
    axes: usize,
}

impl<'a> Reader<'a> {
    /// The root of a scene.
    #[must_use]
    pub fn new(node: &'a Node) -> Self {
        let entry = |node: &'a Node, key: &str| match &node.value {
            Value::Table(table) => table.iter().find(|(name, _)| name == key).map(|(_, node)| node),
            _ => None,
        };
        let size = entry(node, "world").and_then(|world| entry(world, "size"));
        let is_space = size.is_some_and(|size| match &size.value {
            Value::List(sides) => sides.len() == 3,
            _ => false,
        });
        Self { node, path: String::new(), axes: if is_space { 3 } else { 2 } }
    }

    /// Number of axes of the scene's world: 2 or 3.
    #[must_use]
    pub fn axes(&self) -> usize {
        self.axes
    }

    /// An error about this value.
    pub fn fail(&self, problem: impl Into<String>) -> SceneError {
        SceneError {
            origin: self.node.origin.clone(),
            key: self.path.clone(),
            problem: problem.into(),
        }
    }

    fn wrong(&self, wanted: &str) -> SceneError {
        self.fail(format!("expected {wanted}, found {}", self.node.value.describe()))
    }

    /// The entries of a table.
    pub fn entries(&self) -> Result<Vec<(&'a str, Reader<'a>)>, SceneError> {
        let Value::Table(table) = &self.node.value else {
            return Err(self.wrong("a table"));
        };
        let axes = self.axes;
        let path = |key: &str| {
            if self.path.is_empty() { key.to_string() } else { format!("{}.{key}", self.path) }
        };
        Ok(table
            .iter()
            .map(|(key, node)| (key.as_str(), Reader { node, path: path(key), axes }))
            .collect())
    }

    /// The entries of a table. Fails if a key is not among `known`.
    pub fn known(&self, known: &[&str]) -> Result<Vec<(&'a str, Reader<'a>)>, SceneError> {
        let entries = self.entries()?;
        for (key, value) in &entries {
            if !known.contains(key) {
                return Err(value.fail(format!("unknown key; {}", suggest(key, known))));
            }
        }
        Ok(entries)
    }

    /// The entries of a table, with the declarations of their keys.
    pub fn section(
        &self,
        section: &Section,
    ) -> Result<Vec<(&'static Key, Reader<'a>)>, SceneError> {
        let names: Vec<&str> = section.keys.iter().map(|key| key.name).collect();
        let entries = self.known(&names)?.into_iter();
        Ok(entries.filter_map(|(name, value)| Some((section.key(name)?, value))).collect())
    }

    /// The number of a key.
    pub fn number_of(&self, key: &Key) -> Result<f32, SceneError> {
        match key.values {
            Values::Number(low, high) => self.number(low, high, key.unit),
            _ => Err(self.wrong("no number")),
        }
    }

    /// The number of a key; `None` if the key's word is written instead.
    pub fn number_or_word(&self, key: &Key) -> Result<Option<f32>, SceneError> {
        match (key.values, &self.node.value) {
            (Values::NumberOr(low, high, _), Value::Number(_)) => {
                self.number(low, high, key.unit).map(Some)
            }
            (Values::NumberOr(.., word), Value::Text(text)) if text == word => Ok(None),
            (Values::NumberOr(.., word), _) => Err(self.wrong(&format!("a number or {word:?}"))),
            _ => Err(self.wrong("no number")),
        }
    }

    /// The two points of a key, `from` and `to`. Fails if a component of `from` is larger than that
    /// of `to`.
    pub fn between_of(&self, key: &Key) -> Result<(Point, Point), SceneError> {
        let Values::Between(low, high) = key.values else {
            return Err(self.wrong("no pair of points"));
        };
        let (mut from, mut to) = (None, None);
        for (name, value) in self.known(&ENDS)? {
            let point = value.point_in(low, high, key.unit)?;
            *(if name == ENDS[0] { &mut from } else { &mut to }) = Some(point);
        }
        let (Some(from), Some(to)) = (from, to) else {
            return Err(self.fail(if self.axes == 2 {
                "give both ends, such as { from = [-1, -1], to = [1, 1] }"
            } else {
                "give both ends, such as { from = [-1, -1, -1], to = [1, 1, 1] }"
            }));
        };
        if from.cmpgt(to).any() {
            return Err(self.fail(format!(
                "`from` is {} and `to` is {}: no component of `from` may be above that of \
                 `to`; exchange them",
                point_text(from, self.axes),
                point_text(to, self.axes),
            )));
        }
        Ok((from, to))
    }

    /// The whole number of a key.
    pub fn whole_of(&self, key: &Key) -> Result<u64, SceneError> {
        match key.values {
            Values::Whole(low, high) | Values::WholeOnEach(low, high) => self.whole(low, high),
            _ => Err(self.wrong("no whole number")),
        }
    }

    /// The point of a key, or one of its points.
    pub fn point_of(&self, key: &Key) -> Result<Point, SceneError> {
        match key.values {
            Values::Point(low, high) | Values::Points(low, high) => self.point(low, high),
            _ => Err(self.wrong("no point")),
        }
    }

    /// The items of an array; a single table counts as an array of one.
    #[must_use]
    pub fn items(&self) -> Vec<Reader<'a>> {
        match &self.node.value {
            Value::List(list) => list
                .iter()
                .enumerate()
                .map(|(i, node)| Reader {
                    node,
                    path: format!("{}.{i}", self.path),
                    axes: self.axes,
                })
                .collect(),
            _ => vec![self.clone()],
        }
    }

    /// `true` or `false`.
    pub fn boolean(&self) -> Result<bool, SceneError> {
        match self.node.value {
            Value::Boolean(boolean) => Ok(boolean),
            _ => Err(self.wrong("true or false")),
        }
    }

    /// True for an array.
    #[must_use]
    pub fn is_list(&self) -> bool {
        matches!(self.node.value, Value::List(_))
    }

    /// True for a number.
    #[must_use]
    pub fn is_number(&self) -> bool {
        matches!(self.node.value, Value::Number(_))
    }

    /// True for a table.
    #[must_use]
    pub fn is_table(&self) -> bool {
        matches!(self.node.value, Value::Table(_))
    }

    /// A string.
    pub fn text(&self) -> Result<&'a str, SceneError> {
        match &self.node.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.wrong("a string")),
        }
    }

    /// One of a list of names.
    pub fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, SceneError> {
        let text = self.text()?;
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        choices.iter().find(|(name, _)| *name == text).map(|(_, value)| *value).ok_or_else(|| {
            let hint = hint(text, names.iter().copied());
            self.fail(format!("{} is not one of {}{hint}", quoted(text), names.join(", ")))
        })
    }

    /// A finite number from `low` to `high`, both inclusive.
    pub fn number(&self, low: f32, high: f32, unit: &str) -> Result<f32, SceneError> {
        let Value::Number(number) = self.node.value else {
            return Err(self.wrong("a number"));
        };
        // Compared after rounding to `f32`, so that a bound written in decimals is allowed.
        if !(low..=high).contains(&(number as f32)) {
            let space = if unit.is_empty() { "" } else { " " };
            return Err(self.fail(format!("{number} is outside {low} to {high}{space}{unit}")));
        }
        Ok(number as f32)
    }

    /// A whole number from `low` to `high`, both inclusive.
    pub fn whole(&self, low: u64, high: u64) -> Result<u64, SceneError> {
        match self.node.value {
            Value::Number(number) if number.fract() == 0.0 => {
                if number < low as f64 || number > high as f64 {
                    return Err(self.fail(format!("{number} is outside {low} to {high}")));
                }
                Ok(number as u64)
            }
            _ => Err(self.wrong("a whole number")),
        }
    }

    /// The value of a [`Parameter`] that is a number.
    pub fn parameter(&self, parameter: &Parameter) -> Result<f32, SceneError> {
        self.number(parameter.range.0, parameter.range.1, parameter.unit)
    }

    /// An array of numbers from `low` to `high`, one for each axis of the world.
    pub fn point(&self, low: f32, high: f32) -> Result<Point, SceneError> {
        self.point_in(low, high, "world units")
    }

    /// The same in another unit.
    fn point_in(&self, low: f32, high: f32, unit: &str) -> Result<Point, SceneError> {
        match &self.node.value {
            Value::List(list) if list.len() == self.axes => {
                let mut point = Point::ZERO;
                for (axis, item) in self.items().iter().enumerate() {
                    point[axis] = item.number(low, high, unit)?;
                }
                Ok(point)
            }
            Value::List(list) if list.len() == 3 => Err(self.fail(
                "expected an array of two numbers, found three: the world is a plane; give \
                 world.size three numbers too, or remove the third",
            )),
            Value::List(list) if list.len() == 2 && self.axes == 3 => Err(self.fail(
                "expected an array of three numbers, found two: the world is a space, because \
                 world.size has three; add the z",
            )),
            _ if self.path == "world.size" => {
                Err(self.wrong("two numbers, such as [640, 360], or three for a space"))
            }
            _ if self.axes == 3 => {
                Err(self.wrong("an array of three numbers, such as [320, 180, 240]"))
            }
            _ => Err(self.wrong("an array of two numbers, such as [320, 180]")),
        }
    }
}
