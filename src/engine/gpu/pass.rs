//! The passes of a tick: how each is compiled, bound and dispatched.

use std::sync::Arc;

use super::buffers::{CLOCK, CLOCK_BYTES, FlockBuffers};
use super::device::Gpu;
use super::extent::{CELLS_PER_BLOCK, Extent};
use super::reflect::{self, Binding};
use crate::EngineError;
use flockwork_model::behaviours::Uses;

/// The unit of a pass's invocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// One invocation per agent; workgroups of 64.
    Agent,
    /// One workgroup per block of cells: see [`CELLS_PER_BLOCK`].
    Block,
    /// One workgroup per crowded cell; the scan of the cells counts them.
    Crowd,
    /// One workgroup per crowded cell whose ids may be far apart; `sort_crowds` counts them.
    ScatteredCrowd,
    /// One workgroup for the whole flock.
    Flock,
}

/// A pass: the shader file `shaders/NAME.wgsl` with the entry point NAME.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// The name of the file, the entry point, the label and the row in every table.
    pub name: &'static str,
    /// The unit of work of its invocations.
    pub per: Per,
    /// The ticks that run it.
    pub runs_in: RunsIn,
}

/// The ticks that run a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunsIn {
    /// All ticks.
    Always,
    /// Ticks of scenes with these uses.
    With(Uses),
    /// Ticks on a grid that one workgroup can scan.
    SmallGrid,
    /// Ticks on a larger grid.
    LargeGrid,
    /// Ticks of flocks with so many ids that a crowd's bitmap may be too small for them.
    Scatters,
    /// No tick: the pass runs between two ticks, after an edit.
    Edited,
    /// Ticks of one of several processes, when agents change the process.
    Slabs,
}

/// The features that decide which passes the ticks of a flock run.
#[derive(Clone, Copy, Debug)]
pub struct TickKind {
    /// The uses of the scene.
    pub uses: Uses,
    /// True if one workgroup scans the grid.
    pub small_grid: bool,
    /// See [`RunsIn::Scatters`].
    pub scatters: bool,
}

impl TickKind {
    /// The ticks of a flock of this `extent`. Cells with more than `crowded_above` members are crowded; grids
    /// of up to `small_grid` blocks are small.
    #[must_use]
    pub fn of(uses: Uses, extent: Extent, crowded_above: u32, small_grid: u32) -> Self {
        let all_ids = u64::from(extent.ids.div_ceil(32));
        Self {
            uses,
            small_grid: extent.cells <= small_grid * CELLS_PER_BLOCK,
            scatters: all_ids > u64::from(BITMAP_WORDS) * (u64::from(crowded_above) + 1),
        }
    }
}

impl RunsIn {
    /// True if ticks of `kind` run the pass.
    #[must_use]
    pub fn includes(self, kind: TickKind) -> bool {
        match self {
            Self::Always => true,
            Self::With(uses) => kind.uses.has(uses),
            Self::SmallGrid => kind.small_grid,
            Self::LargeGrid => !kind.small_grid,
            Self::Scatters => kind.scatters,
            Self::Edited | Self::Slabs => false,
        }
    }
}

impl Pass {
    const fn of(name: &'static str, per: Per, runs_in: RunsIn) -> Self {
        Self { name, per, runs_in }
    }

    /// True for the sorting passes, which follow once each agent has a slot in a cell.
    #[must_use]
    pub fn sorts(self) -> bool {
        let place = |name| TICK.iter().position(|pass| pass.name == name);
        place(self.name) > place("move_targets")
    }
}

/// A tick, pass by pass.
pub const TICK: [Pass; 10] = [
    // Sums over everybody that all agents share.
    Pass::of("add_up", Per::Flock, RunsIn::With(Uses::SHARED)),
    // Neighbours, forces, motion; each agent takes a slot in its new cell.
    Pass::of("steer", Per::Agent, RunsIn::Always),
    // Targets move; those that were hit jump elsewhere.
    Pass::of("move_targets", Per::Flock, RunsIn::With(Uses::MOVING_TARGETS)),
    // Prefix sum over the cells: the number of agents before each cell.
    Pass::of("scan_small", Per::Flock, RunsIn::SmallGrid),
    Pass::of("scan_reduce", Per::Block, RunsIn::LargeGrid),
    Pass::of("scan_downsweep", Per::Block, RunsIn::LargeGrid),
    // Each slot gets its agent, in racing order within a cell.
    Pass::of("place", Per::Agent, RunsIn::Always),
    // Members are sorted by id in crowded cells …
    Pass::of("sort_crowds", Per::Crowd, RunsIn::Always),
    Pass::of("sort_scattered", Per::ScatteredCrowd, RunsIn::Scatters),
    // … and in all others, while the state moves to its new order.
    Pass::of("reorder", Per::Agent, RunsIn::Always),
];

