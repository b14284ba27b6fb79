// Pass scan_downsweep: writes the index of each cell's first agent, and lists the crowded cells.

import package::dispatch::linear_workgroup;
import package::scan::{THREADS, inclusive_sum, members_of, share_of, sweep};

// x: the number of agents before each block.
@group(0) @binding(5) var<storage, read> blocks: array<vec2<u32>>;

@compute @workgroup_size(THREADS)
fn scan_downsweep(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let block = linear_workgroup(workgroup, workgroups);
    let share = share_of(block, thread);
    let sum = members_of(share).sum;
    var before = inclusive_sum(sum, thread) - sum;
    if block < arrayLength(&blocks) {
        before += blocks[block].x;
    }
    sweep(share, before);
}
