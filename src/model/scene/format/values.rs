//! The values of parameters in a scene file: numbers, numbers that vary, and names.

use super::fields::{Entry, Fields, Form, Written, number, text};
use super::reader::Reader;
use super::tables::{LawKeys, PERIOD};
use crate::behaviours::Target;
use crate::parameter::{ALL_SPECIES, Meaning, NEAREST_PATH, NEAREST_TARGET, NO_TARGET, Parameter};
use crate::quote::quoted;
use crate::scene::{Law, SceneError, suggest};
use crate::scenery::Path;

/// The nearest target or path.
const NEAREST: &str = "nearest";
/// No target.
const NONE: &str = "none";
/// All species.
pub const ALL: &str = "all";

/// The names that parameters refer to.
pub struct SceneNames<'a> {
    /// In the order of the scene.
    pub species: &'a [&'a str],
    /// The pointer first.
    pub targets: &'a [Target],
    /// In the order of the scene.
    pub paths: &'a [Path],
}

impl SceneNames<'_> {
    /// The value of a parameter, or its base and its law.
    pub fn read(
        &self,
        value: &Reader,
        parameter: &Parameter,
    ) -> Result<(f32, Option<Law>), SceneError> {
        let constant = match parameter.meaning {
            Meaning::Choice(choices) => {
                let indices: Vec<(&str, f32)> =
                    choices.iter().enumerate().map(|(i, name)| (*name, i as f32)).collect();
                value.choice(&indices)?
            }
            Meaning::Target => self.target(value, parameter.default == NO_TARGET)?,
            Meaning::Path => self.path(value)?,
            Meaning::SpeciesSet { .. } => self.species_set(value)?,
            Meaning::FieldOfView => value.parameter(parameter)?,
            Meaning::Number | Meaning::Angle if !value.is_table() => value.parameter(parameter)?,
            Meaning::Number | Meaning::Angle => {
                let (base, law) = law(value, parameter)?;
                return Ok((base, Some(law)));
            }
        };
        Ok((constant, None))
    }

    fn path(&self, value: &Reader) -> Result<f32, SceneError> {
        let text = value.text()?;
        if text == NEAREST {
            return Ok(NEAREST_PATH);
        }
        let mut known: Vec<&str> = self.paths.iter().map(|path| path.name.as_str()).collect();
        if let Some(index) = known.iter().position(|name| *name == text) {
            return Ok(index as f32);
        }
        known.push(NEAREST);
        Err(value.fail(format!("no path is called {}; {}", quoted(text), suggest(text, &known))))
    }

    /// `or_none`: the behaviour also works without a target.
    fn target(&self, value: &Reader, or_none: bool) -> Result<f32, SceneError> {
        let text = value.text()?;
        if text == NEAREST {
            return Ok(NEAREST_TARGET);
        }
        if or_none && text == NONE {
            return Ok(NO_TARGET);
        }
        let mut known: Vec<&str> = self.targets.iter().map(|t| t.name.as_str()).collect();
        if let Some(index) = known.iter().position(|name| *name == text) {
            return Ok(index as f32);
        }
        known.push(NEAREST);
        Err(value.fail(format!("no target is called {}; {}", quoted(text), suggest(text, &known))))
    }

    fn species_set(&self, value: &Reader) -> Result<f32, SceneError> {
        let mut bits = 0_u32;
        let mut all = false;
        for item in value.items() {
            let text = item.text()?;
            if text == ALL {
                all = true;
                continue;
            }
            let Some(index) = self.species.iter().position(|name| *name == text) else {
                let help = suggest(text, self.species);
                return Err(item.fail(format!("no species is called {}; {help}", quoted(text))));
            };
            bits |= 1 << index;
        }
        Ok(if all { ALL_SPECIES } else { bits as f32 })
    }

    /// The text for a parameter with this value, or with this base and law.
    pub fn write(&self, parameter: &Parameter, value: f32, law: Option<&Law>) -> Written {
        if let Some(law) = law {
            let unwritten = LawKeys::unwritten(parameter.default);
            return Written::Table(Form::Inline, LawKeys::of(value, law).entries(&unwritten, 2));
        }
        // If there is no such name, write the number. No file may have it, so it cannot read back
        // as something else.
        let named = |name: Option<&str>| Written::Value(name.map_or_else(|| number(value), text));
        let index = (value >= 0.0 && value.fract() == 0.0).then_some(value as usize);
        match parameter.meaning {
            Meaning::Choice(names) => named(index.and_then(|i| names.get(i).copied())),
            Meaning::Target if value == NEAREST_TARGET => named(Some(NEAREST)),
            Meaning::Target if value == NO_TARGET => named(Some(NONE)),
            Meaning::Target => named(index.and_then(|i| Some(self.targets.get(i)?.name.as_str()))),
            Meaning::Path if value == NEAREST_PATH => named(Some(NEAREST)),
            Meaning::Path => named(index.and_then(|i| Some(self.paths.get(i)?.name.as_str()))),
            Meaning::SpeciesSet { .. } if value == ALL_SPECIES => named(Some(ALL)),
            Meaning::SpeciesSet { .. } => {
                let bits = value as u32;
                let members = self.species.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
                let names: Vec<String> = members.map(|(_, name)| text(name)).collect();
                Written::Value(format!("[{}]", names.join(", ")))
            }
            Meaning::Number | Meaning::Angle | Meaning::FieldOfView => {
                Written::Value(number(value))
            }
        }
    }

    /// The key and value of a parameter. `default` is the value in a file without the key.
    pub fn entry(
        &self,
        parameter: &Parameter,
        value: f32,
        default: f32,
        law: Option<&Law>,
    ) -> Entry {
        Entry {
            key: parameter.key.into(),
            value: Some(self.write(parameter, value, law)),
            default: Some(self.write(parameter, default, None)),
        }
    }
}

