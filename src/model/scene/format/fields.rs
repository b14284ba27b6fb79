//! The fields behind the keys of a scene file: how each is read and written.

use super::key::{ENDS, Key, Section};
use super::reader::Reader;
use super::tree::{Node, Table, Value};
use crate::grid::CrowdSampling;
use crate::scene::{BoidShape, Light, SceneError, SpawnPlace};
use crate::scenery::FlowKind;
use crate::vector::Point;
use crate::world::Boundary;

/// The type of a field.
pub trait Field: Sized {
    /// Reads the value of `key`.
    fn read(value: &Reader, key: &Key) -> Result<Self, SceneError>;

    /// The value of `key` in a world with this number of axes; `None` if the key must not be written.
    fn write(&self, key: &Key, axes: usize) -> Option<Value<bool>>;
}

/// A struct whose fields are the keys of a section. The macro `section!` implements it.
pub trait Fields: Sized {
    /// The section.
    const SECTION: &'static Section;

    /// The values in a file without the keys, in the table that follows `number` others.
    fn unwritten(number: usize) -> Self;

    /// Fails if the table `table`, which follows `others`, cannot have these values.
    fn check(&self, others: &[Self], table: &Reader) -> Result<(), SceneError>;

    /// Reads the value of one key into its field.
    fn read_key(&mut self, key: &Key, value: &Reader) -> Result<(), SceneError>;

    /// The value of one key.
    fn write_key(&self, key: &Key, axes: usize) -> Option<Value<bool>>;

    /// Reads a table, in the order of the file.
    fn read_table(table: &Reader, others: &[Self]) -> Result<Self, SceneError> {
        let mut own = Self::unwritten(others.len());
        for (key, value) in table.section(Self::SECTION)? {
            own.read_key(key, &value)?;
        }
        own.check(others, table)?;
        Ok(own)
    }

    /// The keys of the section with their values. Those are implied that `unwritten` has as well.
    fn table(&self, unwritten: &Self, axes: usize) -> Table<bool> {
        let entry = |key: &Key| {
            let value = self.write_key(key, axes)?;
            let note = unwritten.write_key(key, axes).as_ref() == Some(&value);
            Some((key.name.into(), Node { value, note }))
        };
        Self::SECTION.keys.iter().filter_map(entry).collect()
    }
}

