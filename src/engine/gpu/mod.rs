//! The GPU engine: compute passes through wgpu.
//!
//! One tick is the list [`pass::TICK`]. The state stays sorted by cell, so that an agent's
//! neighbours are a few contiguous runs, and the order is the stable sort of the order before: a
//! function of the initial state alone, although agents race for their slots. Hence the same bytes
//! on every run.

pub mod buffers;
pub mod device;
mod fault;
mod options;
pub mod pass;
mod profiler;
pub mod reflect;
pub mod shaders;
mod snapshot;
mod tables;

use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;

pub use device::{AdapterChoice, Gpu};
pub use options::EngineOptions;
pub use profiler::MEASURED_TICKS;
pub use tables::SPECIES_SHIFT;

use crate::engine::{Engine, EngineError, EngineKind, Profile, Snapshot};
use crate::model::behaviours::{Target, Uses};
use crate::model::memory as model;
use crate::model::scene::Scene;
use crate::model::state::FlockState;
use crate::model::vector::Point;
use buffers::FlockBuffers;
use pass::{Buffers, Extent, Occasion, Pipeline, Sizes, TICK};
use profiler::Profiler;
use shaders::Variant;
use snapshot::{Progress, Rows, Sources, Transfer};
use tables::Tables;

/// Agents times ticks of one submission, on a GPU and on a driver that computes on the CPU. Systems
/// kill a device that is silent for about two seconds: lavapipe moves four million agents a second,
/// SwiftShader one.
const AGENT_TICKS_PER_SUBMISSION: [u64; 2] = [64_000_000, 1_000_000];

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
    /// What they remember, a [`Memory`](crate::model::memory::Memory) each; none in scenes without
    /// memory.
    pub memory: Option<&'a wgpu::Buffer>,
    /// How many.
    pub count: u32,
    /// Its first word is how many agents there are in the fullest grid cell.
    pub grid_stats: &'a wgpu::Buffer,
}

/// A flock on the device: pipelines for its scene, and its memory.
#[derive(Debug)]
struct Loaded {
    variant: Variant,
    pipelines: Vec<Pipeline>,
    memory: FlockBuffers,
    bindings: Vec<wgpu::BindGroup>,
    tables: Tables,
    scene: Scene,
    rows: Rows,
    tick: u64,
    /// A copy on its way to the host.
    transfer: Option<Transfer>,
}

