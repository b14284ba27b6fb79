//! The exchange of a slab with the others: ghosts, agents that leave and agents that arrive.

use std::ops::Range;

use super::rows::{check_whole, places_of, put_agent, tags_of, words_of};
use super::{INDEX_BYTES, SlabFlock, Steered};
use crate::EngineError;
use crate::gpu::buffers::HITS_BYTES;
use crate::gpu::flock::Maker;
use crate::gpu::pass::LEAVE_SLAB;
use crate::gpu::readback::Part;
use crate::gpu::row::{MEMORY_BYTES, TAG_BYTES, Tag};
use flockwork_model::state::FlockState;

/// Copied rows beyond the last tick's, so that one copy is mostly enough.
const SPARE_ROWS: u32 = 64;

/// How many rows the host expects, from the last tick.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expected {
    /// In the first and in the last slice.
    slices: [u32; 2],
    /// Agents that leave.
    gone: u32,
}

/// Copies of the agents that other processes need.
#[derive(Debug)]
pub struct Borders {
    /// Array indices of the agents between the first and the last slice.
    pub inner: Range<u32>,
    /// Motions and tags of the first and of the last slice.
    slices: [(Vec<u8>, Vec<u8>); 2],
}

/// The numbers of agents that moved.
#[derive(Debug, Default)]
pub struct Moved {
    /// One bit for each target that was hit.
    hits: Vec<u8>,
    /// Number of agents that have left.
    pub gone: u32,
    /// Their motions.
    motions: Vec<u8>,
    /// Their tags.
    tags: Vec<u8>,
    /// Their memory.
    memory: Vec<u8>,
}

/// As many rows as last time and a fifth more, but at most `all`.
fn guess(last: u32, all: u32) -> u32 {
    last.saturating_add(last / 5).saturating_add(SPARE_ROWS).min(all)
}

fn word(bytes: &[u8]) -> u32 {
    words_of(bytes).next().unwrap_or(0)
}

impl SlabFlock {
    /// The agents of the first and of the last slice, read once a tick.
    pub(super) fn borders(&mut self, maker: &Maker<'_>) -> Result<&Borders, EngineError> {
        if self.borders.is_none() {
            self.borders = Some(self.read_borders(maker)?);
        }
        self.borders.as_ref().ok_or_else(|| maker.gpu.error("no borders"))
    }

    fn read_borders(&mut self, maker: &Maker<'_>) -> Result<Borders, EngineError> {
        let (count, slices) = (self.count, self.window.slab.count);
        if count == 0 || slices == 0 {
            return Ok(Borders { inner: 0..0, slices: Default::default() });
        }
        let cells = self.window.slice_cells() as u32;
        let mut lengths = self.expected.slices.map(|last| guess(last, count));
        loop {
            let [first, last] = lengths;
            let tail = count - last;
            let bytes = self.layout().bytes();
            let parts = [
                self.part("cell_start", cells, 1, INDEX_BYTES),
                self.part("cell_start", (slices - 1) * cells, 1, INDEX_BYTES),
                self.part("state", 0, first, bytes),
                self.part("tag", 0, first, TAG_BYTES),
                self.part("state", tail, last, bytes),
                self.part("tag", tail, last, TAG_BYTES),
            ];
            let parts: Vec<Part> = parts.into_iter().flatten().collect();
            let encoder = maker.gpu.device.create_command_encoder(&Default::default());
            let mut copies = self.readback.read(maker.gpu, encoder, &parts)?.into_iter();
            let mut next = || copies.next().unwrap_or_default();
            let begin = word(&next()).min(count);
            let end = word(&next()).min(count);
            let found = [begin, count - end];
            self.expected.slices = found;
            if found[0] > first || found[1] > last {
                lengths = found;
                continue;
            }
            let head = |mut copy: Vec<u8>, each: u64| {
                copy.truncate(found[0] as usize * each as usize);
                copy
            };
            let rest = |copy: Vec<u8>, each: u64| {
                copy[(last - found[1]) as usize * each as usize..].to_vec()
            };
            let first = (head(next(), bytes), head(next(), TAG_BYTES));
            let last = (rest(next(), bytes), rest(next(), TAG_BYTES));
            return Ok(Borders { inner: begin..end.max(begin), slices: [first, last] });
        }
    }

    /// Adds the agents of the first or of the last slice to `parcel`.
    pub fn copy_slice(
        &mut self,
        maker: &Maker<'_>,
        slice: u32,
        parcel: &mut Vec<u8>,
    ) -> Result<(), EngineError> {
        let slab = self.window.slab;
        let outer = [slab.first, slab.end().wrapping_sub(1)];
        let Some(which) = outer.iter().position(|outer| *outer == slice) else {
            return Err(maker.gpu.error(format!("no process needs slice {slice}")));
        };
        let (motions, tags) = &self.borders(maker)?.slices[which];
        parcel.extend_from_slice(motions);
        parcel.extend_from_slice(tags);
        Ok(())
    }

