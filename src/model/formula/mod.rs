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
mod compile;
mod functions;
mod joined;
mod operation;
mod parse;
mod program;
mod schedule;
mod tape;
#[cfg(test)]
mod tests;
mod tile;

use std::collections::HashMap;
use std::fmt;
use std::sync::{LazyLock, Mutex, PoisonError};

pub use compile::is_force;
use compile::{COUNT, programs};
pub use operation::{Given, Operation};
pub use parse::{FormulaError, is_name};
pub use program::Program;
pub use tape::{Inputs, Tape};
pub use tile::{Heard, Row, Tile};

use crate::kept::{KeptStart, interned};
use crate::parameter::{
    ALL_NEIGHBOURS, ALL_SPECIES, FULL_CIRCLE, MAX_NEAREST, Meaning, Parameter, Parameters,
};

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

/// The most values of a rule's own parameters.
pub const MAX_PARAMETERS: usize = 24;

/// A parameter of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnParameter {
    /// Its name in formulas.
    pub name: String,
    /// Its smallest and largest value.
    pub range: (f32, f32),
    /// If it has a value for each species that a neighbour may be of: their names in the file. It is 0 for the others.
    pub by_species: Option<Vec<String>>,
}

impl OwnParameter {
    /// The parameters that have its values. After each value for a species comes the set of species that it is for,
    /// which follows species that come, go, or get another name.
    fn declared(&self) -> Vec<Parameter> {
        let value = |name: &str| Parameter {
            key: interned(&format!("{PARAMETERS}.{name}")),
            doc: " A parameter of the rule.",
            meaning: Meaning::Number,
            default: 0.0,
            unit: "",
            range: self.range,
        };
        let Some(species) = &self.by_species else { return vec![value(&self.name)] };
        let both = |species: &String| {
            let name = format!("{}.{species}", self.name);
            let value = value(&name);
            let set = Parameter {
                key: interned(&format!("{PARAMETERS}.{SPECIES_OF}{name}")),
                doc: " The species of that value.",
                meaning: Meaning::SpeciesSet { own: false },
                default: 0.0,
                unit: "species",
                range: (0.0, ALL_SPECIES),
            };
            [value, set]
        };
        species.iter().flat_map(both).collect()
    }
}

/// A number that agents keep for a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnState {
    /// Its name in formulas.
    pub name: String,
    /// The formula of its next value.
    pub next: String,
    /// Its first value.
    pub start: KeptStart,
}

/// The texts of a rule.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RuleText {
    /// Its name in the scene file.
    pub name: String,
    /// Names and formulas of its sums.
    pub sums: Vec<(String, String)>,
    /// The formula of its force, or of the turn that is its force.
    pub force: String,
    /// True if it says by how many turns it turns the heading.
    pub turns: bool,
    /// Its parameters.
    pub parameters: Vec<OwnParameter>,
    /// The numbers that agents keep for it.
    pub states: Vec<OwnState>,
    /// True if it overlooks what is nearer than a radius.
    pub has_inner: bool,
    /// True if everybody is a neighbour, however far away.
    pub everybody: bool,
}

impl RuleText {
    /// The key of its force.
    #[must_use]
    pub fn key_of_force(&self) -> &'static str {
        if self.turns { TURN } else { FORCE }
    }

    /// True if one of its formulas has the word `name`.
    #[must_use]
    pub fn takes(&self, name: &str) -> bool {
        let sums = self.sums.iter().map(|(_, sum)| sum);
        let states = self.states.iter().map(|own| &own.next);
        let no_letter = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        sums.chain(states)
            .chain([&self.force])
            .any(|text| text.split(no_letter).any(|word| word == name))
    }

    /// The keys of parameters and sums that no formula takes, such as `("sum", "drift")`. A sum alone may be there
    /// for the number of neighbours.
    pub fn unused(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let counts = self.sums.len() == 1 && self.takes(COUNT);
        let sums = self.sums.iter().filter(move |_| !counts).map(|(name, _)| (SUM, name.as_str()));
        let parameters = self.parameters.iter().map(|own| (PARAMETERS, own.name.as_str()));
        parameters.chain(sums).filter(|(_, name)| !self.takes(name))
    }
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
    /// Its parameters that are sets of species, of the neighbours that have a value.
    pub sets: &'static [usize],
    /// The results are the components of its sums.
    pub sums: Program,
    /// The results are the components of its force, the truth that they are numbers, and the components as the text
    /// gives them, numbers or not.
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

/// Every rule that was compiled, by its texts and the number of axes, written as one text.
static COMPILED: LazyLock<Mutex<HashMap<String, &'static Formula>>> = LazyLock::new(Mutex::default);

/// The key of the text that is wrong, such as `sum.drift`, and what is wrong with it.
pub type RuleError = (String, FormulaError);