/// Declares a section, and that its keys are the fields of a struct; `(unwritten, check)` are the
/// functions of [`Fields`]. With the word `struct`, the types of the fields and their values in a file
/// without them, it declares the struct, too; an attribute may stand in front.
macro_rules! section {
    (
        $(#[doc = $about:literal])+
        $name:ident $table:literal $(#[$more:meta])? struct $fields:ident ($check:expr) {
            $(
                $(#[doc = $doc:literal])+
                $key:ident: $type:ty = $value:expr, $values:expr => $default:literal, $unit:tt;
            )*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq)]
        $(#[$more])?
        pub struct $fields { $( $(#[doc = $doc])+ #[doc = unit!($unit)] pub $key: $type, )* }

        impl Default for $fields {
            fn default() -> Self {
                Self { $( $key: $value, )* }
            }
        }

        section! {
            $(#[doc = $about])+
            $name $table $fields (|_| Self::default(), $check) {
                $( $(#[doc = $doc])+ $key: $values => $default, $unit; )*
            }
        }
    };
    (
        $(#[doc = $about:literal])+
        $name:ident $table:literal $fields:ident ($unwritten:expr, $check:expr) {
            $( $(#[doc = $doc:literal])+ $key:ident: $values:expr => $default:literal, $unit:literal; )*
        }
    ) => {
        $(#[doc = $about])+
        pub const $name: Section = Section {
            table: $table,
            about: &[$($about),+],
            keys: &[ $( Key {
                name: stringify!($key),
                doc: concat!($($doc),+),
                default: $default,
                unit: $unit,
                values: $values,
            }, )* ],
        };

        impl Fields for $fields {
            const SECTION: &'static Section = &$name;

            fn unwritten(number: usize) -> Self {
                let unwritten: fn(usize) -> Self = $unwritten;
                unwritten(number)
            }

            fn check(&self, others: &[Self], table: &Reader) -> Result<(), SceneError> {
                let check: fn(&Self, &[Self], &Reader) -> Result<(), SceneError> = $check;
                check(self, others, table)
            }

            fn read_key(&mut self, key: &Key, value: &Reader) -> Result<(), SceneError> {
                match key.name {
                    $( stringify!($key) => self.$key = Field::read(value, key)?, )*
                    _ => {}
                }
                Ok(())
            }

            fn write_key(&self, key: &Key, axes: usize) -> Option<Value<bool>> {
                match key.name {
                    $( stringify!($key) => self.$key.write(key, axes), )*
                    _ => None,
                }
            }
        }
    };
}

/// The unit of a field, for its documentation.
macro_rules! unit {
    ("") => {
        ""
    };
    ($unit:literal) => {
        concat!("In ", $unit, ".")
    };
}

pub(super) use {section, unit};

/// The check of a table that can have any values of its keys.
pub fn any<T>(_: &T, _: &[T], _: &Reader) -> Result<(), SceneError> {
    Ok(())
}

/// A table.
impl<T: Fields> Field for T {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        Self::read_table(value, &[])
    }

    fn write(&self, _: &Key, axes: usize) -> Option<Value<bool>> {
        Some(Value::Table(self.table(&Self::unwritten(0), axes)))
    }
}

/// Tables of one name, such as `[[targets]]`. A single table counts as a list of one.
impl<T: Fields> Field for Vec<T> {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        let mut all = Self::new();
        for table in value.items() {
            all.push(T::read_table(&table, &all)?);
        }
        Ok(all)
    }

    fn write(&self, _: &Key, axes: usize) -> Option<Value<bool>> {
        let one = |(number, own): (usize, &T)| Value::Table(own.table(&T::unwritten(number), axes));
        (!self.is_empty()).then(|| Value::list(self.iter().enumerate().map(one)))
    }
}

impl<T: Field> Field for Option<T> {
    fn read(value: &Reader, key: &Key) -> Result<Self, SceneError> {
        T::read(value, key).map(Some)
    }

    fn write(&self, key: &Key, axes: usize) -> Option<Value<bool>> {
        self.as_ref().and_then(|value| value.write(key, axes))
    }
}

/// Implements [`Field`] for types with a value at any key: how they are read, and how written.
macro_rules! fields {
    ($( $type:ty: |$value:ident, $key:ident| $read:expr, |$own:ident, $axes:ident| $write:expr; )+) => { $(
        impl Field for $type {
            fn read($value: &Reader, $key: &Key) -> Result<Self, SceneError> {
                $read
            }

            fn write(&self, _: &Key, $axes: usize) -> Option<Value<bool>> {
                let $own = self;
                Some($write)
            }
        }
    )+ };
}

fields! {
    f32: |value, key| value.number(key.bounds(), key.unit), |own, _axes| (*own).into();
    u64: |value, key| value.whole(key.whole_bounds()), |own, _axes| Value::Number(*own as f64);
    u32: |value, key| Ok(value.whole(key.whole_bounds())? as Self),
        |own, _axes| Value::Number((*own).into());
    bool: |value, _key| match value.value() {
        Value::Boolean(boolean) => Ok(*boolean),
        _ => Err(value.wrong("true or false")),
    }, |own, _axes| Value::Boolean(*own);
    String: |value, _key| Ok(value.text()?.into()), |own, _axes| own.as_str().into();
    Point: |value, key| value.point(key), |own, axes| point(*own, axes);
    Vec<Point>: |value, key| value.items().iter().map(|item| item.point(key)).collect(),
        |own, axes| Value::list(own.iter().map(|own| point(*own, axes)));
}

fn point(point: Point, axes: usize) -> Value<bool> {
    Value::list(point.to_array()[..axes].iter().map(|one| (*one).into()))
}

/// A point of a world with this number of axes as TOML text.
#[must_use]
pub fn point_text(place: Point, axes: usize) -> String {
    point(place, axes).to_string()
}

/// Columns and rows, and layers in space; zeros are not written.
impl Field for [u32; 3] {
    fn read(value: &Reader, key: &Key) -> Result<Self, SceneError> {
        let sides = value.items();
        if sides.len() != value.axes() {
            return Err(value.fail(value.by_axes(
                "give columns and rows, such as [32, 18]",
                "give columns, rows and layers, such as [32, 18, 12]",
            )));
        }
        let mut all = [0; 3];
        for (number, side) in all.iter_mut().zip(sides) {
            *number = u32::read(&side, key)?;
        }
        Ok(all)
    }

    fn write(&self, _: &Key, axes: usize) -> Option<Value<bool>> {
        let sides = self[..axes].iter().map(|side| Value::Number((*side).into()));
        (*self != [0; 3]).then(|| Value::list(sides))
    }
}

/// A number, or the word of its key, which means `None`: an orbit stands still (`"none"`), an exposure is measured in
/// the first picture (`"measured"`), and agents start at the full speed of their species (`"max_speed"`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrWord(pub Option<f32>);

impl Field for OrWord {
    fn read(value: &Reader, key: &Key) -> Result<Self, SceneError> {
        match value.value() {
            Value::Number(_) => f32::read(value, key).map(|number| Self(Some(number))),
            Value::Text(text) if text == key.word() => Ok(Self(None)),
            _ => Err(value.wrong(&format!("a number or {:?}", key.word()))),
        }
    }

    fn write(&self, key: &Key, _: usize) -> Option<Value<bool>> {
        Some(self.0.map_or_else(|| key.word().into(), Into::into))
    }
}

/// The two bounds that each component is drawn between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Between(pub Point, pub Point);

impl Field for Between {
    fn read(value: &Reader, key: &Key) -> Result<Self, SceneError> {
        let mut ends = [None; 2];
        for (name, value) in value.known(&ENDS)? {
            ends[usize::from(name == ENDS[1])] = Some(value.point(key)?);
        }
        let [Some(from), Some(to)] = ends else {
            return Err(value.fail(value.by_axes(
                "give both ends, such as { from = [-1, -1], to = [1, 1] }",
                "give both ends, such as { from = [-1, -1, -1], to = [1, 1, 1] }",
            )));
        };
        if from.cmpgt(to).any() {
            return Err(value.fail(format!(
                "`from` is {} and `to` is {}: no component of `from` may be above that of \
                 `to`; exchange them",
                point_text(from, value.axes()),
                point_text(to, value.axes()),
            )));
        }
        Ok(Self(from, to))
    }

    fn write(&self, _: &Key, axes: usize) -> Option<Value<bool>> {
        Some(Value::table(ENDS.into_iter().zip([self.0, self.1].map(|end| point(end, axes)))))
    }
}

/// The name of `value` among `choices`.
#[must_use]
pub fn name_of<T: PartialEq>(value: &T, choices: &[(&str, T)]) -> Option<Value<bool>> {
    choices.iter().find(|(_, choice)| choice == value).map(|(name, _)| (*name).into())
}

macro_rules! choices {
    ($($type:ty),+) => { $(
        impl Field for $type {
            fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
                value.choice(&Self::NAMES)
            }

            fn write(&self, _: &Key, _: usize) -> Option<Value<bool>> {
                name_of(self, &Self::NAMES)
            }
        }
    )+ };
}

choices!(Boundary, CrowdSampling, BoidShape, FlowKind, Light, SpawnPlace);
