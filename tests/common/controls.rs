//! The changes that the negative controls make. A comparison that accepts them proves nothing.

use flockwork::model::behaviours::Kind;
use flockwork::model::parameter::{Meaning, Parameter};
use flockwork::model::scene::{Body, Law, Scene};
use flockwork::model::state::FlockState;

use super::situations::behaviour_sets;

/// A value that differs clearly from `value`.
pub fn perturbed(parameter: &Parameter, value: f32) -> f32 {
    match parameter.meaning {
        Meaning::Number | Meaning::Angle if value == 0.0 => 0.05,
        Meaning::Number | Meaning::Angle => value * 1.05,
        Meaning::FieldOfView if value > 100.0 => value - 60.0,
        Meaning::FieldOfView => value + 60.0,
        Meaning::Choice(names) => (value + 1.0) % names.len() as f32,
        Meaning::Target if value == 2.0 => 1.0,
        Meaning::Target => 2.0,
        Meaning::Path if value == 0.0 => -1.0,
        Meaning::Path => 0.0,
        Meaning::Nearest => {
            if value == 1.0 {
                0.0
            } else {
                1.0
            }
        }
        Meaning::SpeciesSet { .. } => value + if value as u32 & 2 == 0 { 2.0 } else { -2.0 },
    }
}

/// A change to a scene or a state: its name, the behaviours, and what it does.
pub type Change = (&'static str, Vec<Kind>, Box<dyn Fn(&mut Scene, &mut FlockState)>);

fn change(
    name: &'static str,
    kinds: &[Kind],
    how: impl Fn(&mut Scene, &mut FlockState) + 'static,
) -> Change {
    (name, kinds.to_vec(), Box::new(how))
}

/// A change to the bodies of all species.
fn of_bodies(name: &'static str, kinds: &[Kind], how: impl Fn(&mut Body) + 'static) -> Change {
    change(name, kinds, move |scene, _| {
        scene.species.iter_mut().for_each(|species| how(&mut species.body));
    })
}

/// All changes that are not to a behaviour's parameter.
pub fn changes() -> Vec<Change> {
    let mut changes = Vec::new();
    for kinds in behaviour_sets() {
        changes.extend(changes_for_all(&kinds));
    }
    let (avoid, path, flow) = (&[Kind::Avoid], &[Kind::FollowPath], &[Kind::FollowFlow]);
    changes.extend([
        of_bodies("size", avoid, |body| body.size *= 1.05),
        change("obstacle.radius", avoid, |scene, _| {
            scene.obstacles.iter_mut().for_each(|obstacle| obstacle.radius *= 1.05);
        }),
        change("obstacle.position", avoid, |scene, _| {
            scene.obstacles.iter_mut().for_each(|obstacle| obstacle.position.y += 1.0);
        }),
        change("the first obstacle alone", avoid, |scene, _| scene.obstacles.truncate(1)),
        change("corner", path, |scene, _| {
            scene.paths.iter_mut().for_each(|path| path.points[1].x += 1.0);
        }),
        change("closed", path, |scene, _| {
            scene.paths.iter_mut().for_each(|path| path.closed = !path.closed);
        }),
        change("cell", flow, |scene, _| scene.flow.as_mut().unwrap().cell *= 1.5),
        change("frequency", flow, |scene, _| scene.flow.as_mut().unwrap().frequency *= 1.05),
        change("ways", flow, |scene, _| scene.flow.as_mut().unwrap().vectors.reverse()),
        change("target.position", &[Kind::Seek], |scene, _| {
            scene.targets.iter_mut().for_each(|target| target.position.y += 1.0);
        }),
        change("target.velocity", &[Kind::Pursue], |scene, _| {
            scene.targets.iter_mut().for_each(|target| target.velocity *= 1.05);
        }),
        change("target.active", &[Kind::Seek], |scene, _| {
            scene.targets[0].active = !scene.targets[0].active;
        }),
        change("order", &Kind::ALL, |scene, _| {
            scene.species.iter_mut().for_each(|species| species.rules.reverse());
        }),
        change("seed", &[Kind::Wander], |scene, _| scene.seed += 1),
        change("tick", &[Kind::Wander], |_, state| state.tick += 1),
        change("wanderer's angle", &[Kind::Wander], |_, state| state.memory.reverse()),
        change("swimmer's angle", &[Kind::Swim], |_, state| state.memory.reverse()),
    ]);
    changes
}

/// Changes that matter for every set of behaviours.
fn changes_for_all(kinds: &[Kind]) -> [Change; 14] {
    [
        change("time_step", kinds, |scene, _| scene.time_step *= 1.05),
        of_bodies("mass", kinds, |body| body.mass *= 1.05),
        of_bodies("max_speed", kinds, |body| body.max_speed *= 1.05),
        of_bodies("max_force", kinds, |body| body.max_force *= 1.05),
        of_bodies("min_speed", kinds, |body| body.min_speed = 1.0),
        of_bodies("max_turn", kinds, |body| body.max_turn = 1.0),
        of_bodies("motion", kinds, |body| body.motion = 1.0 - body.motion),
        of_bodies("noise", kinds, |body| body.noise += 0.02),
        of_bodies("jitter", kinds, |body| body.jitter += 0.1),
        of_bodies("position_step", kinds, |body| body.position_step = 1.0 - body.position_step),
        of_bodies("limit", kinds, |body| body.limit = (body.limit + 1.0) % 3.0),
        of_bodies("combine", kinds, |body| body.combine = (body.combine + 1.0) % 3.0),
        change("amplitude", kinds, |scene, _| {
            let all = scene.species.iter_mut().flat_map(|species| &mut species.variations);
            for variation in all {
                if let Law::Noise { amplitude, .. } = &mut variation.law {
                    *amplitude *= 2.0;
                }
            }
        }),
        change("the least of a draw", kinds, |scene, _| {
            let all = scene.species.iter_mut().flat_map(|species| &mut species.variations);
            for variation in all {
                if let Law::PerAgent { from } = &mut variation.law {
                    *from *= 0.8;
                }
            }
        }),
    ]
}
