// Pass splat: draws agents too small to show their shape, without triangles. Each adds its depth and its
// colour to the cells that it covers.
//
// An agent that hides the share h of a cell has the depth −log2(1 − h): painting one over the other
// multiplies the share that stays visible, so depths add up. Sums of integers do not depend on their order,
// so the same flock gives the same picture on every run.
//
// A dart has two parts, nose and tail, each spread over the four cells round its middle. They have the
// triangle's centre, length and width (its moments up to the second, and the third along the heading).
// Faint darts have one part with the triangle's area and centre.

import package::agents::{agent_count, motion_of, place_of, velocity_of};
import package::canvas::{canvas, scale, PACKED_BITS};
import package::dispatch::{Invocation, linear_workgroup};
import package::picture::{
    picture, SpeciesLook, amount_of, factors_of, heading_of, look_of, offset_of,
    turned
};
@if(!flat)
import package::eye::{far_of, mean_shade, offset_from_focus, viewed, visibility};
@if(!flat)
import package::shade::sunlit;
@if(!flat)
import package::picture::{factors_at, shows_shape, size_of, sized, species_look_of, tone_of};

// Four sums per cell: depth; and depth times each of the colour's three factors (see factors_of), where the
// second and the third are increased by one. None is below zero.
@if(!packs)
@group(0) @binding(5) var<storage, read_write> sums: array<atomic<u32>>;
// Two sums share a word, the first in the lower half. If no cell can become crowded, one word holds three:
// see canvas.wgsl.
@if(packs)
@group(0) @binding(5) var<storage, read_write> sums: array<atomic<u64>>;

// The amounts that an agent adds per bit of depth.
struct Paint {
    factors: vec3<f32>,
    // The share that it hides of a cell that it covers.
    strength: f32,
    counts_per_bit: f32,
    // The number of cells to add packed sums to: 4 or 0.
    packed: u32,
    // Dither from 0 to 1, one per agent, so that sums of many small numbers round without bias.
    rounding: f32,
}

// The amounts that an agent adds to the four sums of a cell; `covered` is the share of the cell that it
// covers.
fn amounts(covered: f32, paint: Paint) -> vec4<u32> {
    let hidden = min(paint.strength * covered, canvas.most_hidden);
    let depth = -log2(1.0 - hidden) * paint.counts_per_bit;
    return vec4<u32>(depth * vec4(1.0, paint.factors.x, 1.0 + paint.factors.yz) + paint.rounding);
}

@if(packs)
fn add_packed(cell: u32, amount: vec4<u32>) {
    let upper = (u64(amount.x) << (2u * PACKED_BITS)) + (u64(amount.z) << PACKED_BITS);
    atomicAdd(&sums[cell], upper + u64(amount.w));
}

@if(packs)
fn add(cell: u32, amount: vec4<u32>) {
    atomicAdd(&sums[2u * cell], (u64(amount.y) << 32u) + u64(amount.x));
    atomicAdd(&sums[2u * cell + 1u], (u64(amount.w) << 32u) + u64(amount.z));
}

@if(!packs)
fn add(cell: u32, amount: vec4<u32>) {
    let first = 4u * cell;
    atomicAdd(&sums[first], amount.x);
    if canvas.three_factors != 0u {
        atomicAdd(&sums[first + 1u], amount.y);
    }
    atomicAdd(&sums[first + 2u], amount.z);
    atomicAdd(&sums[first + 3u], amount.w);
}

// Spreads an area, in cells, over the four cells round `middle`.
fn spread(middle: vec2<f32>, area: f32, paint: Paint) {
    let corner = floor(middle - 0.5);
    let right = middle - 0.5 - corner;
    let left = 1.0 - right;
    let width = canvas.columns + 2u * canvas.margin;
    let place = vec2<u32>(vec2<i32>(corner) + i32(canvas.margin));
    let first = place.y * width + place.x;
    let covered = area * vec4(left.y * vec2(left.x, right.x), right.y * vec2(left.x, right.x));
    let cells = first + vec4(0u, 1u, width, width + 1u);
    // Loops instead of a branch: llvmpipe executes both sides of a branch, but skips a loop without
    // rounds.
    @if(packs)
    for (var i = 0u; i < paint.packed; i++) {
        add_packed(cells[i], amounts(covered[i], paint));
    }
    for (var i = paint.packed; i < 4u; i++) {
        add(cells[i], amounts(covered[i], paint));
    }
}

// The look of an agent. If all agents look the same, nothing is read per agent.
fn look_here(agent: u32) -> SpeciesLook {
    @if(!traits)
    if canvas.several == 0u {
        return picture.species[0];
    }
    return look_of(agent);
}

