//! The fields behind the keys of a scene file, and how each is read and written.

use super::keys::{ENDS, Key, Section, Values};
use super::reader::Reader;
use crate::scene::{BoidShape, Light, SceneError, SpawnPlace};
use crate::scenery::FlowKind;
use crate::vector::Point;
use crate::world::Boundary;

/// The text or tables after a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Written {
    /// A value, as TOML text.
    Value(String),
    /// A table.
    Table(Form, Vec<Entry>),
    /// Tables of one name, such as `[[targets]]`.
    List(Vec<Vec<Entry>>),
}

/// The form of a new table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// On the line of its key: `{ from = 2, to = 4 }`.
    Inline,
    /// Below a heading: `[world]`.
    Headed,
    /// Without a heading of its own; the tables in it have headings, such as `[species.starling]`.
    Container,
}

/// A key with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Its value; `None` if the key must not be written.
    pub value: Option<Written>,
    /// The value in a file without the key.
    pub default: Option<Written>,
}

/// Two entries are equal if their keys and values are; the defaults do not matter.
impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.value == other.value
    }
}

impl Entry {
    /// A key that is always written.
    #[must_use]
    pub fn wanted(key: &str, value: Written) -> Self {
        Self { key: key.into(), value: Some(value), default: None }
    }

    /// True if a file means the same without the key.
    #[must_use]
    pub fn is_default(&self) -> bool {
        self.value == self.default
    }
}

/// A struct whose fields are the keys of a section. The macro `section!` implements it.
pub trait Fields {
    /// The section.
    const SECTION: &'static Section;

    /// Reads the value of one key into its field.
    fn read_key(&mut self, key: &Key, value: &Reader) -> Result<(), SceneError>;

    /// The value of each key, in the order of the section, in a world with this number of axes.
    fn write_keys(&self, axes: usize) -> Vec<(&'static str, Option<Written>)>;

    /// Reads the keys of a table, in the order of the file.
    fn read_table(&mut self, table: &Reader) -> Result<(), SceneError> {
        for (key, value) in table.section(Self::SECTION)? {
            self.read_key(key, &value)?;
        }
        Ok(())
    }

    /// The keys of the section with their values; `default` has the values of a file without them.
    fn entries(&self, default: &Self, axes: usize) -> Vec<Entry> {
        let both = self.write_keys(axes).into_iter().zip(default.write_keys(axes));
        both.map(|((key, value), (_, default))| Entry { key: key.into(), value, default }).collect()
    }
}

/// The type of a field: how its value is read and written.
pub trait Field: Sized {
    /// Reads the value of `key`.
    fn read(value: &Reader, key: &Key) -> Result<Self, SceneError>;

    /// The text after `key`; `None` if the key must not be written.
    fn write(&self, key: &Key) -> Option<Written>;
}

impl<T: Field> Field for Option<T> {
    fn read(value: &Reader, key: &Key) -> Result<Self, SceneError> {
        T::read(value, key).map(Some)
    }

    fn write(&self, key: &Key) -> Option<Written> {
        self.as_ref().and_then(|value| value.write(key))
    }
}

/// A number as TOML text that reads back to the same bits.
#[must_use]
pub fn number(value: f32) -> String {
    let size = value.abs();
    let text = if size >= 1e16 || (size > 0.0 && size < 1e-6) {
        format!("{value:e}")
    } else {
        value.to_string()
    };
    if !value.is_finite() {
        // No key allows it, but it is TOML.
        return text.to_lowercase();
    }
    // Parsers read digits as an `f64` first. Only one `f32`, 7.038531e-26, then needs more digits.
    let same = text.parse::<f64>().is_ok_and(|read| (read as f32).to_bits() == value.to_bits());
    if same { text } else { f64::from(value).to_string() }
}

/// A point of a world with this number of axes as TOML text.
#[must_use]
pub fn point_text(point: Point, axes: usize) -> String {
    format!(
        "[{}]",
        point.to_array()[..axes].iter().map(|one| number(*one)).collect::<Vec<_>>().join(", ")
    )
}

/// A string as TOML text.
#[must_use]
pub fn text(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

impl Field for f32 {
    fn read(value: &Reader, key: &Key) -> Result<Self, SceneError> {
        value.number_of(key)
    }

    fn write(&self, _: &Key) -> Option<Written> {
        Some(Written::Value(number(*self)))
    }
}

impl Field for u64 {
    fn read(value: &Reader, key: &Key) -> Result<Self, SceneError> {
        value.whole_of(key)
    }

    fn write(&self, _: &Key) -> Option<Written> {
        Some(Written::Value(self.to_string()))
    }
}

impl Field for u32 {
    fn read(value: &Reader, key: &Key) -> Result<Self, SceneError> {
        Ok(value.whole_of(key)? as Self)
    }

    fn write(&self, _: &Key) -> Option<Written> {
        Some(Written::Value(self.to_string()))
    }
}

impl Field for bool {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        value.boolean()
    }

    fn write(&self, _: &Key) -> Option<Written> {
        Some(Written::Value(self.to_string()))
    }
}

impl Field for String {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        Ok(value.text()?.into())
    }

