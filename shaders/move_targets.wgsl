// Pass move_targets: moves the targets by one tick. A target that an agent has hit reappears elsewhere.
// Only scenes with such targets have this pass. One invocation per target.

import package::cell_count::CellCount;
import package::clock::clock;
import package::flock::flock;
import package::random::{target_heading, target_place};
import package::space::{Vector, length, position_of};
import package::target::{MAX_TARGETS, Targets};
import package::world::confined;
@if(wrap)
import package::world::near;

@group(0) @binding(1) var<storage, read_write> targets: Targets;
@group(0) @binding(3) var<storage, read_write> cell_count: CellCount;

@compute @workgroup_size(64)
fn move_targets(@builtin(local_invocation_index) index: u32) {
    let hit = ((cell_count.hits[index >> 5u] >> (index & 31u)) & 1u) == 1u;
    // All invocations read before the words are cleared. They lie in storage memory.
    storageBarrier();
    if index < 2u {
        cell_count.hits[index] = 0u;
    }
    if index >= min(targets.count, MAX_TARGETS) || targets.places[index].present == 0u {
        return;
    }
    if hit {
        targets.places[index].position = target_place(flock.seed, index, clock) * flock.size;
        targets.places[index].hits += 1u;
        if targets.places[index].turns == 1u {
            let before = targets.places[index].velocity;
            let heading = target_heading(flock.seed, index, clock);
            targets.places[index].velocity = heading * length(before);
        }
        return;
    }
    let velocity = targets.places[index].velocity;
    if all(velocity == Vector()) {
        return;
    }
    var there = targets.places[index].position + velocity * flock.time_step;
    @if(wrap) {
        there = near(there, flock.size);
    }
    let inside = position_of(confined(there, velocity, flock.size));
    targets.places[index].position = inside;
    @if(walls) {
        targets.places[index].velocity = select(velocity, -velocity, inside != there);
    }
}
