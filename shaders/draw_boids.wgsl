// Agents: darts that point along the heading, discs and glows, in the colours of picture.wgsl.
//
// One long draw with three vertices per agent, not one instance per agent: drivers start a new batch for
// each instance, and three vertices do not fill it. A disc or a glow is drawn inside a triangle.
//
// There are two pairs of entry points: scenes with darts only need one colour per triangle.
// Agents are stacked by id, as draw_order.wgsl has sorted them.
// Colours are premultiplied. A colour with less alpha than light adds to what is behind it.

import package::agents::motion_of;
import package::picture::{
    picture, SpeciesLook, brightness_of, colour_of, amount_of, core_light_of, glow_of, heading_of,
    light_of, look_of, offset_of, round_arm, turned
};

// The agents by id.
@group(0) @binding(4) var<storage, read> order: array<u32>;

// Shape numbers.
const DART: u32 = 0;
const DISC: u32 = 1;

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) colour: vec4<f32>,
}

struct GlyphCorner {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) colour: vec4<f32>,
    @location(1) @interpolate(flat) shape: u32,
    // Radius and reach; pixels.
    @location(2) @interpolate(flat) extent: vec2<f32>,
    // Light of a glow's core.
    @location(3) @interpolate(flat) heat: vec3<f32>,
    // Offset from the agent's middle; pixels.
    @location(4) offset: vec2<f32>,
}

// Premultiplied paint at full strength: its light, and the share that it hides of what is behind.
fn paint_of(agent: u32, velocity: vec2<f32>, amount: f32, look: SpeciesLook) -> vec4<f32> {
    return look.strength * vec4(light_of(colour_of(agent, velocity, amount, look)), look.cover);
}

// The offset from the middle of a dart to a corner; pixels.
fn dart_arm(velocity: vec2<f32>, which: u32, look: SpeciesLook) -> vec2<f32> {
    let ahead = heading_of(velocity);
    let left = vec2(-ahead.y, ahead.x);
    let side = select(select(-1.0, 1.0, which == 1u), 0.0, which == 0u);
    let along = select(-1.0, 1.0, which == 0u);
    return look.radius * (along * ahead + side * picture.slenderness * left);
}

fn placed(position: vec2<f32>, arm: vec2<f32>) -> vec4<f32> {
    let pixel = turned(offset_of(position) * picture.pixels_per_unit + arm);
    return vec4(2.0 * pixel / picture.size, 0.0, 1.0);
}

// For scenes with darts only.
@vertex
fn corner(@builtin(vertex_index) vertex: u32) -> Corner {
    let agent = order[vertex / 3u];
    let motion = motion_of(agent);
    let look = look_of(agent);
    let amount = amount_of(agent, look);
    var out: Corner;
    out.position = placed(motion.xy, dart_arm(motion.zw, vertex % 3u, look));
    out.colour = paint_of(agent, motion.zw, amount, look);
    return out;
}

@fragment
fn paint(in: Corner) -> @location(0) vec4<f32> {
    return in.colour;
}

// For scenes with discs or glows.
@vertex
fn glyph_corner(@builtin(vertex_index) vertex: u32) -> GlyphCorner {
    let agent = order[vertex / 3u];
    let motion = motion_of(agent);
    let look = look_of(agent);
    let amount = amount_of(agent, look);
    var out: GlyphCorner;
    if look.shape == DART {
        out.offset = dart_arm(motion.zw, vertex % 3u, look);
    } else {
        out.offset = look.reach * round_arm(vertex % 3u);
    }
    out.position = placed(motion.xy, out.offset);
    out.colour = paint_of(agent, motion.zw, amount, look);
    out.shape = look.shape;
    out.extent = vec2(look.radius, look.reach);
    out.heat = look.strength * core_light_of(brightness_of(amount, look) * look.heat);
    return out;
}

@fragment
fn glyph_paint(in: GlyphCorner) -> @location(0) vec4<f32> {
    let radius = in.extent.x;
    let reach = in.extent.y;
    let squared = dot(in.offset, in.offset);
    // The light falls off with the square of the distance; the window ends it.
    let window = max(1.0 - squared / (reach * reach), 0.0);
    let glow = glow_of(window * window / (1.0 + squared / (radius * radius)));
    // The share of the pixel inside the disc, for a smooth edge.
    let disc = clamp(radius + 0.5 - sqrt(squared), 0.0, 1.0);
    let share = select(select(glow, disc, in.shape == DISC), 1.0, in.shape == DART);
    return share * in.colour + vec4(in.heat * (share * share * share), 0.0);
}
