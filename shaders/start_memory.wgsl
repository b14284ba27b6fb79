// Pass start_memory: fills the memory of agents whose scene has just come to need it, as at the start: a
// random angle or direction and no neighbours. src/model/memory.rs gives the same bits.

import package::dispatch::linear_workgroup;
import package::flock::flock as whole_flock;
import package::memory::{Remembered, stored};
import package::random::{USE_START_ANGLE, draw};
@if(!flat) import package::random::USE_START_HEIGHT;
@if(!flat) import package::space::on_sphere;
import package::tag::{id_of, species_of};

@group(0) @binding(1) var<storage, read> tag: array<u32>;
@group(0) @binding(2) var<storage, read_write> memory: array<u32>;

@compute @workgroup_size(64)
fn start_memory(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let flock = whole_flock;
    let i = linear_workgroup(workgroup, workgroups) * 64u + local;
    if i >= flock.count {
        return;
    }
    let first = draw(flock.seed, id_of(tag[i]), 0u, USE_START_ANGLE);
    var remembered: Remembered;
    remembered.angle = first - 0.5;
    @if(!flat) {
        remembered.direction = on_sphere(first, draw(flock.seed, id_of(tag[i]), 0u, USE_START_HEIGHT));
    }
    memory[i] = stored(remembered, 0.0, flock.directed, species_of(tag[i]));
}
