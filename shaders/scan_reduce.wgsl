// Pass scan_reduce: counts the agents in each block of 1,024 cells and in its fullest cell.

import package::dispatch::linear_workgroup;
import package::scan::{THREADS, members_of, share_of};

// Sum and maximum of each block.
@group(0) @binding(5) var<storage, read_write> blocks: array<vec2<u32>>;

var<workgroup> total: atomic<u32>;
var<workgroup> fullest: atomic<u32>;

@compute @workgroup_size(THREADS)
fn scan_reduce(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let block = linear_workgroup(workgroup, workgroups);
    let members = members_of(share_of(block, thread));
    // Integer sums do not depend on the order in which the threads arrive.
    atomicAdd(&total, members.sum);
    atomicMax(&fullest, members.maximum);
    workgroupBarrier();
    if thread == 0u && block < arrayLength(&blocks) {
        blocks[block] = vec2<u32>(atomicLoad(&total), atomicLoad(&fullest));
    }
}
