// How the behaviours of a scene are put together. This file is a template: a line that says
// EACH_BEHAVIOUR is repeated for every behaviour of the scene, one that says NEAR_BEHAVIOUR for
// those that listen to neighbours, one that says LONE_BEHAVIOUR for the others.

import package::space::Vector;
import package::vehicle::{Agent, Neighbour};

// The parameters of a species.
struct Species {
    mass: f32,
    max_speed: f32,
    max_force: f32,
    size: f32,
    // The largest radius within which it listens to anybody.
    reach: f32,
    EACH_BEHAVIOUR: package::behaviours::EACH_BEHAVIOUR::Parameters,
}

// What an agent has summed up of its neighbours.
struct Sums {
    neighbours: f32,
    NEAR_BEHAVIOUR: package::behaviours::NEAR_BEHAVIOUR::Sums,
}

// 1 when a behaviour that goes by `radius` and the species set `with_` hears the neighbour.
fn hears(radius: f32, with_: u32, neighbour: Neighbour) -> bool {
    @if(several_species) {
        if ((with_ >> neighbour.species) & 1u) == 0u {
            return false;
        }
    }
    return neighbour.distance_squared < radius * radius;
}

fn observe(species: Species, neighbour: Neighbour, sums: Sums) -> Sums {
    var s = sums;
    s.neighbours += neighbour.share;
    if hears(species.NEAR_BEHAVIOUR.radius, species.NEAR_BEHAVIOUR.with_, neighbour) { s.NEAR_BEHAVIOUR = package::behaviours::NEAR_BEHAVIOUR::observe(neighbour, s.NEAR_BEHAVIOUR); }
    return s;
}

// The weighted sum of the steering forces.
fn steering_force(species: Species, agent: Agent, sums: Sums) -> Vector {
    var force = Vector();
    force += package::behaviours::NEAR_BEHAVIOUR::force(species.NEAR_BEHAVIOUR, agent, sums.NEAR_BEHAVIOUR) * species.NEAR_BEHAVIOUR.weight;
    force += package::behaviours::LONE_BEHAVIOUR::force(species.LONE_BEHAVIOUR, agent) * species.LONE_BEHAVIOUR.weight;
    return force;
}
