//! The flock on the device: its buffers, and the passes bound to them.

use std::sync::Arc;

use rayon::prelude::*;

use super::buffers::{self, FlockBuffers};
use super::device::Gpu;
use super::device_grid::DeviceGrid;
use super::options::EngineOptions;
use super::pass::{Extent, Pass, Pipeline, Sizes, TickKind};
use super::pipelines::{Compiled, Pipelines};
use super::row::{AgentBuffers, MEMORY_BYTES, MOST_AGENTS, MotionLayout};
use super::shaders::Variant;
use super::snapshot::Transfer;
use super::sorted::sorted_agents;
use super::tables::{Contents, Tables};
use crate::EngineError;
use crate::ids::Ids;
use flockwork_model::behaviours::Uses;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::world::with_axes;

/// Compiles passes and allocates buffers for flocks.
pub struct Maker<'a> {
    /// The device.
    pub gpu: &'a Gpu,
    /// Options of the engine.
    pub options: &'a EngineOptions,
    /// The passes compiled so far.
    pub pipelines: &'a mut Pipelines,
}

/// The buffers that a scene and a number of agents need.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The grid.
    pub grid: DeviceGrid,
    /// The variant of the passes.
    pub variant: Variant,
    /// Numbers of agents and cells.
    pub extent: Extent,
}

/// A flock on the device: pipelines for its scene, and its buffers.
#[derive(Debug)]
pub struct DeviceFlock {
    /// The variant of its passes.
    pub variant: Variant,
    /// The passes of a tick.
    pub pipelines: Vec<Arc<Pipeline>>,
    /// Its buffers.
    pub memory: FlockBuffers,
    /// The bindings of each pass.
    pub bindings: Vec<wgpu::BindGroup>,
    /// Layouts of the structs that the host writes.
    pub tables: Arc<Tables>,
    /// The current scene, except for targets that move by themselves.
    pub scene: Scene,
    /// The agents' ids.
    pub ids: Ids,
    /// The buffers that a renderer reads.
    pub agents: AgentBuffers,
    /// Ticks submitted.
    pub tick: u64,
    /// A copy that is under way to the host.
    pub transfer: Option<Transfer>,
    /// Its grid.
    pub grid: DeviceGrid,
    /// One bit per id, set if the agent was removed.
    pub removed: Vec<u32>,
}

impl Maker<'_> {
    pub(super) fn fail(&self) -> impl Fn(String) -> EngineError + use<'_> {
        |message| self.gpu.error(message)
    }

    /// The variant of the passes for a scene on this device.
    pub fn variant(&self, scene: &Scene, grid: &DeviceGrid) -> Variant {
        let (gpu, options) = (self.gpu, self.options);
        let by_subgroup = gpu.has_subgroups_of_agents() && !options.without_subgroups;
        let unrolled = gpu.unrolls_loops() && !options.without_subgroups;
        Variant { unrolled, ..Variant::of(scene, grid.is_narrow, by_subgroup) }
    }

    /// The plan for the agents of `ids` in `scene`.
    pub fn plan(&self, scene: &Scene, ids: &Ids) -> Plan {
        let grid = DeviceGrid::of(scene, ids.len());
        let variant = self.variant(scene, &grid);
        let (layout, agents) = (MotionLayout::of(&scene.world), ids.len() as u32);
        let crowded_above = self.options.crowded_above;
        let extent = Extent::of(layout, agents, ids.next(), grid.cells(), crowded_above);
        Plan { grid, variant, extent }
    }

    /// The passes of a tick.
    pub fn compile(&mut self, plan: &Plan) -> Result<Compiled, EngineError> {
        let EngineOptions { crowded_above, small_grid, .. } = *self.options;
        let kind = TickKind::of(plan.variant.uses, plan.extent, crowded_above, small_grid);
        self.pipelines.tick(self.gpu, self.options, plan.variant, kind)
    }

    /// Puts a new flock on the device. Also returns the number of agents in its fullest cell.
    pub fn load(
        &mut self,
        scene: &Scene,
        state: &FlockState,
    ) -> Result<(DeviceFlock, u32), EngineError> {
        let (limits, layout) = (self.gpu.device.limits(), MotionLayout::of(&scene.world));
        buffers::check_count(&limits, &self.gpu.info, layout, state.len() as u64)?;
        let ids = Ids::below(MOST_AGENTS).with(scene, state)?;
        let plan = self.plan(scene, &ids);
        let Compiled { tick: pipelines, tables } = self.compile(&plan)?;
        let Plan { grid, variant, extent } = plan;
        let crowded_above = self.options.crowded_above;
        let contents = tables.contents(scene, &grid, extent.agents, crowded_above, state.tick);
        let contents = contents.map_err(self.fail())?;
        let memory = FlockBuffers::new(self.gpu, extent, &sizes(&contents, variant, extent))?;
        let sorted = with_axes!(scene.world, AXES => {
            sorted_agents::<AXES>(&scene.grid(state.len()), scene, state)
        });
        let members = sorted.cell_start.par_windows(2).map(|pair| pair[1] - pair[0]);
        let largest_cell = members.max().unwrap_or(0);
        let bindings = bind(self.gpu, &pipelines, &memory)?;
        let write = |name: &str, bytes: &[u8]| memory.write(self.gpu, name, bytes);
        for (name, bytes) in &contents {
            write(name, bytes);
        }
        write("memory", bytemuck::cast_slice(&sorted.memory));
        write("state", bytemuck::cast_slice(&sorted.state));
        write("tag", bytemuck::cast_slice(&sorted.tag));
        write("cell_start", bytemuck::cast_slice(&sorted.cell_start));
        write("grid_stats", bytemuck::bytes_of(&largest_cell));
        let agents = agents_in(&memory, variant).ok_or_else(|| self.gpu.error("no agents"))?;
        let flock = DeviceFlock {
            variant,
            pipelines,
            memory,
            bindings,
            tables,
            scene: scene.clone(),
            ids,
            agents,
            tick: state.tick,
            transfer: None,
            grid,
            removed: Vec::new(),
        };
        Ok((flock, largest_cell))
    }
}

