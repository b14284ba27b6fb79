//! The timeline: ticks with the edits between them, and seeking another tick.

use std::mem;
use std::sync::Arc;

use super::history::{EditableScene, History, Keyframe, KeyframeMeta, Recorded};
use super::series::Series;
use super::{Appearance, Clock, Edit, EditError, Session};
use flockwork_engine::EngineError;

/// The notice about an edit in the past.
const CUT: &str = "what came after this tick is cut; a new course begins here";

/// Time that the ticks of one slice of a seek may take; seconds.
const SLICE: f64 = 0.05;

/// The most ticks of one slice, even if they are cheap.
const MAX_SLICE: f64 = 256.0;

/// The time of a flock: its past, its metrics, and the way to another tick.
#[derive(Debug, Default)]
pub struct Timeline {
    pub history: History,
    pub series: Series,
    /// The tick of a seek that is under way.
    pub seek: Option<u64>,
}

impl Timeline {
    /// Exchanges it with another flock's. The memory for the past stays as the host has set it.
    pub fn exchange(&mut self, other: &mut Self) {
        let budget = self.history.budget;
        self.history.rest();
        self.series.rest();
        self.seek = None;
        mem::swap(self, other);
        self.history.set_budget(budget);
    }
}

impl<C: Clock> Session<C> {
    /// Begins to go to a tick. [`Session::advance`] goes there in slices, so that a window never
    /// freezes: back to the last snapshot before the tick, then forward with all events. In a run
    /// that keeps no past nothing happens.
    pub fn seek_to(&mut self, tick: u64) {
        let Some(start) = self.timeline.history.start() else { return };
        let goal = tick.max(start.state.tick);
        if self.timeline.seek.is_some() || goal != self.runner.tick {
            self.timeline.seek = Some(goal);
        }
    }

    /// Stays at the tick that the seek has reached.
    pub fn cancel_seek(&mut self) {
        if self.timeline.seek.take().is_some() {
            self.clock.restart();
        }
    }

    /// The tick of [`Session::seek_to`], until it is reached.
    #[must_use]
    pub fn goal(&self) -> Option<u64> {
        self.timeline.seek
    }

    /// The first tick that can be gone to, and the last one reached.
    #[must_use]
    pub fn span(&self) -> (u64, u64) {
        let start = self.timeline.history.start().map_or(self.runner.tick, |kept| kept.state.tick);
        (start, self.timeline.history.end.max(self.runner.tick))
    }

    /// The events of the past, and of the time after the present tick.
    #[must_use]
    pub fn events(&self) -> &[Recorded] {
        &self.timeline.history.events
    }

    /// Sets the memory for snapshots; bytes. The first state does not count.
    pub fn set_history(&mut self, budget: u64) {
        self.timeline.history.set_budget(budget);
    }

    /// The next notice for the user. Each is returned once.
    pub fn take_notice(&mut self) -> Option<String> {
        self.notice.take()
    }

    /// Replays recorded events at their ticks. `end` is the last tick of the record.
    pub fn replay(&mut self, events: Vec<Recorded>, end: u64) -> Result<(), EngineError> {
        self.timeline.history.adopt(events, end);
        match self.replay_due() {
            // The next frame goes on.
            Err(EngineError::NotYet) => Ok(()),
            done => done,
        }
    }

    /// One slice of a seek. Returns the ticks done.
    pub(super) fn advance_seek(&mut self) -> Result<u32, EngineError> {
        let Some(goal) = self.timeline.seek else { return Ok(0) };
        let nearest = self.timeline.history.nearest(goal).map(|kept| kept.state.tick);
        if goal < self.runner.tick || nearest.is_some_and(|nearest| nearest > self.runner.tick) {
            self.load_kept(goal)?;
        }
        let cost = self.runner.cost;
        // A tick of unknown cost is tried first.
        let most = if cost > 0.0 { (SLICE / cost).clamp(1.0, MAX_SLICE) } else { 1.0 };
        let ticks = goal.saturating_sub(self.runner.tick).min(most as u64) as u32;
        self.run(ticks)?;
        if self.runner.tick == goal {
            self.cancel_seek();
        }
        Ok(ticks)
    }

    /// Runs ticks, with the recorded events between them.
    pub(super) fn run(&mut self, ticks: u32) -> Result<(), EngineError> {
        // Those that had to wait for the flock.
        self.replay_due()?;
        let end = self.runner.tick + u64::from(ticks);
        while self.runner.tick < end {
            let stop = self.timeline.history.next_event().map_or(end, |event| event.min(end));
            // An event of this tick has been done, so the next one is later.
            let ticks = stop.saturating_sub(self.runner.tick).max(1);
            self.runner.engine.step(ticks as u32)?;
            self.runner.tick += ticks;
            self.runner.revision += 1;
            self.replay_due()?;
        }
        self.timeline.history.reach(self.runner.tick);
        Ok(())
    }

    /// Loads the last snapshot at or before a tick.
    fn load_kept(&mut self, tick: u64) -> Result<(), EngineError> {
        let Some(Keyframe { state, targets, meta }) = self.timeline.history.go_back_to(tick) else {
            return Ok(());
        };
        let appearance = Appearance::of(&self.editor.scene);
        meta.scene.put(&mut self.editor.scene);
        appearance.put(&mut self.editor.scene);
        self.editor.scene.targets = targets;
        (self.editor.next_id, self.editor.pointer) = (meta.next_id, meta.pointer);
        self.load(state)?;
        self.was_loaded();
        self.replay_due()
    }

    /// Does the recorded events of the present tick.
    fn replay_due(&mut self) -> Result<(), EngineError> {
        while let Some(event) = self.timeline.history.take_due(self.runner.tick) {
            match self.perform(&event) {
                Ok(_) => {}
                Err(EditError::Engine(error)) => {
                    self.timeline.history.put_back();
                    return Err(error);
                }
                Err(EditError::Refused(error)) => {
                    self.timeline.history.refuse(self.runner.tick);
                    self.timeline.series.cut(self.runner.tick);
                    self.notice =
                        Some(format!("the record ends at tick {}: {error}", self.runner.tick));
                }
            }
        }
        Ok(())
    }

    /// Records what the user has done. The time after the present tick is cut.
    pub(super) fn record(&mut self, edit: Edit) {
        if self.timeline.history.start().is_none() {
            return;
        }
        self.timeline.series.cut(self.runner.tick);
        if self.timeline.history.record(self.runner.tick, edit) {
            // The edits to undo may be among those that are cut.
            self.editor.undo.clear();
            self.notice = Some(CUT.into());
        }
    }

    /// Begins a new past with the state that was loaded.
    pub(super) fn begin_history(&mut self) {
        self.timeline.seek = None;
        if self.editor.initial.is_none() {
            return;
        }
        let state = Arc::clone(&self.copies.state);
        let targets = self.editor.scene.targets.clone();
        let meta = KeyframeMeta { cursor: 0, ..self.keyframe_meta() };
        self.timeline.history.begin(Keyframe { state, targets, meta });
    }

    /// The parts of a keyframe of the present tick besides the agents.
    pub(super) fn keyframe_meta(&mut self) -> KeyframeMeta {
        let edition = self.runner.edition;
        self.copies.content.take_if(|(of, _)| *of != edition);
        let now_edited = || (edition, Arc::new(EditableScene::of(&self.editor.scene)));
        let (_, scene) = self.copies.content.get_or_insert_with(now_edited);
        KeyframeMeta {
            scene: Arc::clone(scene),
            cursor: self.timeline.history.cursor,
            next_id: self.editor.next_id,
            pointer: self.editor.pointer,
        }
    }
}
