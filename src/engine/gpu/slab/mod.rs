//! The GPU engine as the engine of one rank: it moves a slab of a flock on its device.
//!
//! The buffers hold the own agents, sorted as in one process, then the ghosts. One extra cell
//! collects agents that leave. Sorting puts them last; a smaller count drops them.

mod cost;
mod engine;
mod exchange;
mod slab_rows;

use std::ops::Range;
use std::sync::Arc;

use super::GpuEngine;
use super::buffers::{self, FlockBuffers};
use super::device::{self, AdapterChoice};
use super::device_grid::DeviceGrid;
use super::extent::Extent;
use super::flock::{FlockBuilder, Plan, bind, sizes};
use super::pass::{BIN, BoundPass, EXPORT_AGENTS, IMPORT_AGENTS, Pass, Sizes};
use super::pipelines::Compiled;
use super::readback::Part;
use super::row::{MAX_DEVICE_AGENTS, MotionLayout};
use super::shaders::Variant;
use super::tables::{Contents, Tables};
use crate::EngineError;
use crate::broken::CountedForces;
use crate::distributed::{SlabEngine, SlabHost, Slices};
use cost::Cost;
use exchange::{Borders, Expected, Moved};
use flockwork_model::grid::{Slab, Window};
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;

/// Agents that the buffers of a new slab have room for.
const FIRST_ROOM: u32 = 64;

/// Bytes of an index in `cell_start`.
const INDEX_BYTES: u64 = 4;

/// A slab of a flock on the device.
#[derive(Debug)]
pub struct GpuSlab {
    builder: FlockBuilder,
    scene: Scene,
    /// Ticks done.
    tick: u64,
    slices: Slices,
    grid: DeviceGrid,
    window: Window,
    variant: Variant,
    buffers: FlockBuffers,
    tables: Arc<Tables>,
    passes: Vec<BoundPass>,
    /// Number of own agents. Agents that have left count until the next sort.
    count: u32,
    ghosts: u32,
    /// Agents that have come from other processes since the last sort.
    imported: FlockState,
    moved: Option<Moved>,
    borders: Option<Borders>,
    expected: Expected,
    broken: CountedForces,
    cost: Cost,
}

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

impl SlabHost for GpuEngine {
    fn id_end(&self) -> u64 {
        MAX_DEVICE_AGENTS
    }

    fn begin_slab(
        &mut self,
        scene: &Scene,
        tick: u64,
        everyone: usize,
        slab: Slab,
    ) -> Result<Box<dyn SlabEngine>, EngineError> {
        self.builder.gpu.check()?;
        // Free the old flock's memory before the new one is allocated.
        (self.loaded, self.transfer) = (None, None);
        let slab = GpuSlab::new(&mut self.builder, scene, tick, everyone, slab)?;
        self.builder.gpu.check()?;
        Ok(Box::new(slab))
    }
}

/// The agents that a dispatch of `steer` moves: all but a gap.
#[derive(Clone, Copy, Debug, Default)]
struct Steered {
    count: u32,
    gap_begin: u32,
    gap: u32,
}

/// The extent of a slab with room for `room` agents.
fn extent_of(layout: MotionLayout, window: &Window, room: u32, crowded_above: u32) -> Extent {
    // Any id may come from another process. One cell more is for agents that leave.
    let cells = window.own_cells() as u32 + 1;
    let ghost_cells = 2 * window.slice_cells() as u32;
    Extent { ghost_cells, ..Extent::of(layout, room, u32::MAX, cells, crowded_above) }
}

/// All passes of a slab.
fn compile(builder: &mut FlockBuilder, plan: &Plan) -> Result<Compiled, EngineError> {
    let mut compiled = builder.compile(plan)?;
    let variant = plan.variant.between_ticks();
    let FlockBuilder { gpu, options, pipelines } = builder;
    for pass in [BIN, EXPORT_AGENTS, IMPORT_AGENTS] {
        compiled.tick.push(pipelines.one(gpu, options, &variant, pass)?);
    }
    Ok(compiled)
}

