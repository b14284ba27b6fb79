//! Rules in text: formulas of a scene file that steer agents as the built-in behaviours do.
//!
//! A rule has sums, each added up over the neighbours, and a force. `parse` reads the texts, `check`
//! gives them types and writes them as [`Program`]s, and both engines run these: the CPU by a
//! [`Tape`], the GPU as WGSL that `shaders/formula.rs` prints. So they take the same operations in the
//! same order, and give the same bits.
//!
//! A rule is compiled once and then kept to the end of the process, as the built-in behaviours are:
//! then it is a small value that everything can hold, see [`Formula::compiled`].

mod check;
mod functions;
mod parse;
mod program;
mod tape;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;
use std::sync::{LazyLock, Mutex, PoisonError};

use check::{Checker, Own, Type, Value, is_taken};
pub use parse::{FormulaError, is_name};
use program::{Draft, Id};
pub use program::{Given, Operation, Program};
pub use tape::{Inputs, Row, Tape, Tile};

use crate::kept::{KeptStart, MAX_KEPT, MAX_NUMBER, interned};
use crate::parameter::{ALL_NEIGHBOURS, ALL_SPECIES, FULL_CIRCLE, MAX_NEAREST, Meaning, Parameter};
use crate::real::Real;
use crate::vector::{Axes, Space};

/// The most rules in text of a species.
pub const MAX_RULES: usize = 8;

/// The most different rules in text of a scene.
pub const MAX_FORMULAS: usize = 32;

/// The largest radius of a rule; world units.
const MAX_RADIUS: f32 = 1e6;

/// The range of a parameter to which the scene gives none.
pub const ANY: (f32, f32) = (-1e6, 1e6);

/// The most sums of a rule.
pub const MAX_SUMS: usize = 8;

/// The most parameters of a rule.
pub const MAX_PARAMETERS: usize = 8;

/// The largest component of a force. A larger one, or what is no number, is no force.
const MAX_COMPONENT: f32 = 1e18;

/// A smaller number is kept as 0: some devices do not distinguish the smallest numbers from it.
const NOTHING: f32 = 1e-18;

/// The beginning of the name by which formulas call a number that the neighbour keeps.
const OTHER: &str = "other_";

/// A parameter of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnParameter {
    /// Its name in formulas.
    pub name: String,
    /// Its smallest and largest value.
    pub range: (f32, f32),
}

/// The bits are compared, so that it can be a key.
impl Eq for OwnParameter {}

impl std::hash::Hash for OwnParameter {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
        [self.range.0, self.range.1].map(f32::to_bits).hash(state);
    }
}

/// A number that agents keep for a rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OwnState {
    /// Its name in formulas.
    pub name: String,
    /// The formula of its next value.
    pub next: String,
    /// Its first value.
    pub start: KeptStart,
}

/// The texts of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct RuleText {
    /// Its name in the scene file.
    pub name: String,
    /// Names and formulas of its sums.
    pub sums: Vec<(String, String)>,
    /// The formula of its force.
    pub force: String,
    /// Its parameters.
    pub parameters: Vec<OwnParameter>,
    /// The numbers that agents keep for it.
    pub states: Vec<OwnState>,
    /// True if it overlooks what is nearer than a radius.
    pub has_inner: bool,
}

/// A compiled rule. Two are equal if they are the same one: the same texts in a world of as many axes.
pub struct Formula {
    /// The texts that it was made from.
    pub text: RuleText,
    /// The axes of its world.
    pub axes: usize,
    /// Its key in the table of a species, such as `rules.swirl`.
    pub key: &'static str,
    /// Its formulas, line by line.
    pub about: &'static [&'static str],
    /// Its parameters: the ones that every rule has, then its own.
    pub parameters: &'static [Parameter],
    /// The results are the components of its sums.
    pub sums: Program,
    /// The results are the components of its force.
    pub force: Program,
    /// The results are the next values of its states.
    pub next: Program,
    /// The names of its states.
    pub states: &'static [&'static str],
    /// True if its force takes the direction in which agents leave others at the same spot.
    pub spreads: bool,
}

