// Wander: src/model/behaviours/wander.rs says what it does, in which units, and its source.

import package::space::{Vector, framed, with_length};
import package::stroll::strolled;
import package::vehicle::{Agent, heading_of, steer};

struct Parameters {
    weight: f32,
    // 0: the circle is a place to steer for. 1: it is a kick.
    kind: u32,
    distance: f32,
    radius: f32,
    turn: f32,
}

fn force(parameters: Parameters, agent: ptr<function, Agent>) -> Vector {
    // If the agent's species does not wander, its memory stays.
    if parameters.weight <= 0.0 {
        return Vector();
    }
    let around = strolled(agent, parameters.turn);
    let heading = heading_of((*agent).velocity);
    if parameters.kind == 1u {
        let kick = heading * parameters.distance + around * parameters.radius;
        (*agent).kick += kick * parameters.weight;
        return Vector();
    }
    let way = heading * parameters.distance + framed(heading, around) * parameters.radius;
    return steer(*agent, with_length(way, (*agent).max_speed));
}
