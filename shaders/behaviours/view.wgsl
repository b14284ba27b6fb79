// View: src/model/behaviours/view.rs says what it does, in which units, and its source.

import package::space::{Vector, sideways, with_length};
import package::vehicle::{SAME_SPOT_SQUARED, Agent, Neighbour, steer};

struct Parameters {
    weight: f32,
    radius: f32,
    fov: f32,
    nearest: u32,
    with_: u32,
}

struct Sums {
    // Σ (q − p)/d².
    ahead: Vector,
    // Number of neighbours at the agent's own spot.
    coincident: f32,
}

// The term of a neighbour at the same spot, in velocities of the agent.
const BACK_OFF = -10.0;

fn observe(parameters: Parameters, neighbour: Neighbour, sums: Sums) -> Sums {
    let apart = neighbour.distance_squared > SAME_SPOT_SQUARED;
    let weight = select(0.0, neighbour.share / neighbour.distance_squared, apart);
    return Sums(
        sums.ahead + neighbour.offset * weight,
        sums.coincident + select(neighbour.share, 0.0, apart),
    );
}

fn force(parameters: Parameters, agent: Agent, sums: Sums, count: f32) -> Vector {
    if count == 0.0 {
        return Vector();
    }
    let back = agent.velocity * (sums.coincident * BACK_OFF);
    // Rotating the sum rotates each term.
    return steer(agent, with_length(sideways(sums.ahead) + back, agent.max_speed));
}
