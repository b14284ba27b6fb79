//! Draws a flock from the GPU's own buffers: the render pass of `shaders/draw_boids.wgsl`, over the
//! scenery.

use std::sync::Arc;

use super::background::Background;
use super::camera::Camera;
use super::look;
use super::picture::Picture;
use crate::engine::gpu::{Agents, Gpu};
use crate::model::behaviours::Target;
use crate::model::scene::{ColourBy, Look, Scene};

/// Text of the shader.
pub const SHADER: &str = include_str!("../../shaders/draw_boids.wgsl");

/// Samples a pixel, where the format allows. A dart seen from afar is thinner than a pixel, and
/// without them it is a dot that blinks as it moves.
const SAMPLES: u32 = 4;

/// Bytes of state, of tag and of memory that an agent takes.
const STATE_BYTES: u64 = 16;
const TAG_BYTES: u64 = 4;
const MEMORY_BYTES: u64 = 4;

/// Three vertices of each agent must be countable in 32 bits.
const MOST_AGENTS_A_DRAW: u64 = 1 << 30;

/// Draws flocks onto textures of one format.
#[derive(Debug)]
pub struct Renderer {
    gpu: Arc<Gpu>,
    /// For scenes of darts alone: other figures cost a distance in every pixel.
    darts: wgpu::RenderPipeline,
    /// For all scenes.
    figures: wgpu::RenderPipeline,
    layout: wgpu::BindGroupLayout,
    uniform: wgpu::Buffer,
    background: Background,
    format: wgpu::TextureFormat,
    samples: u32,
    sampled: Option<wgpu::TextureView>,
    scale: f32,
}

impl Renderer {
    /// Builds the pipelines for targets of `format`.
    ///
    /// Colours are sRGB numbers and are blended as such, like those of the CPU rasteriser; so the
    /// format must not be an `…Srgb` one, which would encode them once more.
    #[must_use]
    pub fn new(gpu: Arc<Gpu>, format: wgpu::TextureFormat) -> Self {
        let device = &gpu.device;
        let flags = gpu.adapter.get_texture_format_features(format).flags;
        let samples = if flags.sample_count_supported(SAMPLES)
            && flags.contains(wgpu::TextureFormatFeatureFlags::MULTISAMPLE_RESOLVE)
        {
            SAMPLES
        } else {
            1
        };
        let layout = layout(device);
        let [darts, figures] = pipelines(device, &layout, format, samples);
        let uniform = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("draw_boids picture"),
            size: size_of::<Picture>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let background = Background::new(Arc::clone(&gpu), format, samples);
        Self {
            gpu,
            darts,
            figures,
            layout,
            uniform,
            background,
            format,
            samples,
            sampled: None,
            scale: 1.0,
        }
    }

    /// Pixels to the point of the screen drawn on; 1 until told otherwise.
    pub fn set_scale(&mut self, scale: f32) {
        self.scale = scale;
    }