    fn write(&self, _: &Key) -> Option<Written> {
        Some(Written::Value(text(self)))
    }
}

impl Field for Point {
    fn read(value: &Reader, key: &Key) -> Result<Self, SceneError> {
        value.point_of(key)
    }

    fn write(&self, key: &Key) -> Option<Written> {
        Some(Written::Value(point_text(*self, key.axes)))
    }
}

/// The most points on one line of a scene file; longer lists take several lines.
const POINTS_ON_A_LINE: usize = 6;

impl Field for Vec<Point> {
    fn read(value: &Reader, key: &Key) -> Result<Self, SceneError> {
        value.items().iter().map(|item| item.point_of(key)).collect()
    }

    fn write(&self, key: &Key) -> Option<Written> {
        let text = |point: &Point| point_text(*point, key.axes);
        let line = |points: &[Point]| points.iter().map(text).collect::<Vec<_>>().join(", ");
        let lines: Vec<String> = self.chunks(POINTS_ON_A_LINE).map(line).collect();
        Some(Written::Value(match &lines[..] {
            [] => "[]".into(),
            [line] => format!("[{line}]"),
            lines => format!("[\n    {},\n]", lines.join(",\n    ")),
        }))
    }
}

/// Columns and rows, and layers in space; zeros are not written.
impl Field for [u32; 3] {
    fn read(value: &Reader, key: &Key) -> Result<Self, SceneError> {
        let sides = value.items();
        if sides.len() != value.axes() {
            return Err(value.fail(if value.axes() == 2 {
                "give columns and rows, such as [32, 18]"
            } else {
                "give columns, rows and layers, such as [32, 18, 12]"
            }));
        }
        let mut all = [0; 3];
        for (number, side) in all.iter_mut().zip(sides) {
            *number = side.whole_of(key)? as u32;
        }
        Ok(all)
    }

    fn write(&self, key: &Key) -> Option<Written> {
        let sides: Vec<String> = self[..key.axes].iter().map(u32::to_string).collect();
        (*self != [0; 3]).then(|| Written::Value(format!("[{}]", sides.join(", "))))
    }
}

/// A number, or the word of the key that stands for none.
pub fn number_or_word(value: Option<f32>, key: &Key) -> Written {
    let word = match key.values {
        Values::NumberOr(.., word) => word,
        _ => "",
    };
    Written::Value(value.map_or_else(|| text(word), number))
}

/// A speed in world units per tick; `None` for the word that means the agent's own.
#[derive(Clone, Copy, Debug)]
pub struct Speed(pub Option<f32>);

impl Field for Speed {
    fn read(value: &Reader, key: &Key) -> Result<Self, SceneError> {
        value.number_or_word(key).map(Self)
    }

    fn write(&self, key: &Key) -> Option<Written> {
        Some(number_or_word(self.0, key))
    }
}

/// The two bounds that each component is drawn between.
#[derive(Clone, Copy, Debug)]
pub struct Between(pub Point, pub Point);

impl Field for Between {
    fn read(value: &Reader, key: &Key) -> Result<Self, SceneError> {
        let (from, to) = value.between_of(key)?;
        Ok(Self(from, to))
    }

    fn write(&self, key: &Key) -> Option<Written> {
        let ends = ENDS.iter().zip([self.0, self.1]);
        let text = |end| Written::Value(point_text(end, key.axes));
        let entries = ends.map(|(key, end)| Entry::wanted(key, text(end)));
        Some(Written::Table(Form::Inline, entries.collect()))
    }
}

/// The name of `value` among `choices`, as TOML text.
#[must_use]
pub fn name_of<T: PartialEq>(value: &T, choices: &[(&str, T)]) -> Option<String> {
    choices.iter().find(|(_, choice)| choice == value).map(|(name, _)| text(name))
}

macro_rules! choices {
    ($($type:ty),+) => { $(
        impl Field for $type {
            fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
                value.choice(&Self::NAMES)
            }

            fn write(&self, _: &Key) -> Option<Written> {
                name_of(self, &Self::NAMES).map(Written::Value)
            }
        }
    )+ };
}

choices!(Boundary, BoidShape, FlowKind, Light, SpawnPlace);
