//! Pictures of light: a flock is drawn in linear light, which may be brighter than a screen, and then exposed
//! as film is, by `shaders/expose.wgsl`.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};

use super::bloom::{Bloom, sampler, sampler_entry, texture_entry};
use super::chunks::layout_entry;
use super::drawing::{Drawing, LIGHT};
use super::trails::canvas;
use flockwork_engine::gpu::{Gpu, shaders};
use flockwork_model::scene::Style;

/// The uniform of `expose.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Factors {
    /// Factor on all light.
    factor: f32,
    /// The share of the light that spreads.
    bloom: f32,
    /// Unused.
    padding: [f32; 2],
}

/// Exposes light on textures of one format.
#[derive(Debug)]
pub struct Exposure {
    gpu: Arc<Gpu>,
    light: Option<wgpu::TextureView>,
    /// Compiled when light spreads for the first time.
    bloom: Option<Bloom>,
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::RenderPipeline,
    between: wgpu::Sampler,
    uniform: wgpu::Buffer,
}

impl Exposure {
    /// The passes for targets of `format`.
    #[must_use]
    pub fn new(gpu: &Arc<Gpu>, format: wgpu::TextureFormat) -> Self {
        let device = &gpu.device;
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("expose"),
            source: wgpu::ShaderSource::Wgsl(shaders::EXPOSE.into()),
        });
        let fragment = wgpu::ShaderStages::FRAGMENT;
        let uniform = layout_entry(3, fragment, wgpu::BufferBindingType::Uniform);
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("expose"),
            entries: &[texture_entry(0), texture_entry(1), sampler_entry(2), uniform],
        });
        let entries = ["cover", "expose"];
        let mut drawing = Drawing::on(format, "expose", &module, entries, Some(&layout));
        drawing.target.blend = None;
        Self {
            pipeline: drawing.compile(device),
            light: None,
            bloom: None,
            between: sampler(device),
            uniform: device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("exposure"),
                size: size_of::<Factors>() as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
            layout,
            gpu: Arc::clone(gpu),
        }
    }

    /// The picture of light for a target.
    pub fn light_for(&mut self, target: &wgpu::TextureView) -> wgpu::TextureView {
        let size = target.texture().size();
        let kept = self.light.take().filter(|light| light.texture().size() == size);
        let light = kept.unwrap_or_else(|| canvas(&self.gpu, "light", size, LIGHT));
        self.light = Some(light.clone());
        light
    }

    /// Records the exposure of [`Self::light_for`] on its target, which has `scale` pixels per point. The
    /// uniform is written through the queue.
    pub fn expose(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        style: &Style,
        scale: f32,
    ) {
        let light = self.light_for(target);
        let spread = match style.bloom > 0.0 {
            true => {
                let bloom = self.bloom.get_or_insert_with(|| Bloom::new(&self.gpu));
                bloom.spread(encoder, &light, scale)
            }
            false => light.clone(),
        };
        let (factor, bloom) = (style.exposure.unwrap_or(1.0), style.bloom);
        let factors = Factors { factor, bloom, padding: [0.0; 2] };
        self.gpu.queue.write_buffer(&self.uniform, 0, bytemuck::bytes_of(&factors));
        let entry = |binding, resource| wgpu::BindGroupEntry { binding, resource };
        let group = self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("expose"),
            layout: &self.layout,
            entries: &[
                entry(0, wgpu::BindingResource::TextureView(&light)),
                entry(1, wgpu::BindingResource::TextureView(&spread)),
                entry(2, wgpu::BindingResource::Sampler(&self.between)),
                entry(3, self.uniform.as_entire_binding()),
            ],
        });
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("expose"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: target,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
    }
}
