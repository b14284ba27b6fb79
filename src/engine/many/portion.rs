//! Some rows of a state, and their bytes on the way to another process.

use std::ops::Range;

use flockwork_model::memory::{Memory, ShownBy};
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;

/// Agents that rank 0 collects at a time: some 40 MB.
pub const LARGEST: usize = 1 << 20;

/// An agent on its way.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Row {
    id: u32,
    species: u32,
    memory: Memory,
    /// 1 if the agent remembers something.
    remembers: u32,
    position: Point,
    velocity: Point,
}

/// Some rows as bytes.
pub fn pack(state: &FlockState, rows: Range<usize>) -> Vec<u8> {
    let row = |row: usize| Row {
        id: state.id[row],
        species: state.species[row].into(),
        memory: state.memory.get(row).copied().unwrap_or_default(),
        remembers: u32::from(!state.memory.is_empty()),
        position: state.position[row],
        velocity: state.velocity[row],
    };
    let rows: Vec<Row> = rows.map(row).collect();
    bytemuck::cast_slice(&rows).to_vec()
}

/// The rows of all parcels, by ascending id.
pub fn merged(tick: u64, shown: ShownBy, parcels: &[Vec<u8>]) -> FlockState {
    let rows = parcels.iter().flat_map(|parcel| parcel.chunks_exact(size_of::<Row>()));
    let mut rows: Vec<Row> = rows.map(bytemuck::pod_read_unaligned).collect();
    rows.sort_unstable_by_key(|row| row.id);
    let remembers = |row: &&Row| row.remembers > 0;
    FlockState {
        tick,
        id: rows.iter().map(|row| row.id).collect(),
        species: rows.iter().map(|row| row.species as u8).collect(),
        position: rows.iter().map(|row| row.position).collect(),
        velocity: rows.iter().map(|row| row.velocity).collect(),
        memory: rows.iter().filter(remembers).map(|row| row.memory).collect(),
        shown,
    }
}
