//! The agents of a plane by id, as they are drawn over one another: the passes of
//! `shaders/draw_order.wgsl`.

use std::sync::Arc;

use super::chunks::Chunk;
use super::drawing::{compute, compute_passes, workgroups};
use super::resources::{beginning, bind, buffer, entry};
use flockwork_engine::EngineError;
use flockwork_engine::gpu::row::TAG_BYTES;
use flockwork_engine::gpu::shaders::Variant;
use flockwork_engine::gpu::{AgentBuffers, Gpu};

/// Bytes of an agent in the order.
pub const ORDER_BYTES: u64 = size_of::<u32>() as u64;

/// Ids of a word of the bitmap, and bytes of the word with its count.
const IDS_PER_WORD: u64 = 32;
const WORD_BYTES: u64 = 8;

/// Sorts flocks by id.
#[derive(Debug)]
pub struct DrawOrder {
    gpu: Arc<Gpu>,
    /// In the order in which they run.
    passes: [wgpu::ComputePipeline; 3],
    ids: Option<wgpu::Buffer>,
    order: Option<wgpu::Buffer>,
}

impl DrawOrder {
    /// Compiles the passes.
    pub fn new(gpu: Arc<Gpu>) -> Result<Self, EngineError> {
        let variant = Variant::of_drawing(false, false, false);
        let entries = ["mark_ids", "count_ids", "draw_order"];
        let passes = compute_passes(&gpu, "draw_order", variant, entries)?;
        Ok(Self { gpu, passes, ids: None, order: None })
    }

    /// Records the passes. Returns a buffer with the numbers of the agents in each chunk, in the order of
    /// their ids: a flock that no binding holds as a whole is drawn chunk by chunk.
    pub fn sort(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        agents: &AgentBuffers,
        chunks: &[Chunk<'_>],
    ) -> wgpu::Buffer {
        let bytes = u64::from(agents.ids).div_ceil(IDS_PER_WORD).max(1) * WORD_BYTES;
        let ids = self.room(self.ids.clone(), bytes);
        let count = u64::from(agents.count).max(1);
        let order = self.room(self.order.clone(), count * ORDER_BYTES);
        let layout = self.passes[0].get_bind_group_layout(0);
        for chunk in chunks {
            let entries = [
                entry(1, chunk.part(&agents.tag, TAG_BYTES)),
                entry(4, chunk.part(&order, ORDER_BYTES)),
                entry(5, beginning(&ids, bytes)),
            ];
            let group = bind(&self.gpu, "draw_order", &layout, &entries);
            encoder.clear_buffer(&ids, 0, Some(bytes));
            let mut compute = compute(encoder, "draw_order");
            compute.set_bind_group(0, &group, &[]);
            let agents = workgroups(&self.gpu, chunk.length);
            for (pass, (x, y)) in self.passes.iter().zip([agents, (1, 1), agents]) {
                compute.set_pipeline(pass);
                compute.dispatch_workgroups(x, y, 1);
            }
        }
        (self.ids, self.order) = (Some(ids), Some(order.clone()));
        order
    }

    /// A buffer of at least this size: the one that is kept, if it is large enough.
    fn room(&self, kept: Option<wgpu::Buffer>, bytes: u64) -> wgpu::Buffer {
        kept.filter(|buffer| buffer.size() >= bytes)
            .unwrap_or_else(|| buffer(&self.gpu, "draw_order", bytes, wgpu::BufferUsages::STORAGE))
    }
}
