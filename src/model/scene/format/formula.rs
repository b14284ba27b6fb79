//! Rules in text: the tables `[species.NAME.rules.RULE]` of a scene file.

use super::reader::Reader;
use super::tree::{Node, Table, Value, get};
use super::values::{ALL, PICK, SceneNames, read_pick};
use crate::behaviours::Kind;
use crate::formula::{
    ANY, Formula, MAX_RULES, OwnParameter, OwnState, PARAMETERS, RuleText, STATE, is_name,
};
use crate::kept::{KeptStart, MAX_NUMBER};
use crate::parameter::Parameter;
use crate::scene::{Rule, SceneError, Slot, Variation, default_value};

/// The key of a species' rules in text.
pub const RULES: &str = "rules";

/// The key of a rule's force. Every rule has it, and no other table below a species.
pub const FORCE: &str = "force";

/// The key of a rule's sums.
const SUM: &str = "sum";

/// The key that says how near a neighbour is.
const RADIUS: &str = "radius";

/// The keys of a state's next value and of its first one.
const NEXT: &str = "next";
const START: &str = "start";

/// The key that has a parameter's value beside its range.
const VALUE: &str = "value";

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
    let entries = table.entries()?;
    let below = |key: &str| entries.iter().find(|(own, _)| *own == key).map(|(_, value)| value);
    let mut text = RuleText { name: name.into(), ..RuleText::default() };
    let force = below(FORCE)
        .ok_or_else(|| table.fail("a rule needs a `force`, such as force = \"-0.1 * velocity\""))?;
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
        text.parameters.push(OwnParameter { name: (*name).into(), range: range(value)? });
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
    let mut known: Vec<&str> = kind.info().parameters.iter().map(|p| p.key).collect();
    known.retain(|key| !key.starts_with(PARAMETERS));
    known.extend([RADIUS, "inner", "nearest", PICK, PARAMETERS, SUM, FORCE, STATE]);
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
    for (key, value) in table.known(&known)? {
        take(key, &value)?;
    }
    for (name, value) in &parameters {
        let inner = match declared(value)? {
            Some(all) => all.into_iter().find(|(key, _)| *key == VALUE).map(|(_, value)| value),
            None => Some(value.clone()),
        };
        let inner = inner.ok_or_else(|| value.fail("give its `value`, as in { value = 1 }"))?;
        take(&format!("{PARAMETERS}.{name}"), &inner)?;
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

/// The keys of a parameter that has a range beside its value; `None` for a value alone.
fn declared<'a>(value: &Reader<'a>) -> Result<Option<Vec<(&'a str, Reader<'a>)>>, SceneError> {
    let is = |key: &str| value.value().get(key).is_some();
    (is(VALUE) || is("range")).then(|| value.known(&[VALUE, "range"])).transpose()
}

/// The smallest and the largest value of a parameter.
fn range(value: &Reader) -> Result<(f32, f32), SceneError> {
    let keys = declared(value)?.unwrap_or_default();
    let Some((_, range)) = keys.into_iter().find(|(key, _)| *key == "range") else {
        return Ok(ANY);
    };
    let ends: Vec<f32> =
        range.items().iter().map(|end| end.number(ANY, "")).collect::<Result<_, _>>()?;
    match ends[..] {
        [low, high] if low < high => Ok((low, high)),
        _ => Err(range.fail("give the smallest and the largest value, such as [0, 2]")),
    }
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
    let all = parameters.flat_map(|(index, parameter)| {
        entries(index, parameter).into_iter().map(move |entry| (parameter, entry))
    });
    for (parameter, (key, mut node)) in all {
        let Some(name) = key.strip_prefix(PARAMETERS).and_then(|key| key.strip_prefix('.')) else {
            // The key says that there is an inner radius.
            node.note &= key != "inner";
            table.push((key, node));
            continue;
        };
        node.note = false;
        if parameter.range != ANY {
            let (low, high) = parameter.range;
            let range = Value::list([low, high].map(Value::from));
            let both = vec![(VALUE.into(), node), ("range".into(), stated(range))];
            node = stated(Value::Table(both));
        }
        own.push((name.into(), node));
    }
    if !own.is_empty() {
        table.push((PARAMETERS.into(), stated(Value::Table(own))));
    }
    if !formula.text.sums.is_empty() {
        let sums = formula.text.sums.iter().map(of_text).collect();
        table.push((SUM.into(), stated(Value::Table(sums))));
    }
    table.push((FORCE.into(), stated(formula.text.force.as_str().into())));
    if !formula.text.states.is_empty() {
        let states = formula.text.states.iter().map(|own| (own.name.clone(), stated(written(own))));
        table.push((STATE.into(), stated(Value::Table(states.collect()))));
    }
    table
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
    get(table, FORCE).is_some()
}

#[cfg(test)]
mod tests;
