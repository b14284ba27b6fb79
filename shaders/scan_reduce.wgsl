// Pass scan_reduce: counts the agents in each block of cells.

import package::dispatch::linear_workgroup;
import package::scan::{THREADS, members_of, open_grid_stats, share_of};

// The number of agents in each block.
@group(0) @binding(5) var<storage, read_write> blocks: array<u32>;

var<workgroup> total: atomic<u32>;

@compute @workgroup_size(THREADS)
fn scan_reduce(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let block = linear_workgroup(workgroup, workgroups);
    // Integer sums do not depend on the order in which the threads arrive.
    atomicAdd(&total, members_of(share_of(block, thread)).sum);
    workgroupBarrier();
    if thread == 0u && block < arrayLength(&blocks) {
        blocks[block] = atomicLoad(&total);
    }
    if thread == 0u && block == 0u {
        open_grid_stats();
    }
}
