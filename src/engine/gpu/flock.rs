//! The flock on the device: its buffers, and the passes bound to them.

use std::sync::Arc;

use super::buffers::{self, FlockBuffers};
use super::device::Gpu;
use super::device_grid::DeviceGrid;
use super::extent::Extent;
use super::options::EngineOptions;
use super::pass::{BoundPass, Pass, Pipeline, Sizes, TickKind, small_grid};
use super::pipelines::{Compiled, Pipelines};
use super::row::{AgentBuffers, CellBuffers, MEMORY_BYTES, MotionLayout, TAG_BYTES, tags_of};
use super::shaders::Variant;
use super::tables::{Contents, Tables};
use crate::EngineError;
use crate::ids::Ids;
use flockwork_model::behaviours::Uses;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;

/// Agents that are uploaded at a time: 24 MB in a plane.
const UPLOADED_AT_ONCE: usize = 1 << 20;

/// Compiles passes and allocates buffers for flocks.
#[derive(Clone, Debug)]
pub struct FlockBuilder {
    pub gpu: Arc<Gpu>,
    pub options: EngineOptions,
    /// The passes compiled so far.
    pub pipelines: Pipelines,
}

/// The passes and buffers for a scene and a number of agents.
#[derive(Clone, Debug)]
pub struct Plan {
    pub grid: DeviceGrid,
    pub variant: Variant,
    /// Numbers of agents and cells.
    pub extent: Extent,
}

/// A flock on the device: passes for its scene, and its buffers.
#[derive(Debug)]
pub struct DeviceFlock {
    pub variant: Variant,
    pub passes: Vec<BoundPass>,
    pub buffers: FlockBuffers,
    /// Layouts of the structs that the host writes.
    pub tables: Arc<Tables>,
    /// The current scene, except for targets that move by themselves.
    pub scene: Scene,
    pub ids: Ids,
    /// The buffers that a renderer reads.
    pub agents: AgentBuffers,
    /// Ticks submitted.
    pub tick: u64,
    pub grid: DeviceGrid,
    /// One bit per id, set if the agent was removed.
    pub removed: Vec<u32>,
}

impl FlockBuilder {
    pub(super) fn fail(&self) -> impl Fn(String) -> EngineError + use<'_> {
        |message| self.gpu.error(message)
    }

    /// The variant of the passes for a scene on this device.
    pub fn variant(&self, scene: &Scene, grid: &DeviceGrid) -> Variant {
        let own_loops = !self.options.without_subgroups;
        let by_subgroup = self.gpu.has_subgroups_of_agents() && own_loops;
        let unrolled = self.gpu.unrolls_loops() && own_loops;
        Variant { unrolled, ..Variant::of(scene, grid.is_narrow, by_subgroup) }
    }

    /// The plan for the agents of `ids` in `scene`.
    pub fn plan(&self, scene: &Scene, ids: &Ids) -> Plan {
        let grid = DeviceGrid::of(scene, ids.len());
        let variant = self.variant(scene, &grid);
        let (layout, agents) = (MotionLayout::of_scene(scene), ids.len() as u32);
        let crowded_above = self.options.crowded_above;
        let extent = Extent::of(layout, agents, ids.next(), grid.cells(), crowded_above);
        Plan { grid, variant, extent }
    }

    /// The passes of a tick.
    pub fn compile(&mut self, plan: &Plan) -> Result<Compiled, EngineError> {
        let EngineOptions { crowded_above, small_grid: blocks, .. } = self.options;
        let blocks = blocks.unwrap_or_else(|| small_grid(self.gpu.is_software()));
        let kind = TickKind::of(plan.variant.uses, plan.extent, crowded_above, blocks);
        self.pipelines.tick(&self.gpu, &self.options, &plan.variant, kind)
    }

    /// Allocates the buffers of a plan and fills those that stay constant while the flock moves, and the
    /// targets. Varying species have their values at `tick`.
    pub fn allocate(
        &self,
        scene: &Scene,
        plan: &Plan,
        tables: &Tables,
        count: u32,
        tick: u64,
    ) -> Result<FlockBuffers, EngineError> {
        let crowded_above = self.options.crowded_above;
        let flock = tables.flock(scene, &plan.grid, count, crowded_above, &[]);
        let mut contents = tables.species_and_scenery(scene, tick).map_err(self.fail())?;
        contents.push(("flock", flock.map_err(self.fail())?));
        contents.push(("targets", tables.targets(&scene.folded_targets()).map_err(self.fail())?));
        let sizes = sizes(&contents, plan.variant.uses, plan.extent);
        let buffers = FlockBuffers::new(&self.gpu, plan.extent, &sizes)?;
        for (name, bytes) in &contents {
            buffers.write(&self.gpu, name, bytes);
        }
        Ok(buffers)
    }

    /// Puts a new flock on the device, which sorts it. `ids` are the ids of `state`.
    pub fn load(
        &mut self,
        scene: &Scene,
        state: &FlockState,
        ids: Ids,
    ) -> Result<DeviceFlock, EngineError> {
        let plan = self.plan(scene, &ids);
        let Compiled { tick: pipelines, tables } = self.compile(&plan)?;
        let buffers = self.allocate(scene, &plan, &tables, plan.extent.agents, state.tick)?;
        let flock = DeviceFlock {
            passes: bind(&self.gpu, pipelines, &buffers)?,
            agents: agents_in(&self.gpu, &buffers, plan.variant.uses, state.tick),
            variant: plan.variant,
            buffers,
            tables,
            scene: scene.with_targets(scene.folded_targets()),
            ids,
            tick: state.tick,
            grid: plan.grid,
            removed: Vec::new(),
        };
        self.upload(&flock, state, 0);
        self.bin(&flock, false)?;
        Ok(flock)
    }

    /// Writes agents to the buffers from row `first` on. They are not sorted.
    pub fn upload(&self, flock: &DeviceFlock, agents: &FlockState, first: u64) {
        let layout = flock.buffers.extent.layout;
        for begin in (0..agents.len()).step_by(UPLOADED_AT_ONCE) {
            let some = agents.rows(begin..agents.len().min(begin + UPLOADED_AT_ONCE));
            let motions = layout.rows_of(&some, &flock.scene.kept_of(&some));
            let tags = tags_of(&some);
            let memory = flock.scene.memory_of(&some);
            for (name, row, bytes) in [
                ("state", layout.bytes(), bytemuck::cast_slice(&motions)),
                ("tag", TAG_BYTES, bytemuck::cast_slice(&tags)),
                ("memory", MEMORY_BYTES, bytemuck::cast_slice(&memory)),
            ] {
                // A scene without memory has no such buffer.
                if !bytes.is_empty() {
                    let offset = (first + begin as u64) * row;
                    flock.buffers.write_at(&self.gpu, name, offset, bytes);
                }
            }
        }
    }

    /// The sizes of the dispatches over all agents and cells of `buffers`.
    pub fn sizes<'a>(&self, buffers: &'a FlockBuffers) -> Sizes<'a> {
        let limits = self.gpu.device.limits();
        let device = limits.max_compute_workgroups_per_dimension;
        let limit = self.options.dispatch_limit.map_or(device, |limit| limit.min(device));
        Sizes {
            extent: buffers.extent,
            grid_stats: buffers.buffer(buffers::GRID_STATS),
            scattered: buffers.buffer(buffers::SCATTERED),
            limit,
            clock_stride: buffers::clock_stride(&limits),
        }
    }
}

