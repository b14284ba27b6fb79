//! Time: ticks with the events between them, and the way to another tick.

use std::mem;
use std::sync::Arc;

use super::history::{Event, Kept, Mark, Recorded};
use super::undo::Content;
use super::{Clock, Looks, Session, Stops, edits};
use flockwork_engine::{Change, EngineError};
use flockwork_model::vector::Point;

/// The notice about an edit in the past.
const CUT: &str = "what came after this tick is cut; a new course begins here";

/// A journey to another tick.
#[derive(Clone, Copy, Debug)]
pub(super) struct Journey {
    goal: u64,
    /// Divides the way into slices.
    slices: Stops,
}

impl<C: Clock> Session<C> {
    /// Begins to go to a tick. [`Session::advance`] goes there in slices, so that a window never
    /// freezes: back to the last snapshot before the tick, then forward with all events. In a run
    /// that keeps no past nothing happens.
    pub fn go_to(&mut self, tick: u64) {
        let Some(start) = self.history.start() else { return };
        let goal = tick.max(start.state.tick);
        match &mut self.journey {
            Some(journey) => journey.goal = goal,
            None if goal == self.tick => {}
            None => self.journey = Some(Journey { goal, slices: Stops::default() }),
        }
    }

    /// Stays at the tick that the journey has reached.
    pub fn stay(&mut self) {
        if self.journey.take().is_some() {
            self.clock.restart();
        }
    }

    /// The tick of [`Session::go_to`], until it is reached.
    #[must_use]
    pub fn goal(&self) -> Option<u64> {
        self.journey.map(|journey| journey.goal)
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

    /// Number of snapshots that [`Session::go_to`] can start from.
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
        self.told.take()
    }

    /// Replays recorded events at their ticks. `end` is the last tick of the record.
    pub fn replay(&mut self, events: Vec<Recorded>, end: u64) -> Result<(), EngineError> {
        self.history.adopt(events, end);
        self.replay_due()
    }

    /// One slice of a journey. Returns the ticks done.
    pub(super) fn travel(&mut self) -> Result<u32, EngineError> {
        let Some(mut journey) = self.journey else { return Ok(0) };
        let nearest = self.history.nearest(journey.goal).map(|kept| kept.state.tick);
        if journey.goal < self.tick || nearest.is_some_and(|nearest| nearest > self.tick) {
            self.load_kept(journey.goal)?;
        }
        journey.slices.stop_at(journey.goal);
        let ticks = journey.slices.due((self.time)(), self.tick, self.cost);
        self.run(ticks)?;
        self.journey = Some(journey);
        if self.tick == journey.goal {
            self.stay();
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
        let Some(Kept { state, targets, mark }) = self.history.go_back_to(tick) else {
            return Ok(());
        };
        let looks = Looks::of(&self.scene);
        mark.content.put(&mut self.scene);
        looks.put(&mut self.scene);
        self.scene.targets = targets;
        (self.next_id, self.pointer) = (mark.next_id, mark.pointer);
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
            match self.perform(event) {
                Ok(()) => {}
                Err(error @ EngineError::Lost { .. }) => return Err(error),
                Err(error) => {
                    self.history.refuse(self.tick);
                    self.series.cut(self.tick);
                    self.told = Some(format!("the record ends at tick {}: {error}", self.tick));
                }
            }
        }
        Ok(())
    }

    /// Does a recorded event again.
    fn perform(&mut self, event: Event) -> Result<(), EngineError> {
        match event {
            Event::Pointer(place) => {
                self.pointer = place;
                return self.point();
            }
            Event::Lead(place) => return self.move_led(place),
            Event::Change { change, parts } => {
                let mut parts = (*parts).clone();
                Looks::of(&self.scene).put(&mut parts);
                change.swap(&mut self.scene, &mut parts);
                let updated = self.engine.update(&self.scene, change);
                if updated.is_err() {
                    change.swap(&mut self.scene, &mut parts);
                }
                updated?;
                self.edition += 1;
            }
            Event::Written(written) => {
                let events = written.events(&self.scene).map_err(|why| self.impossible(why))?;
                return events.into_iter().try_for_each(|event| self.perform(event));
            }
            Event::Add(dropped) => {
                let more = dropped.iter().map(|drop| drop.len() as u64).sum();
                self.room_for(more).map_or(Ok(()), |why| Err(self.impossible(why)))?;
                let agents = self.agents_of(&dropped).map_err(|why| self.impossible(why))?;
                self.engine.append(&agents)?;
                self.next_id += agents.len() as u64;
                self.changed_agents(self.agents + agents.len());
            }
            Event::Remove(ids) => {
                self.engine.remove(&ids)?;
                self.changed_agents(self.agents.saturating_sub(ids.len()));
            }
            Event::RemoveSpecies(index) => {
                self.cut_species(index)?.map_err(|why| self.impossible(why))?;
            }
            Event::ReturnSpecies { index, species, agents } => {
                let refused = self.return_species(index, &species, &agents)?;
                refused.map_or(Ok(()), |why| Err(self.impossible(why)))?;
            }
        }
        self.revision += 1;
        Ok(())
    }

    /// An event that cannot happen again.
    fn impossible(&self, message: String) -> EngineError {
        EngineError::Device { adapter: self.engine.describe(), message }
    }

    /// Moves the target that follows the mouse.
    pub(super) fn move_led(&mut self, place: Point) -> Result<(), EngineError> {
        let Some(index) = self.scene.led_target() else { return Ok(()) };
        self.scene.targets[index].position = edits::inside(&self.scene.world, place);
        self.engine.update(&self.scene, Change::target(index))?;
        // The agents have not moved, but their target has.
        self.revision += 1;
        Ok(())
    }

    /// Records what the user has done. The time after the present tick is cut.
    pub(super) fn record(&mut self, event: Event) {
        if self.history.start().is_none() {
            return;
        }
        self.stay();
        self.series.cut(self.tick);
        if self.history.record(self.tick, event) {
            // The edits to undo may be among those that are cut.
            self.undo.clear();
            self.told = Some(CUT.into());
        }
    }

    /// Begins a new past with the state that was loaded.
    pub(super) fn begin_history(&mut self) {
        self.journey = None;
        if self.initial.is_none() {
            return;
        }
        let state = self.snapshots.shared();
        let (targets, mark) = (self.scene.targets.clone(), self.mark());
        self.history.begin(Kept { state, targets, mark: Mark { cursor: 0, ..mark } });
    }

    /// The parts of a snapshot of the present tick besides the agents.
    pub(super) fn mark(&mut self) -> Mark {
        let edition = self.edition;
        if self.content.as_ref().is_none_or(|(of, _)| *of != edition) {
            self.content = Some((edition, Arc::new(Content::of(&self.scene))));
        }
        let content = self.content.as_ref().map(|(_, content)| Arc::clone(content));
        Mark {
            content: content.unwrap_or_else(|| Arc::new(Content::of(&self.scene))),
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
        self.journey = None;
    }
}
