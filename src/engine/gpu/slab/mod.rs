//! The GPU engine as the engine of one rank: it moves a slab of a flock on its device.
//!
//! The buffers hold the own agents, sorted as in one process, then the ghosts. A cell behind the own ones
//! is for agents that leave: the sort puts them last, and the number of agents cuts them off.

mod cost;
mod exchange;
mod rows;

use std::ops::Range;
use std::sync::Arc;

use super::GpuEngine;
use super::buffers::{self, FlockBuffers};
use super::device::{self, AdapterChoice};
use super::device_grid::DeviceGrid;
use super::extent::Extent;
use super::flock::{FlockBuilder, Plan, sizes};
use super::pass::{BIN, EXPORT_AGENTS, IMPORT_AGENTS, Pass, Pipeline, Sizes};
use super::pipelines::Compiled;
use super::readback::Part;
use super::row::{MAX_AGENTS, MEMORY_BYTES, MotionLayout, TAG_BYTES, Tag};
use super::shaders::Variant;
use super::tables::{Contents, Tables};
use crate::EngineError;
use crate::distributed::{Region, SlabEngine, SlabHost, Slices};
use cost::Cost;
use exchange::{Borders, Expected, Moved};
use flockwork_model::behaviours::{Target, Uses};
use flockwork_model::grid::{Slab, Window};
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use rows::{Imported, agents_in, tags_of, words_in};

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
    passes: Vec<(Arc<Pipeline>, wgpu::BindGroup)>,
    /// Number of own agents. Agents that have left count until the next sort.
    count: u32,
    /// Number of ghosts.
    ghosts: u32,
    imported: Imported,
    moved: Option<Moved>,
    borders: Option<Borders>,
    expected: Expected,
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
        MAX_AGENTS
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
        compiled.tick.push(pipelines.one(gpu, options, variant, pass)?);
    }
    Ok(compiled)
}

fn bind(
    builder: &FlockBuilder,
    pipelines: Vec<Arc<Pipeline>>,
    buffers: &FlockBuffers,
) -> Result<Vec<(Arc<Pipeline>, wgpu::BindGroup)>, EngineError> {
    let bound = |pipeline: Arc<Pipeline>| {
        let bindings = pipeline.bind(&builder.gpu, buffers)?;
        Ok((pipeline, bindings))
    };
    pipelines.into_iter().map(bound).collect()
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
        let layout = MotionLayout::of(&scene.world);
        let extent = extent_of(layout, &window, FIRST_ROOM, builder.options.crowded_above);
        let plan = Plan { grid, variant, extent };
        let Compiled { tick: pipelines, tables } = compile(builder, &plan)?;
        let buffers = builder.allocate(scene, &plan, &tables, 0, tick)?;
        Ok(Self {
            passes: bind(builder, pipelines, &buffers)?,
            cost: Cost::new(&builder.gpu),
            builder: builder.clone(),
            scene: scene.clone(),
            tick,
            slices,
            grid,
            window,
            variant,
            buffers,
            tables,
            count: 0,
            ghosts: 0,
            imported: Imported::default(),
            moved: None,
            borders: None,
            expected: Expected::default(),
        })
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.builder.gpu.device.create_command_encoder(&Default::default())
    }

    fn layout(&self) -> MotionLayout {
        self.buffers.extent.layout
    }

    /// The first `count` elements of a buffer from element `first` on.
    fn part(&self, name: &str, first: u32, count: u32, bytes: u64) -> Option<Part> {
        let buffer = self.buffers.buffer(name)?.clone();
        Some((buffer, u64::from(first) * bytes, u64::from(count) * bytes))
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
        let bytes = self.tables.flock_with(&self.scene, &self.grid, count, crowded_above, &further);
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
    ) -> Result<(), EngineError> {
        let sizes = self.builder.sizes(&self.buffers)?;
        let sizes = Sizes { extent: Extent { agents, ..sizes.extent }, ..sizes };
        let mut compute = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("slab"),
            timestamp_writes: stamps,
        });
        for (pipeline, bindings) in self.passes.iter().filter(|(own, _)| wanted(own.pass)) {
            pipeline.dispatch(&mut compute, bindings, sizes, 0);
        }
        Ok(())
    }

    /// Makes room for `agents` agents.
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
        let plan = Plan { grid: self.grid, variant: self.variant, extent };
        let pipelines = compile(&mut self.builder, &plan)?.tick;
        let sizes = sizes(&Contents::new(), self.variant, extent);
        self.buffers.fit(&self.builder.gpu, extent, &sizes)?;
        self.passes = bind(&self.builder, pipelines, &self.buffers)?;
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