/// Gives each agent a slot in its cell without moving it. The sorting passes follow.
pub const BIN: Pass = Pass::of("bin", Per::Agent, RunsIn::Edited);
/// Gives the agents a fresh memory.
pub const START_MEMORY: Pass = Pass::of("start_memory", Per::Agent, RunsIn::Edited);
/// Collects the agents that have left the slab of a process.
pub const EXPORT_AGENTS: Pass = Pass::of("export_agents", Per::Agent, RunsIn::Slabs);
/// Gives agents that have come from other processes slots in their cells.
pub const IMPORT_AGENTS: Pass = Pass::of("import_agents", Per::Agent, RunsIn::Slabs);
/// The passes that only one of several processes runs.
pub const IN_SLABS: [Pass; 2] = [EXPORT_AGENTS, IMPORT_AGENTS];
/// The passes that run between two ticks.
pub const BETWEEN_TICKS: [Pass; 2] = [BIN, START_MEMORY];

/// Agents per workgroup of a pass over agents.
pub const AGENTS_PER_WORKGROUP: u32 = 64;
/// The largest grid that one workgroup scans; blocks. On a driver that computes on the CPU a
/// dispatch costs as much as four blocks.
#[must_use]
pub fn small_grid(is_software: bool) -> u32 {
    if is_software { 4 } else { 1 }
}

/// Words of a crowded cell's bitmap per member, 32 ids each. The bitmap uses the space of the
/// members' states, four words per member; each of its words takes two.
pub const BITMAP_WORDS: u32 = 2;
const _: () = assert!(2 * BITMAP_WORDS <= 4);

/// Offset in `grid_stats` of the number of workgroups of [`Per::Crowd`]; bytes.
const CROWDS_AT: u64 = 4;

/// Sizes of the dispatches.
#[derive(Clone, Copy, Debug)]
pub struct Sizes<'a> {
    /// Sets the sizes that the host knows.
    pub extent: Extent,
    /// Holds the size of dispatches per crowd, which the device counts.
    pub grid_stats: &'a wgpu::Buffer,
    /// Holds the size of dispatches per scattered crowd.
    pub scattered: &'a wgpu::Buffer,
    /// The most workgroups in a row.
    pub limit: u32,
    /// Bytes between the numbers of two consecutive ticks.
    pub clock_stride: u64,
}

impl Per {
    /// True if only the device knows the number of workgroups.
    #[must_use]
    pub fn is_counted_by_the_device(self) -> bool {
        matches!(self, Self::Crowd | Self::ScatteredCrowd)
    }
}

/// A dispatch of at least `workgroups` workgroups; two-dimensional if one row would exceed `limit`.
#[must_use]
pub fn dispatch_size(workgroups: u32, limit: u32) -> (u32, u32) {
    if workgroups <= limit {
        return (workgroups, 1);
    }
    let rows = workgroups.div_ceil(limit);
    (workgroups.div_ceil(rows), rows)
}

/// A compiled pass. It is independent of the flock: one pipeline serves any count.
#[derive(Debug)]
pub struct Pipeline {
    /// The pass.
    pub pass: Pass,
    /// The text of the shader.
    pub wgsl: String,
    /// The parsed shader, for its layouts.
    pub module: naga::Module,
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    bindings: Vec<Binding>,
}

/// A compiled pass with the buffers of a flock.
#[derive(Debug)]
pub struct BoundPass {
    /// The compiled pass.
    pub pipeline: Arc<Pipeline>,
    group: wgpu::BindGroup,
}

