// The vehicle: what a steered agent and its neighbours are, and how a desired velocity becomes a
// force. Source: The Nature of Code, chapter 5.

import package::space::Vector;

struct Agent {
    position: Vector,
    velocity: Vector,
    max_speed: f32,
    max_force: f32,
    // Row of the initial state.
    id: u32,
}

struct Neighbour {
    // From the steered agent to this one, by the shortest way; world units.
    offset: Vector,
    distance_squared: f32,
    velocity: Vector,
    // Index into the species.
    species: u32,
    // For how many agents this one stands: the stride of a sampled run, else 1.
    share: f32,
}

// Scaled to `length`; the zero vector stays zero.
fn with_length(vector: Vector, length: f32) -> Vector {
    let squared = dot(vector, vector);
    if squared > 0.0 {
        return vector * (length / sqrt(squared));
    }
    return Vector();
}

// Scaled to `length` if it is longer.
fn limited(vector: Vector, length: f32) -> Vector {
    let squared = dot(vector, vector);
    if squared > length * length {
        return vector * (length / sqrt(squared));
    }
    return vector;
}

// The steering force towards a desired velocity.
fn steer(agent: Agent, desired: Vector) -> Vector {
    return limited(desired - agent.velocity, agent.max_force);
}
