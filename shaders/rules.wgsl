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
    EACH_BEHAVIOUR: package::behaviours::EACH_BEHAVIOUR::Parameters,
}

// What an agent has summed up of its neighbours.
struct Sums {
    @if(!listens)
    nothing: f32,
    NEAR_BEHAVIOUR: package::behaviours::NEAR_BEHAVIOUR::Sums,
}

// The neighbour as a behaviour hears it that goes by `radius` and the species set `with_`: with a
// share of 0 when it does not.
//
// A share and no branch: where lanes run in step, a branch saves nothing, and every value that it
// may change has to be merged behind it (twice the time of the whole pass on llvmpipe).
fn heard(radius: f32, with_: u32, neighbour: Neighbour) -> Neighbour {
    var n = neighbour;
    n.share = select(0.0, n.share, n.distance_squared < radius * radius);
    @if(several_species) {
        n.share = select(0.0, n.share, ((with_ >> n.species) & 1u) == 1u);
    }
    return n;
}

fn observe(species: Species, neighbour: Neighbour, sums: Sums) -> Sums {
    var s = sums;
    s.NEAR_BEHAVIOUR = package::behaviours::NEAR_BEHAVIOUR::observe(heard(species.NEAR_BEHAVIOUR.radius, species.NEAR_BEHAVIOUR.with_, neighbour), s.NEAR_BEHAVIOUR);
    return s;
}

// The weighted sum of the steering forces.
fn steering_force(species: Species, agent: Agent, sums: Sums) -> Vector {
    var force = Vector();
    force += package::behaviours::NEAR_BEHAVIOUR::force(species.NEAR_BEHAVIOUR, agent, sums.NEAR_BEHAVIOUR) * species.NEAR_BEHAVIOUR.weight;
    force += package::behaviours::LONE_BEHAVIOUR::force(species.LONE_BEHAVIOUR, agent) * species.LONE_BEHAVIOUR.weight;
    return force;
}
