//! Builds a [`Scene`] from the tree of a scene file.

use super::reader::Reader;
use super::tree::Node;
use super::{keys, scenery};
use crate::model::behaviours::{BehaviourInfo, Kind, Needs, Target};
use crate::model::parameter::{
    ALL_SPECIES, MAX_SPECIES, Meaning, NEAREST_PATH, NEAREST_TARGET, NO_TARGET, Parameter,
    Parameters,
};
use crate::model::quote::quoted;
use crate::model::scene::{
    Body, BoidShape, Click, ColourBy, Law, MAX_AGENTS, MAX_TARGETS, POINTER, Rule, Scene,
    SceneError, Slot, Spawn, SpawnPlace, Species, Start, Variation, suggest,
};
use crate::model::scenery::Path;
use crate::model::vector::Point;
use crate::model::world::{Boundary, World};

/// World size if the scene gives none: the canvas of *The Nature of Code*.
const CANVAS: Point = Point::new(640.0, 360.0);
/// Names that parameters refer to.
struct SceneNames<'a> {
    species: &'a [&'a str],
    targets: &'a [Target],
    paths: &'a [Path],
}

/// Builds the scene, or names the wrong key and its line.
pub fn scene(name: &str, root: &Node) -> Result<Scene, SceneError> {
    let origins = root.origins();
    let root = Reader::new(root);
    let mut scene = Scene {
        name: name.into(),
        about: String::new(),
        world: World { size: CANVAS, boundary: Boundary::Wrap },
        density: None,
        time_step: 1.0,
        seed: 1,
        species: Vec::new(),
        targets: vec![Target { active: false, ..Target::fixed(POINTER, Point::ZERO) }],
        obstacle_plans: Vec::new(),
        obstacles: Vec::new(),
        paths: Vec::new(),
        flow: None,
        click: Click::Call,
        follows: false,
        written_size: CANVAS,
        grows: false,
        origins,
    };
    let mut species = None;
    for (key, value) in root.section(&keys::TOP)? {
        match key.name {
            "about" => scene.about = value.text()?.into(),
            "seed" => scene.seed = value.whole_of(key)? as u32,
            "time_step" => scene.time_step = value.number_of(key)?,
            "click" => (scene.click, scene.follows) = click(&value)?,
            "world" => world(&value, &mut scene)?,
            "obstacles" => scene.obstacle_plans = scenery::obstacles(&value)?,
            "paths" => scene.paths = scenery::paths(&value)?,
            "flow" => scene.flow = Some(scenery::flow(&value)?),
            "targets" => {
                for item in value.items() {
                    if scene.targets.len() == MAX_TARGETS {
                        let most = MAX_TARGETS - 1;
                        return Err(item.fail(format!("a scene has at most {most} targets")));
                    }
                    let target = target(&item, &scene.targets)?;
                    scene.targets.push(target);
                }
            }
            _ => species = Some(value),
        }
    }
    if scene.follows && scene.led_target().is_none() {
        let problem = "click \"follow\" needs a target that does not move by itself; add a \
                       [[targets]] table";
        return Err(root.fail(problem));
    }
    let species =
        species.ok_or_else(|| root.fail("the scene has no [species.NAME] table; add one"))?;
    let tables = species.entries()?;
    if tables.is_empty() || tables.len() > MAX_SPECIES {
        return Err(species.fail(format!("a scene has 1 to {MAX_SPECIES} species")));
    }
    let names: Vec<&str> = tables.iter().map(|(name, _)| *name).collect();
    let taken = |name: &str| name == "all" || keys::TOP.keys.iter().any(|key| key.name == name);
    if let Some((name, table)) = tables.iter().find(|(name, _)| taken(name)) {
        return Err(table.fail(format!("a species cannot be called `{name}`; choose another name")));
    }
    let names = SceneNames { species: &names, targets: &scene.targets, paths: &scene.paths };
    let all =
        tables.iter().enumerate().map(|(index, (_, table))| one_species(index, table, &names));
    scene.species = all.collect::<Result<_, _>>()?;
    for (index, (_, table)) in tables.iter().enumerate() {
        check_species(&scene, index, table)?;
    }
    if scene.own_count() > MAX_AGENTS {
        return Err(species.fail(format!("more than {MAX_AGENTS} agents in total; lower `count`")));
    }
    if scene.density.is_some() && scene.perception_radius() == 0.0 {
        let problem = "a density needs a species that looks at neighbours within a radius; \
                       remove world.density to fix the world's size";
        return Err(root.fail(problem));
    }
    Ok(scene)
}

/// Checks of a species that need the whole scene.
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
    Ok(())
}

/// What a click does, and whether a target follows the mouse. The value is a name, or a list of
/// `follow` and another name.
fn click(value: &Reader) -> Result<(Click, bool), SceneError> {
    let (mut click, mut follows) = (None, false);
    for item in value.items() {
        match item.choice(&Click::NAMES)? {
            Click::Follow => follows = true,
            other if click.replace(other).is_some() => {
                return Err(item.fail("a click does one thing; only \"follow\" can be added to it"));
            }
            _ => {}
        }
    }
    let otherwise = if follows { Click::Follow } else { Click::Call };
    Ok((click.unwrap_or(otherwise), follows))
}

