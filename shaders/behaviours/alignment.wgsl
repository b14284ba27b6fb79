// Alignment: src/model/behaviours/alignment.rs says what it does, in which units, and its source.

import package::space::{Vector, with_length};
@if(structure) import package::space::length;
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
    // Σ u.
    velocity: Vector,
    // Number of neighbours, for `order_of`. (Forces take the leader's count.)
    @if(structure) count: f32,
}

fn observe(parameters: Parameters, neighbour: Neighbour, sums: Sums) -> Sums {
    var s = sums;
    s.velocity += neighbour.velocity * neighbour.share;
    @if(structure) s.count += neighbour.share;
    return s;
}

// How nearly the neighbours head one way.
@if(structure)
fn order_of(sums: Sums, max_speed: f32) -> f32 {
    let all = sums.count * max_speed;
    return select(0.0, length(sums.velocity) / all, all > 0.0);
}

fn force(parameters: Parameters, agent: Agent, sums: Sums, count: f32) -> Vector {
    if count == 0.0 {
        return Vector();
    }
    return steer(agent, with_length(sums.velocity, agent.max_speed));
}
