//! The programs of a rule, from its texts.

use std::cell::Cell;

use super::check::{Checker, OTHER, Own, Type, Value, is_taken};
use super::operation::{Given, Id};
use super::parse::{Expression, FormulaError, Term, is_name, parse};
use super::program::{Draft, Program};
use super::{MAX_PARAMETERS, MAX_SUMS, PARAMETERS, RuleError, RuleText, STATE, common};
use crate::kept::{MAX_KEPT, MAX_NUMBER};
use crate::real::Real;
use crate::vector::{Axes, Space, Vector};

/// The largest component of a force. A larger one, or what is no number, is no force.
const MAX_COMPONENT: f32 = 1e18;

/// True where these are the components of a force.
#[inline(always)]
pub fn is_force<R: Real, const D: usize>(force: Vector<R, D>) -> R::Mask {
    // A NaN is not within it.
    let bound = force.0[0].constant(MAX_COMPONENT);
    let within = |own: R| own.less_than(bound) & (-bound).less_than(own);
    force.0[1..].iter().fold(within(force.0[0]), |all, own| all & within(*own))
}

/// A smaller number is kept as 0: some devices do not distinguish the smallest numbers from it.
const NOTHING: f32 = 1e-18;

/// Fails if a name of the rule is none, is taken, or is there twice.
fn check_names(text: &RuleText) -> Result<(), RuleError> {
    let sums = text.sums.iter().map(|(name, _)| (format!("sum.{name}"), name));
    let own = text.parameters.iter().map(|own| (format!("{PARAMETERS}.{}", own.name), &own.name));
    let states = text.states.iter().map(|own| (format!("{STATE}.{}", own.name), &own.name));
    let of_neighbours: Vec<String> =
        text.states.iter().map(|own| format!("{OTHER}{}", own.name)).collect();
    let mut names: Vec<&str> = Vec::new();
    for (key, name) in sums.chain(own).chain(states) {
        let problem = if !is_name(name) {
            "a name has letters from a to z, digits and _, begins with no digit, and has at most 32 of them"
        } else if is_taken(name)
            || (key.starts_with(STATE) && is_taken(&format!("{OTHER}{name}")))
            || (name == "inner" && text.has_inner)
        {
            "this name means something else in formulas; choose another one"
        } else if of_neighbours.contains(name) {
            "this is what sums call a number that a neighbour keeps; choose another name"
        } else if names.contains(&name.as_str()) {
            "this name is there twice; choose another one"
        } else {
            names.push(name);
            continue;
        };
        return Err((key, FormulaError::new(0, problem)));
    }
    let values = text.parameters.iter().map(|own| own.by_species.as_ref().map_or(1, Vec::len));
    for (key, count, most) in [
        ("sum", text.sums.len(), MAX_SUMS),
        (PARAMETERS, values.sum(), MAX_PARAMETERS),
        (STATE, text.states.len(), MAX_KEPT),
    ] {
        if count > most {
            let problem = format!("a rule has at most {most} of them, this one {count}");
            return Err((key.into(), FormulaError::new(0, problem)));
        }
    }
    Ok(())
}

/// The name of the number of neighbours, which is a sum of ones.
pub(super) const COUNT: &str = "neighbours";

