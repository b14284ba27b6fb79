//! Copies a flock from the host to the GPU, for the renderer.

use std::sync::Arc;

use rayon::prelude::*;

use super::resources::buffer;
use crate::clusters::memory_of;
use flockwork_engine::gpu::row::{MEMORY_BYTES, MotionLayout, MotionRow, TAG_BYTES, Tag};
use flockwork_engine::gpu::{AgentBuffers, Gpu};
use flockwork_engine::{Component, EngineError, HostAgents};
use flockwork_model::scene::Scene;
use flockwork_model::vector::Point;

/// A copy of a flock on the GPU, for engines that keep the flock on the host.
#[derive(Debug)]
pub struct UploadedAgents {
    gpu: Arc<Gpu>,
    /// Space for the agents' memory, also while they have none.
    memory: wgpu::Buffer,
    motions: Vec<MotionRow>,
    tags: Vec<Tag>,
    /// `grid_stats` claims the fullest possible cells, because the cell counts are unknown.
    buffers: AgentBuffers,
}

impl UploadedAgents {
    /// An empty copy.
    #[must_use]
    pub fn new(gpu: Arc<Gpu>) -> Self {
        let storage = |label, bytes| buffer(&gpu, label, bytes, wgpu::BufferUsages::STORAGE);
        let state = storage("uploaded state", MotionLayout::SPACE.bytes());
        let tag = storage("uploaded tag", TAG_BYTES);
        let memory = storage("uploaded memory", MEMORY_BYTES);
        let grid_stats = storage("uploaded grid_stats", 4);
        gpu.queue.write_buffer(&grid_stats, 0, bytemuck::bytes_of(&u32::MAX));
        let buffers = AgentBuffers {
            gpu: Arc::clone(&gpu),
            tick: 0,
            state,
            layout: MotionLayout::PLANE,
            tag,
            memory: None,
            count: 0,
            ids: 0,
            grid_stats,
            cells: None,
        };
        Self { gpu, memory, motions: Vec::new(), tags: Vec::new(), buffers }
    }

    /// Replaces the copy by agents of a world that is flat or not. Fails if the flock does not fit a buffer of
    /// this device.
    pub fn upload<'a>(
        &mut self,
        agents: impl Into<HostAgents<'a>>,
        is_flat: bool,
    ) -> Result<(), EngineError> {
        let agents = agents.into();
        let point = |components: [Component<'_>; 3], agent| {
            Point::from_array(components.map(|component| component.get(agent)))
        };
        let plain = if is_flat { MotionLayout::PLANE } else { MotionLayout::SPACE };
        let layout = plain.keeping(agents.kept_names);
        (self.buffers.layout, self.buffers.tick) = (layout, agents.tick);
        self.motions.resize(agents.len() * layout.rows(), [0.0; 4]);
        self.motions.par_chunks_exact_mut(layout.rows()).enumerate().for_each(|(agent, rows)| {
            let [position, velocity] =
                [agents.position, agents.velocity].map(|components| point(components, agent));
            let kept = agents.kept.map(|numbers| numbers.get(agent));
            layout.write(position, velocity, kept, rows);
        });
        let tags = agents.species.par_iter().zip(agents.id);
        tags.map(|(species, id)| Tag::of(*species, *id)).collect_into_vec(&mut self.tags);

        let motions: &[u8] = bytemuck::cast_slice(&self.motions);
        let tags: &[u8] = bytemuck::cast_slice(&self.tags);
        let largest = self.gpu.device.limits().max_buffer_size;
        if motions.len() as u64 > largest {
            return Err(EngineError::TooMany {
                count: agents.len() as u64,
                adapter: self.gpu.name(),
                limit: format!("a buffer of {largest} bytes"),
                largest: largest / layout.bytes(),
            });
        }
        // A memory of another length is not shown.
        let remembers = agents.memory.len() == agents.len();
        let memory: &[u8] =
            if remembers { bytemuck::cast_slice(agents.memory) } else { Default::default() };
        for (slot, label, bytes) in [
            (&mut self.buffers.state, "uploaded state", motions),
            (&mut self.buffers.tag, "uploaded tag", tags),
            (&mut self.memory, "uploaded memory", memory),
        ] {
            if slot.size() < bytes.len() as u64 {
                *slot = buffer(&self.gpu, label, bytes.len() as u64, wgpu::BufferUsages::STORAGE);
            }
            self.gpu.queue.write_buffer(slot, 0, bytes);
        }
        self.buffers.memory = remembers.then(|| self.memory.clone());
        self.buffers.count = agents.len() as u32;
        let largest = self.tags.par_iter().map(|tag| tag.id()).max();
        self.buffers.ids = largest.map_or(0, |largest| largest + 1);
        Ok(())
    }

    /// The same for a picture of `scene`, whose colours may show connected groups.
    pub fn upload_for(&mut self, scene: &Scene, agents: HostAgents<'_>) -> Result<(), EngineError> {
        let clustered = memory_of(scene, &agents);
        let memory = clustered.as_deref().unwrap_or(agents.memory);
        self.upload(HostAgents { memory, ..agents }, scene.world.is_flat())
    }

    /// The copy, for [`super::renderer::Renderer::draw`].
    #[must_use]
    pub fn agents(&self) -> &AgentBuffers {
        &self.buffers
    }
}
