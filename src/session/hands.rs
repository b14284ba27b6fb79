//! The actions of a hand in tests, as edits.

use super::*;
use flockwork_model::scene::Species;
use flockwork_model::vector::Point;

/// The outcome of an edit.
pub(super) type Done = Result<(), EditError>;

/// Why an edit was refused, for the user.
pub(super) fn refusal(done: Done) -> String {
    match done {
        Err(EditError::Refused(why)) => why,
        done => panic!("it is not refused: {done:?}"),
    }
}

impl<C: Clock> Session<C> {
    fn species_name(&self, index: usize) -> String {
        self.scene().species.get(index).map_or_else(String::new, |species| species.name.clone())
    }

    pub(super) fn change(&mut self, species: Vec<Species>) -> Done {
        self.edit(Edit::Set(species.into()))
    }

    /// Changes the speed of the first species.
    pub(super) fn set_max_speed(&mut self, max_speed: f32) -> Done {
        let mut species = self.scene().species.clone();
        species[0].body.max_speed = max_speed;
        self.change(species)
    }

    pub(super) fn add(&mut self, index: usize, at: &[Point]) -> Done {
        let (species, places) = (self.species_name(index), at.to_vec());
        self.edit(Edit::Spawn(vec![SpawnBatch { species, places, newcomers: 0 }]))
    }

    pub(super) fn put(&mut self, object: SceneObject, place: Point) -> Done {
        self.edit(Edit::moving(&self.editor.scene, object, place))
    }

    pub(super) fn paint(&mut self, at: &[Point], radius: f32) -> Done {
        self.edit(Edit::Paint { places: at.to_vec(), radius })
    }

    pub(super) fn add_path(&mut self, at: &[Point], closed: bool) -> Done {
        self.edit(Edit::AddPath { points: at.to_vec(), closed })
    }

    pub(super) fn remove(&mut self, object: SceneObject) -> Done {
        self.edit(Edit::removing(&self.editor.scene, object))
    }

    pub(super) fn add_species(&mut self, like: usize) -> Done {
        self.edit(Edit::AddSpecies(self.species_name(like)))
    }

    pub(super) fn take_species(&mut self, index: usize) -> Done {
        self.edit(Edit::RemoveSpecies(self.species_name(index)))
    }

    pub(super) fn rename_species(&mut self, index: usize, name: &str) -> Done {
        self.edit(Edit::Rename { species: self.species_name(index), to: name.into() })
    }

    pub(super) fn set_count(&mut self, index: usize, count: u64) -> Done {
        self.edit(Edit::Count { species: self.species_name(index), count })
    }
}
