//! An edit changes a scene.

use super::{Counts, Edit, Move, Splice};
use crate::{Appearance, SceneObject};
use flockwork_engine::Change;
use flockwork_model::behaviours::Target;
use flockwork_model::parameter::{Meaning, NEAREST_PATH, NEAREST_TARGET};
use flockwork_model::quote::cut;
use flockwork_model::scene::keys::MAX_OBSTACLES;
use flockwork_model::scene::{
    MAX_AGENTS, MAX_TARGETS, NO_TARGETS, POINTER, Scene, Species, check_paths,
};

/// The number of a species, by its name.
pub fn species_named(scene: &Scene, name: &str) -> Result<usize, String> {
    let index = scene.species.iter().position(|species| species.name == name);
    index.ok_or_else(|| format!("no species `{}`", cut(name)))
}

impl Edit {
    /// Makes the part of the edit that changes the scene. Returns the inverse of that part, and what an
    /// engine must update. Fails, and changes nothing, if the scene lacks what the edit names. The result
    /// may still be no scene: see [`check`].
    pub(crate) fn put(&self, scene: &mut Scene) -> Result<(Self, Change), String> {
        match self {
            Self::Set(parameters) => {
                let species = parameters.of(scene)?;
                Ok(put_species(scene, species))
            }
            Self::Appearance(new) => {
                let before = Appearance::of(scene);
                new.put(scene);
                let after = Appearance::of(scene);
                // An engine counts neighbours, accelerations and ages only where a colour shows them.
                let counts_anew =
                    after.species != before.species || after.style.age != before.style.age;
                let change = if counts_anew { Change::PARAMETERS } else { Change::default() };
                match after == before {
                    true => Ok(unchanged()),
                    false => Ok((Self::Appearance(Box::new(before)), change)),
                }
            }
            Self::Move(own) => {
                let object = own.object(scene)?;
                let before = object.place(scene).unwrap_or_default();
                object.put(scene, own.to);
                let change = match object {
                    SceneObject::Target(index) => Change::target(index),
                    SceneObject::Obstacle(_) | SceneObject::PathPoint(..) => Change::SCENERY,
                };
                match before == own.to {
                    true => Ok(unchanged()),
                    false => Ok((Self::Move(Move { to: before, ..own.clone() }), change)),
                }
            }
            Self::Targets(splice) => {
                if splice.at == Some(0) {
                    return Err(format!("the first target is `{POINTER}`: it stays"));
                }
                let taken = |own: &&Target| NO_TARGETS.contains(&own.name.as_str());
                if let Some(own) = splice.insert.iter().find(taken) {
                    return Err(format!("the name `{}` is taken; choose another", own.name));
                }
                let before = scene.targets.clone();
                let inverse = splice.put(&mut scene.targets)?;
                let names = || scene.targets.iter().map(|target| &target.name);
                let twice = names().find(|name| names().filter(|own| own == name).count() > 1);
                let problem = match twice {
                    _ if scene.targets.len() > MAX_TARGETS => {
                        let most = MAX_TARGETS - 1;
                        Some(format!("a scene has at most {most} targets: none was added"))
                    }
                    twice => twice.map(|name| format!("two targets `{}`", cut(name))),
                };
                if let Some(problem) = problem {
                    scene.targets = before;
                    return Err(problem);
                }
                Ok(with_references(scene, Meaning::Target, inverse, Self::Targets, Change::TARGETS))
            }
            Self::Obstacles(splice) => {
                let count = scene.obstacles.len() + splice.insert.len()
                    - splice.remove.min(scene.obstacles.len());
                if count as u64 > MAX_OBSTACLES {
                    return Err(format!(
                        "a scene has at most {MAX_OBSTACLES} obstacles, not {count}: none was added"
                    ));
                }
                let inverse = splice.put(&mut scene.obstacles)?;
                Ok((Self::Obstacles(inverse), Change::SCENERY))
            }
            Self::Paths(splice) => {
                let inverse = splice.put(&mut scene.paths)?;
                Ok(with_references(scene, Meaning::Path, inverse, Self::Paths, Change::SCENERY))
            }
            Self::Rename { species, to } => {
                let index = species_named(scene, species)?;
                scene.rename_species(index, to)?;
                let inverse = Self::Rename { species: to.clone(), to: species.clone() };
                Ok(if species == to { unchanged() } else { (inverse, Change::default()) })
            }
            Self::Counts(Counts { each, counted }) => {
                if each.len() != scene.species.len() {
                    return Err(format!(
                        "{} counts for {} species",
                        each.len(),
                        scene.species.len()
                    ));
                }
                let many = |count: &u64| *count > MAX_AGENTS;
                if each.iter().any(many) || each.iter().all(|count| *count == 0) {
                    return Err(format!(
                        "a flock starts with 1 to {MAX_AGENTS} agents: nothing has changed"
                    ));
                }
                let before = Counts {
                    each: scene.species.iter().map(|species| species.count).collect(),
                    counted: scene.species.iter().any(|species| species.counted),
                };
                for (species, count) in scene.species.iter_mut().zip(each) {
                    (species.count, species.counted) = (*count, *counted);
                }
                let same = before.each == *each && before.counted == *counted;
                Ok(if same { unchanged() } else { (Self::Counts(before), Change::default()) })
            }
            Self::RemoveSpecies(name) => {
                let index = species_named(scene, name)?;
                let before = scene.species.clone();
                scene.remove_species(index)?;
                Ok((Self::Set(before.into()), Change::PARAMETERS))
            }
            Self::Return(own) => {
                let species = own.set.of(scene)?;
                let before = std::mem::replace(&mut scene.species, species);
                let names = scene.kept_names();
                let found = species_named(scene, &own.species);
                let found = found.and_then(|index| own.agents(index, names));
                if let Err(problem) = found {
                    scene.species = before;
                    return Err(problem);
                }
                Ok((Self::Set(before.into()), Change::PARAMETERS))
            }
            Self::Spawn(batches) => {
                for batch in batches {
                    species_named(scene, &batch.species)?;
                }
                Ok(unchanged())
            }
            Self::Together(edits) => {
                let (mut inverse, mut change) = (Vec::new(), Change::default());
                for edit in edits {
                    let (back, more) = edit.put(scene)?;
                    inverse.insert(0, back);
                    change |= more;
                }
                Ok((Self::Together(inverse), change))
            }
            Self::Pointer(_) | Self::Lead(_) | Self::Despawn(_) => Ok(unchanged()),
            Self::AddTarget(_)
            | Self::AddObstacle(_)
            | Self::Paint { .. }
            | Self::AddPath { .. }
            | Self::NewPath
            | Self::SwapSeekFlee
            | Self::AddSpecies(_)
            | Self::Count { .. } => {
                Err(format!("this edit ({}) is for a flock that is there", self.subject()))
            }
        }
    }
}