impl SlabEngine for GpuSlab {
    fn import_agents(&mut self, agents: &FlockState) -> Result<(), EngineError> {
        let slab = self.window.slab;
        if self.slices.at(&agents.position).into_iter().any(|slice| !slab.has(slice)) {
            return Err(EngineError::Message { problem: "an agent of another slab".into() });
        }
        self.imported.add(self.layout(), agents);
        Ok(())
    }

    fn sort(&mut self) -> Result<(), EngineError> {
        let imported = std::mem::take(&mut self.imported);
        let (moved, arrived) = (self.count, imported.count());
        let all = moved + arrived;
        self.make_room(all)?;
        let gone = self.moved.take().map_or(0, |moved| moved.gone);
        self.borders = None;
        if all > 0 {
            let bytes = self.layout().bytes();
            for (name, bytes, rows) in
                [("next_state", bytes, imported.motion()), ("binned", 16, imported.binned())]
            {
                self.buffers.write_at(&self.builder.gpu, name, u64::from(moved) * bytes, rows);
            }
            self.write_flock(all, Steered::default(), moved)?;
            let mut encoder = self.encoder();
            if arrived > 0 {
                self.record(&mut encoder, arrived, None, |pass| pass == IMPORT_AGENTS)?;
            }
            self.record(&mut encoder, all, None, Pass::sorts)?;
            self.builder.gpu.queue.submit([encoder.finish()]);
        }
        self.count = all - gone;
        self.builder.gpu.check()
    }

    fn slice(&mut self, slice: u32) -> Result<FlockState, EngineError> {
        let slab = self.window.slab;
        let outer = [slab.first, slab.end().wrapping_sub(1)];
        let Some(which) = outer.iter().position(|outer| *outer == slice) else {
            return Err(self.builder.gpu.error(format!("no process needs slice {slice}")));
        };
        Ok(self.borders()?.slices[which].clone())
    }

    fn take_ghosts(&mut self, slice: u32, ghosts: &FlockState) -> Result<(), EngineError> {
        let first = self.count + self.ghosts;
        let end = first + ghosts.len() as u32;
        self.make_room(end)?;
        // The sender has sorted them: where each cell begins follows from the positions.
        let cells = self.window.cells_of(slice);
        let mut start = Vec::with_capacity(cells.len() + 1);
        for (agent, key) in (first..).zip(self.slices.cells_at(&ghosts.position)) {
            let cell = self.window.number(key) as usize;
            if self.window.slice_of(key) != slice || cell + 1 < cells.start + start.len() {
                return Err(EngineError::Message { problem: "ghosts in disorder".into() });
            }
            start.resize(cell + 1 - cells.start, agent);
        }
        start.resize(cells.len() + 1, end);
        let layout = self.layout();
        let motions = layout.rows_of(&ghosts.position, &ghosts.velocity);
        for (name, at, bytes) in [
            ("state", u64::from(first) * layout.bytes(), bytemuck::cast_slice(&motions)),
            ("tag", u64::from(first) * TAG_BYTES, bytemuck::cast_slice(&tags_of(ghosts))),
            ("cell_start", cells.start as u64 * INDEX_BYTES, bytemuck::cast_slice(&start)),
        ] {
            self.buffers.write_at(&self.builder.gpu, name, at, bytes);
        }
        self.ghosts += ghosts.len() as u32;
        Ok(())
    }

    fn steer(&mut self, region: Region) -> Result<(), EngineError> {
        let gpu = &self.builder.gpu;
        gpu.check()?;
        if region == Region::Inner {
            self.ghosts = 0;
            // Shaders count in 32 bits.
            self.buffers.write(gpu, buffers::CLOCK, &(self.tick as u32).to_le_bytes());
            if self.variant.uses.has(Uses::VARYING) {
                let table = self.tables.species(&self.scene, self.tick);
                let table = table.map_err(self.builder.fail())?;
                self.buffers.write_at(gpu, "tables", self.tables.species_offset(self.tick), &table);
            }
        }
        let inner = self.inner()?;
        let of_inner = inner.end - inner.start;
        let (nth, steered) = match region {
            Region::Inner => (0, Steered { count: of_inner, gap_begin: 0, gap: inner.start }),
            Region::Edge => {
                let count = self.count - of_inner;
                (1, Steered { count, gap_begin: inner.start, gap: of_inner })
            }
        };
        if steered.count == 0 {
            return Ok(());
        }
        self.write_flock(self.count, steered, self.count)?;
        let mut encoder = self.encoder();
        let stamps = self.cost.stamps(nth);
        self.record(&mut encoder, steered.count, stamps, |pass| pass.name == "steer")?;
        self.cost.measured(nth);
        self.builder.gpu.queue.submit([encoder.finish()]);
        Ok(())
    }

    fn hits(&mut self) -> Result<Vec<bool>, EngineError> {
        let targets = self.scene.targets.len();
        let hits = &self.moved()?.hits;
        let hit =
            |target: usize| hits.get(target / 8).is_some_and(|byte| byte >> (target % 8) & 1 == 1);
        Ok((0..targets).map(hit).collect())
    }

