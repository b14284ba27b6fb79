// Seek: src/model/behaviours/seek.rs says what it does, in which units, and its source.

import package::space::{Vector, length, with_length};
import package::targets::way_to_target;
import package::vehicle::{MAX_SPEED, MAX_FORCE_LIMIT, Agent, steer};

struct Parameters {
    weight: f32,
    target_: i32,
    gain: f32,
    proximity: f32,
}

// The least proximity; world units.
const MIN_PROXIMITY = 1e-3;

// The desired velocity for the offset to a target.
fn desired_velocity(way: Vector, gain: f32, max_speed: f32) -> Vector {
    if gain > 0.0 {
        return way * gain;
    }
    return with_length(way, max_speed);
}

fn force(parameters: Parameters, agent: ptr<function, Agent>) -> Vector {
    let way = way_to_target(parameters.target_, (*agent).position);
    if !way.found {
        return Vector();
    }
    if parameters.proximity > 0.0 {
        let scale = length(way.offset) / max(parameters.proximity, MIN_PROXIMITY);
        (*agent).max_speed = min((*agent).max_speed * scale, MAX_SPEED);
        (*agent).max_force = min((*agent).max_force * scale, MAX_FORCE_LIMIT);
    }
    return steer(*agent, desired_velocity(way.offset, parameters.gain, (*agent).max_speed));
}