/// The programs of a rule: of its sums, of its force, and of its states.
pub fn programs<const D: usize>(text: &RuleText) -> Result<[Program; 3], RuleError>
where
    Axes<D>: Space<D>,
{
    check_names(text)?;
    let common = common(text);
    let radii = ["radius", "inner"].into_iter().filter_map(|name| {
        Some((name, common.iter().position(|parameter| parameter.key == name)?))
    });
    let number = |name: &str, given: Given| {
        let name = name.into();
        Own { name, of_type: Type::Number, given: vec![given], sets: None }
    };
    let mut own: Vec<Own> =
        radii.map(|(name, index)| number(name, Given::Parameter(index))).collect();
    let (mut index, mut sets) = (common.len(), 0..);
    for parameter in &text.parameters {
        let Some(species) = &parameter.by_species else {
            own.push(number(&parameter.name, Given::Parameter(index)));
            index += 1;
            continue;
        };
        let values = (index..).step_by(2).take(species.len());
        own.push(Own {
            name: parameter.name.clone(),
            of_type: Type::Number,
            given: values.map(Given::Parameter).collect(),
            sets: Some(sets.by_ref().take(species.len()).map(Given::InSet).collect()),
        });
        index += 2 * species.len();
    }
    let states = |prefix: &str, given: fn(usize) -> Given| -> Vec<Own> {
        let named = text.states.iter().enumerate();
        named.map(|(place, own)| number(&format!("{prefix}{}", own.name), given(place))).collect()
    };
    own.extend(states("", Given::Kept));
    let others = states(OTHER, Given::OtherKept);
    let of_neighbour = [&own[..], &others].concat();

    let operations = Cell::new(0);
    let draft = Draft::default();
    let sees_neighbours = !text.sums.is_empty();
    let checker: Checker<'_, D> = Checker {
        draft: &draft,
        own: &of_neighbour,
        of_neighbour: true,
        sums: &text.sums,
        operations: &operations,
    };
    let (mut results, mut sums): (Vec<Id>, Vec<Own>) = (Vec::new(), Vec::new());
    for (name, formula) in &text.sums {
        let fail = |error: FormulaError| (format!("sum.{name}"), error.within(formula));
        let value =
            parse(formula).and_then(|expression| checker.value(&expression)).map_err(fail)?;
        let first = results.len();
        match value {
            Value::Number(number) => results.push(number.id),
            Value::Vector(vector) => results.extend(vector.0.iter().map(|node| node.id)),
            Value::Truth(_) => {
                let problem = "a sum adds up numbers or vectors; write if(…, 1, 0)";
                return Err(fail(FormulaError::new(1, problem)));
            }
        }
        let given = (first..results.len()).map(Given::Sum).collect();
        sums.push(Own { name: name.clone(), of_type: value.of_type(), given, sets: None });
    }
    let counts =
        text.states.iter().map(|own| &own.next).chain([&text.force]).any(|f| f.contains(COUNT));
    if sees_neighbours && counts {
        sums.push(number(COUNT, Given::Sum(results.len())));
        results.push(draft.constant(1.0).id);
    }
    let program_of_sums = draft.finish(&results);

    own.extend(sums);
    let draft = Draft::default();
    let checker = Checker { draft: &draft, own: &own, of_neighbour: false, ..checker };
    let fail = |error: FormulaError| (text.key_of_force().to_string(), error.within(&text.force));
    if text.turns && D != 2 {
        let problem = "this is for planes; in space write force = \"rotate(heading, axis, turns)\"";
        return Err(fail(FormulaError::new(0, problem)));
    }
    let turned = |turns: Expression| {
        let heading = Expression { term: Term::Name("heading".into()), ..turns.clone() };
        Expression { term: Term::Call("rotate".into(), vec![heading, turns.clone()]), ..turns }
    };
    let force = parse(&text.force)
        .map(|expression| if text.turns { turned(expression) } else { expression })
        .and_then(|expression| checker.vector(&expression))
        .map_err(fail)?;
    let sound = is_force(force);
    let results = force.0.iter().map(|own| own.where_or(sound, draft.constant(0.0)).id);
    let results: Vec<Id> =
        results.chain([sound.0.id]).chain(force.0.iter().map(|own| own.id)).collect();
    let program_of_force = draft.finish(&results);

    let draft = Draft::default();
    let checker = Checker { draft: &draft, ..checker };
    let mut results: Vec<Id> = Vec::new();
    for (place, state) in text.states.iter().enumerate() {
        let fail =
            |error: FormulaError| (format!("{STATE}.{}", state.name), error.within(&state.next));
        let next =
            parse(&state.next).and_then(|expression| checker.number(&expression)).map_err(fail)?;
        let [zero, least, most] = [0.0, NOTHING, MAX_NUMBER].map(|number| draft.constant(number));
        let sound = next.less_than(most) & (-most).less_than(next);
        let nothing = next.less_than(least) & (-least).less_than(next);
        let before = draft.given(Given::Kept(place));
        results.push(zero.where_or(nothing, next).where_or(sound, before).id);
    }
    Ok([program_of_sums, program_of_force, draft.finish(&results)])
}
