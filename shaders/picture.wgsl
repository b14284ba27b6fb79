// A picture: what the camera sees, how each species looks, and the colour of an agent.

import package::agents::neighbours_of;

struct SpeciesLook {
    // From the middle to the nose of a dart, to the edge of a disc, or to where a glow is about half
    // as bright; pixels.
    radius: f32,
    // From the middle to where nothing of it is left to see; pixels.
    reach: f32,
    // Opacity, or brightness of the middle.
    strength: f32,
    // How much of what is behind it is hidden, as a share of the strength.
    cover: f32,
    // Middle of the range of red, green and blue round the colour circle.
    level: vec3<f32>,
    shape: u32,
    // Half the range.
    swing: vec3<f32>,
    // World units per tick.
    max_speed: f32,
    // Light that the core of a glow has besides.
    heat: vec3<f32>,
    // How much darker than in a crowd a loner is.
    dimming: f32,
    // Hue in turns: base + per_turn * heading + per_speed * speed / max_speed + per_crowd * crowd.
    hue_base: f32,
    hue_per_turn: f32,
    hue_per_speed: f32,
    hue_per_crowd: f32,
}

struct Picture {
    // World position in the middle of the picture.
    centre: vec2<f32>,
    // Width and height in pixels.
    size: vec2<f32>,
    pixels_per_unit: f32,
    // Half the width of a dart over half its length.
    slenderness: f32,
    // Neighbours that make a crowd; 0 where agents do not remember theirs.
    crowd: f32,
    padding: u32,
    species: array<SpeciesLook, MAX_SPECIES>,
}

@group(0) @binding(2) var<uniform> picture: Picture;

const MAX_SPECIES: u32 = 16;
const TAU: f32 = 6.283185307179586;

// From 0 to 1: how crowded an agent is.
fn crowd_of(agent: u32) -> f32 {
    if picture.crowd > 0.0 {
        return min(neighbours_of(agent) / picture.crowd, 1.0);
    }
    return 0.0;
}

// Factor on the light of an agent.
fn brightness_of(crowd: f32, look: SpeciesLook) -> f32 {
    return 1.0 - look.dimming * (1.0 - crowd);
}

// How far round the colour circle the colour of an agent is; turns.
fn turn_of(velocity: vec2<f32>, crowd: f32, look: SpeciesLook) -> f32 {
    let speed = length(velocity);
    // Not read for a stationary agent: the angle of the zero vector is anything.
    let heading = select(0.0, atan2(velocity.y, velocity.x) / TAU, speed > 0.0);
    let share = clamp(speed / max(look.max_speed, 1e-30), 0.0, 1.0);
    return look.hue_base + look.hue_per_turn * heading + look.hue_per_speed * share
        + look.hue_per_crowd * crowd;
}

// Where an agent heads; a stationary one heads along +x.
fn heading_of(velocity: vec2<f32>) -> vec2<f32> {
    let speed = length(velocity);
    return select(vec2(1.0, 0.0), velocity / max(speed, 1e-30), speed > 0.0);
}
