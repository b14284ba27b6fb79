//! Edits are applied to a running flock, undone and redone.

use super::edit::{Despawn, check, fit, species_named, unfit};
use super::scene_ops::spawn_agents;
use super::undo::Entry;
use super::{Clock, Edit, EditError, SceneObject, Session, SpawnBatch};
use flockwork_engine::EngineError;
use flockwork_model::behaviours::Target;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;

/// Edits are undone only at the end of the timeline, where all of them are done.
const IN_THE_PAST: &str = "there are later edits: go to the end of the timeline to undo them";

impl<C: Clock> Session<C> {
    /// Does what the user asks for. [`Session::undo`] takes it back, but for [`Edit::Pointer`] and
    /// [`Edit::Lead`]. See [`Session::apply`].
    pub fn edit(&mut self, edit: Edit) -> Result<(), EditError> {
        match edit {
            Edit::Pointer(place) => return self.set_pointer(place),
            Edit::Lead(place) => return self.lead(place),
            _ => {}
        }
        let mut log = Vec::new();
        let done = self.perform_whole(edit.clone(), &mut log);
        self.record_all(log, done.is_ok());
        let (forth, back) = done?;
        if !back.is_nothing() {
            self.scenes.clear_redo();
            self.editor.undo.push(Entry { edit, back, forth });
        }
        Ok(())
    }

    /// Applies an edit at the present tick and records it. Returns its inverse. If the scene, the engine or
    /// the memory cannot take it, the flock stays as it is. On the way to another tick it takes only edits of
    /// the appearance.
    ///
    /// May wait for the device: when the list of targets changes while one of them moves by itself, and
    /// when a species comes back, goes, or gets a number of agents.
    pub fn apply(&mut self, edit: Edit) -> Result<Edit, EditError> {
        let mut log = Vec::new();
        let done = self.perform_whole(edit, &mut log);
        self.record_all(log, done.is_ok());
        done.map(|(_, inverse)| inverse)
    }

    /// Applies an edit without a record of it, also one of several. Returns the edit that repeats it, and its
    /// inverse. `log` gets all that was done, also if it was undone because a part was refused.
    fn perform_whole(
        &mut self,
        edit: Edit,
        log: &mut Vec<Edit>,
    ) -> Result<(Edit, Edit), EditError> {
        let mut edit = self.resolved(edit)?;
        // Places of a plane have no height.
        unfit(&mut edit, &self.editor.scene.world);
        fit(&mut edit, &self.editor.scene.world)?;
        if let Edit::Together(edits) = edit {
            return self.perform_all(edits, log);
        }
        let has_tick = !matches!(edit, Edit::Appearance(_));
        if let Some(goal) = self.goal().filter(|_| has_tick) {
            let why =
                format!("the flock is on its way to tick {goal}: edit it there, or pause first");
            return Err(EditError::Refused(why));
        }
        let inverse = self.perform(&edit)?;
        if inverse.is_nothing() {
            return Ok((Edit::nothing(), inverse));
        }
        if has_tick {
            log.push(edit.clone());
        }
        Ok((edit, inverse))
    }

    /// Records what was done. Parts of a refused edit were undone again, and are recorded only if that leaves
    /// traces, which a replay must have too.
    fn record_all(&mut self, log: Vec<Edit>, is_done: bool) {
        if is_done || log.iter().any(Edit::leaves_traces) {
            log.into_iter().for_each(|edit| self.record(edit));
        }
    }

    /// Applies several edits, all or none.
    fn perform_all(
        &mut self,
        edits: Vec<Edit>,
        log: &mut Vec<Edit>,
    ) -> Result<(Edit, Edit), EditError> {
        // Once the first one is done it is too late to ask for the flock.
        if !self.runner.engine.waits() {
            self.runner.engine.read_back()?;
        }
        let (mut done, mut back) = (Vec::new(), Edit::nothing());
        for edit in edits {
            match self.perform_whole(edit, log) {
                Ok((forth, inverse)) => {
                    done.push(forth);
                    back = inverse.then(back);
                }
                Err(lost @ EditError::Engine(EngineError::Lost { .. })) => return Err(lost),
                Err(refused) => {
                    self.perform_whole(back, log)?;
                    return Err(refused);
                }
            }
        }
        Ok((Edit::Together(done), back))
    }

    /// Applies one edit without a record of it. Returns its inverse.
    pub(super) fn perform(&mut self, edit: &Edit) -> Result<Edit, EditError> {
        match edit {
            Edit::Pointer(place) => {
                let before = std::mem::replace(&mut self.editor.pointer, *place);
                self.point()?;
                Ok(Edit::Pointer(before))
            }
            Edit::Lead(place) => {
                self.move_led(*place)?;
                Ok(Edit::Lead(*place))
            }
            Edit::Spawn(batches) => self.spawn(batches),
            Edit::Despawn(gone) => self.despawn(gone),
            Edit::RemoveSpecies(name) => self.remove_species(name),
            Edit::Return(returned) => self.return_species(returned),
            edit => self.change_scene(edit),
        }
    }

