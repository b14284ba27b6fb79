// Agents in space: solid darts, balls and glows, and shadows on the floor. src/view/cpu/body_raster.rs draws
// the same.
//
// A dart has six sides, so 18 vertices of one long draw, a bird or a fish ten; what is round is drawn inside a triangle. An agent
// that a draw leaves out has all its corners at one place outside the picture.

import package::agents::{id_of, lean_of, place_of, velocity_of};
import package::eye::{faded, far_of, offset_from_focus, shade, viewed, visibility};
import package::memory::MAX_BANK;
import package::picture::{
    picture, OPACITY, SpeciesLook, TAU, amount_of, colour_of_tone, core_light_of, glow_of, light_of, round_arm, shows_shape,
    size_of, species_look_of, tone_of
};
@if(!flat)
import package::picture::sized;
import package::shade::sunlit;

// Shape numbers.
const DART: u32 = 0;
const DISC: u32 = 1;
const GLOW: u32 = 2;
const BIRD: u32 = 3;
const FISH: u32 = 4;

// Opacity of the middle of a shadow, and its radius in sizes of its agent.
const SHADOW: f32 = 0.5;
const SHADOW_RADIUS: f32 = 0.9;

// The corners of the six sides: nose, left and right wing, back and belly as numbers of three bits.
// Sides 1 to 3 and 4 to 6; the first corner is lowest.
const FIRST_SIDES: u32 = 25243848u;
const OTHER_SIDES: u32 = 74040080u;

struct BodyCorner {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) colour: vec4<f32>,
}

struct RoundCorner {
    @builtin(position) position: vec4<f32>,
    // Colour of a ball and the share of it that is seen, or premultiplied light of a glow, or a shadow.
    @location(0) @interpolate(flat) colour: vec4<f32>,
    // Light of a glow's core.
    @location(1) @interpolate(flat) heat: vec3<f32>,
    // The radius in reaches.
    @location(2) @interpolate(flat) radius: f32,
    // From the middle; reaches.
    @location(3) @interpolate(linear) offset: vec2<f32>,
}

const NOWHERE: vec4<f32> = vec4(2.0, 2.0, 2.0, 1.0);

// Pixels per world unit at a depth.
fn pixels_per_unit(depth: f32) -> f32 {
    return picture.pixels_per_unit * (picture.eye.distance / max(depth, picture.eye.near));
}

// Where the picture shows a viewed place, moved by `arm` pixels.
fn placed(seen: vec3<f32>, arm: vec2<f32>) -> vec4<f32> {
    let scale = picture.pixels_per_unit * picture.eye.distance;
    let at = 2.0 * (seen.xy * scale + arm * seen.z) / picture.size;
    return vec4(at, picture.eye.near, seen.z);
}

// From the top of the picture, 0, to the bottom, 1.
fn height_of(seen: vec3<f32>) -> f32 {
    return 0.5 - seen.y * pixels_per_unit(seen.z) / picture.size.y;
}

// An agent as the eye sees it.
struct Sight {
    offset: vec3<f32>,
    seen: vec3<f32>,
    look: SpeciesLook,
    // In the shade of others.
    colour: vec3<f32>,
    light: f32,
    visible: f32,
}

fn sight_of(agent: u32) -> Sight {
    var sight: Sight;
    let place = place_of(agent);
    sight.offset = offset_from_focus(place);
    sight.seen = viewed(sight.offset);
    let depth = sight.seen.z;
    let look = species_look_of(agent);
    let size = size_of(agent, look);
    @if(!flat) {
        sight.look = sized(look, size, pixels_per_unit(depth));
    }
    let amount = amount_of(agent, look);
    let tone = tone_of(velocity_of(agent), amount, far_of(depth), look);
    sight.colour = colour_of_tone(agent, tone, look) * sunlit(place);
    sight.light = tone.y;
    let small = !shows_shape(look, size * pixels_per_unit(depth)) && picture.eye.sums > 0.0;
    // Also 0 for what is not finite.
    sight.visible = select(0.0, visibility(depth), depth >= picture.eye.near && !small);
    return sight;
}

// No corner of a dart is farther from its middle; half lengths.
const REACH: f32 = 1.14;

