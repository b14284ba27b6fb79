//! The buffers of a flock: how large they are, whether they fit, and what is first in them.

use super::device::{self, Gpu};
use super::pass::{Buffers, CELLS_PER_BLOCK, Extent};
use super::profiler::MEASURED_TICKS;
use crate::engine::EngineError;
use crate::model::scene::MAX_AGENTS;

/// Members above which a cell is sorted by `sort_crowds` or `sort_scattered`: as many as make the rank
/// by counting dearer than the sort on the machines measured.
pub const CROWDED_ABOVE: u32 = 1024;

/// Bytes of the largest buffer for each agent: the state, a vec4 of f32.
const STATE_BYTES: u64 = 16;

/// Bytes of all buffers for each agent, and for each cell.
pub const BYTES: [u64; 2] = [64, 12];

/// Bytes of a buffer that holds nothing: no binding is empty. (Passes count by the lengths of the
/// others.)
const UNUSED_BYTES: u64 = 16;

/// Names of the buffers, as the shaders know them.
pub const NAMES: [&str; 20] = [
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
    "scratch",
    "memory",
    "path_index",
    "obstacle_index",
    "flow_index",
];

/// Most storage buffers that a pass binds: as many as every device with WebGPU's default limits has.
pub const MOST_STORAGE_BUFFERS: u32 = 8;

/// The one that holds the number of each tick submitted at once, at the device's distance for dynamic
/// offsets.
pub const CLOCK: &str = "clock";
/// Bytes of it that a tick reads.
pub const CLOCK_BYTES: u64 = 16;

/// Bytes of the hits of targets, a bit each, before the counts in `cell_count`.
pub const HITS_BYTES: u64 = 8;

/// The one that holds the size of the dispatch of `sort_crowds`.
pub const GRID_STATS: &str = "grid_stats";

/// The one that holds the size of the dispatch of `sort_scattered`.
pub const SCATTERED: &str = "scattered";

/// Those that shaders read as uniforms.
const UNIFORMS: [&str; 6] =
    ["flock", "targets", CLOCK, "path_index", "obstacle_index", "flow_index"];

