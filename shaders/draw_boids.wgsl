// Agents: darts that point along the heading, discs and glows; colour by heading, speed, species or
// number of neighbours.
//
// Three vertices an agent in one long draw rather than one instance an agent: drivers start a new
// batch of work for each instance, and three vertices fill none. A disc or a glow is drawn within a
// triangle round it.
//
// Two pairs of entry points: scenes of darts alone need nothing but a colour for each triangle.
// Colours are premultiplied, and a colour with less alpha than light adds to what is behind it.

struct SpeciesLook {
    // From the middle to the nose of a dart, to the edge of a disc, or to where a glow is about half
    // as bright; pixels.
    radius: f32,
    // From the middle to where nothing of it is left to see; pixels.
    reach: f32,
    // Opacity, or brightness of the middle.
    strength: f32,
    // How much of what is behind it is hidden, as a share of the strength.
    cover: f32,
    // Middle of the range of red, green and blue round the colour circle.
    level: vec3<f32>,
    shape: u32,
    // Half the range.
    swing: vec3<f32>,
    // World units per tick.
    max_speed: f32,
    // Light that the core of a glow has besides.
    heat: vec3<f32>,
    // How much darker than in a crowd a loner is.
    dimming: f32,
    // Hue in turns: base + per_turn * heading + per_speed * speed / max_speed + per_crowd * crowd.
    hue_base: f32,
    hue_per_turn: f32,
    hue_per_speed: f32,
    hue_per_crowd: f32,
}

struct Picture {
    // World position in the middle of the picture.
    centre: vec2<f32>,
    // Width and height in pixels.
    size: vec2<f32>,
    pixels_per_unit: f32,
    // Half the width of a dart over half its length.
    slenderness: f32,
    // Where the species begins in a tag.
    species_shift: u32,
    // Neighbours that make a crowd; 0 where agents do not remember theirs.
    crowd: f32,
    species: array<SpeciesLook, 16>,
}

// Position in xy, velocity in zw.
@group(0) @binding(0) var<storage, read> state: array<vec4<f32>>;
// Species above, id below.
@group(0) @binding(1) var<storage, read> tag: array<u32>;
@group(0) @binding(2) var<uniform> picture: Picture;
// An angle above, the number of neighbours in the lowest 8 bits. Not read where there is no crowd.
@group(0) @binding(3) var<storage, read> memory: array<u32>;

const TAU: f32 = 6.283185307179586;

// Numbers of the shapes.
const DART: u32 = 0;
const DISC: u32 = 1;

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) colour: vec4<f32>,
}

struct FigureCorner {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) colour: vec4<f32>,
    @location(1) @interpolate(flat) shape: u32,
    // Radius and reach; pixels.
    @location(2) @interpolate(flat) extent: vec2<f32>,
    // Of the core of a glow.
    @location(3) @interpolate(flat) heat: vec3<f32>,
    // From the middle of the agent; pixels.
    @location(4) offset: vec2<f32>,
}

// From 0 to 1: how crowded an agent is.
fn crowd_of(agent: u32) -> f32 {
    if picture.crowd > 0.0 {
        return min(f32(memory[agent] & 0xffu) / picture.crowd, 1.0);
    }
    return 0.0;
}

// Factor on the light of an agent.
fn brightness_of(agent: u32, look: SpeciesLook) -> f32 {
    return 1.0 - look.dimming * (1.0 - crowd_of(agent));
}

// Paint at full strength, premultiplied: the light it gives, and how much of the rest it hides.
fn paint_of(agent: u32, look: SpeciesLook) -> vec4<f32> {
    let velocity = state[agent].zw;
    let speed = length(velocity);
    // Not read for a stationary agent: the angle of the zero vector is anything.
    let heading = select(0.0, atan2(velocity.y, velocity.x) / TAU, speed > 0.0);
    let share = clamp(speed / max(look.max_speed, 1e-30), 0.0, 1.0);
    let turn = look.hue_base + look.hue_per_turn * heading + look.hue_per_speed * share
        + look.hue_per_crowd * crowd_of(agent);
    let wave = cos(TAU * (vec3(turn) - vec3(0.0, 1.0, 2.0) / 3.0));
    let colour = brightness_of(agent, look) * (look.level + look.swing * wave);
    return look.strength * vec4(colour, look.cover);
}

// From the middle of a dart to one of its corners; pixels.
fn dart_arm(agent: u32, which: u32, look: SpeciesLook) -> vec2<f32> {
    let velocity = state[agent].zw;
    let speed = length(velocity);
    // A stationary agent heads along +x.
    let ahead = select(vec2(1.0, 0.0), velocity / max(speed, 1e-30), speed > 0.0);
    let left = vec2(-ahead.y, ahead.x);
    let side = select(select(-1.0, 1.0, which == 1u), 0.0, which == 0u);
    let along = select(-1.0, 1.0, which == 0u);
    return look.radius * (along * ahead + side * picture.slenderness * left);
}

// From the middle of a circle to a corner of the triangle round it; in radii of the circle.
fn round_arm(which: u32) -> vec2<f32> {
    let root = 1.7320508;
    return select(vec2(select(-root, root, which == 1u), -1.0), vec2(0.0, 2.0), which == 0u);
}

fn placed(agent: u32, arm: vec2<f32>) -> vec4<f32> {
    let pixel = (state[agent].xy - picture.centre) * picture.pixels_per_unit + arm;
    return vec4(2.0 * pixel / picture.size, 0.0, 1.0);
}

// In a scene of darts alone.
@vertex
fn corner(@builtin(vertex_index) vertex: u32) -> Corner {
    let agent = vertex / 3u;
    let look = picture.species[tag[agent] >> picture.species_shift];
    var out: Corner;
    out.position = placed(agent, dart_arm(agent, vertex % 3u, look));
    out.colour = paint_of(agent, look);
    return out;
}

@fragment
fn paint(in: Corner) -> @location(0) vec4<f32> {
    return in.colour;
}

// In a scene with discs or glows.
@vertex
fn figure_corner(@builtin(vertex_index) vertex: u32) -> FigureCorner {
    let agent = vertex / 3u;
    let look = picture.species[tag[agent] >> picture.species_shift];
    var out: FigureCorner;
    if look.shape == DART {
        out.offset = dart_arm(agent, vertex % 3u, look);
    } else {
        out.offset = look.reach * round_arm(vertex % 3u);
    }
    out.position = placed(agent, out.offset);
    out.colour = paint_of(agent, look);
    out.shape = look.shape;
    out.extent = vec2(look.radius, look.reach);
    out.heat = look.strength * brightness_of(agent, look) * look.heat;
    return out;
}

@fragment
fn figure_paint(in: FigureCorner) -> @location(0) vec4<f32> {
    let radius = in.extent.x;
    let reach = in.extent.y;
    let squared = dot(in.offset, in.offset);
    // The lamp's light, and the window that ends it.
    let window = max(1.0 - squared / (reach * reach), 0.0);
    let glow = window * window / (1.0 + squared / (radius * radius));
    // What a pixel holds of the disc, when its edge runs through it.
    let disc = clamp(radius + 0.5 - sqrt(squared), 0.0, 1.0);
    let share = select(select(glow, disc, in.shape == DISC), 1.0, in.shape == DART);
    return share * in.colour + vec4(in.heat * (share * share * share), 0.0);
}
