// Swim: src/model/behaviours/swim.rs says what it does, in which units, and its source.

import package::space::{Vector, at_angle, framed, length, with_length};
import package::targets::way_to_target;
import package::vehicle::{Agent, heading_of, steer};

struct Parameters {
    weight: f32,
    target_: i32,
    radius: f32,
}

// Change of the angle per tick and world unit of distance; turns. A tenth of a degree.
const TURNS_PER_UNIT = 0.1 / 360.0;

fn force(parameters: Parameters, agent: ptr<function, Agent>) -> Vector {
    let food = way_to_target(parameters.target_, (*agent).position);
    if !food.found || parameters.weight <= 0.0 {
        return Vector();
    }
    let angle = (*agent).remembered.angle + length(food.offset) * TURNS_PER_UNIT;
    (*agent).remembered.angle = angle - floor(angle + 0.5);
    let around = framed(heading_of((*agent).velocity), at_angle((*agent).remembered.angle));
    let way = food.offset + around * parameters.radius;
    return steer(*agent, with_length(way, (*agent).max_speed));
}
