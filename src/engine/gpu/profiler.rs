//! Times of the passes and the fullest cell, read back without stalling.

use std::time::Duration;

use super::buffers::{
    BROKEN_RULES_AT, FlockBuffers, GRID_STATS, HITS_BYTES, MAX_TICKS_PER_SUBMISSION,
};
use super::device::Gpu;
use super::pass::TICK;
use super::readback::Readback;
use super::stamps::{Stamps, stamps_in};
use crate::broken::CountedForces;
use crate::{BrokenForces, EngineError, PassTime, Profile};

/// Bytes of the size of the fullest cell, the first word of `grid_stats`.
const FULLEST_CELL_BYTES: u64 = 4;

/// Pairs of stamps of a submission that times `ticks` ticks of `passes` passes. A pass without work
/// comes first.
const fn pairs_of(ticks: u32, passes: u32) -> u32 {
    1 + ticks * passes
}

/// Timestamp queries, and a copy of the flock's statistics, read back asynchronously.
///
/// A pass's time is the span from the end of the previous pass to its own end; an empty pass
/// precedes the first. The beginnings are written but not read: lavapipe (seen in Mesa 22.3.6),
/// once it has drawn anything, takes a timestamp only when the next one is requested. Beginnings
/// are then taken at the end of the work, and `steer` seemed to take 0.007 ms instead of 15; ends
/// are right, because the next beginning follows at once. On other drivers an end and the beginning
/// after it are the same moment.
#[derive(Debug)]
pub struct Profiler {
    stamps: Stamps,
    under_way: Option<(Readback, Measured)>,
    /// True if ticks have begun since the last submission that asked for statistics.
    is_behind: bool,
    latest: Profile,
    largest_cell: u32,
    broken: CountedForces,
    /// True if what is under way may name broken rules that the scene has no more.
    has_old_rules: bool,
}

/// The passes that a submission times.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Ticks whose passes are timed.
    pub ticks: u32,
    /// Names of the passes of a tick.
    pub passes: Vec<&'static str>,
    /// True for a load. The next submission need not wait for its result.
    pub is_load: bool,
}

