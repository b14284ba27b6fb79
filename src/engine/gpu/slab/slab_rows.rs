//! Agents of a slab in the device's rows and in the host's columns.

use crate::gpu::row::{MotionLayout, MotionRow, Tag};
use flockwork_model::memory::Memory;
use flockwork_model::state::FlockState;

/// Words in the bytes of a buffer.
pub fn words_in(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned)
}

/// The agents in the rows of the buffers, in their order. `memory` may be empty.
pub fn agents_in(layout: MotionLayout, motions: &[u8], tags: &[u8], memory: &[u8]) -> FlockState {
    let tags: Vec<Tag> = words_in(tags).map(Tag).collect();
    let motions: Vec<MotionRow> = bytemuck::pod_collect_to_vec(motions);
    let kept = motions.chunks_exact(layout.rows()).filter_map(|rows| layout.kept(rows)).collect();
    let motions: Vec<_> =
        motions.chunks_exact(layout.rows()).map(|rows| layout.read(rows)).collect();
    FlockState {
        id: tags.iter().map(|tag| tag.id()).collect(),
        species: tags.iter().map(|tag| tag.species()).collect(),
        position: motions.iter().map(|[position, _]| *position).collect(),
        velocity: motions.iter().map(|[_, velocity]| *velocity).collect(),
        memory: words_in(memory).map(Memory).collect(),
        kept,
        ..FlockState::default()
    }
}
