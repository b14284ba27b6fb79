//! The flock on the device: its buffers, the passes bound to them, and how an edit changes both.

use std::sync::Arc;

use rayon::prelude::*;

use super::buffers::{self, FlockBuffers};
use super::device::Gpu;
use super::options::EngineOptions;
use super::pass::{BIN, Extent, Occasion, Pass, Pipeline, START_MEMORY, Sizes};
use super::pipelines::{Compiled, Pipelines};
use super::row::{AgentBuffers, MEMORY_BYTES};
use super::shaders::Variant;
use super::snapshot::Transfer;
use super::sorted::sorted_agents;
use super::tables::{Contents, Tables};
use crate::engine::ids::Ids;
use crate::engine::{Change, EngineError};
use crate::model::behaviours::Uses;
use crate::model::grid::Grid;
use crate::model::scene::Scene;
use crate::model::state::FlockState;

/// Compiles and allocates for flocks.
pub struct Maker<'a> {
    /// The device.
    pub gpu: &'a Gpu,
    /// Knobs.
    pub options: &'a EngineOptions,
    /// What is compiled already.
    pub pipelines: &'a mut Pipelines,
}

/// What a scene and a number of agents ask of the device.
struct Plan {
    grid: Grid,
    variant: Variant,
    extent: Extent,
}

/// A flock on the device: pipelines for its scene, and its memory.
#[derive(Debug)]
pub struct DeviceFlock {
    /// What its passes are compiled for.
    pub variant: Variant,
    /// The passes of a tick.
    pub pipelines: Vec<Arc<Pipeline>>,
    /// Its buffers.
    pub memory: FlockBuffers,
    /// Those of each pass.
    pub bindings: Vec<wgpu::BindGroup>,
    /// How the shaders read what the host writes.
    pub tables: Arc<Tables>,
    /// As it is now, but for targets that move by themselves.
    pub scene: Scene,
    /// The agents as the host knows them.
    pub ids: Ids,
    /// Where a renderer finds them.
    pub agents: AgentBuffers,
    /// Ticks submitted.
    pub tick: u64,
    /// A copy on its way to the host.
    pub transfer: Option<Transfer>,
    grid: Grid,
}

impl Maker<'_> {
    fn fail(&self) -> impl Fn(String) -> EngineError + use<'_> {
        |message| self.gpu.error(message)
    }

    fn plan(&self, scene: &Scene, count: usize) -> Plan {
        let (gpu, options) = (self.gpu, self.options);
        let grid = scene.grid(count);
        let by_subgroup = gpu.has_subgroups_of_agents() && !options.without_subgroups;
        let unrolled = gpu.unrolls_loops() && !options.without_subgroups;
        let variant = Variant { unrolled, ..Variant::of(scene, &grid, by_subgroup) };
        let extent = Extent::of(count as u32, &grid, options.crowded_above);
        Plan { grid, variant, extent }
    }

    fn compile(&mut self, plan: &Plan) -> Result<Compiled, EngineError> {
        let EngineOptions { crowded_above, small_grid, .. } = *self.options;
        let occasion = Occasion::of(plan.variant.uses, plan.extent, crowded_above, small_grid);
        self.pipelines.tick(self.gpu, self.options, plan.variant, occasion)
    }

    /// Puts a new flock on the device. Returns the number of agents in its fullest cell too.
    pub fn load(
        &mut self,
        scene: &Scene,
        state: &FlockState,
    ) -> Result<(DeviceFlock, u32), EngineError> {
        buffers::check_count(&self.gpu.device.limits(), &self.gpu.info, state.len() as u64)?;
        let ids = Ids::of(&state.id)?;
        let plan = self.plan(scene, state.len());
        let Compiled { tick: pipelines, tables } = self.compile(&plan)?;
        let Plan { grid, variant, extent } = plan;
        let crowded_above = self.options.crowded_above;
        let contents = tables.contents(scene, &grid, extent.agents, crowded_above, state.tick);
        let contents = contents.map_err(self.fail())?;
        let memory = FlockBuffers::new(self.gpu, extent, &sizes(&contents, variant, extent))?;
        let sorted = sorted_agents(&grid, scene, state);
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
        };
        Ok((flock, largest_cell))
    }

    /// Takes over the parts of `scene` that change.
    pub fn update(
        &mut self,
        flock: &mut DeviceFlock,
        scene: &Scene,
        change: Change,
    ) -> Result<(), EngineError> {
        let mut before = change.parts_of(scene);
        change.swap(&mut flock.scene, &mut before);
        let remade = change.remakes_scenery(&before, &flock.scene);
        let done = self.adopt(flock, change, remade);
        if done.is_err() {
            change.swap(&mut flock.scene, &mut before);
        }
        done
    }

    /// Brings the device up to date with the scene of `flock`, of which parts have changed; `remade`
    /// says whether the scenery has.
    fn adopt(
        &mut self,
        flock: &mut DeviceFlock,
        change: Change,
        remade: bool,
    ) -> Result<(), EngineError> {
        let (gpu, crowded_above) = (self.gpu, self.options.crowded_above);
        let count = flock.memory.extent.agents;
        let plan = self.plan(&flock.scene, count as usize);
        let Compiled { tick: pipelines, tables } = self.compile(&plan)?;
        let scene = &flock.scene;
        let mut contents = Vec::new();
        let whole = remade || !Arc::ptr_eq(&tables, &flock.tables);
        if whole {
            let made = tables.species_and_scenery(scene, flock.tick);
            contents = made.map_err(self.fail())?;
        }
        let uniform = tables.flock(scene, &plan.grid, count, crowded_above);
        contents.push(("flock", uniform.map_err(self.fail())?));
        let all_targets = change.has(Change::TARGETS) || !tables.reads_targets_as(&flock.tables);
        if all_targets {
            contents.push(("targets", tables.targets(&scene.targets).map_err(self.fail())?));
        }
        let species = tables.species(scene, flock.tick).map_err(self.fail())?;
        let starts_memory =
            plan.variant.uses.has(Uses::MEMORY) && !flock.variant.uses.has(Uses::MEMORY);
        let sizes = sizes(&contents, plan.variant, plan.extent);
        // From here on nothing fails but a defect.
        let moved = flock.memory.fit(gpu, plan.extent, &sizes)?;
        let rebound = moved || !same(&pipelines, &flock.pipelines);
        if rebound {
            flock.bindings = bind(gpu, &pipelines, &flock.memory)?;
        }
        flock.pipelines = pipelines;
        (flock.variant, flock.tables) = (plan.variant, tables);
        for (name, bytes) in &contents {
            flock.memory.write(gpu, name, bytes);
        }
        if !whole {
            let offset = flock.tables.species_offset(flock.tick);
            flock.memory.write_at(gpu, "tables", offset, &species);
        }
        if !all_targets {
            for index in change.single_targets() {
                let target = flock.scene.targets.get(index);
                let fields = target.map_or_else(Vec::new, |one| flock.tables.target(index, one));
                for (offset, bytes) in fields {
                    flock.memory.write_at(gpu, "targets", offset, &bytes);
                }
            }
        }
        if let Some(agents) = agents_in(&flock.memory, flock.variant) {
            flock.agents = agents;
        }
        if starts_memory {
            self.run(flock, START_MEMORY, false)?;
        }
        if plan.grid != flock.grid {
            flock.grid = plan.grid;
            self.run(flock, BIN, true)?;
        }
        gpu.check()
    }

    /// Submits a pass between two ticks, and behind it those that sort if they are wanted.
    fn run(&mut self, flock: &DeviceFlock, pass: Pass, sorts: bool) -> Result<(), EngineError> {
        // Of the scene these passes need to know nothing but whether there is a memory.
        let uses = flock.variant.uses.and(Uses::MEMORY);
        let variant = Variant { uses, ..Variant::of_drawing(false) };
        let pipeline = self.pipelines.one(self.gpu, self.options, variant, pass)?;
        let bindings = pipeline.bind(self.gpu, &flock.memory)?;
        let sizes = flock.sizes(self.gpu, self.options)?;
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        {
            let mut compute = encoder.begin_compute_pass(&Default::default());
            pipeline.dispatch(&mut compute, &bindings, sizes, 0);
            for (pipeline, bindings) in flock.pipelines.iter().zip(&flock.bindings) {
                if sorts && pipeline.pass.sorts() {
                    pipeline.dispatch(&mut compute, bindings, sizes, 0);
                }
            }
        }
        self.gpu.queue.submit([encoder.finish()]);
        Ok(())
    }
}

