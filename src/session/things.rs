//! Targets and obstacles come, move and go.

use super::undo::Subject;
use super::{Clock, Refusal, Session, Thing, edits};
use crate::engine::EngineError;
use crate::model::behaviours::Target;
use crate::model::parameter::{Meaning, NEAREST_TARGET};
use crate::model::scene::{MAX_TARGETS, POINTER, Scene};
use crate::model::scenery::Obstacle;
use crate::model::vector::Point;

/// Radius of a new obstacle, as of one in a file that does not say; world units.
const RADIUS: f32 = 20.0;

impl<C: Clock> Session<C> {
    /// Adds a target at rest.
    pub fn add_target(&mut self, place: Point) -> Result<Refusal, EngineError> {
        if self.scene.targets.len() >= MAX_TARGETS {
            let most = MAX_TARGETS - 1;
            return Ok(Some(format!("a scene has at most {most} targets: none was added")));
        }
        self.read_targets()?;
        let place = edits::inside(&self.scene.world, place);
        let name = new_name(&self.scene.targets);
        let target = Target::fixed(&name, place);
        self.edit_scene(Subject::Things, |scene| scene.targets.push(target))
    }

    /// Adds an obstacle.
    pub fn add_obstacle(&mut self, place: Point) -> Result<Refusal, EngineError> {
        let place = edits::inside(&self.scene.world, place);
        let obstacle = Obstacle::new(place, RADIUS);
        self.edit_scene(Subject::Things, |scene| scene.obstacles.push(obstacle))
    }

    /// Takes away a target or an obstacle. What steered by the target steers by the nearest one then.
    pub fn remove(&mut self, thing: Thing) -> Result<Refusal, EngineError> {
        self.read_targets()?;
        self.edit_scene(Subject::Things, |scene| remove(scene, thing))
    }

    /// Targets that move by themselves are put where they are now, before the list changes: the engine
    /// then takes them from there.
    pub(super) fn read_targets(&mut self) -> Result<(), EngineError> {
        if self.scene.targets.iter().any(Target::moves) {
            self.scene.targets = self.engine.targets()?;
        }
        Ok(())
    }
}

/// A name that no target has.
fn new_name(targets: &[Target]) -> String {
    let names = (1..).map(|number| format!("target{number}"));
    let is_new = |name: &String| targets.iter().all(|target| target.name != *name);
    names.into_iter().find(is_new).unwrap_or_default()
}

fn remove(scene: &mut Scene, thing: Thing) {
    match thing {
        Thing::Obstacle(index) if index < scene.obstacles.len() => {
            scene.obstacles.remove(index);
        }
        Thing::Target(index)
            if scene.targets.get(index).is_some_and(|target| target.name != POINTER) =>
        {
            scene.targets.remove(index);
            move_references(scene, |target| match target {
                _ if target == index => None,
                _ if target > index => Some(target - 1),
                _ => Some(target),
            });
        }
        Thing::Obstacle(_) | Thing::Target(_) => {}
    }
}

/// Gives every behaviour that names a target its new number, or the nearest target.
fn move_references(scene: &mut Scene, new: impl Fn(usize) -> Option<usize>) {
    for rule in scene.species.iter_mut().flat_map(|species| &mut species.rules) {
        for (parameter, value) in rule.kind.info().parameters.iter().zip(&mut rule.values) {
            // Below zero are the nearest one and none.
            if parameter.meaning == Meaning::Target && *value >= 0.0 {
                *value = new(*value as usize).map_or(NEAREST_TARGET, |number| number as f32);
            }
        }
    }
}

/// Lets behaviours that name a target which is not there steer by the nearest one.
pub fn mend(scene: &mut Scene) {
    let count = scene.targets.len();
    move_references(scene, |target| Some(target).filter(|target| *target < count));
}
