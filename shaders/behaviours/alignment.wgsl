// Alignment: src/model/behaviours/alignment.rs says what it does, in which units, and its source.

import package::space::{Vector, length, with_length};
import package::vehicle::{Agent, Neighbour, share_beyond, steer};

struct Parameters {
    weight: f32,
    radius: f32,
    inner: f32,
    fov: f32,
    nearest: u32,
    with_: u32,
}

struct Sums {
    // Σ u.
    velocity: Vector,
    count: f32,
}

fn observe(parameters: Parameters, neighbour: Neighbour, sums: Sums) -> Sums {
    let share = share_beyond(neighbour, parameters.inner);
    return Sums(sums.velocity + neighbour.velocity * share, sums.count + share);
}

// How nearly the neighbours head one way.
fn order_of(sums: Sums, max_speed: f32) -> f32 {
    let all = sums.count * max_speed;
    return select(0.0, length(sums.velocity) / all, all > 0.0);
}

fn force(parameters: Parameters, agent: Agent, sums: Sums) -> Vector {
    if sums.count == 0.0 {
        return Vector();
    }
    return steer(agent, with_length(sums.velocity, agent.max_speed));
}
