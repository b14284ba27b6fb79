//! The buffers of a flock: their sizes, whether they fit the device, and their content.

use std::collections::BTreeMap;
use std::ops::Range;

use super::device::{self, AdapterChoice, Gpu};
use super::extent::{CELLS_PER_BLOCK, Extent};
use super::readback::Part;
use super::row::{MAX_DEVICE_AGENTS, MotionLayout, TAG_BYTES};
use crate::EngineError;

/// Cells with more members are sorted by `sort_crowds` or `sort_scattered`: on the machines
/// measured, ranking by counting costs more than sorting from there on.
pub const CROWDED_ABOVE: u32 = 1024;

/// Bytes of all buffers per agent, and per cell.
#[must_use]
pub const fn bytes(layout: MotionLayout) -> [u64; 2] {
    [32 + 2 * layout.bytes(), 12]
}

/// The buffers' names in the shaders.
pub const NAMES: [&str; 21] = [
    "flock",
    "targets",
    "clock",
    "tables",
    "state",
    "tag",
    "cell_start",
    "next_state",
    "binned",
    "cell_count",
    "blocks",
    "grid_stats",
    "crowded",
    "scattered",
    "index",
    "id",
    "memory",
    "path_index",
    "obstacle_index",
    "flow_index",
    "edit",
];

/// The largest number of storage buffers that a pass binds: every device with WebGPU's default limits has as
/// many.
pub const MAX_STORAGE_BUFFERS: u32 = 8;

/// The largest number of ticks in a submission.
pub const MAX_TICKS_PER_SUBMISSION: u32 = 64;

/// Holds the number of each tick of a submission, one per aligned dynamic offset.
pub const CLOCK: &str = "clock";
/// Bytes of `clock` that a tick reads.
pub const CLOCK_BYTES: u64 = 16;

/// Bytes of the hits of targets, one bit each, at the beginning of `cell_count`.
pub const HITS_BYTES: u64 = 8;

/// Bytes of `cell_count` before the counts of the cells: the hits, and the forces that were no numbers.
pub const COUNTS_AT: u64 = HITS_BYTES + 8;
/// The bits of the rules in text whose forces were no numbers, behind the number of these forces.
pub const BROKEN_RULES_AT: u64 = HITS_BYTES + 4;

/// Holds the size of the dispatch of `sort_crowds`.
pub const GRID_STATS: &str = "grid_stats";

/// Holds the size of the dispatch of `sort_scattered`.
pub const SCATTERED: &str = "scattered";

/// Buffers that shaders read as uniforms.
const UNIFORMS: [&str; 6] =
    ["flock", "targets", CLOCK, "path_index", "obstacle_index", "flow_index"];

/// A buffer. Its first `len` bytes are in use; the rest is spare, for a larger flock or grid.
#[derive(Debug)]
struct Allocation {
    buffer: wgpu::Buffer,
    len: u64,
}

/// Buffers of one flock on one device.
#[derive(Debug)]
pub struct FlockBuffers {
    /// Numbers of agents and cells that the buffers hold.
    pub extent: Extent,
    /// For each of [`NAMES`].
    allocations: BTreeMap<&'static str, Allocation>,
}

/// The largest count with this layout that fits `limits`, and the limit that sets it.
#[must_use]
pub fn largest_count(limits: &wgpu::Limits, layout: MotionLayout) -> (u64, String) {
    let binding = limits.max_storage_buffer_binding_size;
    let (bytes, limit) = if binding <= limits.max_buffer_size {
        (binding, "max_storage_buffer_binding_size")
    } else {
        (limits.max_buffer_size, "max_buffer_size")
    };
    let each = layout.bytes();
    let count = bytes / each;
    if count >= MAX_DEVICE_AGENTS {
        (MAX_DEVICE_AGENTS, format!("an agent's id of 27 bits ({MAX_DEVICE_AGENTS})"))
    } else {
        (count, format!("{limit} of {bytes} bytes at {each} an agent"))
    }
}

/// Fails if a flock does not fit the device. Allocates nothing.
pub fn check_count(gpu: &Gpu, layout: MotionLayout, count: u64) -> Result<(), EngineError> {
    check_limits(&gpu.device.limits(), &gpu.info, layout, count)
}