fn world(table: &Reader, scene: &mut Scene) -> Result<(), SceneError> {
    for (key, value) in table.section(&keys::WORLD)? {
        match key.name {
            "size" => scene.world.size = value.point_of(key)?,
            "boundary" => scene.world.boundary = value.choice(&Boundary::NAMES)?,
            "grows" => scene.grows = value.boolean()?,
            _ => scene.density = Some(value.number_of(key)?),
        }
    }
    scene.written_size = scene.world.size;
    Ok(())
}

fn target(table: &Reader, known: &[Target]) -> Result<Target, SceneError> {
    let mut target = Target::fixed(&format!("target{}", known.len()), Point::ZERO);
    for (key, value) in table.section(&keys::TARGETS)? {
        match key.name {
            "name" => target.name = value.text()?.into(),
            "velocity" => target.velocity = value.point_of(key)?,
            "hit_radius" => target.hit_radius = value.number_of(key)?,
            "turns" => target.turns = value.boolean()?,
            "sends_to" => target.sends_to = Some(value.point_of(key)?),
            _ => target.position = value.point_of(key)?,
        }
    }
    if ["nearest", "none"].contains(&target.name.as_str())
        || known.iter().any(|t| t.name == target.name)
    {
        return Err(
            table.fail(format!("the name {} is taken; choose another", quoted(&target.name)))
        );
    }
    Ok(target)
}

