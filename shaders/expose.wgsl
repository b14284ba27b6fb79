// Exposes a picture of light as film is exposed: spreads some of the light, scales all of it, compresses
// what is too bright, and encodes it for a screen.

struct Exposure {
    // Factor on all light.
    factor: f32,
    // The share of the light that spreads.
    bloom: f32,
    // For `measure.wgsl`.
    ground: f32,
    scale: f32,
    // Light up to here stays as it is.
    shoulder: f32,
}

// Linear light, premultiplied.
@group(0) @binding(0) var light: texture_2d<f32>;
// The same, spread.
@group(0) @binding(1) var spread: texture_2d<f32>;
@group(0) @binding(2) var between: sampler;
@group(0) @binding(3) var<uniform> exposure: Exposure;
// From 0 to 1; repeats.
@group(0) @binding(4) var blue_noise: texture_2d<f32>;

// How fast light turns white beyond.
const WHITENING: f32 = 0.15;

// One triangle that covers the whole target.
@vertex
fn cover(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2(f32(vertex & 1u), f32(vertex >> 1u));
    return vec4(4.0 * corner - 1.0, 0.0, 1.0);
}

// Khronos' PBR Neutral curve (2024), which keeps hues, without its toe: colours below the shoulder stay as
// they are.
fn toned(colour: vec3<f32>) -> vec3<f32> {
    let peak = max(colour.x, max(colour.y, colour.z));
    if peak <= exposure.shoulder {
        return colour;
    }
    let room = 1.0 - exposure.shoulder;
    let lowered = 1.0 - room * room / (peak + room - exposure.shoulder);
    let white = 1.0 - 1.0 / (WHITENING * (peak - lowered) + 1.0);
    return mix(colour * (lowered / peak), vec3(lowered), white);
}

fn encoded(light: vec3<f32>) -> vec3<f32> {
    let upper = 1.055 * pow(max(light, vec3(0.0)), vec3(1.0 / 2.4)) - 0.055;
    return select(upper, 12.92 * light, light <= vec3(0.0031308));
}

@fragment
fn expose(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    var found = textureLoad(light, vec2<u32>(pixel.xy), 0);
    if exposure.bloom > 0.0 {
        let at = pixel.xy / vec2<f32>(textureDimensions(light));
        found = mix(found, textureSampleLevel(spread, between, at, 0.0), exposure.bloom);
    }
    // Viewers blend encoded colours, so this is what they show over black. Before nothing, light that hides
    // nothing is as opaque as it is bright.
    let colour = encoded(toned(found.xyz * exposure.factor));
    let alpha = clamp(max(found.w, max(colour.x, max(colour.y, colour.z))), 0.0, 1.0);
    let noise = textureLoad(blue_noise, vec2<u32>(pixel.xy) % textureDimensions(blue_noise), 0).x;
    let dithered = colour + (noise - 0.5) / 255.0;
    return vec4(min(dithered, vec3(alpha)), alpha);
}