impl PartialEq for Formula {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Formula {}

impl std::hash::Hash for Formula {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        std::ptr::hash(self, state);
    }
}

impl fmt::Debug for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

/// Every rule that was compiled, by its texts and the number of axes.
static COMPILED: LazyLock<Mutex<HashMap<(RuleText, usize), &'static Formula>>> =
    LazyLock::new(Mutex::default);

/// The key of the text that is wrong, such as `sum.drift`, and what is wrong with it.
pub type RuleError = (String, FormulaError);

impl Formula {
    /// The rule of these texts in a world of `axes` axes; the same one for the same texts.
    pub fn compiled(text: RuleText, axes: usize) -> Result<&'static Self, RuleError> {
        let mut all = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (text, axes);
        if let Some(known) = all.get(&key) {
            return Ok(known);
        }
        let programs = match axes {
            2 => programs::<2>(&key.0),
            _ => programs::<3>(&key.0),
        };
        let made: &'static Self = Box::leak(Box::new(Self::of(key.0.clone(), axes, programs?)));
        all.insert(key, made);
        Ok(made)
    }

    fn of(text: RuleText, axes: usize, [sums, force, next]: [Program; 3]) -> Self {
        let own = text.parameters.iter().map(|own| Parameter {
            key: interned(&format!("{PARAMETERS}.{}", own.name)),
            doc: " A parameter of the rule.",
            range: own.range,
            default: 0.0,
            ..WEIGHT
        });
        let parameters: Vec<Parameter> = common(&text).into_iter().chain(own).collect();
        let sums_of = text.sums.iter().map(|(name, formula)| format!(" sum.{name} = {formula}"));
        let of_states = text.states.iter().map(|own| format!(" state.{} = {}", own.name, own.next));
        let lines = sums_of.chain([format!(" force = {}", text.force)]).chain(of_states);
        let lines = lines.flat_map(|line| ["", interned(&line)]);
        let about: Vec<&'static str> =
            [" A rule in text of the scene file."].into_iter().chain(lines).collect();
        let takes_spread =
            |program: &Program| program.givens().any(|given| matches!(given, Given::Spread(_)));
        let spreads = takes_spread(&force) || takes_spread(&next);
        let states: Vec<&str> = text.states.iter().map(|own| interned(&own.name)).collect();
        Self {
            key: interned(&format!("rules.{}", text.name)),
            about: Box::leak(about.into_boxed_slice()),
            parameters: Box::leak(parameters.into_boxed_slice()),
            spreads,
            sums,
            force,
            next,
            states: Box::leak(states.into_boxed_slice()),
            axes,
            text,
        }
    }

    /// True if it looks at neighbours.
    #[must_use]
    pub fn sees_neighbours(&self) -> bool {
        !self.text.sums.is_empty()
    }

    /// True if its sums take the motion of the agent itself.
    #[must_use]
    pub fn sums_own_motion(&self) -> bool {
        let own = |given| matches!(given, Given::Position(_) | Given::Velocity(_));
        self.sums.givens().any(own)
    }

    /// True if its sums take a number that the agent itself keeps.
    #[must_use]
    pub fn sums_own_state(&self) -> bool {
        self.sums.givens().any(|given| matches!(given, Given::Kept(_)))
    }

    /// True if its sums take a number that the neighbours keep.
    #[must_use]
    pub fn sums_states(&self) -> bool {
        self.sums.givens().any(|given| matches!(given, Given::OtherKept(_)))
    }

    /// True if its sums take the neighbours' sizes.
    #[must_use]
    pub fn sums_sizes(&self) -> bool {
        self.sums.givens().any(|given| given == Given::OtherSize)
    }
}

