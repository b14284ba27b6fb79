//! Species come and go, with their agents.

use std::sync::Arc;

use super::undo::{Content, Edit, Member, Subject};
use super::{Clock, Dropped, Event, Looks, Refusal, Session};
use flockwork_engine::{EngineError, Snapshot};
use flockwork_model::memory::ShownBy;
use flockwork_model::scene::{Scene, Species};
use flockwork_model::state::FlockState;

impl<C: Clock> Session<C> {
    /// Adds a copy of species `like`. The copy gets as many agents as the original has at the
    /// start, at places as at the start. Nothing else changes.
    pub fn add_species(&mut self, like: usize) -> Result<Refusal, EngineError> {
        let mut edited = self.scene.clone();
        if let Err(why) = edited.copy_species(like) {
            return Ok(Some(why));
        }
        if self
            .initial
            .as_ref()
            .is_some_and(|initial| initial.len() as u64 > self.first.own_count())
            && let Some(copy) = edited.species.last_mut()
        {
            // That is where its agents start in a flock of this size.
            copy.spawn = copy.spawn_at_scale;
        }
        let count = edited.species.last().map_or(0, |copy| match copy.counted {
            true => copy.count,
            false => self.scaled(copy.count),
        });
        let newcomers = u32::try_from(count).unwrap_or(u32::MAX);
        let before = Content::of(&self.scene);
        let species = self.scene.species.len();
        let dropped = vec![Dropped { species, places: Vec::new(), newcomers }];
        let refused = match self.room_for(u64::from(newcomers)) {
            Some(why) => Some(why),
            None => self.apply(|scene| scene.species = edited.species)?,
        };
        if refused.is_some() {
            return Ok(refused);
        }
        let after = Content::of(&self.scene);
        match self.drop_agents(&dropped)? {
            Ok(ids) => {
                self.visits.branch();
                let member = Some(Member::Added);
                let plain = Edit::new(Subject::Species, before, after);
                self.undo.push(Edit { dropped, ids, member, ..plain });
                Ok(None)
            }
            Err(why) => {
                self.apply(|scene| before.put(scene))?;
                Ok(Some(why))
            }
        }
    }

    /// Removes a species and all its agents.
    pub fn remove_species(&mut self, index: usize) -> Result<Refusal, EngineError> {
        let before = Content::of(&self.scene);
        let gone = match self.cut_species(index)? {
            Ok(gone) => gone,
            Err(why) => return Ok(Some(why)),
        };
        let after = Content::of(&self.scene);
        self.record(Event::RemoveSpecies(index));
        self.visits.branch();
        let member = Some(Member::Removed(index, gone));
        self.undo.push(Edit { member, ..Edit::new(Subject::Species, before, after) });
        Ok(None)
    }

    /// Gives a species another name.
    pub fn rename_species(&mut self, index: usize, name: &str) -> Result<Refusal, EngineError> {
        let mut edited = self.scene.clone();
        match edited.rename_species(index, name) {
            Ok(()) => self.edit_scene(Subject::Name, |scene| scene.species = edited.species),
            Err(why) => Ok(Some(why)),
        }
    }

    /// The state with which the edited scene starts: the first one, unless species have come or gone.
    pub(super) fn start(&self) -> Option<Arc<FlockState>> {
        let initial = self.initial.clone()?;
        let starts = |scene: &Scene| -> Vec<_> {
            scene.species.iter().map(|s| (s.count, s.spawn, s.spawn_at_scale)).collect()
        };
        if starts(&self.scene) == starts(&self.first) {
            return Some(initial);
        }
        let starters = self.starters();
        (self.room)(&self.scene, 0, starters, self.engine.as_ref()).ok()?;
        let mut edited = self.edited_scene().fixed(starters);
        Some(edited.populate(&Default::default()).map_or(initial, Arc::new))
    }

    /// Undoes or repeats the addition or the removal of a species. Returns the edit, ready for the
    /// opposite step.
    pub(super) fn turn_member(
        &mut self,
        edit: &mut Edit,
        member: &Member,
        back: bool,
    ) -> Result<Refusal, EngineError> {
        match member {
            Member::Added if back => {
                let index = self.scene.species.len().saturating_sub(1);
                let gone = self.cut_species(index)?;
                if gone.is_ok() {
                    self.record(Event::RemoveSpecies(index));
                }
                Ok(gone.err())
            }
            Member::Added => {
                let more = edit.dropped.iter().map(|drop| u64::from(drop.newcomers)).sum();
                if let Some(why) = self.room_for(more) {
                    return Ok(Some(why));
                }
                let refused = self.apply(|scene| edit.repeat(scene))?;
                if refused.is_some() {
                    return Ok(refused);
                }
                match self.drop_agents(&edit.dropped)? {
                    Ok(ids) => self.undo.renumber(edit, ids),
                    Err(why) => {
                        self.apply(|scene| edit.revert(scene))?;
                        return Ok(Some(why));
                    }
                }
                Ok(None)
            }
            Member::Removed(index, gone) if back => {
                let mut edited = self.scene.clone();
                edit.revert(&mut edited);
                let species: Arc<[Species]> = edited.species.into();
                let refused = self.return_species(*index, &species, gone)?;
                if refused.is_none() {
                    let agents = Arc::clone(gone);
                    self.record(Event::ReturnSpecies { index: *index, species, agents });
                }
                Ok(refused)
            }
            Member::Removed(index, _) => match self.cut_species(*index)? {
                Ok(gone) => {
                    edit.member = Some(Member::Removed(*index, gone));
                    self.record(Event::RemoveSpecies(*index));
                    Ok(None)
                }
                Err(why) => Ok(Some(why)),
            },
        }
    }

