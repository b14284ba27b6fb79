// Pass start_memory: fills the memory of agents whose scene has just come to need it, as at the start: a
// random angle or direction and nothing to show. Where colours have come to show something else, it clears
// the numbers for them. src/model/memory.rs gives the same bits.

import package::dispatch::{Invocation, linear_workgroup};
import package::flock::flock as whole_flock;
import package::memory::{Remembered, showing, stored};
import package::random::{PURPOSE_START_ANGLE, draw};
@if(!flat) import package::random::PURPOSE_START_HEIGHT;
@if(!flat) import package::space::on_sphere;
import package::tag::{id_of, species_of};

@group(0) @binding(1) var<storage, read> tag: array<u32>;
@group(0) @binding(2) var<storage, read_write> memory: array<u32>;
// First 1 if the memory is new, else 0; then a bit for each species whose numbers are cleared.
@group(0) @binding(3) var<storage, read> edit: array<u32>;

@compute @workgroup_size(64)
fn start_memory(here: Invocation) {
    let flock = whole_flock;
    let i = linear_workgroup(here.workgroup, here.workgroups) * 64u + here.local;
    if i >= flock.count {
        return;
    }
    let first = draw(flock.seed, id_of(tag[i]), 0u, PURPOSE_START_ANGLE);
    var remembered: Remembered;
    remembered.angle = first - 0.5;
    @if(!flat) {
        remembered.direction = on_sphere(first, draw(flock.seed, id_of(tag[i]), 0u, PURPOSE_START_HEIGHT));
    }
    let species = species_of(tag[i]);
    let first_memory = stored(remembered, 0u, flock.directed, species);
    let cleared = ((edit[1] >> species) & 1u) == 1u;
    let kept = select(memory[i], showing(memory[i], 0u), cleared);
    memory[i] = select(kept, first_memory, edit[0] == 1u);
}
