//! How the pipelines of this folder are made.

use crate::space::Depth;
use crate::style::Paint;
use flockwork_engine::EngineError;
use flockwork_engine::gpu::pass::{AGENTS_PER_WORKGROUP, dispatch_size};
use flockwork_engine::gpu::shaders::{Variant, compose};
use flockwork_engine::gpu::{Gpu, reflect};
use flockwork_model::behaviours::Uses;
use flockwork_model::scene::{Scene, Species};

/// The format of pictures of linear light. Renderers for it draw light, those for others sRGB colours.
pub const LIGHT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;

/// The format of depths.
pub const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// The features of a picture that its shaders are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PictureFeatures {
    /// Each agent has its own size.
    pub own_sizes: bool,
    /// Colours are lists.
    pub stops: bool,
    /// Colours are more or less full: they show the structure of the flock, or its connected groups.
    pub structure: bool,
    /// Agents in space cast shade on one another.
    pub shade: bool,
    /// The agents' rows have the numbers that they keep.
    pub keeps: bool,
}

impl PictureFeatures {
    /// The features of a scene that is painted like this.
    pub fn of(scene: &Scene, paints: &[Paint]) -> Self {
        Self {
            own_sizes: scene.species.iter().any(Species::draws_size),
            stops: Paint::has_stops(paints),
            structure: paints.iter().any(|paint| paint.hue.structured || paint.hue.clustered),
            shade: scene.style.matter.is_some() && !scene.world.is_flat(),
            keeps: false,
        }
    }

    /// The shaders' variant for a plane. `packs` says whether sums may be packed.
    pub fn variant(self, packs: bool) -> Variant {
        let plain = Variant::of_drawing(packs, self.own_sizes, self.stops);
        let mut uses = plain.uses;
        for (used, extra) in [(self.structure, Uses::STRUCTURE), (self.keeps, Uses::KEPT)] {
            uses = if used { uses.with(extra) } else { uses };
        }
        Variant { uses, shade: self.shade, ..plain }
    }
}

/// The differences between render pipelines. All draw triangles over the picture so far.
#[derive(Clone, Debug)]
pub struct Drawing<'a> {
    /// The name that tools show.
    pub label: &'a str,
    /// The shader.
    pub module: &'a wgpu::ShaderModule,
    /// Its entry points for vertices and fragments.
    pub entries: [&'a str; 2],
    /// Layout of its bindings, if several pipelines share them; `None` takes those that the shader uses.
    pub group: Option<&'a wgpu::BindGroupLayout>,
    /// Its vertices, if they come from a buffer.
    pub vertices: Option<wgpu::VertexBufferLayout<'a>>,
    /// The faces that it leaves out.
    pub cull_mode: Option<wgpu::Face>,
    /// How it treats depths.
    pub depth: Option<wgpu::DepthStencilState>,
    /// Samples per pixel.
    pub samples: u32,
    /// The target's format, and how colours are written.
    pub target: wgpu::ColorTargetState,
}

impl<'a> Drawing<'a> {
    /// Draws premultiplied colours on a target of `format`: vertices without a buffer, both faces,
    /// without depth, one sample a pixel.
    pub fn on(
        format: wgpu::TextureFormat,
        label: &'a str,
        module: &'a wgpu::ShaderModule,
        entries: [&'a str; 2],
        group: Option<&'a wgpu::BindGroupLayout>,
    ) -> Self {
        let target = wgpu::ColorTargetState {
            format,
            blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
            write_mask: wgpu::ColorWrites::ALL,
        };
        Self {
            label,
            module,
            entries,
            group,
            vertices: None,
            cull_mode: None,
            depth: None,
            samples: 1,
            target,
        }
    }

    /// The same with depths. A body that hides others replaces their colour and opacity: in fog its own opacity is
    /// less than 1 where there is no background.
    pub fn with_depth(mut self, depth: Depth) -> Self {
        self.depth = (depth != Depth::Ignore).then(|| wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(depth != Depth::Test),
            // The nearness grows towards the eye.
            depth_compare: Some(wgpu::CompareFunction::Greater),
            stencil: Default::default(),
            bias: Default::default(),
        });
        match depth {
            Depth::Write => self.target.blend = None,
            Depth::Only => self.target.write_mask = wgpu::ColorWrites::empty(),
            Depth::Ignore | Depth::Test => {}
        }
        self
    }

