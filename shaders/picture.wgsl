// A picture: what the camera sees, how each species looks, and the colour of an agent.

import package::agents::{id_of, shown_of, species_of};
@if(kept) import package::agents::kept_of;
import package::memory::STRUCTURE_STEPS;
@if(traits) import package::traits::drawn;

struct SpeciesLook {
    // Distance from the middle to the nose of a dart, to the edge of a disc, or to about half the
    // brightness of a glow; pixels.
    radius: f32,
    // Distance from the middle at which nothing is left to see; pixels.
    reach: f32,
    // Opacity of a dart or disc, brightness of a glow's middle.
    strength: f32,
    // The share of what is behind that is hidden, per strength.
    cover: f32,
    // The basis of the colours. On a circle, the colour at an angle is level + cosine * cos(angle) +
    // sine * sin(angle); a list has red, green and blue instead.
    level: vec3<f32>,
    shape: u32,
    cosine: vec3<f32>,
    // World units per tick.
    max_speed: f32,
    sine: vec3<f32>,
    // How much darker an agent with the amount 0 is than one with 1.
    dimming: f32,
    // Extra light in the core of a glow.
    heat: vec3<f32>,
    // The place on the scale, in turns: base + per_turn * heading + per_speed * speed / max_speed + per_amount * amount.
    hue_base: f32,
    hue_per_turn: f32,
    hue_per_speed: f32,
    hue_per_amount: f32,
    // The range of the agents' own sizes, if the scene has them; world units.
    size: f32,
    least_size: f32,
    // How the extent follows from the size: see Measure in src/view/style/glyph.rs.
    smallest: f32,
    full: f32,
    faintest: f32,
    most_gain: f32,
    condensed: f32,
    shows_above: f32,
    reach_factor: f32,
    reach_beyond: f32,
    // In space: turns from the near end of the world to the far one.
    hue_per_depth: f32,
    // 1 if the remembered number is a structure, 2 if it is a cluster, -1 if it is how far the agent leans; see
    // memory.wgsl.
    remembered: f32,
    // The place of the number that colours show, among those that agents keep; -1 for none.
    kept: f32,
    // In space: the squares of the areas of a body seen from ahead, from its side and from above, the areas as shares
    // of a triangle's; and 0.
    faces: vec4<f32>,
}

// How a space is seen.
struct Eye {
    // The place that the eye looks at; world units.
    focus: vec3<f32>,
    // From there to the eye; world units.
    distance: f32,
    // The directions in the world that are to the right and up in the picture, and back from the focus to the eye.
    right: vec3<f32>,
    // Nothing nearer to the eye is drawn; world units.
    near: f32,
    up: vec3<f32>,
    // Where fog begins, and halvings of what is seen per world unit behind that.
    fog_from: f32,
    back: vec3<f32>,
    fog_per_unit: f32,
    // The size of a wrapped world that continues beyond its edges; else 0.
    period: vec3<f32>,
    // The near end of the world, and the share of its length per world unit behind that.
    depth_from: f32,
    // The direction to the sun.
    sun: vec3<f32>,
    depth_per_unit: f32,
    // The size of the world.
    world: vec3<f32>,
    // 1 if agents too small to show their shape are summed in cells.
    sums: f32,
    // Light of the sun, the sky, the ground, and on all sides.
    light: vec4<f32>,
    // Cells of the shade's grid per axis, and per world unit; none if there is no shade.
    shade_cells: vec3<u32>,
    shade_cells_per_unit: f32,
    // The depth of an agent in a cell, and the light in full shade.
    shade: vec2<f32>,
    // The tick, counted again and again from 0.
    tick: f32,
    padding: u32,
    // The light of land under a sky, and the sine of the depth at which haze hides half of it.
    land: vec4<f32>,
    // Premultiplied colours of the background from top to bottom.
    ground: array<vec4<f32>, GROUND_STOPS>,
    // The light of a sky from its top to the horizon, if there is one.
    sky: array<vec4<f32>, GROUND_STOPS>,
}

