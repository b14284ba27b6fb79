//! The values of parameters in a scene file: numbers, numbers that vary, and names.

use super::fields::{Fields, name_of};
use super::law::{LawKeys, law};
use super::reader::Reader;
use super::tree::{Node, Table, Value};
use crate::parameter::{
    ALL_NEIGHBOURS, ALL_SPECIES, MAX_NEAREST, Meaning, NEAREST_PATH, NEAREST_TARGET, NO_TARGET,
    PICK_ONE, Parameter,
};
use crate::scene::{Law, Rule, Scene, SceneError, Slot, Species, Variation};

/// The nearest target or path, and the key of a number of neighbours.
const NEAREST: &str = "nearest";
/// No target.
const NONE: &str = "none";
/// All species, or all neighbours.
pub const ALL: &str = "all";

/// The key beside `nearest` that says whether one neighbour is drawn, and its words.
pub const PICK: &str = "pick";
const PICKS: [(&str, bool); 2] = [(ALL, false), ("one", true)];

/// Reads the key `pick` of a behaviour, where the number of neighbours has its value, too.
pub fn read_pick(table: &Reader, rule: &mut Rule) -> Result<(), SceneError> {
    if let Some((pick, slot)) = table.get(PICK).zip(rule.kind.parameter(NEAREST))
        && pick.choice(&PICKS)?
    {
        if rule.values[slot] != ALL_NEIGHBOURS {
            let problem =
                "with `nearest` the neighbours are chosen already; remove one of the two keys";
            return Err(pick.fail(problem));
        }
        rule.values[slot] = PICK_ONE;
    }
    Ok(())
}

/// A number of nearest neighbours.
fn nearest(value: &Reader) -> Result<f32, SceneError> {
    match value.value() {
        Value::Text(text) if text == ALL => Ok(ALL_NEIGHBOURS),
        Value::Number(_) => Ok(value.whole((1, MAX_NEAREST as u64))? as f32),
        _ => Err(value.wrong("a whole number or \"all\"")),
    }
}

/// Parameters refer to species, targets and paths of their scene by name.
impl Scene {
    /// The names of its species.
    pub(super) fn species_names(&self) -> Vec<&str> {
        self.species.iter().map(|species| species.name.as_str()).collect()
    }

    /// The names that a parameter takes, with their values.
    fn values(&self, parameter: &Parameter) -> Vec<(&str, f32)> {
        let targets = || self.targets.iter().map(|target| target.name.as_str());
        let (known, words): (Vec<&str>, &[(&str, f32)]) = match parameter.meaning {
            Meaning::Choice(choices) => (choices.to_vec(), &[]),
            // Some behaviours also work without a target.
            Meaning::Target if parameter.default == NO_TARGET => {
                (targets().collect(), &[(NEAREST, NEAREST_TARGET), (NONE, NO_TARGET)])
            }
            Meaning::Target => (targets().collect(), &[(NEAREST, NEAREST_TARGET)]),
            Meaning::Path => {
                let paths = self.paths.iter().map(|path| path.name.as_str());
                (paths.collect(), &[(NEAREST, NEAREST_PATH)])
            }
            _ => (Vec::new(), &[]),
        };
        let numbered = known.into_iter().enumerate().map(|(index, name)| (name, index as f32));
        // A target or path cannot have the name of a word.
        numbered.chain(words.iter().copied()).collect()
    }

    /// The value of a slot. If it follows a law, this is its base, and the law is added to `variations`.
    pub(super) fn read_slot(
        &self,
        value: &Reader,
        slot: Slot,
        variations: &mut Vec<Variation>,
    ) -> Result<f32, SceneError> {
        let parameter = slot.parameter();
        match parameter.meaning {
            Meaning::Choice(_) => value.choice(&self.values(parameter)),
            Meaning::Target => self.named(value, parameter, "target"),
            Meaning::Path => self.named(value, parameter, "path"),
            Meaning::SpeciesSet { .. } => self.species_set(value),
            Meaning::Nearest => nearest(value),
            Meaning::Number | Meaning::Angle if matches!(value.value(), Value::Table(_)) => {
                let (base, law) = law(value, parameter)?;
                variations.push(Variation { slot, law });
                Ok(base)
            }
            Meaning::FieldOfView | Meaning::Number | Meaning::Angle => {
                value.number(parameter.range, parameter.unit)
            }
        }
    }

    /// Reads a key into the parameter of this name, if `rule` has one.
    pub(super) fn read_into(
        &self,
        rule: &mut Rule,
        key: &str,
        value: &Reader,
        variations: &mut Vec<Variation>,
    ) -> Result<(), SceneError> {
        if let Some(index) = rule.kind.parameter(key) {
            rule.values[index] = self.read_slot(value, Slot::Rule(rule.kind, index), variations)?;
        }
        Ok(())
    }

    fn named(&self, value: &Reader, parameter: &Parameter, kind: &str) -> Result<f32, SceneError> {
        let text = value.text()?;
        let (names, values): (Vec<&str>, Vec<f32>) = self.values(parameter).into_iter().unzip();
        let index = names.iter().position(|name| *name == text);
        index.map(|index| values[index]).ok_or_else(|| value.unknown(kind, text, &names))
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
            let Some(index) = self.species.iter().position(|own| own.name == text) else {
                return Err(item.unknown("species", text, &self.species_names()));
            };
            bits |= 1 << index;
        }
        Ok(if all { ALL_SPECIES } else { bits as f32 })
    }

    /// A parameter with this value, or with this base and law.
    fn written(&self, parameter: &Parameter, value: f32, law: Option<Law>) -> Value<bool> {
        if let Some(law) = law {
            let unwritten = LawKeys::unwritten(parameter.default);
            return Value::Table(LawKeys::from_law(value, law).table(&unwritten, 2));
        }
        match parameter.meaning {
            Meaning::SpeciesSet { .. } if value == ALL_SPECIES => ALL.into(),
            Meaning::SpeciesSet { .. } => {
                let bits = value as u32;
                let members = self.species.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
                Value::list(members.map(|(_, own)| own.name.as_str().into()))
            }
            Meaning::Nearest if [ALL_NEIGHBOURS, PICK_ONE].contains(&value) => ALL.into(),
            // If there is no such name, write the number. No file may have it, so it cannot read
            // back as something else.
            _ => name_of(&value, &self.values(parameter)).unwrap_or_else(|| value.into()),
        }
    }

    /// The key and value of a slot; the key `pick` has a part of a number of neighbours. `unwritten` is the value
    /// in a file without the key.
    pub(super) fn slot_entries(
        &self,
        species: &Species,
        slot: Slot,
        value: f32,
        unwritten: f32,
    ) -> Table<bool> {
        let parameter = slot.parameter();
        let written = self.written(parameter, value, species.law(slot));
        let note = self.written(parameter, unwritten, None) == written;
        let mut entries = vec![(parameter.key.into(), Node { value: written, note })];
        if parameter.meaning == Meaning::Nearest {
            let picks = value == PICK_ONE;
            let value = name_of(&picks, &PICKS);
            entries.extend(value.map(|value| (PICK.into(), Node { value, note: !picks })));
        }
        entries
    }
}
