// Random numbers that are a pure function of (seed, id, tick, purpose): the PCG hash of Jarzynski and
// Olano, "Hash Functions for GPU Rendering" (JCGT 2020). src/model/random.rs gives the same bits.

@if(flat) import package::space::at_angle;
@if(!flat) import package::space::on_sphere;
import package::space::Vector;

const PURPOSE_SPREAD = 4u;
const PURPOSE_SAMPLE_PHASE = 5u;
const PURPOSE_WANDER = 6u;
const PURPOSE_START_ANGLE = 7u;
const PURPOSE_TARGET_X = 8u;
const PURPOSE_TARGET_Y = 9u;
const PURPOSE_TARGET_HEADING = 16u;
@if(!flat) const PURPOSE_TARGET_Z = 20u;
@if(!flat) const PURPOSE_TARGET_CLIMB = 21u;
@if(!flat) const PURPOSE_WANDER_AROUND = 23u;
@if(!flat) const PURPOSE_WANDER_HEIGHT = 24u;
@if(!flat) const PURPOSE_START_HEIGHT = 25u;
@if(jitter) const PURPOSE_JITTER_X = 26u;
@if(jitter) const PURPOSE_JITTER_Y = 27u;
@if(jitter && !flat) const PURPOSE_JITTER_Z = 28u;
@if(pick) const PURPOSE_PICK = 30u;
@if(noise) const PURPOSE_NOISE = 32u;
@if(noise) const PURPOSE_NOISE_AROUND = 33u;
@if(noise) const PURPOSE_NOISE_HEIGHT = 34u;

fn pcg(input: u32) -> u32 {
    let state = input * 747796405u + 2891336453u;
    let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (word >> 22u) ^ word;
}

fn random_bits(seed: u32, id: u32, tick: u32, purpose: u32) -> u32 {
    return pcg(pcg(pcg(pcg(seed) ^ id) ^ tick) ^ purpose);
}

// The place of agent `other` in an order that another agent has drawn: no two have the same.
@if(pick)
fn place_in_order(order: u32, other: u32) -> u32 {
    return pcg(order ^ other);
}

// The upper 24 bits as a number in [0, 1).
fn unit_from(bits: u32) -> f32 {
    return f32(bits >> 8u) * (1.0 / 16777216.0);
}

// The direction in which agent `id` leaves another one at the same spot. The vector is not normalised; it
// is never zero.
fn spread_direction(id: u32) -> Vector {
    let bits = pcg(pcg(id) ^ PURPOSE_SPREAD);
    @if(flat) {
        return Vector(spread(bits), spread(bits >> 16u));
    }
    @if(!flat) {
        return Vector(spread(bits), spread(bits >> 16u), spread(pcg(bits)));
    }
}

// The lower 16 bits as a number from −32767.5 to 32767.5 that is never 0.
fn spread(bits: u32) -> f32 {
    return f32(bits & 0xffffu) - 32767.5;
}

// A number in [0, 1).
fn draw(seed: u32, id: u32, tick: u32, purpose: u32) -> f32 {
    return unit_from(random_bits(seed, id, tick, purpose));
}

// The numbers of a wanderer in a tick.
fn wander_noise(seed: u32, id: u32, tick: u32) -> Vector {
    let turn = draw(seed, id, tick, PURPOSE_WANDER);
    @if(flat) {
        return Vector(turn, 0.0);
    }
    @if(!flat) {
        let around = draw(seed, id, tick, PURPOSE_WANDER_AROUND);
        return Vector(turn, around, draw(seed, id, tick, PURPOSE_WANDER_HEIGHT));
    }
}

// The place where target `index` reappears; parts of the world's size.
fn target_place(seed: u32, index: u32, tick: u32) -> Vector {
    let x = draw(seed, index, tick, PURPOSE_TARGET_X);
    let y = draw(seed, index, tick, PURPOSE_TARGET_Y);
    @if(flat) {
        return Vector(x, y);
    }
    @if(!flat) {
        return Vector(x, y, draw(seed, index, tick, PURPOSE_TARGET_Z));
    }
}

// The heading of target `index` after a hit.
fn target_heading(seed: u32, index: u32, tick: u32) -> Vector {
    let around = draw(seed, index, tick, PURPOSE_TARGET_HEADING);
    @if(flat) {
        return at_angle(around - 0.5);
    }
    @if(!flat) {
        return on_sphere(around, draw(seed, index, tick, PURPOSE_TARGET_CLIMB));
    }
}

// The inverse of the standard deviation of a sum of four numbers of 16 bits.
@if(jitter || noise) const INVERSE_DEVIATION = 2.6428998e-5;

// A nearly normal number of mean 0 and variance 1: the sum of four numbers of 16 bits.
@if(jitter || noise)
fn nearly_normal(bits: u32) -> f32 {
    let more = pcg(bits);
    let sum = (bits & 0xffffu) + (bits >> 16u) + (more & 0xffffu) + (more >> 16u);
    return (f32(sum) - 131070.0) * INVERSE_DEVIATION;
}

// A Brownian step of an agent, of standard deviation 1 on each axis.
@if(jitter)
fn jitter(seed: u32, id: u32, tick: u32) -> Vector {
    let x = nearly_normal(random_bits(seed, id, tick, PURPOSE_JITTER_X));
    let y = nearly_normal(random_bits(seed, id, tick, PURPOSE_JITTER_Y));
    @if(flat) {
        return Vector(x, y);
    }
    @if(!flat) {
        return Vector(x, y, nearly_normal(random_bits(seed, id, tick, PURPOSE_JITTER_Z)));
    }
}

// Random numbers of an agent's noise.
@if(noise)
struct Deviates {
    // From 0 to 1.
    even: f32,
    // Of mean 0 and variance 1; in a plane only the first counts.
    normal: vec2<f32>,
    // Two numbers from 0 to 1 for the direction of the noise; a plane uses the first alone.
    around: vec2<f32>,
}

@if(noise)
fn deviates(seed: u32, id: u32, tick: u32) -> Deviates {
    let word = random_bits(seed, id, tick, PURPOSE_NOISE);
    let around = draw(seed, id, tick, PURPOSE_NOISE_AROUND);
    let height = draw(seed, id, tick, PURPOSE_NOISE_HEIGHT);
    // A normal number takes two words.
    let normal = vec2<f32>(nearly_normal(word), nearly_normal(pcg(pcg(word))));
    return Deviates(unit_from(word), normal, vec2<f32>(around, height));
}

// The unit vector for two random numbers from 0 to 1: any direction is as likely as another. In a plane only
// the first counts.
@if(noise)
fn random_direction(numbers: vec2<f32>) -> Vector {
    @if(flat) {
        return at_angle(numbers.x - 0.5);
    }
    @if(!flat) {
        return on_sphere(numbers.x, numbers.y);
    }
}
