//! Sorts the species of a TOML document, and their behaviours, into the order of the scene: unlike
//! that of other keys, their order has a meaning.

use toml_edit::{Item, RawString, Table, Value};

use super::fields::{Entry, Form, Written};
use super::tables::SpeciesTables;

/// Sorts the tables below `root` into the order of the entries `wanted`, if necessary.
pub fn arrange(root: &mut Table, wanted: &[Entry]) {
    let species = wanted.iter().find(|entry| entry.key == SpeciesTables::KEY);
    let Some(Written::Table(_, species)) = species.and_then(|entry| entry.value.as_ref()) else {
        return;
    };
    let Some(item) = root.get_mut(SpeciesTables::KEY) else { return };
    let tables = species.iter().filter_map(|one| match &one.value {
        Some(Written::Table(_, keys)) => Some((one.key.as_str(), keys.as_slice())),
        _ => None,
    });
    let tables: Vec<(&str, &[Entry])> = tables.collect();
    let below = |item: &Item, (key, keys): &(&str, &[Entry])| {
        item.get(key).is_none_or(|own| in_order(own, keys))
    };
    if in_order(item, species) && tables.iter().all(|table| below(item, table)) {
        return;
    }
    // All of them get headings, because keys above the first heading come before all tables.
    into_headed(item);
    reorder(item, species);
    for (key, keys) in tables {
        if let Some(own) = item.get_mut(key).filter(|own| !in_order(own, keys)) {
            reorder(own, keys);
        }
    }
    number(root, &mut 0);
}

/// The keys whose order has a meaning.
fn ordered(entries: &[Entry]) -> impl Iterator<Item = &str> {
    let headed = |entry: &&Entry| matches!(entry.value, Some(Written::Table(Form::Headed, _)));
    entries.iter().filter(headed).map(|entry| entry.key.as_str())
}

fn in_order(item: &Item, entries: &[Entry]) -> bool {
    let Some(table) = item.as_table_like() else { return true };
    let wanted: Vec<&str> = ordered(entries).collect();
    let present = table.iter().map(|(key, _)| key).filter(|key| wanted.contains(key));
    present.eq(wanted.iter().copied())
}

/// Turns a table written on one line, or in dotted keys, into one with a heading.
fn into_headed(item: &mut Item) {
    match std::mem::take(item) {
        Item::Value(Value::InlineTable(inline)) => {
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

fn reorder(item: &mut Item, entries: &[Entry]) {
    let Some(table) = item.as_table_mut() else { return };
    for key in ordered(entries) {
        if let Some((mut key, mut item)) = table.remove_entry(key) {
            into_headed(&mut item);
            key.leaf_decor_mut().set_suffix("");
            table.insert_formatted(&key, item);
        }
    }
}

/// Numbers the tables, so that the library writes them in their stored order.
fn number(table: &mut Table, next: &mut isize) {
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
