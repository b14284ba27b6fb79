//! Agents in space: the pipelines of `shaders/draw_bodies.wgsl`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::chunks::{self, Chunk};
use super::drawing::{Drawing, LIGHT, PictureFeatures, composed};
use super::resources::{bind, buffer_entry, made_for};
use super::shade::depths_entry;
use crate::space::Depth;
use flockwork_engine::EngineError;
use flockwork_engine::gpu::Gpu;
use flockwork_engine::gpu::shaders::Variant;

/// The draw calls of the agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Shadows on the floor, without a depth.
    Shadows,
    /// Darts.
    Bodies,
    /// Birds.
    Birds,
    /// Fish.
    Fish,
    /// Discs.
    Balls,
    /// Glows, which hide nothing.
    Glows,
}

impl Part {
    fn entries(self) -> [&'static str; 2] {
        match self {
            Self::Shadows => ["shadow_corner", "paint_shadow"],
            Self::Bodies => ["body_corner", "paint_body"],
            Self::Birds => ["bird_corner", "paint_body"],
            Self::Fish => ["fish_corner", "paint_body"],
            Self::Balls => ["ball_corner", "paint_ball"],
            Self::Glows => ["glow_corner", "paint_glow"],
        }
    }

    /// Vertices of an agent.
    fn corners(self) -> u32 {
        match self {
            Self::Bodies => 18,
            Self::Birds | Self::Fish => 30,
            Self::Shadows | Self::Balls | Self::Glows => 3,
        }
    }

    fn depth(self) -> Depth {
        match self {
            Self::Shadows => Depth::Ignore,
            Self::Bodies | Self::Birds | Self::Fish | Self::Balls => Depth::Write,
            Self::Glows => Depth::Test,
        }
    }
}

/// Draws agents in space on textures of one format, with so many samples a pixel.
#[derive(Debug)]
pub struct Bodies {
    gpu: Arc<Gpu>,
    format: wgpu::TextureFormat,
    samples: u32,
    layout: wgpu::BindGroupLayout,
    /// Compiled on first use; for pictures, and for mirrored ones.
    pipelines: BTreeMap<(Part, PictureFeatures, bool), wgpu::RenderPipeline>,
}

impl Bodies {
    /// Pipelines for targets of `format`.
    pub fn new(gpu: Arc<Gpu>, format: wgpu::TextureFormat, samples: u32) -> Self {
        let both = wgpu::ShaderStages::VERTEX_FRAGMENT;
        let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("draw_bodies"),
            entries: &[&chunks::layout_entries(both)[..], &[depths_entry(both)]].concat(),
        });
        Self { gpu, format, samples, layout, pipelines: BTreeMap::new() }
    }

    /// Binds agents, the uniform `picture`, and the shade's depths.
    pub fn bind(
        &self,
        chunk: &Chunk<'_>,
        picture: &wgpu::Buffer,
        depths: &wgpu::Buffer,
    ) -> wgpu::BindGroup {
        let entries = [&chunk.entries(picture)[..], &[buffer_entry(7, depths)]].concat();
        bind(&self.gpu, "draw_bodies", &self.layout, &entries)
    }

    /// Records the drawing of a part of all agents. Fails if its shader does not compile.
    pub fn draw(
        &mut self,
        pass: &mut wgpu::RenderPass<'_>,
        part: Part,
        chunks: &[(wgpu::BindGroup, u32)],
        looks: PictureFeatures,
        mirrored: bool,
    ) -> Result<(), EngineError> {
        let pipeline = made_for(&mut self.pipelines, (part, looks, mirrored), || {
            let as_light = self.format == LIGHT;
            let variant = Variant { flat: false, as_light, ..looks.variant(false) };
            let module = composed(&self.gpu, "draw_bodies", variant)?;
            let behind = if mirrored { wgpu::Face::Front } else { wgpu::Face::Back };
            let group = Some(&self.layout);
            let drawing = Drawing {
                cull_mode: (part.corners() > 3).then_some(behind),
                samples: self.samples,
                ..Drawing::on(self.format, "draw_bodies", &module, part.entries(), group)
            };
            Ok(drawing.with_depth(part.depth()).compile(&self.gpu.device))
        })?;
        pass.set_pipeline(pipeline);
        for (group, count) in chunks {
            pass.set_bind_group(0, group, &[]);
            pass.draw(0..part.corners() * count, 0..1);
        }
        Ok(())
    }
}
