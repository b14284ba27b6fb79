// The vehicle: the steered agent, its neighbours, and the steering force towards a desired velocity.
// Source: The Nature of Code, chapter 5.

import package::memory::Remembered;
import package::space::{MIN_SQUARE, Vector, dot, on_first_axis};

// The steered agent. Behaviours run one after the other: a change here affects those that follow, and the
// integration.
struct Agent {
    position: Vector,
    velocity: Vector,
    max_speed: f32,
    max_force: f32,
    // True if each behaviour's force is limited to max_force; else only their sum is, or nothing.
    limits_each: bool,
    // True if forces only turn it.
    @if(turners)
    turns: bool,
    // Half its length; world units.
    size: f32,
    id: u32,
    remembered: Remembered,
    // Random numbers from 0 to 1, new in each tick; 0 in scenes without memory.
    noise: Vector,
    // Factor on the velocity, applied before the forces.
    brake: f32,
    // The numbers that it keeps for rules in text, before and after the tick.
    @if(kept)
    kept: vec4<f32>,
    @if(kept)
    next_kept: vec4<f32>,
    // A bit at the number of each rule in text whose force is no number, and so is none.
    @if(texts)
    broken_rules: u32,
    // Acceleration that no force limit applies to; world units per tick².
    kick: Vector,
}

struct Neighbour {
    // From the steered agent to this one, across the seam if that is shorter; world units.
    offset: Vector,
    distance_squared: f32,
    velocity: Vector,
    // Component of the offset along the agent's heading; world units.
    @if(sight)
    ahead: f32,
    // Its place.
    @if(other_places)
    place: Vector,
    // Half its length; world units.
    @if(other_sizes)
    size: f32,
    // The motion of the agent itself.
    @if(own_motion)
    own_position: Vector,
    @if(own_motion)
    own_velocity: Vector,
    // The numbers that it keeps.
    @if(other_kept)
    kept: vec4<f32>,
    // The agent's own.
    @if(own_kept)
    own_kept: vec4<f32>,
    @if(nearest)
    id: u32,
    // A bit at the index of its species.
    species: u32,
    // Its weight in the sums: the stride of a sampled run, else 1; 0 if it is not perceived.
    share: f32,
}

// The neighbour at `offset` from an agent with this heading. The caller sets the other members.
fn neighbour_at(offset: Vector, velocity: Vector, heading: Vector) -> Neighbour {
    var neighbour = Neighbour();
    neighbour.offset = offset;
    neighbour.distance_squared = dot(offset, offset);
    neighbour.velocity = velocity;
    @if(sight) {
        neighbour.ahead = dot(heading, offset);
    }
    return neighbour;
}

// Agents nearer than the root of this count as being at the same spot: their forces would overflow f32.
const SAME_SPOT_SQUARED = 1e-20;

// The largest limits of an agent, and the longest force of one behaviour if only the sum is limited. They
// keep all results within f32.
const MAX_SPEED = 1e4;
const MAX_FORCE_LIMIT = 1e4;
const MAX_FORCE = 1e9;

// Scaled to `length` if it is longer.
fn limited(vector: Vector, length: f32) -> Vector {
    let squared = dot(vector, vector);
    if squared > length * length && squared >= MIN_SQUARE {
        return vector * (length / sqrt(squared));
    }
    return vector;
}

// The unit vector of a velocity; an agent at rest heads along +x.
fn heading_of(velocity: Vector) -> Vector {
    let squared = dot(velocity, velocity);
    if squared >= MIN_SQUARE {
        return velocity * (1.0 / sqrt(squared));
    }
    return on_first_axis(1.0);
}

// The force of one behaviour, limited to max_force if each one is.
fn allowed(agent: Agent, force: Vector) -> Vector {
    return limited(force, select(MAX_FORCE, agent.max_force, agent.limits_each));
}

// The velocity that forces change: zero if they are directions.
fn carried(agent: Agent) -> Vector {
    @if(!turners)
    return agent.velocity;
    @if(turners)
    return select(agent.velocity, Vector(), agent.turns);
}

// The steering force towards a desired velocity.
fn steer(agent: Agent, desired: Vector) -> Vector {
    return allowed(agent, desired - carried(agent));
}
