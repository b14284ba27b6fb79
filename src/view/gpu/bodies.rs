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
use flockwork_model::scene::BoidShape;

/// A draw call of agents.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The entry points of the shader for vertices and fragments.
    entries: [&'static str; 2],
    /// Vertices of an agent.
    corners: u32,
    depth: Depth,
}

impl Part {
    /// Shadows on the floor.
    pub const SHADOWS: Self =
        Self { entries: ["shadow_corner", "paint_shadow"], corners: 3, depth: Depth::Ignore };

    /// The bodies of this shape.
    pub fn of(shape: BoidShape) -> Self {
        let (entries, corners, depth) = match shape {
            BoidShape::Triangle => (["body_corner", "paint_body"], 18, Depth::Write),
            BoidShape::Bird => (["bird_corner", "paint_body"], 30, Depth::Write),
            BoidShape::Fish => (["fish_corner", "paint_body"], 30, Depth::Write),
            BoidShape::Disc => (["ball_corner", "paint_ball"], 3, Depth::Write),
            // It hides nothing.
            BoidShape::Glow => (["glow_corner", "paint_glow"], 3, Depth::Test),
        };
        Self { entries, corners, depth }
    }
}

/// Draws agents in space on textures of one format, with so many samples a pixel.
#[derive(Debug)]
pub struct Bodies {
    gpu: Arc<Gpu>,
    format: wgpu::TextureFormat,
    samples: u32,
    layout: wgpu::BindGroupLayout,
    /// By the entry point for vertices; for pictures, and for mirrored ones. Compiled on first use.
    pipelines: BTreeMap<(&'static str, PictureFeatures, bool), wgpu::RenderPipeline>,
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
        Part { entries, corners, depth }: Part,
        chunks: &[(wgpu::BindGroup, u32)],
        looks: PictureFeatures,
        mirrored: bool,
    ) -> Result<(), EngineError> {
        let pipeline = made_for(&mut self.pipelines, (entries[0], looks, mirrored), || {
            let as_light = self.format == LIGHT;
            let variant = Variant { flat: false, as_light, ..looks.variant(false) };
            let module = composed(&self.gpu, "draw_bodies", variant)?;
            let behind = if mirrored { wgpu::Face::Front } else { wgpu::Face::Back };
            let group = Some(&self.layout);
            let drawing = Drawing {
                cull_mode: (corners > 3).then_some(behind),
                samples: self.samples,
                ..Drawing::on(self.format, "draw_bodies", &module, entries, group)
            };
            Ok(drawing.with_depth(depth).compile(&self.gpu.device))
        })?;
        pass.set_pipeline(pipeline);
        for (group, count) in chunks {
            pass.set_bind_group(0, group, &[]);
            pass.draw(0..corners * count, 0..1);
        }
        Ok(())
    }
}
