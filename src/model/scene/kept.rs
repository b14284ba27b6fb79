//! The numbers that the agents of a scene keep for its rules in text.

use super::slot::number_of_key;
use super::{ColourBy, Scene, Species};
use crate::formula::{OwnState, STATE};
use crate::kept::{KeptNames, KeptRow, MAX_KEPT, full_name};
use crate::quote::{cut, suggest};
use crate::state::FlockState;

impl Species {
    /// The numbers that its agents keep, with their names.
    pub fn states(&self) -> impl Iterator<Item = (&'static str, &'static OwnState)> + '_ {
        let formulas = self.rules.iter().filter_map(|rule| rule.kind.formula());
        formulas.flat_map(|own| own.states.iter().copied().zip(&own.text.states))
    }
}

impl Scene {
    /// The numbers that its agents keep.
    #[must_use]
    pub fn kept_names(&self) -> KeptNames {
        let own = |(number, species): (usize, &Species)| -> Vec<_> {
            species.states().map(|(name, _)| (number, name)).collect()
        };
        KeptNames::by_species(self.species.iter().enumerate().flat_map(own))
    }

    /// The numbers that an agent of a species keeps before the first tick.
    #[must_use]
    pub fn first_kept(&self, names: KeptNames, species: u8, id: u32) -> KeptRow {
        let mut row = KeptRow::default();
        let states = self.species.get(usize::from(species)).into_iter().flat_map(Species::states);
        for (name, state) in states {
            if let Some(place) = names.place(name) {
                row[place] = state.start.of_agent(self.seed, id, number_of_key(name));
            }
        }
        row
    }

    /// The numbers that the agents in `state` keep, in the order of [`Self::kept_names`]: a first one where
    /// their species kept none of that name, 0 where it keeps none now. Empty if the scene's agents keep none.
    #[must_use]
    pub fn kept_of(&self, state: &FlockState) -> Vec<KeptRow> {
        let names = self.kept_names();
        if names.is_empty() {
            return Vec::new();
        }
        let known: Vec<_> = names.iter().map(|name| state.kept_names.place(name)).collect();
        let one = |row: usize| {
            let species = state.species[row];
            let mut own = self.first_kept(names, species, state.id[row]);
            let Some(before) = state.kept.get(row) else { return own };
            for (place, known) in known.iter().enumerate().filter(|own| names.keeps(own.0, species))
            {
                if let Some(known) = known.filter(|known| state.kept_names.keeps(*known, species)) {
                    own[place] = before[known];
                }
            }
            own
        };
        (0..state.len()).map(one).collect()
    }

    /// Puts headings in place of colours that show a number which no rule keeps any more.
    pub(super) fn forget_lost_colours(&mut self) {
        let names = self.kept_names();
        let own = self.species.iter_mut().map(|species| &mut species.colour);
        for colour in own.chain([&mut self.style.colour]) {
            if let ColourBy::State(name) = colour
                && names.place(name).is_none()
            {
                *colour = ColourBy::Heading;
            }
        }
    }

    /// Fails with a key and its problem if its agents would keep too many numbers, or one of them twice, or if
    /// a colour shows one that they do not keep.
    pub(super) fn check_kept(&self) -> Result<(), (String, String)> {
        let (mut kept, mut names) = (Vec::new(), Vec::new());
        for (species, rule) in self.rules_in_text() {
            for name in rule.states {
                let fail = |problem| {
                    Err((format!("species.{species}.{}.{STATE}.{name}", rule.key), problem))
                };
                if kept.contains(&(species, name)) {
                    return fail(format!(
                        "another rule of species `{species}` has a `{STATE}.{name}`, too; a rule reads only \
                         its own states: join the two, or give one state another name"
                    ));
                }
                kept.push((species, name));
                if names.contains(name) {
                    continue;
                }
                if names.len() == MAX_KEPT {
                    return fail(format!(
                        "the agents of a scene keep at most {MAX_KEPT} numbers, and these are {MAX_KEPT}: {}",
                        names.join(", ")
                    ));
                }
                names.push(*name);
            }
        }
        let style = ("style.colour".to_string(), self.style.colour);
        let own = |own: &Species| (format!("species.{}.colour", own.name), own.colour);
        // The style's is every species' that has none of its own.
        for (key, colour) in [style].into_iter().chain(self.species.iter().map(own)) {
            if let ColourBy::State(name) = colour
                && !names.contains(&name)
            {
                let full = full_name(cut(name).as_ref());
                let help = match names.is_empty() {
                    true => "give a rule that state".into(),
                    false => suggest(name, &names),
                };
                return Err((key, format!("no rule keeps `{full}`; {help}")));
            }
        }
        Ok(())
    }
}