    /// Takes copies of the agents in a slice beside the slab.
    pub fn take_ghosts(
        &mut self,
        maker: &mut Maker<'_>,
        slice: u32,
        parcel: &[u8],
    ) -> Result<(), EngineError> {
        let bytes = self.layout().bytes();
        let each = (bytes + TAG_BYTES) as usize;
        check_whole(parcel, each)?;
        let ghosts = (parcel.len() / each) as u32;
        let first = self.count + self.ghosts;
        let end = first + ghosts;
        self.make_room(maker, end)?;
        let (motions, tags) = parcel.split_at(ghosts as usize * bytes as usize);
        // The sender has sorted them: where each cell begins follows from the positions.
        let cells = self.window.cells_of(slice);
        let mut start = Vec::with_capacity(cells.len() + 1);
        for (agent, key) in (first..).zip(self.keys(&places_of(self.layout(), motions))) {
            let cell = self.window.number(key) as usize;
            if self.window.slice_of(key) != slice || cell + 1 < cells.start + start.len() {
                return Err(EngineError::Parcel { problem: "ghosts in disorder".into() });
            }
            start.resize(cell + 1 - cells.start, agent);
        }
        start.resize(cells.len() + 1, end);
        let gpu = maker.gpu;
        self.memory.write_at(gpu, "state", u64::from(first) * bytes, motions);
        self.memory.write_at(gpu, "tag", u64::from(first) * TAG_BYTES, tags);
        let place = cells.start as u64 * INDEX_BYTES;
        self.memory.write_at(gpu, "cell_start", place, bytemuck::cast_slice(&start));
        self.ghosts += ghosts;
        Ok(())
    }

    /// The numbers of agents that moved, read once a tick.
    fn moved(&mut self, maker: &Maker<'_>) -> Result<&Moved, EngineError> {
        if self.moved.is_none() {
            self.moved = Some(self.read_moved(maker)?);
        }
        self.moved.as_ref().ok_or_else(|| maker.gpu.error("no agents moved"))
    }

    fn read_moved(&mut self, maker: &Maker<'_>) -> Result<Moved, EngineError> {
        if self.count == 0 {
            return Ok(Moved { hits: vec![0; HITS_BYTES as usize], ..Moved::default() });
        }
        self.write_flock(maker, self.count, Steered::default(), self.count)?;
        let device = &maker.gpu.device;
        let mut encoder = device.create_command_encoder(&Default::default());
        self.record(maker, &mut encoder, self.count, None, |pass| pass == LEAVE_SLAB)?;
        let mut rows = guess(self.expected.gone, self.count);
        loop {
            let own_cells = self.window.own_cells() as u64;
            let gone_at = HITS_BYTES + own_cells * INDEX_BYTES;
            let (bytes, counts) = (self.layout().bytes(), self.memory.whole("cell_count"));
            let parts = [
                counts.map(|counts| (counts.clone(), 0, HITS_BYTES)),
                counts.map(|counts| (counts.clone(), gone_at, INDEX_BYTES)),
                self.part("state", 0, rows, bytes),
                self.part("index", 0, rows, TAG_BYTES),
                self.part("id", 0, rows, MEMORY_BYTES),
            ];
            let parts: Vec<Part> =
                parts.into_iter().flatten().chain(self.stamps.answers()).collect();
            let mut copies = self.readback.read(maker.gpu, encoder, &parts)?.into_iter();
            let mut next = || copies.next().unwrap_or_default();
            let (hits, gone) = (next(), word(&next()).min(self.count));
            self.expected.gone = gone;
            if gone > rows {
                rows = gone;
                encoder = device.create_command_encoder(&Default::default());
                continue;
            }
            let mut some = |each: u64| {
                let mut copy = next();
                copy.truncate(gone as usize * each as usize);
                copy
            };
            let (motions, tags, memory) = (some(bytes), some(TAG_BYTES), some(MEMORY_BYTES));
            let stamps: Vec<Vec<u8>> = copies.collect();
            self.stamps.note(maker.gpu, &stamps, self.count);
            return Ok(Moved { hits, gone, motions, tags, memory });
        }
    }

    /// Whether an own agent has hit each target.
    pub fn hits(&mut self, maker: &Maker<'_>) -> Result<Vec<bool>, EngineError> {
        let targets = self.scene.targets.len();
        let hits = &self.moved(maker)?.hits;
        let hit =
            |target: usize| hits.get(target / 8).is_some_and(|byte| byte >> (target % 8) & 1 == 1);
        Ok((0..targets).map(hit).collect())
    }

    /// Adds the agents that have left to the parcels for the processes that own their slices.
    pub fn leave(
        &mut self,
        maker: &Maker<'_>,
        owner: &dyn Fn(u32) -> usize,
        parcels: &mut [Vec<u8>],
    ) -> Result<(), EngineError> {
        let layout = self.layout();
        let places = places_of(layout, &self.moved(maker)?.motions);
        let slices = self.slices_at(&places);
        let Moved { motions, tags, memory, .. } = self.moved(maker)?;
        let motions = motions.chunks_exact(layout.bytes() as usize);
        let identities = tags_of(tags).zip(words_of(memory));
        for ((slice, motion), (tag, memory)) in slices.into_iter().zip(motions).zip(identities) {
            put_agent(&mut parcels[owner(slice)], motion, tag, memory);
        }
        Ok(())
    }

    /// Adds agents to the parcels of the processes in `to`.
    pub fn pack(&self, agents: &FlockState, to: &[usize], parcels: &mut [Vec<u8>]) {
        let layout = self.layout();
        let memory = self.scene.memory_of(agents);
        let motions = layout.rows_of(&agents.position, &agents.velocity);
        for ((row, to), motion) in to.iter().enumerate().zip(motions.chunks_exact(layout.rows())) {
            let tag = Tag::of(agents.species[row], agents.id[row]);
            let memory = memory.get(row).map_or(0, |memory| memory.0);
            put_agent(&mut parcels[*to], bytemuck::cast_slice(motion), tag, memory);
        }
    }

    /// Takes a parcel of agents.
    pub fn arrive(&mut self, parcel: &[u8]) -> Result<(), EngineError> {
        let (layout, first) = (self.layout(), self.arrivals.count());
        self.arrivals.add(layout, parcel)?;
        let slices = self.slices_at(&self.arrivals.places_from(layout, first));
        match slices.into_iter().all(|slice| self.window.slab.has(slice)) {
            true => Ok(()),
            false => Err(EngineError::Parcel { problem: "an agent of another slab".into() }),
        }
    }
}