    /// Compiles the pipeline.
    pub fn compile(self, device: &wgpu::Device) -> wgpu::RenderPipeline {
        let layout = self.group.map(|group| pipeline_layout(device, self.label, group));
        let buffers = [self.vertices];
        let [vertex, fragment] = self.entries;
        device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(self.label),
            layout: layout.as_ref(),
            vertex: wgpu::VertexState {
                module: self.module,
                entry_point: Some(vertex),
                compilation_options: Default::default(),
                buffers: if buffers[0].is_some() { &buffers } else { &[] },
            },
            primitive: wgpu::PrimitiveState { cull_mode: self.cull_mode, ..Default::default() },
            depth_stencil: self.depth,
            multisample: wgpu::MultisampleState { count: self.samples, ..Default::default() },
            fragment: Some(wgpu::FragmentState {
                module: self.module,
                entry_point: Some(fragment),
                compilation_options: Default::default(),
                targets: &[Some(self.target)],
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

/// A shader.
pub fn module(device: &wgpu::Device, label: &str, wgsl: &str) -> wgpu::ShaderModule {
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(label),
        source: wgpu::ShaderSource::Wgsl(wgsl.into()),
    })
}

/// A variant of the shader `name`. Fails if it does not compose.
pub fn composed(
    gpu: &Gpu,
    name: &str,
    variant: Variant,
) -> Result<wgpu::ShaderModule, EngineError> {
    let (wgsl, _) = compose(name, &variant).map_err(|error| gpu.error(error.to_string()))?;
    Ok(module(&gpu.device, name, &wgsl))
}

fn pipeline_layout(
    device: &wgpu::Device,
    label: &str,
    group: &wgpu::BindGroupLayout,
) -> wgpu::PipelineLayout {
    device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(label),
        bind_group_layouts: &[Some(group)],
        immediate_size: 0,
    })
}

/// Compiles compute passes of a shader, whose bindings are laid out like this.
pub fn compute_pipelines<const N: usize>(
    device: &wgpu::Device,
    shader: &str,
    module: &wgpu::ShaderModule,
    group: &wgpu::BindGroupLayout,
    entries: [&str; N],
) -> [wgpu::ComputePipeline; N] {
    let layout = pipeline_layout(device, shader, group);
    entries.map(|entry_point| {
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry_point),
            layout: Some(&layout),
            module,
            entry_point: Some(entry_point),
            compilation_options: Default::default(),
            cache: None,
        })
    })
}

/// Compiles compute passes of one shader. They share one bind group, with all that any of them uses. Fails if the
/// shader does not compile.
pub fn compute_passes<const N: usize>(
    gpu: &Gpu,
    shader: &str,
    variant: Variant,
    entries: [&str; N],
) -> Result<[wgpu::ComputePipeline; N], EngineError> {
    let (wgsl, parsed) = compose(shader, &variant).map_err(|error| gpu.error(error.to_string()))?;
    let bindings = reflect::bindings(&parsed).map_err(|message| gpu.error(message))?;
    let group = reflect::group_layout(gpu, shader, &bindings);
    let module = module(&gpu.device, shader, &wgsl);
    Ok(compute_pipelines(&gpu.device, shader, &module, &group, entries))
}

/// Begins a compute pass.
pub fn compute<'a>(encoder: &'a mut wgpu::CommandEncoder, label: &str) -> wgpu::ComputePass<'a> {
    let descriptor = wgpu::ComputePassDescriptor { label: Some(label), timestamp_writes: None };
    encoder.begin_compute_pass(&descriptor)
}

/// The workgroups along two axes of a pass with an invocation for each item.
pub fn workgroups(gpu: &Gpu, items: u32) -> (u32, u32) {
    let limit = gpu.device.limits().max_compute_workgroups_per_dimension;
    dispatch_size(items.div_ceil(AGENTS_PER_WORKGROUP), limit)
}

/// Draws over the whole target, with a pipeline whose vertices are `cover`.
pub fn cover(
    pass: &mut wgpu::RenderPass<'_>,
    pipeline: &wgpu::RenderPipeline,
    group: &wgpu::BindGroup,
) {
    pass.set_pipeline(pipeline);
    pass.set_bind_group(0, group, &[]);
    pass.draw(0..3, 0..1);
}

/// A render pass on a cleared target. With `sampled`, it draws on that texture and resolves it to
/// the target.
pub fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    label: &str,
    target: &wgpu::TextureView,
    sampled: Option<&wgpu::TextureView>,
    clear: wgpu::Color,
) -> wgpu::RenderPass<'a> {
    attach_with_depth(encoder, label, (target, sampled), None, wgpu::LoadOp::Clear(clear))
}

/// A render pass that loads the target like this.
pub fn attach<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    label: &str,
    target: &wgpu::TextureView,
    load: wgpu::LoadOp<wgpu::Color>,
) -> wgpu::RenderPass<'a> {
    attach_with_depth(encoder, label, (target, None), None, load)
}

/// The same, perhaps by way of a texture of samples; with depths, it begins with nothing before the eye.
pub fn attach_with_depth<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    label: &str,
    (target, sampled): (&wgpu::TextureView, Option<&wgpu::TextureView>),
    depth: Option<&wgpu::TextureView>,
    load: wgpu::LoadOp<wgpu::Color>,
) -> wgpu::RenderPass<'a> {
    let (view, resolve_target, store) = match sampled {
        Some(sampled) => (sampled, Some(target), wgpu::StoreOp::Discard),
        None => (target, None, wgpu::StoreOp::Store),
    };
    let depth = depth.map(|view| wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations {
            load: wgpu::LoadOp::Clear(0.0),
            store: wgpu::StoreOp::Discard,
        }),
        stencil_ops: None,
    });
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(label),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target,
            ops: wgpu::Operations { load, store },
        })],
        depth_stencil_attachment: depth,
        ..Default::default()
    })
}
