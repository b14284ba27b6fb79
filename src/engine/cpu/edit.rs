//! Edits of the flock between two ticks.

use rayon::prelude::*;

use super::Flock;
use super::flock::{Identity, Motion, retain};
use super::lane_parameters::SpeciesTable;
use crate::change::{check_everybody, check_species};
use crate::near::{cells_within, is_near};
use crate::{Change, EngineError};
use flockwork_model::behaviours::Uses;
use flockwork_model::grid::{Grid, Window};
use flockwork_model::kept::KeptRow;
use flockwork_model::memory::Memory;
use flockwork_model::parallel::in_parts;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::vector::{Axes, Point, Space};

impl<const D: usize> Flock<D>
where
    Axes<D>: Space<D>,
{
    /// Takes over the parts of `scene` that change.
    pub(super) fn update(&mut self, scene: &Scene, change: Change) -> Result<(), EngineError> {
        change.keeps_axes(&self.scene, scene)?;
        let change = change.complete(&self.scene, scene);
        change.check(scene)?;
        if change.has(Change::PARAMETERS) {
            check_everybody(scene, self.ids.len())?;
            if scene.species.len() < self.scene.species.len() {
                check_species(scene, &self.identity.id, &self.identity.species)?;
            }
        }
        let (uses, shown, kept) = (self.uses, self.scene.shown(), self.scene.kept_names());
        let formulas = self.scene.formulas();
        let mut before = change.parts_of(scene);
        change.swap(&mut self.scene, &mut before);
        if change.remakes_scenery(&before, &self.scene) {
            self.scenery = self.scene.scenery();
        }
        if formulas != self.scene.formulas() {
            self.broken.forget_rules();
        }
        self.uses = self.scene.uses();
        self.table = SpeciesTable::of(&self.scene, self.tick);
        let remembers = self.uses.has(Uses::MEMORY);
        if remembers != uses.has(Uses::MEMORY) {
            let Self { scene, identity: Identity { id, species }, motion, moved, .. } = self;
            let count = if remembers { id.len() } else { 0 };
            motion.memory = vec![Memory::default(); count];
            moved.memory = motion.memory.clone();
            in_parts(&mut motion.memory, &|first, part| {
                for (agent, memory) in (first..).zip(part) {
                    *memory = scene.first_memory(species[agent], id[agent]);
                }
            });
        }
        let names = self.scene.kept_names();
        if names != kept {
            let Self { scene, identity: Identity { id, species }, .. } = &*self;
            let state = FlockState {
                id: id.clone(),
                species: species.clone(),
                position: vec![Point::ZERO; id.len()],
                kept: (0..id.len()).map(|agent| self.motion.kept(agent)).collect(),
                kept_names: kept,
                ..FlockState::default()
            };
            let rows = scene.kept_of(&state);
            let column = |place| rows.iter().map(|row: &KeptRow| row[place]).collect();
            self.motion.kept = (0..names.len()).map(column).collect();
            self.moved.kept = self.motion.kept.clone();
        }
        let other = self.scene.shown().other_species(shown);
        if other != 0 {
            let species = &self.identity.species;
            in_parts(&mut self.motion.memory, &|first, part| {
                for (memory, species) in part.iter_mut().zip(&species[first..]) {
                    if other >> species & 1 == 1 {
                        *memory = memory.showing(0);
                    }
                }
            });
        }
        let confines = change.has(Change::WORLD) && self.scene.world != before.world;
        if confines {
            self.motion.confine(&self.scene.world);
        }
        let grid = self.scene.grid(self.key.len());
        if confines || grid != self.grid {
            self.set_grid(grid);
            self.bin();
        }
        Ok(())
    }

    pub(super) fn append(&mut self, agents: &FlockState) -> Result<(), EngineError> {
        self.ids = self.ids.with(&self.scene, agents)?;
        let memory = self.scene.memory_of(agents);
        let (kept, places) = (self.scene.kept_of(agents), self.scene.kept_names().len());
        self.motion.extend(Motion::of(agents, memory, &kept, places));
        self.identity.extend(agents);
        self.recount();
        Ok(())
    }

    pub(super) fn remove(&mut self, ids: &[u32]) -> Result<(), EngineError> {
        let gone = self.ids.remove(ids)?;
        let id = &self.identity.id;
        let mut stays = vec![false; id.len()];
        in_parts(&mut stays, &|first, part| {
            for (stays, id) in part.iter_mut().zip(&id[first..]) {
                *stays = gone.binary_search(id).is_err();
            }
        });
        self.motion.retain(&stays);
        retain(&mut self.identity.species, &stays);
        retain(&mut self.identity.id, &stays);
        self.recount();
        Ok(())
    }

    /// The ids of the agents less than `radius` away from agent `id`, ascending.
    pub(super) fn neighbours(&self, id: u32, radius: f32) -> Result<Vec<u32>, EngineError> {
        let ids = &self.identity.id;
        let own = ids.par_iter().position_any(|other| *other == id);
        let own = own.ok_or(EngineError::NoAgent { id })?;
        let (place, world) = (self.motion.position(own), &self.scene.world);
        let near = |agent: &usize| is_near(world, place, self.motion.position(*agent), radius);
        let agents = cells_within(&self.grid, place, radius)
            .into_iter()
            .flat_map(|cells| self.start[cells.start] as usize..self.start[cells.end] as usize);
        let near = agents.filter(|agent| *agent != own).filter(near);
        let mut found: Vec<u32> = near.map(|agent| ids[agent]).collect();
        found.sort_unstable();
        Ok(found)
    }

    /// Gives all arrays the length of the flock, and sorts the agents.
    fn recount(&mut self) {
        let count = self.ids.len();
        self.moved.resize(count, self.motion.memory.len());
        self.key.resize(count, 0);
        self.identity_spare.resize(count);
        self.source.resize(count, 0);
        self.set_grid(self.scene.grid(count));
        self.bin();
    }

    fn set_grid(&mut self, grid: Grid<D>) {
        self.grid = grid;
        self.window = Window::whole(&grid);
        self.start.resize(grid.cells() + 1, 0);
    }

    /// Sorts the flock by the cells of its grid, without moving an agent.
    fn bin(&mut self) {
        std::mem::swap(&mut self.motion, &mut self.moved);
        self.find_cells();
        self.sort_anew();
    }
}