/// The rules in text of a scene, each once, in their order.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Formulas([Option<&'static Formula>; MAX_FORMULAS]);

impl Formulas {
    /// The first [`MAX_FORMULAS`] different ones of `rules`.
    pub fn of(rules: impl IntoIterator<Item = &'static Formula>) -> Self {
        let mut all = Self::default();
        for rule in rules {
            if all.number(rule).is_none()
                && let Some(free) = all.0.iter_mut().find(|slot| slot.is_none())
            {
                *free = Some(rule);
            }
        }
        all
    }

    /// The rules.
    pub fn iter(&self) -> impl Iterator<Item = &'static Formula> + use<> {
        self.0.into_iter().flatten()
    }

    /// The place of a rule.
    #[must_use]
    pub fn number(&self, rule: &Formula) -> Option<usize> {
        self.iter().position(|own| own == rule)
    }
}

impl fmt::Debug for Formulas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

const WEIGHT: Parameter = Parameter {
    key: "weight",
    doc: " Factor on the force.",
    meaning: Meaning::Number,
    default: 1.0,
    unit: "",
    range: (0.0, 1e6),
};

const RADIUS: Parameter = Parameter {
    key: "radius",
    doc: " How near an agent must be to be a neighbour.",
    default: 50.0,
    unit: "world units",
    range: (0.0, MAX_RADIUS),
    ..WEIGHT
};

const INNER: Parameter = Parameter {
    key: "inner",
    doc: " Agents nearer than this are no neighbours.",
    default: 0.0,
    ..RADIUS
};

const FIELD_OF_VIEW: Parameter = Parameter {
    key: "fov",
    doc: " Full angle round the heading within which an agent is seen.",
    meaning: Meaning::FieldOfView,
    default: FULL_CIRCLE,
    unit: "degrees",
    range: (0.0, FULL_CIRCLE),
};

const NEAREST: Parameter = Parameter {
    key: "nearest",
    doc: " How many of the nearest agents are neighbours.",
    meaning: Meaning::Nearest,
    default: ALL_NEIGHBOURS,
    unit: "agents",
    range: (ALL_NEIGHBOURS, MAX_NEAREST),
};

const WITH: Parameter = Parameter {
    key: "with",
    doc: " The species that are its neighbours.",
    meaning: Meaning::SpeciesSet { own: false },
    default: ALL_SPECIES,
    unit: "species",
    range: (0.0, ALL_SPECIES),
};

/// The key of a rule's own parameters.
pub const PARAMETERS: &str = "parameters";

/// The parameters that a rule has besides its own, which follow them.
fn common(text: &RuleText) -> Vec<Parameter> {
    let mut all = vec![WEIGHT];
    if !text.sums.is_empty() {
        all.push(RADIUS);
        all.extend(text.has_inner.then_some(INNER));
        all.extend([FIELD_OF_VIEW, NEAREST, WITH]);
    }
    all
}

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
    for (key, count, most) in [
        ("sum", text.sums.len(), MAX_SUMS),
        (PARAMETERS, text.parameters.len(), MAX_PARAMETERS),
        (STATE, text.states.len(), MAX_KEPT),
    ] {
        if count > most {
            let problem = format!("a rule has at most {most} of them, this one {count}");
            return Err((key.into(), FormulaError::new(0, problem)));
        }
    }
    Ok(())
}

/// The key of the numbers that agents keep.
pub const STATE: &str = "state";

/// The name of the number of neighbours, which is a sum of ones.
const COUNT: &str = "neighbours";

