// The targets that agents seek or flee: the pointer first, then the scene's targets.

import package::flock::flock;
import package::space::{Vector, dot};
import package::target::{MAX_TARGETS, Targets};
import package::world::shortest;

@group(0) @binding(1) var<uniform> targets: Targets;

// The offset to a target; `found` is false if there is none.
struct Way {
    offset: Vector,
    // Velocity of the target.
    velocity: Vector,
    found: bool,
}

// The offset to target number `choice`; to the nearest one if `choice` is negative.
fn way_to_target(choice: i32, position: Vector) -> Way {
    var way = Way(Vector(), Vector(), false);
    var nearest = 3.4e38;
    for (var index = 0u; index < min(targets.count, MAX_TARGETS); index++) {
        let place = targets.places[index];
        if place.present == 0u || (choice >= 0 && u32(choice) != index) {
            continue;
        }
        let offset = shortest(place.position - position, flock.size);
        let distance_squared = dot(offset, offset);
        if distance_squared < nearest {
            nearest = distance_squared;
            way = Way(offset, place.velocity, true);
        }
    }
    return way;
}
