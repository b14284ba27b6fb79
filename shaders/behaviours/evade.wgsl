// Evade: src/model/behaviours/evade.rs says what it does, in which units, and its source.

import package::behaviours::pursue::{Sums as Nearest, aim, nearer};
import package::behaviours::seek::desired_velocity;
import package::space::Vector;
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

alias Sums = Nearest;

fn observe(parameters: Parameters, neighbour: Neighbour, sums: Sums) -> Sums {
    return nearer(neighbour, sums);
}

fn force(parameters: Parameters, agent: Agent, sums: Sums, count: f32) -> Vector {
    let threat = aim(parameters.target_, parameters.lead, parameters.ticks, agent, sums);
    if !threat.found {
        return Vector();
    }
    return steer(agent, -desired_velocity(threat.way, parameters.gain, agent.max_speed));
}