fn unchanged() -> (Edit, Change) {
    (Edit::nothing(), Change::default())
}

fn put_species(scene: &mut Scene, mut species: Vec<Species>) -> (Edit, Change) {
    for (of, count) in [(Meaning::Target, scene.targets.len()), (Meaning::Path, scene.paths.len())]
    {
        renumber(&mut species, of, |number| Some(number).filter(|number| *number < count));
    }
    if species == scene.species {
        return unchanged();
    }
    let before = std::mem::replace(&mut scene.species, species);
    (Edit::Set(before.into()), Change::PARAMETERS)
}

/// Behaviours go on naming the same objects after a list of them has changed. Those that named one which
/// is gone take the nearest one. `inverse` is the inverse of what happened to the list.
fn with_references<T>(
    scene: &mut Scene,
    meaning: Meaning,
    inverse: Splice<T>,
    edit: impl Fn(Splice<T>) -> Edit,
    change: Change,
) -> (Edit, Change) {
    let (at, gone, came) = (inverse.at.unwrap_or_default(), inverse.insert.len(), inverse.remove);
    let mut species = scene.species.clone();
    renumber(&mut species, meaning, |before| match before {
        _ if before < at || gone == came => Some(before),
        _ => (before >= at + gone).then(|| before + came - gone),
    });
    match put_species(scene, species) {
        (back, _) if back.is_nothing() => (edit(inverse), change),
        (back, more) => (Edit::Together(vec![edit(inverse), back]), change | more),
    }
}

/// Gives every behaviour that names a target or a path its new number, or the nearest one.
fn renumber(species: &mut [Species], of: Meaning, new: impl Fn(usize) -> Option<usize>) {
    let nearest = if of == Meaning::Path { NEAREST_PATH } else { NEAREST_TARGET };
    for rule in species.iter_mut().flat_map(|species| &mut species.rules) {
        for (parameter, value) in rule.kind.info().parameters.iter().zip(&mut rule.values) {
            // Numbers below zero stand for the nearest one and for none.
            if parameter.meaning == of && *value >= 0.0 {
                *value = new(*value as usize).map_or(nearest, |number| number as f32);
            }
        }
    }
}

/// Fails if a scene is not valid after some parts of it have changed.
pub fn check(scene: &Scene, change: Change) -> Result<(), String> {
    if change.has(Change::PARAMETERS) {
        scene.check_world().map_err(|error| error.to_string())?;
    }
    if change.has(Change::SCENERY) {
        check_paths(&scene.paths)?;
        if let Some(key) = follows_paths(scene).filter(|_| scene.paths.is_empty()) {
            return Err(format!(
                "{key} needs a path, and there is none: remove that behaviour first"
            ));
        }
    }
    if change.has(Change::PARAMETERS) || change.has(Change::SCENERY) {
        scene.check_scenery().map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// A behaviour that needs a path, if a species has one.
fn follows_paths(scene: &Scene) -> Option<&'static str> {
    let mut rules = scene.species.iter().flat_map(|species| &species.rules);
    let rule = rules.find(|rule| rule.kind.info().needs.paths_within.is_some());
    rule.map(|rule| rule.kind.info().key)
}