impl DeviceFlock {
    /// The sizes of its dispatches.
    pub fn sizes<'a>(
        &'a self,
        gpu: &Gpu,
        options: &EngineOptions,
    ) -> Result<Sizes<'a>, EngineError> {
        dispatch_sizes(&self.memory, gpu, options)
    }

    /// Records the `wanted` passes of tick number `nth` of a submission.
    pub fn record(
        &self,
        compute: &mut wgpu::ComputePass,
        sizes: Sizes<'_>,
        nth: u32,
        wanted: impl Fn(Pass) -> bool,
    ) {
        for (pipeline, bindings) in self.pipelines.iter().zip(&self.bindings) {
            if wanted(pipeline.pass) {
                pipeline.dispatch(compute, bindings, sizes, nth);
            }
        }
    }

    /// Submits the `wanted` passes of a tick.
    pub fn submit_passes(
        &self,
        gpu: &Gpu,
        options: &EngineOptions,
        wanted: impl Fn(Pass) -> bool,
    ) -> Result<(), EngineError> {
        let sizes = self.sizes(gpu, options)?;
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        self.record(&mut encoder.begin_compute_pass(&Default::default()), sizes, 0, wanted);
        gpu.queue.submit([encoder.finish()]);
        Ok(())
    }
}

/// The sizes of the dispatches over all agents and cells of `memory`.
pub(super) fn dispatch_sizes<'a>(
    memory: &'a FlockBuffers,
    gpu: &Gpu,
    options: &EngineOptions,
) -> Result<Sizes<'a>, EngineError> {
    let named =
        |name: &str| memory.whole(name).ok_or_else(|| gpu.error(format!("no buffer `{name}`")));
    let (grid_stats, scattered) = (named(buffers::GRID_STATS)?, named(buffers::SCATTERED)?);
    let device = gpu.device.limits().max_compute_workgroups_per_dimension;
    let limit = options.dispatch_limit.map_or(device, |limit| limit.min(device));
    let clock_stride = buffers::clock_stride(&gpu.device.limits());
    Ok(Sizes { extent: memory.extent, grid_stats, scattered, limit, clock_stride })
}

/// Bytes of the buffers whose sizes depend on the scene.
pub(super) fn sizes(
    contents: &Contents,
    variant: Variant,
    extent: Extent,
) -> Vec<(&'static str, u64)> {
    let mut sizes: Vec<(&str, u64)> =
        contents.iter().map(|(name, bytes)| (*name, bytes.len() as u64)).collect();
    if variant.uses.has(Uses::MEMORY) {
        sizes.push(("memory", u64::from(extent.agents) * MEMORY_BYTES));
    }
    sizes
}

/// The buffers that a renderer reads.
pub(super) fn agents_in(memory: &FlockBuffers, variant: Variant) -> Option<AgentBuffers> {
    let buffer = |name: &str| memory.whole(name).cloned();
    Some(AgentBuffers {
        state: buffer("state")?,
        layout: memory.extent.layout,
        tag: buffer("tag")?,
        memory: buffer("memory").filter(|_| variant.uses.has(Uses::MEMORY)),
        count: memory.extent.agents,
        ids: memory.extent.ids,
        grid_stats: buffer(buffers::GRID_STATS)?,
    })
}

pub(super) fn bind(
    gpu: &Gpu,
    pipelines: &[Arc<Pipeline>],
    memory: &FlockBuffers,
) -> Result<Vec<wgpu::BindGroup>, EngineError> {
    pipelines.iter().map(|pipeline| pipeline.bind(gpu, memory)).collect()
}

/// True if two ticks have the same passes.
pub(super) fn same(one: &[Arc<Pipeline>], other: &[Arc<Pipeline>]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| Arc::ptr_eq(a, b))
}
