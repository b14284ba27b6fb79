// The memory of an agent, in one word: an angle in the upper 24 bits, a number for its colour in the lower 8.
// The species that wander in a space have a direction instead of the angle. src/model/memory.rs reads the
// same bits.

@if(!flat) import package::space::{Vector, dot};

struct Remembered {
    // Turns, −0.5 to 0.5.
    angle: f32,
    // A unit vector in the agent's own frame: ahead, to the left, up.
    @if(!flat)
    direction: Vector,
}

const STEPS = 16777216.0;

// The largest number for a colour.
const MAX_COLOUR_VALUE = 255u;

// The quantity that the looks of a species show, see Shown in src/model/memory.rs.
const SHOWS_ACCELERATION = 1u;
const SHOWS_AGE = 2u;
const SHOWS_STRUCTURE = 3u;
const SHOWS_BANK = 4u;
const SHOWS_CLUSTER = 5u;

// Steps of each of the two parts of a structure.
const STRUCTURE_STEPS = 15u;

// The quantity that the looks of this species show; `shown` has four bits for each.
fn shown_by(shown: vec2<u32>, species: u32) -> u32 {
    return (select(shown.x, shown.y, species >= 8u) >> (4u * (species & 7u))) & 15u;
}

// The number of an agent that leans as far as it can, and the ticks that it takes to follow its turns.
// src/model/memory.rs computes the same.
const MAX_BANK = 127.0;
@if(banks) const BANK_LAG = 8;

// The weight of an agent, as a share of its max_force.
@if(banks) const BANK_WEIGHT = 0.33;

@if(banks)
fn leant(before: u32, turn: f32) -> u32 {
    let bank = i32(bank_of(before));
    let way = i32(turn) - bank;
    return u32(bank + (way + sign(way) * (BANK_LAG - 1)) / BANK_LAG) & MAX_COLOUR_VALUE;
}

// How far an agent leans to its left, if it shows that: -127 to 127.
fn bank_of(memory: u32) -> f32 {
    return f32(i32(memory << 24u) >> 24u);
}

// How nearly the neighbours head one way, and how many they are, as one number. src/model/memory.rs computes
// the same.
fn structure_of(order: f32, neighbours: f32) -> u32 {
    let density = min(u32(sqrt(neighbours) * 1.5), STRUCTURE_STEPS);
    return (min(u32(order * 16.0), STRUCTURE_STEPS) << 4u) | density;
}

// The number for a colour.
fn shown_of(memory: u32) -> u32 {
    return memory & MAX_COLOUR_VALUE;
}

// The same memory with another number for the colour.
fn showing(memory: u32, shown: u32) -> u32 {
    return (memory & ~MAX_COLOUR_VALUE) | min(shown, MAX_COLOUR_VALUE);
}

fn angle_of(memory: u32) -> f32 {
    return f32(bitcast<i32>(memory) >> 8u) / STEPS;
}

fn memory_of(angle: f32, shown: u32) -> u32 {
    return (bitcast<u32>(i32(angle * STEPS)) << 8u) | min(shown, MAX_COLOUR_VALUE);
}

// Steps of each of the two numbers of a direction, from −1 to 1.
@if(!flat) const DIRECTION_STEPS = 4095.0;

// The length of a step. A factor, because some drivers multiply by the reciprocal of a constant divisor, and
// that has other bits.
@if(!flat) const DIRECTION_STEP = 2.0 / DIRECTION_STEPS;

// Keeps the quotients of a vector without length finite.
@if(!flat) const MIN_NORMAL_SIZE = 1.1754944e-38;

// Exchanges the square of the upper half of the octahedron with its corners.
@if(!flat)
fn folded(place: vec2<f32>) -> vec2<f32> {
    return (1.0 - abs(place.yx)) * select(vec2<f32>(1.0), vec2<f32>(-1.0), place < vec2<f32>());
}

// The direction of a wanderer in a space.
@if(!flat)
fn direction_of(memory: u32) -> Vector {
    let steps = vec2<f32>(vec2<u32>(memory >> 20u, memory >> 8u) & vec2<u32>(0xfffu));
    var place = steps * DIRECTION_STEP - 1.0;
    let z = 1.0 - abs(place.x) - abs(place.y);
    if z < 0.0 {
        place = folded(place);
    }
    let direction = Vector(place, z);
    return direction / sqrt(dot(direction, direction));
}

@if(!flat)
fn memory_of_direction(direction: Vector, shown: u32) -> u32 {
    let size = max(abs(direction.x) + abs(direction.y) + abs(direction.z), MIN_NORMAL_SIZE);
    var place = direction.xy / size;
    if direction.z < 0.0 {
        place = folded(place);
    }
    let steps = vec2<u32>((place * 0.5 + 0.5) * DIRECTION_STEPS + 0.5);
    return (steps.x << 20u) | (steps.y << 8u) | min(shown, MAX_COLOUR_VALUE);
}

fn recalled(memory: u32) -> Remembered {
    var remembered: Remembered;
    remembered.angle = angle_of(memory);
    @if(!flat) {
        remembered.direction = direction_of(memory);
    }
    return remembered;
}

// The word for what an agent remembers. `directed` has a bit for each species with a direction.
fn stored(remembered: Remembered, shown: u32, directed: u32, species: u32) -> u32 {
    @if(!flat) {
        if ((directed >> species) & 1u) == 1u {
            return memory_of_direction(remembered.direction, shown);
        }
    }
    return memory_of(remembered.angle, shown);
}