// A corner of a dart of half length 1 that heads along x, with z up.
fn corner_at(corner: u32) -> vec3<f32> {
    let wing = corner == 1u || corner == 2u;
    let x = select(select(-0.72, -1.0, wing), 1.0, corner == 0u);
    let y = select(select(0.0, 0.52, corner == 1u), -0.52, corner == 2u);
    let z = select(select(select(0.0, 0.1, wing), 0.24, corner == 3u), -0.2, corner == 4u);
    return vec3(x, y, z);
}

// The corner that a vertex of the 18 stands for.
fn corner_of(vertex: u32) -> u32 {
    let sides = select(FIRST_SIDES, OTHER_SIDES, vertex >= 9u);
    return (sides >> (3u * (vertex % 9u))) & 7u;
}

@vertex
fn body_corner(@builtin(vertex_index) vertex: u32) -> BodyCorner {
    let agent = vertex / 18u;
    let which = vertex % 18u;
    let sight = sight_of(agent);
    let axes = axes_of(velocity_of(agent));
    let first = which - which % 3u;
    let a = corner_at(corner_of(first));
    let b = corner_at(corner_of(first + 1u));
    let c = corner_at(corner_of(first + 2u));
    let normal = axes * normalize(cross(b - a, c - a));
    let arm = axes * corner_at(corner_of(which));
    return on_body(sight, normal, arm, REACH, sight.look.shape == DART);
}

// A corner of a side of a body, if there is one; `arm` is where the corner is from its middle, in half lengths.
fn on_body(sight: Sight, normal: vec3<f32>, arm: vec3<f32>, reach: f32, shown: bool) -> BodyCorner {
    let radius = sight.look.radius / pixels_per_unit(sight.seen.z);
    let seen = viewed(sight.offset + arm * radius);
    let strength = min(sight.look.strength / OPACITY, 1.0);
    let lit = sight.colour * shade(normal);
    var out: BodyCorner;
    // A body near the eye is drawn whole or not at all.
    let whole = sight.seen.z - reach * radius >= picture.eye.near;
    let there = shown && sight.visible > 0.0 && whole;
    out.position = select(NOWHERE, placed(seen, vec2(0.0)), there);
    out.colour = faded(lit, sight.visible * strength, height_of(sight.seen));
    return out;
}

// The axes of a body: ahead, to the left and up.
fn axes_of(velocity: vec3<f32>) -> mat3x3<f32> {
    let speed = length(velocity);
    let ahead = select(vec3(1.0, 0.0, 0.0), velocity / max(speed, 1e-30), speed > 0.0);
    let level = vec3(-ahead.y, ahead.x, 0.0);
    let across = dot(level, level);
    // A vertical body has the y axis on its left.
    let left = select(vec3(0.0, 1.0, 0.0), level * inverseSqrt(max(across, 1e-30)), across > 1e-8);
    return mat3x3(ahead, left, cross(ahead, left));
}

// No corner of a bird or a fish is farther from its middle; half lengths.
const LIVING_REACH: f32 = 1.25;

// The corners of their ten sides as numbers of three bits, ten a word: BIRD_SIDES and FISH_SIDES of
// src/view/space/body.rs.
const BIRD_WORDS = vec3<u32>(557920456u, 692466955u, 1046195151u);
const FISH_WORDS = vec3<u32>(25243848u, 225089378u, 935286060u);

// Ticks of a beat of a bird's wings, and of a fish's tail.
const WING_BEAT: f32 = 15.0;
const TAIL_BEAT: f32 = 30.0;

// Beats between agents whose ids follow one another.
const STAGGER: f32 = 0.618034;

// The angle of wings that do not beat, and the most that they beat up and down; radians.
const WING_REST: f32 = 0.15;
const WING_SWING: f32 = 0.9;

// The share of that in level flight, how much it grows with the sine of the climb, and the least of it.
const LEVEL_SWING: f32 = 0.5;
const CLIMB_SWING: f32 = 1.2;
const GLIDE: f32 = 0.1;

// The most that a fish's tail sways, and the way of the sway along the fish; half lengths, radians.
const MAX_SWAY: f32 = 0.4;
const SWAY_LAG: f32 = 2.2;

// The angle of a bird that leans as far as a number can say, and the most that one leans; radians.
const FULL_BANK: f32 = 0.25 * TAU;
const MAX_LEAN: f32 = 1.22;

