//! From the tree of a scene file to a [`Scene`].

use super::error::{SceneError, suggest};
use super::reader::Reader;
use super::species::{Body, ColourBy, Rule, Spawn, SpawnPlace, Species};
use super::tree::Node;
use super::{MAX_AGENTS, MAX_TARGETS, POINTER, SIDES, Scene};
use crate::model::behaviours::{Kind, Target};
use crate::model::parameter::{
    ALL_SPECIES, MAX_SPECIES, Meaning, NEAREST_TARGET, Parameter, Parameters,
};
use crate::model::vector::Point;
use crate::model::world::{Boundary, World};

/// World size when the scene does not say: the canvas of *The Nature of Code*.
const CANVAS: Point = Point::new(640.0, 360.0);
/// Keys of the file's top level.
const KEYS: [&str; 6] = ["about", "seed", "time_step", "world", "targets", "species"];
/// Where things may be placed.
const FAR: f32 = 1e7;

/// Names that parameters refer to.
struct Names<'a> {
    species: &'a [&'a str],
    targets: &'a [Target],
}

/// Builds the scene, or says which key of which line is wrong.
pub fn scene(name: &str, root: &Node) -> Result<Scene, SceneError> {
    let root = Reader::new(root);
    let mut scene = Scene {
        name: name.into(),
        about: String::new(),
        world: World { size: CANVAS, boundary: Boundary::Wrap },
        density: None,
        time_step: 1.0,
        seed: 1,
        species: Vec::new(),
        targets: vec![Target { name: POINTER.into(), position: Point::ZERO, active: false }],
    };
    let mut species = None;
    for (key, value) in root.known(&KEYS)? {
        match key {
            "about" => scene.about = value.text()?.into(),
            "seed" => scene.seed = value.whole(0, u64::from(u32::MAX))? as u32,
            "time_step" => scene.time_step = value.number(1e-3, 10.0, "ticks")?,
            "world" => world(&value, &mut scene)?,
            "targets" => {
                for item in value.items() {
                    if scene.targets.len() == MAX_TARGETS {
                        let most = MAX_TARGETS - 1;
                        return Err(item.fail(format!("a scene has {most} targets at most")));
                    }
                    let target = target(&item, &scene.targets)?;
                    scene.targets.push(target);
                }
            }
            _ => species = Some(value),
        }
    }
    let species = species.ok_or_else(|| root.fail("the scene has no [species.NAME] table"))?;
    let tables = species.entries()?;
    if tables.is_empty() || tables.len() > MAX_SPECIES {
        return Err(species.fail(format!("a scene has 1 to {MAX_SPECIES} species")));
    }
    let names: Vec<&str> = tables.iter().map(|(name, _)| *name).collect();
    let taken = |name: &str| name == "all" || KEYS.contains(&name);
    if let Some((name, table)) = tables.iter().find(|(name, _)| taken(name)) {
        return Err(table.fail(format!("a species cannot be called `{name}`; choose another name")));
    }
    let names = Names { species: &names, targets: &scene.targets };
    let all =
        tables.iter().enumerate().map(|(index, (_, table))| one_species(index, table, &names));
    scene.species = all.collect::<Result<_, _>>()?;
    if scene.own_count() > MAX_AGENTS {
        return Err(species.fail(format!("more than {MAX_AGENTS} agents in all")));
    }
    if scene.density.is_some() && scene.hearing_radius() == 0.0 {
        let problem = "a density needs a species that listens to neighbours within a radius; \
                       leave world.density out to fix the world's size";
        return Err(root.fail(problem));
    }
    Ok(scene)
}

fn world(table: &Reader, scene: &mut Scene) -> Result<(), SceneError> {
    for (key, value) in table.known(&["size", "boundary", "density"])? {
        match key {
            "size" => scene.world.size = value.point(SIDES.0, SIDES.1)?,
            "boundary" => scene.world.boundary = value.choice(&Boundary::NAMES)?,
            _ => scene.density = Some(value.number(1e-3, 1e4, "neighbours")?),
        }
    }
    Ok(())
}

fn target(table: &Reader, known: &[Target]) -> Result<Target, SceneError> {
    let mut target =
        Target { name: format!("target{}", known.len()), position: Point::ZERO, active: true };
    for (key, value) in table.known(&["name", "position"])? {
        match key {
            "name" => target.name = value.text()?.into(),
            _ => target.position = value.point(-FAR, FAR)?,
        }
    }
    if target.name == "nearest" || known.iter().any(|t| t.name == target.name) {
        return Err(table.fail(format!("the name {:?} is taken; choose another", target.name)));
    }
    Ok(target)
}

