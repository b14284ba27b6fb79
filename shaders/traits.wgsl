// Numbers that each agent draws for itself. src/model/scene/variation.rs gives the same bits. Only scenes
// that draw such numbers import this file.

import package::random::{random_bits, unit_from};

const PURPOSE_TRAIT = 15u;

// The number that agent `id` draws between `low` and `high`. `key` is the number of the parameter.
fn drawn(low: f32, high: f32, seed: u32, id: u32, key: u32) -> f32 {
    // The rounded sum may exceed `high`.
    return min(low + (high - low) * unit_from(random_bits(seed, id, key, PURPOSE_TRAIT)), high);
}
