// The edge of the world: the way across the seam of a wrapped one, and where an agent stops or comes back.

import package::space::{Motion, Vector};

// The shortest offset: across the seam of a wrapped world if that is shorter.
@if(wrap)
fn shortest(difference: Vector, size: Vector) -> Vector {
    let half = size * 0.5;
    let lower = select(difference, difference - size, difference > half);
    return select(lower, lower + size, lower < -half);
}

@if(!wrap)
fn shortest(difference: Vector, size: Vector) -> Vector {
    return difference;
}

// The image of `other` that is nearest to `position`; it may lie across the seam. A neighbour loop moves the
// agent, not its neighbours: the offset is the neighbour's place minus the image of the agent's. A loop that
// knows the side of the seam shifts the agent once for a whole run, with the same result.
@if(wrap)
fn nearest_image(position: Vector, other: Vector, size: Vector) -> Vector {
    let difference = other - position;
    let half = size * 0.5;
    let above = select(Vector(), -size, difference > half);
    return other + select(above, size, difference < -half);
}

// The largest coordinate in an open world; world units.
const MAX_COORDINATE = 1e12;

// Smaller coordinates and components of a velocity count as zero: their squares are too small for f32, or
// for a device that flushes subnormal numbers.
const NOTHING = 1e-18;

fn without_tiny(vector: Vector) -> Vector {
    return select(vector, Vector(), abs(vector) < Vector(NOTHING));
}

// Position and velocity as they are stored: +0 instead of tiny numbers and of −0, which some devices do
// not distinguish from +0.
fn settled(position: Vector, velocity: Vector) -> Motion {
    @if(!kept)
    return Motion(without_tiny(position), without_tiny(velocity));
    // The caller sets the numbers that the agent keeps.
    @if(kept)
    return Motion(without_tiny(position), without_tiny(velocity), vec4<f32>());
}

// Position and velocity after the boundary is applied.
@if(wrap)
fn confined(position: Vector, velocity: Vector, size: Vector) -> Motion {
    var p = select(position, position + size, position < Vector());
    p = select(p - size, p, p < size);
    // A tiny negative position plus `size` rounds to exactly `size`, which is the origin again. Anything
    // still outside goes to the origin too: no agent ever leaves.
    return settled(select(Vector(), p, (p >= Vector()) & (p < size)), velocity);
}

// Coordinates moved by whole sizes until they are less than one of them outside. No step rounds.
@if(wrap)
fn near(position: Vector, size: Vector) -> Vector {
    var p = position;
    // 2^70: a coordinate is at most `MAX_COORDINATE`.
    var step = size * 1.1805916e21;
    for (var halvings = 0u; halvings <= 70u; halvings += 1u) {
        p = select(p - sign(p) * step, p, abs(p) < step);
        step *= 0.5;
    }
    return p;
}

// On the edge the outward component of the velocity is lost: a wall does not push back.
@if(walls)
fn confined(position: Vector, velocity: Vector, size: Vector) -> Motion {
    let inside = clamp(position, Vector(), size);
    return settled(inside, select(Vector(), velocity, inside == position));
}

@if(open)
fn confined(position: Vector, velocity: Vector, size: Vector) -> Motion {
    return settled(clamp(position, Vector(-MAX_COORDINATE), Vector(MAX_COORDINATE)), velocity);
}
