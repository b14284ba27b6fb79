// Arrive: src/model/behaviours/arrive.rs says what it does, in which units, and its source.

import package::behaviours::seek::desired_velocity;
import package::space::{Vector, length};
import package::targets::way_to_target;
import package::vehicle::{Agent, steer};

struct Parameters {
    weight: f32,
    target_: i32,
    slowing_radius: f32,
    gain: f32,
    factor: f32,
}

fn force(parameters: Parameters, agent: ptr<function, Agent>) -> Vector {
    let way = way_to_target(parameters.target_, (*agent).position);
    if !way.found {
        return Vector();
    }
    let part = length(way.offset) / parameters.slowing_radius;
    var slowing = min(part, 1.0);
    if parameters.factor > 0.0 {
        slowing = select(1.0, parameters.factor, part < 1.0);
    }
    let desired = desired_velocity(way.offset, parameters.gain, (*agent).max_speed);
    return steer(*agent, desired * slowing);
}
