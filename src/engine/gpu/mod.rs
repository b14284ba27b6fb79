//! The GPU engine: compute passes through wgpu.
//!
//! One tick runs the list [`pass::TICK`]. The state stays sorted by cell, so that an agent's
//! neighbours are a few contiguous runs, and within a cell by id. Agents race for their slots, but
//! the final order depends only on the state. So every run gives the same bytes, also one that
//! resumes from a saved state.

pub mod buffers;
pub mod device;
pub mod device_grid;
mod edit;
pub mod extent;
mod fault;
mod flock;
mod near;
mod options;
pub mod pass;
mod pipelines;
mod profiler;
mod readback;
pub mod reflect;
pub mod row;
mod slab;
mod snapshot;
mod stamps;
mod tables;
mod ticks;

use std::sync::Arc;

pub use device::{AdapterChoice, Gpu};
pub use flockwork_shaders as shaders;
pub use options::EngineOptions;
pub use row::{AgentBuffers, MotionLayout};
pub use slab::adapter_for;

use crate::change::{check_everybody, check_species};
use crate::ids::Ids;
use crate::internals::Sealed;
use crate::{
    AgentsAt, BrokenForces, Change, DeviceAgents, Engine, EngineError, EngineKind, HostAgents,
    Profile, Snapshot,
};
use flock::{DeviceFlock, FlockBuilder};
use flockwork_model::behaviours::{Target, Uses};
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;
use pipelines::Pipelines;
use profiler::{Measured, Profiler};
use row::MAX_DEVICE_AGENTS;
use snapshot::{Present, Transfer};

/// Host bytes per agent while a flock is loaded, besides its motion: tag and memory on their way to the
/// device, and its id.
const AGENT_BYTES: u64 = 8 + 4;

/// Moves a flock on a GPU.
#[derive(Debug)]
pub struct GpuEngine {
    builder: FlockBuilder,
    profiler: Profiler,
    profiling: bool,
    loaded: Option<DeviceFlock>,
    /// A copy of the flock that is under way to the host.
    transfer: Option<Transfer>,
    /// A copy of the flock as it is now, for a host that cannot wait.
    present: Present,
}

impl GpuEngine {
    /// An engine without a flock.
    #[must_use]
    pub fn new(gpu: Arc<Gpu>) -> Self {
        Self::with_options(gpu, EngineOptions::default())
    }

    /// An engine without a flock, with other options.
    #[must_use]
    pub fn with_options(gpu: Arc<Gpu>, options: EngineOptions) -> Self {
        let profiler = Profiler::new(&gpu);
        let builder = FlockBuilder { gpu, options, pipelines: Pipelines::default() };
        let present = Present::default();
        Self { builder, profiler, profiling: false, loaded: None, transfer: None, present }
    }

    /// The buffers of the agents; `None` if no flock is loaded.
    #[must_use]
    pub fn buffers(&self) -> Option<&AgentBuffers> {
        self.loaded.as_ref().map(|loaded| &loaded.agents)
    }

    /// The content of a buffer, for tests of single passes.
    #[doc(hidden)]
    pub fn read_buffer(&self, name: &str) -> Result<Vec<u8>, EngineError> {
        let (gpu, buffers) = (&self.builder.gpu, &self.loaded()?.buffers);
        gpu.read(buffers.buffer(name), buffers.len(name))
    }

    /// Overwrites a buffer from its start, for tests that poison it.
    #[doc(hidden)]
    pub fn write_buffer(&self, name: &str, bytes: &[u8]) -> Result<(), EngineError> {
        self.loaded()?.buffers.write(&self.builder.gpu, name, bytes);
        Ok(())
    }

    fn loaded(&self) -> Result<&DeviceFlock, EngineError> {
        self.loaded.as_ref().ok_or(EngineError::NoFlock)
    }