impl GpuSlab {
    /// An empty slab of a flock of `everyone` agents. `builder` keeps the compiled passes.
    fn new(
        builder: &mut FlockBuilder,
        scene: &Scene,
        tick: u64,
        everyone: usize,
        slab: Slab,
    ) -> Result<Self, EngineError> {
        let (grid, slices) = (DeviceGrid::of(scene, everyone), Slices::of(scene, everyone));
        let window = slices.window(slab);
        let variant = Variant { slab: true, ..builder.variant(scene, &grid) };
        let layout = MotionLayout::of_scene(scene);
        let extent = extent_of(layout, &window, FIRST_ROOM, builder.options.crowded_above);
        let plan = Plan { grid, variant, extent };
        let Compiled { tick: pipelines, tables } = compile(builder, &plan)?;
        let buffers = builder.allocate(scene, &plan, &tables, 0, tick)?;
        Ok(Self {
            passes: bind(&builder.gpu, pipelines, &buffers)?,
            cost: Cost::new(&builder.gpu),
            builder: builder.clone(),
            scene: scene.with_targets(scene.folded_targets()),
            tick,
            slices,
            grid,
            window,
            variant: plan.variant,
            buffers,
            tables,
            count: 0,
            ghosts: 0,
            imported: FlockState::default(),
            moved: None,
            borders: None,
            expected: Expected::default(),
            broken: CountedForces::default(),
        })
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.builder.gpu.device.create_command_encoder(&Default::default())
    }

    fn layout(&self) -> MotionLayout {
        self.buffers.extent.layout
    }

    /// Some elements of a buffer.
    fn part(&self, name: &str, elements: Range<u32>, bytes: u64) -> Part {
        let [start, end] = [elements.start, elements.end].map(|element| u64::from(element) * bytes);
        self.buffers.part(name, start..end)
    }

    /// Writes the uniform `flock` for passes over `count` agents: the `moved` ones of this tick,
    /// then those that have arrived.
    fn write_flock(&self, count: u32, steered: Steered, moved: u32) -> Result<(), EngineError> {
        let slab = self.window.slab;
        let further = [
            ("all", self.count + self.ghosts),
            ("first_slice", slab.first),
            ("own_slices", slab.count),
            ("own_cells", self.window.own_cells() as u32),
            ("steered", steered.count),
            ("gap_begin", steered.gap_begin),
            ("gap", steered.gap),
            ("moved", moved),
        ];
        let crowded_above = self.builder.options.crowded_above;
        let bytes = self.tables.flock(&self.scene, &self.grid, count, crowded_above, &further);
        self.buffers.write(&self.builder.gpu, "flock", &bytes.map_err(self.builder.fail())?);
        Ok(())
    }

    /// Records the passes that are `wanted`, over `agents` agents.
    fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        agents: u32,
        stamps: Option<wgpu::ComputePassTimestampWrites<'_>>,
        wanted: impl Fn(Pass) -> bool,
    ) {
        let sizes = self.builder.sizes(&self.buffers);
        let sizes = Sizes { extent: Extent { agents, ..sizes.extent }, ..sizes };
        let mut compute = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("slab"),
            timestamp_writes: stamps,
        });
        for bound in self.passes.iter().filter(|bound| wanted(bound.pass())) {
            bound.dispatch(&mut compute, sizes, 0);
        }
    }

    fn make_room(&mut self, agents: u32) -> Result<(), EngineError> {
        if agents <= self.buffers.extent.agents {
            return Ok(());
        }
        let (most, _) = buffers::largest_count(&self.builder.gpu.device.limits(), self.layout());
        // An eighth more, so that a growing slab allocates rarely.
        let room = (u64::from(agents) + u64::from(agents / 8)).min(most).max(agents.into());
        self.fit(room as u32)
    }

    /// Fits the buffers and passes to the window, with room for `room` agents.
    fn fit(&mut self, room: u32) -> Result<(), EngineError> {
        let extent =
            extent_of(self.layout(), &self.window, room, self.builder.options.crowded_above);
        let plan = Plan { grid: self.grid, variant: self.variant.clone(), extent };
        let pipelines = compile(&mut self.builder, &plan)?.tick;
        let sizes = sizes(&Contents::new(), self.variant.uses, extent);
        self.buffers.fit(&self.builder.gpu, extent, &sizes)?;
        self.passes = bind(&self.builder.gpu, pipelines, &self.buffers)?;
        Ok(())
    }

    /// The array indices of the agents that need no ghosts.
    fn inner(&mut self) -> Result<Range<u32>, EngineError> {
        if self.window.is_whole() {
            return Ok(0..self.count);
        }
        if self.window.slab.count < 3 {
            return Ok(0..0);
        }
        Ok(self.borders()?.inner.clone())
    }
}