// Where an agent's middle is and which direction it heads in, in the cells of the whole picture, and its paint.
struct Mark {
    middle: vec2<f32>,
    ahead: vec2<f32>,
    factors: vec3<f32>,
    strength: f32,
}

@if(flat)
fn mark_of(agent: u32) -> Mark {
    let motion = motion_of(agent);
    let look = look_here(agent);
    // Rows of pixels count downwards, the world's y upwards.
    let offset = turned(offset_of(motion.xy) * picture.pixels_per_unit);
    let pixel = 0.5 * picture.size + vec2(offset.x, -offset.y);
    var mark: Mark;
    mark.middle = pixel * canvas.cells_per_pixel;
    mark.ahead = turned(heading_of(motion.zw)) * vec2(1.0, -1.0);
    mark.factors = factors_of(agent, motion.zw, amount_of(agent, look), look);
    mark.strength = look.strength * look.radius * look.radius * canvas.per_light;
    return mark;
}

// The share of a triangle's area that a body shows which heads `ahead`, in the direction `sight`: the cells get what
// the body would hide. `shown_area` in src/view/space/body.rs computes the same.
@if(!flat)
fn shown_area(look: SpeciesLook, ahead: vec3<f32>, sight: vec3<f32>) -> f32 {
    let along = dot(ahead, sight);
    let across = ahead.x * sight.y - ahead.y * sight.x;
    let across_squared = across * across / max(dot(ahead.xy, ahead.xy), 1e-12);
    let faces = look.faces.xyz;
    let square = faces.z + along * along * (faces.x - faces.z) + across_squared * (faces.y - faces.z);
    return sqrt(clamp(square, 0.0, 1.0));
}

// In space an agent that shows its shape is drawn elsewhere: it is far outside the picture here.
@if(!flat)
fn mark_of(agent: u32) -> Mark {
    let velocity = velocity_of(agent);
    let place = place_of(agent);
    let offset = offset_from_focus(place);
    let seen = viewed(offset);
    let depth = max(seen.z, picture.eye.near);
    let pixels_per_unit = picture.pixels_per_unit * (picture.eye.distance / depth);
    let look = species_look_of(agent);
    let size = size_of(agent, look);
    let elsewhere = seen.z < picture.eye.near || shows_shape(look, size * pixels_per_unit);
    let pixel = 0.5 * picture.size + vec2(seen.x, -seen.y) * pixels_per_unit;
    let speed = max(length(velocity), 1e-30);
    var mark: Mark;
    mark.middle = select(pixel * canvas.cells_per_pixel, vec2(-1e9), elsewhere);
    mark.ahead = vec2(dot(picture.eye.right, velocity), -dot(picture.eye.up, velocity)) / speed;
    // First, for it needs much that is not needed after it.
    let own = sized(look, size, pixels_per_unit);
    let sight = normalize(offset - picture.eye.back * picture.eye.distance);
    let heading = select(vec3(1.0, 0.0, 0.0), velocity / speed, speed > 1e-30);
    let light = own.strength * own.radius * own.radius * shown_area(look, heading, sight);
    mark.strength = light * canvas.per_light * visibility(depth);
    let tone = tone_of(velocity, amount_of(agent, look), far_of(depth), look);
    mark.factors = factors_at(agent, tone.x, tone.y * mean_shade() * sunlit(place));
    return mark;
}

@compute @workgroup_size(64)
fn splat(here: Invocation) {
    let agent = linear_workgroup(here.workgroup, here.workgroups) * 64u + here.local;
    if agent >= agent_count() {
        return;
    }
    let mark = mark_of(agent);
    var paint: Paint;
    paint.factors = mark.factors;
    paint.strength = mark.strength;
    let scale = scale();
    paint.counts_per_bit = scale.counts_per_bit;
    paint.packed = select(0u, 4u, scale.packed);
    // Multiples of the golden ratio have evenly spread upper bits.
    paint.rounding = f32((agent * 2654435769u) >> 8u) / 16777216.0;
    let middle = mark.middle - vec2(0.0, f32(canvas.top));
    let ahead = mark.ahead;
    // No part of an agent is farther than two cells from its middle. Both comparisons are also false for
    // positions that are not finite.
    let half = 0.5 * vec2(f32(canvas.columns), f32(canvas.rows));
    let near = all(abs(middle - half) < half + (f32(canvas.margin) - 2.0));
    if !(near && dot(ahead, ahead) < 2.0) {
        return;
    }
    spread(middle + canvas.nose.x * ahead, canvas.nose.y, paint);
    if canvas.tail.y > 0.0 {
        spread(middle + canvas.tail.x * ahead, canvas.tail.y, paint);
    }
}
