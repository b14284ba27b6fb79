//! Submits ticks, and runs single passes.

use std::time::Duration;

use super::GpuEngine;
use super::buffers::{self, MAX_TICKS_PER_SUBMISSION};
use super::flock::DeviceFlock;
use super::profiler::Measured;
use crate::EngineError;
use crate::stopwatch::Stopwatch;
use flockwork_model::behaviours::Uses;

/// Agents times ticks per submission on a GPU. Systems kill a device that is silent for about two
/// seconds.
const AGENT_TICKS: u64 = 64_000_000;

/// Candidates of an agent in a flock that is not crowded.
const USUAL_NEIGHBOURS: u64 = 32;

/// The same on a driver that computes on the CPU: lavapipe moves four million agents a second,
/// SwiftShader one million.
const AGENT_TICKS_BY_SOFTWARE: u64 = 1_000_000;

impl GpuEngine {
    /// Runs one pass of the tick, for tests that look between the passes or skip one. The tick is
    /// the first of a flock, or the one after [`Self::end_tick`].
    #[doc(hidden)]
    pub fn run_pass(&self, name: &str) -> Result<(), EngineError> {
        let (gpu, loaded) = (&self.builder.gpu, self.loaded()?);
        let sizes = self.builder.sizes(&loaded.buffers);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let mut compute = encoder.begin_compute_pass(&Default::default());
        loaded.record(&mut compute, sizes, 0, |pass| pass.name == name);
        drop(compute);
        gpu.queue.submit([encoder.finish()]);
        gpu.wait()
    }

    /// Ends a tick whose passes were run one by one.
    #[doc(hidden)]
    pub fn end_tick(&mut self) -> Result<(), EngineError> {
        self.count_ticks(1);
        self.write_clock(1)
    }

    /// Submits `ticks` ticks, in batches that the system allows.
    pub(super) fn submit_in_batches(&mut self, ticks: u32) -> Result<(), EngineError> {
        let loaded = self.loaded()?;
        let mut agents = u64::from(loaded.buffers.extent.agents.max(1));
        if loaded.scene.uses().has(Uses::EVERYBODY) {
            agents *= agents.div_ceil(USUAL_NEIGHBOURS);
        }
        let most =
            if self.builder.gpu.is_software() { AGENT_TICKS_BY_SOFTWARE } else { AGENT_TICKS };
        let batch = (most / agents).clamp(1, MAX_TICKS_PER_SUBMISSION.into());
        let mut left = ticks;
        while left > 0 {
            let now = left.min(batch as u32);
            self.write_species(now)?;
            self.submit(now)?;
            self.count_ticks(now);
            left -= now;
        }
        Ok(())
    }

    /// Submits `ticks` ticks at once.
    fn submit(&mut self, ticks: u32) -> Result<(), EngineError> {
        self.write_clock(ticks)?;
        let Self { builder, profiler, profiling, loaded, .. } = self;
        let gpu = &builder.gpu;
        let idle = profiler.is_idle(gpu);
        let Some(loaded) = loaded else { return Err(EngineError::NoFlock) };
        let sizes = builder.sizes(&loaded.buffers);
        let descriptor = wgpu::CommandEncoderDescriptor { label: Some("tick") };
        let mut encoder = gpu.device.create_command_encoder(&descriptor);
        let mut measured = Measured::default();
        if *profiling && idle && profiler.has_clock() {
            let names = loaded.passes.iter().map(|bound| bound.pass().name);
            measured = Measured { ticks, passes: names.collect(), is_load: false };
            let of_tick = measured.passes.len() as u32;
            profiler.begin(&mut encoder);
            for tick in 0..ticks {
                for (bound, number) in loaded.passes.iter().zip(0..) {
                    let mut compute = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                        label: Some(bound.pass().name),
                        timestamp_writes: profiler.stamps(tick, number, of_tick),
                    });
                    bound.dispatch(&mut compute, sizes, tick);
                }
            }
        } else {
            let mut compute = encoder.begin_compute_pass(&Default::default());
            for tick in 0..ticks {
                loaded.record(&mut compute, sizes, tick, |_| true);
            }
        }
        if idle {
            profiler.submit(gpu, encoder, measured, &loaded.buffers)?;
        } else {
            profiler.submit_unmeasured(gpu, encoder);
        }
        gpu.check()
    }

    /// Writes the numbers of the next `ticks` ticks.
    pub(super) fn write_clock(&self, ticks: u32) -> Result<(), EngineError> {
        let DeviceFlock { buffers, tick, .. } = self.loaded()?;
        let gpu = &self.builder.gpu;
        let stride = buffers::clock_stride(&gpu.device.limits()) as usize;
        let mut bytes = vec![0; stride * ticks as usize];
        for (number, slot) in (*tick..).zip(bytes.chunks_mut(stride)) {
            // Shaders count in 32 bits.
            slot[..4].copy_from_slice(&(number as u32).to_le_bytes());
        }
        buffers.write(gpu, buffers::CLOCK, &bytes);
        Ok(())
    }

    /// Writes the tables of species for the next `ticks` ticks, if parameters vary with time.
    fn write_species(&self, ticks: u32) -> Result<(), EngineError> {
        let DeviceFlock { scene, variant, tables, buffers, tick, .. } = self.loaded()?;
        let gpu = &self.builder.gpu;
        if !variant.uses.has(Uses::VARYING) {
            return Ok(());
        }
        for tick in *tick..*tick + u64::from(ticks) {
            let table = tables.species(scene, tick).map_err(|message| gpu.error(message))?;
            buffers.write_at(gpu, "tables", tables.species_offset(tick), &table);
        }
        Ok(())
    }

    fn count_ticks(&mut self, ticks: u32) {
        if let Some(loaded) = &mut self.loaded {
            loaded.tick += u64::from(ticks);
            loaded.agents.tick = loaded.tick;
        }
    }

    /// Runs ticks with each pass submitted alone and timed by the wall clock.
    pub(super) fn step_by_wall_clock(&mut self, ticks: u32) -> Result<(), EngineError> {
        let passes = self.loaded()?.passes.iter().map(|own| (own.pass().name, Duration::ZERO));
        let mut times: Vec<_> = passes.collect();
        for _ in 0..ticks {
            self.write_species(1)?;
            self.write_clock(1)?;
            for (pass, time) in &mut times {
                let stopwatch = Stopwatch::start(true);
                self.run_pass(pass)?;
                *time += stopwatch.elapsed();
            }
            self.count_ticks(1);
        }
        self.profiler.note_wall_times(&times, ticks);
        Ok(())
    }
}
