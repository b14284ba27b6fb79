// Random numbers that are a pure function of (seed, id, tick, use): the PCG hash of Jarzynski and
// Olano, "Hash Functions for GPU Rendering" (JCGT 2020). src/model/random.rs gives the same bits.

import package::space::{Vector, spread};

const USE_SPREAD = 4u;
const USE_SAMPLE_PHASE = 5u;
const USE_WANDER = 6u;
const USE_START_ANGLE = 7u;
const USE_TARGET_X = 8u;
const USE_TARGET_Y = 9u;
const USE_TARGET_HEADING = 16u;

fn pcg(input: u32) -> u32 {
    let state = input * 747796405u + 2891336453u;
    let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (word >> 22u) ^ word;
}

fn random_bits(seed: u32, id: u32, tick: u32, use_: u32) -> u32 {
    return pcg(pcg(pcg(pcg(seed) ^ id) ^ tick) ^ use_);
}

// The upper 24 bits as a number in [0, 1).
fn unit_from(bits: u32) -> f32 {
    return f32(bits >> 8u) * (1.0 / 16777216.0);
}

// The direction in which agent `id` leaves another one at the same spot. The vector is not normalised; it
// is never zero.
fn spread_direction(id: u32) -> Vector {
    return spread(pcg(pcg(id) ^ USE_SPREAD));
}
