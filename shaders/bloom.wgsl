// Bloom: light that spreads over the picture. Each picture of a pyramid is half as large as the one below;
// then each is added to the one below, from the top down (Jimenez, Next Generation Post Processing in Call of
// Duty: Advanced Warfare, SIGGRAPH 2014).

@group(0) @binding(0) var below: texture_2d<f32>;
@group(0) @binding(1) var between: sampler;

struct Place {
    @builtin(position) position: vec4<f32>,
    // From the top left corner, 0, to the bottom right one, 1.
    @location(0) at: vec2<f32>,
}

// One triangle that covers the whole target.
@vertex
fn cover(@builtin(vertex_index) vertex: u32) -> Place {
    let corner = vec2(f32(vertex & 1u), f32(vertex >> 1u));
    return Place(vec4(4.0 * corner - 1.0, 0.0, 1.0), vec2(2.0 * corner.x, 1.0 - 2.0 * corner.y));
}

// The light at a place, `step` texels aside.
fn tap(at: vec2<f32>, right: f32, down: f32) -> vec4<f32> {
    let texel = 1.0 / vec2<f32>(textureDimensions(below));
    return textureSampleLevel(below, between, at + vec2(right, down) * texel, 0.0);
}

// Five squares of four taps, which overlap. The one in the middle counts half.
fn square(at: vec2<f32>, right: f32, down: f32) -> vec4<f32> {
    let upper = tap(at, right - 1.0, down - 1.0) + tap(at, right + 1.0, down - 1.0);
    return 0.25 * (upper + tap(at, right - 1.0, down + 1.0) + tap(at, right + 1.0, down + 1.0));
}

// A square with its weight. A lone bright pixel counts little (Karis), else it would flicker as it moves.
fn calmed(light: vec4<f32>, weight: f32) -> array<vec4<f32>, 2> {
    let own = weight / (1.0 + max(light.x, max(light.y, light.z)));
    return array(light * own, vec4(own));
}

// The first step, from the picture itself.
@fragment
fn shrink_calmly(in: Place) -> @location(0) vec4<f32> {
    let corners = array(
        calmed(square(in.at, -1.0, -1.0), 0.125), calmed(square(in.at, 1.0, -1.0), 0.125),
        calmed(square(in.at, -1.0, 1.0), 0.125), calmed(square(in.at, 1.0, 1.0), 0.125),
    );
    var sum = calmed(square(in.at, 0.0, 0.0), 0.5);
    for (var i = 0u; i < 4u; i++) {
        sum[0] += corners[i][0];
        sum[1] += corners[i][1];
    }
    return sum[0] / sum[1];
}

@fragment
fn shrink(in: Place) -> @location(0) vec4<f32> {
    let upper = square(in.at, -1.0, -1.0) + square(in.at, 1.0, -1.0);
    let lower = square(in.at, -1.0, 1.0) + square(in.at, 1.0, 1.0);
    return 0.125 * (upper + lower) + 0.5 * square(in.at, 0.0, 0.0);
}

// A tent over nine texels of the picture above.
@fragment
fn grow(in: Place) -> @location(0) vec4<f32> {
    let sides = tap(in.at, -1.0, 0.0) + tap(in.at, 1.0, 0.0) + tap(in.at, 0.0, -1.0) + tap(in.at, 0.0, 1.0);
    let upper = tap(in.at, -1.0, -1.0) + tap(in.at, 1.0, -1.0);
    let lower = tap(in.at, -1.0, 1.0) + tap(in.at, 1.0, 1.0);
    return 0.25 * tap(in.at, 0.0, 0.0) + 0.125 * sides + 0.0625 * (upper + lower);
}
