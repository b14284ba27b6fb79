//! Draws agents that are too small to show their shape. The pass `shaders/splat.wgsl` adds each
//! agent to the cells that it covers; `shaders/splat_resolve.wgsl` turns the cells into a picture.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::background::Ready;
use super::chunks::{self, Chunk};
use super::drawing::{
    Drawing, LIGHT, PictureFeatures, attach, compute, compute_pipelines, workgroups,
};
use super::resources::{beginning, bind, buffer, buffer_entry, entry, made_for};
use super::shade::depths_entry;
use super::subject::Subject;
use crate::splats::{Canvas, PictureBand};
use flockwork_engine::EngineError;
use flockwork_engine::gpu::Gpu;
use flockwork_engine::gpu::shaders::{Variant, compose};

/// Longest buffer of sums. Pictures of more than eight million pixels are drawn in bands.
const MAX_BYTES: u64 = 1 << 27;

/// Draws agents on textures of one format.
#[derive(Debug)]
pub struct Splat {
    gpu: Arc<Gpu>,
    /// True for agents in space.
    space: bool,
    /// Compiled on first use.
    splat: BTreeMap<PictureFeatures, wgpu::ComputePipeline>,
    resolve: wgpu::RenderPipeline,
    /// Used if cells and pixels differ in size.
    resolve_between: wgpu::RenderPipeline,
    layouts: [wgpu::BindGroupLayout; 2],
    canvas: wgpu::Buffer,
    sums: Option<wgpu::Buffer>,
}

impl Splat {
    /// Builds the pipelines for agents in a plane or in `space`, on targets of `format` with `samples` samples a
    /// pixel.
    pub fn new(
        gpu: Arc<Gpu>,
        format: wgpu::TextureFormat,
        space: bool,
        samples: u32,
    ) -> Result<Self, EngineError> {
        let layouts = layouts(&gpu.device);
        let [resolve, resolve_between] = resolve_pipelines(&gpu, &layouts[1], format, samples)?;
        let canvas = uniform(&gpu, stride(&gpu));
        let splat = BTreeMap::new();
        Ok(Self { gpu, space, splat, resolve, resolve_between, layouts, canvas, sums: None })
    }

    /// Records the drawing of a flock's agents, bound with the uniform `picture` and the shade's `depths`, over
    /// `target`. Its first pass loads the target like this and draws what is `behind` the agents. The target has as
    /// many samples per pixel as the pipelines were made for.
    ///
    /// The bands' uniforms are written through the queue, so draw only once per submission. Fails if a shader
    /// does not compile.
    pub fn draw(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        (target, mut load, mut behind): (
            &wgpu::TextureView,
            wgpu::LoadOp<wgpu::Color>,
            Option<Ready<'_>>,
        ),
        (Subject { agents, scene, camera, .. }, scale): (Subject<'_>, f32),
        [picture, depths]: [&wgpu::Buffer; 2],
        looks: PictureFeatures,
    ) -> Result<(), EngineError> {
        let wgpu::Extent3d { width, height, .. } = target.texture().size();
        let canvas = Canvas::of(scene, agents.count.into(), camera, (width, height), scale);
        let limits = self.gpu.device.limits();
        let longest = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        let bands = canvas.bands(height, longest.min(MAX_BYTES));
        self.write(&bands);
        let bytes = bands.iter().map(|band| band.canvas.bytes()).max().unwrap_or_default();
        let kept = self.sums.take().filter(|sums| sums.size() == bytes);
        let new = || buffer(&self.gpu, "splat sums", bytes, wgpu::BufferUsages::STORAGE);
        let sums = self.sums.insert(kept.unwrap_or_else(new));

        let own = [
            entry(4, beginning(&self.canvas, size_of::<Canvas>() as u64)),
            buffer_entry(5, sums),
            buffer_entry(6, &agents.grid_stats),
        ];
        let with_own = |layout, entries: &[wgpu::BindGroupEntry<'_>]| {
            bind(&self.gpu, "splat", layout, &[entries, &own].concat())
        };
        let chunk = |chunk: Chunk<'_>| {
            let entries = [&chunk.entries(picture)[..], &[buffer_entry(7, depths)]].concat();
            (with_own(&self.layouts[0], &entries), chunk.length)
        };
        let chunks: Vec<_> = Chunk::all(&self.gpu, agents).map(chunk).collect();
        let cells = with_own(&self.layouts[1], &[buffer_entry(2, picture)]);
        let splat = made_for(&mut self.splat, looks, || {
            let variant = Variant { flat: !self.space, ..looks.variant(self.gpu.packs_sums()) };
            let module = module(&self.gpu, "splat", variant)?;
            let [splat] =
                compute_pipelines(&self.gpu.device, "splat", &module, &self.layouts[0], ["splat"]);
            Ok(splat)
        })?;
        let between = bands.iter().any(|band| band.canvas.cells_per_pixel != 1.0);
        let resolve = if between { &self.resolve_between } else { &self.resolve };

        for (number, band) in (0..).zip(&bands) {
            let offset = number * stride(&self.gpu) as u32;
            encoder.clear_buffer(sums, 0, None);
            let mut pass = compute(encoder, "splat");
            pass.set_pipeline(splat);
            for (group, agents) in &chunks {
                let (x, y) = workgroups(&self.gpu, *agents);
                pass.set_bind_group(0, group, &[offset]);
                pass.dispatch_workgroups(x, y, 1);
            }
            drop(pass);
            let mut pass = attach(encoder, "splat_resolve", target, load);
            if let Some(behind) = behind.take() {
                behind.draw(&mut pass);
            }
            pass.set_pipeline(resolve);
            pass.set_bind_group(0, &cells, &[offset]);
            pass.set_scissor_rect(0, band.first, width, band.rows);
            pass.draw(0..3, 0..1);
            load = wgpu::LoadOp::Load;
        }
        Ok(())
    }

