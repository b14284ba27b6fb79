//! Shade in a flock that is matter: the passes of `shaders/shade_cells.wgsl`.

use std::sync::Arc;

use super::chunks::{Chunk, layout_entry};
use super::drawing::{compute, compute_passes, workgroups};
use super::resources::{bind, buffer, buffer_entry};
use crate::space::shade::ShadeGrid;
use flockwork_engine::EngineError;
use flockwork_engine::gpu::Gpu;
use flockwork_engine::gpu::shaders::Variant;
use flockwork_model::behaviours::Uses;

/// Computes the shade.
#[derive(Debug)]
pub struct ShadePasses {
    gpu: Arc<Gpu>,
    /// In the order in which they run.
    passes: [wgpu::ComputePipeline; 2],
    counts: wgpu::Buffer,
    depths: wgpu::Buffer,
}

/// The bind group's entry of the depths in the layouts of the shaders that read them.
pub fn depths_entry(visibility: wgpu::ShaderStages) -> wgpu::BindGroupLayoutEntry {
    layout_entry(7, visibility, wgpu::BufferBindingType::Storage { read_only: true })
}

/// A buffer of `count` numbers: one for each cell, or for each agent. Shaders that read no shade get a buffer of one
/// cell.
pub fn number_buffer(gpu: &Gpu, count: u32) -> wgpu::Buffer {
    buffer(gpu, "numbers", u64::from(count) * 4, wgpu::BufferUsages::STORAGE)
}

impl ShadePasses {
    /// Compiles the passes. `keeps` says whether the agents' rows have the numbers that they keep.
    pub fn new(gpu: Arc<Gpu>, keeps: bool) -> Result<Self, EngineError> {
        let uses = if keeps { Uses::KEPT } else { Uses::default() };
        let variant = Variant { flat: false, uses, ..Variant::of_drawing(false, false, false) };
        let entries = ["count_agents", "sum_depths"];
        let passes = compute_passes(&gpu, "shade_cells", variant, entries)?;
        let [counts, depths] = [(); 2].map(|()| number_buffer(&gpu, 1));
        Ok(Self { gpu, passes, counts, depths })
    }

    /// Records the passes. Returns the optical depth from each cell towards the sun.
    pub fn run(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        chunks: &[Chunk<'_>],
        picture: &wgpu::Buffer,
        shade: &ShadeGrid,
    ) -> wgpu::Buffer {
        let cells = shade.cells();
        if self.depths.size() != u64::from(cells) * 4 {
            [self.counts, self.depths] = [(); 2].map(|()| number_buffer(&self.gpu, cells));
        }
        encoder.clear_buffer(&self.counts, 0, None);
        let [count, sum] = &self.passes;
        let layout = count.get_bind_group_layout(0);
        let mut pass = compute(encoder, "shade");
        for (number, chunk) in chunks.iter().enumerate() {
            // Of the agents it reads the places alone.
            let [state, _, picture, _] = chunk.entries(picture);
            let own = [buffer_entry(5, &self.counts), buffer_entry(7, &self.depths)];
            let entries = [&[state, picture][..], &own].concat();
            let group = bind(&self.gpu, "shade", &layout, &entries);
            pass.set_bind_group(0, &group, &[]);
            pass.set_pipeline(count);
            let (x, y) = workgroups(&self.gpu, chunk.length);
            pass.dispatch_workgroups(x, y, 1);
            if number + 1 == chunks.len() {
                pass.set_pipeline(sum);
                let (x, y) = workgroups(&self.gpu, cells);
                pass.dispatch_workgroups(x, y, 1);
            }
        }
        drop(pass);
        self.depths.clone()
    }
}
