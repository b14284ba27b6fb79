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

// The means of five squares of four taps: four that share their sides, and one in the middle that overlaps
// them. There are 13 taps.
fn squares(at: vec2<f32>) -> array<vec4<f32>, 5> {
    let inner = tap(at, -1.0, -1.0) + tap(at, 1.0, -1.0) + tap(at, -1.0, 1.0) + tap(at, 1.0, 1.0);
    let middle = tap(at, 0.0, 0.0);
    let upper = tap(at, 0.0, -2.0);
    let lower = tap(at, 0.0, 2.0);
    let left = middle + tap(at, -2.0, 0.0);
    let right = middle + tap(at, 2.0, 0.0);
    return array(
        0.25 * (tap(at, -2.0, -2.0) + upper + left),
        0.25 * (tap(at, 2.0, -2.0) + upper + right),
        0.25 * (tap(at, -2.0, 2.0) + lower + left),
        0.25 * (tap(at, 2.0, 2.0) + lower + right),
        0.25 * inner,
    );
}

// The first step, from the picture itself. A lone bright pixel counts little (Karis), else it would flicker
// as it moves.
@fragment
fn shrink_calmly(in: Place) -> @location(0) vec4<f32> {
    let light = squares(in.at);
    var sum = vec4(0.0);
    var weights = 0.0;
    for (var i = 0u; i < 5u; i++) {
        let peak = max(light[i].x, max(light[i].y, light[i].z));
        let weight = select(0.125, 0.5, i == 4u) / (1.0 + peak);
        sum += weight * light[i];
        weights += weight;
    }
    return sum / weights;
}

@fragment
fn shrink(in: Place) -> @location(0) vec4<f32> {
    let light = squares(in.at);
    return 0.125 * (light[0] + light[1] + light[2] + light[3]) + 0.5 * light[4];
}

// A tent over nine texels of the picture above.
@fragment
fn grow(in: Place) -> @location(0) vec4<f32> {
    let sides = tap(in.at, -1.0, 0.0) + tap(in.at, 1.0, 0.0) + tap(in.at, 0.0, -1.0) + tap(in.at, 0.0, 1.0);
    let upper = tap(in.at, -1.0, -1.0) + tap(in.at, 1.0, -1.0);
    let lower = tap(in.at, -1.0, 1.0) + tap(in.at, 1.0, 1.0);
    return 0.25 * tap(in.at, 0.0, 0.0) + 0.125 * sides + 0.0625 * (upper + lower);
}
