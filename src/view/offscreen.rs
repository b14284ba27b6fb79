//! Pictures without a window: the renderer onto a texture, and the texture to the host.

use std::sync::Arc;

use super::Painter;
use super::camera::Camera;
use super::frame::Frame;
use super::pencil;
use super::renderer::{Method, Renderer};
use super::sketch::Mark;
use super::upload::UploadedAgents;
use crate::engine::gpu::{Agents, Gpu};
use crate::engine::{Engine, EngineError};
use crate::model::behaviours::Target;
use crate::model::scene::Scene;

const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
const PIXEL_BYTES: u32 = 4;

/// A picture of fixed size that flocks are drawn on.
#[derive(Debug)]
pub struct Offscreen {
    gpu: Arc<Gpu>,
    renderer: Renderer,
    texture: wgpu::Texture,
    staging: wgpu::Buffer,
    row_bytes: u32,
}

impl Offscreen {
    /// A picture of `width` × `height` pixels. Fails when it is larger than this device can draw.
    pub fn new(gpu: Arc<Gpu>, width: u32, height: u32) -> Result<Self, EngineError> {
        let limits = gpu.device.limits();
        let side = limits.max_texture_dimension_2d;
        if width == 0 || height == 0 || width > side || height > side {
            return Err(gpu.error(format!(
                "cannot draw a picture of {width}x{height} pixels: each side is from 1 to {side} \
                 here; choose a smaller --size"
            )));
        }
        // Rows of a copied texture start at multiples of 256 bytes.
        let row_bytes = (width * PIXEL_BYTES).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let bytes = u64::from(row_bytes) * u64::from(height);
        if bytes > limits.max_buffer_size {
            return Err(gpu.error(format!(
                "cannot read back a picture of {width}x{height} pixels: its {bytes} bytes exceed \
                 the longest buffer, {} bytes; choose a smaller --size",
                limits.max_buffer_size
            )));
        }
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("offscreen"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let staging = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("offscreen"),
            size: bytes,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let renderer = Renderer::new(Arc::clone(&gpu), FORMAT);
        Ok(Self { gpu, renderer, texture, staging, row_bytes })
    }

    /// Draws `agents` as `camera` sees them, over the scenery of `scene` with its `targets` as they
    /// are now, and brings the picture to the host.
    pub fn render(
        &mut self,
        agents: Agents<'_>,
        scene: &Scene,
        targets: &[Target],
        camera: &Camera,
    ) -> Result<Frame, EngineError> {
        let view = self.texture.create_view(&Default::default());
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        self.renderer.draw(&mut encoder, &view, agents, scene, targets, camera)?;
        encoder.copy_texture_to_buffer(
            self.texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &self.staging,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(self.row_bytes),
                    rows_per_image: None,
                },
            },
            self.texture.size(),
        );
        self.gpu.queue.submit([encoder.finish()]);
        self.staging.slice(..).map_async(wgpu::MapMode::Read, |_| {});
        self.gpu.wait()?;
        let frame = self.frame();
        self.staging.unmap();
        frame
    }

    /// How agents are drawn from now on.
    pub fn set_method(&mut self, method: Method) {
        self.renderer.set_method(method);
    }

    /// Pixels to the point, as on a screen with small ones; 1 until told otherwise.
    pub fn set_scale(&mut self, scale: f32) {
        self.renderer.set_scale(scale);
    }

    /// Draws the flock of an engine: where it is, when that is on this device, else uploaded.
    fn frame_of(
        &mut self,
        engine: &mut dyn Engine,
        scene: &Scene,
        camera: &Camera,
    ) -> Result<Frame, EngineError> {
        let targets = engine.targets()?;
        if let Some(agents) = engine.gpu_agents() {
            return self.render(agents, scene, &targets, camera);
        }
        let state = engine.read_back()?;
        let mut uploaded = UploadedAgents::new(Arc::clone(&self.gpu));
        uploaded.upload(&state)?;
        self.render(uploaded.agents(), scene, &targets, camera)
    }

    fn frame(&self) -> Result<Frame, EngineError> {
        let mapped = self.staging.slice(..).get_mapped_range();
        let mapped = mapped.map_err(|error| self.gpu.error(error.to_string()))?;
        let (width, height) = (self.texture.width(), self.texture.height());
        let row = (width * PIXEL_BYTES) as usize;
        let mut pixels = Vec::with_capacity(row * height as usize);
        for line in mapped.chunks(self.row_bytes as usize) {
            pixels.extend_from_slice(&line[..row]);
        }
        Ok(Frame { width, height, pixels })
    }
}

impl Painter for Offscreen {
    fn describe(&self) -> String {
        self.gpu.name()
    }

    fn paint(
        &mut self,
        engine: &mut dyn Engine,
        scene: &Scene,
        camera: &Camera,
        above: &[Mark],
    ) -> Result<Frame, EngineError> {
        let mut frame = self.frame_of(engine, scene, camera)?;
        pencil::draw(above, camera, 1.0, &mut frame);
        Ok(frame)
    }
}
