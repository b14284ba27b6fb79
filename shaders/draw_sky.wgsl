// The sky of a space, behind everything: the colours of the background by height above the horizon, land below
// it, and the sun. And calm water below the horizon, a blurred mirror.

import package::eye::{ground_at, haze, sky_at, visibility};
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
    // Land hides the sun, and the haze before it is as bright as the air over the horizon.
    let level = normalize(vec3(sight.xy, max(sight.z, 1e-6)));
    let angle = acos(clamp(dot(level, picture.eye.sun), -1.0, 1.0));
    let disc = DISC * (1.0 - smoothstep(0.9 * DISC_ANGLE, 1.1 * DISC_ANGLE, angle));
    let air = NEAR_AIR * exp(-angle / NEAR_ANGLE) + FAR_AIR * exp(-angle / FAR_ANGLE);
    let above = smoothstep(-0.004, 0.004, sight.z);
    return vec4(sky_at(sight.z) + disc * above + air * haze(sight.z), 1.0);
}

@group(0) @binding(0) var mirrored: texture_2d<f32>;
@group(0) @binding(1) var between: sampler;

// The share of light that water mirrors where it is seen from straight above; towards the horizon all.
const MIRROR: f32 = 0.25;

// The light of deep water, as a share of the background's top.
const DEEP = vec3<f32>(0.10, 0.22, 0.26);

// The distance between two taps of the blur across and along the picture's height, as shares of it; and how many
// there are on each side of the middle.
const TAP = vec2<f32>(0.003, 0.0036);
const ACROSS: i32 = 1;
const ALONG: i32 = 4;

// The angle by which waves spread the mirrored sun up and down; radians.
const GLITTER_ANGLE: f32 = 0.22;

// A mirrored picture, blurred as by small waves.
fn mirror_at(position: vec2<f32>) -> vec4<f32> {
    var sum = vec4(0.0);
    var weights = 0.0;
    for (var y = -ALONG; y <= ALONG; y++) {
        for (var x = -ACROSS; x <= ACROSS; x++) {
            let tap = vec2(f32(x), f32(y));
            let weight = exp(-0.9 * tap.x * tap.x - 0.2 * tap.y * tap.y);
            let place = position / picture.size + tap * TAP * vec2(picture.size.y / picture.size.x, 1.0);
            sum += weight * textureSampleLevel(mirrored, between, place, 0.0);
            weights += weight;
        }
    }
    return sum / weights;
}

// The background in a direction above the horizon, with the sun's light spread by waves.
fn mirrored_background(sight: vec3<f32>) -> vec4<f32> {
    if picture.eye.sky[0].w == 0.0 {
        let ahead = max(-dot(picture.eye.back, sight), 1e-3);
        let pixels = picture.pixels_per_unit * picture.eye.distance * dot(picture.eye.up, sight) / ahead;
        return ground_at(0.5 - pixels / picture.size.y);
    }
    let sun = picture.eye.sun;
    let level = normalize(sight.xy + vec2(1e-9, 0.0));
    let beside = acos(clamp(dot(level, normalize(sun.xy + vec2(1e-9, 0.0))), -1.0, 1.0)) * length(sight.xy);
    let along = abs(asin(sight.z) - asin(sun.z)) / GLITTER_ANGLE;
    let near = exp(-beside / NEAR_ANGLE - along);
    return vec4(sky_at(sight.z) + NEAR_AIR * near + FAR_AIR * exp(-beside / FAR_ANGLE - along), 1.0);
}

// Without a background water is clear: it mirrors the flock alone.
@fragment
fn paint_water(in: Place) -> @location(0) vec4<f32> {
    let sight = normalize(in.sight);
    let height = picture.eye.focus.z + picture.eye.back.z * picture.eye.distance;
    let down = max(-sight.z, 1e-6);
    let depth = height / down * -dot(picture.eye.back, sight);
    let glancing = 1.0 - min(down, 1.0);
    let share = MIRROR + (1.0 - MIRROR) * pow(glancing, 5.0);
    let flock = mirror_at(in.position.xy);
    let light = mirrored_background(vec3(sight.xy, down)) * (1.0 - flock.w) + flock;
    let sky = picture.eye.sky[0].w > 0.0;
    let deep = select(ground_at(0.0), vec4(sky_at(1.0), 1.0), sky) * vec4(DEEP, 1.0);
    let far = select(ground_at(in.position.y / picture.size.y), vec4(sky_at(0.0), 1.0), sky);
    let colour = mix(far, mix(deep, light, share), visibility(depth));
    return select(0.0, 1.0, sight.z < 0.0) * colour;
}
