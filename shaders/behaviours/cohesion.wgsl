// Cohesion: src/model/behaviours/cohesion.rs says what it does, in which units, and its source.

import package::space::{Vector, with_length};
import package::vehicle::{SAME_SPOT_SQUARED, Agent, Neighbour, steer};

struct Parameters {
    weight: f32,
    radius: f32,
    inner: f32,
    fov: f32,
    nearest: u32,
    with_: u32,
}

struct Sums {
    // Σ (q − p); with an inner radius Σ (q − p)/d².
    offset: Vector,
    count: f32,
}

fn observe(parameters: Parameters, neighbour: Neighbour, sums: Sums) -> Sums {
    var share = neighbour.share;
    var pull = share;
    @if(inner) {
        if parameters.inner > 0.0 {
            let inner = max(parameters.inner * parameters.inner, SAME_SPOT_SQUARED);
            share = select(0.0, share, neighbour.distance_squared > inner);
            pull = select(0.0, share / neighbour.distance_squared, share > 0.0);
        }
    }
    return Sums(sums.offset + neighbour.offset * pull, sums.count + share);
}

fn force(parameters: Parameters, agent: Agent, sums: Sums) -> Vector {
    if sums.count == 0.0 {
        return Vector();
    }
    // The mean and the sum have the same direction, so there is no division.
    return steer(agent, with_length(sums.offset, agent.max_speed));
}
