//! Measures how bright a picture of light is, by `shaders/measure.wgsl`. The result stays on the device: nobody
//! waits for it, so a page can measure, too.

use std::sync::Arc;

use super::drawing::{compute, compute_passes};
use super::resources::{bind, buffer, buffer_entry};
use flockwork_engine::EngineError;
use flockwork_engine::gpu::Gpu;
use flockwork_engine::gpu::shaders::Variant;

/// Numbers of points, by their brightness.
const BINS: u64 = 512;

/// Sides of a workgroup, in points.
const SIDE: u32 = 8;

/// The passes.
#[derive(Debug)]
pub struct Meter {
    gpu: Arc<Gpu>,
    /// In the order in which they run.
    passes: [wgpu::ComputePipeline; 2],
    counts: wgpu::Buffer,
}

impl Meter {
    /// Compiles the passes.
    pub fn new(gpu: &Arc<Gpu>) -> Result<Self, EngineError> {
        let entries = ["count_points", "choose_factor"];
        let variant = Variant::of_drawing(false, false, false);
        let passes = compute_passes(gpu, "measure", variant, entries)?;
        let counts = buffer(gpu, "points by brightness", 4 * BINS, wgpu::BufferUsages::STORAGE);
        Ok(Self { gpu: Arc::clone(gpu), passes, counts })
    }

    /// Records the measuring of a picture of `points`; the factor goes to the beginning of `exposure`.
    pub fn measure(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        picture: [wgpu::BindGroupEntry<'_>; 3],
        exposure: &wgpu::Buffer,
        points: [u32; 2],
    ) {
        let [count, choose] = &self.passes;
        let own = [buffer_entry(3, exposure), buffer_entry(4, &self.counts)];
        let layout = count.get_bind_group_layout(0);
        let group = bind(&self.gpu, "measure", &layout, &[&picture[..], &own].concat());
        encoder.clear_buffer(&self.counts, 0, None);
        let mut pass = compute(encoder, "measure");
        pass.set_bind_group(0, &group, &[]);
        pass.set_pipeline(count);
        let [columns, rows] = points.map(|side| side.div_ceil(SIDE));
        pass.dispatch_workgroups(columns, rows, 1);
        pass.set_pipeline(choose);
        pass.dispatch_workgroups(1, 1, 1);
    }
}
