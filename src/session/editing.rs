//! Edits of a running flock, and how they are undone.

use std::sync::Arc;

use super::undo::{Content, Dropped, Edit, Subject};
use super::{Clock, Event, Session, Thing, edits, things};
use flockwork_engine::EngineError;
use flockwork_model::behaviours::Target;
use flockwork_model::scene::{Scene, Species, check_paths};
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;

/// The reason why an edit was refused, for the user; then the flock is unchanged. `None` if the
/// edit was done.
pub type Refusal = Option<String>;

/// Edits are undone only at the end of the timeline, where all of them are done.
const IN_THE_PAST: &str = "there are later edits: go to the end of the timeline to undo them";

impl<C: Clock> Session<C> {
    /// Changes parameters.
    pub fn change(&mut self, species: Vec<Species>) -> Result<Refusal, EngineError> {
        self.edit_scene(Subject::Parameters, |scene| scene.species = species)
    }

    /// Adds an agent of a species at each of `places`.
    pub fn add(&mut self, species: usize, places: &[Point]) -> Result<Refusal, EngineError> {
        let before = Content::of(&self.scene);
        let dropped = vec![Dropped { species, places: places.to_vec(), newcomers: 0 }];
        match self.drop_agents(&dropped)? {
            Err(why) => Ok(Some(why)),
            Ok(ids) => {
                self.visits.branch();
                let plain = Edit::new(Subject::Agents, before.clone(), before);
                self.undo.push(Edit { dropped, ids, ..plain });
                Ok(None)
            }
        }
    }

    /// Replaces the scene's first path by a random one.
    pub fn new_path(&mut self) -> Result<Refusal, EngineError> {
        let Some(own) = self.scene.paths.first() else {
            return Ok(Some("this scene has no path".into()));
        };
        // The ends of the path at the start stay, whatever the others were since then.
        let first = self.first.paths.iter().find(|path| path.name == own.name).unwrap_or(own);
        self.paths += 1;
        let mut path = edits::new_path(first, &self.scene.world, self.scene.seed, self.paths);
        path.shown = own.shown;
        self.edit_scene(Subject::Path, |scene| scene.paths[0] = path)
    }

    /// Makes agents that seek flee, and agents that flee seek.
    pub fn turn_round(&mut self) -> Result<Refusal, EngineError> {
        let first = self.first.clone();
        self.edit_scene(Subject::Turn, |scene| edits::turn_round(scene, &first))
    }

    /// The target or obstacle that a drag from `place` moves, if there is one.
    pub fn nearest_thing(&mut self, place: Point) -> Result<Option<Thing>, EngineError> {
        // Reading from a device means waiting. A target at rest is always preferred, so the read is
        // only needed if all targets move by themselves.
        if self.scene.targets[1.min(self.scene.targets.len())..].iter().all(Target::moves) {
            self.scene.targets = self.engine.targets()?;
        }
        Ok(Thing::nearest(&self.scene, place))
    }

    /// The target or the obstacle that a press at `place` takes hold of; see [`Thing::at`].
    pub fn thing_at(&mut self, place: Point, reach: f32) -> Result<Option<Thing>, EngineError> {
        self.read_targets()?;
        Ok(Thing::at(&self.scene, place, reach))
    }

    /// Moves a target or an obstacle.
    pub fn put(&mut self, thing: Thing, place: Point) -> Result<Refusal, EngineError> {
        self.edit_scene(Subject::Place(thing), |scene| thing.put(scene, place))
    }

    /// Ends a gesture. Until then edits with the same subject merge, so a whole drag is undone at
    /// once.
    pub fn seal_edit(&mut self) {
        self.undo.seal();
    }

    /// Undoes the last edit, or the reset or the change to this scene if there is none. Agents stay where
    /// they are now, except that agents added by the edit are removed, and new ones come to the places of
    /// those that it took away. Returns what was undone, for the user.
    pub fn undo(&mut self) -> Result<String, EngineError> {
        if self.history.has_future_events() && !self.undo.is_about_looks(false) {
            return Ok(IN_THE_PAST.into());
        }
        let Some(mut edit) = self.undo.take_done() else { return self.go_back() };
        if let Some(why) = self.turn(&mut edit, true)? {
            self.undo.was_done(edit);
            return Ok(why);
        }
        let notice = format!("undone: {}", edit.subject);
        self.undo.was_undone(edit);
        Ok(notice)
    }

    /// Repeats the last undone edit. Agents that it adds get new ids. Returns what was redone, for
    /// the user.
    pub fn redo(&mut self) -> Result<String, EngineError> {
        if self.history.has_future_events() && !self.undo.is_about_looks(true) {
            return Ok(IN_THE_PAST.into());
        }
        let Some(mut edit) = self.undo.take_undone() else { return self.go_forward() };
        if let Some(why) = self.turn(&mut edit, false)? {
            self.undo.was_undone(edit);
            return Ok(why);
        }
        let notice = format!("redone: {}", edit.subject);
        self.undo.was_done(edit);
        Ok(notice)
    }

