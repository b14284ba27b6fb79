// Contain: src/model/behaviours/contain.rs says what it does, in which units, and its source.

import package::flock::flock;
import package::space::{Axes, Vector, dot, with_length};
import package::vehicle::{Agent, carried};

struct Parameters {
    weight: f32,
    margin: f32,
}

// A smaller change of velocity is rounding; world units per tick.
const TURNED = 1e-5;

// The same as a share of max_speed: eight roundings.
const TURNED_PART = 1e-6;

fn force(parameters: Parameters, agent: ptr<function, Agent>) -> Vector {
    let middle = flock.size * 0.5;
    let margin = Vector(parameters.margin);
    let low: Axes = (*agent).position < min(margin, middle);
    let high: Axes = (*agent).position > max(flock.size - margin, middle);
    let near: Axes = low | high;
    if !any(near) {
        return Vector();
    }
    let inward = select(Vector((*agent).max_speed), Vector(-(*agent).max_speed), high);
    let desired = with_length(select((*agent).velocity, inward, near), (*agent).max_speed);
    let turn = desired - carried(*agent);
    let rounding = max((*agent).max_speed * TURNED_PART, TURNED);
    if dot(turn, turn) <= rounding * rounding {
        return Vector();
    }
    return with_length(turn, (*agent).max_force);
}
