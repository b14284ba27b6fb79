// Separation: src/model/behaviours/separation.rs says what it does, in which units, and its source.

import package::random::spread_direction;
import package::space::{Vector, with_length};
import package::vehicle::{SAME_SPOT_SQUARED, Agent, Neighbour, steer};

struct Parameters {
    weight: f32,
    radius: f32,
    inner: f32,
    fov: f32,
    nearest: u32,
    with_: u32,
}

struct Sums {
    // Σ (p − q)/d².
    away: Vector,
    // Number of neighbours at the agent's own spot.
    coincident: f32,
}

// The distance assumed for an agent at the same spot; radii.
const COINCIDENT = 1e-3;

// The least such distance; world units.
const SAME_SPOT = 1e-10;

fn observe(parameters: Parameters, neighbour: Neighbour, sums: Sums) -> Sums {
    let apart = neighbour.distance_squared > SAME_SPOT_SQUARED;
    let push = select(0.0, neighbour.share / neighbour.distance_squared, apart);
    return Sums(
        sums.away - neighbour.offset * push,
        sums.coincident + select(neighbour.share, 0.0, apart),
    );
}

fn force(parameters: Parameters, agent: Agent, sums: Sums, count: f32) -> Vector {
    if count == 0.0 {
        return Vector();
    }
    var away = sums.away;
    if sums.coincident > 0.0 {
        let strength = sums.coincident / max(parameters.radius * COINCIDENT, SAME_SPOT);
        away += with_length(spread_direction(agent.id), strength);
    }
    return steer(agent, with_length(away, agent.max_speed));
}
