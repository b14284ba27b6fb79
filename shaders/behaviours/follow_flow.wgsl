// Follow flow: src/model/behaviours/follow_flow.rs says what it does, in which units, and its source.

import package::flow::flow_at;
import package::space::{MIN_SQUARE, Vector, dot, with_length};
import package::vehicle::{Agent, steer};

struct Parameters {
    weight: f32,
}

fn force(parameters: Parameters, agent: ptr<function, Agent>) -> Vector {
    let way = flow_at((*agent).position);
    if dot(way, way) < MIN_SQUARE {
        return Vector();
    }
    return steer(*agent, with_length(way, (*agent).max_speed));
}
