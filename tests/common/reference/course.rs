//! The course of an agent after its forces: its least speed, noise, the widest turn, Brownian motion.

use super::{CANCELLATION, MAX_STRETCH, STEEP, Vehicle};
use flockwork::model::random::{Purpose, bits, pcg, unit};
use glam::{DQuat, DVec2, DVec3};
use std::f64::consts::TAU;

/// The sum of four even numbers, with mean 0 and variance 1.
fn nearly_normal(word: u32) -> f64 {
    let words = [word, pcg(word)];
    let halves = words.into_iter().flat_map(|word| [word & 0xffff, word >> 16]);
    let sum: f64 = halves.map(|half| f64::from(half) - 32_767.5).sum();
    // The variance of n numbers in a row is (n² − 1) / 12.
    sum / (4.0 * (65_536.0_f64.powi(2) - 1.0) / 12.0).sqrt()
}

impl Vehicle<'_> {
    /// A sum of terms of this length, or its direction at `speed` if it is slower; at rest the heading
    /// before the tick.
    pub(super) fn at_least(&mut self, sum: DVec3, terms: f64, speed: f64) -> DVec3 {
        if sum.length() >= speed {
            return sum;
        }
        // Rounding would choose the direction.
        self.doubtful |= sum.length() < CANCELLATION * terms;
        let ways = [sum, self.v, DVec3::X];
        // `f32` holds no smaller square.
        let moves = |way: &DVec3| way.length_squared() >= f64::from(f32::MIN_POSITIVE);
        if moves(&sum) {
            self.stretch = speed / sum.length();
            self.doubtful |= self.stretch > MAX_STRETCH;
        }
        ways.into_iter().find(moves).unwrap().normalize() * speed
    }

    /// A velocity, or one as fast that is `most` degrees from the heading before the tick.
    pub(super) fn turned(&mut self, v: DVec3, most: f64) -> DVec3 {
        // `f32` holds no smaller square.
        let moves = |way: DVec3| way.length_squared() >= f64::from(f32::MIN_POSITIVE);
        if most >= 180.0 || !moves(v) || !moves(self.v) {
            return v;
        }
        let heading = self.heading();
        let axis = heading.cross(v);
        // Straight back rounding chooses the side.
        self.doubtful |= most > 0.0 && heading.dot(v) < 0.0 && axis.length() < STEEP * v.length();
        if heading.angle_between(v).to_degrees() <= most {
            return v;
        }
        if most == 0.0 || axis == DVec3::ZERO {
            return heading * v.length();
        }
        DQuat::from_axis_angle(axis.normalize(), most.to_radians()) * heading * v.length()
    }

    /// A velocity, turned by noise.
    pub(super) fn disturbed(&mut self, v: DVec3, step: f64) -> DVec3 {
        let amount = f64::from(self.species.body.noise) * step.sqrt();
        if amount == 0.0 || v.length_squared() < f64::from(f32::MIN_POSITIVE) {
            return v;
        }
        let (seed, id, tick) = (self.scene.seed, self.index as u32, self.state.tick as u32);
        let draw = |purpose| f64::from(unit(seed, id, tick, purpose));
        let word = bits(seed, id, tick, Purpose::Noise);
        let normal = DVec2::new(nearly_normal(word), nearly_normal(pcg(pcg(word))));
        let flat = self.scene.world.size.z == 0.0;
        let way = DQuat::from_rotation_z(TAU * (draw(Purpose::NoiseAround) - 0.5)) * DVec3::X;
        let height = if flat { 0.0 } else { 2.0 * draw(Purpose::NoiseHeight) - 1.0 };
        let way = way * (1.0 - height * height).sqrt() + DVec3::Z * height;
        let heading = v.normalize();
        if self.species.body.noise_kind == 2.0 {
            let course = heading + way * amount;
            self.doubtful |= course.length() < 0.3 * amount.max(1.0);
            return course.normalize() * v.length();
        }
        let is_even = self.species.body.noise_kind == 0.0;
        let (even, width) = (draw(Purpose::Noise), TAU * amount.min(1.0));
        if flat {
            let angle = if is_even { width * (even - 0.5) } else { TAU * amount * normal.x };
            return DQuat::from_rotation_z(angle) * v;
        }
        let axis = heading.cross(way);
        self.doubtful |= axis.length() < STEEP;
        let in_cone = (1.0 - even * (1.0 - (width / 2.0).cos())).acos();
        let angle = if is_even { in_cone } else { TAU * amount * normal.length() };
        DQuat::from_axis_angle(axis.normalize(), angle) * v
    }

    /// A Brownian step: on each axis the sum of four even numbers, with the variance asked for.
    pub(super) fn jitter(&self) -> DVec3 {
        let (seed, tick) = (self.scene.seed, self.state.tick as u32);
        let on_axis = |purpose| nearly_normal(bits(seed, self.index as u32, tick, purpose));
        let mut step =
            DVec3::from([Purpose::JitterX, Purpose::JitterY, Purpose::JitterZ].map(on_axis));
        step.z *= f64::from(u8::from(self.scene.world.size.z > 0.0));
        step * f64::from(self.species.body.jitter)
    }
}
