//! Rules in text: the tables `[species.NAME.rules.RULE]` of a scene file.

use super::law::LAW;
use super::reader::Reader;
use super::tree::{Table, Value, get};
use super::values::{ALL, PICK, read_pick};
use crate::behaviours::Kind;
use crate::formula::{
    ANY, FORCE, Formula, MAX_RULES, OwnParameter, OwnState, PARAMETERS, RuleText, SPECIES_OF,
    STATE, SUM, TURN, is_name,
};
use crate::kept::{KeptStart, MAX_NUMBER};
use crate::quote::suggest;
use crate::scene::{Rule, Scene, SceneError, Variation};

/// The key of a species' rules in text.
pub const RULES: &str = "rules";

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
    scene: &Scene,
    variations: &mut Vec<Variation>,
) -> Result<Vec<Rule>, SceneError> {
    let tables = table.entries()?;
    if tables.len() > MAX_RULES {
        let count = tables.len();
        let problem = format!("a species has at most {MAX_RULES} rules in text, this one {count}");
        return Err(table.fail(problem));
    }
    tables.iter().map(|(name, table)| rule(name, table, own, scene, variations)).collect()
}

fn rule(
    name: &str,
    table: &Reader,
    own: usize,
    scene: &Scene,
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
    let mut text = RuleText { name: name.into(), ..RuleText::default() };
    let force = match (table.get(FORCE), table.get(TURN)) {
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
    text.turns = table.get(FORCE).is_none();
    text.force = force.text()?.into();
    if let Some(sums) = table.get(SUM) {
        for (name, formula) in sums.entries()? {
            text.sums.push((name.into(), formula.text()?.into()));
        }
    }
    if let Some(states) = table.get(STATE) {
        for (name, value) in states.entries()? {
            text.states.push(state(name, &value)?);
        }
    }
    text.has_inner = table.get("inner").is_some() && !text.sums.is_empty();
    text.everybody = table.get(RADIUS).map_or(Ok(false), |radius| is_everybody(&radius))?;
    let parameters = table.get(PARAMETERS).map_or(Ok(Vec::new()), |own| own.entries())?;
    for (name, value) in &parameters {
        let by_species = species_of(&value_alone(value)?, &scene.species_names())?;
        text.parameters.push(OwnParameter {
            name: (*name).into(),
            range: range(value)?,
            by_species,
        });
    }
    let formula = Formula::compiled(text, table.axes()).map_err(|(key, error)| {
        let place = key.split('.').try_fold(table.clone(), |place, key| place.get(key));
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
    let mut rule = Rule::by_default(kind, own);
    for (key, value) in &entries {
        scene.read_into(&mut rule, key, value, variations)?;
    }
    for ((name, value), own) in parameters.iter().zip(&formula.text.parameters) {
        let value = value_alone(value)?;
        if own.by_species.is_none() {
            scene.read_into(&mut rule, &format!("{PARAMETERS}.{name}"), &value, variations)?;
            continue;
        }
        for (species, value) in value.entries()? {
            let own = format!("{name}.{species}");
            scene.read_into(&mut rule, &format!("{PARAMETERS}.{own}"), &value, variations)?;
            let set = format!("{PARAMETERS}.{SPECIES_OF}{own}");
            let number = scene.species.iter().position(|own| own.name == species);
            if let (Some(index), Some(number)) = (kind.parameter(&set), number) {
                rule.values[index] = (1_u32 << number) as f32;
            }
        }
    }
    read_pick(table, &mut rule)?;
    Ok(rule)
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
    // A zero has no sign, so that equal first values have equal bits.
    let number = |value: &Reader| Ok(value.number((-MAX_NUMBER, MAX_NUMBER), "")? + 0.0);
    if !matches!(value.value(), Value::Table(_)) {
        return Ok(KeptStart::Same(number(value)?));
    }
    let keys = ["from", "to", "mean", "deviation"];
    let mut numbers = [None; 4];
    for (key, value) in value.known(&keys)? {
        let place = keys.iter().position(|known| *known == key).unwrap_or_default();
        numbers[place] = Some(number(&value)?);
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

/// The value of a parameter, without the range that may be beside it.
fn value_alone<'a>(value: &Reader<'a>) -> Result<Reader<'a>, SceneError> {
    let own = value.get(VALUE);
    if own.is_none() && value.get(RANGE).is_none() {
        return Ok(value.clone());
    }
    value.known(&[VALUE, RANGE])?;
    own.ok_or_else(|| value.fail("give its `value`, as in { value = 1 }"))
}

/// The species in a table of a parameter's values by species; `None` for another value, such as a law.
fn species_of(value: &Reader, species: &[&str]) -> Result<Option<Vec<String>>, SceneError> {
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
    let is_species = |key: &&str| species.contains(key);
    let Some((other, value)) = entries.iter().find(|(key, _)| !is_species(key)) else {
        return Ok(Some(keys().map(Into::into).collect()));
    };
    // A species may have the name of a law's key.
    let is_of_law = |key: &str| LAW.key(key).is_some();
    if keys().any(is_of_law) && keys().filter(is_species).all(is_of_law) {
        return Ok(None);
    }
    Err(value.unknown("species", other, species))
}

/// The smallest and the largest value of a parameter.
fn range(value: &Reader) -> Result<(f32, f32), SceneError> {
    let Some(range) = value.get(RANGE) else { return Ok(ANY) };
    let ends: Vec<f32> =
        range.items().iter().map(|end| end.number(ANY, "")).collect::<Result<_, _>>()?;
    match ends[..] {
        [low, high] if low < high => Ok((low, high)),
        _ => Err(range.fail("give the smallest and the largest value, such as [0, 2]")),
    }
}

/// Fails if overrides have given a rule of `written` a parameter or a sum that none of its formulas takes: a
/// misspelt name would do nothing.
pub fn check_added(scene: &Scene, written: &Scene) -> Result<(), SceneError> {
    for (species, rule) in scene.rules_in_text() {
        let is_it = |(own, before): &(&str, &Formula)| *own == species && before.key == rule.key;
        let Some((_, before)) = written.rules_in_text().find(is_it) else { continue };
        for (table, name) in rule.text.unused() {
            let text = &before.text;
            let (kind, known): (_, Vec<&str>) = match table {
                SUM => ("sums", text.sums.iter().map(|(own, _)| own.as_str()).collect()),
                _ => ("parameters", text.parameters.iter().map(|own| own.name.as_str()).collect()),
            };
            if known.contains(&name) {
                continue;
            }
            let key = format!("species.{species}.{}.{table}.{name}", rule.key);
            let help = match known.is_empty() {
                true => format!("it has no {kind}"),
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
pub fn write(formula: &Formula, entries: impl Fn(usize) -> Table<bool>) -> Table<bool> {
    let (mut table, mut own) = (Table::new(), Table::new());
    if formula.hears_everybody() {
        table.push((RADIUS.into(), Value::from(ALL).into()));
    }
    for (key, mut node) in (0..formula.parameters.len()).flat_map(entries) {
        match key.strip_prefix(PARAMETERS).and_then(|key| key.strip_prefix('.')) {
            Some(name) => own.push((name.into(), node.value.into())),
            None => {
                // The key says that there is an inner radius.
                node.note &= key != "inner";
                table.push((key, node));
            }
        }
    }
    let RuleText { parameters, sums, states, force, .. } = &formula.text;
    let parts = [
        (PARAMETERS, Value::table(parameters.iter().filter_map(|p| declaration(p, &own)))),
        (SUM, Value::table(sums.iter().map(|(name, text)| (name, text.as_str().into())))),
        (formula.text.key_of_force(), force.as_str().into()),
        (STATE, Value::table(states.iter().map(|own| (&own.name, written(own))))),
    ];
    let said = parts.into_iter().filter(|(_, part)| *part != Value::Table(Table::new()));
    table.extend(said.map(|(key, part)| (key.into(), part.into())));
    table
}

/// A parameter in a file: its value, or its values by species, perhaps with its range. `values` has them by name.
fn declaration(own: &OwnParameter, values: &Table<bool>) -> Option<(String, Value<bool>)> {
    let value = |name: &str| get(values, name).cloned();
    let by_species = |species: &String| {
        let name = format!("{}.{species}", own.name);
        // The species that the value is for now.
        let names = match get(values, &format!("{SPECIES_OF}{name}")) {
            Some(Value::List(names)) => names.iter().map(|name| name.value.clone()).collect(),
            _ => vec![species.as_str().into()],
        };
        let entry = |species| match (species, value(&name)) {
            (Value::Text(species), Some(value)) => Some((species, value)),
            _ => None,
        };
        names.into_iter().filter_map(entry).collect::<Vec<_>>()
    };
    let mut all = match &own.by_species {
        None => value(&own.name)?,
        Some(species) => Value::table(species.iter().flat_map(by_species)),
    };
    // All its species have gone, and a table must not be empty.
    if all == Value::Table(Table::new()) {
        all = 0.0.into();
    }
    if own.range != ANY {
        let range = Value::list([own.range.0, own.range.1].map(Value::from));
        all = Value::table([(VALUE, all), (RANGE, range)]);
    }
    Some((own.name.clone(), all))
}

/// The value of a state in a file.
fn written(own: &OwnState) -> Value<bool> {
    let numbers = |keys: [&'static str; 2], values: [f32; 2]| {
        Value::table(keys.into_iter().zip(values.map(Value::from)))
    };
    let next: Value<bool> = own.next.as_str().into();
    let start = match own.start {
        KeptStart::Same(0.0) => return next,
        KeptStart::Same(number) => number.into(),
        KeptStart::Even { from, to } => numbers(["from", "to"], [from, to]),
        KeptStart::Normal { mean, deviation } => numbers(["mean", "deviation"], [mean, deviation]),
    };
    Value::table([(NEXT, next), (START, start)])
}

/// True for the table of a rule.
pub fn is_rule(table: &Table<bool>) -> bool {
    [FORCE, TURN].iter().any(|key| get(table, key).is_some())
}

#[cfg(test)]
mod tests;
