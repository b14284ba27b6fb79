//! The buffers of a flock: how large they are, whether they fit, and what is first in them.

use super::device::{self, Gpu};
use super::pass::{Buffers, CELLS_PER_BLOCK, Extent};
use super::profiler::MEASURED_TICKS;
use super::row::{STATE_BYTES, TAG_BYTES};
use crate::engine::EngineError;
use crate::model::scene::MAX_AGENTS;

/// Members above which a cell is sorted by `sort_crowds` or `sort_scattered`: as many as make the rank
/// by counting dearer than the sort on the machines measured.
pub const CROWDED_ABOVE: u32 = 1024;

/// Bytes of all buffers for each agent, and for each cell.
pub const BYTES: [u64; 2] = [64, 12];

/// Bytes of a buffer that holds nothing: no binding is empty. (Passes count by the lengths of the
/// others.)
const UNUSED_BYTES: u64 = 16;

/// Names of the buffers, as the shaders know them.
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

/// A buffer and the part of it, from its start, that is in use: the rest is for a flock or a grid that
/// grows.
#[derive(Debug)]
struct Room {
    name: &'static str,
    buffer: wgpu::Buffer,
    used: u64,
}

/// Buffers of one flock on one device.
#[derive(Debug)]
pub struct FlockBuffers {
    /// What the buffers hold.
    pub extent: Extent,
    rooms: Vec<Room>,
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

/// Bytes of a buffer that grows with the flock or its grid; none for those that depend on the scene.
fn flock_bytes(name: &str, extent: &Extent) -> Option<u64> {
    let [agents, cells, crowds] = [extent.agents, extent.cells, extent.crowds].map(u64::from);
    Some(match name {
        "state" | "next_state" => agents * STATE_BYTES,
        "tag" => agents * TAG_BYTES,
        "binned" => agents * 16,
        "index" | "id" => agents * 4,
        "cell_start" => (cells + 1) * 4,
        "cell_count" => HITS_BYTES + cells * 4,
        "blocks" => cells.div_ceil(u64::from(CELLS_PER_BLOCK)) * 8,
        "crowded" => crowds * 4,
        "grid_stats" => 20,
        "scattered" => 12,
        _ => return None,
    })
}

/// Bytes from the number of one tick to that of the next.
#[must_use]
pub fn clock_stride(limits: &wgpu::Limits) -> u64 {
    u64::from(limits.min_uniform_buffer_offset_alignment).max(CLOCK_BYTES)
}

/// Bytes of the buffers of a flock, by name: those that the scene decides come in `sizes`, and those
/// neither there nor known here are none.
fn bytes_of(name: &str, extent: &Extent, sizes: &[(&'static str, u64)], gpu: &Gpu) -> u64 {
    match sizes.iter().find(|(known, _)| *known == name) {
        Some((_, size)) => *size,
        None if name == CLOCK => u64::from(MEASURED_TICKS) * clock_stride(&gpu.device.limits()),
        None => flock_bytes(name, extent).unwrap_or(0),
    }
}

/// Bytes of a buffer that holds `bytes`: no binding is empty.
fn allocated(bytes: u64) -> u64 {
    if bytes > 0 { bytes } else { UNUSED_BYTES }
}

/// Those whose content stays when they grow: what an agent is.
const KEPT: [&str; 3] = ["state", "tag", "memory"];

fn create(gpu: &Gpu, name: &'static str, size: u64) -> wgpu::Buffer {
    let mut kind = wgpu::BufferUsages::STORAGE;
    if UNIFORMS.contains(&name) {
        // `targets` is both: a pass moves them.
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
    /// Allocates the buffers of `extent`. What depends on the scene comes in `sizes`; what is neither
    /// there nor known here is as small as a buffer may be.
    pub fn new(
        gpu: &Gpu,
        extent: Extent,
        sizes: &[(&'static str, u64)],
    ) -> Result<Self, EngineError> {
        check_fits(gpu, &extent, sizes)?;
        let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let room = |name| {
            let used = allocated(bytes_of(name, &extent, sizes, gpu));
            Room { name, buffer: create(gpu, name, used), used }
        };
        let rooms = NAMES.into_iter().map(room).collect();
        refuse_if_full(gpu, scope, &extent, sizes)?;
        Ok(Self { extent, rooms })
    }

    /// Makes room for another `extent` and other `sizes`; those in neither stay as they are. The
    /// content stays where it has an agent's meaning, and where there is room already. True when some
    /// part in use is another one, so that passes have to bind anew. Stays as it was if this fails.
    pub fn fit(
        &mut self,
        gpu: &Gpu,
        extent: Extent,
        sizes: &[(&'static str, u64)],
    ) -> Result<bool, EngineError> {
        let wanted = |room: &Room| {
            let by_scene = sizes.iter().any(|(name, _)| *name == room.name);
            let stays = !by_scene && flock_bytes(room.name, &extent).is_none();
            let bytes = if stays { room.used } else { bytes_of(room.name, &extent, sizes, gpu) };
            allocated(bytes)
        };
        let changes = self.rooms.iter().any(|room| wanted(room) != room.used);
        let mut grown = Vec::new();
        if self.rooms.iter().any(|room| wanted(room) > room.buffer.size()) {
            check_fits(gpu, &extent, sizes)?;
            let limits = gpu.device.limits();
            let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
            for (number, room) in self.rooms.iter().enumerate() {
                let bytes = wanted(room);
                if bytes > room.buffer.size() {
                    // Half as much again, so that a flock that grows allocates now and then only.
                    let spare = (bytes / 2).min(limits.max_buffer_size.saturating_sub(bytes));
                    let size = (bytes + spare).next_multiple_of(4);
                    grown.push((number, create(gpu, room.name, size)));
                }
            }
            refuse_if_full(gpu, scope, &extent, sizes)?;
        }
        let copies = !grown.is_empty();
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        for (number, buffer) in grown {
            let room = &mut self.rooms[number];
            if KEPT.contains(&room.name) {
                encoder.copy_buffer_to_buffer(&room.buffer, 0, &buffer, 0, room.used);
            }
            room.buffer = buffer;
        }
        if copies {
            gpu.queue.submit([encoder.finish()]);
        }
        for room in &mut self.rooms {
            room.used = wanted(room);
        }
        self.extent = extent;
        Ok(changes)
    }

    /// The buffer of that name, as it is allocated.
    pub fn whole(&self, name: &str) -> Option<&wgpu::Buffer> {
        self.rooms.iter().find(|room| room.name == name).map(|room| &room.buffer)
    }

    /// Bytes of a buffer that are in use.
    pub fn used(&self, name: &str) -> u64 {
        self.rooms.iter().find(|room| room.name == name).map_or(0, |room| room.used)
    }

    /// Replaces the content of a buffer from its start.
    pub fn write(&self, gpu: &Gpu, name: &str, bytes: &[u8]) {
        self.write_at(gpu, name, 0, bytes);
    }

    /// Replaces the content of a buffer from byte `offset` on.
    pub fn write_at(&self, gpu: &Gpu, name: &str, offset: u64, bytes: &[u8]) {
        if let Some(buffer) = self.whole(name) {
            gpu.queue.write_buffer(buffer, offset, bytes);
        }
    }
}

/// Refuses what no buffer of the device can hold.
fn check_fits(
    gpu: &Gpu,
    extent: &Extent,
    sizes: &[(&'static str, u64)],
) -> Result<(), EngineError> {
    let limits = gpu.device.limits();
    check_count(&limits, &gpu.info, extent.agents.into())?;
    let tables = bytes_of("tables", extent, sizes, gpu);
    if tables > limits.max_storage_buffer_binding_size {
        return Err(gpu.error(format!(
            "the scenery takes {tables} bytes, and max_storage_buffer_binding_size allows {}; \
             have fewer obstacles or a coarser flow, or use --engine cpu",
            limits.max_storage_buffer_binding_size
        )));
    }
    Ok(())
}

/// Fails where the device had no memory for the buffers made in `scope`. Devices that tell later than
/// at once report it as any other error.
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

impl Buffers for FlockBuffers {
    fn named(&self, name: &str) -> Option<wgpu::BufferBinding<'_>> {
        let room = self.rooms.iter().find(|room| room.name == name)?;
        let size = wgpu::BufferSize::new(room.used);
        Some(wgpu::BufferBinding { buffer: &room.buffer, offset: 0, size })
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::MEMORY_BYTES;
    use super::*;

    #[test]
    fn an_agent_takes_64_bytes_and_a_cell_12() {
        // Ten neighbours to an agent are 3.2 agents to a cell; a hundred are 32.
        for (agents, cells) in [(10_000, 3_142), (200_000, 62_832), (8_388_608, 263_544)] {
            let crowds = agents / CROWDED_ABOVE;
            let extent = Extent { agents, ids: agents, cells, crowds };
            // What agents remember comes with the scene: a word.
            let bytes =
                NAMES.into_iter().filter_map(|name| flock_bytes(name, &extent)).sum::<u64>()
                    + MEMORY_BYTES * u64::from(agents);
            let budget = BYTES[0] * u64::from(agents) + BYTES[1] * u64::from(cells);
            assert!(bytes <= budget && bytes > budget * 9 / 10, "{bytes}, not {budget}");
        }
    }
}
