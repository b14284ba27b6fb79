//! An agent's memory besides its motion, in one word.
//!
//! The upper 24 bits are an angle, the lower 8 a number of neighbours. `shaders/memory.wgsl` reads
//! the same bits.

use super::random::{Use, unit};

/// Steps of the angle in a turn.
const STEPS: f32 = 16_777_216.0;

/// The largest number of neighbours; larger numbers are stored as this one.
pub const MOST_NEIGHBOURS: u32 = 255;

/// An angle and a number of neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Memory(pub u32);

impl Memory {
    /// `angle` is in turns, from −0.5 to 0.5; `neighbours` is limited to [`MOST_NEIGHBOURS`].
    #[inline]
    #[must_use]
    pub fn new(angle: f32, neighbours: f32) -> Self {
        let angle = (angle * STEPS) as i32;
        let neighbours = (neighbours as u32).min(MOST_NEIGHBOURS);
        Self((angle << 8) as u32 | neighbours)
    }

    /// The memory of agent `id` at the start: a random angle and no neighbours.
    ///
    /// (The sources start all angles at 0, but then the whole flock drifts in one direction.)
    #[must_use]
    pub fn at_start(seed: u32, id: u32) -> Self {
        Self::new(unit(seed, id, 0, Use::StartAngle) - 0.5, 0.0)
    }

    /// The angle of a wanderer or swimmer: turns, from −0.5 to 0.5.
    #[inline]
    #[must_use]
    pub fn angle(self) -> f32 {
        (self.0 as i32 >> 8) as f32 / STEPS
    }

    /// Number of agents within the species' largest radius at the last tick.
    #[inline]
    #[must_use]
    pub fn neighbours(self) -> u32 {
        self.0 & MOST_NEIGHBOURS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_comes_back() {
        for angle in [-0.5, -0.25, -1e-6, 0.0, 1e-6, 0.3, 0.499_999] {
            for neighbours in [0.0, 1.0, 254.9, 255.0, 1e6] {
                let memory = Memory::new(angle, neighbours);
                assert!((memory.angle() - angle).abs() < 1e-7, "{angle}: {}", memory.angle());
                assert_eq!(memory.neighbours(), (neighbours as u32).min(255));
            }
        }
        assert_eq!(Memory::new(0.5, 3.0).angle(), -0.5);
    }
}
