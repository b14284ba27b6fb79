//! Rules in text: the tables `[species.NAME.rules.RULE]` of a scene file.

use super::law::LAW;
use super::reader::Reader;
use super::tree::{Node, Table, Value, get};
use super::values::{ALL, PICK, SceneNames, read_pick};
use crate::behaviours::Kind;
use crate::formula::{
    ANY, FORCE, Formula, MAX_RULES, OwnParameter, OwnState, PARAMETERS, RuleText, SPECIES, STATE,
    TURN, is_name,
};
use crate::kept::{KeptStart, MAX_NUMBER};
use crate::parameter::Parameter;
use crate::quote::{quoted, suggest};
use crate::scene::{Rule, Scene, SceneError, Slot, Variation, default_value};

/// The key of a species' rules in text.
pub const RULES: &str = "rules";

/// The key of a rule's sums.
const SUM: &str = "sum";

/// The key that says how near a neighbour is.
const RADIUS: &str = "radius";

/// Every key of a rule.
const KEYS: [&str; 12] = [
    "weight", RADIUS, "inner", "fov", "nearest", PICK, "with", PARAMETERS, SUM, FORCE, TURN, STATE,
];

/// The keys of a state's next value and of its first one.
const NEXT: &str = "next";
const START: &str = "start";

/// The keys of a parameter's value and of its range beside it.
pub const VALUE: &str = "value";
pub const RANGE: &str = "range";

/// Reads the rules in text of the species of number `own`.
pub fn read(
    table: &Reader,
    own: usize,
    names: &SceneNames,
    variations: &mut Vec<Variation>,
) -> Result<Vec<Rule>, SceneError> {
    let tables = table.entries()?;
    if tables.len() > MAX_RULES {
        let count = tables.len();
        let problem = format!("a species has at most {MAX_RULES} rules in text, this one {count}");
        return Err(table.fail(problem));
    }
    tables.iter().map(|(name, table)| rule(name, table, own, names, variations)).collect()
}

