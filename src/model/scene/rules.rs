//! The behaviours of a species: what it may have besides, and what goes with one that it loses.

use super::slot::Slot;
use super::{Rule, Scene, Species};
use crate::behaviours::Kind;
use crate::formula::Formula;
use crate::parameter::{Meaning, Parameter};

/// The value of a behaviour's parameter if the file gives none, for the species of number `own`.
fn default_value(parameter: &Parameter, own: usize) -> f32 {
    match parameter.meaning {
        Meaning::SpeciesSet { own: true } => (1_u32 << own) as f32,
        _ => parameter.default,
    }
}

impl Rule {
    /// A behaviour with its defaults, for the species of number `own`.
    #[must_use]
    pub fn by_default(kind: Kind, own: usize) -> Self {
        let values = kind.info().parameters.iter().map(|p| default_value(p, own)).collect();
        Self { kind, values }
    }

    /// The same as it is added by hand to one of `species` species: what hunts or flees has other
    /// species in mind.
    #[must_use]
    pub fn added(kind: Kind, own: usize, species: usize) -> Self {
        let mut rule = Self::by_default(kind, own);
        let others = ((1_u32 << species) - 1) & !(1 << own);
        for (parameter, value) in kind.info().parameters.iter().zip(&mut rule.values) {
            let is_set = matches!(parameter.meaning, Meaning::SpeciesSet { .. });
            if is_set && kind.info().needs.others && others != 0 {
                *value = others as f32;
            }
        }
        rule
    }
}

impl Species {
    /// Puts another rule in text in the place of one, with the values of the parameters that both have.
    pub fn rewrite(&mut self, place: usize, formula: &'static Formula, own: usize) {
        let Some(Rule { kind, values }) = self.rules.get_mut(place) else { return };
        let (before, after) = (*kind, Kind::Formula(formula));
        let value = |parameter: &Parameter| {
            let known = before.parameter(parameter.key).and_then(|index| values.get(index));
            known.copied().unwrap_or_else(|| default_value(parameter, own))
        };
        *values = formula.parameters.iter().map(value).collect();
        *kind = after;
        self.variations.retain_mut(|variation| match variation.slot {
            Slot::Rule(of, index) if of == before => {
                let key = before.info().parameters[index].key;
                let kept = after.parameter(key);
                variation.slot = Slot::Rule(after, kept.unwrap_or_default());
                kept.is_some()
            }
            _ => true,
        });
    }

    /// Adds a rule in text behind the others, which stand together.
    pub fn add_formula(&mut self, rule: Rule) {
        let last = self.rules.iter().rposition(|rule| rule.kind.formula().is_some());
        self.rules.insert(last.map_or(self.rules.len(), |last| last + 1), rule);
    }

    /// Takes away a behaviour and what its numbers vary by.
    pub fn remove(&mut self, kind: Kind) {
        self.rules.retain(|rule| rule.kind != kind);
        self.variations.retain(|v| !matches!(v.slot, Slot::Rule(of, _) if of == kind));
    }
}

impl Scene {
    /// Why a species of this scene cannot have a behaviour; none: it can.
    #[must_use]
    pub fn why_not(&self, species: &Species, kind: Kind) -> Option<&'static str> {
        let needs = kind.info().needs;
        let turns = |rule: &Rule| rule.kind != kind && rule.kind.info().needs.angle;
        if species.rule(kind).is_some() {
            Some("the species has it already")
        } else if needs.paths_within.is_some() && self.paths.is_empty() {
            Some("it needs a path; the scene has none")
        } else if needs.flow && self.flow.is_none() {
            Some("it needs a flow field; the scene has none")
        } else if needs.angle && species.rules.iter().any(turns) {
            Some("another behaviour of the species turns the same angle")
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hunts_is_added_for_the_others() {
        for kind in Kind::ALL {
            let plain = Rule::by_default(kind, 1);
            assert_eq!(Rule::added(kind, 0, 1), Rule::by_default(kind, 0), "{kind:?} alone");
            let hunts = ["pursue", "evade"].contains(&kind.info().key);
            let added = Rule::added(kind, 1, 3);
            match hunts {
                true => assert_eq!(added.values[kind.parameter("with").unwrap()], 5.0),
                false => assert_eq!(added, plain),
            }
        }
    }

    #[test]
    fn a_species_is_offered_what_its_file_could_say() {
        let text = "[species.b]\n[species.a]\nwander = { weight = { base = 1, amplitude = 0.5 } }\n\
                    cohesion = { weight = { base = 1, amplitude = 0.5 } }\n";
        let mut scene = Scene::parse("test", text).unwrap();
        let mut offered = 0;
        for kind in Kind::ALL {
            let mut wanted = scene.clone();
            let why_not = scene.why_not(&scene.species[1], kind);
            wanted.species[1].rules.push(Rule::by_default(kind, 1));
            let again = Scene::parse("test", &wanted.to_toml());
            let same = again.is_ok_and(|again| again.species[1].rules == wanted.species[1].rules);
            assert_eq!(same, why_not.is_none(), "{kind:?}: {why_not:?}");
            offered += usize::from(same);
        }
        assert!(offered > 8, "{offered}");
        let wander = scene.species[1].rules[0].kind;
        scene.species[1].remove(wander);
        assert_eq!((scene.species[1].rules.len(), scene.species[1].variations.len()), (1, 1));
    }
}