struct Picture {
    // World position in the middle of the picture.
    centre: vec2<f32>,
    // Width and height in pixels.
    size: vec2<f32>,
    pixels_per_unit: f32,
    // Width of a dart over its length.
    slenderness: f32,
    // 1 if agents remember a number for their colour.
    remembers: u32,
    // Pixels per point.
    scale: f32,
    // Seed and key of the agents' own sizes.
    seed: u32,
    size_key: u32,
    // Neighbours that make a crowd.
    crowd: f32,
    // A bit for each species whose number is one of neighbours; else its scale ends at 255.
    counts: u32,
    // Cosine and sine of the angle by which the camera is turned anticlockwise.
    turn: vec2<f32>,
    // The size of a wrapped world that continues beyond its edges; else 0.
    period: vec2<f32>,
    species: array<SpeciesLook, MAX_SPECIES>,
    // The colours of each species' scale, evenly spaced; the last is beside the first. Used where
    // colours are lists.
    stops: array<array<vec4<f32>, STOPS>, MAX_SPECIES>,
    // Zeros in a plane.
    eye: Eye,
}

@group(0) @binding(2) var<uniform> picture: Picture;

const MAX_SPECIES: u32 = 16;
const STOPS: u32 = 32;
const GROUND_STOPS: u32 = 16;
const TAU: f32 = 6.283185307179586;

// Opacity of a body, and the least radius of one that is more than its size does; pixels.
const OPACITY: f32 = 0.9;
const MIN_BODY: f32 = 0.8;
// A scene that asks for a least size has this in `condensed`.
const KEPT: f32 = 1e-6;

// The strength of an agent of this natural size that is drawn as large as wanted; pixels.
fn strength_of(look: SpeciesLook, natural: f32, wanted: f32) -> f32 {
    let share = natural / wanted;
    let gained = look.full * share * share * look.most_gain;
    return min(max(look.full * natural / wanted, look.faintest), gained);
}

// True if an agent of this size in pixels shows its shape.
fn shows_shape(look: SpeciesLook, natural: f32) -> bool {
    return strength_of(look, natural, look.smallest) > look.shows_above;
}

// The look of an agent of this size. Measure::extent in src/view/style/glyph.rs computes the same.
@if(traits || !flat)
fn sized(look: SpeciesLook, size: f32, pixels_per_unit: f32) -> SpeciesLook {
    let natural = size * pixels_per_unit;
    let wanted = max(natural, look.smallest * picture.scale);
    let light = wanted * wanted * strength_of(look, natural, wanted);
    let small = min(wanted, sqrt(light / look.condensed));
    let shows = shows_shape(look, natural);
    let shape = select(small, max(natural, sqrt(light / OPACITY)), shows);
    var own = look;
    let grows = look.full > OPACITY && look.condensed > KEPT;
    own.radius = max(shape, select(look.smallest, MIN_BODY, shows && grows));
    own.reach = own.radius * look.reach_factor + look.reach_beyond;
    own.strength = light / (own.radius * own.radius);
    return own;
}

// The look of an agent: its species' look, or its own if agents have their own sizes.
fn look_of(agent: u32) -> SpeciesLook {
    let look = picture.species[min(species_of(agent), MAX_SPECIES - 1u)];
    @if(traits) {
        let size =
            drawn(look.least_size, look.size, picture.seed, id_of(agent), picture.size_key);
        return sized(look, size, picture.pixels_per_unit);
    }
    @if(!traits)
    return look;
}

// The size of an agent; world units.
fn size_of(agent: u32, look: SpeciesLook) -> f32 {
    @if(traits)
    return drawn(look.least_size, look.size, picture.seed, id_of(agent), picture.size_key);
    @if(!traits)
    return look.size;
}

