//! The tables of a species in a scene file: body, behaviours and the rest.

use super::fields::{Entry, Fields, Form, Written};
use super::keys;
use super::reader::Reader;
use super::tables::SpeciesKeys;
use super::values::SceneNames;
use crate::behaviours::Kind;
use crate::parameter::{Meaning, Parameter, Parameters};
use crate::scene::{
    Body, Law, NumberAtFirst, Rule, SceneError, Slot, Species, Style, Variation, default_value,
};

const BODY: &[Parameter] = <Body as Parameters<f32>>::TABLE;

/// Reads the species of number `index`.
pub fn read(
    index: usize,
    table: &Reader,
    names: &SceneNames,
    style: &Style,
) -> Result<Species, SceneError> {
    let mut known: Vec<&str> = keys::SPECIES.keys.iter().map(|key| key.name).collect();
    known.extend(BODY.iter().map(|p| p.key));
    known.extend(Kind::ALL.iter().map(|kind| kind.info().key));

    let mut body: Vec<f32> = BODY.iter().map(|p| p.default).collect();
    let mut own = SpeciesKeys::unwritten(style);
    let (mut rules, mut variations) = (Vec::new(), Vec::new());
    for (key, value) in table.known(&known)? {
        if let Some(i) = BODY.iter().position(|p| p.key == key) {
            let (base, law) = names.read(&value, &BODY[i])?;
            body[i] = base;
            variations.extend(law.map(|law| Variation { slot: Slot::Body(i), law }));
        } else if let Some(kind) = Kind::from_key(key) {
            rules.push(rule(kind, index, &value, names, &mut variations)?);
        } else if let Some(key) = keys::SPECIES.key(key) {
            own.read_key(key, &value)?;
        }
    }
    let SpeciesKeys { count, look, colour, palette, smallest, spawn, spawn_at_scale } = own;
    let mut species = Species {
        name: names.species[index].into(),
        count,
        body: Body::read(|i| body[i]),
        look,
        colour,
        palette,
        smallest,
        spawn,
        spawn_at_scale: spawn_at_scale.unwrap_or(spawn),
        rules,
        variations,
        at_first: NumberAtFirst::default(),
        counted: false,
    };
    species.sort_variations();
    Ok(species)
}

fn rule(
    kind: Kind,
    own: usize,
    table: &Reader,
    names: &SceneNames,
    variations: &mut Vec<Variation>,
) -> Result<Rule, SceneError> {
    let parameters = kind.info().parameters;
    let known: Vec<&str> = parameters.iter().map(|p| p.key).collect();
    let mut values: Vec<f32> = parameters.iter().map(|p| default_value(p, own)).collect();
    for (key, value) in table.known(&known)? {
        if let Some(index) = kind.parameter(key) {
            let (base, law) = names.read(&value, &parameters[index])?;
            values[index] = base;
            let slot = Slot::Rule(kind, index);
            variations.extend(law.map(|law| Variation { slot, law }));
        }
    }
    Ok(Rule { kind, values })
}

/// The keys of the species of number `index`, in the order of the built-in scenes.
pub fn write(
    index: usize,
    species: &Species,
    names: &SceneNames,
    style: &Style,
    axes: usize,
) -> Vec<Entry> {
    let own = SpeciesKeys {
        count: species.count,
        look: species.look,
        colour: species.colour,
        palette: species.palette.clone(),
        smallest: species.smallest,
        spawn: species.spawn,
        spawn_at_scale: Some(species.spawn_at_scale),
    };
    let unwritten =
        SpeciesKeys { spawn_at_scale: Some(species.spawn), ..SpeciesKeys::unwritten(style) };
    let mut entries = own.entries(&unwritten, axes);

    let law = |slot: Slot| -> Option<&Law> {
        let own = species.variations.iter().find(|variation| variation.slot == slot);
        own.map(|variation| &variation.law)
    };
    let values = species.body_values();
    let mut body: Vec<(&Parameter, Entry)> = BODY
        .iter()
        .zip(values)
        .enumerate()
        .map(|(i, (p, value))| (p, names.entry(p, value, p.default, law(Slot::Body(i)))))
        .collect();
    body.sort_by_key(|(parameter, _)| parameter.key != "size");
    // The body follows the number of agents.
    entries.splice(1..1, body.into_iter().map(|(_, entry)| entry));

    entries.extend(species.rules.iter().map(|rule| {
        let Rule { kind, values } = rule;
        let parameters = kind.info().parameters.iter().zip(values).enumerate();
        let mut all: Vec<(&Parameter, Entry)> = parameters
            .map(|(i, (p, value))| {
                (p, names.entry(p, *value, default_value(p, index), law(Slot::Rule(*kind, i))))
            })
            .collect();
        // The species that it reacts to come first, and its weight last.
        all.sort_by_key(|(parameter, _)| match parameter.meaning {
            Meaning::SpeciesSet { .. } => 0,
            _ if parameter.key != "weight" => 1,
            _ => 2,
        });
        let all = all.into_iter().map(|(_, entry)| entry).collect();
        Entry::wanted(kind.info().key, Written::Table(Form::Headed, all))
    }));
    entries
}
