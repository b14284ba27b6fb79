//! Copies of a flock to the host while it moves on.
//!
//! The device copies its buffers after the ticks that are under way. The host reads the copy in
//! portions, so that no frame waits for a large flock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::buffers::FlockBuffers;
use super::device::{self, Gpu};
use super::row::{MEMORY_BYTES, MotionLayout, MotionRow, TAG_BYTES, Tag};
use crate::ids::Ids;
use crate::{EngineError, Snapshot};
use flockwork_model::behaviours::Target;
use flockwork_model::memory::{Memory, ShownBy};
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;

/// Agents that one call reads: two milliseconds of copying.
const PORTION: usize = 1 << 17;

/// The sources of a snapshot.
pub struct Sources<'a> {
    /// Ticks submitted.
    pub tick: u64,
    /// The agents' ids.
    pub ids: &'a Ids,
    /// The buffers.
    pub memory: &'a FlockBuffers,
    /// True if agents have memory.
    pub remembers: bool,
    /// The quantity that colours them.
    pub shown: ShownBy,
    /// True if targets move by themselves.
    pub moves_targets: bool,
}

/// Reads the targets from the content of the buffer `targets`.
pub type ReadTargets = Box<dyn FnOnce(&[u8]) -> Vec<Target> + Send>;

/// A copy under way.
pub struct Transfer {
    /// Copies of `state` and `tag`, and of `memory` and `targets` if needed.
    copies: [Option<wgpu::Buffer>; 4],
    /// Number of copies that have not arrived.
    missing: Arc<AtomicUsize>,
    failed: Arc<AtomicBool>,
    ids: Ids,
    layout: MotionLayout,
    read_targets: Option<ReadTargets>,
    /// The agents read so far.
    flock: FlockState,
    taken: usize,
}

impl std::fmt::Debug for Transfer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Transfer").field("tick", &self.flock.tick).finish_non_exhaustive()
    }
}

impl Transfer {
    /// Starts the copy. Fails if the device has no memory for it.
    pub fn begin(
        gpu: &Gpu,
        sources: &Sources<'_>,
        read_targets: ReadTargets,
    ) -> Result<Self, EngineError> {
        let Sources { tick, ids, memory, remembers, shown, moves_targets } = *sources;
        let wanted =
            [("state", true), ("tag", true), ("memory", remembers), ("targets", moves_targets)];
        let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let copies = wanted.map(|(name, wanted)| {
            wanted.then(|| {
                gpu.device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some("snapshot"),
                    size: memory.used(name),
                    usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                    mapped_at_creation: false,
                })
            })
        });
        if device::at_once(scope.pop()).flatten().is_some() {
            return Err(gpu.error(format!(
                "not enough memory for a copy of {} agents; lower --count",
                ids.len()
            )));
        }
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        for ((name, _), copy) in wanted.iter().zip(&copies) {
            if let Some((buffer, copy)) = memory.whole(name).zip(copy.as_ref()) {
                encoder.copy_buffer_to_buffer(buffer, 0, copy, 0, copy.size());
            }
        }
        gpu.queue.submit([encoder.finish()]);
        let missing = Arc::new(AtomicUsize::new(copies.iter().flatten().count()));
        let failed = Arc::new(AtomicBool::new(false));
        for copy in copies.iter().flatten() {
            let (missing, failed) = (Arc::clone(&missing), Arc::clone(&failed));
            copy.slice(..).map_async(wgpu::MapMode::Read, move |mapped| {
                failed.fetch_or(mapped.is_err(), Ordering::AcqRel);
                missing.fetch_sub(1, Ordering::AcqRel);
            });
        }
        let count = ids.len();
        let flock = FlockState {
            tick,
            id: Vec::new(),
            species: vec![0; count],
            position: vec![Point::ZERO; count],
            velocity: vec![Point::ZERO; count],
            memory: vec![Memory::default(); if remembers { count } else { 0 }],
            shown,
        };
        let (ids, read_targets) = (ids.clone(), Some(read_targets));
        let layout = memory.extent.layout;
        Ok(Self { copies, missing, failed, ids, layout, read_targets, flock, taken: 0 })
    }

    /// Reads one portion if the copy has arrived. Returns the snapshot once it is complete.
    pub fn advance(&mut self) -> Result<Option<Snapshot>, String> {
        if self.missing.load(Ordering::Acquire) > 0 {
            return Ok(None);
        }
        if self.failed.load(Ordering::Acquire) {
            return Err("the copy of the flock did not arrive from the device".into());
        }
        let until = self.ids.len().min(self.taken + PORTION);
        self.take(until)?;
        if until < self.ids.len() {
            return Ok(None);
        }
        let targets = self.bytes(3, 0..self.copies[3].as_ref().map_or(0, wgpu::Buffer::size))?;
        let targets = self.read_targets.take().map_or_else(Vec::new, |read| read(&targets));
        let mut state = std::mem::take(&mut self.flock);
        state.id = self.ids.all().to_vec();
        Ok(Some(Snapshot { state, targets }))
    }

    /// Reads the agents up to `until`, each into its row.
    fn take(&mut self, until: usize) -> Result<(), String> {
        let part = |bytes: u64| self.taken as u64 * bytes..until as u64 * bytes;
        let layout = self.layout;
        let motions = self.bytes(0, part(layout.bytes()))?;
        let tags = self.bytes(1, part(TAG_BYTES))?;
        let memories = self.bytes(2, part(MEMORY_BYTES))?;
        let mut memories = memories.chunks_exact(MEMORY_BYTES as usize);
        let motions: Vec<MotionRow> = bytemuck::pod_collect_to_vec(&motions);
        let agents = motions.chunks_exact(layout.rows());
        for (motion, tag) in agents.zip(tags.chunks_exact(TAG_BYTES as usize)) {
            let tag: Tag = bytemuck::pod_read_unaligned(tag);
            let Some(row) = self.ids.row(tag.id()) else {
                return Err(format!(
                    "the device has an agent {}, which the host does not",
                    tag.id()
                ));
            };
            self.flock.species[row] = tag.species();
            [self.flock.position[row], self.flock.velocity[row]] = layout.read(motion);
            if let Some(memory) = memories.next() {
                self.flock.memory[row] = bytemuck::pod_read_unaligned(memory);
            }
        }
        self.taken = until;
        Ok(())
    }

    /// A part of a copy; empty if there is no such copy.
    fn bytes(&self, copy: usize, part: std::ops::Range<u64>) -> Result<Vec<u8>, String> {
        let Some(copy) = self.copies[copy].as_ref().filter(|_| !part.is_empty()) else {
            return Ok(Vec::new());
        };
        let view = copy.slice(part).get_mapped_range();
        Ok(view.map_err(|error| error.to_string())?.to_vec())
    }
}
