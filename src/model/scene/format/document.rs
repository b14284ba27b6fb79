//! The keys of a scene in a TOML document: a new one, or one that keeps its comments and its layout.

use toml_edit::{
    DocumentMut, InlineTable, Item, RawString, Table as TomlTable, TableLike, Value as TomlValue,
};

use super::formula::{RULES, is_rule};
use super::keys::SpeciesTables;
use super::tree::{Node, Table, Value, get};
use crate::behaviours::Kind;

/// A new document with `wanted`, without keys that are implied.
#[must_use]
pub fn document(wanted: &Table<bool>) -> String {
    let mut document = DocumentMut::new();
    write_keys(document.as_table_mut(), wanted, &Table::new(), 0);
    document.to_string()
}

/// Changes the document `root`, which has the keys `before`, so that it has those `wanted`.
pub fn write_document(root: &mut TomlTable, wanted: &Table<bool>, before: &Table<bool>) {
    write_keys(root, wanted, before, 0);
    // New tables of the top level come before the species.
    if let Some((key, species)) = root.remove_entry(SpeciesTables::KEY) {
        root.insert_formatted(&key, species);
    }
    arrange(root, wanted);
}

/// Deeper than any table with a heading.
const INLINE: usize = 4;

/// True if the value of a key, below `level` others, is a table with a heading of its own, such as
/// `[world]`, `[species.bird.seek]` or `[species.bird.rules.swirl]`. Other tables are on the line of their key.
fn is_headed(key: &str, node: &Node<bool>, level: usize) -> bool {
    let Value::Table(table) = &node.value else { return false };
    match level {
        0 | 1 => true,
        2 => key == RULES || Kind::from_key(key).is_some(),
        _ => level == 3 && is_rule(table),
    }
}

/// Changes `table`, whose keys are below `level` others, from `before` to `wanted`.
fn write_keys(table: &mut dyn TableLike, wanted: &Table<bool>, before: &Table<bool>, level: usize) {
    let keys = table.iter().map(|(key, _)| key.to_string());
    let stale: Vec<String> = keys.filter(|key| get(wanted, key).is_none()).collect();
    for key in stale {
        table.remove(&key);
    }
    for (key, node) in wanted {
        match table.get_mut(key) {
            Some(item) => rewrite(item, key, node, get(before, key), level),
            None if node.note => {}
            None => {
                table.insert(key, new(key, node, level));
            }
        }
    }
}

/// The item of a new key.
fn new(key: &str, node: &Node<bool>, level: usize) -> Item {
    match &node.value {
        Value::Table(wanted) if is_headed(key, node, level) => {
            let mut table = new_table(wanted, level + 1);
            let holds_tables =
                level == 0 && key == SpeciesTables::KEY || level == 2 && key == RULES;
            table.set_implicit(holds_tables);
            Item::Table(table)
        }
        value => match value.tables() {
            Some(tables) => {
                let tables = tables.into_iter().map(|table| new_table(table, INLINE));
                Item::ArrayOfTables(tables.collect())
            }
            None => Item::Value(new_value(value)),
        },
    }
}

/// The most points on one line of a scene file; longer lists take several lines.
const MAX_POINTS_ON_A_LINE: usize = 6;

fn new_value(value: &Value<bool>) -> TomlValue {
    let mut text = value.to_string();
    if let Value::List(points) = value
        && points.len() > MAX_POINTS_ON_A_LINE
        && points.iter().all(|point| matches!(point.value, Value::List(_)))
    {
        let texts: Vec<String> = points.iter().map(|point| point.value.to_string()).collect();
        let lines: Vec<String> =
            texts.chunks(MAX_POINTS_ON_A_LINE).map(|line| line.join(", ")).collect();
        text = format!("[\n    {},\n]", lines.join(",\n    "));
    }
    // Text that is not TOML becomes a string, which the reader refuses.
    let mut parsed = text.parse().unwrap_or_else(|_| TomlValue::from(text));
    if let Some(table) = parsed.as_inline_table_mut() {
        table.fmt();
    }
    parsed
}

fn new_table(wanted: &Table<bool>, level: usize) -> TomlTable {
    let mut table = TomlTable::new();
    write_keys(&mut table, wanted, &Table::new(), level);
    table
}

/// Changes the item of a key, which has the value `old`.
fn rewrite(item: &mut Item, key: &str, node: &Node<bool>, old: Option<&Value<bool>>, level: usize) {
    let is_changed = match (&node.value, node.value.tables()) {
        (Value::Table(wanted), _) => {
            let before = match old {
                Some(Value::Table(before)) => before,
                _ => &Table::new(),
            };
            rewrite_table(item, wanted, before, level + 1)
        }
        (_, Some(wanted)) => {
            rewrite_list(item, &wanted, &old.and_then(Value::tables).unwrap_or_default())
        }
        (value, None) => old == Some(value),
    };
    if !is_changed {
        replace(item, new(key, node, level));
    }
}

/// Changes a table. Returns false if `item` is none.
fn rewrite_table(
    item: &mut Item,
    wanted: &Table<bool>,
    before: &Table<bool>,
    level: usize,
) -> bool {
    let Some(table) = item.as_table_like_mut() else { return false };
    let keys = |table: &dyn TableLike| table.iter().map(|(key, _)| key.into()).collect();
    let keys_before: Vec<String> = keys(table);
    write_keys(table, wanted, before, level);
    let are_new = keys_before != keys(table);
    // A first or last key has other spaces around it than a middle one.
    if let Some(table) = item.as_inline_table_mut().filter(|_| are_new)
        && !table.to_string().contains('\n')
    {
        table.fmt();
    }
    true
}

