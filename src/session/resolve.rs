//! The user's edits become edits that have the same effect in every replay.

use std::collections::HashSet;

use super::edit::{Counts, Despawn, Splice, species_named};
use super::{Clock, Edit, EditError, Session, SpawnBatch, scene_ops};
use flockwork_model::behaviours::Target;
use flockwork_model::scene::Species;
use flockwork_model::scenery::{Obstacle, Path};
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;
use flockwork_model::world::Boundary;

/// Radius of a new obstacle, as of one in a file that does not say; world units.
const RADIUS: f32 = 20.0;

impl<C: Clock> Session<C> {
    /// The same edit with everything that depends on the present flock and on how it began.
    pub(super) fn resolved(&mut self, edit: Edit) -> Result<Edit, EditError> {
        let scene = &self.editor.scene;
        let inside = |at: Point| scene_ops::inside(&scene.world, at);
        Ok(match edit {
            Edit::AddTarget(at) => {
                let names = (1..).map(|number| format!("target{number}"));
                let is_new = |name: &String| scene.targets.iter().all(|own| own.name != *name);
                let name = names.into_iter().find(is_new).unwrap_or_default();
                Edit::Targets(Splice::adding(vec![Target::fixed(&name, inside(at))]))
            }
            Edit::AddObstacle(at) => {
                Edit::Obstacles(Splice::adding(vec![Obstacle::new(inside(at), RADIUS)]))
            }
            Edit::Paint { places, radius } => {
                let circle = |at: &Point| Obstacle::new(inside(*at), radius);
                Edit::Obstacles(Splice::adding(places.iter().map(circle).collect()))
            }
            Edit::AddPath { points, closed } => {
                let first = points.first().copied().unwrap_or_default();
                // The world repeats, and so does the path.
                let wraps = scene.world.boundary == Boundary::Wrap;
                let by = if wraps { inside(first) - first } else { Point::ZERO };
                let points = points.iter().map(|point| *point + by).collect();
                let names = (scene.paths.len()..).map(|number| format!("path{number}"));
                let is_new = |name: &String| scene.paths.iter().all(|path| path.name != *name);
                let name = names.into_iter().find(is_new).unwrap_or_default();
                Edit::Paths(Splice::adding(vec![Path { name, points, closed, shown: true }]))
            }
            Edit::NewPath => {
                let own = scene.paths.first().ok_or("this scene has no path".to_string())?;
                // The ends of the path at the start stay, whatever the others were since then.
                let first = self.editor.original.paths.iter().find(|path| path.name == own.name);
                self.editor.new_paths += 1;
                let (world, seed) = (&scene.world, scene.seed);
                let path = scene_ops::random_path(
                    first.unwrap_or(own),
                    world,
                    seed,
                    self.editor.new_paths,
                );
                Edit::Paths(Splice::replacing(0, Path { shown: own.shown, ..path }))
            }
            Edit::SwapSeekFlee => {
                let mut swapped = scene.clone();
                scene_ops::swap_seek_flee(&mut swapped, &self.editor.original);
                Edit::Set(swapped.species.into())
            }
            Edit::AddSpecies(like) => self.added_species(&like)?,
            Edit::Count { species, count } => self.counted(&species, count)?,
            // An undo brings agents back to where they were.
            Edit::Despawn(mut gone) if gone.back.is_empty() && !gone.ids.is_empty() => {
                let state = self.runner.engine.read_back()?;
                let mut seen = HashSet::new();
                gone.ids.retain(|id| seen.insert(*id));
                let rows = gone.ids.iter().filter_map(|id| state.id.binary_search(id).ok());
                let own = rows.map(|row| (state.id[row], self.batch(&state, &[row])));
                let (ids, back) = own.unzip();
                Edit::Despawn(Despawn { ids, back })
            }
            edit => edit,
        })
    }

    /// A copy of a species. The copy gets as many agents as the original has at the start, at places as at
    /// the start. Nothing else changes.
    fn added_species(&self, like: &str) -> Result<Edit, EditError> {
        let mut edited = self.editor.scene.clone();
        edited.copy_species(species_named(&self.editor.scene, like)?)?;
        let initial = self.editor.initial.as_ref().map_or(0, |initial| initial.len());
        let grown = initial as u64 > self.editor.original.own_count();
        if let Some(copy) = edited.species.last_mut().filter(|_| grown) {
            // That is where its agents start in a flock of this size.
            copy.spawn = copy.spawn_at_scale;
        }
        let count = |copy: &Species| match copy.counted {
            true => copy.count,
            false => self.editor.scaled(copy.count, self.runner.agents),
        };
        let count = edited.species.last().map_or(0, count);
        let newcomers = u32::try_from(count).unwrap_or(u32::MAX);
        self.check_room(newcomers.into())?;
        let name = edited.species.last().map_or_else(String::new, |copy| copy.name.clone());
        let batch = SpawnBatch { species: name, places: Vec::new(), newcomers };
        Ok(Edit::Together(vec![Edit::Set(edited.species.into()), Edit::Spawn(vec![batch])]))
    }

    /// Gives a species so many agents, now and at the start. New ones come to places as at the start;
    /// those that came last go. Waits for the device.
    fn counted(&mut self, name: &str, count: u64) -> Result<Edit, EditError> {
        let index = species_named(&self.editor.scene, name)?;
        // The others must stay as many as they are, whatever the file's counts were scaled by.
        let fixed = self.editor.scene.fixed(self.start_count()).species;
        let mut each: Vec<u64> = fixed.iter().map(|species| species.count).collect();
        let fixed = Edit::Set(fixed.into());
        each[index] = count;
        if each.iter().all(|count| *count == 0) {
            let why = "a flock starts with one agent at least: nothing has changed";
            return Err(why.to_string().into());
        }
        let state = self.runner.engine.read_back()?;
        let rows = (0..state.len()).filter(|row| usize::from(state.species[*row]) == index);
        let mut present: Vec<usize> = rows.collect();
        present.sort_by_key(|row| state.id[*row]);
        let more = count.saturating_sub(present.len() as u64);
        self.check_room(more)?;
        let gone = present.split_off(present.len().min(count as usize));
        let agents = if gone.is_empty() {
            let newcomers = u32::try_from(more).unwrap_or(u32::MAX);
            Edit::Spawn(vec![SpawnBatch { species: name.into(), places: Vec::new(), newcomers }])
        } else {
            let ids = gone.iter().map(|row| state.id[*row]).collect();
            Edit::Despawn(Despawn { ids, back: vec![self.batch(&state, &gone)] })
        };
        Ok(Edit::Together(vec![fixed, Edit::Counts(Counts { each, counted: true }), agents]))
    }

    /// Agents of one species at the places of these rows of a state.
    fn batch(&self, state: &FlockState, rows: &[usize]) -> SpawnBatch {
        let species = rows
            .first()
            .and_then(|row| self.editor.scene.species.get(usize::from(state.species[*row])));
        SpawnBatch {
            species: species.map_or_else(String::new, |species| species.name.clone()),
            places: rows.iter().map(|row| state.position[*row]).collect(),
            newcomers: 0,
        }
    }
}