fn one_species(index: usize, table: &Reader, names: &Names) -> Result<Species, SceneError> {
    let body_table = <Body as Parameters<f32>>::TABLE;
    let mut known = vec!["count", "colour", "spawn", "spawn_at_scale"];
    known.extend(body_table.iter().map(|p| p.key));
    known.extend(Kind::ALL.iter().map(|kind| kind.info().key));

    let mut body: Vec<f32> = body_table.iter().map(|p| p.default).collect();
    let mut species = Species {
        name: names.species[index].into(),
        count: 100,
        body: Body::read(|i| body_table[i].default),
        colour: ColourBy::Heading,
        spawn: Spawn::default(),
        spawn_at_scale: Spawn::default(),
        rules: Vec::new(),
    };
    let mut at_scale = None;
    for (key, value) in table.known(&known)? {
        if let Some(i) = body_table.iter().position(|p| p.key == key) {
            body[i] = value.parameter(&body_table[i])?;
        } else if let Some(kind) = Kind::from_key(key) {
            species.rules.push(rule(kind, index, &value, names)?);
        } else {
            match key {
                "count" => species.count = value.whole(1, MAX_AGENTS)?,
                "colour" => species.colour = value.choice(&ColourBy::NAMES)?,
                "spawn" => species.spawn = spawn(&value)?,
                _ => at_scale = Some(spawn(&value)?),
            }
        }
    }
    species.body = Body::read(|i| body[i]);
    species.spawn_at_scale = at_scale.unwrap_or(species.spawn);
    Ok(species)
}

fn spawn(table: &Reader) -> Result<Spawn, SceneError> {
    let mut spawn = Spawn::default();
    for (key, value) in table.known(&["place", "at", "radius", "speed"])? {
        match key {
            "place" => spawn.place = value.choice(&SpawnPlace::NAMES)?,
            "at" => spawn.at = Some(value.point(-FAR, FAR)?),
            "radius" => spawn.radius = value.number(0.0, FAR, "world units")?,
            _ => spawn.speed = value.number(0.0, 1e4, "world units/tick")?,
        }
    }
    Ok(spawn)
}

fn rule(kind: Kind, own: usize, table: &Reader, names: &Names) -> Result<Rule, SceneError> {
    let parameters = kind.info().parameters;
    let known: Vec<&str> = parameters.iter().map(|p| p.key).collect();
    let default = |parameter: &Parameter| match parameter.meaning {
        Meaning::SpeciesSet { own: true } => (1_u32 << own) as f32,
        _ => parameter.default,
    };
    let mut values: Vec<f32> = parameters.iter().map(default).collect();
    for (key, value) in table.known(&known)? {
        for (parameter, slot) in parameters.iter().zip(&mut values).filter(|(p, _)| p.key == key) {
            *slot = match parameter.meaning {
                Meaning::Number => value.parameter(parameter)?,
                Meaning::Target => target_index(&value, names)?,
                Meaning::SpeciesSet { .. } => species_set(&value, names)?,
            };
        }
    }
    Ok(Rule { kind, values })
}

fn target_index(value: &Reader, names: &Names) -> Result<f32, SceneError> {
    let text = value.text()?;
    if text == "nearest" {
        return Ok(NEAREST_TARGET);
    }
    let mut known: Vec<&str> = names.targets.iter().map(|t| t.name.as_str()).collect();
    if let Some(index) = known.iter().position(|name| *name == text) {
        return Ok(index as f32);
    }
    known.push("nearest");
    Err(value.fail(format!("no target is called {text:?}; {}", suggest(text, &known))))
}

fn species_set(value: &Reader, names: &Names) -> Result<f32, SceneError> {
    let mut bits = 0_u32;
    let mut all = false;
    for item in value.items() {
        let text = item.text()?;
        if text == "all" {
            all = true;
            continue;
        }
        let Some(index) = names.species.iter().position(|name| *name == text) else {
            let help = suggest(text, names.species);
            return Err(item.fail(format!("no species is called {text:?}; {help}")));
        };
        bits |= 1 << index;
    }
    Ok(if all { ALL_SPECIES } else { bits as f32 })
}
