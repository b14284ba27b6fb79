//! The pointer calls the flock, and leads a target. Neither is undone.

use super::{Clock, Edit, EditError, Session, scene_ops};
use flockwork_engine::{Change, EngineError};
use flockwork_model::vector::Point;
use flockwork_model::world::Boundary;

impl<C: Clock> Session<C> {
    /// Moves the target `pointer` to the pointer.
    pub(super) fn point(&mut self) -> Result<(), EngineError> {
        let Some(target) = self.editor.scene.targets.first_mut() else { return Ok(()) };
        target.active = self.editor.pointer.is_some();
        target.position = self.editor.pointer.unwrap_or(target.position);
        self.runner.engine.update(&self.editor.scene, Change::POINTER)
    }

    /// Moves the target `pointer`, or switches it off.
    ///
    /// In the past the flock goes its recorded way: a release waits for the end of the timeline.
    pub(super) fn set_pointer(&mut self, pointer: Option<Point>) -> Result<(), EditError> {
        // A wrapping world has no outside: the pointer moves to the same place inside.
        let world = self.editor.scene.world;
        let wraps = world.boundary == Boundary::Wrap;
        let pointer = pointer.map(|p| if wraps { scene_ops::inside(&world, p) } else { p });
        if self.editor.user_pointer == pointer || pointer.is_none() && self.is_past() {
            return Ok(());
        }
        self.apply(Edit::Pointer(pointer))?;
        self.editor.user_pointer = pointer;
        Ok(())
    }

    /// True before the end of the timeline, and on the way to another tick.
    fn is_past(&self) -> bool {
        self.timeline.seek.is_some() || self.runner.tick < self.timeline.history.end
    }

    /// Moves the target that follows the mouse, if the scene has one. In the past the target goes
    /// its recorded way: a mouse that merely crosses the window must not cut what came after.
    pub(super) fn lead(&mut self, place: Point) -> Result<(), EditError> {
        if !self.is_past() && self.editor.scene.led_target().is_some() {
            self.apply(Edit::Lead(scene_ops::inside(&self.editor.scene.world, place)))?;
        }
        Ok(())
    }

    /// Moves the target that follows the mouse.
    pub(super) fn move_led(&mut self, place: Point) -> Result<(), EngineError> {
        let Some(index) = self.editor.scene.led_target() else { return Ok(()) };
        self.editor.scene.targets[index].position = place;
        self.runner.engine.update(&self.editor.scene, Change::target(index))?;
        // The agents have not moved, but their target has.
        self.runner.revision += 1;
        Ok(())
    }
}
