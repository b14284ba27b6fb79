// Follow path: src/model/behaviours/follow_path.rs says what it does, in which units, and its source.

import package::paths::nearest_on_path;
import package::space::{Vector, dot, with_length};
import package::vehicle::{Agent, heading_of, steer};

struct Parameters {
    weight: f32,
    path: i32,
    lookahead: f32,
    advance: f32,
    radius: f32,
}

// Square of the speed below which an agent predicts its own place.
const SLOW_SQUARED = 1e-10;

fn force(parameters: Parameters, agent: ptr<function, Agent>) -> Vector {
    if parameters.weight <= 0.0 {
        return Vector();
    }
    let position = (*agent).position;
    let velocity = (*agent).velocity;
    let slow = dot(velocity, velocity) < SLOW_SQUARED;
    let lookahead = select(parameters.lookahead, 0.0, slow);
    let predicted = position + heading_of(velocity) * lookahead;
    let nearest = nearest_on_path(parameters.path, predicted);
    let found = nearest.distance_squared < 3.4e38;
    if !found || nearest.distance_squared <= parameters.radius * parameters.radius {
        return Vector();
    }
    let way = nearest.point + nearest.along * parameters.advance - position;
    return steer(*agent, with_length(way, (*agent).max_speed));
}
