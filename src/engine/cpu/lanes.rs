//! The instructions that the engine runs on, and how agents get into the lanes.

use pulp::{Simd, WithSimd};

/// The instructions that steer. All of them give the same bits: every operation is rounded on its
/// own, and each agent adds its neighbours in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionSet {
    /// Four agents at a time, in the instructions that each processor of the target has: SSE2 on
    /// x86-64, NEON on ARM. They are arrays that the compiler vectorises; measured, as fast as
    /// SSE4.2 by name.
    Portable,
    /// Eight agents at a time.
    Avx2,
    /// Sixteen agents at a time.
    Avx512,
}

impl InstructionSet {
    /// The instruction sets of this processor, the fastest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        [Self::Avx512, Self::Avx2, Self::Portable].into_iter().filter(|set| set.exists()).collect()
    }

    /// The fastest instruction set of this processor.
    #[must_use]
    pub fn detect() -> Self {
        Self::available().first().copied().unwrap_or(Self::Portable)
    }

    /// Agents at a time.
    #[must_use]
    pub const fn lanes(self) -> usize {
        match self {
            Self::Portable => 4,
            Self::Avx2 => 8,
            Self::Avx512 => 16,
        }
    }

    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    fn exists(self) -> bool {
        match self {
            Self::Portable => true,
            Self::Avx2 => pulp::x86::V3::is_available(),
            Self::Avx512 => pulp::x86::V4::is_available(),
        }
    }

    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    fn exists(self) -> bool {
        self == Self::Portable
    }

    /// Runs `operation` on these instructions, or on the portable ones if the processor lacks them.
    #[inline(always)]
    pub fn run<O: WithSimd>(self, operation: O) -> O::Output {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        {
            if self == Self::Avx512
                && let Some(simd) = pulp::x86::V4::try_new()
            {
                return Simd::vectorize(simd, operation);
            }
            if self == Self::Avx2
                && let Some(simd) = pulp::x86::V3::try_new()
            {
                return Simd::vectorize(simd, operation);
            }
        }
        Simd::vectorize(pulp::Scalar128b, operation)
    }
}

impl std::fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Portable if cfg!(target_arch = "x86_64") => "SSE2, 4 lanes",
            Self::Portable if cfg!(target_arch = "aarch64") => "NEON, 4 lanes",
            Self::Portable => "4 lanes",
            Self::Avx2 => "AVX2, 8 lanes",
            Self::Avx512 => "AVX-512, 16 lanes",
        })
    }
}
