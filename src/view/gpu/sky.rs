//! The sky behind a space, and water under it: the pipelines of `shaders/draw_sky.wgsl`.

use std::sync::Arc;

use super::drawing::{Drawing, LIGHT, composed, cover};
use super::resources::{bind, buffer_entry, entry, sampler, texture_entry};
use flockwork_engine::EngineError;
use flockwork_engine::gpu::Gpu;
use flockwork_engine::gpu::shaders::Variant;

/// Draws the sky, or water.
#[derive(Debug)]
pub struct SkyPipeline {
    gpu: Arc<Gpu>,
    pipeline: wgpu::RenderPipeline,
    between: wgpu::Sampler,
}

impl SkyPipeline {
    /// A pipeline for targets of `format` with so many samples a pixel. Only pictures of light have a sky.
    pub fn new(
        gpu: &Arc<Gpu>,
        format: wgpu::TextureFormat,
        samples: u32,
        water: bool,
    ) -> Result<Self, EngineError> {
        let as_light = format == LIGHT;
        let variant = Variant { flat: false, as_light, ..Variant::of_drawing(false, false, false) };
        let module = composed(gpu, "draw_sky", variant)?;
        let entries = ["cover", if water { "paint_water" } else { "paint_sky" }];
        let drawing =
            Drawing { samples, ..Drawing::on(format, "draw_sky", &module, entries, None) };
        let (pipeline, between) = (drawing.compile(&gpu.device), sampler(&gpu.device));
        Ok(Self { pipeline, between, gpu: Arc::clone(gpu) })
    }

    /// Records the drawing over the whole target. Water shows the picture `mirror`.
    pub fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        picture: &wgpu::Buffer,
        mirror: Option<&wgpu::TextureView>,
    ) {
        let mut entries = vec![buffer_entry(2, picture)];
        if let Some(mirror) = mirror {
            entries.push(texture_entry(0, mirror));
            entries.push(entry(1, wgpu::BindingResource::Sampler(&self.between)));
        }
        let layout = self.pipeline.get_bind_group_layout(0);
        cover(pass, &self.pipeline, &bind(&self.gpu, "draw_sky", &layout, &entries));
    }
}
