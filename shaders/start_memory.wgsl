// Pass start_memory: fills the memory of agents whose scene has just come to need it, as at the start: a
// random angle and no neighbours. src/model/memory.rs gives the same bits.

import package::dispatch::linear_workgroup;
import package::flock::flock as whole_flock;
import package::memory::memory_of;
import package::random::{USE_START_ANGLE, random_bits, unit_from};
import package::tag::id_of;

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
    let draw = unit_from(random_bits(flock.seed, id_of(tag[i]), 0u, USE_START_ANGLE));
    memory[i] = memory_of(draw - 0.5, 0.0);
}