/// The programs of a rule: of its sums, of its force, and of its states.
fn programs<const D: usize>(text: &RuleText) -> Result<[Program; 3], RuleError>
where
    Axes<D>: Space<D>,
{
    check_names(text)?;
    let common = common(text);
    let radii = ["radius", "inner"].into_iter().filter_map(|name| {
        Some((name, common.iter().position(|parameter| parameter.key == name)?))
    });
    let own = text.parameters.iter().map(|own| own.name.as_str()).zip(common.len()..);
    let number = |(name, index): (&str, usize)| Own {
        name: name.into(),
        of_type: Type::Number,
        given: vec![Given::Parameter(index)],
    };
    let mut own: Vec<Own> = radii.chain(own).map(number).collect();
    let states = |prefix: &str, given: fn(usize) -> Given| -> Vec<Own> {
        let named = text.states.iter().enumerate();
        let named = named.map(|(place, own)| (format!("{prefix}{}", own.name), given(place)));
        let own = |(name, given)| Own { name, of_type: Type::Number, given: vec![given] };
        named.map(own).collect()
    };
    own.extend(states("", Given::Kept));
    let others = states(OTHER, Given::OtherKept);
    let of_neighbour = [&own[..], &others].concat();

    let operations = Cell::new(0);
    let draft = Draft::default();
    let sees_neighbours = !text.sums.is_empty();
    let checker = Checker {
        draft: &draft,
        own: &of_neighbour,
        of_neighbour: true,
        sees_neighbours,
        operations: &operations,
    };
    let (mut results, mut sums): (Vec<Id>, Vec<Own>) = (Vec::new(), Vec::new());
    for (name, formula) in &text.sums {
        let fail = |error: FormulaError| (format!("sum.{name}"), error);
        let value = parse::parse(formula)
            .and_then(|expression| checker.value::<D>(&expression))
            .map_err(fail)?;
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
        sums.push(Own { name: name.clone(), of_type: value.of_type(), given });
    }
    let counts =
        text.states.iter().map(|own| &own.next).chain([&text.force]).any(|f| f.contains(COUNT));
    if sees_neighbours && counts {
        let given = vec![Given::Sum(results.len())];
        sums.push(Own { name: COUNT.into(), of_type: Type::Number, given });
        results.push(draft.constant(1.0).id);
    }
    let program_of_sums = draft.finish(&results);

    own.extend(sums);
    let draft = Draft::default();
    let checker = Checker {
        draft: &draft,
        own: &own,
        of_neighbour: false,
        sees_neighbours,
        operations: &operations,
    };
    let fail = |error: FormulaError| ("force".to_string(), error);
    let force = parse::parse(&text.force)
        .and_then(|expression| checker.wanted::<D>(&expression, Type::Vector))
        .map_err(fail)?;
    let Value::Vector(force) = force else {
        return Err(fail(FormulaError::new(1, "expected a vector")));
    };
    // A NaN is not within it.
    let bound = draft.constant(MAX_COMPONENT);
    let all = force.0.iter().map(|own| own.less_than(bound) & (-bound).less_than(*own));
    let sound = all.reduce(|one, other| one & other);
    let sound = sound.unwrap_or_else(|| draft.truth(true));
    let results = force.0.map(|own| own.where_or(sound, draft.constant(0.0)).id);
    let program_of_force = draft.finish(&results);

    let draft = Draft::default();
    let checker = Checker { draft: &draft, ..checker };
    let mut results: Vec<Id> = Vec::new();
    for (place, state) in text.states.iter().enumerate() {
        let fail = |error: FormulaError| (format!("{STATE}.{}", state.name), error);
        let next = parse::parse(&state.next)
            .and_then(|expression| checker.wanted::<D>(&expression, Type::Number))
            .map_err(fail)?;
        let Value::Number(next) = next else {
            return Err(fail(FormulaError::new(1, "expected a number")));
        };
        let [zero, least, most] = [0.0, NOTHING, MAX_NUMBER].map(|number| draft.constant(number));
        let sound = next.less_than(most) & (-most).less_than(next);
        let nothing = next.less_than(least) & (-least).less_than(next);
        let before = draft.given(Given::Kept(place));
        results.push(zero.where_or(nothing, next).where_or(sound, before).id);
    }
    Ok([program_of_sums, program_of_force, draft.finish(&results)])
}
