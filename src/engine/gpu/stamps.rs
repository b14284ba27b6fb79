//! The device's clock: timestamps at the begin and the end of passes.

use super::device::Gpu;
use super::readback::Part;

/// Bytes of the two stamps of a pass.
const PAIR_BYTES: u64 = 16;

/// Pairs that are resolved together begin at a multiple of this: WebGPU resolves to multiples of 256 bytes.
pub const PAIRS_APART: u32 = (wgpu::QUERY_RESOLVE_BUFFER_ALIGNMENT / PAIR_BYTES) as u32;

/// Timestamps of some passes, two each.
#[derive(Debug)]
pub struct Stamps {
    /// The queries, and the buffer for their answers; `None` if the device has no clock.
    clock: Option<(wgpu::QuerySet, wgpu::Buffer)>,
}

impl Stamps {
    pub fn new(gpu: &Gpu, pairs: u32) -> Self {
        let clock = gpu.has_timestamps.then(|| {
            let queries = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("stamps"),
                ty: wgpu::QueryType::Timestamp,
                count: 2 * pairs,
            });
            let answers = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("stamps"),
                size: u64::from(pairs) * PAIR_BYTES,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            (queries, answers)
        });
        Self { clock }
    }

    /// True if the device has a clock.
    pub fn has_clock(&self) -> bool {
        self.clock.is_some()
    }

    /// Where a pass writes pair number `pair`; `None` without a clock.
    pub fn of(&self, pair: u32) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        self.clock.as_ref().map(|(queries, _)| wgpu::ComputePassTimestampWrites {
            query_set: queries,
            beginning_of_pass_write_index: Some(2 * pair),
            end_of_pass_write_index: Some(2 * pair + 1),
        })
    }

    /// Fetches `count` pairs from pair number `first` on, all of them written, and says where they are
    /// then. `first` is a multiple of [`PAIRS_APART`].
    pub fn resolve(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        first: u32,
        count: u32,
    ) -> Option<Part> {
        let (queries, answers) = self.clock.as_ref()?;
        let (at, bytes) = (u64::from(first) * PAIR_BYTES, u64::from(count) * PAIR_BYTES);
        encoder.resolve_query_set(queries, 2 * first..2 * (first + count), answers, at);
        Some((answers.clone(), at, bytes))
    }
}

/// The stamps in the bytes of [`Stamps::resolve`]: begin and end of each pass, in periods of the clock.
pub fn stamps_in(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect()
}
