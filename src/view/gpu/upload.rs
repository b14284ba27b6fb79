//! Copies a flock from the host to where the renderer can draw it.

use std::sync::Arc;

use rayon::prelude::*;

use crate::engine::EngineError;
use crate::engine::gpu::{Agents, Gpu, SPECIES_SHIFT};
use crate::model::state::FlockState;

/// A copy of a flock on the GPU, for engines that keep theirs on the host.
#[derive(Debug)]
pub struct UploadedAgents {
    gpu: Arc<Gpu>,
    state: wgpu::Buffer,
    tag: wgpu::Buffer,
    memory: wgpu::Buffer,
    rows: Vec<[f32; 4]>,
    tags: Vec<u32>,
    remembers: bool,
    /// The cell counts are unknown, so this says that cells are as full as possible.
    grid_stats: wgpu::Buffer,
}

impl UploadedAgents {
    /// An empty copy.
    #[must_use]
    pub fn new(gpu: Arc<Gpu>) -> Self {
        let state = buffer(&gpu, "uploaded state", 16);
        let tag = buffer(&gpu, "uploaded tag", 4);
        let memory = buffer(&gpu, "uploaded memory", 4);
        let grid_stats = buffer(&gpu, "uploaded grid_stats", 4);
        gpu.queue.write_buffer(&grid_stats, 0, bytemuck::bytes_of(&u32::MAX));
        let (rows, tags) = (Vec::new(), Vec::new());
        Self { gpu, state, tag, memory, rows, tags, remembers: false, grid_stats }
    }

    /// Replaces the copy. Fails when the flock does not fit a buffer of this device.
    pub fn upload(&mut self, flock: &FlockState) -> Result<(), EngineError> {
        let rows = flock.position.par_iter().zip(&flock.velocity);
        rows.map(|(p, v)| [p.x, p.y, v.x, v.y]).collect_into_vec(&mut self.rows);
        // Tags without ids: nothing reads the id of an uploaded agent.
        let tags = flock.species.par_iter();
        tags.map(|species| u32::from(*species) << SPECIES_SHIFT).collect_into_vec(&mut self.tags);

        let rows: &[u8] = bytemuck::cast_slice(&self.rows);
        let tags: &[u8] = bytemuck::cast_slice(&self.tags);
        let largest = self.gpu.device.limits().max_buffer_size;
        if rows.len() as u64 > largest {
            return Err(EngineError::TooMany {
                count: flock.len() as u64,
                adapter: self.gpu.name(),
                limit: format!("a buffer of {largest} bytes"),
                largest: largest / 16,
            });
        }
        // A state whose memory is missing or of another length shows none.
        self.remembers = flock.memory.len() == flock.len();
        let memory: &[u8] =
            if self.remembers { bytemuck::cast_slice(&flock.memory) } else { Default::default() };
        for (slot, label, bytes) in [
            (&mut self.state, "uploaded state", rows),
            (&mut self.tag, "uploaded tag", tags),
            (&mut self.memory, "uploaded memory", memory),
        ] {
            if slot.size() < bytes.len() as u64 {
                *slot = buffer(&self.gpu, label, bytes.len() as u64);
            }
            self.gpu.queue.write_buffer(slot, 0, bytes);
        }
        Ok(())
    }

    /// The copy, for [`super::renderer::Renderer::draw`].
    #[must_use]
    pub fn agents(&self) -> Agents<'_> {
        Agents {
            state: &self.state,
            tag: &self.tag,
            memory: self.remembers.then_some(&self.memory),
            count: self.rows.len() as u32,
            grid_stats: &self.grid_stats,
        }
    }
}

fn buffer(gpu: &Gpu, label: &str, size: u64) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}
