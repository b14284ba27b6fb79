// How a space is seen: projection, light and fog. src/view/camera/eye.rs and src/view/space/lighting.rs compute
// the same.

import package::picture::{GROUND_STOPS, light_of, picture};

// A place as the eye sees it, from the focus: to the right, up, and the depth; world units.
fn viewed(offset: vec3<f32>) -> vec3<f32> {
    let depth = picture.eye.distance - dot(picture.eye.back, offset);
    return vec3(dot(picture.eye.right, offset), dot(picture.eye.up, offset), depth);
}

// The offset of a place from the focus. In an endless world, the offset of the nearest image.
fn offset_from_focus(place: vec3<f32>) -> vec3<f32> {
    let offset = place - picture.eye.focus;
    let times = round(offset / max(picture.eye.period, vec3(1e-30)));
    return select(offset, offset - picture.eye.period * times, picture.eye.period > vec3(0.0));
}

// The share of a thing at a depth that is seen through the fog.
fn visibility(depth: f32) -> f32 {
    return exp2(-max(depth - picture.eye.fog_from, 0.0) * picture.eye.fog_per_unit);
}

// How far a depth is on the way from the near end of the world to the far one.
fn far_of(depth: f32) -> f32 {
    return clamp((depth - picture.eye.depth_from) * picture.eye.depth_per_unit, 0.0, 1.0);
}

// The light on a side with this normal.
fn shade(normal: vec3<f32>) -> f32 {
    let up = 0.5 + 0.5 * normal.z;
    let sun = picture.eye.light.x * max(dot(normal, picture.eye.sun), 0.0);
    return picture.eye.light.w + sun + picture.eye.light.y * up + picture.eye.light.z * (1.0 - up);
}

// The mean light on the sides of a thing.
fn mean_shade() -> f32 {
    let light = picture.eye.light;
    return light.w + 0.5 * (light.x + light.y + light.z);
}

// The background at a place from the top of the picture, 0, to the bottom, 1; premultiplied.
fn ground_at(place: f32) -> vec4<f32> {
    let step = clamp(place, 0.0, 1.0) * f32(GROUND_STOPS - 1u);
    let index = min(u32(step), GROUND_STOPS - 2u);
    let one = picture.eye.ground[index];
    return one + (picture.eye.ground[index + 1u] - one) * (step - f32(index));
}

// The sine of the height at which the sky has its topmost colour.
const SKY_TOP: f32 = 0.6;

// The share of haze in a direction with this vertical part: all above the horizon, and below it the less of land
// the farther that is.
fn haze(height: f32) -> f32 {
    return select(1.0, 1.0 - exp2(picture.eye.land.w / min(height, -1e-6)), height < 0.0);
}

// The light of the sky in a direction with this vertical part, without the sun; below the horizon of land in
// the haze. Sky::at in src/view/space/sky.rs computes the same.
fn sky_at(height: f32) -> vec3<f32> {
    let place = 1.0 - sqrt(clamp(height / SKY_TOP, 0.0, 1.0));
    let step = place * f32(GROUND_STOPS - 1u);
    let index = min(u32(step), GROUND_STOPS - 2u);
    let one = picture.eye.sky[index];
    let colour = one + (picture.eye.sky[index + 1u] - one) * (step - f32(index));
    return mix(picture.eye.land.xyz, colour.xyz, haze(height));
}

// A colour in the fog: the share `seen` of it, and the background for the rest.
fn faded(colour: vec3<f32>, seen: f32, place: f32) -> vec4<f32> {
    let ground = ground_at(place);
    return ground + (vec4(light_of(min(colour, vec3(1.0))), 1.0) - ground) * seen;
}
