//! Writes a scene's keys into TOML: a new document, or an edit that keeps comments and layout.

use toml_edit::{
    ArrayOfTables, DocumentMut, InlineTable, Item, RawString, Table, TableLike, Value,
};

use super::fields::{Entry, Form, Written};
use super::tables::SpeciesTables;
use super::{arrange, write};
use crate::scene::{Origin, Scene, SceneError};
use crate::toml_words::problem;

/// A new document with `entries`, without those that have their defaults.
#[must_use]
pub fn document(entries: &[Entry]) -> String {
    let mut document = DocumentMut::new();
    write_keys(document.as_table_mut(), entries, &[]);
    document.to_string()
}

/// The scene file `text`, changed so that it describes `scene`. Comments, order and layout stay,
/// and so do all values that have not changed.
///
/// A new key is added to its table; a key that is back at its default is written with it. Text that
/// belongs to removed parts of the scene is removed with its comments. Behaviours whose order has
/// changed are written as separate tables. Fails if `text` is not a scene file, or if no file can
/// describe `scene` because a value is out of range.
pub fn edit_toml(text: &str, scene: &Scene) -> Result<String, SceneError> {
    let entries_of = |text: &str| Ok(write::entries(&Scene::parse(&scene.name, text, &[])?));
    let (before, wanted) = (entries_of(text)?, write::entries(scene));
    if before == wanted {
        return Ok(text.into());
    }
    let fail = |key: String, problem: String| SceneError {
        origin: Origin::Line { file: scene.name.as_str().into(), line: 1 },
        key,
        problem,
    };
    // The library's own lines end with a line feed only.
    let returns = text.contains("\r\n");
    let plain = text.replace("\r\n", "\n");
    let parsed = plain.parse();
    let mut document: DocumentMut = parsed
        .map_err(|error: toml_edit::TomlError| fail(String::new(), problem(error.message())))?;
    let root = document.as_table_mut();
    write_keys(root, &wanted, &before);
    // New tables of the top level come before the species.
    if let Some((key, species)) = root.remove_entry(SpeciesTables::KEY) {
        root.insert_formatted(&key, species);
    }
    arrange::arrange(root, &wanted);
    let mut edited = document.to_string();
    if returns {
        edited = edited.replace('\n', "\r\n");
    }
    match difference(&entries_of(&edited)?, &wanted) {
        None => Ok(edited),
        Some(key) => Err(fail(key, "a scene file cannot describe this value".into())),
    }
}

/// The first key with different values.
pub fn difference(one: &[Entry], other: &[Entry]) -> Option<String> {
    let keys = one.iter().chain(other).map(|entry| entry.key.as_str());
    let value = |all: &[Entry], key: &str| {
        all.iter().find(|entry| entry.key == key).and_then(|entry| entry.value.clone())
    };
    for key in keys {
        match (value(one, key), value(other, key)) {
            (Some(Written::Table(_, one)), Some(Written::Table(_, other))) => {
                if let Some(below) = difference(&one, &other) {
                    return Some(format!("{key}.{below}"));
                }
            }
            (one, other) if one != other => return Some(key.into()),
            _ => {}
        }
    }
    let order = |all: &[Entry]| all.iter().map(|entry| entry.key.clone()).collect::<Vec<_>>();
    (order(one) != order(other)).then(|| "the order of its keys".into())
}

/// Changes `table`, which has the entries `before`, so that it has those `wanted`.
fn write_keys(table: &mut dyn TableLike, wanted: &[Entry], before: &[Entry]) {
    let has = |key: &str| wanted.iter().any(|entry| entry.key == key && entry.value.is_some());
    let keys = table.iter().map(|(key, _)| key.to_string());
    let stale: Vec<String> = keys.filter(|key| !has(key)).collect();
    for key in stale {
        table.remove(&key);
    }
    for entry in wanted {
        let Some(value) = &entry.value else { continue };
        let old = before.iter().find(|old| old.key == entry.key);
        match table.get_mut(&entry.key) {
            Some(item) => rewrite(item, value, old.and_then(|old| old.value.as_ref())),
            None if entry.is_default() => {}
            None => {
                table.insert(&entry.key, new(value));
            }
        }
    }
}

/// The item of a new key.
fn new(value: &Written) -> Item {
    match value {
        // Text that is not TOML becomes a string, which the reader refuses.
        Written::Value(text) => {
            Item::Value(text.parse().unwrap_or_else(|_| Value::from(text.as_str())))
        }
        Written::Table(Form::Inline, entries) => {
            let mut table = InlineTable::new();
            write_keys(&mut table, entries, &[]);
            Item::Value(table.into())
        }
        Written::Table(form, entries) => {
            let mut table = new_table(entries);
            table.set_implicit(*form == Form::Container);
            Item::Table(table)
        }
        Written::List(tables) => {
            let mut list = ArrayOfTables::new();
            tables.iter().for_each(|entries| list.push(new_table(entries)));
            Item::ArrayOfTables(list)
        }
    }
}