fn one_species(index: usize, table: &Reader, names: &SceneNames) -> Result<Species, SceneError> {
    let body_table = <Body as Parameters<f32>>::TABLE;
    let mut known: Vec<&str> = keys::SPECIES.keys.iter().map(|key| key.name).collect();
    known.extend(body_table.iter().map(|p| p.key));
    known.extend(Kind::ALL.iter().map(|kind| kind.info().key));

    let mut body: Vec<f32> = body_table.iter().map(|p| p.default).collect();
    let mut species = Species {
        name: names.species[index].into(),
        count: 100,
        body: Body::read(|i| body_table[i].default),
        look: BoidShape::Triangle,
        colour: ColourBy::Heading,
        spawn: Spawn::default(),
        spawn_at_scale: Spawn::default(),
        rules: Vec::new(),
        variations: Vec::new(),
    };
    let mut at_scale = None;
    for (key, value) in table.known(&known)? {
        if let Some(i) = body_table.iter().position(|p| p.key == key) {
            let slot = Slot::Body(i);
            body[i] = one_value(&value, &body_table[i], slot, names, &mut species.variations)?;
        } else if let Some(kind) = Kind::from_key(key) {
            let rule = rule(kind, index, &value, names, &mut species.variations)?;
            species.rules.push(rule);
        } else if let Some(key) = keys::SPECIES.key(key) {
            match key.name {
                "count" => species.count = value.whole_of(key)?,
                "look" => species.look = value.choice(&BoidShape::NAMES)?,
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
    let (mut speed, mut heading, mut components) = (None, None, None);
    for (key, value) in table.section(&keys::SPAWN)? {
        match key.name {
            "place" => spawn.place = value.choice(&SpawnPlace::NAMES)?,
            "at" => spawn.at = Some(value.point_of(key)?),
            "radius" => spawn.radius = value.number_of(key)?,
            "heading" => heading = Some(value.number_of(key)?),
            "speed" => speed = Some(value.number_or_word(key)?),
            _ => components = Some(value.between_of(key)?),
        }
    }
    spawn.start = match components {
        Some(_) if speed.is_some() || heading.is_some() => {
            return Err(
                table.fail("`velocity` sets speed and heading; remove `speed` and `heading`")
            );
        }
        Some((from, to)) => Start::Components { from, to },
        None => Start::Heading { speed: speed.unwrap_or(Some(1.0)), heading },
    };
    Ok(spawn)
}

/// The value of a parameter, or its base and the law that it follows.
fn one_value(
    value: &Reader,
    parameter: &Parameter,
    slot: Slot,
    names: &SceneNames,
    variations: &mut Vec<Variation>,
) -> Result<f32, SceneError> {
    match parameter.meaning {
        Meaning::Choice(choices) => {
            let indices: Vec<(&str, f32)> =
                choices.iter().enumerate().map(|(i, name)| (*name, i as f32)).collect();
            value.choice(&indices)
        }
        Meaning::Target => target_index(value, names, parameter.default == NO_TARGET),
        Meaning::Path => path_index(value, names),
        Meaning::SpeciesSet { .. } => species_set(value, names),
        Meaning::FieldOfView => value.parameter(parameter),
        Meaning::Number | Meaning::Angle if !value.is_table() => value.parameter(parameter),
        Meaning::Number | Meaning::Angle => {
            let (base, law) = law(value, parameter)?;
            variations.push(Variation { slot, law });
            Ok(base)
        }
    }
}

/// A base value and its law: `{ base, amplitude, period }`, `{ base, grows_with_size }`, `{ base,
/// shrinks_with_size }` or `{ from, to }`.
fn law(table: &Reader, parameter: &Parameter) -> Result<(f32, Law), SceneError> {
    let (mut base, mut amplitude, mut period) = (None, None, None);
    let (mut from, mut to) = (None, None);
    let mut laws = Vec::new();
    for (key, value) in table.section(&keys::LAW)? {
        match key.name {
            "base" => base = Some(value.parameter(parameter)?),
            "from" => from = Some(value.parameter(parameter)?),
            "to" => to = Some(value.parameter(parameter)?),
            "amplitude" => amplitude = Some(value.number_of(key)?),
            "period" => period = Some(value.number_of(key)?),
            "grows_with_size" => {
                laws.push(Law::GrowsWithSize { scale: value.number_of(key)? });
            }
            _ => laws.push(Law::ShrinksWithSize { scale: value.number_of(key)? }),
        }
    }
    let noise = |amplitude| Law::Noise { amplitude, period: period.unwrap_or(100.0) };
    laws.extend(amplitude.map(noise));
    if from.is_some() || to.is_some() {
        let (Some(from), Some(to)) = (from, to) else {
            let problem = "`from` and `to` belong together, as in { from = 2, to = 4 }: each agent \
                           draws a number between them";
            return Err(table.fail(problem));
        };
        if !laws.is_empty() || base.is_some() || period.is_some() {
            let problem = "a number is drawn for each agent or follows a law, not both; remove \
                           `from` and `to`, or all other keys";
            return Err(table.fail(problem));
        }
        if from > to {
            let problem = format!("`from` is {from}, which is above `to`, {to}; exchange them");
            return Err(table.fail(problem));
        }
        if parameter.key == "size" {
            let problem = "a species has one size, so agents cannot draw it; write a number, or a \
                           species for each size";
            return Err(table.fail(problem));
        }
        return Ok((to, Law::PerAgent { from }));
    }
    let base = base.unwrap_or(parameter.default);
    match laws[..] {
        [Law::GrowsWithSize { .. } | Law::ShrinksWithSize { .. }] if parameter.key == "size" => {
            Err(table.fail("a size cannot depend on itself; write a number"))
        }
        [law] => Ok((base, law)),
        _ => Err(table.fail(
            "expected one law: { base, amplitude, period } for noise in time, { base, \
             grows_with_size } or { base, shrinks_with_size } with a size in world units, or { from, \
             to } for a number that each agent draws",
        )),
    }
}

fn rule(
    kind: Kind,
    own: usize,
    table: &Reader,
    names: &SceneNames,
    variations: &mut Vec<Variation>,
) -> Result<Rule, SceneError> {
    let parameters = kind.info().parameters;
    let known: Vec<&str> = parameters.iter().map(|p| p.key).collect();
    let default = |parameter: &Parameter| match parameter.meaning {
        Meaning::SpeciesSet { own: true } => (1_u32 << own) as f32,
        _ => parameter.default,
    };
    let mut values: Vec<f32> = parameters.iter().map(default).collect();
    for (key, value) in table.known(&known)? {
        if let Some(index) = kind.parameter(key) {
            let slot = Slot::Rule(kind, index);
            values[index] = one_value(&value, &parameters[index], slot, names, variations)?;
        }
    }
    Ok(Rule { kind, values })
}

fn path_index(value: &Reader, names: &SceneNames) -> Result<f32, SceneError> {
    let text = value.text()?;
    if text == "nearest" {
        return Ok(NEAREST_PATH);
    }
    let mut known: Vec<&str> = names.paths.iter().map(|path| path.name.as_str()).collect();
    if let Some(index) = known.iter().position(|name| *name == text) {
        return Ok(index as f32);
    }
    known.push("nearest");
    Err(value.fail(format!("no path is called {}; {}", quoted(text), suggest(text, &known))))
}

/// `or_none`: the behaviour can work without a target.
fn target_index(value: &Reader, names: &SceneNames, or_none: bool) -> Result<f32, SceneError> {
    let text = value.text()?;
    if text == "nearest" {
        return Ok(NEAREST_TARGET);
    }
    if or_none && text == "none" {
        return Ok(NO_TARGET);
    }
    let mut known: Vec<&str> = names.targets.iter().map(|t| t.name.as_str()).collect();
    if let Some(index) = known.iter().position(|name| *name == text) {
        return Ok(index as f32);
    }
    known.push("nearest");
    Err(value.fail(format!("no target is called {}; {}", quoted(text), suggest(text, &known))))
}

fn species_set(value: &Reader, names: &SceneNames) -> Result<f32, SceneError> {
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
            return Err(item.fail(format!("no species is called {}; {help}", quoted(text))));
        };
        bits |= 1 << index;
    }
    Ok(if all { ALL_SPECIES } else { bits as f32 })
}
