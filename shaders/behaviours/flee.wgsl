// Flee: src/model/behaviours/flee.rs says what it does, in which units, and its source.

import package::behaviours::seek::desired_velocity;
import package::space::{Vector, dot};
import package::targets::way_to_target;
import package::vehicle::{Agent, steer};

struct Parameters {
    weight: f32,
    target_: i32,
    radius: f32,
    gain: f32,
}

fn force(parameters: Parameters, agent: ptr<function, Agent>) -> Vector {
    let way = way_to_target(parameters.target_, (*agent).position);
    if !way.found || dot(way.offset, way.offset) >= parameters.radius * parameters.radius {
        return Vector();
    }
    return steer(*agent, -desired_velocity(way.offset, parameters.gain, (*agent).max_speed));
}
