//! Splits a flock into chunks no longer than the device's longest binding, and binds them for
//! `shaders/agents.wgsl` and `shaders/picture.wgsl`.

use super::resources::{buffer_entry, entry};
use flockwork_engine::gpu::row::{MEMORY_BYTES, TAG_BYTES};
use flockwork_engine::gpu::{AgentBuffers, Gpu};

/// Consecutive agents.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    agents: &'a AgentBuffers,
    start: u64,
    /// Number of agents.
    pub length: u32,
}

impl<'a> Chunk<'a> {
    /// All agents, chunk by chunk.
    pub fn all(gpu: &Gpu, agents: &'a AgentBuffers) -> impl Iterator<Item = Self> {
        let limits = gpu.device.limits();
        let longest = limits.max_storage_buffer_binding_size / agents.layout.bytes();
        // A chunk must start at an offset that bindings allow, also in the array with the smallest
        // elements.
        let step = u64::from(limits.min_storage_buffer_offset_alignment) / TAG_BYTES;
        let step = step.max(1);
        // The indices of all vertices fit 32 bits: a body has 30, and there are 2²⁷ agents at most.
        let chunk = (longest / step * step).max(step);
        let count = u64::from(agents.count);
        let starts = (0..count).step_by(usize::try_from(chunk).unwrap_or(usize::MAX));
        starts.map(move |start| Self { agents, start, length: chunk.min(count - start) as u32 })
    }

    /// Its part of a buffer with so many bytes an agent.
    pub fn part<'b>(&self, buffer: &'b wgpu::Buffer, bytes: u64) -> wgpu::BindingResource<'b> {
        wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer,
            offset: self.start * bytes,
            size: wgpu::BufferSize::new(u64::from(self.length) * bytes),
        })
    }

    /// Binds the agents and the uniform `picture`.
    pub fn entries(&self, picture: &'a wgpu::Buffer) -> [wgpu::BindGroupEntry<'a>; 4] {
        // Without memory any buffer will do, because the shader does not read it.
        let memory = self.agents.memory.as_ref().unwrap_or(&self.agents.tag);
        [
            entry(0, self.part(&self.agents.state, self.agents.layout.bytes())),
            entry(1, self.part(&self.agents.tag, TAG_BYTES)),
            buffer_entry(2, picture),
            entry(3, self.part(memory, MEMORY_BYTES)),
        ]
    }
}

/// The layout entry of a buffer.
pub fn layout_entry(
    binding: u32,
    visibility: wgpu::ShaderStages,
    ty: wgpu::BufferBindingType,
) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

/// The layout of [`Chunk::entries`].
pub fn layout_entries(visibility: wgpu::ShaderStages) -> [wgpu::BindGroupLayoutEntry; 4] {
    let storage = wgpu::BufferBindingType::Storage { read_only: true };
    let uniform = wgpu::BufferBindingType::Uniform;
    [(0, storage), (1, storage), (2, uniform), (3, storage)]
        .map(|(binding, ty)| layout_entry(binding, visibility, ty))
}
