//! The agents near an agent on the device. Only the rows of the grid around it are read.

use std::ops::Range;

use super::device::Gpu;
use super::flock::DeviceFlock;
use super::readback::Part;
use super::row::{MotionRow, TAG_BYTES, Tag};
use crate::EngineError;
use crate::near::{cells_within, is_near};
use flockwork_model::vector::{Axes, Space, components};
use flockwork_model::world::with_axes;

/// Bytes of an index in `cell_start`.
const INDEX_BYTES: u64 = 4;

/// The ids of the agents less than `radius` away from agent `id`, ascending. Waits.
pub fn neighbours(
    gpu: &Gpu,
    flock: &DeviceFlock,
    id: u32,
    radius: f32,
) -> Result<Vec<u32>, EngineError> {
    with_axes!(flock.scene.world, AXES => near::<AXES>(gpu, flock, id, radius))
}

fn near<const D: usize>(
    gpu: &Gpu,
    flock: &DeviceFlock,
    id: u32,
    radius: f32,
) -> Result<Vec<u32>, EngineError>
where
    Axes<D>: Space<D>,
{
    let layout = flock.buffers.extent.layout;
    // Some elements of a buffer.
    let part = |name: &str, elements: Range<u64>, bytes: u64| {
        flock.buffers.part(name, elements.start * bytes..elements.end * bytes)
    };
    let read_tags = |part: Part| -> Result<Vec<Tag>, EngineError> {
        Ok(bytemuck::pod_collect_to_vec(&gpu.read_parts(&[part])?.concat()))
    };
    let tags = read_tags(part("tag", 0..flock.ids.len() as u64, TAG_BYTES))?;
    let own = tags.iter().position(|tag| tag.id() == id).ok_or(EngineError::NoAgent { id })?;
    let read_places = |parts: &[Part]| -> Result<Vec<[f32; D]>, EngineError> {
        let rows: Vec<MotionRow> = bytemuck::pod_collect_to_vec(&gpu.read_parts(parts)?.concat());
        let agents = rows.chunks_exact(layout.rows());
        Ok(agents.map(|rows| components(layout.read(rows)[0])).collect())
    };
    let place = part("state", own as u64..own as u64 + 1, layout.bytes());
    let place = read_places(&[place])?.first().copied().unwrap_or([0.0; D]);

    let grid = flock.scene.grid::<D>(flock.ids.len());
    let ends = cells_within(&grid, place, radius).into_iter();
    let ends = ends.flat_map(|cells| [cells.start as u64, cells.end as u64]);
    let ends = ends.map(|cell| part("cell_start", cell..cell + 1, INDEX_BYTES));
    let ends = gpu.read_parts(&ends.collect::<Vec<_>>())?.concat();
    let ends: Vec<u32> = bytemuck::pod_collect_to_vec(&ends);
    let runs = ends.chunks_exact(2).map(|ends| ends[0] as usize..ends[1] as usize);
    let runs: Vec<Range<usize>> = runs.collect();
    let parts =
        runs.iter().map(|run| part("state", run.start as u64..run.end as u64, layout.bytes()));
    let places = read_places(&parts.collect::<Vec<_>>())?;
    let world = &flock.scene.world;
    let agents = runs.into_iter().flatten().zip(places);
    let near = agents
        .filter(|(agent, other)| *agent != own && is_near(world, place, *other, radius))
        .filter_map(|(agent, _)| tags.get(agent).map(|tag| tag.id()));
    let mut found: Vec<u32> = near.collect();
    found.sort_unstable();
    Ok(found)
}