    fn edit(
        &mut self,
        edit: impl FnOnce(&mut FlockBuilder, &mut DeviceFlock) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        self.builder.gpu.check()?;
        self.present = Present::default();
        let Self { builder, loaded, .. } = self;
        let Some(flock) = loaded else { return Err(EngineError::NoFlock) };
        edit(builder, flock)
    }
}

impl Sealed for GpuEngine {}

impl Engine for GpuEngine {
    fn kind(&self) -> EngineKind {
        EngineKind::Gpu
    }

    fn describe(&self) -> String {
        self.builder.gpu.name()
    }

    fn check_count(&self, scene: &Scene, count: u64) -> Result<(), EngineError> {
        buffers::check_count(&self.builder.gpu, MotionLayout::of_scene(scene), count)
    }

    fn host_bytes(&self, scene: &Scene, agents: u64, cells: u64) -> u64 {
        let layout = MotionLayout::of_scene(scene);
        let software = self.builder.gpu.is_software();
        let [agent, cell] = if software { buffers::bytes(layout) } else { [0, 0] };
        (AGENT_BYTES + layout.bytes() + agent).saturating_mul(agents).saturating_add(cell * cells)
    }

    fn load(&mut self, scene: &Scene, state: &FlockState) -> Result<(), EngineError> {
        self.builder.gpu.check()?;
        self.check_count(scene, state.len() as u64)?;
        // Free the old flock's memory before the new one is allocated.
        (self.loaded, self.transfer) = (None, None);
        self.present = Present::default();
        self.profiler.reset();
        let ids = Ids::below(MAX_DEVICE_AGENTS).with(scene, state)?;
        let flock = self.builder.load(scene, state, ids)?;
        let gpu = &self.builder.gpu;
        let encoder = gpu.device.create_command_encoder(&Default::default());
        let measured = Measured { is_load: true, ..Measured::default() };
        self.profiler.submit(gpu, encoder, measured, &flock.buffers)?;
        self.loaded = Some(flock);
        self.write_clock(1)?;
        self.builder.gpu.check()
    }

    fn update(&mut self, scene: &Scene, change: Change) -> Result<(), EngineError> {
        if change.has(Change::PARAMETERS) {
            let flock = self.loaded()?;
            check_everybody(scene, flock.ids.len())?;
            if scene.species.len() < flock.scene.species.len() {
                let FlockState { id, species, .. } = self.snapshot()?.state;
                check_species(scene, &id, &species)?;
            }
        }
        // The rows of agents that keep other numbers are laid out anew, by way of the host.
        let before = &self.loaded()?.scene;
        let change = change.complete(before, scene);
        let (kept, formulas) = (before.kept_names(), before.formulas());
        if change.has(Change::PARAMETERS) && scene.kept_names() != kept {
            let mut next = self.loaded()?.scene.clone();
            change.keeps_axes(&next, scene)?;
            change.check(scene)?;
            let Snapshot { state, targets } = self.snapshot()?;
            next.targets = targets;
            change.swap(&mut next, &mut change.parts_of(scene));
            let confines = change.has(Change::WORLD);
            self.edit(|builder, flock| builder.lay_out(flock, &next, &state, confines))?;
        } else {
            self.edit(|builder, flock| {
                change.keeps_axes(&flock.scene, scene)?;
                change.check(scene)?;
                builder.update(flock, scene, change)
            })?;
        }
        let Self { builder, loaded, profiler, .. } = self;
        if let Some(flock) = loaded.as_ref().filter(|flock| flock.scene.formulas() != formulas) {
            profiler.forget_broken_rules(&builder.gpu, &flock.buffers);
        }
        Ok(())
    }

    fn append(&mut self, agents: &FlockState) -> Result<(), EngineError> {
        self.edit(|builder, flock| builder.append(flock, agents))
    }

    fn spawn(
        &mut self,
        positions: &[Point],
        velocities: &[Point],
        species: &[u8],
    ) -> Result<Vec<u32>, EngineError> {
        let agents = self.loaded()?.ids.newcomers(positions, velocities, species);
        self.append(&agents)?;
        Ok(agents.id)
    }

