//! How long it takes to steer the agents of a slab.

use super::device::Gpu;
use super::readback::Part;

/// Bytes of the two stamps of a dispatch.
pub const STAMP_BYTES: u64 = 16;

/// Bytes between the stamps of two dispatches: WebGPU resolves to multiples of this.
const APART: u64 = wgpu::QUERY_RESOLVE_BUFFER_ALIGNMENT;

/// The cost of an agent on a device without a clock; nanoseconds. All agents cost the same there.
const UNMEASURED: f64 = 10.0;

/// The clock of the device, and what it has measured.
#[derive(Debug)]
pub struct Stamps {
    /// The queries, and the buffer for their answers; `None` if the device has no clock.
    clock: Option<(wgpu::QuerySet, wgpu::Buffer)>,
    /// The dispatches of this tick that were measured.
    measured: [bool; 2],
    /// The least time of a tick since this was last asked for, for each agent; nanoseconds.
    least: Option<f64>,
}

impl Stamps {
    /// Nothing is measured yet.
    pub fn new(gpu: &Gpu) -> Self {
        let clock = gpu.has_timestamps.then(|| {
            let queries = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("steer"),
                ty: wgpu::QueryType::Timestamp,
                count: 4,
            });
            let answers = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("steer"),
                size: APART + STAMP_BYTES,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            (queries, answers)
        });
        Self { clock, measured: [false; 2], least: None }
    }

    /// Measures dispatch number `nth` of a tick: 0 or 1.
    pub fn of(&self, nth: usize) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        self.clock.as_ref().map(|(queries, _)| wgpu::ComputePassTimestampWrites {
            query_set: queries,
            beginning_of_pass_write_index: Some(2 * nth as u32),
            end_of_pass_write_index: Some(2 * nth as u32 + 1),
        })
    }

    /// Fetches the stamps after the dispatch.
    pub fn resolve(&mut self, encoder: &mut wgpu::CommandEncoder, nth: usize) {
        if let Some((queries, answers)) = &self.clock {
            let first = 2 * nth as u32;
            encoder.resolve_query_set(queries, first..first + 2, answers, nth as u64 * APART);
            self.measured[nth] = true;
        }
    }

    /// The stamps of this tick, to be copied to the host.
    pub fn answers(&self) -> Vec<Part> {
        let measured = (0..2).filter(|nth| self.measured[*nth]);
        let answers = self.clock.iter().map(|(_, answers)| answers);
        let part = |nth: usize| {
            answers.clone().map(move |own| (own.clone(), nth as u64 * APART, STAMP_BYTES))
        };
        measured.flat_map(part).collect()
    }

    /// Takes the copied stamps of a tick that has moved this number of agents.
    pub fn note(&mut self, gpu: &Gpu, stamps: &[Vec<u8>], agents: u32) {
        self.measured = [false; 2];
        let ticks = stamps.iter().filter_map(|bytes| {
            let begin: u64 = bytemuck::pod_read_unaligned(bytes.get(..8)?);
            let end: u64 = bytemuck::pod_read_unaligned(bytes.get(8..16)?);
            Some(end.saturating_sub(begin))
        });
        let nanoseconds = ticks.sum::<u64>() as f64 * f64::from(gpu.queue.get_timestamp_period());
        let each = nanoseconds / f64::from(agents.max(1));
        if !stamps.is_empty() && each > 0.0 {
            self.least = Some(self.least.map_or(each, |least| least.min(each)));
        }
    }

    /// Nanoseconds an agent in the fastest tick since the last call.
    pub fn take(&mut self) -> f64 {
        self.least.take().unwrap_or(UNMEASURED)
    }
}
