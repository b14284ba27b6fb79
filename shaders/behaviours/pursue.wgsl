// Pursue: src/model/behaviours/pursue.rs says what it does, in which units, and its source.

import package::behaviours::seek::desired_velocity;
import package::space::{Vector, length};
import package::targets::way_to_target;
import package::vehicle::{Agent, Neighbour, steer};

struct Parameters {
    weight: f32,
    radius: f32,
    fov: f32,
    with_: u32,
    target_: i32,
    lead: u32,
    ticks: f32,
    gain: f32,
}

// The nearest agent so far.
struct Sums {
    offset: Vector,
    velocity: Vector,
    // The larger, the nearer it is; 0 when there is none. (No flag, no first value: most GPUs take four
    // instructions fewer for each neighbour.)
    nearness: u32,
}

// The bits of the largest f32.
const MAX_FLOAT_BITS = 0x7f7fffffu;

// The longest lead that follows from a distance; ticks.
const MAX_LEAD = 1e4;

const NO_TARGET = -2;

fn observe(parameters: Parameters, neighbour: Neighbour, sums: Sums) -> Sums {
    return nearer(neighbour, sums);
}

fn nearer(neighbour: Neighbour, sums: Sums) -> Sums {
    // The bits of positive numbers are in their order.
    let nearness = MAX_FLOAT_BITS - bitcast<u32>(neighbour.distance_squared);
    if neighbour.share > 0.0 && nearness > sums.nearness {
        return Sums(neighbour.offset, neighbour.velocity, nearness);
    }
    return sums;
}

// The offset to the other's future position.
struct Aim {
    way: Vector,
    found: bool,
}

fn aim(target_: i32, lead: u32, ticks: f32, agent: Agent, sums: Sums) -> Aim {
    var offset = sums.offset;
    var velocity = sums.velocity;
    var found = sums.nearness > 0u;
    if target_ > NO_TARGET {
        let way = way_to_target(target_, agent.position);
        offset = way.offset;
        velocity = way.velocity;
        found = way.found;
    }
    var time = ticks;
    if lead == 1u {
        time = MAX_LEAD;
        let distance = length(offset);
        if distance < agent.max_speed * MAX_LEAD {
            time = distance / agent.max_speed;
        }
    }
    return Aim(offset + velocity * time, found);
}

fn force(parameters: Parameters, agent: Agent, sums: Sums, count: f32) -> Vector {
    let quarry = aim(parameters.target_, parameters.lead, parameters.ticks, agent, sums);
    if !quarry.found {
        return Vector();
    }
    return steer(agent, desired_velocity(quarry.way, parameters.gain, agent.max_speed));
}