// The look that all agents of its species share.
fn species_look_of(agent: u32) -> SpeciesLook {
    return picture.species[min(species_of(agent), MAX_SPECIES - 1u)];
}

// How much of what the colours of its species show an agent has, 0 to 1: neighbours, acceleration, age,
// density, or a number that it keeps.
fn amount_of(agent: u32, look: SpeciesLook) -> f32 {
    @if(kept) {
        if look.kept >= 0.0 {
            // Beyond 1 the palette begins again.
            let number = kept_of(agent)[u32(look.kept)];
            return select(number - floor(number), number, number >= 0.0 && number <= 1.0);
        }
    }
    if picture.remembers == 1u {
        @if(structure) {
            if look.remembered == 1.0 {
                return f32(u32(shown_of(agent)) & STRUCTURE_STEPS) / f32(STRUCTURE_STEPS);
            }
        }
        let counts = ((picture.counts >> species_of(agent)) & 1u) == 1u;
        return min(shown_of(agent) / select(255.0, picture.crowd, counts), 1.0);
    }
    return 0.0;
}

// How full the colour of an agent is: the order round it, if its colour shows that; in a cluster, full.
@if(structure)
fn chroma_of(agent: u32) -> f32 {
    let look = picture.species[min(species_of(agent), MAX_SPECIES - 1u)];
    if picture.remembers == 1u && look.remembered > 0.0 {
        let number = u32(shown_of(agent));
        let order = f32(number >> 4u) / f32(STRUCTURE_STEPS);
        return select(order, f32(min(number, 1u)), look.remembered == 2.0);
    }
    return 1.0;
}

// Factor on the light of an agent.
fn brightness_of(amount: f32, look: SpeciesLook) -> f32 {
    return 1.0 - look.dimming * (1.0 - amount);
}

// The light of an sRGB colour, where pictures are sums of light; else the colour itself.
fn light_of(colour: vec3<f32>) -> vec3<f32> {
    @if(as_light) {
        // The mean colour of a cell without depth is any number.
        let own = clamp(colour, vec3(0.0), vec3(1.0));
        return select(pow((own + 0.055) / 1.055, vec3(2.4)), own / 12.92, own <= vec3(0.04045));
    }
    @if(!as_light)
    return colour;
}

// Light of a glow's core is far brighter than a screen.
const CORE_LIGHT: f32 = 6.0;

// The light of a glow's core, of this colour.
fn core_light_of(colour: vec3<f32>) -> vec3<f32> {
    @if(as_light)
    return CORE_LIGHT * light_of(colour);
    @if(!as_light)
    return colour;
}

// The share of a glow's light at a place, where `share` is how bright it looks.
fn glow_of(share: f32) -> f32 {
    @if(as_light)
    return share * share;
    @if(!as_light)
    return share;
}

// The place of an agent's colour on its scale; turns.
fn turn_of(velocity: vec2<f32>, amount: f32, look: SpeciesLook) -> f32 {
    let speed = length(velocity);
    // Only for moving agents: the zero vector has no defined angle.
    let heading = select(0.0, atan2(velocity.y, velocity.x) / TAU, speed > 0.0);
    let share = clamp(speed / max(look.max_speed, 1e-30), 0.0, 1.0);
    return look.hue_base + look.hue_per_turn * heading + look.hue_per_speed * share
        + look.hue_per_amount * amount;
}

// The colour of a species at a place on its scale. Stops::at in src/view/style/palettes.rs computes the
// same.
@if(stops)
fn colour_at(turn: f32, species: u32) -> vec3<f32> {
    let place = (turn - floor(turn)) * f32(STOPS);
    let index = u32(place);
    let own = min(species, MAX_SPECIES - 1u);
    let one = picture.stops[own][index % STOPS].xyz;
    let next = picture.stops[own][(index + 1u) % STOPS].xyz;
    return one + (next - one) * (place - f32(index));
}