impl Pipeline {
    /// Compiles the shader of `pass`, a text and the same parsed. `checked` keeps the device's bounds checks
    /// and loop counters.
    pub fn new(
        gpu: &Gpu,
        pass: Pass,
        (wgsl, module): (String, naga::Module),
        checked: bool,
    ) -> Result<Self, EngineError> {
        gpu.count_pipeline();
        let bindings = reflect::bindings(&module)
            .map_err(|message| gpu.error(format!("shader `{}`: {message}", pass.name)))?;
        let descriptor = wgpu::ShaderModuleDescriptor {
            label: Some(pass.name),
            source: wgpu::ShaderSource::Wgsl(wgsl.as_str().into()),
        };
        let shader = if checked {
            gpu.device.create_shader_module(descriptor)
        } else {
            #[expect(unsafe_code, reason = "wgpu's loop counters and bounds checks cost a third")]
            // SAFETY: every index is clamped to its buffer and every loop is bounded by the number
            // of agents or cells, whatever the buffers hold; the tests run with checks on.
            unsafe {
                let checks = wgpu::ShaderRuntimeChecks::unchecked();
                gpu.device.create_shader_module_trusted(descriptor, checks)
            }
        };
        let layout = reflect::group_layout(gpu, pass.name, &bindings);
        let pipeline_layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(pass.name),
            bind_group_layouts: &[Some(&layout)],
            ..Default::default()
        });
        let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(pass.name),
            layout: Some(&pipeline_layout),
            module: &shader,
            entry_point: Some(pass.name),
            compilation_options: wgpu::PipelineCompilationOptions {
                // The scans need zeros in workgroup memory. The crowds write before they read, and
                // clearing their tables would be most of their cost if there is no crowd.
                zero_initialize_workgroup_memory: !pass.per.is_counted_by_the_device(),
                ..Default::default()
            },
            cache: None,
        });
        Ok(Self { pass, wgsl, module, pipeline, layout, bindings })
    }

    /// Binds the buffers that the shader names.
    pub fn bind(
        self: Arc<Self>,
        gpu: &Gpu,
        buffers: &FlockBuffers,
    ) -> Result<BoundPass, EngineError> {
        let mut entries = Vec::new();
        for binding in &self.bindings {
            let mut part = buffers.binding(&binding.name).ok_or_else(|| {
                gpu.error(format!("shader `{}`: no buffer `{}`", self.pass.name, binding.name))
            })?;
            if binding.name == CLOCK {
                part.size = std::num::NonZero::new(CLOCK_BYTES);
            }
            let resource = wgpu::BindingResource::Buffer(part);
            entries.push(wgpu::BindGroupEntry { binding: binding.index, resource });
        }
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(self.pass.name),
            layout: &self.layout,
            entries: &entries,
        });
        Ok(BoundPass { pipeline: self, group })
    }
}

impl BoundPass {
    /// The pass.
    #[must_use]
    pub fn pass(&self) -> Pass {
        self.pipeline.pass
    }

    /// Records the dispatch for tick number `nth` of a submission.
    pub fn dispatch(&self, compute: &mut wgpu::ComputePass, sizes: Sizes<'_>, nth: u32) {
        let Sizes { extent, grid_stats, scattered, limit, clock_stride } = sizes;
        let Pipeline { pass, pipeline, bindings, .. } = &*self.pipeline;
        compute.set_pipeline(pipeline);
        let offset = [nth * clock_stride as u32];
        let reads_clock = bindings.iter().any(|binding| binding.name == CLOCK);
        compute.set_bind_group(0, &self.group, if reads_clock { &offset } else { &[] });
        let workgroups = match pass.per {
            Per::Agent => extent.agents.div_ceil(AGENTS_PER_WORKGROUP),
            Per::Block => extent.cells.div_ceil(CELLS_PER_BLOCK),
            Per::Flock => 1,
            Per::Crowd => return compute.dispatch_workgroups_indirect(grid_stats, CROWDS_AT),
            Per::ScatteredCrowd => return compute.dispatch_workgroups_indirect(scattered, 0),
        };
        let (x, y) = dispatch_size(workgroups, limit);
        compute.dispatch_workgroups(x, y, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::row::MotionLayout;

    #[test]
    fn a_crowd_scatters_only_where_one_bitmap_cannot_hold_all_ids() {
        // Crowds of three have bitmaps of 6 words and crowds of 1,025 have 2,050, at 32 ids per
        // word.
        for (ids, crowded_above, scatters) in
            [(192, 2, false), (193, 2, true), (65_600, 1024, false), (65_601, 1024, true)]
        {
            let layout = MotionLayout::PLANE;
            let extent = Extent { layout, agents: 5, ids, cells: 1, crowds: 1, ghost_cells: 0 };
            let kind = TickKind::of(Uses::default(), extent, crowded_above, 1);
            assert_eq!(kind.scatters, scatters, "{ids} ids");
        }
    }

    #[test]
    fn a_large_dispatch_covers_every_workgroup_and_wastes_less_than_a_row() {
        for workgroups in [1, 65_535, 65_536, 65_537, 1_000_000, 2_100_000] {
            let (x, y) = dispatch_size(workgroups, 65_535);
            assert!(x <= 65_535 && y <= 65_535 && x * y >= workgroups && x * y - workgroups < y);
        }
    }
}