fn rule(
    name: &str,
    table: &Reader,
    own: usize,
    names: &SceneNames,
    variations: &mut Vec<Variation>,
) -> Result<Rule, SceneError> {
    if !is_name(name) {
        return Err(table.fail(
            "the name of a rule has letters from a to z, digits and _, begins with no digit, and has \
             at most 32 of them",
        ));
    }
    // A misspelt key comes before what then is missing.
    let entries = table.known(&KEYS)?;
    let below = |key: &str| entries.iter().find(|(own, _)| *own == key).map(|(_, value)| value);
    let mut text = RuleText { name: name.into(), ..RuleText::default() };
    let force = match (below(FORCE), below(TURN)) {
        (Some(force), None) => force,
        (None, Some(turn)) => turn,
        (Some(_), Some(turn)) => {
            return Err(turn.fail("a rule has a `force` or a `turn`, not both"));
        }
        _ => {
            let problem =
                "a rule needs a `force`, such as force = \"-0.1 * velocity\", or a `turn`";
            return Err(table.fail(problem));
        }
    };
    text.turns = below(FORCE).is_none();
    text.force = force.text()?.into();
    if let Some(sums) = below(SUM) {
        for (name, formula) in sums.entries()? {
            text.sums.push((name.into(), formula.text()?.into()));
        }
    }
    for (name, value) in below(STATE).map(Reader::entries).transpose()?.unwrap_or_default() {
        text.states.push(state(name, &value)?);
    }
    text.has_inner = below("inner").is_some() && !text.sums.is_empty();
    text.everybody = below(RADIUS).map(is_everybody).transpose()?.unwrap_or(false);
    let parameters = below(PARAMETERS).map(Reader::entries).transpose()?.unwrap_or_default();
    for (name, value) in &parameters {
        let by_species = species_of(&value_alone(value)?, names)?;
        text.parameters.push(OwnParameter {
            name: (*name).into(),
            range: range(value)?,
            by_species,
        });
    }
    let formula = Formula::compiled(text, table.axes()).map_err(|(key, error)| {
        let place = key.split('.').try_fold(table.clone(), |place, key| {
            place.entries().ok()?.into_iter().find(|(own, _)| *own == key).map(|(_, value)| value)
        });
        place.unwrap_or_else(|| table.clone()).fail(error.to_string())
    })?;

    let kind = Kind::Formula(formula);
    if !formula.sees_neighbours() {
        let keys = [RADIUS, "inner", "fov", "nearest", PICK, "with"];
        let of_neighbours = |(key, _): &&(&str, Reader)| keys.contains(key);
        if let Some((_, value)) = entries.iter().find(of_neighbours) {
            let problem = "a rule without a `sum` looks at nobody; add one, or remove this key";
            return Err(value.fail(problem));
        }
    }
    let is_all = |value: &Reader| matches!(value.value(), Value::Text(text) if text == ALL);
    let chooses =
        |(key, value): &&(&str, Reader)| ["nearest", PICK].contains(key) && !is_all(value);
    if let Some((_, value)) = entries.iter().find(chooses).filter(|_| formula.hears_everybody()) {
        let problem = "agents are chosen within a radius; give one as a number, or remove this key";
        return Err(value.fail(problem));
    }
    let mut values: Vec<f32> =
        formula.parameters.iter().map(|parameter| default_value(parameter, own)).collect();
    let mut take = |key: &str, value: &Reader| -> Result<(), SceneError> {
        if let Some(index) = kind.parameter(key) {
            let (base, law) = names.read(value, &formula.parameters[index])?;
            values[index] = base;
            let slot = Slot::Rule(kind, index);
            variations.extend(law.map(|law| Variation { slot, law }));
        }
        Ok(())
    };
    for (key, value) in &entries {
        take(key, value)?;
    }
    let mut sets = Vec::new();
    for ((name, value), own) in parameters.iter().zip(&formula.text.parameters) {
        let value = value_alone(value)?;
        if own.by_species.is_none() {
            take(&format!("{PARAMETERS}.{name}"), &value)?;
            continue;
        }
        for (species, value) in value.entries()? {
            let key = format!("{PARAMETERS}.{name}.{species}");
            take(&key, &value)?;
            let number = names.species.iter().position(|own| *own == species);
            sets.push((kind.parameter(&format!("{key}.{SPECIES}")), number));
        }
    }
    for (index, number) in sets {
        if let (Some(index), Some(number)) = (index, number) {
            values[index] = (1_u32 << number) as f32;
        }
    }
    read_pick(table, kind, &mut values)?;
    Ok(Rule { kind, values })
}

/// True for a radius within which everybody is.
fn is_everybody(radius: &Reader) -> Result<bool, SceneError> {
    match radius.value() {
        Value::Text(text) if text == ALL => Ok(true),
        Value::Number(_) | Value::Table(_) => Ok(false),
        _ => Err(radius.wrong("a number or \"all\"")),
    }
}

/// A number that agents keep: the formula of its next value, perhaps in a table with its first value.
fn state(name: &str, value: &Reader) -> Result<OwnState, SceneError> {
    let mut own = OwnState { name: name.into(), next: String::new(), start: KeptStart::default() };
    if !matches!(value.value(), Value::Table(_)) {
        own.next = value.text()?.into();
        return Ok(own);
    }
    for (key, value) in value.known(&[NEXT, START])? {
        match key {
            NEXT => own.next = value.text()?.into(),
            _ => own.start = first_value(&value)?,
        }
    }
    if own.next.is_empty() {
        return Err(
            value.fail("give the formula of its `next` value, as in { next = \"phase + 0.1\" }")
        );
    }
    Ok(own)
}

/// A number, a table `{ from, to }`, or a table `{ mean, deviation }`.
fn first_value(value: &Reader) -> Result<KeptStart, SceneError> {
    let range = (-MAX_NUMBER, MAX_NUMBER);
    if !matches!(value.value(), Value::Table(_)) {
        return Ok(KeptStart::Same(value.number(range, "")?));
    }
    let keys = ["from", "to", "mean", "deviation"];
    let mut numbers = [None; 4];
    for (key, value) in value.known(&keys)? {
        let place = keys.iter().position(|known| *known == key).unwrap_or_default();
        numbers[place] = Some(value.number(range, "")?);
    }
    let start = match numbers {
        [Some(from), Some(to), None, None] if from <= to => KeptStart::Even { from, to },
        [None, None, Some(mean), Some(deviation)] if deviation >= 0.0 => {
            KeptStart::Normal { mean, deviation }
        }
        _ => {
            return Err(value.fail(
                "expected a number, { from = 0, to = 1 } with `from` not above `to`, or \
                 { mean = 0, deviation = 1 } with a deviation not below 0",
            ));
        }
    };
    if start.largest() > MAX_NUMBER {
        return Err(value.fail(format!("it draws numbers above {MAX_NUMBER:e}")));
    }
    Ok(start)
}