// The factors on the basis of an agent's colours at a place on their scale.
fn factors_at(agent: u32, turn: f32, light: f32) -> vec3<f32> {
    @if(!structure) let chroma = 1.0;
    @if(structure) let chroma = chroma_of(agent);
    @if(stops) {
        let colour = colour_at(turn, species_of(agent));
        @if(structure) {
            return light * mix(vec3(dot(colour, vec3(1.0 / 3.0))), colour, chroma);
        }
        return light * colour;
    }
    @if(!stops) {
        let angle = TAU * turn;
        return light * vec3(1.0, chroma * cos(angle), chroma * sin(angle));
    }
}

// An agent's factors on the basis of its colours.
fn factors_of(agent: u32, velocity: vec2<f32>, amount: f32, look: SpeciesLook) -> vec3<f32> {
    return factors_at(agent, turn_of(velocity, amount, look), brightness_of(amount, look));
}

// In space: how much lighter a colour is that shows a heading straight up, and darker straight down.
const LIFT: f32 = 0.22;

// The place of an agent's colour on its scale in space, and its brightness. `far` is how far it is from the
// near end of the world to the far one.
fn tone_of(velocity: vec3<f32>, amount: f32, far: f32, look: SpeciesLook) -> vec2<f32> {
    let speed = length(velocity);
    let level = any(velocity.xy != vec2(0.0));
    let heading = select(0.0, atan2(velocity.y, velocity.x) / TAU, level);
    let share = clamp(speed / max(look.max_speed, 1e-30), 0.0, 1.0);
    let turn = look.hue_base + look.hue_per_turn * heading + look.hue_per_speed * share
        + look.hue_per_amount * amount + look.hue_per_depth * far;
    let up = select(0.0, velocity.z / max(speed, 1e-30), speed > 0.0);
    let lift = select(LIFT * up, 0.0, look.hue_per_turn == 0.0);
    return vec2(turn, brightness_of(amount, look) * (1.0 + lift));
}

// The colour of an agent with this place on its scale and this brightness.
fn colour_of_tone(agent: u32, tone: vec2<f32>, look: SpeciesLook) -> vec3<f32> {
    let factors = factors_at(agent, tone.x, tone.y);
    return factors.x * look.level + factors.y * look.cosine + factors.z * look.sine;
}

// The colour of an agent; red, green and blue.
fn colour_of(agent: u32, velocity: vec2<f32>, amount: f32, look: SpeciesLook) -> vec3<f32> {
    let factors = factors_of(agent, velocity, amount, look);
    @if(stops)
    return factors;
    @if(!stops)
    return factors.x * look.level + factors.y * look.cosine + factors.z * look.sine;
}

// The offset from the middle of a circle to a corner of the triangle round it; radii.
fn round_arm(which: u32) -> vec2<f32> {
    let root = 1.7320508;
    return select(vec2(select(-root, root, which == 1u), -1.0), vec2(0.0, 2.0), which == 0u);
}

// A direction in the world, turned into the picture; y points up.
fn turned(direction: vec2<f32>) -> vec2<f32> {
    let cosine = picture.turn.x;
    let sine = picture.turn.y;
    return vec2(
        direction.x * cosine + direction.y * sine,
        direction.y * cosine - direction.x * sine,
    );
}

// The offset of a world position from the picture's middle; world units. In an endless world, the offset of the
// nearest image.
fn offset_of(position: vec2<f32>) -> vec2<f32> {
    let offset = position - picture.centre;
    let times = round(offset / max(picture.period, vec2(1e-30)));
    return select(offset, offset - picture.period * times, picture.period > vec2(0.0));
}

// The heading of an agent; a stationary one heads along +x.
fn heading_of(velocity: vec2<f32>) -> vec2<f32> {
    let speed = length(velocity);
    return select(vec2(1.0, 0.0), velocity / max(speed, 1e-30), speed > 0.0);
}
