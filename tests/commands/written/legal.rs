//! Rules of a scene that a file can contain.

use flockwork::model::parameter::{ALL_SPECIES, Meaning, NEAREST_PATH, NEAREST_TARGET};
use flockwork::model::scene::{Click, POINTER, Scene, Slot, Species};

/// Variations in the order of their slots, as a file gives them.
pub fn in_order(own: &mut Species) {
    let Species { rules, variations, .. } = own;
    variations.retain(|variation| match variation.slot {
        Slot::Body(_) => true,
        Slot::Rule(kind, _) => rules.iter().any(|rule| rule.kind == kind),
    });
    variations.sort_by_key(|variation| match variation.slot {
        Slot::Body(index) => (0, index),
        Slot::Rule(kind, index) => {
            (1 + rules.iter().position(|rule| rule.kind == kind).unwrap(), index)
        }
    });
}

/// Removes everything that no file may contain.
pub fn legal(scene: &mut Scene) {
    let (targets, paths) = (scene.targets.len() as f32, scene.paths.len() as f32);
    let (no_paths, no_flow) = (scene.paths.is_empty(), scene.flow.is_none());
    let members = (1_u32 << scene.species.len()) as f32;
    for own in &mut scene.species {
        let mut angles = 0;
        own.rules.retain(|rule| {
            let needs = rule.kind.info().needs;
            angles += usize::from(needs.angle);
            !(needs.angle && angles > 1
                || needs.paths_within.is_some() && no_paths
                || needs.flow && no_flow)
        });
        for rule in &mut own.rules {
            for (parameter, value) in rule.kind.info().parameters.iter().zip(&mut rule.values) {
                match parameter.meaning {
                    Meaning::Target if *value >= targets => *value = NEAREST_TARGET,
                    Meaning::Path if *value >= paths => *value = NEAREST_PATH,
                    Meaning::SpeciesSet { .. } if *value >= members => *value = ALL_SPECIES,
                    _ => {}
                }
            }
        }
        in_order(own);
    }
    if scene.density.is_some() && scene.perception_radius() == 0.0 {
        (scene.density, scene.density_radius) = (None, 0.0);
    }
    if scene.follows && scene.led_target().is_none() {
        (scene.click, scene.follows) = (Click::Add, false);
    }
    assert_eq!(scene.targets[0].name, POINTER);
}
