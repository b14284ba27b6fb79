//! Targets, obstacles and paths come, move and go.

use super::undo::Subject;
use super::{Clock, Refusal, Session, Thing, edits};
use flockwork_engine::EngineError;
use flockwork_model::behaviours::Target;
use flockwork_model::parameter::{Meaning, NEAREST_PATH, NEAREST_TARGET};
use flockwork_model::scene::keys::MAX_OBSTACLES;
use flockwork_model::scene::{MAX_TARGETS, POINTER, Scene};
use flockwork_model::scenery::{Obstacle, Path};
use flockwork_model::vector::Point;
use flockwork_model::world::Boundary;

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

    /// Paints a wall: adds obstacles of one radius. The obstacles of one gesture are one edit.
    pub fn paint(&mut self, places: &[Point], radius: f32) -> Result<Refusal, EngineError> {
        let most = MAX_OBSTACLES as usize;
        if self.scene.obstacles.len() + places.len() > most {
            return Ok(Some(format!("a scene has at most {most} obstacles: the wall ends here")));
        }
        let world = self.scene.world;
        let circles = places.iter().map(|at| Obstacle::new(edits::inside(&world, *at), radius));
        let circles: Vec<Obstacle> = circles.collect();
        self.edit_scene(Subject::Walls, |scene| scene.obstacles.extend(circles))
    }

    /// Adds a path through these places.
    pub fn add_path(&mut self, points: &[Point], closed: bool) -> Result<Refusal, EngineError> {
        let first = points.first().copied().unwrap_or_default();
        // The world repeats, and so does the path.
        let by = edits::inside(&self.scene.world, first) - first;
        let wraps = self.scene.world.boundary == Boundary::Wrap;
        let by = if wraps { by } else { Point::ZERO };
        let points = points.iter().map(|point| *point + by).collect();
        let names = (self.scene.paths.len()..).map(|number| format!("path{number}"));
        let is_new = |name: &String| self.scene.paths.iter().all(|path| path.name != *name);
        let name = names.into_iter().find(is_new).unwrap_or_default();
        let path = Path { name, points, closed, shown: true };
        self.edit_scene(Subject::Paths, |scene| scene.paths.push(path))
    }

    /// Puts `path` in the place of the path of number `index`.
    pub fn set_path(&mut self, index: usize, path: Path) -> Result<Refusal, EngineError> {
        self.edit_scene(Subject::Paths, |scene| {
            if let Some(own) = scene.paths.get_mut(index) {
                *own = path;
            }
        })
    }

    /// Removes a path. Behaviours that followed it then follow the nearest one. The last path stays
    /// while a behaviour needs one.
    pub fn remove_path(&mut self, index: usize) -> Result<Refusal, EngineError> {
        if self.scene.paths.len() == 1
            && let Some(key) = follows_paths(&self.scene)
        {
            return Ok(Some(format!("{key} needs a path: remove that behaviour first")));
        }
        self.edit_scene(Subject::Paths, |scene| {
            if index < scene.paths.len() {
                scene.paths.remove(index);
                move_references(scene, Meaning::Path, after(index));
            }
        })
    }

    /// Removes a target or an obstacle. Behaviours that named the target then take the nearest one.
    pub fn remove(&mut self, thing: Thing) -> Result<Refusal, EngineError> {
        if let Thing::PathPoint(index, _) = thing
            && self.scene.paths.get(index).is_some_and(|path| path.points.len() <= 2)
        {
            return self.remove_path(index);
        }
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
            move_references(scene, Meaning::Target, after(index));
        }
        Thing::PathPoint(index, point)
            if scene.paths.get(index).is_some_and(|path| point < path.points.len()) =>
        {
            scene.paths[index].points.remove(point);
        }
        Thing::Obstacle(_) | Thing::Target(_) | Thing::PathPoint(..) => {}
    }
}

/// A behaviour that needs a path, if a species has one.
pub fn follows_paths(scene: &Scene) -> Option<&'static str> {
    let mut rules = scene.species.iter().flat_map(|species| &species.rules);
    let rule = rules.find(|rule| rule.kind.info().needs.paths_within.is_some());
    rule.map(|rule| rule.kind.info().key)
}

/// Gives every behaviour that names a target or a path its new number, or the nearest one.
fn move_references(scene: &mut Scene, of: Meaning, new: impl Fn(usize) -> Option<usize>) {
    let nearest = if of == Meaning::Path { NEAREST_PATH } else { NEAREST_TARGET };
    for rule in scene.species.iter_mut().flat_map(|species| &mut species.rules) {
        for (parameter, value) in rule.kind.info().parameters.iter().zip(&mut rule.values) {
            // Numbers below zero stand for the nearest one and for none.
            if parameter.meaning == of && *value >= 0.0 {
                *value = new(*value as usize).map_or(nearest, |number| number as f32);
            }
        }
    }
}

/// The new number of a thing after the one of number `gone` was removed; none for that one itself.
fn after(gone: usize) -> impl Fn(usize) -> Option<usize> {
    move |number| (number != gone).then(|| number - usize::from(number > gone))
}

/// Lets behaviours that name a target or a path which is not there steer by the nearest one.
pub fn mend(scene: &mut Scene) {
    for (of, count) in [(Meaning::Target, scene.targets.len()), (Meaning::Path, scene.paths.len())]
    {
        move_references(scene, of, |number| Some(number).filter(|number| *number < count));
    }
}
