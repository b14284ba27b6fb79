//! Agents as triangles: the pipelines of `shaders/draw_boids.wgsl`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::chunks::{self, Chunk};
use super::drawing::{Drawing, LIGHT, PictureFeatures, composed};
use super::order::{DrawOrder, ORDER_BYTES};
use super::resources::{attachment, bind, entry, made, made_for, of_size};
use flockwork_engine::EngineError;
use flockwork_engine::gpu::shaders::Variant;
use flockwork_engine::gpu::{AgentBuffers, Gpu};

/// Samples per pixel, if the format allows. A small dart is thinner than a pixel; without
/// multisampling it would blink as it moves.
const SAMPLES: u32 = 4;

/// Draws agents on textures of one format.
#[derive(Debug)]
pub struct Triangles {
    gpu: Arc<Gpu>,
    format: wgpu::TextureFormat,
    /// Samples per pixel.
    pub samples: u32,
    layout: wgpu::BindGroupLayout,
    /// For scenes with only darts or with all glyphs; compiled on first use.
    pipelines: BTreeMap<(bool, PictureFeatures), wgpu::RenderPipeline>,
    /// Compiled on first use.
    order: Option<DrawOrder>,
    sampled: Option<wgpu::TextureView>,
}

impl Triangles {
    /// Pipelines for targets of `format`; with one sample a pixel if `sharp`.
    pub fn new(gpu: Arc<Gpu>, format: wgpu::TextureFormat, sharp: bool) -> Self {
        let flags = gpu.adapter.get_texture_format_features(format).flags;
        let samples = if !sharp
            && flags.sample_count_supported(SAMPLES)
            && flags.contains(wgpu::TextureFormatFeatureFlags::MULTISAMPLE_RESOLVE)
        {
            SAMPLES
        } else {
            1
        };
        let order = wgpu::BufferBindingType::Storage { read_only: true };
        let order = chunks::layout_entry(4, wgpu::ShaderStages::VERTEX, order);
        let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("draw_boids"),
            entries: &[&chunks::layout_entries(wgpu::ShaderStages::VERTEX)[..], &[order]].concat(),
        });
        let (pipelines, order, sampled) = (Default::default(), None, None);
        Self { gpu, format, samples, layout, pipelines, order, sampled }
    }

    /// The pipeline for scenes with only darts, or the one for all glyphs, which computes a
    /// distance for every pixel.
    pub fn pipeline(
        &mut self,
        darts_alone: bool,
        looks: PictureFeatures,
    ) -> Result<&wgpu::RenderPipeline, EngineError> {
        let pipeline = made_for(&mut self.pipelines, (darts_alone, looks), || {
            let entries =
                if darts_alone { ["corner", "paint"] } else { ["glyph_corner", "glyph_paint"] };
            let as_light = self.format == LIGHT;
            let variant = Variant { as_light, ..looks.variant(false) };
            let module = composed(&self.gpu, "draw_boids", variant)?;
            let group = Some(&self.layout);
            let drawing = Drawing {
                samples: self.samples,
                ..Drawing::on(self.format, "draw_boids", &module, entries, group)
            };
            Ok(drawing.compile(&self.gpu.device))
        });
        pipeline.map(|pipeline| &*pipeline)
    }

    /// Sorts agents by id, and binds them with the uniform `picture`. Returns the bind group and the length
    /// of each chunk. Fails if a shader does not compile.
    pub fn bind(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        agents: &AgentBuffers,
        picture: &wgpu::Buffer,
    ) -> Result<Vec<(wgpu::BindGroup, u32)>, EngineError> {
        let chunks: Vec<_> = Chunk::all(&self.gpu, agents).collect();
        let order = made(&mut self.order, || DrawOrder::new(Arc::clone(&self.gpu)))?;
        let order = order.sort(encoder, agents, &chunks);
        let bound = |chunk: &Chunk<'_>| {
            let order = entry(4, chunk.part(&order, ORDER_BYTES));
            let entries = [&chunk.entries(picture)[..], &[order]].concat();
            (bind(&self.gpu, "draw_boids", &self.layout, &entries), chunk.length)
        };
        Ok(chunks.iter().map(bound).collect())
    }

    /// The multisampled texture to draw on first; `None` if agents are drawn on the target itself.
    pub fn sampled_like(&mut self, target: &wgpu::TextureView) -> Option<wgpu::TextureView> {
        let (size, samples) = (target.texture().size(), self.samples);
        let new = || attachment(&self.gpu, "draw_boids samples", (size, samples), self.format);
        (samples > 1).then(|| of_size(&mut self.sampled, size, new))
    }
}
