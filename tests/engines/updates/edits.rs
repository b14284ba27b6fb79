//! Edits of scenes, of every kind.

use flockwork::engine::Change;
use flockwork::model::behaviours::{Kind, Target};
use flockwork::model::grid::CrowdSampling;
use flockwork::model::scene::{Law, Rule, Scene, Slot, Variation};
use flockwork::model::scenery::Obstacle;
use flockwork::model::vector::{Point, flat};
use flockwork::model::world::Boundary;

/// An edit of a scene.
pub struct Edit {
    pub name: &'static str,
    pub change: Change,
    pub how: fn(&mut Scene),
}

pub fn edit(name: &'static str, change: Change, how: fn(&mut Scene)) -> Edit {
    Edit { name, change, how }
}

/// Sets a parameter of a behaviour of the first species that has it.
pub fn set(scene: &mut Scene, kind: Kind, key: &str, value: f32) {
    let mut rules = scene.species.iter_mut().flat_map(|species| &mut species.rules);
    let rule = rules.find(|rule| rule.kind == kind).unwrap();
    rule.values[kind.parameter(key).unwrap()] = value;
}

pub fn scale_radii(scene: &mut Scene, factor: f32) {
    for rule in scene.species.iter_mut().flat_map(|species| &mut species.rules) {
        if let Some(slot) = rule.kind.parameter("radius") {
            rule.values[slot] *= factor;
        }
    }
}

/// A behaviour with its default values.
fn rule(kind: Kind) -> Rule {
    let mut rule = Rule::by_default(kind, 0);
    rule.values = kind.info().parameters.iter().map(|one| one.default).collect();
    rule
}