impl DeviceFlock {
    /// How large its dispatches are.
    pub fn sizes<'a>(
        &'a self,
        gpu: &Gpu,
        options: &EngineOptions,
    ) -> Result<Sizes<'a>, EngineError> {
        let named = |name: &str| {
            self.memory.whole(name).ok_or_else(|| gpu.error(format!("no buffer `{name}`")))
        };
        let (grid_stats, scattered) = (named(buffers::GRID_STATS)?, named(buffers::SCATTERED)?);
        let device = gpu.device.limits().max_compute_workgroups_per_dimension;
        let limit = options.dispatch_limit.map_or(device, |limit| limit.min(device));
        let clock_stride = buffers::clock_stride(&gpu.device.limits());
        Ok(Sizes { extent: self.memory.extent, grid_stats, scattered, limit, clock_stride })
    }
}

/// Bytes of the buffers that the scene decides.
fn sizes(contents: &Contents, variant: Variant, extent: Extent) -> Vec<(&'static str, u64)> {
    let mut sizes: Vec<(&str, u64)> =
        contents.iter().map(|(name, bytes)| (*name, bytes.len() as u64)).collect();
    if variant.uses.has(Uses::MEMORY) {
        sizes.push(("memory", u64::from(extent.agents) * MEMORY_BYTES));
    }
    sizes
}

/// Where a renderer finds the agents.
fn agents_in(memory: &FlockBuffers, variant: Variant) -> Option<AgentBuffers> {
    let buffer = |name: &str| memory.whole(name).cloned();
    Some(AgentBuffers {
        state: buffer("state")?,
        tag: buffer("tag")?,
        memory: buffer("memory").filter(|_| variant.uses.has(Uses::MEMORY)),
        count: memory.extent.agents,
        grid_stats: buffer(buffers::GRID_STATS)?,
    })
}

fn bind(
    gpu: &Gpu,
    pipelines: &[Arc<Pipeline>],
    memory: &FlockBuffers,
) -> Result<Vec<wgpu::BindGroup>, EngineError> {
    pipelines.iter().map(|pipeline| pipeline.bind(gpu, memory)).collect()
}

/// True when two ticks have the same passes.
fn same(one: &[Arc<Pipeline>], other: &[Arc<Pipeline>]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| Arc::ptr_eq(a, b))
}