// The axes of a bird that leans into its turn. Its memory is read where agents have one.
fn leaning(axes: mat3x3<f32>, agent: u32, look: SpeciesLook) -> mat3x3<f32> {
    var bank = 0.0;
    if picture.remembers == 1u && look.remembered < 0.0 {
        bank = clamp(lean_of(agent) / MAX_BANK * FULL_BANK, -MAX_LEAN, MAX_LEAN);
    }
    let sine = sin(bank);
    let cosine = cos(bank);
    return mat3x3(axes[0], axes[1] * cosine - axes[2] * sine, axes[2] * cosine + axes[1] * sine);
}

// Bodies shorter than this do not move; pixels.
const STILL: f32 = 6.0;

// How much a body of this radius in pixels moves, 0 to 1.
fn moves(radius: f32) -> f32 {
    return clamp((2.0 * radius - STILL) / STILL, 0.0, 1.0);
}

// Where an agent is in its beat of so many ticks; radians.
fn angle_of(agent: u32, beat: f32) -> f32 {
    return TAU * fract(picture.eye.tick / beat + f32(id_of(agent) & 0xffffu) * STAGGER);
}

// A corner of a bird whose wings have this angle: nose, left and right shoulder, back, tail, left and right wing
// tip, and the end of the wings' roots.
fn bird_at(corner: u32, wing: f32) -> vec3<f32> {
    switch corner {
        case 0u: { return vec3(1.0, 0.0, 0.0); }
        case 1u: { return vec3(0.45, 0.15, 0.0); }
        case 2u: { return vec3(0.45, -0.15, 0.0); }
        case 3u: { return vec3(0.3, 0.0, 0.17); }
        case 4u: { return vec3(-1.0, 0.0, 0.02); }
        case 5u: { return vec3(-0.2, 0.1 + 1.05 * cos(wing), 1.05 * sin(wing)); }
        case 6u: { return vec3(-0.2, -0.1 - 1.05 * cos(wing), 1.05 * sin(wing)); }
        default: { return vec3(-0.35, 0.0, 0.03); }
    }
}

// A corner of a fish: nose, left and right flank, back, belly, stem of the tail, its upper and its lower end. It
// is bent by a sway of this size and angle.
fn fish_at(corner: u32, sway: vec2<f32>) -> vec3<f32> {
    var place = vec3(-1.0, 0.0, select(-0.28, 0.28, corner == 6u));
    switch corner {
        case 0u: { place = vec3(1.0, 0.0, 0.0); }
        case 1u: { place = vec3(0.15, 0.17, 0.0); }
        case 2u: { place = vec3(0.15, -0.17, 0.0); }
        case 3u: { place = vec3(0.2, 0.0, 0.3); }
        case 4u: { place = vec3(0.1, 0.0, -0.27); }
        case 5u: { place = vec3(-0.66, 0.0, 0.0); }
        default: {}
    }
    let along = 0.5 - 0.5 * place.x;
    return place + vec3(0.0, sway.x * along * along * sin(sway.y - SWAY_LAG * along), 0.0);
}

// The corner that a vertex of the 30 stands for.
fn living_corner_of(words: vec3<u32>, vertex: u32) -> u32 {
    return (words[vertex / 10u] >> (3u * (vertex % 10u))) & 7u;
}

@vertex
fn bird_corner(@builtin(vertex_index) vertex: u32) -> BodyCorner {
    let agent = vertex / 30u;
    let which = vertex % 30u;
    let sight = sight_of(agent);
    let axes = leaning(axes_of(velocity_of(agent)), agent, sight.look);
    let swing = clamp(LEVEL_SWING + CLIMB_SWING * axes[0].z, GLIDE, 1.0) * WING_SWING;
    let wing = WING_REST + moves(sight.look.radius) * swing * sin(angle_of(agent, WING_BEAT));
    let first = which - which % 3u;
    let a = bird_at(living_corner_of(BIRD_WORDS, first), wing);
    let b = bird_at(living_corner_of(BIRD_WORDS, first + 1u), wing);
    let c = bird_at(living_corner_of(BIRD_WORDS, first + 2u), wing);
    let normal = axes * normalize(cross(b - a, c - a));
    let arm = axes * bird_at(living_corner_of(BIRD_WORDS, which), wing);
    return on_body(sight, normal, arm, LIVING_REACH, sight.look.shape == BIRD);
}