    fn next_id(&self) -> u64 {
        self.loaded.as_ref().map_or(0, |flock| flock.ids.next().into())
    }

    fn neighbours(&mut self, id: u32, radius: f32) -> Result<Vec<u32>, EngineError> {
        near::neighbours(&self.builder.gpu, self.loaded()?, id, radius)
    }

    fn remove(&mut self, ids: &[u32]) -> Result<(), EngineError> {
        let present = std::mem::take(&mut self.present);
        self.edit(|builder, flock| builder.remove(flock, ids))?;
        self.present = present.without(ids);
        Ok(())
    }

    fn step(&mut self, ticks: u32) -> Result<(), EngineError> {
        self.builder.gpu.check()?;
        if ticks > 0 {
            self.present = Present::default();
        }
        if self.profiling && !self.profiler.has_clock() {
            self.step_by_wall_clock(ticks)?;
        } else {
            self.submit_in_batches(ticks)?;
        }
        Ok(())
    }

    fn request(&mut self) -> Result<(), EngineError> {
        self.builder.gpu.check()?;
        if self.transfer.is_none() {
            self.transfer = Some(Transfer::begin(&self.builder.gpu, self.loaded()?)?);
        }
        self.builder.gpu.check()
    }

    fn poll(&mut self) -> Result<Option<Snapshot>, EngineError> {
        let gpu = &self.builder.gpu;
        gpu.poll(wgpu::PollType::Poll)?;
        let Some(transfer) = &mut self.transfer else { return Ok(None) };
        let arrived = transfer.advance(gpu);
        if !matches!(arrived, Ok(None)) {
            self.transfer = None;
        }
        arrived
    }

    fn agents(&self) -> AgentsAt<'_> {
        match &self.loaded {
            Some(loaded) => AgentsAt::Device(DeviceAgents::new(&loaded.agents)),
            None => AgentsAt::Host(HostAgents::default()),
        }
    }

    fn set_profiling(&mut self, on: bool) {
        self.profiling = on;
    }

    fn profile(&mut self) -> Profile {
        self.profiler.profile(&self.builder.gpu)
    }

    fn largest_cell(&mut self) -> u32 {
        self.profiler.largest_cell(&self.builder.gpu)
    }

    fn waits(&self) -> bool {
        self.builder.options.waits
    }

    fn broken_forces(&mut self) -> BrokenForces {
        self.profiler.broken_forces(&self.builder.gpu)
    }

    fn finish(&mut self) -> Result<(), EngineError> {
        let Self { builder, profiler, loaded, .. } = self;
        let gpu = &builder.gpu;
        gpu.wait()?;
        let has_texts = |flock: &&DeviceFlock| !flock.variant.formulas.is_empty();
        if let Some(flock) = loaded.as_ref().filter(has_texts)
            && profiler.is_behind(gpu)
        {
            let encoder = gpu.device.create_command_encoder(&Default::default());
            profiler.submit(gpu, encoder, Measured::default(), &flock.buffers)?;
            gpu.wait()?;
        }
        Ok(())
    }

    fn snapshot(&mut self) -> Result<Snapshot, EngineError> {
        let gpu = &self.builder.gpu;
        if !self.waits() {
            return self.present.get(gpu, self.loaded.as_ref().ok_or(EngineError::NoFlock)?);
        }
        let mut transfer = Transfer::begin(gpu, self.loaded()?)?;
        loop {
            gpu.wait()?;
            if let Some(snapshot) = transfer.advance(gpu)? {
                return Ok(snapshot);
            }
        }
    }

    fn targets(&mut self) -> Result<Vec<Target>, EngineError> {
        let loaded = self.loaded()?;
        let mut targets = loaded.scene.targets.clone();
        if loaded.variant.uses.has(Uses::MOVING_TARGETS) {
            if !self.waits() {
                return Ok(self.snapshot()?.targets);
            }
            loaded.tables.read_targets(&self.read_buffer("targets")?, &mut targets);
        }
        Ok(targets)
    }
}
