//! The CPU engine as the engine of one rank.

use rayon::prelude::*;

use super::hits::Hits;
use super::{AnyFlock, CpuEngine, Flock, grid_of, of_any};
use crate::many::{Local, Region};
use crate::{Engine, EngineError, EngineKind};
use flockwork_model::behaviours::{Target, Uses};
use flockwork_model::grid::{Slab, Window};
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::world::with_axes;

/// Runs code for the flock, if there is one.
macro_rules! of_flock {
    ($engine:expr, $flock:ident => $code:expr) => {{
        let CpuEngine { threads, flock, .. } = $engine;
        let Some(flock) = flock else { return Default::default() };
        threads.run(|| of_any!(flock, $flock => $code))
    }};
}

/// The same, for code that may fail.
macro_rules! try_of_flock {
    ($engine:expr, $flock:ident => $code:expr) => {{
        let CpuEngine { threads, flock, .. } = $engine;
        let Some(flock) = flock else { return Ok(Default::default()) };
        threads.run(|| of_any!(flock, $flock => $code))
    }};
}

impl Local for CpuEngine {
    fn kind(&self) -> EngineKind {
        Engine::kind(self)
    }

    fn describe(&self) -> String {
        Engine::describe(self)
    }

    fn slices(&self, scene: &Scene, everyone: usize) -> u32 {
        with_axes!(scene.world, AXES => grid_of::<AXES>(scene, everyone).slices())
    }

    fn begin(
        &mut self,
        scene: &Scene,
        tick: u64,
        everyone: usize,
        slab: Slab,
    ) -> Result<(), EngineError> {
        self.flock = None;
        self.flock = Some(if scene.world.is_flat() {
            AnyFlock::Plane(Flock::slab(scene, tick, everyone, slab))
        } else {
            AnyFlock::Space(Flock::slab(scene, tick, everyone, slab))
        });
        Ok(())
    }

    fn beside(&self, slab: Slab) -> Vec<u32> {
        of_flock!(self, flock => Window::of(&flock.grid, slab).beside(flock.grid.wraps))
    }

    fn slices_of(&self, agents: &FlockState) -> Vec<u32> {
        of_flock!(self, flock => flock.slices_of(agents))
    }

    fn pack(&self, agents: &FlockState, to: &[usize], parcels: &mut [Vec<u8>]) {
        of_flock!(self, flock => flock.pack(agents, to, parcels));
    }

    fn arrive(&mut self, parcel: &[u8]) -> Result<(), EngineError> {
        try_of_flock!(self, flock => flock.arrive(parcel))
    }

    fn sort(&mut self) -> Result<(), EngineError> {
        let count = self.threads.count();
        try_of_flock!(self, flock => { flock.sort_arrived(count); Ok(()) })
    }

    fn copy_slice(&mut self, slice: u32, parcel: &mut Vec<u8>) -> Result<(), EngineError> {
        try_of_flock!(self, flock => { flock.copy_slice(slice, parcel); Ok(()) })
    }

    fn take_ghosts(&mut self, slice: u32, parcel: &[u8]) -> Result<(), EngineError> {
        try_of_flock!(self, flock => flock.take_ghosts(slice, parcel))
    }

    fn steer(&mut self, region: Region) -> Result<(), EngineError> {
        let (count, instructions) = (self.threads.count(), self.instructions);
        try_of_flock!(self, flock => { flock.steer_region(region, instructions, count); Ok(()) })
    }

    fn moves_targets(&self) -> bool {
        of_flock!(self, flock => flock.uses.has(Uses::MOVING_TARGETS))
    }

    fn hits(&mut self) -> Result<Vec<bool>, EngineError> {
        try_of_flock!(self, flock => {
            flock.slab.hits = flock.hits();
            Ok(flock.slab.hits.hit.clone())
        })
    }

    fn move_targets(&mut self, hit: &[bool]) -> Result<(), EngineError> {
        try_of_flock!(self, flock => {
            let own = std::mem::take(&mut flock.slab.hits);
            flock.move_targets(Hits { hit: hit.to_vec(), ..own });
            Ok(())
        })
    }

    fn leave(
        &mut self,
        owner: &dyn Fn(u32) -> usize,
        parcels: &mut [Vec<u8>],
    ) -> Result<(), EngineError> {
        // `owner` stays on this thread.
        let Some(flock) = &mut self.flock else { return Ok(()) };
        of_any!(flock, flock => flock.leave(owner, parcels));
        Ok(())
    }

    fn end_tick(&mut self) {
        if let Some(flock) = &mut self.flock {
            of_any!(flock, flock => flock.end_tick());
        }
    }

    fn move_to(&mut self, slab: Slab) -> Result<(), EngineError> {
        try_of_flock!(self, flock => { flock.move_to(slab); Ok(()) })
    }

    fn costs(&mut self) -> Vec<u64> {
        of_flock!(self, flock => {
            let unknown = vec![u64::MAX; flock.slab.costs.len()];
            let mut costs = std::mem::replace(&mut flock.slab.costs, unknown);
            costs.iter_mut().filter(|cost| **cost == u64::MAX).for_each(|cost| *cost = 0);
            costs
        })
    }

    fn slice_counts(&mut self) -> Vec<u64> {
        of_flock!(self, flock => {
            let Slab { first, count } = flock.window.slab;
            let slices = first..first + count;
            slices.map(|slice| flock.agents_of(slice).len() as u64).collect()
        })
    }

    fn count(&self) -> usize {
        of_flock!(self, flock => flock.key.len())
    }

    fn ghosts(&self) -> usize {
        of_flock!(self, flock => flock.slab.ghosts)
    }

    fn largest_cell(&mut self) -> u32 {
        Engine::largest_cell(self)
    }

    fn state(&mut self) -> Result<FlockState, EngineError> {
        try_of_flock!(self, flock => Ok(flock.own_state()))
    }

    fn targets(&mut self) -> Result<Vec<Target>, EngineError> {
        Engine::targets(self)
    }

    fn id_sum(&mut self) -> Result<u64, EngineError> {
        try_of_flock!(self, flock => {
            Ok(flock.identity.id.par_iter().map(|id| u64::from(*id)).sum())
        })
    }
}
