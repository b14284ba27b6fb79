//! The tables of a species in a scene file: body, behaviours and the rest.

use super::fields::Fields;
use super::formula;
use super::keys;
use super::reader::Reader;
use super::tree::{Table, Value};
use super::values::{ALL, PICK, read_pick};
use crate::behaviours::Kind;
use crate::parameter::{Parameter, Parameters};
use crate::scene::{Body, Rule, Scene, SceneError, Slot, Species, Style, Variation};

const BODY: &[Parameter] = <Body as Parameters<f32>>::TABLE;

/// Reads the species of number `index`. `scene` has its name already, and the names of all others.
pub fn read(index: usize, table: &Reader, scene: &Scene) -> Result<Species, SceneError> {
    let mut known: Vec<&str> = keys::SPECIES.keys.iter().map(|key| key.name).collect();
    known.extend(BODY.iter().map(|p| p.key));
    known.extend(Kind::ALL.iter().map(|kind| kind.info().key));
    known.push(formula::RULES);

    let mut species = scene.species[index].clone();
    let mut body = species.body.values();
    for (key, value) in table.known(&known)? {
        if let Some(i) = BODY.iter().position(|p| p.key == key) {
            body[i] = scene.read_slot(&value, Slot::Body(i), &mut species.variations)?;
        } else if key == formula::RULES {
            species.rules.extend(formula::read(&value, index, scene, &mut species.variations)?);
        } else if let Some(kind) = Kind::from_key(key) {
            species.rules.push(rule(kind, index, &value, scene, &mut species.variations)?);
        } else if let Some(key) = keys::SPECIES.key(key) {
            species.read_key(key, &value)?;
        }
    }
    species.body = Body::read(|i| body[i]);
    if table.get("spawn_at_scale").is_none() {
        species.spawn_at_scale = species.spawn;
    }
    species.sort_variations();
    Ok(species)
}

/// A species without keys in a scene of this `style`.
pub fn unwritten(name: &str, style: &Style) -> Species {
    let Style { look, colour, palette, .. } = style.clone();
    Species { look, colour, palette, ..Species::new(name) }
}

/// Takes away the keys of a written species that have the value of another key, which they follow.
pub fn leave_followers_out(species: &mut Value<bool>) {
    let Value::Table(table) = species else { return };
    let followers = ["look", "colour", "palette", "spawn_at_scale"];
    table.retain(|(key, node)| !(node.note && followers.contains(&key.as_str())));
    for (_, spawn) in table.iter_mut().filter(|(key, _)| key.starts_with("spawn")) {
        if let Value::Table(keys) = &mut spawn.value {
            // A velocity may take its place.
            keys.retain(|(key, node)| !(node.note && key == "speed"));
        }
    }
}

fn rule(
    kind: Kind,
    own: usize,
    table: &Reader,
    scene: &Scene,
    variations: &mut Vec<Variation>,
) -> Result<Rule, SceneError> {
    let mut known: Vec<&str> = kind.info().parameters.iter().map(|p| p.key).collect();
    known.extend(kind.parameter("nearest").map(|_| PICK));
    let mut rule = Rule::by_default(kind, own);
    if let Some((value, remedy)) = for_rules(table, kind)? {
        return Err(value.fail(format!("this is for rules in text: {remedy} (docs/rules.md)")));
    }
    for (key, value) in table.known(&known)? {
        scene.read_into(&mut rule, key, &value, variations)?;
    }
    read_pick(table, &mut rule)?;
    Ok(rule)
}

/// A key of a behaviour that other programs have, and here a rule in text; with what the rule says.
fn for_rules<'a>(
    table: &Reader<'a>,
    kind: Kind,
) -> Result<Option<(Reader<'a>, &'static str)>, SceneError> {
    if kind.parameter("with").is_none() {
        return Ok(None);
    }
    let of_rule = |(key, value): (&str, Reader<'a>)| {
        let remedy = match (key, value.value()) {
            ("with", Value::Table(_)) => {
                "with parameters.k = { NAME = 1, OTHER = -0.5 }, `k * other_velocity` is a term of \
                 its sum"
            }
            ("radius", Value::Text(text)) if text == ALL => {
                "one with radius = \"all\" and the sum `other_velocity` or `offset` hears everybody"
            }
            ("count_self", _) => "with `v + velocity` in its force, the agent counts, too",
            ("mean", _) => {
                "`v` is a sum, `v / max(neighbours, 1)` a mean, and a sum of `other_heading` one of \
                 unit vectors"
            }
            _ => return None,
        };
        Some((value, remedy))
    };
    Ok(table.entries()?.into_iter().find_map(of_rule))
}

/// The keys of the species of number `index`, in the order of the built-in scenes.
pub fn write(index: usize, scene: &Scene) -> Table<bool> {
    let species = &scene.species[index];
    let unwritten = Species { spawn_at_scale: species.spawn, ..unwritten("", &scene.style) };
    let mut entries = species.table(&unwritten, scene.world.axes());

    let values = species.body.values();
    let mut body: Table<bool> = BODY
        .iter()
        .zip(values)
        .enumerate()
        .flat_map(|(i, (p, value))| scene.slot_entries(species, Slot::Body(i), value, p.default))
        .collect();
    body.sort_by_key(|(key, _)| key != "size");
    // The body follows the number of agents.
    entries.splice(1..1, body);

    let mut texts = Vec::new();
    let mut place = entries.len();
    for Rule { kind, values } in &species.rules {
        let unwritten = Rule::by_default(*kind, index).values;
        let entries_of =
            |i| scene.slot_entries(species, Slot::Rule(*kind, i), values[i], unwritten[i]);
        if let Some(own) = kind.formula() {
            if texts.is_empty() {
                place = entries.len();
            }
            texts.push((own.text.name.clone(), Value::Table(formula::write(own, entries_of))));
            continue;
        }
        let mut all: Table<bool> = (0..kind.info().parameters.len()).flat_map(entries_of).collect();
        // The species that it reacts to come first, and its weight last.
        all.sort_by_key(|(key, _)| match key.as_str() {
            "with" => 0,
            "weight" => 2,
            _ => 1,
        });
        entries.push((kind.info().key.into(), Value::Table(all).into()));
    }
    if !texts.is_empty() {
        entries.insert(place, (formula::RULES.into(), Value::table(texts).into()));
    }
    entries
}
