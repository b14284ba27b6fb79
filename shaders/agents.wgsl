// The agents, for the shaders that draw. Only this file knows which buffers hold them.

import package::space::{Motion, position_of, velocity_of as velocity_in};
import package::memory::bank_of;
import package::tag::ID_BITS;

@group(0) @binding(0) var<storage, read> state: array<Motion>;
// Species above, id below.
@group(0) @binding(1) var<storage, read> tag: array<u32>;
// The angle (in space a direction) in the upper 24 bits, the number for the colour in the lower 8. Not read
// where agents remember nothing.
@group(0) @binding(3) var<storage, read> memory: array<u32>;

// Position in xy, velocity in zw; in space as seen from above.
fn motion_of(agent: u32) -> vec4<f32> {
    let motion = state[agent];
    return vec4(position_of(motion).xy, velocity_in(motion).xy);
}

// In a plane the third component is 0.
fn place_of(agent: u32) -> vec3<f32> {
    @if(!flat)
    return position_of(state[agent]);
    @if(flat)
    return vec3(position_of(state[agent]), 0.0);
}

fn velocity_of(agent: u32) -> vec3<f32> {
    @if(!flat)
    return velocity_in(state[agent]);
    @if(flat)
    return vec3(velocity_in(state[agent]), 0.0);
}

fn species_of(agent: u32) -> u32 {
    return tag[agent] >> ID_BITS;
}

fn id_of(agent: u32) -> u32 {
    return tag[agent] & ((1u << ID_BITS) - 1u);
}

// The numbers that it keeps for rules in text.
@if(kept)
fn kept_of(agent: u32) -> vec4<f32> {
    return state[agent].kept;
}

fn shown_of(agent: u32) -> f32 {
    return f32(memory[agent] & 0xffu);
}

// How far it leans to its left, if it remembers that: -127 to 127.
fn lean_of(agent: u32) -> f32 {
    return bank_of(memory[agent]);
}

// Number of agents in the bound buffers.
fn agent_count() -> u32 {
    return arrayLength(&state);
}
