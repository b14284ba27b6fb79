// The scenery behind the flock: a picture of the target's size, copied pixel by pixel.

@group(0) @binding(0) var background: texture_2d<f32>;

// One triangle that covers the whole target.
@vertex
fn cover(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2(f32(vertex & 1u), f32(vertex >> 1u));
    return vec4(4.0 * corner - 1.0, 0.0, 1.0);
}

@fragment
fn copy(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    return textureLoad(background, vec2<u32>(pixel.xy), 0);
}
