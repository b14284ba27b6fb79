// Pass scan_downsweep: writes the index of each cell's first agent, lists the crowded cells, and finds the fullest one.
//
// Each workgroup sums all blocks before its own: at most some ten thousand numbers, which takes less time than a pass
// between the two.

import package::dispatch::linear_workgroup;
import package::scan::{THREADS, grid_stats, inclusive_sum, members_of, share_of, sweep};

// The number of agents in each block.
@group(0) @binding(5) var<storage, read> blocks: array<u32>;

var<workgroup> earlier: atomic<u32>;
var<workgroup> fullest: atomic<u32>;

@compute @workgroup_size(THREADS)
fn scan_downsweep(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let block = linear_workgroup(workgroup, workgroups);
    let end = min(block, arrayLength(&blocks));
    var agents = 0u;
    for (var other = thread; other < end; other += THREADS) {
        agents += blocks[other];
    }
    atomicAdd(&earlier, agents);
    let share = share_of(block, thread);
    let members = members_of(share);
    atomicMax(&fullest, members.maximum);
    // Its barriers also make the two atomics whole.
    let sum = inclusive_sum(members.sum, thread);
    sweep(share, atomicLoad(&earlier) + sum - members.sum);
    if thread == 0u {
        atomicMax(&grid_stats.largest_cell, atomicLoad(&fullest));
    }
}