impl Profiler {
    /// Uses the device's clock, if it has one.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let stamps = Stamps::new(gpu, pairs_of(MAX_TICKS_PER_SUBMISSION, TICK.len() as u32));
        Self {
            stamps,
            under_way: None,
            is_behind: false,
            latest: Profile::default(),
            largest_cell: 0,
            broken: CountedForces::default(),
            has_old_rules: false,
        }
    }

    /// True if a submission may be measured, because the previous one has been read or is a load.
    pub fn is_idle(&mut self, gpu: &Gpu) -> bool {
        self.collect(gpu);
        self.under_way.as_ref().is_none_or(|(_, measured)| measured.is_load)
    }

    /// Records the empty pass; its end is the beginning of the first tick.
    pub fn begin(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("begin"),
            timestamp_writes: self.stamps.of(0),
        });
    }

    /// Where pass number `pass` of measured tick `tick` writes its timestamps, if ticks have so many
    /// `passes`.
    #[must_use]
    pub fn stamps(
        &self,
        tick: u32,
        pass: u32,
        passes: u32,
    ) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        self.stamps.of(pairs_of(tick, passes) + pass)
    }

    /// Submits `encoder`, and asks for the times of its passes and for the statistics of the flock.
    pub fn submit(
        &mut self,
        gpu: &Gpu,
        mut encoder: wgpu::CommandEncoder,
        measured: Measured,
        buffers: &FlockBuffers,
    ) -> Result<(), EngineError> {
        let mut parts = vec![
            buffers.part(GRID_STATS, 0..FULLEST_CELL_BYTES),
            buffers.part("cell_count", HITS_BYTES..HITS_BYTES + CountedForces::BYTES),
        ];
        if measured.ticks > 0 {
            let pairs = pairs_of(measured.ticks, measured.passes.len() as u32);
            parts.extend(self.stamps.resolve(&mut encoder, 0, pairs));
        }
        self.under_way = Some((Readback::begin(gpu, encoder, &parts)?, measured));
        (self.is_behind, self.has_old_rules) = (false, false);
        Ok(())
    }

    /// Submits `encoder`, and asks for nothing.
    pub fn submit_unmeasured(&mut self, gpu: &Gpu, encoder: wgpu::CommandEncoder) {
        gpu.queue.submit([encoder.finish()]);
        self.is_behind = true;
    }

    /// True if ticks have begun since the last submission that asked for statistics.
    pub fn is_behind(&mut self, gpu: &Gpu) -> bool {
        self.collect(gpu);
        self.is_behind
    }

    /// Records wall times, for devices without a clock.
    pub fn note_wall_times(&mut self, times: &[(&'static str, Duration)], ticks: u32) {
        let one =
            |(pass, time): &(&'static str, Duration)| PassTime { pass, time: *time / ticks.max(1) };
        self.latest = Profile { passes: times.iter().map(one).collect(), by_timestamps: false };
        self.is_behind = true;
    }

    /// True if the device can time its passes.
    #[must_use]
    pub fn has_clock(&self) -> bool {
        self.stamps.has_clock()
    }

    /// The latest profile that has arrived.
    pub fn profile(&mut self, gpu: &Gpu) -> Profile {
        self.collect(gpu);
        self.latest.clone()
    }

    /// The latest size of the fullest cell that has arrived.
    pub fn largest_cell(&mut self, gpu: &Gpu) -> u32 {
        self.collect(gpu);
        self.largest_cell
    }

    /// The latest count of broken forces that has arrived.
    pub fn broken_forces(&mut self, gpu: &Gpu) -> BrokenForces {
        self.collect(gpu);
        self.broken.so_far
    }

    /// Forgets which rules broke, also what is under way about it: the scene has other rules now.
    pub fn forget_broken_rules(&mut self, gpu: &Gpu, buffers: &FlockBuffers) {
        self.has_old_rules = true;
        self.broken.so_far.forget_rules();
        buffers.write_at(gpu, "cell_count", BROKEN_RULES_AT, &[0; 4]);
    }

    /// Discards all results, also those under way: the flock is replaced by another.
    pub fn reset(&mut self) {
        (self.under_way, self.latest, self.largest_cell) = (None, Profile::default(), 0);
        self.broken = CountedForces::default();
    }

    fn collect(&mut self, gpu: &Gpu) {
        // If the poll fails, the device is lost: the next submission reports it.
        let _ = gpu.poll(wgpu::PollType::Poll);
        let Some((readback, measured)) = self.under_way.take() else { return };
        match readback.has_arrived(gpu) {
            Ok(true) => self.note(gpu, &readback, measured).unwrap_or_default(),
            Ok(false) => self.under_way = Some((readback, measured)),
            Err(_) => {}
        }
    }

    fn note(
        &mut self,
        gpu: &Gpu,
        readback: &Readback,
        Measured { ticks, passes, .. }: Measured,
    ) -> Result<(), EngineError> {
        let largest = readback.bytes(gpu, 0, 0..FULLEST_CELL_BYTES)?;
        self.largest_cell = bytemuck::pod_read_unaligned(&largest);
        self.broken.note(&readback.bytes(gpu, 1, 0..CountedForces::BYTES)?);
        if self.has_old_rules {
            self.broken.so_far.forget_rules();
        }
        if ticks == 0 || !self.has_clock() {
            return Ok(());
        }
        let stamps = stamps_in(&readback.bytes(gpu, 2, 0..readback.len(2))?);
        let period = f64::from(gpu.queue.get_timestamp_period());
        let ticks = ticks as usize;
        let time = |span: u64| Duration::from_secs_f64(span as f64 * period / ticks as f64 * 1e-9);
        let spans = spans(&stamps, ticks, passes.len());
        let passes = passes.into_iter().zip(spans);
        let passes: Vec<PassTime> =
            passes.map(|(pass, span)| PassTime { pass, time: time(span) }).collect();
        // Some drivers answer every query with zero, which is no measurement.
        if passes.iter().any(|pass| pass.time > Duration::ZERO) {
            self.latest = Profile { passes, by_timestamps: true };
        }
        Ok(())
    }
}

/// The time of each pass over all measured ticks, in periods of the device's clock: from the end of
/// the previous pass to its own end. `stamps` alternate beginnings and ends; the empty pass is
/// first.
fn spans(stamps: &[u64], ticks: usize, passes: usize) -> Vec<u64> {
    let end = |pass: usize| stamps[2 * pass + 1];
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
            assert_eq!(stamps.len(), 2 * pairs_of(3, PASSES as u32) as usize);
            assert_eq!(spans(&stamps, 3, PASSES), expected, "late: {late}");
        }
        // The control: from beginning to end, late stamps measure zero.
        let late = stamps(3, true);
        assert!(late.chunks_exact(2).all(|pass| pass[1] == pass[0]));
    }
}
