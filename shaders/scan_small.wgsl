// Pass scan_small: the whole scan of a small grid. One workgroup goes through the blocks: a few blocks
// take less time than one more dispatch.

import package::scan::{BLOCK, THREADS, number_of_cells, grid_stats, inclusive_sum, members_of, open_grid_stats, partial, share_of, sweep};

var<workgroup> fullest: atomic<u32>;

@compute @workgroup_size(THREADS)
fn scan_small(@builtin(local_invocation_index) thread: u32) {
    if thread == 0u {
        open_grid_stats();
    }
    storageBarrier();
    let blocks = (number_of_cells() + BLOCK - 1u) / BLOCK;
    var before = 0u;
    for (var block = 0u; block < blocks; block++) {
        let share = share_of(block, thread);
        let members = members_of(share);
        atomicMax(&fullest, members.maximum);
        let sum = inclusive_sum(members.sum, thread);
        sweep(share, before + sum - members.sum);
        before += partial[THREADS - 1u];
        workgroupBarrier();
    }
    if thread == 0u {
        atomicStore(&grid_stats.largest_cell, atomicLoad(&fullest));
    }
}