/// The value of a parameter, without its range.
fn value_alone<'a>(value: &Reader<'a>) -> Result<Reader<'a>, SceneError> {
    let inner = match declared(value)? {
        Some(all) => all.into_iter().find(|(key, _)| *key == VALUE).map(|(_, value)| value),
        None => Some(value.clone()),
    };
    inner.ok_or_else(|| value.fail("give its `value`, as in { value = 1 }"))
}

/// The species in a table of a parameter's values by species; `None` for another value, such as a law.
fn species_of(value: &Reader, names: &SceneNames) -> Result<Option<Vec<String>>, SceneError> {
    if !matches!(value.value(), Value::Table(_)) {
        return Ok(None);
    }
    let entries = value.entries()?;
    if entries.is_empty() {
        return Err(value.fail(
            "the table is empty; give a number, a number for each species, or a law, as in { from = 0, to = 1 }",
        ));
    }
    let keys = || entries.iter().map(|(key, _)| *key);
    let is_species = |key: &&str| names.species.contains(key);
    let Some((other, value)) = entries.iter().find(|(key, _)| !is_species(key)) else {
        return Ok(Some(keys().map(Into::into).collect()));
    };
    // A species may have the name of a law's key.
    let is_of_law = |key: &str| LAW.key(key).is_some();
    if keys().any(is_of_law) && keys().filter(is_species).all(is_of_law) {
        return Ok(None);
    }
    let help = suggest(other, names.species);
    Err(value.fail(format!("no species is called {}; {help}", quoted(other))))
}

/// The keys of a parameter that has a range beside its value; `None` for a value alone.
fn declared<'a>(value: &Reader<'a>) -> Result<Option<Vec<(&'a str, Reader<'a>)>>, SceneError> {
    let is = |key: &str| value.value().get(key).is_some();
    (is(VALUE) || is(RANGE)).then(|| value.known(&[VALUE, RANGE])).transpose()
}

/// The smallest and the largest value of a parameter.
fn range(value: &Reader) -> Result<(f32, f32), SceneError> {
    let keys = declared(value)?.unwrap_or_default();
    let Some((_, range)) = keys.into_iter().find(|(key, _)| *key == RANGE) else {
        return Ok(ANY);
    };
    let ends: Vec<f32> =
        range.items().iter().map(|end| end.number(ANY, "")).collect::<Result<_, _>>()?;
    match ends[..] {
        [low, high] if low < high => Ok((low, high)),
        _ => Err(range.fail("give the smallest and the largest value, such as [0, 2]")),
    }
}

/// Fails if overrides have given a rule of `written` a parameter that none of its formulas takes: a misspelt
/// name would do nothing.
pub fn check_added(scene: &Scene, written: &Scene) -> Result<(), SceneError> {
    for (species, rule) in scene.rules_in_text() {
        let is_it = |(own, before): &(&str, &Formula)| *own == species && before.key == rule.key;
        let Some((_, before)) = written.rules_in_text().find(is_it) else { continue };
        let known: Vec<&str> = before.text.parameters.iter().map(|own| own.name.as_str()).collect();
        let own = rule.text.parameters.iter().map(|own| own.name.as_str());
        for name in own.filter(|name| !known.contains(name) && !rule.text.takes(name)) {
            let key = format!("species.{species}.{}.{PARAMETERS}.{name}", rule.key);
            let help = match known.is_empty() {
                true => "it has no parameters".into(),
                false => suggest(name, &known),
            };
            if let Some(origin) = scene.origin(&key) {
                let problem = format!("no formula of the rule takes `{name}`; {help}");
                return Err(SceneError::new(origin, key, problem));
            }
        }
    }
    Ok(())
}

