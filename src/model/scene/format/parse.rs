//! Builds a [`Scene`] from the tree of a scene file.

use std::collections::HashSet;

use super::fields::Fields;
use super::formula;
use super::keys::{self, Clicks, SpeciesTables, TopKeys, WorldKeys};
use super::reader::Reader;
use super::species;
use super::tree::Node;
use super::values::ALL;
use crate::behaviours::{BehaviourInfo, Needs};
use crate::formula::MAX_FORMULAS;
use crate::parameter::MAX_SPECIES;
use crate::scene::{Law, MAX_AGENTS, Origin, Scene, SceneError};
use crate::world::World;

/// Builds the scene. Fails with the wrong key and its line. `written` is the scene without overrides,
/// if `root` has some.
pub fn scene(
    name: &str,
    root: &Node<Origin>,
    written: Option<&Scene>,
) -> Result<Scene, SceneError> {
    let mut origins = Vec::new();
    root.value.add_origins("", &mut origins);
    let root = Reader::new(root);
    let top = TopKeys::read_table(&root, &[])?;
    let WorldKeys { size, boundary, density, within, grows, sampling } = top.world;
    let Clicks(click, follows) = top.click;
    let mut scene = Scene {
        about: top.about,
        density,
        sampling,
        time_step: top.time_step,
        seed: top.seed,
        style: top.style,
        camera: top.camera,
        obstacle_plans: top.obstacles,
        paths: top.paths,
        flow: top.flow,
        click,
        follows,
        grows,
        origins,
        ..Scene::new(name, World { size, boundary })
    };
    scene.targets.extend(top.targets);
    if scene.follows && scene.led_target().is_none() {
        let problem = "click \"follow\" needs a target that does not move by itself; add a \
                       [[targets]] table";
        return Err(root.fail(problem));
    }
    let species = root.get(SpeciesTables::KEY);
    let species =
        species.ok_or_else(|| root.fail("the scene has no [species.NAME] table; add one"))?;
    let tables = species.entries()?;
    if tables.is_empty() || tables.len() > MAX_SPECIES {
        return Err(species.fail(format!("a scene has 1 to {MAX_SPECIES} species")));
    }
    if let Some((name, table)) = tables.iter().find(|(name, _)| is_a_key(name)) {
        return Err(table.fail(format!("a species cannot be called `{name}`; choose another name")));
    }
    // Each may name all others.
    let unread = tables.iter().map(|(name, _)| species::unwritten(name, &scene.style));
    scene.species = unread.collect();
    let tables = tables.iter().map(|(_, table)| table).enumerate();
    let all = tables.clone().map(|(index, table)| species::read(index, table, &scene));
    scene.species = all.collect::<Result<_, _>>()?;
    for (index, table) in tables {
        check_species(&scene, index, table)?;
    }
    let different: HashSet<_> = scene.rules_in_text().map(|(_, formula)| formula).collect();
    if different.len() > MAX_FORMULAS {
        let problem = format!("a scene has at most {MAX_FORMULAS} different rules in text");
        return Err(species.fail(problem));
    }
    scene.check_kept().map_err(|(key, problem)| match scene.origin(&key) {
        Some(origin) => SceneError::new(origin, key, problem),
        None => species.fail(problem),
    })?;
    if scene.own_count() == 0 {
        return Err(species.fail("no species has an agent; raise a `count`"));
    }
    if scene.own_count() > MAX_AGENTS {
        return Err(species.fail(format!("more than {MAX_AGENTS} agents in total; lower `count`")));
    }
    // The file sizes the world at another count, unless an override asks for a size or a
    // density: another radius, as in a sweep, is no reason for another world.
    if scene.is_overridden("world.size") {
        scene.density = scene.asked_density();
        scene.grows &= scene.is_overridden("world.grows");
    }
    let written = written.filter(|_| scene.asked_density().is_none());
    let largest = written.map_or(scene.perception_radius(), |written| written.density_radius);
    scene.density_radius = within.or(scene.density.map(|_| largest)).unwrap_or(0.0);
    if scene.density.is_some() && scene.density_radius == 0.0 {
        let problem = "a density needs a species that looks at neighbours within a radius, or \
                       world.within, the radius to count them in; remove world.density to fix the \
                       world's size";
        let density = root.get("world").and_then(|world| world.get("density"));
        return Err(density.as_ref().unwrap_or(&root).fail(problem));
    }
    Ok(scene)
}

/// True for a name that no species can have: it means something else in a scene file.
#[must_use]
pub fn is_a_key(name: &str) -> bool {
    [ALL, formula::VALUE, formula::RANGE].contains(&name)
        || keys::TOP.keys.iter().any(|key| key.name == name)
}

/// Checks a species against the whole scene.
fn check_species(scene: &Scene, index: usize, table: &Reader) -> Result<(), SceneError> {
    let rules = || scene.species[index].rules.iter().map(|rule| rule.kind.info());
    let find = |needs: fn(&Needs) -> bool| rules().find(|info| needs(&info.needs));
    let by_path = find(|needs| needs.paths_within.is_some()).filter(|_| scene.paths.is_empty());
    let by_flow = find(|needs| needs.flow).filter(|_| scene.flow.is_none());
    let mut by_angle = rules().filter(|info| info.needs.angle).map(|info| info.key);
    if let Some(BehaviourInfo { key, .. }) = by_path {
        let problem = format!("`{key}` needs a path; add a [[paths]] table with points");
        return Err(table.fail(problem));
    }
    if let Some(BehaviourInfo { key, .. }) = by_flow {
        return Err(table.fail(format!("`{key}` needs a flow field; add a [flow] table")));
    }
    if let (Some(one), Some(other)) = (by_angle.next(), by_angle.next()) {
        let problem = format!("`{one}` and `{other}` turn the same angle; keep only one of them");
        return Err(table.fail(problem));
    }
    let variations = &scene.species[index].variations;
    let by_size = |law| matches!(law, Law::GrowsWithSize { .. } | Law::ShrinksWithSize { .. });
    let law = variations.iter().find(|variation| by_size(variation.law));
    if let Some(law) = law.filter(|_| scene.species[index].draws_size()) {
        let problem = format!(
            "`{}` follows the size of its species, and `size` is drawn for each agent; write a \
             number for one of them",
            law.slot.key()
        );
        return Err(table.fail(problem));
    }
    Ok(())
}
