//! Copies parts of buffers to the host.

use std::sync::mpsc::channel;

use super::device::Gpu;
use crate::EngineError;

/// A part of a buffer: the first byte and the number of bytes, both multiples of four.
pub type Part = (wgpu::Buffer, u64, u64);

/// Keeps the buffer that copies pass through.
#[derive(Debug, Default)]
pub struct Readback {
    staging: Option<wgpu::Buffer>,
}

impl Readback {
    /// Submits `encoder` and copies the parts as they are then. Waits for the device.
    pub fn read(
        &mut self,
        gpu: &Gpu,
        mut encoder: wgpu::CommandEncoder,
        parts: &[Part],
    ) -> Result<Vec<Vec<u8>>, EngineError> {
        let bytes: u64 = parts.iter().map(|(_, _, bytes)| bytes).sum();
        if bytes == 0 {
            gpu.queue.submit([encoder.finish()]);
            return Ok(vec![Vec::new(); parts.len()]);
        }
        let kept = self.staging.take().filter(|staging| staging.size() >= bytes);
        let staging = kept.unwrap_or_else(|| {
            let most = gpu.device.limits().max_buffer_size;
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("read back"),
                size: (bytes + bytes / 4).min(most).max(bytes).next_multiple_of(8),
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        });
        let mut at = 0;
        for (buffer, first, bytes) in parts {
            if *bytes > 0 {
                encoder.copy_buffer_to_buffer(buffer, *first, &staging, at, *bytes);
            }
            at += bytes;
        }
        gpu.queue.submit([encoder.finish()]);
        let (arrived, arrival) = channel();
        staging.slice(..bytes.next_multiple_of(8)).map_async(wgpu::MapMode::Read, move |mapped| {
            let _ = arrived.send(mapped.is_ok());
        });
        gpu.wait()?;
        let failed = || gpu.error("a copy did not arrive from the device");
        if !arrival.recv().is_ok_and(|arrived| arrived) {
            return Err(failed());
        }
        let copies = {
            let view = staging.slice(..bytes.next_multiple_of(8)).get_mapped_range();
            let view = view.map_err(|error| gpu.error(error.to_string()))?;
            let mut rest = &view[..];
            let mut next = |bytes: u64| {
                let (own, after) = rest.split_at_checked(bytes as usize)?;
                rest = after;
                Some(own.to_vec())
            };
            parts.iter().map(|(_, _, bytes)| next(*bytes)).collect::<Option<Vec<_>>>()
        };
        staging.unmap();
        self.staging = Some(staging);
        copies.ok_or_else(failed)
    }
}
