// Things in a space other than agents: triangles that src/view/space/solids.rs has projected, lit and faded.

struct Corner {
    // In the picture from −1 to 1, and the nearness: the depth of the eye's near plane divided by its own.
    @location(0) position: vec3<f32>,
    // Premultiplied.
    @location(1) colour: vec4<f32>,
}

struct Placed {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(linear) colour: vec4<f32>,
}

@vertex
fn solid_corner(corner: Corner) -> Placed {
    return Placed(vec4(corner.position, 1.0), corner.colour);
}

@fragment
fn paint_solid(in: Placed) -> @location(0) vec4<f32> {
    return in.colour;
}
