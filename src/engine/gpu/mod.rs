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
mod fault;
mod flock;
mod local;
mod options;
pub mod pass;
mod pipelines;
mod profiler;
mod readback;
pub mod reflect;
pub mod row;
mod slab;
mod snapshot;
mod sorted;
mod stamps;
mod tables;
mod ticks;

use std::sync::Arc;

pub use device::{AdapterChoice, Gpu};
pub use flockwork_shaders as shaders;
pub use local::adapter_for;
pub use options::EngineOptions;
pub use profiler::MEASURED_TICKS;
pub use row::{AgentBuffers, MotionLayout};

use crate::{
    AgentsAt, Change, DeviceAgents, Engine, EngineError, EngineKind, HostAgents, Profile, Snapshot,
};
use flock::{DeviceFlock, Maker};
use flockwork_model::behaviours::{Target, Uses};
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::world::World;
use pipelines::Pipelines;
use profiler::Profiler;
use slab::SlabFlock;
use snapshot::{Sources, Transfer};

/// Host bytes per agent while a flock is loaded, besides its motion: tag, memory and key, and those on
/// their way to the device.
const AGENT_BYTES: u64 = 2 * 8 + 2 * 8;

/// Host bytes per cell: its start, plus a copy on its way.
const CELL_BYTES: u64 = 2 * 4;

/// Moves a flock on a GPU.
#[derive(Debug)]
pub struct GpuEngine {
    gpu: Arc<Gpu>,
    options: EngineOptions,
    pipelines: Pipelines,
    profiler: Profiler,
    profiling: bool,
    loaded: Option<DeviceFlock>,
    /// The part of this process, if it is one of several.
    slab: Option<SlabFlock>,
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
        let pipelines = Pipelines::default();
        Self { gpu, options, pipelines, profiler, profiling: false, loaded: None, slab: None }
    }

    /// The buffers of the agents; `None` if no flock is loaded.
    #[must_use]
    pub fn buffers(&self) -> Option<&AgentBuffers> {
        self.loaded.as_ref().map(|loaded| &loaded.agents)
    }

    /// The content of a buffer, for tests of single passes.
    pub fn read_buffer(&self, name: &str) -> Result<Vec<u8>, EngineError> {
        let memory = &self.loaded()?.memory;
        let missing = || self.gpu.error(format!("no buffer `{name}`"));
        self.gpu.read_first(memory.whole(name).ok_or_else(missing)?, memory.used(name))
    }

    /// Overwrites a buffer from its start, for tests that poison it.
    pub fn write_buffer(&self, name: &str, bytes: &[u8]) -> Result<(), EngineError> {
        self.loaded()?.memory.write(&self.gpu, name, bytes);
        Ok(())
    }

    fn loaded(&self) -> Result<&DeviceFlock, EngineError> {
        self.loaded.as_ref().ok_or_else(|| self.gpu.error("no flock is loaded"))
    }

    /// Starts a copy to the host of the flock as it is after all submitted ticks.
    fn begin_transfer(&self) -> Result<Transfer, EngineError> {
        let loaded = self.loaded()?;
        let uses = loaded.variant.uses;
        let moves_targets = uses.has(Uses::MOVING_TARGETS);
        let sources = Sources {
            tick: loaded.tick,
            ids: &loaded.ids,
            memory: &loaded.memory,
            remembers: uses.has(Uses::MEMORY),
            shown: loaded.scene.shown(),
            moves_targets,
        };
        let (tables, mut targets) = (Arc::clone(&loaded.tables), loaded.scene.targets.clone());
        let read_targets = Box::new(move |bytes: &[u8]| {
            if moves_targets {
                tables.read_targets(bytes, &mut targets);
            }
            targets
        });
        Transfer::begin(&self.gpu, &sources, read_targets)
    }

    fn maker(&mut self) -> Maker<'_> {
        Maker { gpu: &self.gpu, options: &self.options, pipelines: &mut self.pipelines }
    }
}

impl Engine for GpuEngine {
    fn kind(&self) -> EngineKind {
        EngineKind::Gpu
    }

    fn describe(&self) -> String {
        self.gpu.name()
    }

