//! Draws agents that are too small to show their shape. The pass `shaders/splat.wgsl` adds each
//! agent to the cells that it covers; `shaders/splat_resolve.wgsl` turns the cells into a picture.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::chunks::{self, Chunk};
use super::drawing::{Drawing, LIGHT, PictureFeatures, compute, compute_pipelines, workgroups};
use super::resources::{beginning, bind, buffer, buffer_entry, entry, made_for};
use super::shade::depths_entry;
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

/// The bind group and length of each chunk for the splat pass, and the bind group of the resolve
/// pass.
#[derive(Debug)]
pub struct Bound {
    chunks: Vec<(wgpu::BindGroup, u32)>,
    resolve: wgpu::BindGroup,
    sums: wgpu::Buffer,
    between: bool,
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

    /// Splits the picture into bands whose sums fit this device.
    pub fn bands(&self, canvas: &Canvas, height: u32) -> Vec<PictureBand> {
        let limits = self.gpu.device.limits();
        let longest = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        canvas.bands(height, longest.min(MAX_BYTES))
    }

    /// Writes the bands' uniforms through the queue, and binds everything, also the grid's statistics and
    /// the shade's depths. Call it only once per submission.
    pub fn prepare(
        &mut self,
        chunks: &[Chunk<'_>],
        picture: &wgpu::Buffer,
        [grid_stats, depths]: [&wgpu::Buffer; 2],
        bands: &[PictureBand],
    ) -> Bound {
        let stride = stride(&self.gpu);
        let mut uniforms = vec![0; stride as usize * bands.len()];
        for (band, slot) in bands.iter().zip(uniforms.chunks_exact_mut(stride as usize)) {
            slot[..size_of::<Canvas>()].copy_from_slice(bytemuck::bytes_of(&band.canvas));
        }
        if self.canvas.size() < uniforms.len() as u64 {
            self.canvas = uniform(&self.gpu, uniforms.len() as u64);
        }
        self.gpu.queue.write_buffer(&self.canvas, 0, &uniforms);
        let bytes = bands.iter().map(|band| band.canvas.bytes()).max().unwrap_or_default();
        let kept = self.sums.take().filter(|sums| sums.size() == bytes);
        let sums = kept
            .unwrap_or_else(|| buffer(&self.gpu, "splat sums", bytes, wgpu::BufferUsages::STORAGE));
        let own = [
            entry(4, beginning(&self.canvas, size_of::<Canvas>() as u64)),
            buffer_entry(5, &sums),
            buffer_entry(6, grid_stats),
        ];
        let with_own = |layout, entries: &[wgpu::BindGroupEntry<'_>]| {
            bind(&self.gpu, "splat", layout, &[entries, &own].concat())
        };
        let chunk = |chunk: &Chunk<'_>| {
            let entries = [&chunk.entries(picture)[..], &[buffer_entry(7, depths)]].concat();
            (with_own(&self.layouts[0], &entries), chunk.length)
        };
        let bound = Bound {
            chunks: chunks.iter().map(chunk).collect(),
            resolve: with_own(&self.layouts[1], &[buffer_entry(2, picture)]),
            sums: sums.clone(),
            between: bands.iter().any(|band| band.canvas.cells_per_pixel != 1.0),
        };
        self.sums = Some(sums);
        bound
    }

    /// Records the pass that sums band `number`. Fails if its shader does not compile.
    pub fn sum(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        bound: &Bound,
        number: usize,
        looks: PictureFeatures,
    ) -> Result<(), EngineError> {
        let pipeline = made_for(&mut self.splat, looks, || {
            let variant = Variant { flat: !self.space, ..looks.variant(self.gpu.packs_sums()) };
            let module = module(&self.gpu, "splat", variant)?;
            let [splat] =
                compute_pipelines(&self.gpu.device, "splat", &module, &self.layouts[0], ["splat"]);
            Ok(splat)
        })?;
        encoder.clear_buffer(&bound.sums, 0, None);
        let offset = number as u32 * stride(&self.gpu) as u32;
        let mut pass = compute(encoder, "splat");
        pass.set_pipeline(pipeline);
        for (group, agents) in &bound.chunks {
            let (x, y) = workgroups(&self.gpu, *agents);
            pass.set_bind_group(0, group, &[offset]);
            pass.dispatch_workgroups(x, y, 1);
        }
        Ok(())
    }

    /// Draws band `number` from its sums over the target's content. The target has as many samples per pixel
    /// as the pipelines were made for.
    pub fn resolve(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        bound: &Bound,
        number: usize,
        band: &PictureBand,
        width: u32,
    ) {
        let offset = number as u32 * stride(&self.gpu) as u32;
        pass.set_pipeline(if bound.between { &self.resolve_between } else { &self.resolve });
        pass.set_bind_group(0, &bound.resolve, &[offset]);
        pass.set_scissor_rect(0, band.first, width, band.rows);
        pass.draw(0..3, 0..1);
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