/// Changes a list of tables; those that stay keep their text. Returns false if `item` is no such list.
fn rewrite_list(item: &mut Item, wanted: &[&Table<bool>], before: &[&Table<bool>]) -> bool {
    // A single table counts as a list of one.
    if let ([wanted], [before]) = (wanted, before)
        && item.is_table_like()
    {
        return rewrite_table(item, wanted, before, INLINE);
    }
    let (old, empty): (Vec<Item>, Item) = match item {
        Item::ArrayOfTables(list) => {
            (list.iter().cloned().map(Item::Table).collect(), Item::Table(TomlTable::new()))
        }
        Item::Value(TomlValue::Array(list)) => {
            (list.iter().cloned().map(Item::Value).collect(), InlineTable::new().into())
        }
        _ => return false,
    };
    let none = Table::new();
    let tables = wanted.iter().zip(matches(wanted, before)).map(|(wanted, from)| {
        let kept = from.and_then(|index| Some((old.get(index)?, before[index])));
        let (old, before) = kept.unwrap_or((&empty, &none));
        let mut table = old.clone();
        rewrite_table(&mut table, wanted, before, INLINE);
        table
    });
    match item {
        Item::ArrayOfTables(list) => {
            *list = tables.filter_map(|table| table.into_table().ok()).collect();
        }
        Item::Value(TomlValue::Array(list)) => {
            list.clear();
            let values = tables.filter_map(|table| table.into_value().ok());
            values.for_each(|table| list.push_formatted(table));
        }
        _ => {}
    }
    true
}

/// For each table in `wanted`, the table in `before` that it comes from. If their numbers differ,
/// equal tables at the beginning and at the end are paired.
fn matches(wanted: &[&Table<bool>], before: &[&Table<bool>]) -> Vec<Option<usize>> {
    let (new, old) = (wanted.len(), before.len());
    let alike = |pairs: &mut dyn Iterator<Item = (&&Table<bool>, &&Table<bool>)>| {
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
    let length = |value: &TomlValue| value.to_string().trim().chars().count();
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

/// Sorts the species of a document, and their behaviours, into the order of the scene, if necessary:
/// unlike the order of other keys, theirs has a meaning.
fn arrange(root: &mut TomlTable, wanted: &Table<bool>) {
    let Some(Value::Table(species)) = get(wanted, SpeciesTables::KEY) else { return };
    if let Some(item) = root.get_mut(SpeciesTables::KEY).filter(|item| !in_order(item, species, 1))
    {
        // All of them get headings, because keys above the first heading come before all tables.
        reorder(item, species, 1);
        number(root, &mut 0);
    }
}

/// The tables that have headings, in their order.
fn headed(table: &Table<bool>, level: usize) -> impl Iterator<Item = (&str, &Table<bool>)> {
    table.iter().filter_map(move |(key, node)| match &node.value {
        Value::Table(below) if is_headed(key, node, level) => Some((key.as_str(), below)),
        _ => None,
    })
}

fn in_order(item: &Item, wanted: &Table<bool>, level: usize) -> bool {
    let Some(table) = item.as_table_like() else { return true };
    let is_wanted = |key: &&str| headed(wanted, level).any(|(name, _)| name == *key);
    table.iter().map(|(key, _)| key).filter(is_wanted).eq(headed(wanted, level).map(|(key, _)| key))
        && headed(wanted, level)
            .all(|(key, below)| table.get(key).is_none_or(|own| in_order(own, below, level + 1)))
}

fn reorder(item: &mut Item, wanted: &Table<bool>, level: usize) {
    into_headed(item);
    let Some(table) = item.as_table_mut() else { return };
    for (key, below) in headed(wanted, level) {
        if let Some((mut key, mut item)) = table.remove_entry(key) {
            into_headed(&mut item);
            if !in_order(&item, below, level + 1) {
                reorder(&mut item, below, level + 1);
            }
            key.leaf_decor_mut().set_suffix("");
            table.insert_formatted(&key, item);
        }
    }
}

/// Turns a table written on one line, or in dotted keys, into one with a heading.
fn into_headed(item: &mut Item) {
    match std::mem::take(item) {
        Item::Value(TomlValue::InlineTable(inline)) => {
            let comment = inline.decor().suffix().and_then(RawString::as_str).map(String::from);
            let mut table = inline.into_table();
            if let Some(comment) = comment.filter(|comment| comment.contains('#')) {
                table.decor_mut().set_suffix(comment);
            }
            *item = Item::Table(table);
        }
        Item::Table(mut table) => {
            table.set_dotted(false);
            *item = Item::Table(table);
        }
        other => *item = other,
    }
}

/// Numbers the tables, so that the library writes them in their stored order.
fn number(table: &mut TomlTable, next: &mut isize) {
    table.set_position(Some(*next));
    *next += 1;
    for (_, item) in table.iter_mut() {
        match item {
            Item::Table(table) => number(table, next),
            Item::ArrayOfTables(list) => list.iter_mut().for_each(|table| number(table, next)),
            _ => {}
        }
    }
}
