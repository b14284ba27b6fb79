//! An agent's memory besides its motion, in one word.
//!
//! The upper 24 bits are an angle, or in space the direction of a wanderer; the lower 8 are a number
//! of neighbours. `shaders/memory.wgsl` reads the same bits.

use super::random::{Use, unit};
use super::space::on_sphere;

/// Steps of the angle in a turn.
const STEPS: f32 = 16_777_216.0;

/// Steps of each of the two numbers of a direction, from −1 to 1.
const DIRECTION_STEPS: f32 = 4095.0;

/// The length of a step. A factor, because some drivers multiply by the reciprocal of a constant divisor,
/// and that has other bits.
const DIRECTION_STEP: f32 = 2.0 / DIRECTION_STEPS;

/// The largest number of neighbours; larger numbers are stored as this one.
pub const MOST_NEIGHBOURS: u32 = 255;

/// An angle or a direction, and a number of neighbours.
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

    /// `direction` is a unit vector; it comes back within 0.06 degrees. `neighbours` is limited to
    /// [`MOST_NEIGHBOURS`].
    ///
    /// The direction is that of a point on an octahedron, whose upper half is projected on a square;
    /// the lower half fills its corners.
    #[inline]
    #[must_use]
    pub fn of_direction(direction: [f32; 3], neighbours: f32) -> Self {
        let [x, y, z] = direction;
        // The zero vector has no direction; its quotients must be numbers all the same.
        let size = (x.abs() + y.abs() + z.abs()).max(f32::MIN_POSITIVE);
        let (x, y) = (x / size, y / size);
        let (x, y) = if z < 0.0 { folded(x, y) } else { (x, y) };
        let steps = |number: f32| ((number * 0.5 + 0.5) * DIRECTION_STEPS + 0.5) as u32;
        let neighbours = (neighbours as u32).min(MOST_NEIGHBOURS);
        Self(steps(x) << 20 | steps(y) << 8 | neighbours)
    }

    /// The memory of agent `id` of a space at the start, if it remembers a direction: a random one
    /// and no neighbours.
    #[must_use]
    pub fn at_start_in_space(seed: u32, id: u32) -> Self {
        let draw = |purpose| unit(seed, id, 0, purpose);
        let direction = on_sphere([draw(Use::StartAngle), draw(Use::StartHeight)]);
        Self::of_direction(direction.0, 0.0)
    }

    /// The direction of a wanderer in space: a unit vector.
    #[inline]
    #[must_use]
    pub fn direction(self) -> [f32; 3] {
        let number = |steps: u32| (steps & 0xfff) as f32 * DIRECTION_STEP - 1.0;
        let (x, y) = (number(self.0 >> 20), number(self.0 >> 8));
        let z = 1.0 - x.abs() - y.abs();
        let (x, y) = if z < 0.0 { folded(x, y) } else { (x, y) };
        let length = (x * x + y * y + z * z).sqrt();
        [x, y, z].map(|component| component / length)
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

/// Exchanges the square of the upper half of the octahedron with its corners.
#[inline]
fn folded(x: f32, y: f32) -> (f32, f32) {
    let side = |number: f32| if number < 0.0 { -1.0 } else { 1.0 };
    ((1.0 - y.abs()) * side(x), (1.0 - x.abs()) * side(y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remembered_direction_comes_back() {
        for id in 0..5000 {
            let [x, y] = [Use::SpawnX, Use::SpawnY].map(|purpose| unit(3, id, 0, purpose));
            let direction = on_sphere([x, y]);
            let memory = Memory::of_direction(direction.0, 7.0);
            let back = super::super::vector::Vector(memory.direction());
            assert_eq!(memory.neighbours(), 7);
            assert!((back.length() - 1.0).abs() < 1e-6, "{back:?}");
            // Half a step on each of two axes is 3.5e-4. The face of the octahedron is nearer than the
            // sphere, and slanted: together a factor of up to 3.
            assert!((back - direction).length() < 1.04e-3, "{direction:?} came back as {back:?}");
            assert_eq!(Memory::of_direction(back.0, 7.0), memory, "no drift");
        }
        for axis in [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]] {
            let back = Memory::of_direction(axis, 0.0).direction();
            let near = back.iter().zip(axis).all(|(back, axis)| (back - axis).abs() < 3e-4);
            assert!(near, "{axis:?}: {back:?}");
        }
    }

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