/// Edits of the scene `mixed`, which has all features.
pub fn edits_of_mixed() -> Vec<Edit> {
    let parameters = Change::PARAMETERS;
    vec![
        edit("weight", parameters, |scene| set(scene, Kind::Separation, "weight", 3.0)),
        edit("max_speed", parameters, |scene| scene.species[0].body.max_speed = 1.0),
        // The grid changes: to fewer cells, to more, and to more columns per radius.
        edit("larger radius", parameters, |scene| set(scene, Kind::Alignment, "radius", 47.0)),
        edit("smaller radii", parameters, |scene| {
            let all = scene.species.iter_mut();
            all.for_each(|species| species.variations.retain(|one| !one.is_drawn()));
            scale_radii(scene, 0.4);
        }),
        edit("dense radius", parameters, |scene| set(scene, Kind::Alignment, "radius", 90.0)),
        // Other agents see the scenery, or from another distance.
        edit("reach of avoid", parameters, |scene| set(scene, Kind::Avoid, "reach", 75.0)),
        edit("lookahead", parameters, |scene| set(scene, Kind::FollowPath, "lookahead", 44.0)),
        edit("no agent avoids", parameters, |scene| {
            let all = scene.species.iter_mut();
            all.for_each(|species| species.rules.retain(|rule| rule.kind != Kind::Avoid));
        }),
        edit("no value varies", parameters, |scene| {
            let all = scene.species.iter_mut();
            all.for_each(|species| species.variations.retain(Variation::is_drawn));
        }),
        edit("no agent draws", parameters, |scene| {
            let all = scene.species.iter_mut();
            all.for_each(|species| species.variations.retain(|one| !one.is_drawn()));
        }),
        edit("other draws", parameters, |scene| {
            for one in scene.species.iter_mut().flat_map(|species| &mut species.variations) {
                if let Law::PerAgent { from } = &mut one.law {
                    *from *= 0.5;
                }
            }
        }),
        edit("the nearest neighbours", parameters, |scene| {
            for rule in scene.species.iter_mut().flat_map(|species| &mut species.rules) {
                if let Some(slot) = rule.kind.parameter("nearest") {
                    rule.values[slot] = 7.0;
                }
            }
        }),
        edit("no turns", parameters, |scene| scene.species[2].body.combine = 0.0),
        edit("seed", parameters, |scene| scene.seed += 1),
        edit("time step", parameters, |scene| scene.time_step = 0.5),
        edit("no agent has memory", parameters, |scene| {
            for species in &mut scene.species {
                species.colour = flockwork::model::scene::ColourBy::Heading;
                let remembers = |kind: Kind| kind.info().needs.angle;
                species
                    .variations
                    .retain(|one| !matches!(one.slot, Slot::Rule(kind, _) if remembers(kind)));
                species.rules.retain(|rule| !remembers(rule.kind));
            }
        }),
        edit("other numbers for colours", parameters, |scene| {
            use flockwork::model::scene::ColourBy::{Acceleration, Age, Neighbours};
            let colours = [Age, Neighbours, Acceleration, Acceleration, Age];
            for (species, colour) in scene.species.iter_mut().zip(colours) {
                species.colour = colour;
            }
        }),
        edit("older ages", parameters, |scene| scene.style.age = 10),
        edit("pointer", Change::POINTER, |scene| {
            scene.targets[0].active = true;
            scene.targets[0].position = flat(33.0, 44.0);
        }),
        edit("a target put elsewhere", Change::target(1), |scene| {
            scene.targets[1].position = flat(250.0, 30.0);
        }),
        edit("a target that moves put elsewhere", Change::target(2), |scene| {
            scene.targets[2].position = flat(20.0, 30.0);
        }),
        edit("targets that rest", Change::TARGETS, |scene| {
            for target in &mut scene.targets {
                (target.velocity, target.hit_radius) = (Point::ZERO, 0.0);
            }
        }),
        edit("another target", Change::TARGETS, |scene| {
            scene.targets.insert(1, Target::fixed("new", flat(5.0, 5.0)));
        }),
        edit("an obstacle put elsewhere", Change::SCENERY, |scene| {
            scene.obstacles[0].position = flat(90.0, 90.0);
        }),
        edit("more obstacles", Change::SCENERY, |scene| {
            let one = |n: u8| Obstacle::new(flat(4.0 * f32::from(n), 200.0), 3.0);
            scene.obstacles.extend((0..90).map(one));
        }),
        edit("less scenery", Change::SCENERY, |scene| {
            scene.obstacles.clear();
            scene.paths.iter_mut().for_each(|path| path.points.truncate(2));
            scene.flow.as_mut().unwrap().cell = 400.0;
        }),
        edit("another path", Change::SCENERY, |scene| {
            scene.paths[0].points[1].y += 70.0;
        }),
        edit("another flow", Change::SCENERY, |scene| {
            scene.flow.as_mut().unwrap().frequency = 0.3;
        }),
        // The place where the hare sends agents is still inside.
        edit("smaller world", Change::WORLD, |scene| scene.world.size *= 0.72),
        edit("a world that targets lie far outside", Change::WORLD, |scene| {
            scene.world.size *= 0.2;
        }),
        edit("larger world", Change::WORLD, |scene| scene.world.size *= 2.3),
        edit("walls", Change::WORLD, |scene| scene.world.boundary = Boundary::Walls),
        edit("open", Change::WORLD, |scene| scene.world.boundary = Boundary::Open),
        edit("all at once", Change::WORLD | Change::PARAMETERS | Change::TARGETS, |scene| {
            scene.world.size.x = 310.0;
            scene.species[1].body.mass = 3.0;
            scene.targets[1].position.x = 200.0;
        }),
    ]
}

/// Edits of `flock` that add work to its ticks.
pub fn edits_of_flock() -> Vec<Edit> {
    let parameters = Change::PARAMETERS;
    vec![
        edit("wander", parameters, |scene| scene.species[0].rules.push(rule(Kind::Wander))),
        edit("sight", parameters, |scene| set(scene, Kind::Cohesion, "fov", 200.0)),
        edit("another species", parameters, |scene| {
            let mut other = scene.species[0].clone();
            other.body.max_speed = 1.0;
            scene.species.push(other);
            scene.species[0].body.max_force = 0.1;
        }),
        edit("a target to seek", parameters | Change::TARGETS, |scene| {
            scene.targets.push(Target::fixed("new", flat(5.0, 5.0)));
            let mut rule = rule(Kind::Seek);
            rule.values[Kind::Seek.parameter("target").unwrap()] = 1.0;
            scene.species[0].rules.push(rule);
        }),
    ]
}

/// Edits that change the grid: to twice as many cells or more, and to fewer, so that agents are in a crowd.
pub fn edits_of_grid() -> Vec<Edit> {
    vec![
        edit("a third of the radii", Change::PARAMETERS, |scene| scale_radii(scene, 1.0 / 3.0)),
        edit("double radii", Change::PARAMETERS, |scene| scale_radii(scene, 2.0)),
        edit("a third of the sides", Change::WORLD, |scene| scene.world.size *= 0.3),
        edit("a crowd that is not sampled", Change::PARAMETERS, |scene| {
            scale_radii(scene, 6.0);
            scene.sampling = CrowdSampling::Off;
        }),
    ]
}