fn check_limits(
    limits: &wgpu::Limits,
    info: &wgpu::AdapterInfo,
    layout: MotionLayout,
    count: u64,
) -> Result<(), EngineError> {
    let (largest, limit) = largest_count(limits, layout);
    if count > largest {
        let adapter = device::describe(info);
        return Err(EngineError::TooMany { count, adapter, limit, largest });
    }
    Ok(())
}

/// Fails if a flock does not fit the chosen adapter. Opens no device. Without adapters it succeeds:
/// the error comes when one is opened.
pub fn check_count_for(
    choice: &AdapterChoice,
    layout: MotionLayout,
    count: u64,
) -> Result<(), EngineError> {
    match device::choose(choice, device::adapters(&device::instance())) {
        Ok(adapter) => check_limits(&adapter.limits(), &adapter.get_info(), layout, count),
        Err(_) => Ok(()),
    }
}

/// Bytes of a buffer that grows with the flock or its grid; `None` if its size depends on the
/// scene.
fn flock_bytes(name: &str, extent: &Extent) -> Option<u64> {
    let [agents, cells, crowds] = [extent.agents, extent.cells, extent.crowds].map(u64::from);
    Some(match name {
        "state" | "next_state" => agents * extent.layout.bytes(),
        "tag" => agents * TAG_BYTES,
        "binned" => agents * 16,
        "index" | "id" => agents * 4,
        "cell_start" => (cells + u64::from(extent.ghost_cells) + 1) * 4,
        "cell_count" => COUNTS_AT + cells * 4,
        "blocks" => cells.div_ceil(u64::from(CELLS_PER_BLOCK)) * 4,
        "crowded" => crowds * 4,
        "grid_stats" => 20,
        "scattered" => 12,
        _ => return None,
    })
}

/// Bytes between the numbers of two consecutive ticks.
#[must_use]
pub fn clock_stride(limits: &wgpu::Limits) -> u64 {
    u64::from(limits.min_uniform_buffer_offset_alignment).max(CLOCK_BYTES)
}

/// Bytes of the buffer `name`. `sizes` gives those that depend on the scene; 0 if neither `sizes`
/// nor the extent gives a size.
fn bytes_of(name: &str, extent: &Extent, sizes: &[(&'static str, u64)], gpu: &Gpu) -> u64 {
    match sizes.iter().find(|(known, _)| *known == name) {
        Some((_, size)) => *size,
        None if name == CLOCK => {
            u64::from(MAX_TICKS_PER_SUBMISSION) * clock_stride(&gpu.device.limits())
        }
        None => flock_bytes(name, extent).unwrap_or(0),
    }
}

/// Bytes to allocate for `bytes` of content. An unused buffer has the longest row of a shader, because
/// a binding cannot be shorter. (Passes take their counts from the lengths of the other buffers.)
fn allocated(bytes: u64, layout: MotionLayout) -> u64 {
    if bytes > 0 { bytes } else { layout.bytes() }
}

/// Buffers that keep their content when they grow: the sorted agents, and the count of broken forces …
const KEPT: [&str; 5] = ["state", "tag", "memory", "cell_start", "cell_count"];

/// … and those on their way into the next tick, which a slab meets when it grows for new ones.
const KEPT_IN_SLABS: [&str; 2] = ["next_state", "binned"];

fn create(gpu: &Gpu, name: &'static str, size: u64) -> wgpu::Buffer {
    let mut kind = wgpu::BufferUsages::STORAGE;
    if UNIFORMS.contains(&name) {
        // `targets` is both: shaders read it as a uniform, and one pass moves the targets.
        kind |= wgpu::BufferUsages::UNIFORM;
    }
    if [GRID_STATS, SCATTERED].contains(&name) {
        kind |= wgpu::BufferUsages::INDIRECT;
    }
    gpu.count_buffer();
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(name),
        size,
        usage: kind | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    })
}

