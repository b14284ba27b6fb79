// Pass scan_reduce: the number of agents in each block of 1,024 cells, and its fullest cell.

import package::dispatch::linear_workgroup;
import package::scan::{BLOCK, CELLS_PER_THREAD, THREADS};

@group(0) @binding(0) var<storage, read> occupancy: array<u32>;
// Sum and maximum of each block.
@group(0) @binding(1) var<storage, read_write> blocks: array<vec2<u32>>;

var<workgroup> total: atomic<u32>;
var<workgroup> fullest: atomic<u32>;

@compute @workgroup_size(THREADS)
fn scan_reduce(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let block = linear_workgroup(workgroup, workgroups);
    let first = block * BLOCK + thread * CELLS_PER_THREAD;
    var sum = 0u;
    var maximum = 0u;
    for (var cell = first; cell < min(first + CELLS_PER_THREAD, arrayLength(&occupancy)); cell++) {
        sum += occupancy[cell];
        maximum = max(maximum, occupancy[cell]);
    }
    // Integer sums do not depend on the order in which the threads arrive.
    atomicAdd(&total, sum);
    atomicMax(&fullest, maximum);
    workgroupBarrier();
    if thread == 0u && block < arrayLength(&blocks) {
        blocks[block] = vec2<u32>(atomicLoad(&total), atomicLoad(&fullest));
    }
}
