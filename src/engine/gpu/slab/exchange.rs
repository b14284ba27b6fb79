//! The agents that a slab gives to others: ghosts, and those that leave.

use std::ops::Range;

use super::slab_rows::{agents_in, words_in};
use super::{GpuSlab, INDEX_BYTES, Steered};
use crate::EngineError;
use crate::broken::CountedForces;
use crate::gpu::buffers::{COUNTS_AT, HITS_BYTES};
use crate::gpu::pass::EXPORT_AGENTS;
use crate::gpu::readback::{Part, Readback};
use crate::gpu::row::{MEMORY_BYTES, TAG_BYTES};
use flockwork_model::behaviours::Uses;
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
    /// The agents of the first and of the last slice, without memory.
    pub slices: [FlockState; 2],
}

/// The numbers of agents that moved.
#[derive(Debug, Default)]
pub struct Moved {
    /// One bit for each target that was hit.
    pub hits: Vec<u8>,
    /// Number of agents that have left.
    pub gone: u32,
    /// These agents.
    pub exported: FlockState,
}

/// As many rows as last time and a fifth more, but at most `all`.
fn guess(last: u32, all: u32) -> u32 {
    last.saturating_add(last / 5).saturating_add(SPARE_ROWS).min(all)
}

fn word(bytes: &[u8]) -> u32 {
    words_in(bytes).next().unwrap_or(0)
}

impl GpuSlab {
    /// The agents of the first and of the last slice, read once a tick.
    pub(super) fn borders(&mut self) -> Result<&Borders, EngineError> {
        let borders = match self.borders.take() {
            Some(borders) => borders,
            None => self.read_borders()?,
        };
        Ok(self.borders.insert(borders))
    }

    fn read_borders(&mut self) -> Result<Borders, EngineError> {
        let (count, slices) = (self.count, self.window.slab.count);
        if count == 0 || slices == 0 {
            return Ok(Borders { inner: 0..0, slices: Default::default() });
        }
        let cells = self.window.slice_cells() as u32;
        let last_slice = (slices - 1) * cells;
        let (layout, bytes) = (self.layout(), self.layout().bytes());
        let mut lengths = self.expected.slices.map(|last| guess(last, count));
        loop {
            let [first, last] = lengths;
            let parts = [
                self.part("cell_start", cells..cells + 1, INDEX_BYTES),
                self.part("cell_start", last_slice..last_slice + 1, INDEX_BYTES),
                self.part("state", 0..first, bytes),
                self.part("tag", 0..first, TAG_BYTES),
                self.part("state", count - last..count, bytes),
                self.part("tag", count - last..count, TAG_BYTES),
            ];
            let mut copies = self.builder.gpu.read_parts(&parts)?.into_iter();
            let mut next = || copies.next().unwrap_or_default();
            let begin = word(&next()).min(count);
            let end = word(&next()).min(count);
            let found = [begin, count - end];
            self.expected.slices = found;
            if found[0] > first || found[1] > last {
                lengths = found;
                continue;
            }
            let [above, below] = [(); 2].map(|()| agents_in(layout, &next(), &next(), &[]));
            let below = below.rows((last - found[1]) as usize..last as usize);
            let slices = [above.rows(0..found[0] as usize), below];
            return Ok(Borders { inner: begin..end.max(begin), slices });
        }
    }

    /// The agents that moved, read once a tick.
    pub(super) fn moved(&mut self) -> Result<&Moved, EngineError> {
        let moved = match self.moved.take() {
            Some(moved) => moved,
            None => self.read_moved()?,
        };
        Ok(self.moved.insert(moved))
    }

    fn read_moved(&mut self) -> Result<Moved, EngineError> {
        if self.count == 0 {
            return Ok(Moved { hits: vec![0; HITS_BYTES as usize], ..Moved::default() });
        }
        self.write_flock(self.count, Steered::default(), self.count)?;
        let mut encoder = self.encoder();
        self.record(&mut encoder, self.count, None, |pass| pass == EXPORT_AGENTS);
        let stamps = self.cost.resolve(&mut encoder);
        let memory_bytes = if self.variant.uses.has(Uses::MEMORY) { MEMORY_BYTES } else { 0 };
        let mut rows = guess(self.expected.gone, self.count);
        loop {
            let own_cells = self.window.own_cells() as u64;
            let gone_at = COUNTS_AT + own_cells * INDEX_BYTES;
            let layout = self.layout();
            let counts =
                |first: u64, bytes: u64| self.buffers.part("cell_count", first..first + bytes);
            let parts = [
                counts(0, HITS_BYTES),
                counts(HITS_BYTES, CountedForces::BYTES),
                counts(gone_at, INDEX_BYTES),
                self.part("state", 0..rows, layout.bytes()),
                self.part("index", 0..rows, TAG_BYTES),
                self.part("id", 0..rows, memory_bytes),
            ];
            let parts: Vec<Part> = parts.into_iter().chain(stamps.clone()).collect();
            let gpu = &self.builder.gpu;
            let mut copies = Readback::begin(gpu, encoder, &parts)?.wait(gpu)?.into_iter();
            let mut next = || copies.next().unwrap_or_default();
            let (hits, broken) = (next(), next());
            let gone = word(&next()).min(self.count);
            self.expected.gone = gone;
            if gone > rows {
                rows = gone;
                encoder = self.encoder();
                continue;
            }
            let (motions, tags, memory) = (next(), next(), next());
            let stamps: Vec<Vec<u8>> = copies.collect();
            self.broken.note(&broken);
            self.cost.note(gpu, &stamps, self.count);
            let exported = agents_in(layout, &motions, &tags, &memory).rows(0..gone as usize);
            return Ok(Moved { hits, gone, exported });
        }
    }
}