/// The keys of a rule in text.
pub fn write(
    formula: &Formula,
    entries: impl Fn(usize, &'static Parameter) -> Table<bool>,
) -> Table<bool> {
    let stated = |value: Value<bool>| Node { value, note: false };
    let of_text = |(name, text): &(String, String)| (name.clone(), stated(text.as_str().into()));
    let (mut table, mut own) = (Table::new(), Table::new());
    if formula.hears_everybody() {
        table.push((RADIUS.into(), stated(ALL.into())));
    }
    let parameters = formula.parameters.iter().enumerate();
    for (key, mut node) in parameters.flat_map(|(index, parameter)| entries(index, parameter)) {
        match key.strip_prefix(PARAMETERS).and_then(|key| key.strip_prefix('.')) {
            Some(name) => own.push((name.into(), Node { note: false, ..node })),
            None => {
                // The key says that there is an inner radius.
                node.note &= key != "inner";
                table.push((key, node));
            }
        }
    }
    let own: Table<bool> =
        formula.text.parameters.iter().filter_map(|p| declaration(p, &own)).collect();
    if !own.is_empty() {
        table.push((PARAMETERS.into(), stated(Value::Table(own))));
    }
    if !formula.text.sums.is_empty() {
        let sums = formula.text.sums.iter().map(of_text).collect();
        table.push((SUM.into(), stated(Value::Table(sums))));
    }
    table.push((formula.text.key_of_force().into(), stated(formula.text.force.as_str().into())));
    if !formula.text.states.is_empty() {
        let states = formula.text.states.iter().map(|own| (own.name.clone(), stated(written(own))));
        table.push((STATE.into(), stated(Value::Table(states.collect()))));
    }
    table
}

/// A parameter in a file: its value, or its values by species, perhaps with its range. `values` has them by name.
fn declaration(own: &OwnParameter, values: &Table<bool>) -> Option<(String, Node<bool>)> {
    let stated = |value: Value<bool>| Node { value, note: false };
    let value = |name: &str| get(values, name).cloned();
    let by_species = |species: &String| {
        let name = format!("{}.{species}", own.name);
        // The species that the value is for now.
        let names = match get(values, &format!("{name}.{SPECIES}")) {
            Some(Value::List(names)) => names.iter().map(|name| name.value.clone()).collect(),
            _ => vec![species.as_str().into()],
        };
        let entry = |species| match (species, value(&name)) {
            (Value::Text(species), Some(value)) => Some((species, stated(value))),
            _ => None,
        };
        names.into_iter().filter_map(entry).collect::<Table<bool>>()
    };
    let mut all = match &own.by_species {
        None => value(&own.name)?,
        Some(species) => Value::Table(species.iter().flat_map(by_species).collect()),
    };
    // All its species have gone, and a table must not be empty.
    if matches!(&all, Value::Table(table) if table.is_empty()) {
        all = 0.0.into();
    }
    if own.range != ANY {
        let range = Value::list([own.range.0, own.range.1].map(Value::from));
        all = Value::Table(vec![(VALUE.into(), stated(all)), (RANGE.into(), stated(range))]);
    }
    Some((own.name.clone(), stated(all)))
}

/// The value of a state in a file.
fn written(own: &OwnState) -> Value<bool> {
    let stated = |value: Value<bool>| Node { value, note: false };
    let numbers = |keys: [&str; 2], values: [f32; 2]| {
        let both = keys.into_iter().zip(values);
        Value::Table(both.map(|(key, value)| (key.into(), stated(value.into()))).collect())
    };
    let next: Value<bool> = own.next.as_str().into();
    let start = match own.start {
        KeptStart::Same(0.0) => return next,
        KeptStart::Same(number) => number.into(),
        KeptStart::Even { from, to } => numbers(["from", "to"], [from, to]),
        KeptStart::Normal { mean, deviation } => numbers(["mean", "deviation"], [mean, deviation]),
    };
    Value::Table(vec![(NEXT.into(), stated(next)), (START.into(), stated(start))])
}

/// True for the table of a rule.
pub fn is_rule(table: &Table<bool>) -> bool {
    [FORCE, TURN].iter().any(|key| get(table, key).is_some())
}

#[cfg(test)]
mod tests;
