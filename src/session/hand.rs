//! The mouse's effects on the flock without an edit: it calls the flock, and leads a target.

use super::{Clock, Event, Session, edits};
use flockwork_engine::{Change, EngineError};
use flockwork_model::vector::Point;
use flockwork_model::world::Boundary;

impl<C: Clock> Session<C> {
    /// Moves the target `pointer` to the pointer.
    pub(super) fn point(&mut self) -> Result<(), EngineError> {
        let Some(target) = self.scene.targets.first_mut() else { return Ok(()) };
        target.active = self.pointer.is_some();
        target.position = self.pointer.unwrap_or(target.position);
        self.engine.update(&self.scene, Change::POINTER)
    }

    /// Moves the target `pointer`, or switches it off.
    pub fn set_pointer(&mut self, pointer: Option<Point>) -> Result<(), EngineError> {
        // A wrapping world has no outside: the pointer moves to the same place inside.
        let world = self.scene.world;
        let wraps = world.boundary == Boundary::Wrap;
        let pointer = pointer.map(|p| if wraps { edits::inside(&world, p) } else { p });
        if std::mem::replace(&mut self.hand, pointer) == pointer {
            return Ok(());
        }
        self.pointer = pointer;
        self.point()?;
        self.record(Event::Pointer(pointer));
        Ok(())
    }

    /// Moves the target that follows the mouse, if the scene has one. In the past the target goes
    /// its recorded way: a mouse that merely crosses the window must not cut what came after.
    pub fn lead(&mut self, place: Point) -> Result<(), EngineError> {
        let past = self.journey.is_some() || self.tick < self.history.end();
        if past || self.scene.led_target().is_none() {
            return Ok(());
        }
        self.move_led(place)?;
        self.record(Event::Lead(place));
        Ok(())
    }
}
