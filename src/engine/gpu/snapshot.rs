//! Copies of a flock that come to the host while it moves on.
//!
//! The device copies its buffers behind the ticks that are under way. The host takes the copy over in
//! portions, so that no frame waits for a large flock, and puts the agents in order on another thread.
//! (Not the copying itself: wgpu frees the buffers of a lost device, whoever is reading them.)

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use super::device::Gpu;
use super::tables;
use crate::engine::Snapshot;
use crate::model::behaviours::Target;
use crate::model::memory::Memory;
use crate::model::state::FlockState;
use crate::model::vector::Point;

/// Bytes that one call takes over: two milliseconds of copying.
const PORTION: usize = 8 << 20;

/// A larger copy is not made: it would double what the flock takes on the host. 22 million agents.
const MOST_BYTES: u64 = 512 << 20;

/// Who the agents are, in the order of their rows.
#[derive(Clone, Debug)]
pub struct Rows {
    /// Their names in files.
    pub ids: Arc<Vec<u32>>,
    /// Their species.
    pub species: Arc<Vec<u8>>,
}

impl Rows {
    /// The agents of a state.
    pub fn of(state: &FlockState) -> Self {
        Self { ids: Arc::new(state.id.clone()), species: Arc::new(state.species.clone()) }
    }

    /// The state at `tick`, from the buffers as the device has sorted them; `memory` is empty where
    /// agents remember nothing.
    pub fn state(
        &self,
        tick: u64,
        agents: &[[f32; 4]],
        tags: &[u32],
        memory: &[Memory],
    ) -> Result<FlockState, String> {
        let count = self.ids.len();
        let mut flock = FlockState {
            tick,
            id: self.ids.to_vec(),
            species: self.species.to_vec(),
            position: vec![Point::ZERO; count],
            velocity: vec![Point::ZERO; count],
            memory: vec![Memory::default(); if memory.is_empty() { 0 } else { count }],
        };
        for (index, (agent, tag)) in agents.iter().zip(tags).take(count).enumerate() {
            let row = (tag & tables::ID_BITS) as usize;
            if row >= count {
                return Err(format!("agent {row} of {count} does not exist"));
            }
            flock.position[row] = Point::new(agent[0], agent[1]);
            flock.velocity[row] = Point::new(agent[2], agent[3]);
            if let Some(slot) = flock.memory.get_mut(row) {
                *slot = memory[index];
            }
        }
        Ok(flock)
    }
}

/// What a snapshot is made of.
pub struct Sources<'a> {
    /// Ticks submitted.
    pub tick: u64,
    /// Who the agents are.
    pub rows: &'a Rows,
    /// The buffers of the agents: `state`, `tag` and, where they remember, `memory`.
    pub agents: [Option<&'a wgpu::Buffer>; 3],
    /// The buffer of the targets, where they move by themselves.
    pub targets: Option<&'a wgpu::Buffer>,
}

/// Takes over what the device has made of the targets.
pub type ReadTargets = Box<dyn FnOnce(&[u8]) -> Vec<Target>>;

/// A copy under way.
pub struct Transfer {
    staging: wgpu::Buffer,
    mapped: Arc<AtomicBool>,
    tick: u64,
    rows: Rows,
    /// Bytes of `state`, `tag`, `memory` and `targets` in the copy, one behind the other.
    sizes: [usize; 4],
    read_targets: Option<ReadTargets>,
    /// What has been taken over, and how many bytes of it.
    words: Vec<u32>,
    taken: usize,
    /// From the thread that puts the agents in order.
    done: Option<Receiver<Option<Snapshot>>>,
}

impl std::fmt::Debug for Transfer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Transfer").field("tick", &self.tick).finish_non_exhaustive()
    }
}

/// How far a transfer has come.
pub enum Progress {
    /// Ask again.
    UnderWay,
    /// It is here.
    Done(Box<Snapshot>),
    /// It will never come.
    Failed,
}

impl Transfer {
    /// Has the device copy; none where there is no room for it.
    pub fn begin(gpu: &Gpu, sources: &Sources<'_>, read_targets: ReadTargets) -> Option<Self> {
        let [state, tag, memory] = sources.agents;
        let buffers = [state, tag, memory, sources.targets];
        let sizes = buffers.map(|buffer| buffer.map_or(0, wgpu::Buffer::size));
        let bytes: u64 = sizes.iter().sum();
        if bytes == 0 || bytes > MOST_BYTES.min(gpu.device.limits().max_buffer_size) {
            return None;
        }
        let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let staging = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("snapshot"),
            size: bytes,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        if pollster::block_on(scope.pop()).is_some() {
            return None;
        }
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let mut offset = 0;
        for (buffer, size) in buffers.into_iter().zip(sizes) {
            if let Some(buffer) = buffer {
                encoder.copy_buffer_to_buffer(buffer, 0, &staging, offset, size);
            }
            offset += size;
        }
        gpu.queue.submit([encoder.finish()]);
        let mapped = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&mapped);
        staging.slice(..).map_async(wgpu::MapMode::Read, move |result| {
            told.store(result.is_ok(), Ordering::Release);
        });
        Some(Self {
            staging,
            mapped,
            tick: sources.tick,
            rows: sources.rows.clone(),
            sizes: sizes.map(|size| size as usize),
            read_targets: Some(read_targets),
            words: Vec::new(),
            taken: 0,
            done: None,
        })
    }

    /// Takes over a portion, if the copy has arrived.
    pub fn advance(&mut self) -> Progress {
        if let Some(done) = &self.done {
            return match done.try_recv() {
                Ok(Some(snapshot)) => Progress::Done(Box::new(snapshot)),
                Err(TryRecvError::Empty) => Progress::UnderWay,
                Ok(None) | Err(TryRecvError::Disconnected) => Progress::Failed,
            };
        }
        if !self.mapped.load(Ordering::Acquire) {
            return Progress::UnderWay;
        }
        let bytes: usize = self.sizes.iter().sum();
        self.words.resize(bytes.div_ceil(4), 0);
        let until = bytes.min(self.taken + PORTION);
        let part = self.taken as u64..until as u64;
        let Ok(view) = self.staging.slice(part).get_mapped_range() else { return Progress::Failed };
        bytemuck::cast_slice_mut(&mut self.words)[self.taken..until].copy_from_slice(&view);
        drop(view);
        self.taken = until;
        if until == bytes {
            self.staging.unmap();
            self.finish();
        }
        Progress::UnderWay
    }

    /// Puts the agents in order, on another thread.
    fn finish(&mut self) {
        let [state, tag, memory, _] = self.sizes;
        let words = std::mem::take(&mut self.words);
        let targets = &bytemuck::cast_slice(&words)[state + tag + memory..];
        let targets = self.read_targets.take().map_or_else(Vec::new, |read| read(targets));
        let (tick, rows) = (self.tick, self.rows.clone());
        let (send, receive) = channel();
        self.done = Some(receive);
        rayon::spawn(move || {
            let (agents, rest) = words.split_at(state / 4);
            let (tags, rest) = rest.split_at(tag / 4);
            let memory = bytemuck::cast_slice(&rest[..memory / 4]);
            let state = rows.state(tick, bytemuck::cast_slice(agents), tags, memory);
            // Nobody listens any more where another flock has been loaded.
            let _ = send.send(state.ok().map(|state| Snapshot { state, targets }));
        });
    }
}
