//! Species come and go in a scene; behaviours go on naming the same ones.

use super::format::is_a_key;
use super::{OriginalIndex, Rule, Scene, Species};
use crate::behaviours::Kind;
use crate::parameter::{ALL_SPECIES, MAX_SPECIES, Meaning};

/// The longest name that can be given to a species; letters.
const MAX_NAME_LETTERS: usize = 40;

impl Scene {
    /// Adds a copy of species `like` as the last one. The copy treats its own species as the original
    /// treats its own. Behaviours that list the original also list the copy. Fails, and changes
    /// nothing, if there is no such species or no room for one more.
    pub fn copy_species(&mut self, like: usize) -> Result<(), String> {
        let last = self.species.len();
        if last >= MAX_SPECIES {
            return Err(format!("a scene has at most {MAX_SPECIES} species: none was added"));
        }
        let own = self.species.get(like).ok_or("there is no such species to copy")?;
        let before = self.species.clone();
        let original = OriginalIndex::default();
        let copy = Species { name: self.new_name(&own.name), original, ..own.clone() };
        self.species.push(copy);
        for (index, species) in self.species.iter_mut().enumerate() {
            change_sets(species, |bits| match bits >> like & 1 == 1 {
                true if index == last => bits & !(1 << like) | 1 << last,
                true if index != like => bits | 1 << last,
                _ => bits,
            });
        }
        // Rules in text say their parameters for one species more.
        self.check().map_err(|error| {
            self.species = before;
            format!("{}: {}: none was added", error.key, error.problem)
        })
    }

    /// Removes a species. Those after it move up, and sets of species follow. Fails, and changes
    /// nothing, if no agent would be left at the start.
    pub fn remove_species(&mut self, index: usize) -> Result<(), String> {
        let gone = self.species.get(index).ok_or("there is no such species to remove")?;
        if self.own_count() == gone.count {
            return Err(format!("`{}` alone has agents at the start: it stays", gone.name));
        }
        self.species.remove(index);
        let below = (1_u32 << index) - 1;
        for species in &mut self.species {
            change_sets(species, |bits| bits & below | bits >> 1 & !below);
        }
        Ok(())
    }

    /// Gives all species the counts that they have in `written`, and new ones none. Changes nothing if an override
    /// asks for another count; then returns its species and the count.
    pub fn keep_counts(&mut self, written: &Self) -> Option<(String, u64)> {
        let own = |species: &Species| {
            let same = written.species.iter().find(|own| own.name == species.name);
            same.map_or(0, |same| same.count)
        };
        let other = |species: &&Species| species.count != own(species) && self.asks_count(species);
        if let Some(species) = self.species.iter().find(other) {
            return Some((species.name.clone(), species.count));
        }
        self.species.iter_mut().for_each(|species| species.count = own(species));
        None
    }

    /// Gives a species another name. Fails, and changes nothing, if a file or `--set` could not say
    /// that name.
    pub fn rename_species(&mut self, index: usize, name: &str) -> Result<(), String> {
        let own = self.species.get(index).map_or("", |species| species.name.as_str());
        if own == name {
            return Ok(());
        }
        let letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || name.len() > MAX_NAME_LETTERS || !name.chars().all(letter) {
            return Err(format!(
                "a name has 1 to {MAX_NAME_LETTERS} of the letters a to z, digits, _ and -: it is still `{own}`"
            ));
        }
        if is_a_key(name) || self.species.iter().any(|species| species.name == name) {
            return Err(format!("the name `{name}` is taken: it is still `{own}`"));
        }
        if let Some(species) = self.species.get_mut(index) {
            species.name = name.into();
        }
        Ok(())
    }

    /// True if agents perceive some neighbours and others not, by their species: also in a scene of one species, which
    /// may perceive none.
    #[must_use]
    #[doc(hidden)]
    pub fn tells_species(&self) -> bool {
        let deaf = |rule: &Rule| {
            let mut values = rule.kind.info().parameters.iter().zip(&rule.values);
            values.any(|(own, value)| {
                matches!(own.meaning, Meaning::SpeciesSet { .. }) && *value == 0.0
            })
        };
        self.species.len() > 1 || self.species.iter().any(|own| own.rules.iter().any(deaf))
    }

    /// The value of a parameter of one of its species, if the behaviour has it: of a set of species those that are
    /// there.
    pub(super) fn value_among(&self, own: &Species, kind: Kind, key: &str) -> Option<f32> {
        let slot = kind.parameter(key)?;
        let value = own.value(kind, slot);
        Some(match kind.info().parameters[slot].meaning {
            Meaning::SpeciesSet { .. } => (value as u32 & ((1 << self.species.len()) - 1)) as f32,
            _ => value,
        })
    }

