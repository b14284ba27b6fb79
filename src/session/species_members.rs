//! Species go and come back, with their agents.

use std::sync::Arc;

use super::edit::{Returned, species_named};
use super::{Clock, Edit, EditError, Session};
use flockwork_engine::{EngineError, Snapshot};
use flockwork_model::kept::KeptNames;
use flockwork_model::memory::ShownBy;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;

impl<C: Clock> Session<C> {
    /// The state with which the edited scene starts: the first one, unless species have come or gone.
    pub(super) fn start(&self) -> Option<Arc<FlockState>> {
        let initial = self.editor.initial.clone()?;
        if !self.starts_anew() {
            return Some(initial);
        }
        let edited = self.edited_scene().fixed(self.start_count());
        Some(edited.populate(&Default::default()).map_or(initial, |(_, state)| Arc::new(state)))
    }

    /// True if species have come or gone, or start otherwise.
    fn starts_anew(&self) -> bool {
        let starts = |scene: &Scene| -> Vec<_> {
            scene.species.iter().map(|s| (s.count, s.spawn, s.spawn_at_scale)).collect()
        };
        starts(&self.editor.scene) != starts(&self.editor.original)
    }

    /// Fails if there is no room for the agents with which the edited scene starts.
    pub(super) fn check_start(&self) -> Result<(), String> {
        if !self.starts_anew() {
            return Ok(());
        }
        (self.runner.room)(&self.editor.scene, 0, self.start_count(), self.runner.engine.as_ref())
    }

    /// Takes a species out of the scene and its agents out of the flock. Waits for the device.
    pub(super) fn remove_species(&mut self, name: &str) -> Result<Edit, EditError> {
        let index = species_named(&self.editor.scene, name)?;
        let mut edited = self.editor.scene.clone();
        edited.remove_species(index)?;
        let Snapshot { state, targets } = self.runner.engine.snapshot()?;
        edited.targets = targets;
        let is_gone = |row: usize| usize::from(state.species[row]) == index;
        let mut stays = rows(&state, |row| !is_gone(row));
        stays.shown = state.shown.without(index);
        // The other species keep what they kept, under other numbers.
        stays.kept_names = KeptNames::of(state.kept_names.iter());
        let gone = Returned::of(name, &self.editor.scene.species, rows(&state, is_gone));
        for species in &mut stays.species {
            *species -= u8::from(usize::from(*species) > index);
        }
        self.exchange_flock(edited, stays, state)?;
        Ok(Edit::Return(Box::new(gone)))
    }

    /// Brings back a species that [`Self::remove_species`] has taken out, with its agents as they were.
    /// Waits for the device.
    pub(super) fn return_species(&mut self, returned: &Returned) -> Result<Edit, EditError> {
        self.check_room(returned.id.len() as u64)?;
        let mut edited = self.editor.scene.clone();
        edited.species = returned.set.of(&self.editor.scene)?;
        let index = species_named(&edited, &returned.species)?;
        let agents = returned.agents(index, edited.kept_names())?;
        let Snapshot { state, targets } = self.runner.engine.snapshot()?;
        if let Some(id) = agents.id.iter().find(|id| state.id.binary_search(id).is_ok()) {
            let why = format!("agent {id} is in the flock already; every id is unique");
            return Err(why.into());
        }
        edited.targets = targets;
        let mut present = state.clone();
        if edited.species.len() > self.editor.scene.species.len() {
            present.shown = state.shown.with_another(index);
            present.kept_names = KeptNames::of(state.kept_names.iter());
            for species in &mut present.species {
                *species += u8::from(usize::from(*species) >= index);
            }
        }
        let all = merged(&edited, &present, &agents);
        self.exchange_flock(edited, all, state)?;
        Ok(Edit::RemoveSpecies(returned.species.clone()))
    }

    /// Goes on with another scene and state. If the engine cannot take them, it gets back the state
    /// `before`, and the scene stays.
    fn exchange_flock(
        &mut self,
        scene: Scene,
        state: FlockState,
        before: FlockState,
    ) -> Result<(), EditError> {
        let left = std::mem::replace(&mut self.editor.scene, scene);
        let done = match self.load(Arc::new(state)) {
            Err(error) if !matches!(error, EngineError::Lost { .. }) => {
                self.editor.scene = left;
                self.load(Arc::new(before))?;
                Err(error.into())
            }
            done => done.map_err(EditError::from),
        };
        self.was_loaded();
        done
    }
}

/// The rows of a state that are wanted. Acceleration and age colours restart: a saved session stores their values, but
/// not what they are values of.
fn rows(state: &FlockState, wanted: impl Fn(usize) -> bool) -> FlockState {
    let wanted: Vec<usize> = (0..state.len()).filter(|row| wanted(*row)).collect();
    FlockState { shown: ShownBy::default(), ..state.in_order(&wanted) }
}

/// The agents of both states, by id, at the tick of the first one.
fn merged(scene: &Scene, one: &FlockState, other: &FlockState) -> FlockState {
    let [mut all, more] = [one, other].map(|state| FlockState {
        memory: scene.memory_of(state),
        kept: scene.kept_of(state),
        shown: scene.shown(),
        kept_names: scene.kept_names(),
        ..state.clone()
    });
    all.extend(&more);
    all.by_id()
}
