//! The GPU engine: compute passes through wgpu.
//!
//! One tick is the list [`pass::TICK`]. The state stays sorted by cell, so that an agent's
//! neighbours are a few contiguous runs, and the order is the stable sort of the order before: a
//! function of the initial state alone, although agents race for their slots. Hence the same bytes
//! on every run.

pub mod buffers;
pub mod device;
mod fault;
mod flock;
mod options;
pub mod pass;
mod pipelines;
mod profiler;
pub mod reflect;
pub mod shaders;
mod snapshot;
mod sorted;
mod tables;
mod ticks;

use std::sync::Arc;

pub use device::{AdapterChoice, Gpu};
pub use options::EngineOptions;
pub use profiler::MEASURED_TICKS;
pub use tables::SPECIES_SHIFT;

use crate::engine::{Change, Engine, EngineError, EngineKind, Profile, Snapshot};
use crate::model::behaviours::{Target, Uses};
use crate::model::memory as model;
use crate::model::scene::Scene;
use crate::model::state::FlockState;
use crate::model::vector::Point;
use flock::{DeviceFlock, Maker};
use pipelines::Pipelines;
use profiler::Profiler;
use snapshot::{Progress, Sources, Transfer};

/// Bytes of an agent on the host while it is loaded: sorted by its key, and once more on its way to the
/// device.
const AGENT_BYTES: u64 = 2 * 24 + 2 * 8;

/// Bytes of a cell: where it begins, and once more on its way.
const CELL_BYTES: u64 = 2 * 4;

/// Where the renderer finds the agents.
#[derive(Clone, Copy, Debug)]
pub struct Agents<'a> {
    /// Position and velocity, a vec4 of f32 each.
    pub state: &'a wgpu::Buffer,
    /// Species (5 bits) and id (27 bits), a u32 each.
    pub tag: &'a wgpu::Buffer,
    /// What they remember, a [`model::Memory`] each; none in scenes without memory.
    pub memory: Option<&'a wgpu::Buffer>,
    /// How many.
    pub count: u32,
    /// Its first word is how many agents there are in the fullest grid cell.
    pub grid_stats: &'a wgpu::Buffer,
}

/// Moves a flock on a GPU.
#[derive(Debug)]
pub struct GpuEngine {
    gpu: Arc<Gpu>,
    options: EngineOptions,
    pipelines: Pipelines,
    profiler: Profiler,
    profiling: bool,
    loaded: Option<DeviceFlock>,
}

impl GpuEngine {
    /// An engine without a flock.
    #[must_use]
    pub fn new(gpu: Arc<Gpu>) -> Self {
        Self::with_options(gpu, EngineOptions::default())
    }

    /// The same with other knobs.
    #[must_use]
    pub fn with_options(gpu: Arc<Gpu>, options: EngineOptions) -> Self {
        let profiler = Profiler::new(&gpu);
        let pipelines = Pipelines::default();
        Self { gpu, options, pipelines, profiler, profiling: false, loaded: None }
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

    fn check_count(&self, count: u64) -> Result<(), EngineError> {
        buffers::check_count(&self.gpu.device.limits(), &self.gpu.info, count)
    }

    fn host_bytes(&self, agents: u64, cells: u64) -> u64 {
        let device = if self.gpu.is_software() { buffers::BYTES } else { [0, 0] };
        (AGENT_BYTES + device[0]) * agents + (CELL_BYTES + device[1]) * cells
    }

    fn load(&mut self, scene: &Scene, state: &FlockState) -> Result<(), EngineError> {
        self.gpu.check()?;
        self.check_count(state.len() as u64)?;
        // The old flock makes room before the new one is built.
        self.loaded = None;
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
        Maker { gpu, options, pipelines }.update(flock, scene, change)
    }

    fn targets(&mut self) -> Result<Vec<Target>, EngineError> {
        let loaded = self.loaded()?;
        let mut targets = loaded.scene.targets.clone();
        if loaded.variant.uses.has(Uses::MOVING_TARGETS) {
            loaded.tables.read_targets(&self.read_buffer("targets")?, &mut targets);
        }
        Ok(targets)
    }

    fn set_pointer(&mut self, pointer: Option<Point>) {
        let Some(loaded) = &self.loaded else { return };
        let mut targets = loaded.scene.targets.clone();
        let Some(target) = targets.first_mut() else { return };
        (target.active, target.position) = (pointer.is_some(), pointer.unwrap_or(target.position));
        let scene = Scene { targets, ..Change::default().parts_of(&loaded.scene) };
        let _ = self.update(&scene, Change::POINTER);
    }

    fn place_target(&mut self, index: usize, place: Point) {
        let Some(loaded) = &self.loaded else { return };
        let mut targets = loaded.scene.targets.clone();
        let Some(target) = targets.get_mut(index) else { return };
        target.position = place;
        let scene = Scene { targets, ..Change::default().parts_of(&loaded.scene) };
        let _ = self.update(&scene, Change::target(index));
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

    fn finish(&mut self) -> Result<(), EngineError> {
        self.gpu.wait()
    }

    fn read_back(&mut self) -> Result<FlockState, EngineError> {
        let state = self.read_buffer("state")?;
        let tag = self.read_buffer("tag")?;
        let loaded = self.loaded()?;
        let remembers = loaded.variant.uses.has(Uses::MEMORY);
        let memory: Vec<model::Memory> = if remembers {
            bytemuck::pod_collect_to_vec(&self.read_buffer("memory")?)
        } else {
            Vec::new()
        };
        let (agents, tags) = (bytemuck::cast_slice(&state), bytemuck::cast_slice(&tag));
        let state = loaded.rows.state(loaded.tick, agents, tags, &memory);
        state.map_err(|message| self.gpu.error(message))
    }

    fn request_snapshot(&mut self) -> bool {
        let Some(loaded) = &mut self.loaded else { return false };
        if loaded.transfer.is_some() {
            return true;
        }
        let uses = loaded.variant.uses;
        let (moving, remembers) = (uses.has(Uses::MOVING_TARGETS), uses.has(Uses::MEMORY));
        let named = |name, wanted: bool| loaded.memory.whole(name).filter(|_| wanted);
        let sources = Sources {
            tick: loaded.tick,
            rows: &loaded.rows,
            agents: [named("state", true), named("tag", true), named("memory", remembers)],
            targets: named("targets", moving),
        };
        let (tables, mut targets) = (loaded.tables.clone(), loaded.scene.targets.clone());
        let read_targets = Box::new(move |bytes: &[u8]| {
            if moving {
                tables.read_targets(bytes, &mut targets);
            }
            targets
        });
        loaded.transfer = Transfer::begin(&self.gpu, &sources, read_targets);
        loaded.transfer.is_some()
    }

    fn take_snapshot(&mut self) -> Option<Snapshot> {
        let transfer = self.loaded.as_mut()?.transfer.as_mut()?;
        match transfer.advance() {
            Progress::UnderWay => None,
            done => {
                self.loaded.as_mut()?.transfer = None;
                if let Progress::Done(snapshot) = done { Some(*snapshot) } else { None }
            }
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

    fn gpu_agents(&self) -> Option<Agents<'_>> {
        let loaded = self.loaded.as_ref()?;
        Some(Agents {
            state: loaded.memory.whole("state")?,
            tag: loaded.memory.whole("tag")?,
            memory: loaded.memory.whole("memory").filter(|_| loaded.variant.uses.has(Uses::MEMORY)),
            count: loaded.memory.extent.agents,
            grid_stats: loaded.memory.whole(buffers::GRID_STATS)?,
        })
    }
}
