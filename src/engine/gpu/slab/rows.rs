//! Agents as bytes, on the way between processes and to the device.

use crate::EngineError;
use crate::gpu::row::{MotionLayout, MotionRow, Tag};
use flockwork_model::memory::Memory;
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;

/// Bytes of an agent's tag and memory.
const IDENTITY_BYTES: usize = 8;

/// Bytes of an agent that goes to another process: its motion, its tag and its memory.
const fn agent_bytes(layout: MotionLayout) -> usize {
    layout.bytes() as usize + IDENTITY_BYTES
}

/// Adds an agent to a parcel. An agent without memory has 0.
pub fn put_agent(parcel: &mut Vec<u8>, motion: &[u8], tag: Tag, memory: u32) {
    parcel.extend_from_slice(motion);
    parcel.extend_from_slice(bytemuck::bytes_of(&tag));
    parcel.extend_from_slice(bytemuck::bytes_of(&memory));
}

/// Fails unless the bytes are whole agents.
pub fn check_whole(parcel: &[u8], each: usize) -> Result<(), EngineError> {
    match parcel.len() % each {
        0 => Ok(()),
        rest => Err(EngineError::Parcel { problem: format!("{rest} bytes too many") }),
    }
}

/// The places of agents in the rows of `state`.
pub fn places_of(layout: MotionLayout, motions: &[u8]) -> Vec<Point> {
    let rows: Vec<MotionRow> = bytemuck::pod_collect_to_vec(motions);
    rows.chunks_exact(layout.rows()).map(|rows| layout.read(rows)[0]).collect()
}

/// Words in the bytes of a buffer.
pub fn words_of(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned)
}

/// Tags in the bytes of a buffer.
pub fn tags_of(bytes: &[u8]) -> impl Iterator<Item = Tag> + '_ {
    words_of(bytes).map(Tag)
}

/// Agents that have arrived since the last sort.
#[derive(Debug, Default)]
pub struct Arrivals {
    motion: Vec<u8>,
    /// In the form that `steer` writes: key and slot are missing.
    binned: Vec<[u32; 4]>,
}

impl Arrivals {
    /// Number of agents.
    pub fn count(&self) -> u32 {
        self.binned.len() as u32
    }

    /// Their rows of `next_state`.
    pub fn motion(&self) -> &[u8] {
        &self.motion
    }

    /// Their rows of `binned`.
    pub fn binned(&self) -> &[u8] {
        bytemuck::cast_slice(&self.binned)
    }

    /// Takes a parcel.
    pub fn add(&mut self, layout: MotionLayout, parcel: &[u8]) -> Result<(), EngineError> {
        let each = agent_bytes(layout);
        check_whole(parcel, each)?;
        for agent in parcel.chunks_exact(each) {
            let (motion, identity) = agent.split_at(each - IDENTITY_BYTES);
            self.motion.extend_from_slice(motion);
            let [tag, memory]: [u32; 2] = bytemuck::pod_read_unaligned(identity);
            self.binned.push([0, 0, tag, memory]);
        }
        Ok(())
    }

    /// The places of the agents from number `first` on.
    pub fn places_from(&self, layout: MotionLayout, first: u32) -> Vec<Point> {
        places_of(layout, &self.motion[first as usize * layout.bytes() as usize..])
    }
}

/// The agents in the rows of the buffers, by ascending id. `memory` may be empty.
pub fn state_of(layout: MotionLayout, motions: &[u8], tags: &[u8], memory: &[u8]) -> FlockState {
    let tags: Vec<Tag> = tags_of(tags).collect();
    let motions: Vec<MotionRow> = bytemuck::pod_collect_to_vec(motions);
    let memory: Vec<u32> = words_of(memory).collect();
    let mut rows: Vec<usize> = (0..tags.len()).collect();
    rows.sort_unstable_by_key(|row| tags[*row].id());
    let motion = |row: &usize| layout.read(&motions[row * layout.rows()..]);
    FlockState {
        id: rows.iter().map(|row| tags[*row].id()).collect(),
        species: rows.iter().map(|row| tags[*row].species()).collect(),
        position: rows.iter().map(|row| motion(row)[0]).collect(),
        velocity: rows.iter().map(|row| motion(row)[1]).collect(),
        memory: rows.iter().filter_map(|row| memory.get(*row).map(|word| Memory(*word))).collect(),
        ..FlockState::default()
    }
}
