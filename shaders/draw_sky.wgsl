// The sky of a space, behind everything: the colours of the background by height above the horizon, land below
// it, and the sun.

import package::eye::sky_at;
import package::picture::picture;

struct Place {
    @builtin(position) position: vec4<f32>,
    // The direction of the line of sight, of any length.
    @location(0) @interpolate(linear) sight: vec3<f32>,
}

// One triangle that covers the whole target.
@vertex
fn cover(@builtin(vertex_index) vertex: u32) -> Place {
    let corner = 4.0 * vec2(f32(vertex & 1u), f32(vertex >> 1u)) - 1.0;
    let at = 0.5 * corner * picture.size;
    let depth = picture.pixels_per_unit * picture.eye.distance;
    let sight = picture.eye.right * at.x + picture.eye.up * at.y - picture.eye.back * depth;
    return Place(vec4(corner, 0.0, 1.0), sight);
}

// Light of the sun, and of the air round it near and far.
const DISC = vec3<f32>(60.0, 42.0, 24.0);
const NEAR_AIR = vec3<f32>(0.9, 0.5, 0.2);
const FAR_AIR = vec3<f32>(0.26, 0.13, 0.06);

// Angles at which they fall by e; the disc's is its radius. Radians.
const DISC_ANGLE: f32 = 0.011;
const NEAR_ANGLE: f32 = 0.06;
const FAR_ANGLE: f32 = 0.3;

@fragment
fn paint_sky(in: Place) -> @location(0) vec4<f32> {
    let sight = normalize(in.sight);
    let angle = acos(clamp(dot(sight, picture.eye.sun), -1.0, 1.0));
    let disc = DISC * (1.0 - smoothstep(0.9 * DISC_ANGLE, 1.1 * DISC_ANGLE, angle));
    let air = NEAR_AIR * exp(-angle / NEAR_ANGLE) + FAR_AIR * exp(-angle / FAR_ANGLE);
    // Land hides the sun, and air before it shines a little.
    let above = smoothstep(-0.004, 0.004, sight.z);
    return vec4(sky_at(sight.z) + mix(0.25 * air, disc + air, above), 1.0);
}