    /// The reason why there is no room for `more` agents. Allocates nothing.
    pub(super) fn room_for(&self, more: u64) -> Option<String> {
        let agents = self.agents as u64;
        let fits = self.engine.check_count(&self.scene.world, agents + more);
        let room = || (self.room)(&self.scene, agents, more, self.engine.as_ref());
        fits.map_err(|error| error.to_string()).and_then(|()| room()).err()
    }

    /// Takes a species out of the scene and its agents out of the flock. Returns the agents, or the
    /// reason why all stays as it is.
    pub(super) fn cut_species(
        &mut self,
        index: usize,
    ) -> Result<Result<Arc<FlockState>, String>, EngineError> {
        let mut edited = self.scene.clone();
        if let Err(why) = edited.remove_species(index) {
            return Ok(Err(why));
        }
        let Snapshot { state, targets } = self.engine.snapshot()?;
        edited.targets = targets;
        let is_gone = |row: usize| usize::from(state.species[row]) == index;
        let mut stays = rows(&state, |row| !is_gone(row));
        stays.shown = state.shown.without(index);
        let gone = rows(&state, is_gone);
        for species in &mut stays.species {
            *species -= u8::from(usize::from(*species) > index);
        }
        let refused = self.exchange_flock(edited, stays, state)?;
        Ok(refused.map_or(Ok(Arc::new(gone)), Err))
    }

    /// Brings back a species that [`Self::cut_species`] has taken out, with its agents as they were.
    pub(super) fn return_species(
        &mut self,
        index: usize,
        species: &[Species],
        agents: &FlockState,
    ) -> Result<Refusal, EngineError> {
        if let Some(why) = self.room_for(agents.len() as u64) {
            return Ok(Some(why));
        }
        let mut edited = self.scene.clone();
        let looks = Looks::of(&edited);
        edited.species = species.to_vec();
        looks.put(&mut edited);
        let Snapshot { state, targets } = self.engine.snapshot()?;
        if let Some(id) = agents.id.iter().find(|id| state.id.binary_search(id).is_ok()) {
            return Ok(Some(format!("agent {id} is in the flock already; every id is unique")));
        }
        edited.targets = targets;
        let mut present = state.clone();
        present.shown = state.shown.with_another(index);
        for species in &mut present.species {
            *species += u8::from(usize::from(*species) >= index);
        }
        let all = merged(&edited, &present, agents);
        self.exchange_flock(edited, all, state)
    }

    /// Goes on with another scene and state. If the engine cannot take them, it gets back the state
    /// `before`, and the scene stays.
    fn exchange_flock(
        &mut self,
        scene: Scene,
        state: FlockState,
        before: FlockState,
    ) -> Result<Refusal, EngineError> {
        let left = std::mem::replace(&mut self.scene, scene);
        let refused = match self.put_flock(state) {
            Ok(()) => None,
            Err(error @ EngineError::Lost { .. }) => return Err(error),
            Err(error) => {
                self.scene = left;
                self.put_flock(before)?;
                Some(error.to_string())
            }
        };
        self.request = None;
        self.engine.set_profiling(true);
        self.revision += 1;
        self.edition += 1;
        Ok(refused)
    }

    fn put_flock(&mut self, state: FlockState) -> Result<(), EngineError> {
        if self.initial.is_some() {
            return self.load(Arc::new(state));
        }
        self.engine.load(&self.scene, &state)?;
        self.agents = state.len();
        Ok(())
    }
}

/// The rows of a state that are wanted. Accelerations and ages that colours show begin anew with them, for
/// a saved session keeps only their numbers.
fn rows(state: &FlockState, wanted: impl Fn(usize) -> bool) -> FlockState {
    fn some<T: Copy>(all: &[T], wanted: &[usize]) -> Vec<T> {
        wanted.iter().filter_map(|row| all.get(*row).copied()).collect()
    }
    let wanted: Vec<usize> = (0..state.len()).filter(|row| wanted(*row)).collect();
    FlockState {
        tick: state.tick,
        id: some(&state.id, &wanted),
        species: some(&state.species, &wanted),
        position: some(&state.position, &wanted),
        velocity: some(&state.velocity, &wanted),
        memory: some(&state.memory, &wanted),
        shown: ShownBy::default(),
    }
}

/// The agents of both states, by id, at the tick of the first one.
fn merged(scene: &Scene, one: &FlockState, other: &FlockState) -> FlockState {
    let memories = [one, other].map(|state| scene.memory_of(state));
    let mut all = FlockState { tick: one.tick, shown: scene.shown(), ..FlockState::default() };
    let (mut i, mut j) = (0, 0);
    while i < one.len() || j < other.len() {
        let first = j == other.len() || i < one.len() && one.id[i] < other.id[j];
        let (state, memory, row) =
            if first { (one, &memories[0], &mut i) } else { (other, &memories[1], &mut j) };
        all.id.push(state.id[*row]);
        all.species.push(state.species[*row]);
        all.position.push(state.position[*row]);
        all.velocity.push(state.velocity[*row]);
        all.memory.extend(memory.get(*row).copied());
        *row += 1;
    }
    all
}
