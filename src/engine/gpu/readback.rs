//! Copies parts of buffers to the host. The device makes a copy after the work submitted so far; the host
//! waits for it, or asks now and then whether it has arrived.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::device::{self, Gpu};
use crate::EngineError;

/// A part of a buffer: the first byte and the number of bytes, both multiples of four.
pub type Part = (wgpu::Buffer, u64, u64);

/// Copies of parts on their way to the host.
#[derive(Debug)]
pub struct Readback {
    /// Each holds some of the parts: all of them may exceed the longest buffer.
    staging: Vec<wgpu::Buffer>,
    /// The staging buffer of each part, and its bytes there.
    places: Vec<(usize, Range<u64>)>,
    /// Number of staging buffers that have not arrived.
    missing: Arc<AtomicUsize>,
    failed: Arc<AtomicBool>,
}

impl Readback {
    /// Submits `encoder` and copies the parts as they are then. Fails if the device has no memory for
    /// the copies.
    pub fn begin(
        gpu: &Gpu,
        mut encoder: wgpu::CommandEncoder,
        parts: &[Part],
    ) -> Result<Self, EngineError> {
        let longest = gpu.device.limits().max_buffer_size;
        let mut sizes: Vec<u64> = Vec::new();
        let mut places = Vec::with_capacity(parts.len());
        for (_, _, bytes) in parts {
            // The host may read from multiples of eight.
            let at = sizes.last().map_or(0, |size| size.next_multiple_of(8));
            if sizes.is_empty() || at.saturating_add(*bytes) > longest {
                sizes.push(0);
            }
            let size = sizes.len() - 1;
            let at = sizes[size].next_multiple_of(8);
            sizes[size] = at + bytes;
            places.push((size, at..at + bytes));
        }
        let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let staging = sizes.iter().filter(|size| **size > 0).map(|size| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("read back"),
                size: *size,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        });
        let staging: Vec<wgpu::Buffer> = staging.collect();
        if device::at_once(scope.pop()).flatten().is_some() {
            let bytes = sizes.iter().sum::<u64>();
            return Err(gpu.error(format!(
                "not enough memory for a copy of {} MiB; lower --count",
                bytes >> 20
            )));
        }
        for ((buffer, first, bytes), (number, place)) in parts.iter().zip(&places) {
            if *bytes > 0 {
                let staging = &staging[*number];
                encoder.copy_buffer_to_buffer(buffer, *first, staging, place.start, *bytes);
            }
        }
        gpu.queue.submit([encoder.finish()]);
        let missing = Arc::new(AtomicUsize::new(staging.len()));
        let failed = Arc::new(AtomicBool::new(false));
        for staging in &staging {
            let (missing, failed) = (Arc::clone(&missing), Arc::clone(&failed));
            staging.slice(..).map_async(wgpu::MapMode::Read, move |mapped| {
                failed.fetch_or(mapped.is_err(), Ordering::AcqRel);
                missing.fetch_sub(1, Ordering::AcqRel);
            });
        }
        Ok(Self { staging, places, missing, failed })
    }

    /// True if all copies have arrived. Never waits; the device must be polled in between.
    pub fn has_arrived(&self, gpu: &Gpu) -> Result<bool, EngineError> {
        let missing = self.missing.load(Ordering::Acquire) > 0;
        if !missing && self.failed.load(Ordering::Acquire) {
            return Err(gpu.error("a copy did not arrive from the device"));
        }
        Ok(!missing)
    }

    /// Some bytes of part number `part` that has arrived, from a multiple of eight on.
    pub fn bytes(&self, gpu: &Gpu, part: usize, bytes: Range<u64>) -> Result<Vec<u8>, EngineError> {
        let (staging, place) = &self.places[part];
        let (begin, end) = (place.start + bytes.start, place.start + bytes.end);
        if begin >= end {
            return Ok(Vec::new());
        }
        let view = self.staging[*staging].slice(begin..end).get_mapped_range();
        Ok(view.map_err(|error| gpu.error(error.to_string()))?.to_vec())
    }

    /// Number of bytes of part number `part`.
    pub fn len(&self, part: usize) -> u64 {
        let place = &self.places[part].1;
        place.end - place.start
    }

    /// All parts. Waits for the device.
    pub fn wait(&self, gpu: &Gpu) -> Result<Vec<Vec<u8>>, EngineError> {
        gpu.wait()?;
        if !self.has_arrived(gpu)? {
            return Err(gpu.error("a copy did not arrive from the device"));
        }
        (0..self.places.len()).map(|part| self.bytes(gpu, part, 0..self.len(part))).collect()
    }
}

impl Gpu {
    /// The parts after all submitted work. Waits for the device.
    #[doc(hidden)]
    pub fn read_parts(&self, parts: &[Part]) -> Result<Vec<Vec<u8>>, EngineError> {
        if cfg!(target_family = "wasm") {
            return Err(EngineError::NotYet);
        }
        let encoder = self.device.create_command_encoder(&Default::default());
        Readback::begin(self, encoder, parts)?.wait(self)
    }

    /// The first `bytes` of `buffer` after all submitted work. Waits for the device.
    #[doc(hidden)]
    pub fn read(&self, buffer: &wgpu::Buffer, bytes: u64) -> Result<Vec<u8>, EngineError> {
        Ok(self.read_parts(&[(buffer.clone(), 0, bytes)])?.remove(0))
    }
}
