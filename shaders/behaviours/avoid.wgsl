// Avoid: src/model/behaviours/avoid.rs says what it does, in which units, and its source.

import package::flock::flock;
import package::obstacles::{obstacle_at, obstacles_near};
import package::space::{Vector, beside, dot, left_of, length, with_length};
import package::vehicle::{Agent, allowed, heading_of};
import package::world::shortest;

struct Parameters {
    weight: f32,
    // 0: feeler, 1: box, 2: ahead.
    method: u32,
    reach: f32,
    buffer: f32,
    strength: f32,
}

// Braking force per unit of (radius − distance ahead of the centre).
const BRAKING = 0.2;

fn force(parameters: Parameters, agent: ptr<function, Agent>) -> Vector {
    if parameters.weight <= 0.0 {
        return Vector();
    }
    let velocity = (*agent).velocity;
    let max_speed = (*agent).max_speed;
    let heading = heading_of(velocity);
    let left = left_of(heading);
    // The reach of the box, or of the vector ahead. An agent that cannot move looks ahead as if at rest.
    var pace = select(0.0, 1.0, max_speed > 0.0);
    let speed = length(velocity);
    if speed < max_speed {
        pace = speed / max_speed;
    }
    let box = parameters.reach * (1.0 + pace);
    let ahead_length = parameters.reach * pace;
    let ahead = heading * ahead_length;

    var nearest = select(3.4e38, box, parameters.method == 1u);
    var brake = 1.0;
    var chosen = Vector();
    let list = obstacles_near((*agent).position);
    for (var i = list.x; i < list.y; i++) {
        let circle = obstacle_at(i);
        let radius = circle.radius;
        let offset = shortest(circle.centre - (*agent).position, flock.size);
        // The centre in the agent's frame: x ahead, y beside it.
        let x = dot(heading, offset);
        let side = beside(heading, left, offset);
        let y = side.distance;
        if parameters.method == 0u {
            let feeler = parameters.reach + radius + parameters.buffer;
            if x > 0.0 && abs(y) < radius + parameters.buffer && x < feeler {
                let push = max_speed * (1.0 - x / feeler);
                chosen += side.direction * select(push, -push, y > 0.0);
                brake *= x / feeler;
            }
        } else if parameters.method == 1u {
            let expanded = radius + (*agent).size;
            if x < 0.0 || abs(y) >= expanded {
                continue;
            }
            let half = sqrt(max(expanded * expanded - y * y, 0.0));
            let crossing = select(x + half, x - half, x > half);
            if crossing < nearest {
                nearest = crossing;
                let push = (expanded - abs(y)) * (1.0 + (box - x) / box);
                chosen = heading * ((radius - x) * BRAKING) + side.direction * select(push, -push, y > 0.0);
            }
        } else if x >= 0.0 && x <= ahead_length && abs(y) <= radius && abs(y) < nearest {
            nearest = abs(y);
            chosen = with_length(ahead - offset, parameters.strength);
        }
    }
    (*agent).brake *= brake;
    return allowed(*agent, chosen);
}