impl DeviceFlock {
    /// Records the `wanted` passes of tick number `nth` of a submission.
    pub fn record(
        &self,
        compute: &mut wgpu::ComputePass,
        sizes: Sizes<'_>,
        nth: u32,
        wanted: impl Fn(Pass) -> bool,
    ) {
        for bound in self.passes.iter().filter(|bound| wanted(bound.pass())) {
            bound.dispatch(compute, sizes, nth);
        }
    }

    /// True if these are the passes of its ticks.
    pub fn has(&self, pipelines: &[Arc<Pipeline>]) -> bool {
        let own = self.passes.iter().map(|bound| Arc::as_ptr(&bound.pipeline));
        own.eq(pipelines.iter().map(Arc::as_ptr))
    }
}

/// Bytes of the buffers whose sizes depend on the scene.
pub(super) fn sizes(contents: &Contents, uses: Uses, extent: Extent) -> Vec<(&'static str, u64)> {
    let mut sizes: Vec<(&str, u64)> =
        contents.iter().map(|(name, bytes)| (*name, bytes.len() as u64)).collect();
    if uses.has(Uses::MEMORY) {
        sizes.push(("memory", u64::from(extent.agents) * MEMORY_BYTES));
    }
    sizes
}

/// The buffers that a renderer reads.
pub(super) fn agents_in(
    gpu: &Arc<Gpu>,
    buffers: &FlockBuffers,
    uses: Uses,
    tick: u64,
) -> AgentBuffers {
    let buffer = |name: &str| buffers.buffer(name).clone();
    AgentBuffers {
        gpu: Arc::clone(gpu),
        tick,
        state: buffer("state"),
        layout: buffers.extent.layout,
        tag: buffer("tag"),
        memory: uses.has(Uses::MEMORY).then(|| buffer("memory")),
        count: buffers.extent.agents,
        ids: buffers.extent.ids,
        grid_stats: buffer(buffers::GRID_STATS),
        cells: Some(CellBuffers {
            flock: buffer("flock"),
            start: buffer("cell_start"),
            bytes: buffers.len("cell_start"),
        }),
    }
}

/// Binds passes to the buffers of a flock.
pub(super) fn bind(
    gpu: &Gpu,
    pipelines: Vec<Arc<Pipeline>>,
    buffers: &FlockBuffers,
) -> Result<Vec<BoundPass>, EngineError> {
    pipelines.into_iter().map(|pipeline| pipeline.bind(gpu, buffers)).collect()
}
