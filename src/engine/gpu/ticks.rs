//! Submits ticks, and runs single passes.

use std::time::Duration;

use super::profiler::MEASURED_TICKS;
use super::{GpuEngine, buffers};
use crate::EngineError;
use crate::stopwatch::Stopwatch;
use flockwork_model::behaviours::Uses;

/// Agents times ticks per submission, on a GPU and on a driver that computes on the CPU. Systems
/// kill a device that is silent for about two seconds: lavapipe moves four million agents a second,
/// SwiftShader one million.
const AGENT_TICKS_PER_SUBMISSION: [u64; 2] = [64_000_000, 1_000_000];

impl GpuEngine {
    /// Runs one pass of the tick, for tests that look between the passes or skip one. The tick is
    /// the first of a flock, or the one after [`Self::end_tick`].
    pub fn run_pass(&self, name: &str) -> Result<(), EngineError> {
        self.loaded()?.submit_passes(&self.gpu, &self.options, |pass| pass.name == name)?;
        self.gpu.wait()
    }

    /// Ends a tick whose passes were run one by one.
    pub fn end_tick(&mut self) -> Result<(), EngineError> {
        self.count_ticks(1);
        self.write_clock(1)
    }

    /// Submits `ticks` ticks, in batches that the system allows.
    pub(super) fn submit_in_batches(&mut self, ticks: u32) -> Result<(), EngineError> {
        let agents = u64::from(self.loaded()?.memory.extent.agents.max(1));
        let most = AGENT_TICKS_PER_SUBMISSION[usize::from(self.gpu.is_software())];
        let batch = (most / agents).clamp(1, MEASURED_TICKS.into());
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
        let idle = self.profiler.is_idle(&self.gpu);
        self.write_clock(ticks)?;
        let Some(loaded) = &self.loaded else { return Err(self.gpu.error("no flock is loaded")) };
        let sizes = loaded.sizes(&self.gpu, &self.options)?;
        let measured = self.profiling && idle && self.profiler.has_queries();
        let mut encoder = self
            .gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("tick") });
        let passes = || loaded.pipelines.iter().zip(&loaded.bindings);
        if measured {
            let names = loaded.pipelines.iter().map(|pipeline| pipeline.pass.name).collect();
            self.profiler.begin(&mut encoder, names);
            for (tick, (number, (pipeline, bindings))) in
                (0..ticks).flat_map(|tick| passes().enumerate().map(move |pass| (tick, pass)))
            {
                let mut compute = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                    label: Some(pipeline.pass.name),
                    timestamp_writes: self.profiler.stamps(tick, number as u32),
                });
                pipeline.dispatch(&mut compute, bindings, sizes, tick);
            }
        } else {
            let mut compute = encoder.begin_compute_pass(&Default::default());
            for tick in 0..ticks {
                loaded.record(&mut compute, sizes, tick, |_| true);
            }
        }
        if idle {
            self.profiler.resolve(&mut encoder, if measured { ticks } else { 0 }, sizes.grid_stats);
        }
        self.gpu.queue.submit([encoder.finish()]);
        if idle {
            self.profiler.submitted();
        }
        self.gpu.check()
    }

    /// Writes the numbers of the next `ticks` ticks.
    pub(super) fn write_clock(&self, ticks: u32) -> Result<(), EngineError> {
        let super::flock::DeviceFlock { memory, tick, .. } = self.loaded()?;
        let stride = buffers::clock_stride(&self.gpu.device.limits()) as usize;
        let mut bytes = vec![0; stride * ticks as usize];
        for (number, slot) in (*tick..).zip(bytes.chunks_mut(stride)) {
            // Shaders count in 32 bits.
            slot[..4].copy_from_slice(&(number as u32).to_le_bytes());
        }
        memory.write(&self.gpu, buffers::CLOCK, &bytes);
        Ok(())
    }

    /// Writes the tables of species for the next `ticks` ticks, if parameters vary with time.
    fn write_species(&self, ticks: u32) -> Result<(), EngineError> {
        let super::flock::DeviceFlock { scene, variant, tables, memory, tick, .. } =
            self.loaded()?;
        if !variant.uses.has(Uses::VARYING) {
            return Ok(());
        }
        for tick in *tick..*tick + u64::from(ticks) {
            let table = tables.species(scene, tick).map_err(|message| self.gpu.error(message))?;
            memory.write_at(&self.gpu, "tables", tables.species_offset(tick), &table);
        }
        Ok(())
    }

    fn count_ticks(&mut self, ticks: u32) {
        if let Some(loaded) = &mut self.loaded {
            loaded.tick += u64::from(ticks);
        }
    }

    /// Runs ticks with each pass submitted alone and timed by the wall clock.
    pub(super) fn step_by_wall_clock(&mut self, ticks: u32) -> Result<(), EngineError> {
        let passes = self.loaded()?.pipelines.iter().map(|p| (p.pass.name, Duration::ZERO));
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
