//! The actions of a hand in tests, as edits. A refusal is a text.

use super::*;
use flockwork_model::scene::Species;
use flockwork_model::vector::Point;

pub(super) type Refusal = Option<String>;

/// The outcome of an edit.
pub(super) fn refusal(done: Result<(), EditError>) -> Result<Refusal, EngineError> {
    match done {
        Ok(()) => Ok(None),
        Err(EditError::Refused(why)) => Ok(Some(why)),
        Err(EditError::Engine(error)) => Err(error),
    }
}

impl<C: Clock> Session<C> {
    pub(super) fn hand(&mut self, edit: Edit) -> Result<Refusal, EngineError> {
        refusal(self.edit(edit))
    }

    fn species_name(&self, index: usize) -> String {
        self.editor
            .scene
            .species
            .get(index)
            .map_or_else(String::new, |species| species.name.clone())
    }

    pub(super) fn change(&mut self, species: Vec<Species>) -> Result<Refusal, EngineError> {
        self.hand(Edit::Set(species.into()))
    }

    pub(super) fn add(&mut self, index: usize, at: &[Point]) -> Result<Refusal, EngineError> {
        let (species, places) = (self.species_name(index), at.to_vec());
        self.hand(Edit::Spawn(vec![SpawnBatch { species, places, newcomers: 0 }]))
    }

    pub(super) fn put(&mut self, thing: Thing, place: Point) -> Result<Refusal, EngineError> {
        self.hand(Edit::moving(&self.editor.scene, thing, place))
    }

    pub(super) fn paint(&mut self, at: &[Point], radius: f32) -> Result<Refusal, EngineError> {
        self.hand(Edit::Paint { places: at.to_vec(), radius })
    }

    pub(super) fn add_path(&mut self, at: &[Point], closed: bool) -> Result<Refusal, EngineError> {
        self.hand(Edit::AddPath { points: at.to_vec(), closed })
    }

    pub(super) fn remove(&mut self, thing: Thing) -> Result<Refusal, EngineError> {
        self.hand(Edit::removing(&self.editor.scene, thing))
    }

    pub(super) fn add_species(&mut self, like: usize) -> Result<Refusal, EngineError> {
        self.hand(Edit::AddSpecies(self.species_name(like)))
    }

    pub(super) fn take_species(&mut self, index: usize) -> Result<Refusal, EngineError> {
        self.hand(Edit::RemoveSpecies(self.species_name(index)))
    }

    pub(super) fn rename_species(
        &mut self,
        index: usize,
        name: &str,
    ) -> Result<Refusal, EngineError> {
        self.hand(Edit::Rename { species: self.species_name(index), to: name.into() })
    }

    pub(super) fn set_count(&mut self, index: usize, count: u64) -> Result<Refusal, EngineError> {
        self.hand(Edit::Count { species: self.species_name(index), count })
    }
}