impl FlockBuffers {
    /// Allocates the buffers of `extent`. `sizes` gives those that depend on the scene; all others
    /// have the smallest size.
    pub fn new(
        gpu: &Gpu,
        extent: Extent,
        sizes: &[(&'static str, u64)],
    ) -> Result<Self, EngineError> {
        check_count(gpu, extent.layout, extent.agents.into())?;
        check_bindings(gpu, &extent, sizes)?;
        let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let allocation = |name| {
            let len = allocated(bytes_of(name, &extent, sizes, gpu), extent.layout);
            (name, Allocation { buffer: create(gpu, name, len), len })
        };
        let allocations = NAMES.into_iter().map(allocation).collect();
        refuse_if_full(gpu, scope, &extent, sizes)?;
        Ok(Self { extent, allocations })
    }

    /// Resizes the buffers for `extent` and `sizes`; those that depend on neither keep their size.
    /// The agents' own values stay, and so does the content of every buffer that is large enough
    /// already. Returns true if the part in use of any buffer has changed, so that passes must bind
    /// again. If this fails, nothing has changed.
    pub fn fit(
        &mut self,
        gpu: &Gpu,
        extent: Extent,
        sizes: &[(&'static str, u64)],
    ) -> Result<bool, EngineError> {
        let wanted = |name: &str, own: &Allocation| {
            let by_scene = sizes.iter().any(|(known, _)| *known == name);
            let stays = !by_scene && flock_bytes(name, &extent).is_none();
            let bytes = if stays { own.len } else { bytes_of(name, &extent, sizes, gpu) };
            allocated(bytes, extent.layout)
        };
        let changes = self.allocations.iter().any(|(name, own)| wanted(name, own) != own.len);
        if changes {
            check_count(gpu, extent.layout, extent.agents.into())?;
            check_bindings(gpu, &extent, sizes)?;
        }
        let mut grown = Vec::new();
        if self.allocations.iter().any(|(name, own)| wanted(name, own) > own.buffer.size()) {
            // Sizes of buffers are multiples of four bytes; the limit need not be one.
            let most = gpu.device.limits().max_buffer_size & !3;
            let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
            for (name, own) in &self.allocations {
                let bytes = wanted(name, own);
                if bytes > own.buffer.size() {
                    // Half as much again, so that a growing flock allocates rarely. The extent of a
                    // slab has its spare already.
                    let spare = if extent.is_slab() { 0 } else { bytes / 2 };
                    let spare = spare.min(most.saturating_sub(bytes));
                    let size = (bytes + spare).next_multiple_of(4);
                    grown.push((*name, create(gpu, name, size)));
                }
            }
            refuse_if_full(gpu, scope, &extent, sizes)?;
        }
        let copies = !grown.is_empty();
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        for (name, buffer) in grown {
            let own = &self.allocations[name];
            let len = own.len;
            let in_slab = extent.is_slab() && KEPT_IN_SLABS.contains(&name);
            if in_slab || KEPT.contains(&name) {
                encoder.copy_buffer_to_buffer(&own.buffer, 0, &buffer, 0, len);
            }
            self.allocations.insert(name, Allocation { buffer, len });
        }
        if copies {
            gpu.queue.submit([encoder.finish()]);
        }
        for (name, own) in &mut self.allocations {
            own.len = wanted(name, own);
        }
        self.extent = extent;
        Ok(changes)
    }

    /// The buffer of this name, one of [`NAMES`], with its spare bytes.
    pub fn buffer(&self, name: &str) -> &wgpu::Buffer {
        &self.allocations[name].buffer
    }

    /// Bytes in use of the buffer of this name, one of [`NAMES`].
    pub fn len(&self, name: &str) -> u64 {
        self.allocations[name].len
    }

    /// Some bytes of the buffer of this name, to be read.
    pub fn part(&self, name: &str, bytes: Range<u64>) -> Part {
        (self.buffer(name).clone(), bytes.start, bytes.end - bytes.start)
    }

    /// The part in use of the buffer of this name, to be bound; `None` if no buffer has this name.
    pub fn binding(&self, name: &str) -> Option<wgpu::BufferBinding<'_>> {
        let own = self.allocations.get(name)?;
        let size = wgpu::BufferSize::new(own.len);
        Some(wgpu::BufferBinding { buffer: &own.buffer, offset: 0, size })
    }

    /// Goes on counting broken forces where the buffers of another flock have stopped.
    pub fn keep_count(&self, gpu: &Gpu, before: &Self) {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let [from, to] = [before, self].map(|buffers| buffers.buffer("cell_count"));
        encoder.copy_buffer_to_buffer(from, HITS_BYTES, to, HITS_BYTES, COUNTS_AT - HITS_BYTES);
        gpu.queue.submit([encoder.finish()]);
    }

    /// Replaces the content of a buffer from its start.
    pub fn write(&self, gpu: &Gpu, name: &str, bytes: &[u8]) {
        self.write_at(gpu, name, 0, bytes);
    }

    /// Replaces the content of a buffer from byte `offset` on.
    pub fn write_at(&self, gpu: &Gpu, name: &str, offset: u64, bytes: &[u8]) {
        gpu.queue.write_buffer(self.buffer(name), offset, bytes);
    }
}

/// Fails if a buffer whose size does not follow from the number of agents is longer than a shader may bind.
fn check_bindings(
    gpu: &Gpu,
    extent: &Extent,
    sizes: &[(&'static str, u64)],
) -> Result<(), EngineError> {
    let most = gpu.device.limits().max_storage_buffer_binding_size;
    let refuse = |thing: &str, bytes: u64, remedy: &str| {
        Err(gpu.error(format!(
            "{thing} takes {bytes} bytes, and max_storage_buffer_binding_size allows {most}; {remedy}, or use \
             --engine cpu"
        )))
    };
    let tables = bytes_of("tables", extent, sizes, gpu);
    if tables > most {
        return refuse("the scenery", tables, "have fewer obstacles or a coarser flow");
    }
    // A slab may have many cells without an agent.
    let cells = ["cell_start", "cell_count"].map(|name| bytes_of(name, extent, sizes, gpu));
    let cells = cells[0].max(cells[1]);
    if cells > most {
        return refuse("the grid", cells, "have a smaller world, larger radii or more ranks");
    }
    Ok(())
}

/// Fails if the device had no memory for the buffers created in `scope`. If a device reports this
/// later, it arrives like any other error.
fn refuse_if_full(
    gpu: &Gpu,
    scope: wgpu::ErrorScopeGuard,
    extent: &Extent,
    sizes: &[(&'static str, u64)],
) -> Result<(), EngineError> {
    if device::at_once(scope.pop()).flatten().is_none() {
        return Ok(());
    }
    let bytes: u64 = NAMES.into_iter().map(|name| bytes_of(name, extent, sizes, gpu)).sum();
    Err(gpu.error(format!(
        "not enough memory for {} agents (about {} MiB); lower --count",
        extent.agents,
        bytes >> 20
    )))
}

#[cfg(test)]
mod tests {
    use super::super::row::MEMORY_BYTES;
    use super::*;

    #[test]
    fn an_agent_takes_64_bytes_or_96_in_space_and_a_cell_12() {
        assert_eq!(bytes(MotionLayout::PLANE), [64, 12]);
        assert_eq!(bytes(MotionLayout::SPACE), [96, 12]);
        // Ten neighbours per agent are 3.2 agents per cell; a hundred are 32.
        let flocks = [(10_000, 3_142), (200_000, 62_832), (8_388_608, 263_544)];
        let layouts = [MotionLayout::PLANE, MotionLayout::SPACE];
        let all = layouts.into_iter().flat_map(|layout| flocks.map(|flock| (layout, flock)));
        for (layout, (agents, cells)) in all {
            let crowds = agents / CROWDED_ABOVE;
            let extent = Extent { layout, agents, ids: agents, cells, crowds, ghost_cells: 0 };
            // The buffer `memory` depends on the scene: one word per agent.
            let all = NAMES.into_iter().filter_map(|name| flock_bytes(name, &extent)).sum::<u64>()
                + MEMORY_BYTES * u64::from(agents);
            let [agent, cell] = bytes(layout);
            let budget = agent * u64::from(agents) + cell * u64::from(cells);
            assert!(all <= budget && all > budget * 9 / 10, "{all}, not {budget}");
        }
    }
}