    /// A name that no species has, made of another one's: `a`, `a2`, `a3`, …
    fn new_name(&self, like: &str) -> String {
        let stem = like.trim_end_matches(|c: char| c.is_ascii_digit());
        let stem = if stem.is_empty() { "species" } else { stem };
        let is_new = |name: &String| self.species.iter().all(|species| species.name != *name);
        (2..).map(|number| format!("{stem}{number}")).find(is_new).unwrap_or_default()
    }
}

/// Changes every set of species that a behaviour has, as bits. The set of all stays that.
fn change_sets(species: &mut Species, change: impl Fn(u32) -> u32) {
    for rule in &mut species.rules {
        for (parameter, value) in rule.kind.info().parameters.iter().zip(&mut rule.values) {
            if matches!(parameter.meaning, Meaning::SpeciesSet { .. }) && *value != ALL_SPECIES {
                *value = change(*value as u32) as f32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[species.a]\ncount = 5\ncohesion = {}\nevade = { with = [\"b\", \"c\"] }\n\
                        [species.b]\ncount = 2\npursue = { with = \"a\" }\nseparation = { with = \"all\" }\n\
                        [species.c]\ncount = 0\nalignment = { with = [\"a\", \"c\"] }\n";

    fn scene() -> Scene {
        Scene::parse("test", TEXT).unwrap()
    }

    /// The scene as its file says it: names in the place of numbers.
    fn said(scene: &Scene, line: &str) {
        let text = scene.to_toml();
        assert!(text.contains(line), "{line} is missing in\n{text}");
        assert_eq!(Scene::parse("test", &text).unwrap().species, scene.species);
    }

    #[test]
    fn a_copy_is_to_its_own_as_the_original_is() {
        let mut copied = scene();
        copied.copy_species(1).unwrap();
        let names: Vec<&str> = copied.species.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c", "b2"]);
        said(&copied, "[species.a.evade]\nwith = [\"b\", \"c\", \"b2\"]");
        said(&copied, "[species.b2.pursue]\nwith = [\"a\"]");
        assert_eq!(copied.species[3].rules[1].values, copied.species[1].rules[1].values);
        copied.copy_species(2).unwrap();
        said(&copied, "[species.c2.alignment]\nwith = [\"a\", \"c2\"]");
        said(&copied, "[species.c.alignment]\nwith = [\"a\", \"c\"]");
        // The species that was added and removed has left no trace.
        copied.remove_species(4).unwrap();
        copied.remove_species(3).unwrap();
        assert_eq!(copied.species, scene().species);
        while copied.species.len() < MAX_SPECIES {
            copied.copy_species(0).unwrap();
        }
        assert!(copied.copy_species(0).unwrap_err().contains("at most 16"));
    }

    #[test]
    fn a_copy_for_which_a_rule_has_no_room_is_refused() {
        let values = |name: &str| {
            let values: String = (0..12).map(|own| format!("s{own} = 1, ")).collect();
            format!("parameters.{name} = {{ {values} }}\n")
        };
        let species: String = (1..12).map(|own| format!("[species.s{own}]\n")).collect();
        let rule = "[species.s0.rules.r]\nsum.s = \"j * k\"\nforce = \"s * velocity\"\n";
        let text = format!("{species}[species.s0]\n{rule}{}{}", values("j"), values("k"));
        let mut scene = Scene::parse("test", &text).unwrap();
        let before = scene.species.clone();
        let why = scene.copy_species(3).unwrap_err();
        assert!(why.contains("at most 24 of them, this one 26: none was added"), "{why}");
        assert_eq!(scene.species, before);
    }

    #[test]
    fn those_after_a_removed_species_move_up() {
        let mut scene = scene();
        scene.remove_species(1).unwrap();
        said(&scene, "[species.a.evade]\nwith = [\"c\"]");
        said(&scene, "[species.c.alignment]\nwith = [\"a\", \"c\"]");
        let cohesion = &scene.species[0].rules[0];
        assert_eq!(cohesion.values[cohesion.kind.parameter("with").unwrap()], 1.0, "its own");
        let left = scene.species.clone();
        assert!(scene.remove_species(0).unwrap_err().contains("`a` alone has agents"));
        assert!(scene.remove_species(9).is_err());
        assert_eq!(scene.species, left);
    }

    #[test]
    fn a_name_is_one_that_a_file_can_say() {
        let mut scene = scene();
        for (name, why) in [
            ("b", "taken"),
            ("all", "taken"),
            ("world", "taken"),
            ("", "letters"),
            ("a.b", "letters"),
            ("x y", "letters"),
            (&"x".repeat(41), "letters"),
        ] {
            let problem = scene.rename_species(0, name).unwrap_err();
            assert!(problem.contains(why) && problem.contains("still `a`"), "{name}: {problem}");
        }
        scene.rename_species(0, "bird-2_x").unwrap();
        said(&scene, "[species.b.pursue]\nwith = [\"bird-2_x\"]");
        scene.rename_species(0, "bird-2_x").unwrap();
        assert_eq!(scene.species[0].name, "bird-2_x");
    }
}
