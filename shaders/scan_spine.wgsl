// Pass scan_spine: one workgroup turns the counts of the blocks into the number of agents before each
// block, and finds the fullest cell of the grid.

import package::scan::{THREADS, inclusive_sum, open_grid_stats, partial};

// Sum and maximum of each block; the sum becomes the number of agents before the block.
@group(0) @binding(5) var<storage, read_write> blocks: array<vec2<u32>>;

var<workgroup> fullest: atomic<u32>;

@compute @workgroup_size(THREADS)
fn scan_spine(@builtin(local_invocation_index) thread: u32) {
    let count = arrayLength(&blocks);
    var before = 0u;
    for (var first = 0u; first < count; first += THREADS) {
        let block = first + thread;
        var own = vec2<u32>();
        if block < count {
            own = blocks[block];
        }
        let sum = inclusive_sum(own.x, thread);
        atomicMax(&fullest, own.y);
        if block < count {
            blocks[block] = vec2<u32>(before + sum - own.x, own.y);
        }
        before += partial[THREADS - 1u];
        workgroupBarrier();
    }
    if thread == 0u {
        open_grid_stats(atomicLoad(&fullest));
    }
}
