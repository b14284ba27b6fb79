// The vehicle: what a steered agent and its neighbours are, and how a desired velocity becomes a
// force. Source: The Nature of Code, chapter 5.

import package::space::Vector;

// The agent that is being steered. Behaviours take their turns; what one changes here holds for
// those after it, and for the integration.
struct Agent {
    position: Vector,
    velocity: Vector,
    max_speed: f32,
    max_force: f32,
    // Whether each behaviour's force is limited to max_force, or their sum alone.
    limits_each: bool,
    // Half its length; world units.
    size: f32,
    id: u32,
    // What it remembers: turns, −0.5 to 0.5.
    angle: f32,
    // A random number from 0 to 1, another one each tick; 0 in scenes without memory.
    noise: f32,
    // Factor on the velocity before forces act.
    brake: f32,
    // Acceleration that no force limit holds back; world units per tick².
    kick: Vector,
}

struct Neighbour {
    // From the steered agent to this one, by the shortest way; world units.
    offset: Vector,
    distance_squared: f32,
    velocity: Vector,
    // How far ahead it is, along the agent's heading; world units.
    @if(sight)
    ahead: f32,
    // Index into the species.
    species: u32,
    // For how many agents this one stands: the stride of a sampled run, else 1.
    share: f32,
}

// The neighbour at `offset` from an agent with that heading; its species and share are yet to be told.
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

// Square of the distance below which two agents are at the same spot: nearer ones would have forces
// that f32 cannot hold.
const SAME_SPOT_SQUARED = 1e-20;

// The largest limits that an agent may have, and the longest force that one behaviour gives where only
// the sum is limited: what comes of them are numbers that f32 holds.
const FASTEST = 1e4;
const STRONGEST = 1e4;
const LONGEST_FORCE = 1e9;

// The smallest square that does not count as zero: the smallest normal number. A device may take smaller
// ones for zero in one operation and not in the next; a division by their root would then be one by zero.
const SMALLEST_SQUARE = 1.1754944e-38;

// Scaled to `length`; the zero vector stays zero.
fn with_length(vector: Vector, length: f32) -> Vector {
    let squared = dot(vector, vector);
    if squared >= SMALLEST_SQUARE {
        return vector * (length / sqrt(squared));
    }
    return Vector();
}

// Scaled to `length` if it is longer.
fn limited(vector: Vector, length: f32) -> Vector {
    let squared = dot(vector, vector);
    if squared > length * length && squared >= SMALLEST_SQUARE {
        return vector * (length / sqrt(squared));
    }
    return vector;
}

// The unit vector of a velocity; what stands still heads along +x.
fn heading_of(velocity: Vector) -> Vector {
    let squared = dot(velocity, velocity);
    if squared >= SMALLEST_SQUARE {
        return velocity * (1.0 / sqrt(squared));
    }
    return Vector(1.0, 0.0);
}

// A force as strong as one behaviour may use: all of it where only the sum is limited.
fn allowed(agent: Agent, force: Vector) -> Vector {
    return limited(force, select(LONGEST_FORCE, agent.max_force, agent.limits_each));
}

// The steering force towards a desired velocity.
fn steer(agent: Agent, desired: Vector) -> Vector {
    return allowed(agent, desired - agent.velocity);
}
