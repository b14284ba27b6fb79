//! The GPU engine as the engine of one rank.

use super::GpuEngine;
use super::device::{self, AdapterChoice};
use super::flock::Maker;
use super::row::MOST_AGENTS;
use super::slab::{self, SlabFlock};
use crate::many::{Local, Region};
use crate::{Engine, EngineError, EngineKind};
use flockwork_model::behaviours::Target;
use flockwork_model::grid::Slab;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;

/// The adapter for process number `nth` of those on this machine: they take turns with the GPUs of the
/// best kind.
#[must_use]
pub fn adapter_for(nth: usize) -> AdapterChoice {
    let found: Vec<_> =
        device::adapters(&device::instance()).iter().map(wgpu::Adapter::get_info).collect();
    let kind = |info: &wgpu::AdapterInfo| (info.device_type, info.backend);
    match found.first() {
        Some(best) if best.device_type != wgpu::DeviceType::Cpu => {
            // The best ones come first.
            let alike = found.iter().take_while(|info| kind(info) == kind(best)).count();
            AdapterChoice::Index(nth % alike)
        }
        _ => AdapterChoice::Best,
    }
}

impl GpuEngine {
    /// Calls `act` for the slab.
    fn of_slab<T>(
        &mut self,
        act: impl FnOnce(&mut SlabFlock, &mut Maker<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let Self { gpu, options, pipelines, slab, .. } = self;
        let Some(slab) = slab else { return Err(gpu.error("no slab has begun")) };
        act(slab, &mut Maker { gpu, options, pipelines })
    }
}

impl Local for GpuEngine {
    fn kind(&self) -> EngineKind {
        Engine::kind(self)
    }

    fn describe(&self) -> String {
        Engine::describe(self)
    }

    fn id_end(&self) -> u64 {
        MOST_AGENTS
    }

    fn slices(&self, scene: &Scene, everyone: usize) -> u32 {
        slab::slices(scene, everyone)
    }

    fn begin(
        &mut self,
        scene: &Scene,
        tick: u64,
        everyone: usize,
        slab: Slab,
    ) -> Result<(), EngineError> {
        self.gpu.check()?;
        // Free the old flock's memory before the new one is allocated.
        (self.loaded, self.slab) = (None, None);
        self.slab = Some(SlabFlock::new(&mut self.maker(), scene, tick, everyone, slab)?);
        self.gpu.check()
    }

    fn beside(&self, slab: Slab) -> Vec<u32> {
        self.slab.as_ref().map_or_else(Vec::new, |own| own.beside(slab))
    }

    fn slices_of(&self, agents: &FlockState) -> Vec<u32> {
        self.slab.as_ref().map_or_else(Vec::new, |own| own.slices_at(&agents.position))
    }

    fn pack(&self, agents: &FlockState, to: &[usize], parcels: &mut [Vec<u8>]) {
        if let Some(slab) = &self.slab {
            slab.pack(agents, to, parcels);
        }
    }

    fn arrive(&mut self, parcel: &[u8]) -> Result<(), EngineError> {
        self.of_slab(|slab, _| slab.arrive(parcel))
    }

    fn sort(&mut self) -> Result<(), EngineError> {
        self.of_slab(SlabFlock::sort)
    }

    fn copy_slice(&mut self, slice: u32, parcel: &mut Vec<u8>) -> Result<(), EngineError> {
        self.of_slab(|slab, maker| slab.copy_slice(maker, slice, parcel))
    }

    fn take_ghosts(&mut self, slice: u32, parcel: &[u8]) -> Result<(), EngineError> {
        self.of_slab(|slab, maker| slab.take_ghosts(maker, slice, parcel))
    }

    fn steer(&mut self, region: Region) -> Result<(), EngineError> {
        self.of_slab(|slab, maker| slab.steer(maker, region))
    }

    fn moves_targets(&self) -> bool {
        self.slab.as_ref().is_some_and(SlabFlock::moves_targets)
    }

    fn hits(&mut self) -> Result<Vec<bool>, EngineError> {
        self.of_slab(|slab, maker| slab.hits(maker))
    }

    fn move_targets(&mut self, hit: &[bool]) -> Result<(), EngineError> {
        self.of_slab(|slab, maker| slab.move_targets(maker, hit))
    }

    fn leave(
        &mut self,
        owner: &dyn Fn(u32) -> usize,
        parcels: &mut [Vec<u8>],
    ) -> Result<(), EngineError> {
        self.of_slab(|slab, maker| slab.leave(maker, owner, parcels))
    }

    fn end_tick(&mut self) {
        if let Some(slab) = &mut self.slab {
            slab.tick += 1;
        }
    }

    fn move_to(&mut self, slab: Slab) -> Result<(), EngineError> {
        self.of_slab(|own, maker| own.move_to(maker, slab))
    }

    fn costs(&mut self) -> Vec<u64> {
        // An error comes back from the next tick.
        self.of_slab(|slab, maker| slab.costs(maker)).unwrap_or_default()
    }

    fn slice_counts(&mut self) -> Vec<u64> {
        self.of_slab(|slab, maker| slab.slice_counts(maker)).unwrap_or_default()
    }

    fn count(&self) -> usize {
        self.slab.as_ref().map_or(0, |slab| slab.count as usize)
    }

    fn ghosts(&self) -> usize {
        self.slab.as_ref().map_or(0, |slab| slab.ghosts as usize)
    }

    fn largest_cell(&mut self) -> u32 {
        self.of_slab(|slab, maker| slab.largest_cell(maker)).unwrap_or(0)
    }

    fn state(&mut self) -> Result<FlockState, EngineError> {
        self.of_slab(|slab, maker| slab.state(maker))
    }

    fn targets(&mut self) -> Result<Vec<Target>, EngineError> {
        self.of_slab(|slab, maker| slab.targets(maker))
    }

    fn arranged(&self, agents: FlockState) -> FlockState {
        match &self.slab {
            Some(slab) => slab.arranged(&agents),
            None => agents,
        }
    }

    fn id_sum(&mut self) -> Result<u64, EngineError> {
        self.of_slab(|slab, maker| slab.id_sum(maker))
    }
}
