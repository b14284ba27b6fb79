// Pass move_targets: moves the targets by one tick. A target that an agent has hit reappears elsewhere.
// Only scenes with such targets have this pass. One invocation per target.

import package::clock::clock;
import package::flock::flock;
import package::random::{USE_TARGET_HEADING, USE_TARGET_X, USE_TARGET_Y, random_bits, unit_from};
import package::space::{Vector, at_angle, confined, position_of};
import package::target::{MAX_TARGETS, Targets};

@group(0) @binding(1) var<storage, read_write> targets: Targets;
@group(0) @binding(3) var<storage, read_write> cell_count: CellCount;

struct CellCount {
    // One bit per target, set if an agent has hit it.
    hits: array<u32, 2>,
    // Agents of each cell; this pass does not use them.
    members: array<u32>,
}

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
        let x = random_bits(flock.seed, index, clock, USE_TARGET_X);
        let y = random_bits(flock.seed, index, clock, USE_TARGET_Y);
        targets.places[index].position = Vector(unit_from(x), unit_from(y)) * flock.size;
        targets.places[index].hits += 1u;
        if targets.places[index].turns == 1u {
            let before = targets.places[index].velocity;
            let draw = unit_from(random_bits(flock.seed, index, clock, USE_TARGET_HEADING));
            targets.places[index].velocity = at_angle(draw - 0.5) * sqrt(dot(before, before));
        }
        return;
    }
    let velocity = targets.places[index].velocity;
    let there = targets.places[index].position + velocity * flock.time_step;
    let inside = position_of(confined(there, velocity, flock.size));
    targets.places[index].position = inside;
    @if(walls) {
        targets.places[index].velocity = select(velocity, -velocity, inside != there);
    }
}
