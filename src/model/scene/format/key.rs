//! The declaration of a scene file's key. The keys of bodies and behaviours are
//! [`Parameter`]s.

use crate::parameter::Parameter;

/// Largest coordinate of anything; world units.
pub const MAX_POSITION: f32 = 1e7;

/// Largest radius of anything; world units.
pub const MAX_EXTENT: f32 = 1e6;

/// The keys of [`Values::Between`].
pub const ENDS: [&str; 2] = ["from", "to"];

/// The kind of value that a key takes.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// A string.
    Text,
    /// `true` or `false`.
    Boolean,
    /// A number between two bounds, both inclusive.
    Number(f32, f32),
    /// A whole number between two bounds, both inclusive.
    Whole(u64, u64),
    /// A number for each axis of the world, between two bounds, both inclusive.
    Point(f32, f32),
    /// A whole number for each axis of the world, between two bounds, both inclusive.
    WholeOnEach(u64, u64),
    /// A list of points.
    Points(f32, f32),
    /// A number between two bounds, both inclusive, or this word.
    NumberOr(f32, f32, &'static str),
    /// A table of two points, `from` and `to`.
    Between(f32, f32),
    /// One of these names.
    Choice(fn() -> Vec<&'static str>),
    /// One of these names, or another kind of value, described in words.
    NameOr(fn() -> Vec<&'static str>, &'static str),
    /// Tables with a section of their own, or another kind of value, described in words.
    Words(&'static str),
    /// A value of the key that the table replaces.
    OfTheKey,
}

/// A key of a scene file.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The written name.
    pub name: &'static str,
    /// The effect of the key, in one sentence.
    pub doc: &'static str,
    /// The default value, in words.
    pub default: &'static str,
    /// The unit, for documents.
    pub unit: &'static str,
    /// The values that it takes.
    pub values: Values,
}

/// A table of a scene file.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// The table's name in the file; empty for the top of the file.
    pub table: &'static str,
    /// Its description, from the doc comment.
    pub about: &'static [&'static str],
    /// Its keys, in the order of the documents.
    pub keys: &'static [Key],
}

impl Section {
    /// The key of this name.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }
}

impl Key {
    /// The key of a table that replaces a number, with the number's range and unit.
    #[must_use]
    pub fn for_parameter(&self, parameter: &Parameter) -> Self {
        match self.values {
            Values::OfTheKey => {
                let (low, high) = parameter.range;
                Self { values: Values::Number(low, high), unit: parameter.unit, ..*self }
            }
            _ => *self,
        }
    }

    /// The smallest and the largest of its numbers.
    #[must_use]
    pub fn bounds(&self) -> (f32, f32) {
        match self.values {
            Values::Number(low, high)
            | Values::Point(low, high)
            | Values::Points(low, high)
            | Values::NumberOr(low, high, _)
            | Values::Between(low, high) => (low, high),
            _ => (f32::MIN, f32::MAX),
        }
    }

    /// The smallest and the largest of its whole numbers.
    #[must_use]
    pub fn whole_bounds(&self) -> (u64, u64) {
        match self.values {
            Values::Whole(low, high) | Values::WholeOnEach(low, high) => (low, high),
            _ => (0, u64::MAX),
        }
    }

    /// The word that it takes instead of a number.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self.values {
            Values::NumberOr(.., word) => word,
            _ => "",
        }
    }

    /// The values that it takes, in words.
    #[must_use]
    pub fn range(&self) -> String {
        let (low, high) = self.bounds();
        let numbers = format!("{} to {}", short(low), short(high));
        let (least, most) = self.whole_bounds();
        let quoted = |names: Vec<&str>| -> String {
            let quoted: Vec<_> = names.iter().map(|name| format!("`\"{name}\"`")).collect();
            quoted.join(", ")
        };
        match self.values {
            Values::Text => "text".into(),
            Values::Boolean => "`true`, `false`".into(),
            Values::Number(..) => numbers,
            Values::Whole(..) => format!("{least} to {most}"),
            Values::Point(..) => format!("one per axis, {numbers}"),
            Values::WholeOnEach(..) => format!("one per axis, {least} to {most}"),
            Values::Points(..) => format!("points, {numbers}"),
            Values::NumberOr(.., word) => format!("{numbers}, `\"{word}\"`"),
            Values::Between(..) => format!("`{{ from, to }}`, points, {numbers}"),
            Values::Choice(names) => quoted(names()),
            Values::NameOr(names, words) => format!("{}, {words}", quoted(names())),
            Values::OfTheKey => "the key's".into(),
            Values::Words(words) => words.into(),
        }
    }
}

/// A number such as `0.05` or `1e18`: short, and valid TOML.
#[must_use]
pub fn short(value: f32) -> String {
    if value.abs() >= 1e5 { format!("{value:e}") } else { value.to_string() }
}

/// The names of `choices`.
pub(super) fn names<T>(choices: &[(&'static str, T)]) -> Vec<&'static str> {
    choices.iter().map(|(name, _)| *name).collect()
}
