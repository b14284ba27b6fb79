//! Things in a space other than agents: the pipelines of `shaders/draw_solids.wgsl`.

use std::sync::Arc;

use super::drawing::{Drawing, LIGHT, module};
use super::resources::buffer;
use crate::camera::Camera;
use crate::space::Depth;
use crate::space::solids::Corner;
use crate::style::light_of_paint;
use flockwork_engine::gpu::{Gpu, shaders};

/// Draws triangles on textures of one format.
#[derive(Debug)]
pub struct SolidPipelines {
    gpu: Arc<Gpu>,
    as_light: bool,
    /// In the order of [`Depth`].
    pipelines: [wgpu::RenderPipeline; 4],
}

impl SolidPipelines {
    /// Pipelines for targets of `format` with so many samples a pixel.
    pub fn new(gpu: Arc<Gpu>, format: wgpu::TextureFormat, samples: u32) -> Self {
        let module = module(&gpu.device, "draw_solids", shaders::DRAW_SOLIDS);
        let entries = ["solid_corner", "paint_solid"];
        let depths = [Depth::Ignore, Depth::Write, Depth::Only, Depth::Test];
        let pipelines = depths.map(|depth| {
            let drawing = Drawing {
                vertices: Some(wgpu::VertexBufferLayout {
                    array_stride: size_of::<Corner>() as u64,
                    step_mode: wgpu::VertexStepMode::Vertex,
                    attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x4],
                }),
                samples,
                ..Drawing::on(format, "draw_solids", &module, entries, None)
            };
            drawing.with_depth(depth).compile(&gpu.device)
        });
        Self { gpu, as_light: format == LIGHT, pipelines }
    }

    /// Records the drawing of triangles that a camera sees.
    pub fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        depth: Depth,
        corners: &[Corner],
        camera: &Camera,
    ) {
        if corners.is_empty() {
            return;
        }
        let placed = corners.iter().map(|corner| {
            let [x, y, near] = corner.position;
            let place = [2.0 * x / camera.size.x - 1.0, 1.0 - 2.0 * y / camera.size.y, near];
            let colour = if self.as_light { light_of_paint(corner.colour) } else { corner.colour };
            Corner { position: place, colour }
        });
        let placed: Vec<Corner> = placed.collect();
        let bytes: &[u8] = bytemuck::cast_slice(&placed);
        let buffer =
            buffer(&self.gpu, "draw_solids", bytes.len() as u64, wgpu::BufferUsages::VERTEX);
        self.gpu.queue.write_buffer(&buffer, 0, bytes);
        pass.set_pipeline(&self.pipelines[depth as usize]);
        pass.set_vertex_buffer(0, buffer.slice(..));
        pass.draw(0..placed.len() as u32, 0..1);
    }
}
