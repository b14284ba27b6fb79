// Cohesion: src/model/behaviours/cohesion.rs says what it does, in which units, and its source.

import package::space::{Vector, with_length};
import package::vehicle::{Agent, Neighbour, steer};

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
}

fn observe(parameters: Parameters, neighbour: Neighbour, sums: Sums) -> Sums {
    var pull = neighbour.share;
    @if(inner) {
        if parameters.inner > 0.0 {
            pull = select(0.0, pull / neighbour.distance_squared, pull > 0.0);
        }
    }
    return Sums(sums.offset + neighbour.offset * pull);
}

fn force(parameters: Parameters, agent: Agent, sums: Sums, count: f32) -> Vector {
    if count == 0.0 {
        return Vector();
    }
    // The mean and the sum have the same direction, so there is no division.
    return steer(agent, with_length(sums.offset, agent.max_speed));
}
