// An agent's memory, one word: an angle in turns (−0.5 to 0.5) in the upper 24 bits, a number of
// neighbours in the lower 8. src/model/memory.rs reads the same bits.

const STEPS = 16777216.0;

fn angle_of(memory: u32) -> f32 {
    return f32(bitcast<i32>(memory) >> 8u) / STEPS;
}

fn memory_of(angle: f32, neighbours: f32) -> u32 {
    return (bitcast<u32>(i32(angle * STEPS)) << 8u) | min(u32(neighbours), 255u);
}