fn new_table(entries: &[Entry]) -> Table {
    let mut table = Table::new();
    write_keys(&mut table, entries, &[]);
    table
}

/// Changes `item`, which has the value `old`, so that it has `value`.
fn rewrite(item: &mut Item, value: &Written, old: Option<&Written>) {
    match value {
        Written::Value(_) if old == Some(value) => {}
        Written::Value(_) => replace(item, new(value)),
        Written::Table(_, wanted) => {
            let before = match old {
                Some(Written::Table(_, before)) => &before[..],
                _ => &[],
            };
            match item {
                Item::Table(table) => write_keys(table, wanted, before),
                Item::Value(Value::InlineTable(table)) => rewrite_inline(table, wanted, before),
                _ => replace(item, new(value)),
            }
        }
        Written::List(wanted) => {
            let before = match old {
                Some(Written::List(before)) => &before[..],
                _ => &[],
            };
            rewrite_list(item, value, wanted, before);
        }
    }
}

fn rewrite_inline(table: &mut InlineTable, wanted: &[Entry], before: &[Entry]) {
    let keys =
        |table: &InlineTable| table.iter().map(|(key, _)| key.into()).collect::<Vec<String>>();
    let keys_before = keys(table);
    write_keys(table, wanted, before);
    // A first or last key has other spaces around it than a middle one.
    if keys(table) != keys_before && !table.to_string().contains('\n') {
        table.fmt();
    }
}

/// Changes a list of tables into the list `wanted`. Tables that stay keep their text.
fn rewrite_list(item: &mut Item, value: &Written, wanted: &[Vec<Entry>], before: &[Vec<Entry>]) {
    let pairs = wanted.iter().zip(matches(wanted, before));
    match item {
        Item::ArrayOfTables(list) => {
            let old: Vec<Table> = list.iter().cloned().collect();
            list.clear();
            for (entries, from) in pairs {
                let kept = from.and_then(|i| Some((old.get(i)?.clone(), &before[i])));
                list.push(kept.map_or_else(
                    || new_table(entries),
                    |(mut table, before)| {
                        write_keys(&mut table, entries, before);
                        table
                    },
                ));
            }
        }
        Item::Value(Value::Array(list)) => {
            let old: Vec<Value> = list.iter().cloned().collect();
            list.clear();
            for (entries, from) in pairs {
                let kept = from.and_then(|i| match old.get(i)? {
                    Value::InlineTable(table) => Some((table.clone(), &before[i])),
                    _ => None,
                });
                let (mut table, before) =
                    kept.unwrap_or((InlineTable::new(), const { &Vec::new() }));
                rewrite_inline(&mut table, entries, before);
                list.push_formatted(table.into());
            }
        }
        // A single table counts as a list of one.
        Item::Table(table) if wanted.len() == 1 && before.len() == 1 => {
            write_keys(table, &wanted[0], &before[0]);
        }
        Item::Value(Value::InlineTable(table)) if wanted.len() == 1 && before.len() == 1 => {
            rewrite_inline(table, &wanted[0], &before[0]);
        }
        _ => replace(item, new(value)),
    }
}

/// For each table in `wanted`, the table in `before` that it comes from. If their numbers differ,
/// equal tables at the beginning and at the end are paired.
fn matches(wanted: &[Vec<Entry>], before: &[Vec<Entry>]) -> Vec<Option<usize>> {
    let (new, old) = (wanted.len(), before.len());
    let alike = |pairs: &mut dyn Iterator<Item = (&Vec<Entry>, &Vec<Entry>)>| {
        pairs.take_while(|(one, other)| one == other).count()
    };
    let first = alike(&mut wanted.iter().zip(before));
    let last = alike(&mut wanted.iter().rev().zip(before.iter().rev())).min(new.min(old) - first);
    let one = |i: usize| match i {
        _ if i >= new - last => Some(i + old - new),
        _ if i < old - last => Some(i),
        _ => None,
    };
    (0..new).map(one).collect()
}

/// Replaces `item` by `new`, and keeps its comment.
fn replace(item: &mut Item, new: Item) {
    let old = std::mem::replace(item, new);
    let (Item::Value(old), Item::Value(new)) = (old, item) else { return };
    let mut decor = old.decor().clone();
    let length = |value: &Value| value.to_string().trim().chars().count();
    // A comment stays in its column if possible.
    let suffix = decor.suffix().and_then(RawString::as_str).unwrap_or_default();
    let comment = suffix.trim_start();
    let spaces = suffix.len() - comment.len();
    if comment.starts_with('#') && spaces > 1 {
        let mut bare = old.clone();
        bare.decor_mut().clear();
        let end = length(&bare) + spaces;
        let spaces = end.saturating_sub(length(new)).max(1);
        let aligned = format!("{:spaces$}{comment}", "");
        decor.set_suffix(aligned);
    }
    *new.decor_mut() = decor;
}
