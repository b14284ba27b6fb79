//! A scene file as a tree of keys and values.

use std::fmt;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml_edit::Key;

use crate::quote::{cut, quoted};
use crate::scene::{Origin, SceneError};
use crate::toml_words::problem;

/// A value of a scene file. Values below it have notes.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<N> {
    /// Integer or float; an `f32` as the number with its shortest digits.
    Number(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Node<N>>),
    /// A table.
    Table(Table<N>),
}

/// Keys and values in the order of the file.
pub type Table<N> = Vec<(String, Node<N>)>;

/// A value and a note: its origin if it was read; if it is to be written, true if the file means the
/// same without it.
#[derive(Clone, Debug)]
pub struct Node<N> {
    /// The value.
    pub value: Value<N>,
    /// The note.
    pub note: N,
}

/// The values alone are compared.
impl<N: PartialEq> PartialEq for Node<N> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// The value of `key` in a table.
pub fn get<'a, N>(table: &'a Table<N>, key: &str) -> Option<&'a Value<N>> {
    table.iter().find(|(name, _)| name == key).map(|(_, node)| &node.value)
}

impl<N> Value<N> {
    /// The value of `key`, if this is a table that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Table(table) => get(table, key),
            _ => None,
        }
    }

    /// The tables of a list that has nothing else.
    pub fn tables(&self) -> Option<Vec<&Table<N>>> {
        let Self::List(list) = self else { return None };
        let tables = list.iter().map(|node| match &node.value {
            Self::Table(table) => Some(table),
            _ => None,
        });
        tables.collect::<Option<_>>().filter(|tables: &Vec<_>| !tables.is_empty())
    }

    /// The value in words, for messages.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Number(n) => n.to_string(),
            Self::Boolean(b) => b.to_string(),
            Self::Text(t) => quoted(t),
            Self::List(items) => format!("an array of {}", items.len()),
            Self::Table(_) => "a table".into(),
        }
    }
}

/// A value that is to be written in any case.
impl From<Value<bool>> for Node<bool> {
    fn from(value: Value<bool>) -> Self {
        Self { value, note: false }
    }
}

impl Value<bool> {
    /// A list of values that are to be written.
    pub fn list(values: impl IntoIterator<Item = Self>) -> Self {
        Self::List(values.into_iter().map(Node::from).collect())
    }

    /// A table of values that are to be written.
    pub fn table<K: Into<String>>(entries: impl IntoIterator<Item = (K, Self)>) -> Self {
        let stated = |(key, value): (K, Self)| (key.into(), Node::from(value));
        Self::Table(entries.into_iter().map(stated).collect())
    }

    /// The same value with everything stated that a file means anyway.
    #[must_use]
    pub fn stated(self) -> Self {
        let all = |node: Node<bool>| node.value.stated();
        match self {
            Self::List(list) => Self::list(list.into_iter().map(all)),
            Self::Table(table) => {
                Self::table(table.into_iter().map(|(key, node)| (key, all(node))))
            }
            value => value,
        }
    }
}

impl From<f32> for Value<bool> {
    fn from(value: f32) -> Self {
        // Parsers read digits as an `f64` first. Only one `f32`, 7.038531e-26, then needs more digits.
        let read = value.to_string().parse::<f64>();
        let same = |read: &f64| (*read as f32).to_bits() == value.to_bits();
        Self::Number(read.ok().filter(same).unwrap_or(value.into()))
    }
}

impl From<&str> for Value<bool> {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

/// A value as TOML on one line.
impl fmt::Display for Value<bool> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // No key allows it, but it is TOML.
            Self::Number(number) if !number.is_finite() => {
                f.write_str(&number.to_string().to_lowercase())
            }
            Self::Number(number) => match number.abs() {
                size if size >= 1e16 || size > 0.0 && size < 1e-6 => write!(f, "{number:e}"),
                _ => number.fmt(f),
            },
            Self::Boolean(boolean) => boolean.fmt(f),
            Self::Text(text) => toml_edit::Value::from(text).fmt(f),
            Self::List(list) => {
                let items: Vec<String> = list.iter().map(|node| node.value.to_string()).collect();
                write!(f, "[{}]", items.join(", "))
            }
            Self::Table(table) => {
                let stated = table.iter().filter(|(_, node)| !node.note);
                let pairs: Vec<String> = stated
                    .map(|(key, node)| format!("{} = {}", Key::new(key), node.value))
                    .collect();
                write!(f, "{{ {} }}", pairs.join(", "))
            }
        }
    }
}

