//! The timeline: ticks with the edits between them, and seeking another tick.

use std::mem;
use std::sync::Arc;

use super::history::{EditableScene, Keyframe, KeyframeMeta, Recorded};
use super::{Appearance, Clock, Edit, EditError, Session, Stops};
use flockwork_engine::EngineError;

/// The notice about an edit in the past.
const CUT: &str = "what came after this tick is cut; a new course begins here";

/// A seek to another tick, under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seek {
    goal: u64,
    /// Divides the way into slices.
    slices: Stops,
}

impl<C: Clock> Session<C> {
    /// Begins to go to a tick. [`Session::advance`] goes there in slices, so that a window never
    /// freezes: back to the last snapshot before the tick, then forward with all events. In a run
    /// that keeps no past nothing happens.
    pub fn seek_to(&mut self, tick: u64) {
        let Some(start) = self.history.start() else { return };
        let goal = tick.max(start.state.tick);
        match &mut self.seek {
            Some(seek) => seek.goal = goal,
            None if goal == self.tick => {}
            None => self.seek = Some(Seek { goal, slices: Stops::default() }),
        }
    }

    /// Stays at the tick that the seek has reached.
    pub fn cancel_seek(&mut self) {
        if self.seek.take().is_some() {
            self.clock.restart();
        }
    }

    /// The tick of [`Session::seek_to`], until it is reached.
    #[must_use]
    pub fn goal(&self) -> Option<u64> {
        self.seek.map(|seek| seek.goal)
    }

    /// The first tick that can be gone to, and the last one reached.
    #[must_use]
    pub fn span(&self) -> (u64, u64) {
        let start = self.history.start().map_or(self.tick, |kept| kept.state.tick);
        (start, self.history.end().max(self.tick))
    }

    /// The events of the past, and of the time after the present tick.
    #[must_use]
    pub fn events(&self) -> &[Recorded] {
        self.history.events()
    }

    /// Number of snapshots that [`Session::seek_to`] can start from.
    #[must_use]
    pub fn snapshots(&self) -> usize {
        self.history.snapshots()
    }

    /// Sets the memory for snapshots; bytes. The first state does not count.
    pub fn set_history(&mut self, budget: u64) {
        self.history.set_budget(budget);
    }

    /// The next notice for the user. Each is returned once.
    pub fn take_notice(&mut self) -> Option<String> {
        self.notice.take()
    }

    /// Replays recorded events at their ticks. `end` is the last tick of the record.
    pub fn replay(&mut self, events: Vec<Recorded>, end: u64) -> Result<(), EngineError> {
        self.history.adopt(events, end);
        self.replay_due()
    }

    /// One slice of a seek. Returns the ticks done.
    pub(super) fn advance_seek(&mut self) -> Result<u32, EngineError> {
        let Some(mut seek) = self.seek else { return Ok(0) };
        let nearest = self.history.nearest(seek.goal).map(|kept| kept.state.tick);
        if seek.goal < self.tick || nearest.is_some_and(|nearest| nearest > self.tick) {
            self.load_kept(seek.goal)?;
        }
        seek.slices.stop_at(seek.goal);
        let ticks = seek.slices.due((self.time)(), self.tick, self.cost);
        self.run(ticks)?;
        self.seek = Some(seek);
        if self.tick == seek.goal {
            self.cancel_seek();
        }
        Ok(ticks)
    }

    /// Runs ticks, with the recorded events between them.
    pub(super) fn run(&mut self, ticks: u32) -> Result<(), EngineError> {
        let end = self.tick + u64::from(ticks);
        while self.tick < end {
            let stop = self.history.next_event().map_or(end, |event| event.min(end));
            // An event of this tick has been done, so the next one is later.
            let ticks = stop.saturating_sub(self.tick).max(1);
            self.engine.step(ticks as u32)?;
            self.tick += ticks;
            self.revision += 1;
            self.replay_due()?;
        }
        self.history.reach(self.tick);
        Ok(())
    }

    /// Loads the last snapshot at or before a tick.
    fn load_kept(&mut self, tick: u64) -> Result<(), EngineError> {
        let Some(Keyframe { state, targets, meta }) = self.history.go_back_to(tick) else {
            return Ok(());
        };
        let appearance = Appearance::of(&self.scene);
        meta.scene.put(&mut self.scene);
        appearance.put(&mut self.scene);
        self.scene.targets = targets;
        (self.next_id, self.pointer) = (meta.next_id, meta.pointer);
        self.load(state)?;
        self.request = None;
        self.engine.set_profiling(true);
        self.revision += 1;
        self.edition += 1;
        self.replay_due()
    }

    /// Does the recorded events of the present tick.
    fn replay_due(&mut self) -> Result<(), EngineError> {
        while let Some(event) = self.history.take_due(self.tick) {
            match self.perform(&event) {
                Ok(_) => {}
                Err(EditError::Lost(error)) => return Err(error),
                Err(EditError::Refused(error)) => {
                    self.history.refuse(self.tick);
                    self.series.cut(self.tick);
                    self.notice = Some(format!("the record ends at tick {}: {error}", self.tick));
                }
            }
        }
        Ok(())
    }

    /// Records what the user has done. The time after the present tick is cut.
    pub(super) fn record(&mut self, edit: Edit) {
        if self.history.start().is_none() {
            return;
        }
        self.cancel_seek();
        self.series.cut(self.tick);
        if self.history.record(self.tick, edit) {
            // The edits to undo may be among those that are cut.
            self.undo.clear();
            self.notice = Some(CUT.into());
        }
    }

    /// Begins a new past with the state that was loaded.
    pub(super) fn begin_history(&mut self) {
        self.seek = None;
        if self.initial.is_none() {
            return;
        }
        let state = self.snapshots.shared();
        let (targets, meta) = (self.scene.targets.clone(), self.keyframe_meta());
        self.history.begin(Keyframe { state, targets, meta: KeyframeMeta { cursor: 0, ..meta } });
    }

    /// The parts of a keyframe of the present tick besides the agents.
    pub(super) fn keyframe_meta(&mut self) -> KeyframeMeta {
        let edition = self.edition;
        if self.content.as_ref().is_none_or(|(of, _)| *of != edition) {
            self.content = Some((edition, Arc::new(EditableScene::of(&self.scene))));
        }
        let content = self.content.as_ref().map(|(_, content)| Arc::clone(content));
        KeyframeMeta {
            scene: content.unwrap_or_else(|| Arc::new(EditableScene::of(&self.scene))),
            cursor: self.history.cursor(),
            next_id: self.next_id,
            pointer: self.pointer,
        }
    }

    /// Exchanges the past with another flock's.
    pub(super) fn swap_history(&mut self, other: &mut super::history::History) {
        let budget = self.history.budget();
        self.history.rest();
        mem::swap(&mut self.history, other);
        self.history.set_budget(budget);
        self.seek = None;
    }
}