    /// Changes the scene. If the result is not valid, or the engine cannot take it, scene and flock stay
    /// unchanged.
    fn change_scene(&mut self, edit: &Edit) -> Result<Edit, EditError> {
        if matches!(edit, Edit::Targets(_)) {
            self.read_targets()?;
        }
        let (inverse, change) = edit.put(&mut self.editor.scene)?;
        if inverse.is_nothing() {
            return Ok(inverse);
        }
        let mut done = check(&self.editor.scene, change).map_err(EditError::from);
        if done.is_ok() && !change.is_nothing() {
            done = self.runner.engine.update(&self.editor.scene, change).map_err(EditError::from);
        }
        if let Err(error) = done {
            inverse.put(&mut self.editor.scene)?;
            return Err(error);
        }
        self.runner.change();
        Ok(inverse)
    }

    /// Adds agents.
    fn spawn(&mut self, batches: &[SpawnBatch]) -> Result<Edit, EditError> {
        let more: u64 = batches.iter().map(|batch| batch.len() as u64).sum();
        if more == 0 {
            return Ok(Edit::nothing());
        }
        self.check_room(more)?;
        let mut agents = FlockState::default();
        for batch in batches {
            species_named(&self.editor.scene, &batch.species)?;
            let next = self.editor.next_id + agents.len() as u64;
            spawn_agents(&mut agents, &self.editor.scene, batch, next)?;
        }
        self.runner.engine.append(&agents)?;
        self.editor.next_id += more;
        self.changed_agents(self.runner.agents + agents.len());
        Ok(Edit::Despawn(Despawn { ids: agents.id, back: batches.to_vec() }))
    }

    /// Takes agents out of the flock.
    fn despawn(&mut self, gone: &Despawn) -> Result<Edit, EditError> {
        if gone.ids.is_empty() {
            return Ok(Edit::nothing());
        }
        self.runner.engine.remove(&gone.ids)?;
        self.changed_agents(self.runner.agents.saturating_sub(gone.ids.len()));
        Ok(Edit::Spawn(gone.back.clone()))
    }

    /// Records that the flock has other agents.
    fn changed_agents(&mut self, agents: usize) {
        self.runner.agents = agents;
        self.runner.revision += 1;
        self.copies.hurry();
    }

    /// Fails if there is no room for `more` agents. Allocates nothing.
    pub(super) fn check_room(&self, more: u64) -> Result<(), EditError> {
        let agents = self.runner.agents as u64;
        self.runner.engine.check_count(&self.editor.scene, agents.saturating_add(more))?;
        Ok((self.runner.room)(&self.editor.scene, agents, more, self.runner.engine.as_ref())?)
    }

    /// Targets that move by themselves are put where they are now, before the list changes: the engine
    /// then takes them from there. Waits for the device if one moves.
    pub(super) fn read_targets(&mut self) -> Result<(), EngineError> {
        if self.editor.scene.targets.iter().any(Target::moves) {
            self.editor.scene.targets = self.runner.engine.targets()?;
        }
        Ok(())
    }

    /// The target or obstacle that a drag from `place` moves, if there is one. Waits for the device if all
    /// targets move by themselves.
    pub fn nearest_object(&mut self, place: Point) -> Result<Option<SceneObject>, EngineError> {
        // A target at rest is always preferred.
        if self.editor.scene.targets.iter().skip(1).all(Target::moves) {
            self.editor.scene.targets = self.targets()?;
        }
        Ok(SceneObject::nearest(&self.editor.scene, place))
    }

    /// The scene, with targets that move by themselves where they are now. Waits for the device if there
    /// is one.
    pub fn present_scene(&mut self) -> Result<&Scene, EngineError> {
        if self.editor.scene.targets.iter().any(Target::moves) {
            self.editor.scene.targets = self.targets()?;
        }
        Ok(&self.editor.scene)
    }

    /// Ends a gesture. Until then edits with the same subject merge, so a whole drag is undone at
    /// once.
    pub fn seal_edit(&mut self) {
        self.editor.undo.sealed = true;
    }

    /// Undoes the last edit, or the reset or the change to this scene if there is none. Agents stay where
    /// they are now, except that agents added by the edit are removed, and new ones come to the places of
    /// those that it took away. Returns what was undone, for the user. Fails if there is nothing to undo, or if it
    /// can be undone no more.
    pub fn undo(&mut self) -> Result<String, EditError> {
        self.turn(true)
    }

    /// Repeats the last undone edit. Agents that it adds get new ids. Returns what was redone, for
    /// the user. Fails as [`Self::undo`] does.
    pub fn redo(&mut self) -> Result<String, EditError> {
        self.turn(false)
    }

    fn turn(&mut self, undoes: bool) -> Result<String, EditError> {
        if self.timeline.history.has_future_events()
            && !self.editor.undo.is_about_appearance(undoes)
        {
            return Err(EditError::Refused(IN_THE_PAST.into()));
        }
        let Some(entry) = self.editor.undo.take(undoes) else {
            return self.change_flock(undoes);
        };
        let subject = entry.edit.subject();
        match self.apply(if undoes { entry.back.clone() } else { entry.forth.clone() }) {
            Ok(inverse) => {
                self.editor.undo.was_turned(entry, inverse, undoes);
                Ok(format!("{}: {subject}", if undoes { "undone" } else { "redone" }))
            }
            Err(error) => {
                self.editor.undo.put_back(entry, undoes);
                Err(error)
            }
        }
    }
}
