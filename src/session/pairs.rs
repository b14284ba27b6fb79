//! Which species of the scene before all edits is which one of now.

use crate::model::parameter::{ALL_SPECIES, Meaning, NEAREST_PATH, NEAREST_TARGET};
use crate::model::scene::{Scene, Species};

/// For each species of `scene` the same one of `first`, the scene before all edits; none for a species
/// that was added. Names decide; one that was renamed has kept its place in the list. The species,
/// targets and paths that it names have the numbers of `scene`.
#[must_use]
pub fn species_at_first(scene: &Scene, first: &Scene) -> Vec<Option<Species>> {
    let pairs = pairs(&names(&scene.species), &names(&first.species));
    let own = scene.species.iter().zip(&pairs);
    own.map(|(now, pair)| Some(translated(&first.species[(*pair)?], now, &pairs, scene, first)))
        .collect()
}

fn names(species: &[Species]) -> Vec<&str> {
    species.iter().map(|species| species.name.as_str()).collect()
}

/// For each name of now its number among those at first.
fn pairs(now: &[&str], first: &[&str]) -> Vec<Option<usize>> {
    let renamed = |index: usize| first.get(index).filter(|name| !now.contains(name)).map(|_| index);
    let pair = |(index, name): (usize, &&str)| {
        first.iter().position(|then| then == name).or_else(|| renamed(index))
    };
    now.iter().enumerate().map(pair).collect()
}

/// The species `then` of `first`, with the numbers of `scene`, where it is `now`.
fn translated(
    then: &Species,
    now: &Species,
    pairs: &[Option<usize>],
    scene: &Scene,
    first: &Scene,
) -> Species {
    let mut own = then.clone();
    own.name.clone_from(&now.name);
    for rule in &mut own.rules {
        let present = now.rule(rule.kind).map(|rule| rule.values.clone());
        for (index, parameter) in rule.kind.info().parameters.iter().enumerate() {
            let value = &mut rule.values[index];
            let present = present.as_ref().map_or(0, |values| values[index] as u32);
            let is_in = |(number, pair): (usize, &Option<usize>)| match pair {
                Some(then) => *value as u32 >> then & 1 == 1,
                // An added species was neither in it nor not in it.
                None => present >> number & 1 == 1,
            };
            *value = match parameter.meaning {
                Meaning::SpeciesSet { .. } if *value != ALL_SPECIES => {
                    let bits = pairs.iter().enumerate().map(|pair| u32::from(is_in(pair)));
                    bits.enumerate().fold(0, |set, (number, bit)| set | bit << number) as f32
                }
                Meaning::Target if *value >= 0.0 => {
                    let name = first.targets.get(*value as usize).map(|target| &target.name);
                    let there = scene.targets.iter().position(|t| Some(&t.name) == name);
                    there.map_or(NEAREST_TARGET, |index| index as f32)
                }
                Meaning::Path if *value >= 0.0 => {
                    let name = first.paths.get(*value as usize).map(|path| &path.name);
                    let there = scene.paths.iter().position(|p| Some(&p.name) == name);
                    there.map_or(NEAREST_PATH, |index| index as f32)
                }
                _ => *value,
            };
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[[targets]]\nname = \"x\"\n[[targets]]\nname = \"food\"\n[species.a]\n\
                        cohesion = {}\n[species.b]\nevade = { with = [\"c\", \"b\"] }\n\
                        seek = { target = \"food\" }\n[species.c]\nseparation = {}\n";

    #[test]
    fn species_are_those_of_their_names() {
        assert_eq!(pairs(&["b", "c", "b2"], &["a", "b", "c"]), [Some(1), Some(2), None]);
        assert_eq!(pairs(&["a", "x", "c"], &["a", "b", "c"]), [Some(0), Some(1), Some(2)]);
        assert_eq!(pairs(&["a", "a2"], &["a"]), [Some(0), None]);
    }

    #[test]
    fn what_was_named_at_first_has_the_numbers_of_now() {
        let first = Scene::parse("test", TEXT, &[]).unwrap();
        let mut scene = first.clone();
        assert_eq!(
            species_at_first(&scene, &first),
            first.species.iter().cloned().map(Some).collect::<Vec<_>>()
        );
        scene.remove_species(0).unwrap();
        scene.copy_species(1).unwrap();
        scene.targets.remove(1);
        scene.species[0].rules[1].values[0] = 7.0;
        let mut wanted = scene.species.clone();
        let seek = &mut wanted[0].rules[1];
        seek.values[0] = first.species[1].rules[1].values[0];
        let target = seek.kind.parameter("target").unwrap();
        assert_eq!(seek.values[target], 2.0);
        seek.values[target] = 1.0;
        let starts = species_at_first(&scene, &first);
        assert_eq!(starts, [Some(wanted[0].clone()), Some(wanted[1].clone()), None]);
    }
}
