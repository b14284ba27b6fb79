// The plane: the vector, the layout of the state, and the edge of the world. All other shaders use Vector,
// dot and length, whatever the dimension.

alias Vector = vec2<f32>;

// One flag per axis.
alias Axes = vec2<bool>;

// One index, or one number of cells, per axis.
alias Cell = vec2<u32>;

// Position and velocity of an agent, as the state stores them.
alias Motion = vec4<f32>;

fn position_of(agent: Motion) -> Vector {
    return agent.xy;
}

fn velocity_of(agent: Motion) -> Vector {
    return agent.zw;
}

fn packed(position: Vector, velocity: Vector) -> Motion {
    return Motion(position, velocity);
}

// Scenery is stored in rows of four words: two vectors, or a vector with a number in the last word.
fn first_vector(row: vec4<f32>) -> Vector {
    return row.xy;
}

fn second_vector(row: vec4<f32>) -> Vector {
    return row.zw;
}

fn number_after_vector(row: vec4<f32>) -> f32 {
    return row.w;
}

// The number of a cell, counted row by row, in a grid of `cells_along` cells per axis.
fn cell_number(cell: Cell, cells_along: Cell) -> u32 {
    return cell.y * cells_along.x + cell.x;
}

// Number of cells in a grid of `cells_along` cells per axis.
fn cells_in(cells_along: Cell) -> u32 {
    return cells_along.x * cells_along.y;
}

// The unit vector along the first axis.
fn first_axis() -> Vector {
    return Vector(1.0, 0.0);
}

// A vector made of random bits, with components from −32767.5 to 32767.5, none of them 0.
fn spread(bits: u32) -> Vector {
    return Vector(f32(bits & 0xffffu) - 32767.5, f32(bits >> 16u) - 32767.5);
}

// The vector to the left of another one, of the same length.
fn sideways(vector: Vector) -> Vector {
    return Vector(-vector.y, vector.x);
}

// The unit vector to the left of a heading.
fn left_of(heading: Vector) -> Vector {
    return sideways(heading);
}

// A vector of an agent's own frame (ahead, to the left) in the axes of the world.
fn framed(heading: Vector, own: Vector) -> Vector {
    return heading * own.x + left_of(heading) * own.y;
}

// Where something lies beside the axis of a heading: at `distance` along `direction`, a unit vector.
struct Beside {
    distance: f32,
    direction: Vector,
}

fn beside(heading: Vector, left: Vector, offset: Vector) -> Beside {
    return Beside(dot(left, offset), left);
}

// The sine of an angle from −0.25 to 0.25 turns.
fn sine(turns: f32) -> f32 {
    let x = turns * 6.283185307179586;
    let squared = x * x;
    var sum = -1.0 / 39916800.0;
    sum = sum * squared + 1.0 / 362880.0;
    sum = sum * squared - 1.0 / 5040.0;
    sum = sum * squared + 1.0 / 120.0;
    sum = sum * squared - 1.0 / 6.0;
    sum = sum * squared + 1.0;
    return x * sum;
}

// The unit vector at an angle of `turns` (−0.5 to 0.5) against the x axis.
//
// A polynomial, because the sines of drivers differ and both engines must give the same bits.
fn at_angle(turns: f32) -> Vector {
    let size = abs(turns);
    let folded = select(size, 0.5 - size, size > 0.25);
    return Vector(sine(0.25 - size), sine(select(folded, -folded, turns < 0.0)));
}

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

// The image of `other` that is nearest to `position`; in a wrapped world it may lie across the seam. The
// offset is the difference of the two. A loop that knows the side of the seam shifts a whole run instead,
// with the same result.
fn nearest_image(position: Vector, other: Vector, size: Vector) -> Vector {
    @if(wrap) {
        let difference = other - position;
        let half = size * 0.5;
        let above = select(Vector(), -size, difference > half);
        return other + select(above, size, difference < -half);
    }
    @if(!wrap) {
        return other;
    }
}

// The largest coordinate in an open world; world units.
const FARTHEST = 1e12;

// Smaller coordinates and components of a velocity count as zero: their squares are too small for f32, or
// for a device that flushes subnormal numbers.
const NOTHING = 1e-18;

// Position and velocity as they are stored: +0 instead of tiny numbers and of −0, which some devices do
// not distinguish from +0.
fn settled(position: Vector, velocity: Vector) -> Motion {
    let state = packed(position, velocity);
    return select(state, Motion(), abs(state) < Motion(NOTHING));
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

// On the edge the outward component of the velocity is lost: a wall does not push back.
@if(walls)
fn confined(position: Vector, velocity: Vector, size: Vector) -> Motion {
    let inside = clamp(position, Vector(), size);
    return settled(inside, select(Vector(), velocity, inside == position));
}

@if(open)
fn confined(position: Vector, velocity: Vector, size: Vector) -> Motion {
    return settled(clamp(position, Vector(-FARTHEST), Vector(FARTHEST)), velocity);
}