/// A base value and its law: `{ base, amplitude, period }`, `{ base, grows_with_size }`, `{ base,
/// shrinks_with_size }` or `{ from, to }`.
fn law(table: &Reader, parameter: &Parameter) -> Result<(f32, Law), SceneError> {
    let mut keys = LawKeys::default();
    for (key, value) in table.section(LawKeys::SECTION)? {
        keys.read_key(&key.of(parameter), &value)?;
    }
    let LawKeys { base, amplitude, period, grows_with_size, shrinks_with_size, from, to } = keys;
    let noise = |amplitude| Law::Noise { amplitude, period: period.unwrap_or(PERIOD) };
    let laws: Vec<Law> = [
        grows_with_size.map(|scale| Law::GrowsWithSize { scale }),
        shrinks_with_size.map(|scale| Law::ShrinksWithSize { scale }),
        amplitude.map(noise),
    ]
    .into_iter()
    .flatten()
    .collect();
    if from.is_some() || to.is_some() {
        let (Some(from), Some(to)) = (from, to) else {
            let problem = "`from` and `to` belong together, as in { from = 2, to = 4 }: each agent \
                           draws a number between them";
            return Err(table.fail(problem));
        };
        if !laws.is_empty() || base.is_some() || period.is_some() {
            let problem = "a number is drawn for each agent or follows a law, not both; remove \
                           `from` and `to`, or all other keys";
            return Err(table.fail(problem));
        }
        if from > to {
            let problem = format!("`from` is {from}, which is above `to`, {to}; exchange them");
            return Err(table.fail(problem));
        }
        return Ok((to, Law::PerAgent { from }));
    }
    let base = base.unwrap_or(parameter.default);
    match laws[..] {
        [Law::GrowsWithSize { .. } | Law::ShrinksWithSize { .. }] if parameter.key == "size" => {
            Err(table.fail("a size cannot depend on itself; write a number"))
        }
        [law] => Ok((base, law)),
        _ => Err(table.fail(
            "expected one law: { base, amplitude, period } for noise in time, { base, \
             grows_with_size } or { base, shrinks_with_size } with a size in world units, or { from, \
             to } for a number that each agent draws",
        )),
    }
}