impl Formula {
    /// The rule of these texts in a world of `axes` axes; the same one for the same texts.
    pub fn compiled(text: RuleText, axes: usize) -> Result<&'static Self, RuleError> {
        let mut all = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        let key = format!("{axes} {text:?}");
        if let Some(known) = all.get(&key) {
            return Ok(known);
        }
        let programs = match axes {
            2 => programs::<2>(&text),
            _ => programs::<3>(&text),
        };
        let made: &'static Self = Box::leak(Box::new(Self::of(text, axes, programs?)));
        all.insert(key, made);
        Ok(made)
    }

    fn of(text: RuleText, axes: usize, [sums, force, next]: [Program; 3]) -> Self {
        let own = text.parameters.iter().flat_map(OwnParameter::declared);
        let parameters: Vec<Parameter> = common(&text).into_iter().chain(own).collect();
        let is_set = |parameter: &Parameter| {
            parameter.key.starts_with(PARAMETERS)
                && matches!(parameter.meaning, Meaning::SpeciesSet { .. })
        };
        let sets = (0..parameters.len()).filter(|index| is_set(&parameters[*index]));
        let sets: Vec<usize> = sets.collect();
        let sums_of = text.sums.iter().map(|(name, formula)| format!(" sum.{name} = {formula}"));
        let of_states = text.states.iter().map(|own| format!(" state.{} = {}", own.name, own.next));
        let lines =
            sums_of.chain([format!(" {} = {}", text.key_of_force(), text.force)]).chain(of_states);
        let lines = lines.flat_map(|line| ["", interned(&line)]);
        let about: Vec<&'static str> =
            [" A rule in text of the scene file."].into_iter().chain(lines).collect();
        let takes_spread =
            |program: &Program| program.givens().any(|given| matches!(given, Given::Spread(_)));
        let spreads = takes_spread(&force) || takes_spread(&next);
        let states: Vec<&str> = text.states.iter().map(|own| interned(&own.name)).collect();
        Self {
            key: interned(&format!("rules.{}", text.name)),
            about: about.leak(),
            sets: sets.leak(),
            parameters: parameters.leak(),
            spreads,
            sums,
            force,
            next,
            states: states.leak(),
            axes,
            text,
        }
    }

    /// True if it looks at neighbours.
    #[must_use]
    pub fn sees_neighbours(&self) -> bool {
        !self.text.sums.is_empty()
    }

    /// True if it hears everybody, however far away.
    #[must_use]
    pub fn hears_everybody(&self) -> bool {
        self.sees_neighbours() && self.text.everybody
    }

    /// True if it looks at neighbours within a radius.
    #[must_use]
    pub fn has_radius(&self) -> bool {
        self.sees_neighbours() && !self.text.everybody
    }

    /// True if everybody is in its sums and nothing of the agent itself: then the sums of all agents of a
    /// species differ by their own parts alone.
    #[must_use]
    pub fn is_separable(&self) -> bool {
        let own = |given| match given {
            Given::Tick | Given::Parameter(_) => false,
            Given::Offset(_) | Given::DistanceSquared | Given::InSet(_) => true,
            _ => given.row().is_none(),
        };
        self.hears_everybody() && !self.text.has_inner && !self.sums.givens().any(own)
    }
}

/// The first [`MAX_FORMULAS`] different ones of `rules`, in their order.
#[must_use]
pub fn different(rules: impl IntoIterator<Item = &'static Formula>) -> Vec<&'static Formula> {
    let mut all = Vec::new();
    for rule in rules {
        if all.len() < MAX_FORMULAS && !all.contains(&rule) {
            all.push(rule);
        }
    }
    all
}

crate::parameters! {
    /// The parameters that a rule may have besides its own.
    CommonParameters {
        /// Factor on the force.
        weight: Meaning::Number => 1.0, "", -1e6, 1e6;
        /// How near an agent must be to be a neighbour.
        radius: Meaning::Number => 50.0, "world units", 0.0, MAX_RADIUS;
        /// Agents nearer than this are no neighbours.
        inner: Meaning::Number => 0.0, "world units", 0.0, MAX_RADIUS;
        /// Full angle round the heading within which an agent is seen.
        fov: Meaning::FieldOfView => FULL_CIRCLE, "degrees", 0.0, FULL_CIRCLE;
        /// How many of the nearest agents are neighbours.
        nearest: Meaning::Nearest => ALL_NEIGHBOURS, "agents", ALL_NEIGHBOURS, MAX_NEAREST;
        /// The species that are its neighbours.
        with: Meaning::SpeciesSet { own: false } => ALL_SPECIES, "species", 0.0, ALL_SPECIES;
    }
}

/// The parameters that a rule has besides its own, which follow them.
fn common(text: &RuleText) -> Vec<Parameter> {
    let has = |parameter: &&Parameter| match parameter.key {
        "weight" => true,
        _ if text.sums.is_empty() => false,
        "radius" | "nearest" => !text.everybody,
        "inner" => text.has_inner,
        _ => true,
    };
    <CommonParameters as Parameters<f32>>::TABLE.iter().filter(has).copied().collect()
}

/// The key of a rule's sums.
pub const SUM: &str = "sum";

/// The key of a rule's force. Every rule has it or [`TURN`], and no other table below a species does.
pub const FORCE: &str = "force";

/// The key in its place if the rule turns the heading.
pub const TURN: &str = "turn";

/// The key of a rule's own parameters.
pub const PARAMETERS: &str = "parameters";

/// The beginning of the name of the species that a value is for. It stands in no file, and no name of a parameter has
/// its spaces.
pub const SPECIES_OF: &str = "species of ";

/// The key of the numbers that agents keep.
pub const STATE: &str = "state";
