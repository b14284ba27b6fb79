//! Agents of a slab in the device's rows and in the host's columns.

use crate::gpu::row::{MotionLayout, MotionRow, Tag, tags_of};
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

/// Agents that have come from other processes since the last sort.
#[derive(Debug, Default)]
pub struct Imported {
    /// Their rows of `next_state`.
    pub motion: Vec<MotionRow>,
    /// Their rows of `binned`, in the form that `steer` writes: key and slot are missing.
    pub binned: Vec<[u32; 4]>,
}

impl Imported {
    /// Adds agents. One without memory has 0.
    pub fn add(&mut self, layout: MotionLayout, agents: &FlockState) {
        self.motion.extend(layout.rows_of(agents, &agents.kept));
        for (row, tag) in tags_of(agents).into_iter().enumerate() {
            let memory = agents.memory.get(row).map_or(0, |memory| memory.0);
            self.binned.push([0, 0, tag.0, memory]);
        }
    }
}
