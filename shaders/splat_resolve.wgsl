// Turns the sums of the pass splat into a picture, over what is already on the target.

import package::canvas::{canvas, Scale, scale, PACKED_BITS};
import package::picture::{light_of, picture};

// The depth at which a crowd has half of its lift.
const LIFT_DEPTH: f32 = 4.0;

// See splat.wgsl. Four words per cell, or two if they are packed.
@group(0) @binding(5) var<storage, read> sums: array<vec2<u32>>;

struct Corner {
    @builtin(position) position: vec4<f32>,
    // The result of `scale`, computed per corner and not per pixel.
    @location(0) @interpolate(flat) counts_per_bit: f32,
    @location(1) @interpolate(flat) packed: u32,
}

// One triangle that covers the whole target.
@vertex
fn cover(@builtin(vertex_index) vertex: u32) -> Corner {
    let corner = vec2(f32(vertex & 1u), f32(vertex >> 1u));
    let scale = scale();
    return Corner(vec4(4.0 * corner - 1.0, 0.0, 1.0), scale.counts_per_bit, u32(scale.packed));
}

fn scale_of(corner: Corner) -> Scale {
    return Scale(corner.counts_per_bit, corner.packed == 1u);
}

// From the band's first cell.
fn sums_at(column: i32, row: i32, packed: bool) -> vec4<f32> {
    let place = vec2<u32>(vec2(column, row) + i32(canvas.margin));
    let cell = place.y * (canvas.columns + 2u * canvas.margin) + place.x;
    let first = select(2u * cell, cell, packed);
    let lower = sums[first];
    var upper = vec2<u32>();
    // A branch, but see splat.wgsl.
    for (var more = select(1u, 0u, packed); more > 0u; more--) {
        upper = sums[first + 1u];
    }
    let mask = (1u << PACKED_BITS) - 1u;
    // Three fields of one number of 64 bits.
    let x = ((lower.x >> PACKED_BITS) | (lower.y << (32u - PACKED_BITS))) & mask;
    let unpacked = vec4(lower.y >> (2u * PACKED_BITS - 32u), 0u, x, lower.x & mask);
    let four = vec4<f32>(select(vec4(lower, upper), unpacked, packed));
    return vec4(four.xy, four.zw - four.x);
}

// Premultiplied.
fn shown(column: i32, row: i32, scale: Scale) -> vec4<f32> {
    let total = sums_at(column, row, scale.packed);
    // The share that is left of the light behind the agents.
    let bits = total.x / scale.counts_per_bit;
    let left = exp2(-bits);
    let mean = total.yzw / max(total.x, 1e-30);
    let first = select(1.0, mean.x, canvas.three_factors != 0u);
    let look = picture.species[0];
    let colour = first * look.level + mean.y * look.cosine + mean.z * look.sine;
    // A crowd that hides all behind it can only show by its lightness that it is denser still.
    let crowd = bits * bits / (bits * bits + LIFT_DEPTH * LIFT_DEPTH);
    let lifted = mix(colour, vec3(canvas.lift_to), canvas.lift * crowd);
    return (1.0 - left) * vec4(light_of(lifted), 1.0);
}

// If cells and pixels differ in size: interpolates between the middles of four cells. It mixes their
// colours, because mixed sums would hide more.
fn between(pixel: vec2<f32>, scale: Scale) -> vec4<f32> {
    let place = pixel * canvas.cells_per_pixel - vec2(0.5, f32(canvas.top) + 0.5);
    let most = vec2(f32(canvas.columns), f32(canvas.rows));
    let corner = clamp(floor(place), vec2(-1.0), most - 1.0);
    let share = place - corner;
    let cell = vec2<i32>(corner);
    let left = mix(shown(cell.x, cell.y, scale), shown(cell.x, cell.y + 1, scale), share.y);
    let next = cell.x + 1;
    let right = mix(shown(next, cell.y, scale), shown(next, cell.y + 1, scale), share.y);
    return mix(left, right, share.x);
}

@fragment
fn resolve(pixel: Corner) -> @location(0) vec4<f32> {
    let place = vec2<i32>(pixel.position.xy);
    return shown(place.x, place.y - i32(canvas.top), scale_of(pixel));
}

@fragment
fn resolve_between(pixel: Corner) -> @location(0) vec4<f32> {
    return between(pixel.position.xy, scale_of(pixel));
}
