//! Times of the passes and the fullest cell, read back without stalling.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::device::Gpu;
use super::pass::TICK;
use crate::{PassTime, Profile};

/// The most ticks of one submission whose passes are timed.
pub const MEASURED_TICKS: u32 = 64;

/// Timestamps of a pass: at its beginning and at its end.
const PASS_STAMPS: u32 = 2;
/// Timestamps of one tick.
const fn stamps_of_tick(passes: u32) -> u32 {
    PASS_STAMPS * passes
}
const GRID_STATS_BYTES: u64 = 8;

/// Timestamps of a submission that times `ticks` ticks of `passes` passes. A pass without work
/// comes first.
const fn stamps_of(ticks: u32, passes: u32) -> u32 {
    PASS_STAMPS + ticks * stamps_of_tick(passes)
}

/// Timestamp queries, and a copy of the grid's statistics, read back asynchronously.
///
/// A pass's time is the span from the end of the previous pass to its own end; an empty pass
/// precedes the first. The beginnings are written but not read: lavapipe (seen in Mesa 22.3.6),
/// once it has drawn anything, takes a timestamp only when the next one is requested. Beginnings
/// are then taken at the end of the work, and `steer` seemed to take 0.007 ms instead of 15; ends
/// are right, because the next beginning follows at once. On other drivers an end and the beginning
/// after it are the same moment.
#[derive(Debug)]
pub struct Profiler {
    queries: Option<wgpu::QuerySet>,
    resolved: wgpu::Buffer,
    staging: wgpu::Buffer,
    /// Set once the staging buffer can be read.
    mapped: Arc<AtomicBool>,
    under_way: Option<Measurement>,
    /// The measurement that is being recorded.
    recorded: Measurement,
    latest: Profile,
    largest_cell: u32,
}

/// The content of one measurement.
#[derive(Clone, Debug, Default)]
struct Measurement {
    /// Ticks whose passes are timed.
    ticks: u32,
    /// Names of the passes of a tick.
    passes: Vec<&'static str>,
    /// True if another flock has been loaded since.
    is_stale: bool,
}

