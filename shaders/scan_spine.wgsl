// Pass scan_spine: the number of agents before each block, by a single workgroup; the fullest
// cell of all; and the clock, which it moves on.

import package::scan::{THREADS, inclusive_sum, partial};

struct Clock {
    tick: u32,
}

struct Census {
    // Agents in the fullest cell.
    largest_cell: u32,
    // The dispatch of `sort_crowds`: workgroups along x, y and z. The next pass counts those along x,
    // and the crowded cells.
    workgroups: u32,
    rows: u32,
    layers: u32,
    crowded_cells: u32,
}

// Sum and maximum of each block; the sum becomes the number of agents before the block.
@group(0) @binding(0) var<storage, read_write> blocks: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> clock: Clock;
@group(0) @binding(2) var<storage, read_write> census: Census;

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
        census = Census(atomicLoad(&fullest), 0u, 1u, 1u, 0u);
        clock.tick += 1u;
    }
}
