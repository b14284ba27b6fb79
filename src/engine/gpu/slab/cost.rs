//! How long it takes to steer the agents of a slab.

use crate::gpu::device::Gpu;
use crate::gpu::readback::Part;
use crate::gpu::stamps::{PAIRS_APART, Stamps, stamps_in};

/// The cost of an agent on a device without a clock; nanoseconds. All agents cost the same there.
const UNMEASURED: f64 = 10.0;

/// Times of the two dispatches of a tick that steer agents.
#[derive(Debug)]
pub struct Cost {
    stamps: Stamps,
    /// The dispatches of this tick that were measured.
    measured: [bool; 2],
    /// The least time of a tick since this was last asked for, for each agent; nanoseconds.
    least: Option<f64>,
}

impl Cost {
    pub fn new(gpu: &Gpu) -> Self {
        Self { stamps: Stamps::new(gpu, PAIRS_APART + 1), measured: [false; 2], least: None }
    }

    /// Where dispatch number `nth` of a tick writes its stamps: 0 or 1.
    pub fn stamps(&self, nth: usize) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        self.stamps.of(nth as u32 * PAIRS_APART)
    }

    /// Notes that a dispatch was recorded.
    pub fn measured(&mut self, nth: usize) {
        self.measured[nth] = true;
    }

    /// Fetches the stamps of this tick, to be copied to the host.
    pub fn resolve(&mut self, encoder: &mut wgpu::CommandEncoder) -> Vec<Part> {
        let measured = std::mem::take(&mut self.measured);
        let pairs = (0..).zip(measured).filter(|(_, measured)| *measured);
        pairs.filter_map(|(nth, _)| self.stamps.resolve(encoder, nth * PAIRS_APART, 1)).collect()
    }

    /// Takes the copied stamps of a tick that has moved this number of agents.
    pub fn note(&mut self, gpu: &Gpu, copies: &[Vec<u8>], agents: u32) {
        let spans = copies.iter().map(|bytes| match stamps_in(bytes)[..] {
            [begin, end] => end.saturating_sub(begin),
            _ => 0,
        });
        let nanoseconds = spans.sum::<u64>() as f64 * f64::from(gpu.queue.get_timestamp_period());
        let each = nanoseconds / f64::from(agents.max(1));
        if each > 0.0 {
            self.least = Some(self.least.map_or(each, |least| least.min(each)));
        }
    }

    /// Nanoseconds an agent in the fastest tick since the last call.
    pub fn take(&mut self) -> f64 {
        self.least.take().unwrap_or(UNMEASURED)
    }
}