/// A function from the offset of a value to its origin.
type Origins<'a> = &'a dyn Fn(usize) -> Origin;

fn node(spanned: &Spanned<DeValue>, origins: Origins) -> Result<Node<Origin>, SceneError> {
    let note = origins(spanned.span().start);
    let number = |number: Option<f64>, text: &str| {
        let fail = || SceneError::new(&note, "", format!("`{}` is not a number", cut(text)));
        number.map(Value::Number).ok_or_else(fail)
    };
    let value = match spanned.get_ref() {
        DeValue::Integer(i) if i.radix() != 10 => {
            let whole = i64::from_str_radix(i.as_str(), i.radix()).ok();
            number(whole.map(|whole| whole as f64), &i.to_string())?
        }
        DeValue::Integer(i) => number(i.as_str().parse().ok(), i.as_str())?,
        DeValue::Float(f) => number(f.as_str().parse().ok(), f.as_str())?,
        DeValue::Boolean(b) => Value::Boolean(*b),
        DeValue::String(s) => Value::Text(s.to_string()),
        DeValue::Datetime(d) => Value::Text(d.to_string()),
        DeValue::Array(list) => {
            Value::List(list.iter().map(|one| node(one, origins)).collect::<Result<_, _>>()?)
        }
        DeValue::Table(below) => Value::Table(table(below, origins)?),
    };
    Ok(Node { value, note })
}

fn table(table: &DeTable, origins: Origins) -> Result<Table<Origin>, SceneError> {
    table.iter().map(|(key, one)| Ok((key.get_ref().to_string(), node(one, origins)?))).collect()
}

/// Parses the TOML `text` of `file`.
pub fn parse(file: &str, text: &str) -> Result<Node<Origin>, SceneError> {
    let file: Arc<str> = file.into();
    // Each value of a file asks for its line, so the text is searched once for all of them.
    let feeds: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let origin = |at: usize| {
        let line = feeds.partition_point(|feed| *feed < at) + 1;
        Origin::Line { file: Arc::clone(&file), line }
    };
    let document = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        SceneError::new(&origin(at), "", problem(error.message()))
    })?;
    Ok(Node { value: Value::Table(table(document.get_ref(), &origin)?), note: origin(0) })
}

/// Parses the TOML value `text`, or a bare word or `#RRGGBB`, of an override.
pub fn parse_value(text: &str, origin: &Origin) -> Result<Node<Origin>, SceneError> {
    let word = text.strip_prefix('#').unwrap_or(text);
    let bare = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
    match DeValue::parse(text) {
        Ok(value) => node(&value, &|_| origin.clone()),
        Err(_) if bare => Ok(Node { value: Value::Text(text.into()), note: origin.clone() }),
        Err(error) => Err(SceneError::new(origin, "", problem(error.message()))),
    }
}

impl Value<Origin> {
    /// Adds the origins of the keys below this one, whose path is `path`. In lists, only tables count.
    pub fn add_origins(&self, path: &str, origins: &mut Vec<(String, Origin)>) {
        let mut add = |key: &str, node: &Node<Origin>| {
            let path = if path.is_empty() { key.into() } else { format!("{path}.{key}") };
            origins.push((path.clone(), node.note.clone()));
            node.value.add_origins(&path, origins);
        };
        match self {
            Self::Table(table) => table.iter().for_each(|(key, node)| add(key, node)),
            Self::List(list) => {
                let items = list.iter().enumerate();
                let tables = items.filter(|(_, node)| matches!(node.value, Self::Table(_)));
                tables.for_each(|(number, node)| add(&number.to_string(), node));
            }
            _ => {}
        }
    }
}
