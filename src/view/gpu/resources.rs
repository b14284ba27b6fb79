//! Buffers, textures and bind groups of this folder, and what is kept of them from picture to picture.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use flockwork_engine::EngineError;
use flockwork_engine::gpu::Gpu;

/// A buffer for this use, which the host may write to.
pub fn buffer(gpu: &Gpu, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size,
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// A texture for this use; `samples` is the number of samples a pixel.
pub fn texture(
    gpu: &Gpu,
    label: &str,
    (size, samples): (wgpu::Extent3d, u32),
    format: wgpu::TextureFormat,
    usage: wgpu::TextureUsages,
) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size,
        mip_level_count: 1,
        sample_count: samples,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}

/// A texture that passes draw on and read.
pub fn canvas(
    gpu: &Gpu,
    label: &str,
    size: wgpu::Extent3d,
    format: wgpu::TextureFormat,
) -> wgpu::TextureView {
    let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING;
    texture(gpu, label, (size, 1), format, usage).create_view(&Default::default())
}

/// A texture that passes draw on and never read; `samples` is the number of samples a pixel.
pub fn attachment(
    gpu: &Gpu,
    label: &str,
    (size, samples): (wgpu::Extent3d, u32),
    format: wgpu::TextureFormat,
) -> wgpu::TextureView {
    let usage = wgpu::TextureUsages::RENDER_ATTACHMENT;
    texture(gpu, label, (size, samples), format, usage).create_view(&Default::default())
}

/// Reads between texels; beyond the edge is the texel at the edge.
pub fn sampler(device: &wgpu::Device) -> wgpu::Sampler {
    device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("between texels"),
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        ..Default::default()
    })
}

/// The entry of a bind group.
pub fn entry(binding: u32, resource: wgpu::BindingResource<'_>) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry { binding, resource }
}

/// The entry of a whole buffer.
pub fn buffer_entry(binding: u32, buffer: &wgpu::Buffer) -> wgpu::BindGroupEntry<'_> {
    entry(binding, buffer.as_entire_binding())
}

/// The entry of a texture.
pub fn texture_entry(binding: u32, view: &wgpu::TextureView) -> wgpu::BindGroupEntry<'_> {
    entry(binding, wgpu::BindingResource::TextureView(view))
}

/// The first bytes of a buffer.
pub fn beginning(buffer: &wgpu::Buffer, bytes: u64) -> wgpu::BindingResource<'_> {
    let size = wgpu::BufferSize::new(bytes);
    wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: 0, size })
}

/// A bind group.
pub fn bind(
    gpu: &Gpu,
    label: &str,
    layout: &wgpu::BindGroupLayout,
    entries: &[wgpu::BindGroupEntry<'_>],
) -> wgpu::BindGroup {
    let label = Some(label);
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label, layout, entries })
}

/// The texture that is kept if it has this size; if not, a new one, which is kept from now on.
pub fn of_size(
    kept: &mut Option<wgpu::TextureView>,
    size: wgpu::Extent3d,
    new: impl FnOnce() -> wgpu::TextureView,
) -> wgpu::TextureView {
    let fitting = kept.take().filter(|view| view.texture().size() == size);
    kept.insert(fitting.unwrap_or_else(new)).clone()
}

/// The value that is kept; made on first use.
pub fn made<T>(
    kept: &mut Option<T>,
    make: impl FnOnce() -> Result<T, EngineError>,
) -> Result<&mut T, EngineError> {
    match kept {
        Some(made) => Ok(made),
        none => Ok(none.insert(make()?)),
    }
}

/// The same of what is kept under a key.
pub fn made_for<K: Ord, T>(
    kept: &mut BTreeMap<K, T>,
    key: K,
    make: impl FnOnce() -> Result<T, EngineError>,
) -> Result<&mut T, EngineError> {
    match kept.entry(key) {
        Entry::Occupied(made) => Ok(made.into_mut()),
        Entry::Vacant(free) => Ok(free.insert(make()?)),
    }
}
