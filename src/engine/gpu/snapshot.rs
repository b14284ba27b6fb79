//! Copies of a flock to the host while it moves on.
//!
//! The device copies its buffers after the ticks that are under way. The host reads the copy in
//! chunks, so that no frame waits for a large flock.

use std::collections::HashSet;
use std::sync::Arc;

use super::device::Gpu;
use super::flock::DeviceFlock;
use super::readback::Readback;
use super::row::{MEMORY_BYTES, MotionLayout, MotionRow, TAG_BYTES, Tag};
use super::tables::Tables;
use crate::ids::Ids;
use crate::{EngineError, Snapshot};
use flockwork_model::behaviours::{Target, Uses};
use flockwork_model::kept::KeptRow;
use flockwork_model::memory::Memory;
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;

/// Agents that one call reads: two milliseconds of copying.
const CHUNK: usize = 1 << 17;

/// A copy under way.
#[derive(Debug)]
pub struct Transfer {
    /// Copies of `state`, `tag`, `memory` and `targets`; those not needed are empty.
    copies: Readback,
    ids: Ids,
    layout: MotionLayout,
    tables: Arc<Tables>,
    /// The targets; those that move have their places in the copy.
    targets: Vec<Target>,
    /// The agents read so far.
    flock: FlockState,
    taken: usize,
}

/// A copy of the flock as it is now, for a host that cannot wait. Ask for it again and again.
#[derive(Debug, Default)]
pub struct Present {
    under_way: Option<Transfer>,
    here: Option<Snapshot>,
}

impl Present {
    /// The copy, if it is here. The first call asks for it.
    pub fn get(&mut self, gpu: &Gpu, flock: &DeviceFlock) -> Result<Snapshot, EngineError> {
        if let Some(here) = &self.here {
            return Ok(here.clone());
        }
        gpu.poll(wgpu::PollType::Poll)?;
        let mut transfer = match self.under_way.take() {
            Some(transfer) => transfer,
            None => Transfer::begin(gpu, flock)?,
        };
        match transfer.advance(gpu)? {
            Some(snapshot) => Ok(self.here.insert(snapshot).clone()),
            None => {
                self.under_way = Some(transfer);
                Err(EngineError::NotYet)
            }
        }
    }

    /// The same after the agents with these ids have gone.
    pub fn without(self, ids: &[u32]) -> Self {
        let here = self.here.map(|Snapshot { state, targets }| {
            let gone: HashSet<u32> = ids.iter().copied().collect();
            let stays = |row: &usize| !gone.contains(&state.id[*row]);
            let rows: Vec<usize> = (0..state.len()).filter(stays).collect();
            Snapshot { state: state.in_order(&rows), targets }
        });
        Self { under_way: None, here }
    }
}

impl Transfer {
    /// Starts a copy of a flock as it is after all submitted ticks. Fails if the device has no memory for
    /// it.
    pub fn begin(gpu: &Gpu, source: &DeviceFlock) -> Result<Self, EngineError> {
        let uses = source.variant.uses;
        let (remembers, moves_targets) = (uses.has(Uses::MEMORY), uses.has(Uses::MOVING_TARGETS));
        let wanted =
            [("state", true), ("tag", true), ("memory", remembers), ("targets", moves_targets)];
        let parts = wanted.map(|(name, wanted)| {
            let bytes = if wanted { source.buffers.len(name) } else { 0 };
            source.buffers.part(name, 0..bytes)
        });
        let encoder = gpu.device.create_command_encoder(&Default::default());
        let copies = Readback::begin(gpu, encoder, &parts)?;
        let (tables, targets) = (Arc::clone(&source.tables), source.scene.targets.clone());
        let ids = source.ids.clone();
        let count = ids.len();
        let layout = source.buffers.extent.layout;
        let flock = FlockState {
            tick: source.tick,
            id: Vec::new(),
            species: vec![0; count],
            position: vec![Point::ZERO; count],
            velocity: vec![Point::ZERO; count],
            memory: vec![Memory::default(); if remembers { count } else { 0 }],
            shown: source.scene.shown(),
            kept: vec![KeptRow::default(); if layout.keeps { count } else { 0 }],
            kept_names: source.scene.kept_names(),
        };
        Ok(Self { copies, ids, layout, tables, targets, flock, taken: 0 })
    }

    /// Reads one chunk if the copy has arrived. Returns the snapshot once it is complete.
    pub fn advance(&mut self, gpu: &Gpu) -> Result<Option<Snapshot>, EngineError> {
        if !self.copies.has_arrived(gpu)? {
            return Ok(None);
        }
        let until = self.ids.len().min(self.taken + CHUNK);
        self.take(gpu, until)?;
        if until < self.ids.len() {
            return Ok(None);
        }
        let moved = self.copies.bytes(gpu, 3, 0..self.copies.len(3))?;
        let mut targets = std::mem::take(&mut self.targets);
        self.tables.read_targets(&moved, &mut targets);
        let mut state = std::mem::take(&mut self.flock);
        state.id = self.ids.all().to_vec();
        Ok(Some(Snapshot { state, targets }))
    }

    /// Reads the agents up to `until`, each into its row.
    fn take(&mut self, gpu: &Gpu, until: usize) -> Result<(), EngineError> {
        let rows = |part: usize, bytes: u64| {
            let end = (until as u64 * bytes).min(self.copies.len(part));
            self.copies.bytes(gpu, part, self.taken as u64 * bytes..end)
        };
        let layout = self.layout;
        let motions: Vec<MotionRow> = bytemuck::pod_collect_to_vec(&rows(0, layout.bytes())?);
        let tags = rows(1, TAG_BYTES)?;
        let memories = rows(2, MEMORY_BYTES)?;
        let mut memories = memories.chunks_exact(MEMORY_BYTES as usize);
        let agents = motions.chunks_exact(layout.rows());
        for (motion, tag) in agents.zip(tags.chunks_exact(TAG_BYTES as usize)) {
            let tag: Tag = bytemuck::pod_read_unaligned(tag);
            let Some(row) = self.ids.row(tag.id()) else {
                return Err(gpu.error(format!(
                    "the device has an agent {}, which the host does not",
                    tag.id()
                )));
            };
            self.flock.species[row] = tag.species();
            [self.flock.position[row], self.flock.velocity[row]] = layout.read(motion);
            if let Some(kept) = layout.kept(motion) {
                self.flock.kept[row] = kept;
            }
            if let Some(memory) = memories.next() {
                self.flock.memory[row] = bytemuck::pod_read_unaligned(memory);
            }
        }
        self.taken = until;
        Ok(())
    }
}