/// Buffers of one flock on one device.
#[derive(Debug)]
pub struct FlockBuffers {
    /// What the buffers hold.
    pub extent: Extent,
    buffers: Vec<(&'static str, wgpu::Buffer)>,
}

/// The largest count that fits `limits`, and the limit that it meets.
#[must_use]
pub fn largest_count(limits: &wgpu::Limits) -> (u64, String) {
    let binding = limits.max_storage_buffer_binding_size;
    let (bytes, limit) = if binding <= limits.max_buffer_size {
        (binding, "max_storage_buffer_binding_size")
    } else {
        (limits.max_buffer_size, "max_buffer_size")
    };
    let count = bytes / STATE_BYTES;
    if count >= MAX_AGENTS {
        (MAX_AGENTS, format!("an agent's id of 27 bits ({MAX_AGENTS})"))
    } else {
        (count, format!("{limit} of {bytes} bytes at {STATE_BYTES} an agent"))
    }
}

/// Refuses a flock that does not fit an adapter, before anything is allocated.
pub fn check_count(
    limits: &wgpu::Limits,
    info: &wgpu::AdapterInfo,
    count: u64,
) -> Result<(), EngineError> {
    let (largest, limit) = largest_count(limits);
    if count > largest {
        let adapter = device::describe(info);
        return Err(EngineError::TooMany { count, adapter, limit, largest });
    }
    Ok(())
}

/// Bytes of a buffer that grows with the flock or its grid; none of those that depend on the scene.
fn flock_bytes(name: &str, extent: &Extent) -> u64 {
    let [agents, cells, crowds] = [extent.agents, extent.cells, extent.crowds].map(u64::from);
    match name {
        "state" | "next_state" | "binned" => agents * 16,
        "tag" | "index" | "scratch" => agents * 4,
        "cell_start" => (cells + 1) * 4,
        "cell_count" => HITS_BYTES + cells * 4,
        "blocks" => cells.div_ceil(u64::from(CELLS_PER_BLOCK)) * 8,
        "crowded" => crowds * 4,
        "grid_stats" => 20,
        "scattered" => 12,
        _ => 0,
    }
}

/// Bytes from the number of one tick to that of the next.
#[must_use]
pub fn clock_stride(limits: &wgpu::Limits) -> u64 {
    u64::from(limits.min_uniform_buffer_offset_alignment).max(CLOCK_BYTES)
}

impl FlockBuffers {
    /// Allocates the buffers of `extent`. What depends on the scene comes in `sizes`; what is neither
    /// there nor known here is as small as a buffer may be.
    pub fn new(
        gpu: &Gpu,
        extent: Extent,
        sizes: &[(&'static str, u64)],
    ) -> Result<Self, EngineError> {
        let count = extent.agents;
        let limits = gpu.device.limits();
        check_count(&limits, &gpu.info, count.into())?;
        let size = |name: &'static str| match sizes.iter().find(|(known, _)| *known == name) {
            Some((_, size)) => *size,
            None if name == CLOCK => u64::from(MEASURED_TICKS) * clock_stride(&limits),
            None => flock_bytes(name, &extent),
        };
        let tables = size("tables");
        if tables > limits.max_storage_buffer_binding_size {
            return Err(gpu.error(format!(
                "the scenery takes {tables} bytes, and max_storage_buffer_binding_size allows {}; \
                 have fewer obstacles or a coarser flow, or use --engine cpu",
                limits.max_storage_buffer_binding_size
            )));
        }
        let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let buffers = NAMES
            .into_iter()
            .map(|name| {
                let mut kind = wgpu::BufferUsages::STORAGE;
                if UNIFORMS.contains(&name) {
                    // `targets` is both: a pass moves them.
                    kind |= wgpu::BufferUsages::UNIFORM;
                }
                if [GRID_STATS, SCATTERED].contains(&name) {
                    kind |= wgpu::BufferUsages::INDIRECT;
                }
                let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some(name),
                    size: Some(size(name)).filter(|size| *size > 0).unwrap_or(UNUSED_BYTES),
                    usage: kind | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
                    mapped_at_creation: false,
                });
                (name, buffer)
            })
            .collect();
        if pollster::block_on(scope.pop()).is_some() {
            return Err(gpu.error(format!(
                "not enough memory for {count} agents (about {} MiB); lower --count",
                NAMES.into_iter().map(size).sum::<u64>() >> 20
            )));
        }
        Ok(Self { extent, buffers })
    }

    /// Replaces the content of a buffer from its start.
    pub fn write(&self, gpu: &Gpu, name: &str, bytes: &[u8]) {
        self.write_at(gpu, name, 0, bytes);
    }

    /// Replaces the content of a buffer from byte `offset` on.
    pub fn write_at(&self, gpu: &Gpu, name: &str, offset: u64, bytes: &[u8]) {
        if let Some(buffer) = self.named(name) {
            gpu.queue.write_buffer(buffer, offset, bytes);
        }
    }
}

impl Buffers for FlockBuffers {
    fn names(&self) -> Vec<&str> {
        self.buffers.iter().map(|(name, _)| *name).collect()
    }

    fn named(&self, name: &str) -> Option<&wgpu::Buffer> {
        self.buffers.iter().find(|(known, _)| *known == name).map(|(_, buffer)| buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_takes_64_bytes_and_a_cell_12() {
        // Ten neighbours to an agent are 3.2 agents to a cell; a hundred are 32.
        for (agents, cells) in [(10_000, 3_142), (200_000, 62_832), (8_388_608, 263_544)] {
            let crowds = agents / CROWDED_ABOVE;
            let extent = Extent { agents, cells, crowds };
            // What agents remember comes with the scene: a word.
            let bytes = NAMES.into_iter().map(|name| flock_bytes(name, &extent)).sum::<u64>()
                + 4 * u64::from(agents);
            let budget = BYTES[0] * u64::from(agents) + BYTES[1] * u64::from(cells);
            assert!(bytes <= budget && bytes > budget * 9 / 10, "{bytes}, not {budget}");
        }
    }
}