    fn move_targets(&mut self, hit: &[bool]) -> Result<(), EngineError> {
        let mut bits = [0_u8; buffers::HITS_BYTES as usize];
        for (target, _) in hit.iter().enumerate().filter(|(_, hit)| **hit) {
            bits[target / 8] |= 1 << (target % 8);
        }
        self.buffers.write(&self.builder.gpu, "cell_count", &bits);
        // It reads the size of the world.
        self.write_flock(self.count, Steered::default(), self.count)?;
        let mut encoder = self.encoder();
        self.record(&mut encoder, 0, None, |pass| pass.name == "move_targets")?;
        self.builder.gpu.queue.submit([encoder.finish()]);
        Ok(())
    }

    fn export_agents(&mut self) -> Result<FlockState, EngineError> {
        Ok(self.moved()?.exported.clone())
    }

    fn end_tick(&mut self) {
        self.tick += 1;
    }

    fn move_to(&mut self, slab: Slab) -> Result<(), EngineError> {
        self.window = self.slices.window(slab);
        (self.moved, self.borders, self.ghosts) = (None, None, 0);
        self.fit(self.buffers.extent.agents)?;
        if self.count > 0 {
            // Every agent takes a slot in its cell of the new slab.
            self.write_flock(self.count, Steered::default(), self.count)?;
            let mut encoder = self.encoder();
            self.record(&mut encoder, self.count, None, |pass| pass == BIN)?;
            self.builder.gpu.queue.submit([encoder.finish()]);
        }
        self.builder.gpu.check()
    }

    fn costs(&mut self) -> Result<Vec<u64>, EngineError> {
        // The time of all agents, shared out by their number.
        let each = self.cost.take();
        let counts = self.slice_counts()?;
        Ok(counts.into_iter().map(|agents| (agents as f64 * each) as u64).collect())
    }

    fn slice_counts(&mut self) -> Result<Vec<u64>, EngineError> {
        let (slices, cells) = (self.window.slab.count, self.window.slice_cells() as u32);
        if self.count == 0 {
            return Ok(vec![0; slices as usize]);
        }
        let start = |slice: u32| self.part("cell_start", slice * cells, 1, INDEX_BYTES);
        let parts: Vec<Part> = (0..=slices).filter_map(start).collect();
        let starts = self.builder.gpu.read_parts(&parts)?.concat();
        let starts: Vec<u32> = words_in(&starts).collect();
        Ok(starts.windows(2).map(|pair| u64::from(pair[1].saturating_sub(pair[0]))).collect())
    }

    fn count(&self) -> usize {
        self.count as usize
    }

    fn largest_cell(&mut self) -> Result<u32, EngineError> {
        let Some(stats) = self.buffers.buffer(buffers::GRID_STATS).filter(|_| self.count > 0)
        else {
            return Ok(0);
        };
        let word = self.builder.gpu.read(stats, INDEX_BYTES)?;
        Ok(words_in(&word).next().unwrap_or(0))
    }

    fn state(&mut self) -> Result<FlockState, EngineError> {
        let remembers = self.variant.uses.has(Uses::MEMORY);
        let parts = [
            self.part("state", 0, self.count, self.layout().bytes()),
            self.part("tag", 0, self.count, TAG_BYTES),
            self.part("memory", 0, self.count * u32::from(remembers), MEMORY_BYTES),
        ];
        let parts: Vec<Part> = parts.into_iter().flatten().collect();
        let mut copies = self.builder.gpu.read_parts(&parts)?.into_iter();
        let [motions, tags, memory] = [(); 3].map(|()| copies.next().unwrap_or_default());
        let mut state = agents_in(self.layout(), &motions, &tags, &memory).by_id();
        (state.tick, state.shown) = (self.tick, self.scene.shown());
        Ok(state)
    }

    fn targets(&mut self) -> Result<Vec<Target>, EngineError> {
        let mut targets = self.scene.targets.clone();
        let moves = self.variant.uses.has(Uses::MOVING_TARGETS);
        if let Some(buffer) = self.buffers.buffer("targets").filter(|_| moves) {
            let bytes = self.builder.gpu.read(buffer, self.buffers.len("targets"))?;
            self.tables.read_targets(&bytes, &mut targets);
        }
        Ok(targets)
    }

    fn id_sum(&mut self) -> Result<u64, EngineError> {
        let part: Vec<Part> = self.part("tag", 0, self.count, TAG_BYTES).into_iter().collect();
        let tags = self.builder.gpu.read_parts(&part)?.concat();
        Ok(words_in(&tags).map(|word| u64::from(Tag(word).id())).sum())
    }
}
