// Places that agents seek or shun: the pointer, then the targets of the scene.

import package::flock::flock;
import package::space::{Vector, shortest};
import package::target::{MAX_TARGETS, Targets};

@group(0) @binding(1) var<uniform> targets: Targets;

// The way to a target; `found` is false when there is none.
struct Way {
    offset: Vector,
    // Of the target.
    velocity: Vector,
    found: bool,
}

// The way to target number `choice`, or to the nearest one if that is negative.
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
