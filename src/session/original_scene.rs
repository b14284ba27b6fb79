//! Finds the same species in the edited scene and in the scene before all edits.

use flockwork_model::parameter::{ALL_SPECIES, Meaning, NEAREST_PATH, NEAREST_TARGET};
use flockwork_model::scene::{OriginalIndex, Scene, Species};

/// The scene before all edits: each species notes its number in it.
#[must_use]
pub fn before_edits(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    for (index, species) in scene.species.iter_mut().enumerate() {
        species.original = OriginalIndex(Some(index));
    }
    scene
}

/// For each species of `scene` the same species of `first`, the scene before all edits; `None` for
/// one that was added. Its parameters refer to species, targets and paths by their numbers in
/// `scene`.
#[must_use]
pub fn original_species(scene: &Scene, first: &Scene) -> Vec<Option<Species>> {
    let known = |species: &Species| species.original.0.filter(|index| *index < first.species.len());
    let pairs: Vec<Option<usize>> = scene.species.iter().map(known).collect();
    let own = scene.species.iter().zip(&pairs);
    own.map(|(now, pair)| Some(translated(&first.species[(*pair)?], now, &pairs, scene, first)))
        .collect()
}

/// The species `then` of `first`, with the numbers that objects have in `scene`. There the species
/// is `now`.
fn translated(
    then: &Species,
    now: &Species,
    pairs: &[Option<usize>],
    scene: &Scene,
    first: &Scene,
) -> Species {
    let mut own = then.clone();
    own.name.clone_from(&now.name);
    // How many agents it has is no parameter.
    (own.count, own.counted) = (now.count, now.counted);
    (own.spawn, own.spawn_at_scale) = (now.spawn, now.spawn_at_scale);
    for rule in &mut own.rules {
        let present = now.rule(rule.kind).map(|rule| rule.values.clone());
        for (index, parameter) in rule.kind.info().parameters.iter().enumerate() {
            let value = &mut rule.values[index];
            let present = present.as_ref().map_or(0, |values| values[index] as u32);
            let is_in = |(number, pair): (usize, &Option<usize>)| match pair {
                Some(then) => *value as u32 >> then & 1 == 1,
                // `first` says nothing about an added species: it stays as it is.
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
    fn a_species_is_the_same_whatever_its_name_and_place_are() {
        let first = before_edits(&Scene::parse("test", TEXT).unwrap());
        let mut scene = first.clone();
        let starts = |scene: &Scene| -> Vec<Option<usize>> {
            let starts = original_species(scene, &first);
            let place = |start: Species| start.original.0.unwrap();
            starts.into_iter().map(|start| start.map(place)).collect()
        };
        // One moves up, then it gets another name, then the name of the one that has gone.
        scene.remove_species(0).unwrap();
        for name in ["x", "a"] {
            scene.rename_species(1, name).unwrap();
            assert_eq!(starts(&scene), [Some(1), Some(2)], "{name}");
        }
        scene.copy_species(0).unwrap();
        scene.remove_species(0).unwrap();
        assert_eq!(starts(&scene), [Some(2), None], "a copy is new");
    }

    #[test]
    fn what_was_named_at_first_has_the_numbers_of_now() {
        let first = before_edits(&Scene::parse("test", TEXT).unwrap());
        let mut scene = first.clone();
        assert_eq!(
            original_species(&scene, &first),
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
        let starts = original_species(&scene, &first);
        assert_eq!(starts, [Some(wanted[0].clone()), Some(wanted[1].clone()), None]);
    }
}
