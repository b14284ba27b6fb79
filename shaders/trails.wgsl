// Trails on the device: what agents leave behind, which fades from tick to tick. src/view/trails.rs does
// the same on the CPU.
//
// The light of the trails is a picture of its own, as one camera saw it. Another camera sees it where it
// is in the world.

struct View {
    // World position in the middle of the picture.
    centre: vec2<f32>,
    // Width and height in pixels.
    size: vec2<f32>,
    // Cosine and sine of the angle by which the camera is turned anticlockwise.
    turn: vec2<f32>,
    // The size of a wrapped world that continues beyond its edges; else 0.
    period: vec2<f32>,
}

struct Trails {
    // The camera of the picture to draw, and the camera of the light.
    now: View,
    before: View,
    // Pixels per world unit of both.
    pixels_per_unit: vec2<f32>,
    // The share of the light that is left.
    fading: f32,
    // 1 if the two cameras differ, 2 if they do in a space.
    moved: u32,
    // In a space: the rows of the projection from a pixel of the picture to one of the light.
    projection: array<vec4<f32>, 3>,
}

@group(0) @binding(0) var<uniform> trails: Trails;
// Premultiplied colours.
@group(0) @binding(1) var light: texture_2d<f32>;
@group(0) @binding(2) var agents: texture_2d<f32>;

// The light of a fresh trail, as a share of its agent's.
const SHARE: f32 = 0.33333334;

// One triangle that covers the whole target.
@vertex
fn cover(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2(f32(vertex & 1u), f32(vertex >> 1u));
    return vec4(4.0 * corner - 1.0, 0.0, 1.0);
}

// The world position that a pixel shows; y points up there.
fn world_from_pixel(view: View, pixels_per_unit: f32, pixel: vec2<f32>) -> vec2<f32> {
    let offset = (pixel - 0.5 * view.size) * vec2(1.0, -1.0);
    let turned = vec2(
        offset.x * view.turn.x - offset.y * view.turn.y,
        offset.y * view.turn.x + offset.x * view.turn.y,
    );
    return view.centre + turned / pixels_per_unit;
}

// The pixel that shows a world position, or its nearest image in an endless world.
fn pixel_from_world(view: View, pixels_per_unit: f32, place: vec2<f32>) -> vec2<f32> {
    let far = place - view.centre;
    let times = round(far / max(view.period, vec2(1e-30)));
    let near = select(far, far - view.period * times, view.period > vec2(0.0));
    let offset = near * pixels_per_unit;
    let turned = vec2(
        offset.x * view.turn.x + offset.y * view.turn.y,
        offset.y * view.turn.x - offset.x * view.turn.y,
    );
    return 0.5 * view.size + turned * vec2(1.0, -1.0);
}

// The light of a texel; none outside.
fn texel(at: vec2<i32>) -> vec4<f32> {
    let size = vec2<i32>(textureDimensions(light));
    let inside = all(at >= vec2(0)) && all(at < size);
    let found = textureLoad(light, clamp(at, vec2(0), size - 1), 0);
    return select(vec4(0.0), found, inside);
}

// The light behind a pixel, interpolated between four texels if the camera has moved.
fn light_at(pixel: vec2<f32>) -> vec4<f32> {
    if trails.moved == 0u {
        return texel(vec2<i32>(pixel));
    }
    let place = world_from_pixel(trails.now, trails.pixels_per_unit.x, pixel);
    // Agents are drawn once, and so are their trails: not in the other images of a wrapped world.
    let far = 2.0 * abs(place - trails.now.centre);
    if trails.moved == 1u && any((trails.now.period > vec2(0.0)) & (far > trails.now.period)) {
        return vec4(0.0);
    }
    let flat = pixel_from_world(trails.before, trails.pixels_per_unit.y, place);
    let here = vec3(pixel, 1.0);
    let depth = max(dot(trails.projection[2].xyz, here), 1e-20);
    let across = dot(trails.projection[0].xyz, here);
    let down = dot(trails.projection[1].xyz, here);
    let before = select(flat, vec2(across, down) / depth, trails.moved == 2u) - 0.5;
    let share = fract(before);
    let corner = vec2<i32>(floor(before));
    let upper = mix(texel(corner), texel(corner + vec2(1, 0)), share.x);
    let lower = mix(texel(corner + vec2(0, 1)), texel(corner + vec2(1, 1)), share.x);
    return mix(upper, lower, share.y);
}

// Ticks have passed: all trails fade, and the agents add theirs.
@fragment
fn fade(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    let fresh = textureLoad(agents, vec2<i32>(pixel.xy), 0);
    return max(trails.fading * light_at(pixel.xy), SHARE * fresh);
}

// The trails over what is behind, and the agents over the trails.
@fragment
fn lay(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    let trail = light_at(pixel.xy);
    let agent = textureLoad(agents, vec2<i32>(pixel.xy), 0);
    let left = 1.0 - agent.a;
    return vec4(agent.rgb + left * trail.rgb, 1.0 - left * (1.0 - trail.a));
}