@vertex
fn fish_corner(@builtin(vertex_index) vertex: u32) -> BodyCorner {
    let agent = vertex / 30u;
    let which = vertex % 30u;
    let sight = sight_of(agent);
    let axes = axes_of(velocity_of(agent));
    let sway = vec2(MAX_SWAY * moves(sight.look.radius), angle_of(agent, TAIL_BEAT));
    let first = which - which % 3u;
    let a = fish_at(living_corner_of(FISH_WORDS, first), sway);
    let b = fish_at(living_corner_of(FISH_WORDS, first + 1u), sway);
    let c = fish_at(living_corner_of(FISH_WORDS, first + 2u), sway);
    let normal = axes * normalize(cross(b - a, c - a));
    let arm = axes * fish_at(living_corner_of(FISH_WORDS, which), sway);
    return on_body(sight, normal, arm, LIVING_REACH, sight.look.shape == FISH);
}

@fragment
fn paint_body(in: BodyCorner) -> @location(0) vec4<f32> {
    return in.colour;
}

fn round_corner(agent: u32, which: u32, shape: u32) -> RoundCorner {
    let sight = sight_of(agent);
    let look = sight.look;
    var out: RoundCorner;
    out.offset = round_arm(which);
    let there = look.shape == shape && sight.visible > 0.0;
    out.position = select(NOWHERE, placed(sight.seen, look.reach * out.offset), there);
    out.radius = look.radius / look.reach;
    if shape == DISC {
        out.colour = vec4(sight.colour, sight.visible * min(look.strength / OPACITY, 1.0));
    } else {
        let strength = look.strength * sight.visible;
        out.colour = strength * vec4(light_of(sight.colour), look.cover);
        out.heat = strength * core_light_of(sight.light * look.heat);
    }
    return out;
}

@vertex
fn ball_corner(@builtin(vertex_index) vertex: u32) -> RoundCorner {
    return round_corner(vertex / 3u, vertex % 3u, DISC);
}

@vertex
fn glow_corner(@builtin(vertex_index) vertex: u32) -> RoundCorner {
    return round_corner(vertex / 3u, vertex % 3u, GLOW);
}

@fragment
fn paint_ball(in: RoundCorner) -> @location(0) vec4<f32> {
    let at = in.offset / in.radius;
    let squared = dot(at, at);
    if squared > 1.0 {
        discard;
    }
    let normal = picture.eye.right * at.x + picture.eye.up * at.y + picture.eye.back * sqrt(1.0 - squared);
    return faded(in.colour.xyz * shade(normal), in.colour.w, in.position.y / picture.size.y);
}

@fragment
fn paint_glow(in: RoundCorner) -> @location(0) vec4<f32> {
    let squared = dot(in.offset, in.offset);
    let window = max(1.0 - squared, 0.0);
    let share = glow_of(window * window / (1.0 + squared / (in.radius * in.radius)));
    return share * in.colour + vec4(in.heat * (share * share * share), 0.0);
}

@vertex
fn shadow_corner(@builtin(vertex_index) vertex: u32) -> RoundCorner {
    let agent = vertex / 3u;
    let offset = offset_from_focus(place_of(agent));
    let place = offset + picture.eye.focus;
    let foot = place - picture.eye.sun * (place.z / max(picture.eye.sun.z, 1e-3));
    let look = species_look_of(agent);
    let size = size_of(agent, look) * SHADOW_RADIUS;
    let middle = viewed(foot - picture.eye.focus);
    let radius = max(size, 1.5 / pixels_per_unit(middle.z));
    let pale = (size / radius) * (size / radius) / (1.0 + place.z / max(picture.eye.world.z, 1e-6));
    var out: RoundCorner;
    out.offset = round_arm(vertex % 3u);
    let arm = vec3(out.offset * radius, 0.0);
    let seen = viewed(foot + arm - picture.eye.focus);
    let on_floor = place.z >= 0.0 && all(foot.xy >= vec2(0.0)) && all(foot.xy <= picture.eye.world.xy);
    // A shadow near the eye is drawn whole or not at all. No corner is farther from its middle.
    let whole = middle.z - 2.0 * radius >= picture.eye.near;
    out.position = select(NOWHERE, placed(seen, vec2(0.0)), on_floor && whole);
    out.colour = vec4(0.0, 0.0, 0.0, SHADOW * pale * visibility(middle.z));
    return out;
}

@fragment
fn paint_shadow(in: RoundCorner) -> @location(0) vec4<f32> {
    return in.colour * max(1.0 - dot(in.offset, in.offset), 0.0);
}
