// Numbers that agents draw for themselves: src/model/scene/variation.rs gives the same bits. A file of
// its own, so that a scene whose agents draw nothing has nothing of it.

import package::random::{random_bits, unit_from};

const USE_TRAIT = 15u;

// What agent `id` draws between `low` and `high`; `key` is the number of the parameter.
fn drawn(low: f32, high: f32, seed: u32, id: u32, key: u32) -> f32 {
    // A rounded sum may be above the end.
    return min(low + (high - low) * unit_from(random_bits(seed, id, key, USE_TRAIT)), high);
}
