//! Random numbers that are a pure function of (seed, id, tick, purpose).
//!
//! The generator is the PCG hash of Jarzynski and Olano, *Hash Functions for GPU Rendering*
//! (JCGT 2020): 32-bit integer arithmetic only, so Rust and `shaders/random.wgsl` agree to the
//! bit. There is no hidden state: the order in which agents are visited does not matter.

/// The purpose of a random number. Numbers for different purposes are independent, also of the same agent and tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Purpose {
    /// First coordinate of the spawn position.
    SpawnX = 1,
    /// Second coordinate of the spawn position.
    SpawnY = 2,
    /// Direction of the first velocity.
    SpawnHeading = 3,
    /// Direction in which an agent moves away from another at the same spot.
    Spread = 4,
    /// Phase of the sample in a crowded run of cells.
    SamplePhase = 5,
    /// Angle by which a wanderer turns.
    Wander = 6,
    /// Angle at which a wanderer or swimmer starts.
    StartAngle = 7,
    /// First coordinate of the place where a target reappears.
    TargetX = 8,
    /// Second coordinate of the place where a target reappears.
    TargetY = 9,
    /// First coordinate of an obstacle.
    ObstacleX = 10,
    /// Second coordinate of an obstacle.
    ObstacleY = 11,
    /// Corners of a new path.
    PathCorner = 12,
    /// First component of the first velocity.
    SpawnVelocityX = 13,
    /// Second component of the first velocity.
    SpawnVelocityY = 14,
    /// A parameter of a body or a behaviour that each agent draws for itself.
    Trait = 15,
    /// New heading of a target after a hit.
    TargetHeading = 16,
    /// Third coordinate of the spawn position.
    SpawnZ = 17,
    /// Height of the direction of the first velocity.
    SpawnClimb = 18,
    /// Third component of the first velocity.
    SpawnVelocityZ = 19,
    /// Third coordinate of the place where a target reappears.
    TargetZ = 20,
    /// Height of a target's new heading.
    TargetClimb = 21,
    /// Third coordinate of an obstacle.
    ObstacleZ = 22,
    /// A wanderer's place on its sphere moves in a random direction: the angle round the vertical.
    WanderAround = 23,
    /// The height of that direction.
    WanderHeight = 24,
    /// Height of a wanderer's first direction.
    StartHeight = 25,
    /// Brownian motion along the first axis.
    JitterX = 26,
    /// Brownian motion along the second axis.
    JitterY = 27,
    /// Brownian motion along the third axis.
    JitterZ = 28,
    /// A number that an agent keeps, at the start.
    KeptStart = 29,
    /// The order in which an agent draws one of its neighbours.
    Pick = 30,
    /// Whether an agent is in the sample whose velocities are paired.
    Paired = 31,
    /// Noise of the heading: how far it turns.
    Noise = 32,
    /// In a plane its direction, in space the angle of its direction round the vertical.
    NoiseAround = 33,
    /// The height of its direction.
    NoiseHeight = 34,
    /// A value of a species that varies in time.
    Variation = 35,
}

/// The PCG output permutation: a bijection of the 32-bit integers that mixes well.
#[must_use]
#[inline]
pub const fn pcg(input: u32) -> u32 {
    let state = input.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    (word >> 22) ^ word
}

/// 32 random bits for (seed, id, tick, purpose).
#[must_use]
#[inline]
pub const fn bits(seed: u32, id: u32, tick: u32, purpose: Purpose) -> u32 {
    pcg(pcg(pcg(pcg(seed) ^ id) ^ tick) ^ purpose as u32)
}

/// The place of agent `other` in an order that another agent has drawn ([`Purpose::Pick`]): no two have the same.
#[must_use]
#[inline]
pub const fn place_in_order(order: u32, other: u32) -> u32 {
    pcg(order ^ other)
}

/// The first use of rules in text; all others are below it.
pub const FIRST_OF_RULES: u32 = 256;

/// The draw `number` of a rule in text, in [0, 1): the same in every rule.
#[must_use]
#[inline]
pub fn of_rule(seed: u32, id: u32, tick: u32, number: u32) -> f32 {
    unit_from(pcg(pcg(pcg(pcg(seed) ^ id) ^ tick) ^ (FIRST_OF_RULES + number)))
}

/// Uniform in [0, 1), a multiple of 2⁻²⁴.
#[must_use]
#[inline]
pub fn unit(seed: u32, id: u32, tick: u32, purpose: Purpose) -> f32 {
    unit_from(bits(seed, id, tick, purpose))
}

/// The upper 24 of `bits` as a number in [0, 1).
#[must_use]
#[inline]
pub fn unit_from(bits: u32) -> f32 {
    (bits >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// Random bits for the direction in which agent `id` moves away from another agent at the same spot.
/// They depend only on the id.
#[must_use]
#[inline]
pub const fn spread_bits(id: u32) -> u32 {
    pcg(pcg(id) ^ Purpose::Spread as u32)
}

/// Two numbers from the halves of `bits`: −32,767.5 to 32,767.5, none of them 0. Without trigonometry,
/// so that both engines get the same bits.
#[must_use]
#[inline]
pub fn spread(bits: u32) -> [f32; 2] {
    [bits & 0xffff, bits >> 16].map(|half| half as f32 - MAX_SPREAD)
}

/// The largest of them.
pub const MAX_SPREAD: f32 = 32_767.5;

/// The inverse of the standard deviation of a sum of four numbers of 16 bits: √(3 / (2³² − 1)).
const INVERSE_DEVIATION: f32 = 2.642_899_8e-5;

/// Every nearly normal number is shorter.
pub const MAX_NORMAL: f32 = 3.5;

/// A nearly normal number of mean 0 and variance 1, from −3.46 to 3.46: the sum of four numbers of 16
/// bits, two of them from `bits`.
#[must_use]
#[inline]
pub fn nearly_normal(bits: u32) -> f32 {
    let halves = |bits: u32| (bits & 0xffff) + (bits >> 16);
    ((halves(bits) + halves(pcg(bits))) as f32 - 131_070.0) * INVERSE_DEVIATION
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_uniform_and_purposes_independent() {
        let n = 100_000;
        let (mut sum, mut product) = (0.0_f64, 0.0_f64);
        for id in 0..n {
            let x = f64::from(unit(7, id, 3, Purpose::SpawnX)) - 0.5;
            let y = f64::from(unit(7, id, 3, Purpose::SpawnY)) - 0.5;
            sum += x;
            product += x * y;
        }
        // Standard errors are 0.29/√n = 0.0009 and 0.083/√n = 0.0003: four of each.
        assert!((sum / f64::from(n)).abs() < 0.0037, "mean is {}", sum / f64::from(n));
        assert!((product / f64::from(n)).abs() < 0.0011, "uses correlate");
    }

    #[test]
    fn two_agents_leave_a_shared_spot_in_different_directions() {
        assert_ne!(spread(spread_bits(0)), spread(spread_bits(1)));
        assert!((0..10_000).all(|id| spread(spread_bits(id)).iter().all(|part| part.abs() >= 0.5)));
    }
}