    fn check_count(&self, world: &World, count: u64) -> Result<(), EngineError> {
        let limits = self.gpu.device.limits();
        buffers::check_count(&limits, &self.gpu.info, MotionLayout::of(world), count)
    }

    fn host_bytes(&self, world: &World, agents: u64, cells: u64) -> u64 {
        let layout = MotionLayout::of(world);
        let device = if self.gpu.is_software() { buffers::bytes(layout) } else { [0, 0] };
        let agent = AGENT_BYTES + 2 * layout.bytes();
        (agent + device[0]) * agents + (CELL_BYTES + device[1]) * cells
    }

    fn load(&mut self, scene: &Scene, state: &FlockState) -> Result<(), EngineError> {
        self.gpu.check()?;
        self.check_count(&scene.world, state.len() as u64)?;
        // Free the old flock's memory before the new one is allocated.
        (self.loaded, self.slab) = (None, None);
        let (flock, largest_cell) = self.maker().load(scene, state)?;
        self.profiler.reset(largest_cell);
        self.loaded = Some(flock);
        self.write_clock(1)?;
        self.gpu.check()
    }

    fn update(&mut self, scene: &Scene, change: Change) -> Result<(), EngineError> {
        self.gpu.check()?;
        let Self { gpu, options, pipelines, loaded, .. } = self;
        let Some(flock) = loaded else { return Err(gpu.error("no flock is loaded")) };
        change.keeps_axes(&flock.scene, scene)?;
        Maker { gpu, options, pipelines }.update(flock, scene, change)
    }

    fn append(&mut self, agents: &FlockState) -> Result<(), EngineError> {
        self.gpu.check()?;
        let Self { gpu, options, pipelines, loaded, .. } = self;
        let Some(flock) = loaded else { return Err(gpu.error("no flock is loaded")) };
        Maker { gpu, options, pipelines }.append(flock, agents)
    }

    fn remove(&mut self, ids: &[u32]) -> Result<(), EngineError> {
        self.gpu.check()?;
        let Self { gpu, options, pipelines, loaded, .. } = self;
        let Some(flock) = loaded else { return Err(gpu.error("no flock is loaded")) };
        Maker { gpu, options, pipelines }.remove(flock, ids)
    }

    fn step(&mut self, ticks: u32) -> Result<(), EngineError> {
        self.gpu.check()?;
        if self.profiling && !self.profiler.has_queries() {
            self.step_by_wall_clock(ticks)?;
        } else {
            self.submit_in_batches(ticks)?;
        }
        Ok(())
    }

    fn request(&mut self) -> Result<(), EngineError> {
        self.gpu.check()?;
        if self.loaded()?.transfer.is_none() {
            let transfer = self.begin_transfer()?;
            if let Some(loaded) = &mut self.loaded {
                loaded.transfer = Some(transfer);
            }
        }
        self.gpu.check()
    }

    fn poll(&mut self) -> Result<Option<Snapshot>, EngineError> {
        self.gpu.poll(wgpu::PollType::Poll)?;
        let Some(loaded) = &mut self.loaded else { return Ok(None) };
        let Some(transfer) = &mut loaded.transfer else { return Ok(None) };
        let arrived = transfer.advance().map_err(|message| self.gpu.error(message));
        if !matches!(arrived, Ok(None)) {
            loaded.transfer = None;
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
        self.profiler.profile(&self.gpu)
    }

    fn largest_cell(&mut self) -> u32 {
        self.profiler.largest_cell(&self.gpu)
    }

    fn finish(&mut self) -> Result<(), EngineError> {
        self.gpu.wait()
    }

    fn snapshot(&mut self) -> Result<Snapshot, EngineError> {
        let mut transfer = self.begin_transfer()?;
        loop {
            self.gpu.wait()?;
            let arrived = transfer.advance().map_err(|message| self.gpu.error(message))?;
            if let Some(snapshot) = arrived {
                return Ok(snapshot);
            }
        }
    }

    fn targets(&mut self) -> Result<Vec<Target>, EngineError> {
        let loaded = self.loaded()?;
        let mut targets = loaded.scene.targets.clone();
        if loaded.variant.uses.has(Uses::MOVING_TARGETS) {
            loaded.tables.read_targets(&self.read_buffer("targets")?, &mut targets);
        }
        Ok(targets)
    }
}