    /// Writes the bands' uniforms through the queue.
    fn write(&mut self, bands: &[PictureBand]) {
        let stride = stride(&self.gpu) as usize;
        let mut uniforms = vec![0; stride * bands.len()];
        for (band, slot) in bands.iter().zip(uniforms.chunks_exact_mut(stride)) {
            slot[..size_of::<Canvas>()].copy_from_slice(bytemuck::bytes_of(&band.canvas));
        }
        if self.canvas.size() < uniforms.len() as u64 {
            self.canvas = uniform(&self.gpu, uniforms.len() as u64);
        }
        self.gpu.queue.write_buffer(&self.canvas, 0, &uniforms);
    }
}

/// Bytes between the uniforms of two consecutive bands.
fn stride(gpu: &Gpu) -> u64 {
    let step = u64::from(gpu.device.limits().min_uniform_buffer_offset_alignment);
    (size_of::<Canvas>() as u64).next_multiple_of(step)
}

fn uniform(gpu: &Gpu, size: u64) -> wgpu::Buffer {
    buffer(gpu, "splat canvas", size, wgpu::BufferUsages::UNIFORM)
}

/// The layouts of the splat pass and of the resolve pass.
fn layouts(device: &wgpu::Device) -> [wgpu::BindGroupLayout; 2] {
    let own = |visibility, read_only| {
        let storage = wgpu::BufferBindingType::Storage { read_only };
        let mut canvas = chunks::layout_entry(4, visibility, wgpu::BufferBindingType::Uniform);
        canvas.ty = wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: true,
            min_binding_size: None,
        };
        let grid_stats = wgpu::BufferBindingType::Storage { read_only: true };
        let sums = chunks::layout_entry(5, visibility, storage);
        [canvas, sums, chunks::layout_entry(6, visibility, grid_stats)]
    };
    let layout = |label, entries: &[wgpu::BindGroupLayoutEntry]| {
        device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(label),
            entries,
        })
    };
    let compute = wgpu::ShaderStages::COMPUTE;
    let draw = wgpu::ShaderStages::VERTEX_FRAGMENT;
    let agents = [&chunks::layout_entries(compute)[..], &[depths_entry(compute)]].concat();
    let picture = chunks::layout_entry(2, draw, wgpu::BufferBindingType::Uniform);
    [
        layout("splat", &[&agents[..], &own(compute, false)].concat()),
        layout("splat_resolve", &[&[picture][..], &own(draw, true)].concat()),
    ]
}

fn module(gpu: &Gpu, name: &str, variant: Variant) -> Result<wgpu::ShaderModule, EngineError> {
    let composed = compose(name, &variant);
    let (wgsl, _) = composed.map_err(|error| gpu.error(error.to_string()))?;
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(name),
        source: wgpu::ShaderSource::Wgsl(wgsl.into()),
    };
    #[expect(unsafe_code, reason = "wgpu's bounds checks cost a third")]
    // SAFETY: whatever the buffers hold, the shader indexes only cells within the columns and rows
    // that the sums were allocated for, and only bound agents. Its loops run over four cells.
    let module = unsafe {
        let checks = wgpu::ShaderRuntimeChecks::unchecked();
        gpu.device.create_shader_module_trusted(descriptor, checks)
    };
    Ok(module)
}

fn resolve_pipelines(
    gpu: &Gpu,
    layout: &wgpu::BindGroupLayout,
    format: wgpu::TextureFormat,
    samples: u32,
) -> Result<[wgpu::RenderPipeline; 2], EngineError> {
    let plain = Variant::of_drawing(gpu.packs_sums(), false, false);
    let variant = Variant { as_light: format == LIGHT, ..plain };
    let module = module(gpu, "splat_resolve", variant)?;
    Ok(["resolve", "resolve_between"].map(|entry_point| {
        let entries = ["cover", entry_point];
        let drawing = Drawing {
            samples,
            ..Drawing::on(format, "splat_resolve", &module, entries, Some(layout))
        };
        drawing.compile(&gpu.device)
    }))
}
