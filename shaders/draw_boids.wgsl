// One triangle an agent: nose along the heading, colour by heading, speed or species.
//
// Three vertices an agent in one long draw rather than one instance an agent: drivers start a new
// batch of work for each instance, and three vertices fill none.

struct SpeciesLook {
    // Pixels from the middle to the nose.
    half_length: f32,
    opacity: f32,
    // World units per tick.
    max_speed: f32,
    // Hue in turns: base + per_turn * heading + per_speed * speed / max_speed.
    hue_base: f32,
    hue_per_turn: f32,
    hue_per_speed: f32,
    // Brightness and saturation of the colour circle.
    hue_level: f32,
    hue_swing: f32,
}

struct Picture {
    // World position in the middle of the picture.
    centre: vec2<f32>,
    // Width and height in pixels.
    size: vec2<f32>,
    pixels_per_unit: f32,
    // Half the width of a triangle over half its length.
    slenderness: f32,
    // Where the species begins in a tag.
    species_shift: u32,
    unused: u32,
    species: array<SpeciesLook, 16>,
}

// Position in xy, velocity in zw.
@group(0) @binding(0) var<storage, read> state: array<vec4<f32>>;
// Species above, id below.
@group(0) @binding(1) var<storage, read> tag: array<u32>;
@group(0) @binding(2) var<uniform> picture: Picture;

const TAU: f32 = 6.283185307179586;

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) colour: vec4<f32>,
}

fn hue(look: SpeciesLook, turn: f32) -> vec3<f32> {
    let wave = cos(TAU * (vec3(turn) - vec3(0.0, 1.0, 2.0) / 3.0));
    return look.hue_level + look.hue_swing * wave;
}

@vertex
fn corner(@builtin(vertex_index) vertex: u32) -> Corner {
    let agent = vertex / 3u;
    let which = vertex % 3u;
    let position = state[agent].xy;
    let velocity = state[agent].zw;
    let look = picture.species[tag[agent] >> picture.species_shift];

    let speed = length(velocity);
    // A stationary agent heads along +x.
    let moving = speed > 0.0;
    let ahead = select(vec2(1.0, 0.0), velocity / max(speed, 1e-30), moving);
    let left = vec2(-ahead.y, ahead.x);

    let side = select(select(-1.0, 1.0, which == 1u), 0.0, which == 0u);
    let along = select(-1.0, 1.0, which == 0u);
    let arm = look.half_length * (along * ahead + side * picture.slenderness * left);
    let pixel = (position - picture.centre) * picture.pixels_per_unit + arm;

    // Not read for a stationary agent: the angle of the zero vector is anything.
    let heading = select(0.0, atan2(velocity.y, velocity.x) / TAU, moving);
    let share = clamp(speed / max(look.max_speed, 1e-30), 0.0, 1.0);
    let turn = look.hue_base + look.hue_per_turn * heading + look.hue_per_speed * share;

    var out: Corner;
    out.position = vec4(2.0 * pixel / picture.size, 0.0, 1.0);
    out.colour = vec4(hue(look, turn), look.opacity);
    return out;
}

@fragment
fn paint(in: Corner) -> @location(0) vec4<f32> {
    return in.colour;
}
