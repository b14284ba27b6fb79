//! The sky behind a space: the pipeline of `shaders/draw_sky.wgsl`.

use std::sync::Arc;

use super::chunks::layout_entry;
use super::drawing::Drawing;
use flockwork_engine::EngineError;
use flockwork_engine::gpu::Gpu;
use flockwork_engine::gpu::shaders::{Variant, compose};

/// Draws the sky.
#[derive(Debug)]
pub struct SkyPipeline {
    gpu: Arc<Gpu>,
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::RenderPipeline,
}

impl SkyPipeline {
    /// A pipeline for pictures of light with so many samples a pixel.
    pub fn new(
        gpu: &Arc<Gpu>,
        format: wgpu::TextureFormat,
        samples: u32,
    ) -> Result<Self, EngineError> {
        let variant =
            Variant { flat: false, as_light: true, ..Variant::of_drawing(false, false, false) };
        let composed = compose("draw_sky", variant);
        let (wgsl, _) = composed.map_err(|error| gpu.error(error.to_string()))?;
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("draw_sky"),
            source: wgpu::ShaderSource::Wgsl(wgsl.into()),
        });
        let both = wgpu::ShaderStages::VERTEX_FRAGMENT;
        let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("draw_sky"),
            entries: &[layout_entry(2, both, wgpu::BufferBindingType::Uniform)],
        });
        let entries = ["cover", "paint_sky"];
        let drawing =
            Drawing { samples, ..Drawing::on(format, "draw_sky", &module, entries, Some(&layout)) };
        Ok(Self { pipeline: drawing.compile(&gpu.device), layout, gpu: Arc::clone(gpu) })
    }

    /// Records the drawing over the whole target.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, picture: &wgpu::Buffer) {
        let group = self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("draw_sky"),
            layout: &self.layout,
            entries: &[wgpu::BindGroupEntry { binding: 2, resource: picture.as_entire_binding() }],
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
    }
}
