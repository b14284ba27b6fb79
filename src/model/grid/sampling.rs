//! Long runs are sampled, with a stride and a random phase.

use crate::named::named;
use crate::random::{self, Purpose};

/// An agent looks at about this many members of a run that is [`LONG_RUN`] or longer. A power of
/// two spares the shader an integer division.
///
/// Three such samples bound the cost of an agent when a whole flock meets at a point.
pub const RUN_SAMPLE: u32 = 32;

/// Runs of this length or longer have the smallest sample; a power of two.
///
/// The stride in a shorter run is ⌈length² / ([`RUN_SAMPLE`] · `LONG_RUN`)⌉. It begins at 2, so
/// that the noise of sampling begins small. Noise weakens forces that use only the direction of a
/// sum, and separation more than cohesion: coarsely sampled flocks draw together until they are
/// crowds.
pub const LONG_RUN: u32 = 1024;

/// The longest run that an agent reads whole, 181: at this length the sample would be as long as
/// the run. Up to 170 neighbours are exact.
pub const MAX_WHOLE_RUN: u32 = (RUN_SAMPLE * LONG_RUN).isqrt();

named! {
    /// Whether agents in a crowd look at every neighbour.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum CrowdSampling {
        /// They look at a sample, so that the work of an agent is bounded.
        Auto = "auto",
        /// They look at every neighbour, whatever the work.
        Off = "none",
    }
}

impl CrowdSampling {
    /// The longest run that agents read whole. Those that choose the nearest neighbours read every run whole.
    #[must_use]
    pub fn run_cap(self, choose: bool) -> u32 {
        if choose || self == Self::Off { u32::MAX } else { MAX_WHOLE_RUN }
    }
}

/// Which members of a long run an agent looks at: `phase`, `phase + stride`, … Each is weighted by
/// `stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// Offset of the first member looked at.
    pub phase: u32,
    /// Distance from one to the next; 1 if the run is read whole.
    pub stride: u32,
}

impl Sampling {
    /// Random bits for the phases of the agents in `cell` at `tick`.
    ///
    /// They depend on the cell and not on the agent: all agents of a cell look at the same members
    /// of a run, so a processor loads them once.
    #[inline]
    #[must_use]
    pub fn noise(seed: u32, cell: u32, tick: u32) -> u32 {
        random::bits(seed, cell, tick, Purpose::SamplePhase)
    }

    /// The sampling of a run of `length` agents, if it is longer than `cap`.
    ///
    /// The phase is uniform, so the weighted sum over the sample is an unbiased estimate of the sum
    /// over the run.
    #[inline]
    #[must_use]
    pub fn of_run(length: u32, cap: u32, noise: u32) -> Self {
        let stride = if length <= cap {
            1
        } else if length < LONG_RUN {
            (length * length).div_ceil(RUN_SAMPLE * LONG_RUN)
        } else {
            length.div_ceil(RUN_SAMPLE)
        };
        let phase = (random::unit_from(noise) * stride as f32) as u32;
        Self { phase: phase.min(stride - 1), stride }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum over the sample that starts at `phase`, each member weighted by the stride.
    fn estimate(values: &[f64], stride: u32, phase: u32) -> f64 {
        let sample = values.iter().skip(phase as usize).step_by(stride as usize);
        sample.sum::<f64>() * f64::from(stride)
    }

    #[test]
    fn the_mean_over_all_phases_is_the_exact_sum() {
        for length in [300_u32, 500, 1000, 4096, 12_345] {
            let stride = Sampling::of_run(length, MAX_WHOLE_RUN, 0).stride;
            let values: Vec<f64> = (0..length).map(|i| f64::from(i * i % 97) - 20.0).collect();
            let exact: f64 = values.iter().sum();
            let estimates: Vec<f64> =
                (0..stride).map(|phase| estimate(&values, stride, phase)).collect();
            let mean = estimates.iter().sum::<f64>() / f64::from(stride);
            assert!((mean - exact).abs() < 1e-6 * exact.abs(), "{length}: {mean}, not {exact}");
            // The controls: always the same phase, and members not weighted by the stride.
            assert!((estimates[0] - exact).abs() > 1e-3 * exact.abs(), "{length}");
            assert!((mean / f64::from(stride) - exact).abs() > 0.5 * exact.abs(), "{length}");
        }
    }

    #[test]
    fn every_phase_is_drawn_as_often() {
        const TICKS: u32 = 16_000;
        let stride = Sampling::of_run(1000, MAX_WHOLE_RUN, 0).stride;
        let mut times = vec![0_u32; stride as usize];
        for tick in 0..TICKS {
            times[Sampling::of_run(1000, MAX_WHOLE_RUN, Sampling::noise(1, 3, tick)).phase
                as usize] += 1;
        }
        let mean = f64::from(TICKS) / f64::from(stride);
        // Five standard deviations of a binomial number: one phase in a million is outside.
        let off = 5.0 * mean.sqrt();
        assert!(times.iter().all(|n| (f64::from(*n) - mean).abs() < off), "{times:?}");
    }

    #[test]
    fn a_run_is_read_whole_or_by_a_sample_that_shrinks_with_its_length() {
        // By hand: 182² is more than 32 · 1,024, 512² is eight times that, 1,023² nearly 32 times.
        for (length, stride) in [
            (1, 1),
            (181, 1),
            (182, 2),
            (256, 2),
            (257, 3),
            (512, 8),
            (1023, 32),
            (1024, 32),
            (1025, 33),
            (200_000, 6250),
            (u32::MAX, 1 << 27),
        ] {
            let sampling = Sampling::of_run(length, MAX_WHOLE_RUN, Sampling::noise(1, 3, 5));
            assert_eq!(sampling.stride, stride, "{length}");
            assert!(sampling.phase < stride, "{length}");
        }
        let strides = (1..5000).map(|length| Sampling::of_run(length, MAX_WHOLE_RUN, 0).stride);
        assert!(strides.is_sorted(), "a longer run has a shorter stride");
    }
}