    /// Records the drawing of `agents`, seen by `camera`, over the scenery of `scene` with its
    /// `targets` as they are now.
    ///
    /// `target` is as large as `camera.size` says. The uniform is written through the queue: one
    /// draw for each submission.
    pub fn draw(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        agents: Agents<'_>,
        scene: &Scene,
        targets: &[Target],
        camera: &Camera,
    ) {
        let counted = scene.species.iter().any(|species| species.colour == ColourBy::Neighbours);
        let picture = Picture::new(scene, camera, self.scale, counted && agents.memory.is_some());
        self.gpu.queue.write_buffer(&self.uniform, 0, bytemuck::bytes_of(&picture));
        let chunks = self.chunks(agents);
        let sampled = self.sampled_like(target);
        let size = target.texture().size();
        let scenery = self.background.prepare(scene, targets, camera, self.scale, size);
        let (view, resolve_target, store) = match &sampled {
            Some(sampled) => (sampled, Some(target), wgpu::StoreOp::Discard),
            None => (target, None, wgpu::StoreOp::Store),
        };
        let [r, g, b] = look::BACKGROUND.map(|channel| f64::from(channel) / 255.0);
        let clear = wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a: 1.0 });
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("draw_boids"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target,
                ops: wgpu::Operations { load: clear, store },
            })],
            ..Default::default()
        });
        if let Some(scenery) = scenery {
            scenery.draw(&mut pass);
        }
        let darts_alone = scene.species.iter().all(|species| species.look == Look::Triangle);
        pass.set_pipeline(if darts_alone { &self.darts } else { &self.figures });
        for (group, count) in &chunks {
            pass.set_bind_group(0, group, &[]);
            pass.draw(0..3 * count, 0..1);
        }
    }

    /// The flock in as many pieces as the longest binding makes necessary: bindings and numbers of
    /// agents.
    fn chunks(&self, agents: Agents<'_>) -> Vec<(wgpu::BindGroup, u32)> {
        let limits = self.gpu.device.limits();
        let longest = limits.max_storage_buffer_binding_size / STATE_BYTES;
        // Pieces start where a binding may start, for the shortest of the arrays.
        let step = u64::from(limits.min_storage_buffer_offset_alignment) / TAG_BYTES;
        let step = step.max(1);
        let piece = (longest.min(MOST_AGENTS_A_DRAW) / step * step).max(step);
        let count = u64::from(agents.count);
        let starts = (0..count).step_by(usize::try_from(piece).unwrap_or(usize::MAX));
        starts
            .map(|start| {
                let length = piece.min(count - start);
                (self.bind(agents, start, length), length as u32)
            })
            .collect()
    }

    fn bind(&self, agents: Agents<'_>, start: u64, length: u64) -> wgpu::BindGroup {
        let part = |buffer, bytes: u64| {
            wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer,
                offset: start * bytes,
                size: wgpu::BufferSize::new(length * bytes),
            })
        };
        // Without a memory anything that is bound will do: the shader does not read it.
        let memory = agents.memory.unwrap_or(agents.tag);
        self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("draw_boids"),
            layout: &self.layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: part(agents.state, STATE_BYTES) },
                wgpu::BindGroupEntry { binding: 1, resource: part(agents.tag, TAG_BYTES) },
                wgpu::BindGroupEntry { binding: 2, resource: self.uniform.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 3, resource: part(memory, MEMORY_BYTES) },
            ],
        })
    }

    /// The texture with several samples a pixel that is drawn on first, if there is to be one.
    fn sampled_like(&mut self, target: &wgpu::TextureView) -> Option<wgpu::TextureView> {
        if self.samples == 1 {
            return None;
        }
        let size = target.texture().size();
        let fits = self.sampled.as_ref().is_some_and(|view| view.texture().size() == size);
        if !fits {
            let texture = self.gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some("draw_boids samples"),
                size,
                mip_level_count: 1,
                sample_count: self.samples,
                dimension: wgpu::TextureDimension::D2,
                format: self.format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
                view_formats: &[],
            });
            self.sampled = Some(texture.create_view(&Default::default()));
        }
        self.sampled.clone()
    }
}

fn layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::VERTEX,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    };
    let storage = wgpu::BufferBindingType::Storage { read_only: true };
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("draw_boids"),
        entries: &[
            entry(0, storage),
            entry(1, storage),
            entry(2, wgpu::BufferBindingType::Uniform),
            entry(3, storage),
        ],
    })
}

/// The pipeline for scenes of darts alone, and that for all.
fn pipelines(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    format: wgpu::TextureFormat,
    samples: u32,
) -> [wgpu::RenderPipeline; 2] {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("draw_boids"),
        source: wgpu::ShaderSource::Wgsl(SHADER.into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("draw_boids"),
        bind_group_layouts: &[Some(layout)],
        immediate_size: 0,
    });
    [("corner", "paint"), ("figure_corner", "figure_paint")].map(|(vertex, fragment)| {
        device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("draw_boids"),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some(vertex),
                compilation_options: Default::default(),
                buffers: &[],
            },
            primitive: Default::default(),
            depth_stencil: None,
            multisample: wgpu::MultisampleState { count: samples, ..Default::default() },
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some(fragment),
                compilation_options: Default::default(),
                targets: &[Some(wgpu::ColorTargetState {
                    format,
                    blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                    write_mask: wgpu::ColorWrites::ALL,
                })],
            }),
            multiview_mask: None,
            cache: None,
        })
    })
}
