// The vectors of a plane or of a space, and the layout of the state. All other shaders use Vector, dot and
// length, whatever the number of axes. In a space the third axis points up.
//
// src/model/plane.rs and src/model/space.rs give the same bits.

@if(flat) alias Vector = vec2<f32>;
@if(!flat) alias Vector = vec3<f32>;

// One flag per axis.
@if(flat) alias Axes = vec2<bool>;
@if(!flat) alias Axes = vec3<bool>;

// One index, or one number of cells, per axis.
@if(flat) alias Cell = vec2<u32>;
@if(!flat) alias Cell = vec3<u32>;

// Position and velocity of an agent, as the state stores them.
@if(flat && !kept) alias Motion = vec4<f32>;
@if(!flat || kept)
struct Motion {
    position: Vector,
    velocity: Vector,
    // The numbers that it keeps for rules in text.
    @if(kept)
    kept: vec4<f32>,
}

fn position_of(agent: Motion) -> Vector {
    @if(flat && !kept) {
        return agent.xy;
    }
    @if(!flat || kept) {
        return agent.position;
    }
}

fn velocity_of(agent: Motion) -> Vector {
    @if(flat && !kept) {
        return agent.zw;
    }
    @if(!flat || kept) {
        return agent.velocity;
    }
}

// Scenery is stored in rows of four words: a vector with a number in the last word, or as many vectors as
// fit, see tables.wgsl.
fn first_vector(row: vec4<f32>) -> Vector {
    @if(flat) {
        return row.xy;
    }
    @if(!flat) {
        return row.xyz;
    }
}

fn number_after_vector(row: vec4<f32>) -> f32 {
    return row.w;
}

// The number of a cell's row, in a grid of `cells_along` cells per axis.
fn row_of(cell: Cell, cells_along: Cell) -> u32 {
    @if(flat) {
        return cell.y;
    }
    @if(!flat) {
        return cell.z * cells_along.y + cell.y;
    }
}

// Number of rows in a grid of `cells_along` cells per axis.
fn rows_in(cells_along: Cell) -> u32 {
    @if(flat) {
        return cells_along.y;
    }
    @if(!flat) {
        return cells_along.y * cells_along.z;
    }
}

// The number of a cell, counted row by row.
fn cell_number(cell: Cell, cells_along: Cell) -> u32 {
    return row_of(cell, cells_along) * cells_along.x + cell.x;
}

// Number of cells in a grid of `cells_along` cells per axis.
fn cells_in(cells_along: Cell) -> u32 {
    return rows_in(cells_along) * cells_along.x;
}

// The slice of a cell: a row of a plane, or a layer of rows of a space.
@if(slab)
fn slice_of(cell: Cell) -> u32 {
    @if(flat) {
        return cell.y;
    }
    @if(!flat) {
        return cell.z;
    }
}

// Number of rows in this number of slices.
@if(slab)
fn rows_in_slices(slices: u32, cells_along: Cell) -> u32 {
    @if(flat) {
        return slices;
    }
    @if(!flat) {
        return slices * cells_along.y;
    }
}

// Number of cells in a slice.
@if(slab)
fn slice_cells(cells_along: Cell) -> u32 {
    return rows_in_slices(1u, cells_along) * cells_along.x;
}

// The vector with `first` on the first axis and zeros on the others.
fn on_first_axis(first: f32) -> Vector {
    @if(flat) {
        return Vector(first, 0.0);
    }
    @if(!flat) {
        return Vector(first, 0.0, 0.0);
    }
}

// The scalar product. Written out, because drivers differ in the order of a product of three terms, and
// both engines must give the same bits.
fn dot(a: Vector, b: Vector) -> f32 {
    @if(flat) {
        return a.x * b.x + a.y * b.y;
    }
    @if(!flat) {
        return a.x * b.x + a.y * b.y + a.z * b.z;
    }
}

fn length(vector: Vector) -> f32 {
    return sqrt(dot(vector, vector));
}

// The vector product; also written out.
@if(!flat)
fn cross(a: Vector, b: Vector) -> Vector {
    return a.yzx * b.zxy - a.zxy * b.yzx;
}

// The largest square of a horizontal length that counts as none.
const MAX_VERTICAL_SQUARED = 1e-12;

// The vector to the left of another one, of the same length or shorter: up × vector. In a space a vertical
// vector has the first axis on its left.
fn sideways(vector: Vector) -> Vector {
    @if(flat) {
        return Vector(-vector.y, vector.x);
    }
    @if(!flat) {
        let squared = vector.x * vector.x + vector.y * vector.y;
        let horizontal = vector.z * vector.z * MAX_VERTICAL_SQUARED < squared;
        return select(on_first_axis(abs(vector.z)), Vector(-vector.y, vector.x, 0.0), horizontal);
    }
}

// The unit vector to the left of a heading.
fn left_of(heading: Vector) -> Vector {
    @if(flat) {
        return sideways(heading);
    }
    @if(!flat) {
        return with_length(sideways(heading), 1.0);
    }
}

// A vector of an agent's own frame (ahead, to the left, up) in the axes of the world.
fn framed(heading: Vector, own: Vector) -> Vector {
    let left = left_of(heading);
    @if(flat) {
        return heading * own.x + left * own.y;
    }
    @if(!flat) {
        return heading * own.x + left * own.y + cross(heading, left) * own.z;
    }
}

// Where something lies beside the axis of a heading: at `distance` along `direction`, a unit vector
// perpendicular to the heading. In a plane it points to the left. In a space it points away from the
// thing, so that the distance is never positive; a thing straight ahead lies beside `left`.
struct Beside {
    distance: f32,
    direction: Vector,
}

fn beside(heading: Vector, left: Vector, offset: Vector) -> Beside {
    @if(flat) {
        return Beside(dot(left, offset), left);
    }
    @if(!flat) {
        let away = heading * dot(heading, offset) - offset;
        let distance = length(away);
        if distance > 0.0 {
            return Beside(-distance, with_length(away, 1.0));
        }
        return Beside(-distance, left);
    }
}

// The smallest square that does not count as zero: the smallest normal number. A device may flush smaller
// ones to zero in one operation and not in the next, and then divide by zero.
const MIN_SQUARE = 1.1754944e-38;

// Scaled to `length`; the zero vector stays zero.
fn with_length(vector: Vector, length: f32) -> Vector {
    let squared = dot(vector, vector);
    if squared >= MIN_SQUARE {
        return vector * (length / sqrt(squared));
    }
    return Vector();
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

// Cosine and sine of an angle of `turns` (−0.5 to 0.5).
//
// A polynomial, because the sines of drivers differ and both engines must give the same bits.
fn on_circle(turns: f32) -> vec2<f32> {
    let size = abs(turns);
    let folded = select(size, 0.5 - size, size > 0.25);
    return vec2<f32>(sine(0.25 - size), sine(select(folded, -folded, turns < 0.0)));
}

// The same of any angle.
fn at_any_angle(turns: f32) -> vec2<f32> {
    return on_circle(turns - floor(turns + 0.5));
}

// The unit vector at an angle of `turns` (−0.5 to 0.5) against the first axis, towards the second one.
fn at_angle(turns: f32) -> Vector {
    @if(flat) {
        return on_circle(turns);
    }
    @if(!flat) {
        return Vector(on_circle(turns), 0.0);
    }
}

// The unit vector for two random numbers from 0 to 1: uniform on the sphere.
@if(!flat)
fn on_sphere(around: f32, height: f32) -> Vector {
    let z = height + height - 1.0;
    let level = sqrt(max(1.0 - z * z, 0.0));
    return Vector(on_circle(around - 0.5) * level, z);
}