    /// Takes an edit back, or makes it again.
    fn turn(&mut self, edit: &mut Edit, back: bool) -> Result<Refusal, EngineError> {
        if let Some(looks) = &edit.looks {
            return self.wear(&looks[usize::from(!back)]);
        }
        if let Some(member) = edit.member.clone() {
            return self.turn_member(edit, &member, back);
        }
        self.prepare(edit)?;
        let go = |edit: &Edit, scene: &mut Scene, back| {
            if back { edit.revert(scene) } else { edit.repeat(scene) }
        };
        let refused = self.apply(|scene| go(edit, scene, back))?;
        if refused.is_some() {
            return Ok(refused);
        }
        if edit.takes != back {
            self.take_away(&edit.ids)?;
            return Ok(None);
        }
        match self.drop_agents(&edit.dropped)? {
            Ok(ids) => self.undo.renumber(edit, ids),
            Err(why) => {
                self.apply(|scene| go(edit, scene, !back))?;
                return Ok(Some(why));
            }
        }
        Ok(None)
    }

    /// Takes the agents with these ids out of the flock.
    pub(super) fn take_away(&mut self, ids: &[u32]) -> Result<(), EngineError> {
        if ids.is_empty() {
            return Ok(());
        }
        self.engine.remove(ids)?;
        self.changed_agents(self.agents - ids.len());
        self.record(Event::Remove(ids.to_vec()));
        Ok(())
    }

    /// Reads the targets if the list of them changes: those that move go on from where they are.
    fn prepare(&mut self, edit: &Edit) -> Result<(), EngineError> {
        if edit.subject == Subject::Things {
            self.read_targets()?;
        }
        Ok(())
    }

    /// Changes the scene and records the edit.
    pub(super) fn edit_scene(
        &mut self,
        subject: Subject,
        change: impl FnOnce(&mut Scene),
    ) -> Result<Refusal, EngineError> {
        let before = Content::of(&self.scene);
        let refused = self.apply(change)?;
        if refused.is_none() {
            let after = Content::of(&self.scene);
            if after == before {
                return Ok(None);
            }
            self.visits.branch();
            self.undo.push(Edit::new(subject, before, after));
        }
        Ok(refused)
    }

    /// Adds agents. Returns their ids, or the reason why there is no room for them.
    pub(super) fn drop_agents(
        &mut self,
        dropped: &[Dropped],
    ) -> Result<Result<Vec<u32>, String>, EngineError> {
        let more: usize = dropped.iter().map(Dropped::len).sum();
        if more == 0 {
            return Ok(Ok(Vec::new()));
        }
        if let Some(why) = self.room_for(more as u64) {
            return Ok(Err(why));
        }
        let agents = match self.agents_of(dropped) {
            Ok(agents) => agents,
            Err(why) => return Ok(Err(why)),
        };
        match self.engine.append(&agents) {
            Ok(()) => {}
            Err(error @ EngineError::Lost { .. }) => return Err(error),
            Err(error) => return Ok(Err(error.to_string())),
        }
        self.next_id += more as u64;
        self.changed_agents(self.agents + more);
        self.record(Event::Add(dropped.to_vec()));
        Ok(Ok(agents.id))
    }

    /// New agents with the next ids, or the reason why there are none.
    pub(super) fn agents_of(&self, dropped: &[Dropped]) -> Result<FlockState, String> {
        let mut agents = FlockState::default();
        for dropped in dropped {
            let next = self.next_id + agents.len() as u64;
            edits::drop_agents(&mut agents, &self.scene, dropped, next)
                .map_err(|error| error.to_string())?;
        }
        Ok(agents)
    }

    /// Records that the flock has other agents.
    pub(super) fn changed_agents(&mut self, agents: usize) {
        self.agents = agents;
        self.revision += 1;
        self.snapshots.hurry();
    }

    /// Changes the scene. If the result is not valid, or the engine cannot take it, scene and flock
    /// stay unchanged.
    pub(super) fn apply(&mut self, edit: impl FnOnce(&mut Scene)) -> Result<Refusal, EngineError> {
        let before = self.scene.clone();
        edit(&mut self.scene);
        things::mend(&mut self.scene);
        let checked = self.scene.check_world().and_then(|()| self.scene.check_scenery());
        let mut problem = checked.err().map(|error| error.to_string());
        if self.scene.paths != before.paths {
            problem = problem.or(check_paths(&self.scene.paths).err());
        }
        if problem.is_some() {
            self.scene = before;
            return Ok(problem);
        }
        let change = Content::of(&self.scene).difference(&Content::of(&before));
        if change.is_nothing() {
            return Ok(None);
        }
        if let Err(error) = self.engine.update(&self.scene, change) {
            self.scene = before;
            return match error {
                EngineError::Lost { .. } => Err(error),
                error => Ok(Some(error.to_string())),
            };
        }
        self.revision += 1;
        self.edition += 1;
        let parts = Arc::new(change.parts_of(&self.scene));
        self.record(Event::Change { change, parts });
        Ok(None)
    }
}
