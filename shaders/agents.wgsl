// The agents, for the shaders that draw. Only this file knows which buffers hold them.

import package::tag::ID_BITS;

// Position in xy, velocity in zw.
@group(0) @binding(0) var<storage, read> state: array<vec4<f32>>;
// Species above, id below.
@group(0) @binding(1) var<storage, read> tag: array<u32>;
// The angle in the upper 24 bits, the number of neighbours in the lower 8. Not read where agents
// remember nothing.
@group(0) @binding(3) var<storage, read> memory: array<u32>;

// Position in xy, velocity in zw.
fn motion_of(agent: u32) -> vec4<f32> {
    return state[agent];
}

fn species_of(agent: u32) -> u32 {
    return tag[agent] >> ID_BITS;
}

fn id_of(agent: u32) -> u32 {
    return tag[agent] & ((1u << ID_BITS) - 1u);
}

fn neighbours_of(agent: u32) -> f32 {
    return f32(memory[agent] & 0xffu);
}

// Number of agents in the bound buffers.
fn agent_count() -> u32 {
    return arrayLength(&state);
}