/// Moves a flock on a GPU.
#[derive(Debug)]
pub struct GpuEngine {
    gpu: Arc<Gpu>,
    options: EngineOptions,
    profiler: Profiler,
    profiling: bool,
    loaded: Option<Loaded>,
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
        Self { gpu, options, profiler, profiling: false, loaded: None }
    }

    /// The content of a buffer, for tests of single passes.
    pub fn read_buffer(&self, name: &str) -> Result<Vec<u8>, EngineError> {
        let loaded = self.loaded()?;
        let missing = || self.gpu.error(format!("no buffer `{name}`"));
        self.gpu.read(loaded.memory.named(name).ok_or_else(missing)?)
    }

    /// Overwrites a buffer from its start, for tests that poison it.
    pub fn write_buffer(&self, name: &str, bytes: &[u8]) -> Result<(), EngineError> {
        self.loaded()?.memory.write(&self.gpu, name, bytes);
        Ok(())
    }

    /// Runs one pass of the tick by itself, for tests that look between the passes or skip one: of the
    /// first tick of a flock, or of one after [`Self::end_tick`].
    pub fn run_pass(&self, name: &str) -> Result<(), EngineError> {
        let loaded = self.loaded()?;
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        {
            let mut compute = encoder.begin_compute_pass(&Default::default());
            let sizes = self.sizes(loaded)?;
            for (pipeline, bindings) in loaded.pipelines.iter().zip(&loaded.bindings) {
                if pipeline.pass.name == name {
                    pipeline.dispatch(&mut compute, bindings, sizes, 0);
                }
            }
        }
        self.gpu.queue.submit([encoder.finish()]);
        self.gpu.wait()
    }

    /// Ends a tick whose passes were run one by one.
    pub fn end_tick(&mut self) -> Result<(), EngineError> {
        self.count_ticks(1);
        self.write_clock(1)
    }

    fn loaded(&self) -> Result<&Loaded, EngineError> {
        self.loaded.as_ref().ok_or_else(|| self.gpu.error("no flock is loaded"))
    }

    fn sizes<'a>(&self, loaded: &'a Loaded) -> Result<Sizes<'a>, EngineError> {
        let named = |name: &str| {
            loaded.memory.named(name).ok_or_else(|| self.gpu.error(format!("no {name}")))
        };
        let (grid_stats, scattered) = (named(buffers::GRID_STATS)?, named(buffers::SCATTERED)?);
        let device = self.gpu.device.limits().max_compute_workgroups_per_dimension;
        let limit = self.options.dispatch_limit.map_or(device, |limit| limit.min(device));
        let clock_stride = buffers::clock_stride(&self.gpu.device.limits());
        Ok(Sizes { extent: loaded.memory.extent, grid_stats, scattered, limit, clock_stride })
    }

    /// The pipelines of a tick of `extent` for `variant`, those of the last flock where they fit.
    fn pipelines(
        &mut self,
        variant: Variant,
        extent: Extent,
    ) -> Result<Vec<Pipeline>, EngineError> {
        let last = self.loaded.take().filter(|loaded| loaded.variant == variant);
        let mut last = last.map_or_else(Vec::new, |loaded| loaded.pipelines);
        let EngineOptions { crowded_above, small_grid, .. } = self.options;
        let occasion = Occasion::of(variant.uses, extent, crowded_above, small_grid);
        let passes = TICK.into_iter().filter(|pass| pass.when.is(occasion));
        let names = buffers::NAMES;
        let checked = self.options.checked;
        let compiled =
            passes.map(|pass| match last.iter().position(|pipeline| pipeline.pass == pass) {
                Some(at) => Ok(last.swap_remove(at)),
                None => Pipeline::new(&self.gpu, pass, variant, &names, checked),
            });
        compiled.collect()
    }

    /// Submits `ticks` ticks at once.
    fn submit(&mut self, ticks: u32) -> Result<(), EngineError> {
        let idle = self.profiler.is_idle(&self.gpu);
        self.write_clock(ticks)?;
        let Some(loaded) = &self.loaded else { return Err(self.gpu.error("no flock is loaded")) };
        let sizes = self.sizes(loaded)?;
        let measured = self.profiling && idle && self.profiler.has_queries();
        let mut encoder = self
            .gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("tick") });
        let passes = || loaded.pipelines.iter().zip(&loaded.bindings);
        if measured {
            self.profiler.begin(&mut encoder);
            for (tick, (number, (pipeline, bindings))) in
                (0..ticks).flat_map(|tick| passes().enumerate().map(move |pass| (tick, pass)))
            {
                let mut compute = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                    label: Some(pipeline.pass.name),
                    timestamp_writes: self.profiler.stamps(tick, number as u32),
                });
                pipeline.dispatch(&mut compute, bindings, sizes, tick);
            }
        } else {
            let mut compute = encoder.begin_compute_pass(&Default::default());
            for tick in 0..ticks {
                for (pipeline, bindings) in passes() {
                    pipeline.dispatch(&mut compute, bindings, sizes, tick);
                }
            }
        }
        if idle {
            self.profiler.resolve(&mut encoder, if measured { ticks } else { 0 }, sizes.grid_stats);
        }
        self.gpu.queue.submit([encoder.finish()]);
        if idle {
            self.profiler.submitted();
        }
        self.gpu.check()
    }

    /// Writes the numbers of the next `ticks` ticks.
    fn write_clock(&self, ticks: u32) -> Result<(), EngineError> {
        let Loaded { memory, tick, .. } = self.loaded()?;
        let stride = buffers::clock_stride(&self.gpu.device.limits()) as usize;
        let mut bytes = vec![0; stride * ticks as usize];
        for (number, slot) in (*tick..).zip(bytes.chunks_mut(stride)) {
            // Shaders count in 32 bits.
            slot[..4].copy_from_slice(&(number as u32).to_le_bytes());
        }
        memory.write(&self.gpu, buffers::CLOCK, &bytes);
        Ok(())
    }

    /// Writes the tables of species for the next `ticks` ticks, where parameters vary with time.
    fn write_species(&self, ticks: u32) -> Result<(), EngineError> {
        let Loaded { scene, variant, tables, memory, tick, .. } = self.loaded()?;
        if !variant.uses.has(Uses::VARYING) {
            return Ok(());
        }
        for tick in *tick..*tick + u64::from(ticks) {
            let table = tables.species(scene, tick).map_err(|message| self.gpu.error(message))?;
            memory.write_at(&self.gpu, "tables", tables.species_offset(tick), &table);
        }
        Ok(())
    }

    fn count_ticks(&mut self, ticks: u32) {
        if let Some(loaded) = &mut self.loaded {
            loaded.tick += u64::from(ticks);
        }
    }

    /// One tick, each pass by itself and timed by the wall clock.
    fn step_by_wall_clock(&mut self, ticks: u32) -> Result<(), EngineError> {
        let names: Vec<&str> = self.loaded()?.pipelines.iter().map(|p| p.pass.name).collect();
        let mut times = vec![Duration::ZERO; names.len()];
        for _ in 0..ticks {
            self.write_species(1)?;
            self.write_clock(1)?;
            for (pass, time) in names.iter().zip(&mut times) {
                let begin = Instant::now();
                self.run_pass(pass)?;
                *time += begin.elapsed();
            }
            self.count_ticks(1);
        }
        self.profiler.note_wall_times(&times, ticks);
        Ok(())
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
        let grid = scene.grid(state.len());
        let by_subgroup = self.gpu.has_subgroups_of_agents() && !self.options.without_subgroups;
        let unrolled = self.gpu.unrolls_loops() && !self.options.without_subgroups;
        let variant = Variant { unrolled, ..Variant::of(scene, &grid, by_subgroup) };
        let count = state.len() as u32;
        let crowded_above = self.options.crowded_above;
        let extent = Extent::of(count, &grid, crowded_above);
        let pipelines = self.pipelines(variant, extent)?;
        let tables = Tables::of(&pipelines).map_err(|message| self.gpu.error(message))?;
        let contents = tables.contents(scene, &grid, count, crowded_above, state.tick);
        let contents = contents.map_err(|message| self.gpu.error(message))?;
        let mut sizes: Vec<(&str, u64)> =
            contents.iter().map(|(name, bytes)| (*name, bytes.len() as u64)).collect();
        if variant.uses.has(Uses::MEMORY) {
            sizes.push(("memory", u64::from(count) * 4));
        }
        let memory = FlockBuffers::new(&self.gpu, extent, &sizes)?;
        let sorted = tables::sorted_agents(&grid, scene, state);
        let members = sorted.cell_start.par_windows(2).map(|pair| pair[1] - pair[0]);
        let largest_cell = members.max().unwrap_or(0);
        let names = pipelines.iter().map(|p| p.pass.name).collect();
        self.profiler.reset(&self.gpu, names, largest_cell)?;
        let bindings = pipelines
            .iter()
            .map(|pipeline| pipeline.bind(&self.gpu, &memory))
            .collect::<Result<_, _>>()?;
        let write = |name: &str, bytes: &[u8]| memory.write(&self.gpu, name, bytes);
        for (name, bytes) in &contents {
            write(name, bytes);
        }
        write("memory", bytemuck::cast_slice(&sorted.memory));
        write("state", bytemuck::cast_slice(&sorted.state));
        write("tag", bytemuck::cast_slice(&sorted.tag));
        write("cell_start", bytemuck::cast_slice(&sorted.cell_start));
        write("grid_stats", bytemuck::bytes_of(&largest_cell));
        self.loaded = Some(Loaded {
            variant,
            pipelines,
            memory,
            bindings,
            tables,
            scene: scene.clone(),
            rows: Rows::of(state),
            tick: state.tick,
            transfer: None,
        });
        self.write_clock(1)?;
        self.gpu.check()
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
        let Some(loaded) = &mut self.loaded else { return };
        let Some(target) = loaded.scene.targets.first_mut() else { return };
        if (target.active, target.position)
            == (pointer.is_some(), pointer.unwrap_or(target.position))
        {
            return;
        }
        target.active = pointer.is_some();
        target.position = pointer.unwrap_or(target.position);
        // The layout was checked when the flock was loaded.
        if let Ok(bytes) = loaded.tables.pointer(&loaded.scene.targets) {
            loaded.memory.write(&self.gpu, "targets", &bytes);
        }
    }

    fn place_target(&mut self, index: usize, place: Point) {
        let Some(loaded) = &mut self.loaded else { return };
        let Some(target) = loaded.scene.targets.get_mut(index) else { return };
        target.position = place;
        if let Some((offset, bytes)) = loaded.tables.place_of_target(index, place) {
            loaded.memory.write_at(&self.gpu, "targets", offset, &bytes);
        }
    }

    fn step(&mut self, ticks: u32) -> Result<(), EngineError> {
        self.gpu.check()?;
        if self.profiling && !self.profiler.has_queries() {
            self.step_by_wall_clock(ticks)?;
        } else {
            let agents = u64::from(self.loaded()?.memory.extent.agents.max(1));
            let most = AGENT_TICKS_PER_SUBMISSION[usize::from(self.gpu.is_software())];
            let batch = (most / agents).clamp(1, MEASURED_TICKS.into());
            let mut left = ticks;
            while left > 0 {
                let now = left.min(batch as u32);
                self.write_species(now)?;
                self.submit(now)?;
                self.count_ticks(now);
                left -= now;
            }
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
        let named = |name, wanted: bool| loaded.memory.named(name).filter(|_| wanted);
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
            state: loaded.memory.named("state")?,
            tag: loaded.memory.named("tag")?,
            memory: loaded.memory.named("memory").filter(|_| loaded.variant.uses.has(Uses::MEMORY)),
            count: loaded.memory.extent.agents,
            grid_stats: loaded.memory.named(buffers::GRID_STATS)?,
        })
    }
}