impl Profiler {
    /// Uses the device's clock, if it has one.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let count = stamps_of(MEASURED_TICKS, TICK.len() as u32);
        let queries = gpu.has_timestamps.then(|| {
            gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("passes"),
                ty: wgpu::QueryType::Timestamp,
                count,
            })
        });
        let buffer = |label, usage| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: u64::from(count) * 8 + GRID_STATS_BYTES,
                usage,
                mapped_at_creation: false,
            })
        };
        use wgpu::BufferUsages as U;
        Self {
            queries,
            resolved: buffer("timestamps", U::QUERY_RESOLVE | U::COPY_SRC | U::COPY_DST),
            staging: buffer("timestamps read back", U::MAP_READ | U::COPY_DST),
            mapped: Arc::default(),
            under_way: None,
            recorded: Measurement::default(),
            latest: Profile::default(),
            largest_cell: 0,
        }
    }

    /// True if a submission may be measured, because the previous one has been read.
    pub fn is_idle(&mut self, gpu: &Gpu) -> bool {
        self.collect(gpu);
        self.under_way.is_none()
    }

    /// Records the empty pass; its end is the beginning of the first tick. Ticks have these
    /// `passes`.
    pub fn begin(&mut self, encoder: &mut wgpu::CommandEncoder, passes: Vec<&'static str>) {
        self.recorded.passes = passes;
        encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("begin"),
            timestamp_writes: self.stamps_from(0),
        });
    }

    /// Where pass number `pass` of measured tick `tick` writes its timestamps.
    #[must_use]
    pub fn stamps(&self, tick: u32, pass: u32) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        self.stamps_from(stamps_of(tick, self.recorded.passes.len() as u32) + pass * PASS_STAMPS)
    }

    fn stamps_from(&self, first: u32) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        Some(wgpu::ComputePassTimestampWrites {
            query_set: self.queries.as_ref()?,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        })
    }

    /// Records the copies at the end of a submission that times `ticks` ticks.
    pub fn resolve(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        ticks: u32,
        grid_stats: &wgpu::Buffer,
    ) {
        let stamps = stamps_of(ticks, self.recorded.passes.len() as u32);
        let bytes = u64::from(stamps) * 8;
        if let Some(queries) = self.queries.as_ref().filter(|_| ticks > 0) {
            encoder.resolve_query_set(queries, 0..stamps, &self.resolved, 0);
            encoder.copy_buffer_to_buffer(
                &self.resolved,
                0,
                &self.staging,
                GRID_STATS_BYTES,
                bytes,
            );
        }
        encoder.copy_buffer_to_buffer(grid_stats, 0, &self.staging, 0, GRID_STATS_BYTES);
        self.recorded.ticks = ticks;
    }

    /// Requests the results. Call it after the submission.
    pub fn submitted(&mut self) {
        self.under_way = Some(std::mem::take(&mut self.recorded));
        self.mapped.store(false, Ordering::Release);
        let mapped = Arc::clone(&self.mapped);
        self.staging.slice(..).map_async(wgpu::MapMode::Read, move |result| {
            if result.is_ok() {
                mapped.store(true, Ordering::Release);
            }
        });
    }

    /// Records wall times, for devices without a clock.
    pub fn note_wall_times(&mut self, times: &[(&'static str, Duration)], ticks: u32) {
        let one =
            |(pass, time): &(&'static str, Duration)| PassTime { pass, time: *time / ticks.max(1) };
        self.latest = Profile { passes: times.iter().map(one).collect(), by_timestamps: false };
    }

    /// True if the device can time its passes.
    #[must_use]
    pub fn has_queries(&self) -> bool {
        self.queries.is_some()
    }

    /// The latest profile that has arrived.
    pub fn profile(&mut self, gpu: &Gpu) -> Profile {
        self.collect(gpu);
        self.latest.clone()
    }

    /// The latest statistics of the grid that have arrived.
    pub fn largest_cell(&mut self, gpu: &Gpu) -> u32 {
        self.collect(gpu);
        self.largest_cell
    }

    /// Discards all results, also those under way: the flock has been replaced by one with
    /// `largest_cell` agents in its fullest cell.
    pub fn reset(&mut self, largest_cell: u32) {
        if let Some(measurement) = &mut self.under_way {
            measurement.is_stale = true;
        }
        self.latest = Profile::default();
        self.largest_cell = largest_cell;
    }

    fn collect(&mut self, gpu: &Gpu) {
        // If the poll fails, the device is lost: the next submission reports it.
        let _ = gpu.poll(wgpu::PollType::Poll);
        if !self.mapped.load(Ordering::Acquire) {
            return;
        }
        let Some(Measurement { ticks, passes, is_stale }) = self.under_way.take() else { return };
        let Ok(view) = self.staging.slice(..).get_mapped_range() else { return };
        let words: Vec<u64> = view.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect();
        drop(view);
        self.staging.unmap();
        if is_stale {
            return;
        }
        self.largest_cell = words[0] as u32;
        if ticks == 0 || self.queries.is_none() {
            return;
        }
        let period = f64::from(gpu.queue.get_timestamp_period());
        let ticks = ticks as usize;
        let time = |span: u64| Duration::from_secs_f64(span as f64 * period / ticks as f64 * 1e-9);
        // The grid's statistics come first.
        let spans = spans(&words[1..], ticks, passes.len());
        let passes: Vec<PassTime> = passes
            .into_iter()
            .zip(spans)
            .map(|(pass, span)| PassTime { pass, time: time(span) })
            .collect();
        // Some drivers answer every query with zero, which is no measurement.
        if passes.iter().any(|pass| pass.time > Duration::ZERO) {
            self.latest = Profile { passes, by_timestamps: true };
        }
    }
}

/// The time of each pass over all measured ticks, in periods of the device's clock: from the end of
/// the previous pass to its own end. `stamps` alternate beginnings and ends; the empty pass is
/// first.
fn spans(stamps: &[u64], ticks: usize, passes: usize) -> Vec<u64> {
    let end = |pass: usize| stamps[pass * PASS_STAMPS as usize + 1];
    let span = |pass: usize| end(pass + 1).saturating_sub(end(pass));
    (0..passes).map(|pass| (0..ticks).map(|tick| span(tick * passes + pass)).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSES: usize = 7;

    /// Stamps of `ticks` ticks whose pass number `i` takes `100 * (i + 1)`. If `late`, a pass
    /// begins when its work is done, as on lavapipe after drawing.
    fn stamps(ticks: usize, late: bool) -> Vec<u64> {
        let mut now = 5_000;
        let mut stamps = vec![now, now];
        for pass in (0..ticks).flat_map(|_| 0..PASSES as u64) {
            let work = 100 * (pass + 1);
            stamps.extend([if late { now + work } else { now }, now + work]);
            now += work;
        }
        stamps
    }

    #[test]
    fn a_pass_takes_from_end_to_end_however_late_its_beginning_is_stamped() {
        let expected: Vec<u64> = (1..=PASSES as u64).map(|pass| 300 * pass).collect();
        for late in [false, true] {
            let stamps = stamps(3, late);
            assert_eq!(stamps.len(), stamps_of(3, PASSES as u32) as usize);
            assert_eq!(spans(&stamps, 3, PASSES), expected, "late: {late}");
        }
        // The control: from beginning to end, late stamps measure zero.
        let late = stamps(3, true);
        assert!(late.chunks_exact(2).all(|pass| pass[1] == pass[0]));
    }
}
