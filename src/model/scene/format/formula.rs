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
mod tests {
    use crate::scene::{Scene, edit_toml, overrides};

    const TEXT: &str = "[species.a]\nseparation = {}\n[species.a.rules.swirl]  # turns\nradius = 30\n\
                        parameters = { strength = { value = 0.4, range = [0, 2] }, k = 3 }\n\
                        sum.drift = \"perp(offset) * (1 - distance / radius)\"\n\
                        force = \"strength * drift - k * velocity\"\n\
                        [species.a.rules.drag]\nforce = \"-0.1 * velocity\"\n[species.a.cohesion]\n\
                        [species.b]\nrules.drag.force = \"-0.1 * velocity\"\n";

    fn keys(scene: &Scene, species: usize) -> Vec<&'static str> {
        scene.species[species].rules.iter().map(|rule| rule.kind.info().key).collect()
    }

    #[test]
    fn rules_are_read_and_written_in_their_places() {
        let scene = Scene::parse("test", TEXT).unwrap();
        assert_eq!(keys(&scene, 0), ["separation", "rules.swirl", "rules.drag", "cohesion"]);
        assert_eq!(keys(&scene, 1), ["rules.drag"]);
        assert_eq!(scene.formulas().iter().count(), 2, "the same text is the same rule");
        for text in [scene.to_toml(), scene.to_full_toml()] {
            let again =
                Scene::parse("test", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(again.species, scene.species, "{text}");
            assert!(text.contains("[species.a.rules.swirl]\n"), "{text}");
            assert!(text.contains("{ value = 0.4, range = [0, 2] }"), "{text}");
        }
        // An edit keeps the text around it.
        let mut edited = scene.clone();
        let swirl = &mut edited.species[0].rules[1];
        let strength = swirl.kind.parameter("parameters.strength").unwrap();
        swirl.values[strength] = 0.7;
        let text = edit_toml(TEXT, &edited).unwrap();
        assert_eq!(text, TEXT.replace("value = 0.4", "value = 0.7"));
        let set = "a.rules.swirl.parameters.strength.value=0.7";
        assert_eq!(overrides(TEXT, &edited).unwrap(), [set]);
        edited.species[0].rules.remove(2);
        let text = edit_toml(TEXT, &edited).unwrap();
        assert_eq!(Scene::parse("test", &text).unwrap().species, edited.species, "{text}");
    }

    #[test]
    fn everybody_is_read_and_written_and_is_within_no_radius() {
        let text = "[species.a.rules.agree]\nradius = \"all\"\ninner = 2\n\
                    sum.v = \"other_velocity\"\nforce = \"v / neighbours\"\n";
        let scene = Scene::parse("test", text).unwrap();
        let formula = scene.species[0].rules[0].kind.formula().unwrap();
        let keys: Vec<&str> = formula.parameters.iter().map(|own| own.key).collect();
        assert_eq!(keys, ["weight", "inner", "fov", "with"]);
        assert!(formula.hears_everybody() && !formula.has_radius());
        assert_eq!(scene.perception_radius(), 0.0, "the grid does not notice");
        for text in [scene.to_toml(), scene.to_full_toml()] {
            let again = Scene::parse("test", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            assert_eq!(again.species, scene.species, "{text}");
            assert!(text.contains("radius = \"all\""), "{text}");
        }
        // From one to the other and back.
        let mut other = scene.clone();
        other.set("a.rules.agree.radius=30").unwrap();
        assert_eq!(other.perception_radius(), 30.0);
        assert_ne!(other.species, scene.species);
        other.set("a.rules.agree.radius=\"all\"").unwrap();
        assert_eq!(other.species, scene.species);
        let problem = |set: &str| scene.clone().set(set).unwrap_err().to_string();
        for (wrong, part) in [
            ("a.rules.agree.radius='al'", "expected a number or \"all\", found \"al\""),
            ("a.rules.agree.nearest=3", "agents are chosen within a radius"),
            ("a.rules.agree.pick='one'", "agents are chosen within a radius"),
            ("a.rules.agree.sum.v='radius'", "known in a rule that gives it as a number alone"),
        ] {
            assert!(problem(wrong).contains(part), "{wrong}: {}", problem(wrong));
        }
    }

    #[test]
    fn sums_are_shared_that_take_nothing_of_the_agent_itself() {
        let shares = |keys: &str, sum: &str| {
            let text = format!(
                "[species.a.rules.r]\nradius = \"all\"\n{keys}\nparameters.k = 2\n\
                 sum.s = \"{sum}\"\nforce = \"zero\"\nstate.p = \"p + 1\"\n"
            );
            let scene = Scene::parse("test", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            scene.shared().iter().count() == 1
        };
        for sum in [
            "1",
            "k * other_velocity",
            "sin(other_p + 0.1 * tick)",
            "other_size * other_species",
            "if(x(other_position) > 3, other_heading, zero)",
        ] {
            assert!(shares("", sum), "{sum}");
            for keys in ["inner = 1", "fov = 300"] {
                assert!(!shares(keys, sum), "{sum}, {keys}");
            }
        }
        for sum in [
            "offset",
            "if(distance < 3, 1, 0)",
            "other_velocity - velocity",
            "direction",
            "other_p - p",
            "other_size - size",
            "position",
            "max_speed * other_speed",
        ] {
            assert!(!shares("", sum), "{sum}");
        }
        let drawn = "[species.a.rules.r]\nradius = \"all\"\nparameters.k = { from = 1, to = 2 }\n\
                     sum.s = \"SUM\"\nforce = \"k * s * velocity\"\n";
        let count = |sum: &str| {
            Scene::parse("test", &drawn.replace("SUM", sum)).unwrap().shared().iter().count()
        };
        assert_eq!((count("1"), count("k")), (1, 0));
    }

    #[test]
    fn states_are_read_and_written_and_colours_of_lost_ones_are_not() {
        let text = "[style]\ncolour = \"state.phase\"\n[species.a.rules.beat]\nforce = \"zero\"\n\
                    state.phase = { next = \"phase + 0.1\", start = { from = 0, to = 1 } }\n\
                    state.n = \"n + 1\"\nstate.normal = { next = \"1\", start = { mean = 2, deviation = 3 } }\n\
                    state.same = { next = \"1\", start = 4 }\n";
        let scene = Scene::parse("test", text).unwrap();
        let names: Vec<&str> = scene.kept_names().iter().collect();
        assert_eq!(names, ["phase", "n", "normal", "same"]);
        for text in [scene.to_toml(), scene.to_full_toml()] {
            let again = Scene::parse("test", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            assert_eq!((&again.species, &again.style), (&scene.species, &scene.style), "{text}");
        }
        let mut without = scene.clone();
        without.species[0].rules.clear();
        let text = without.to_toml();
        assert!(Scene::parse("test", &text).is_ok() && !text.contains("state."), "{text}");
        assert!(Scene::parse("test", "[style]\ncolour = \"state.phase\"\n[species.a]\n").is_err());
    }

    #[test]
    fn every_key_of_a_rule_can_be_set() {
        let set = |assignment: &str| {
            let mut scene = Scene::parse("test", TEXT).unwrap();
            scene.set(assignment).map(|()| scene).map_err(|error| error.to_string())
        };
        let changed = set("a.rules.swirl.force=\"k * drift\"").unwrap();
        assert_eq!(changed.species[0].rules[1].kind.formula().unwrap().text.force, "k * drift");
        for good in [
            "a.rules.swirl.sum.drift='offset'",
            "a.rules.swirl.sum.n='1'",
            "a.rules.swirl.weight=2",
            "a.rules.swirl.inner=3",
            "a.rules.swirl.radius=3",
            "a.rules.swirl.with='b'",
            "a.rules.swirl.parameters.k=4",
            "a.rules.swirl.parameters.k={ base = 3, amplitude = 1 }",
            "a.rules.swirl.parameters.strength.value={ base = 1, amplitude = 0.2 }",
            "a.rules.swirl.parameters.k={ from = 1, to = 2 }",
            "a.rules.new.force='zero'",
            "a.rules.drag=none",
        ] {
            set(good).unwrap_or_else(|error| panic!("{error}"));
        }
        for (wrong, part) in [
            (
                "a.rules.swirl.force='drft'",
                "a.rules.swirl.force: column 1: nothing is called `drft`",
            ),
            ("a.rules.swirl.force=3", "force: expected a string, found 3"),
            ("a.rules.swirl.sum.drift='speed <'", "sum.drift: column 8: a value is missing"),
            ("a.rules.swirl.sum.sin='1'", "sum.sin: this name means something else"),
            ("a.rules.swirl.parameters.strength.value=3", "value: 3 is outside 0 to 2"),
            ("a.rules.swirl.parameters.k={ range = [0, 2] }", "give its `value`"),
            (
                "a.rules.swirl.parameters.k={ value = 1, range = [2, 0] }",
                "the smallest and the largest",
            ),
            ("a.rules.swirl.radius='all'", "sum.drift: column 32: `radius` is known in a rule"),
            ("a.rules.swirl.radus=3", "unknown key; did you mean `radius`?"),
            ("a.rules.drag.radius=3", "a rule without a `sum` looks at nobody"),
            ("a.rules.swirl.force=none", "a rule needs a `force`"),
            ("a.rules.x.weight=1", "a rule needs a `force`"),
        ] {
            let error = set(wrong).err().unwrap_or_else(|| panic!("{wrong} is taken"));
            assert!(error.contains(part), "{wrong}: {error}");
        }
        let nine: String = (0..9).map(|n| format!("rules.r{n}.force = 'zero'\n")).collect();
        let error = Scene::parse("test", &format!("[species.a]\n{nine}")).unwrap_err();
        assert!(error.to_string().contains("at most 8 rules in text, this one 9"), "{error}");
        let many: String = (0..5)
            .flat_map(|species| (0..8).map(move |nth| (species, nth)))
            .map(|(species, nth)| {
                format!("[species.s{species}.rules.r{nth}]\nforce = '{species} * velocity'\n")
            })
            .collect();
        let error = Scene::parse("test", &many).unwrap_err();
        assert!(error.to_string().contains("at most 32 different rules in text"), "{error}");
        let named = "[species.a.rules.\"a b\"]\nforce = 'zero'\n";
        let error = Scene::parse("test", named).unwrap_err();
        assert!(error.to_string().contains("the name of a rule has letters"), "{error}");
    }
}
