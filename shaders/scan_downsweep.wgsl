// Pass scan_downsweep: the index of each cell's first agent. Empties the occupancy behind itself
// and lists the crowded cells.

import package::dispatch::linear_workgroup;
import package::flock::flock;
import package::scan::{BLOCK, CELLS_PER_THREAD, THREADS, inclusive_sum};

struct Census {
    largest_cell: u32,
    workgroups: atomic<u32>,
    rows: u32,
    layers: u32,
    crowded_cells: atomic<u32>,
}

// Up to so many crowded cells have a workgroup each: that keeps a large GPU busy.
const BUSY = 1024u;
// Of the cells beyond, so many share one. A dispatch has at most 65,535 workgroups in a row, and
// llvmpipe ends all loops of an invocation after 65,535 rounds in sum; a cell takes some hundreds.
const CROWDS_PER_WORKGROUP = 64u;

// Agents before each block, in x.
@group(0) @binding(1) var<storage, read> blocks: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> occupancy: array<u32>;
@group(0) @binding(3) var<storage, read_write> start: array<u32>;
@group(0) @binding(4) var<storage, read_write> census: Census;
// The crowded cells, in racing order.
@group(0) @binding(5) var<storage, read_write> crowded: array<u32>;

@compute @workgroup_size(THREADS)
fn scan_downsweep(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let block = linear_workgroup(workgroup, workgroups);
    let cells = arrayLength(&occupancy);
    let first = block * BLOCK + thread * CELLS_PER_THREAD;
    let end = min(first + CELLS_PER_THREAD, cells);
    var sum = 0u;
    for (var cell = first; cell < end; cell++) {
        sum += occupancy[cell];
    }
    let inclusive = inclusive_sum(sum, thread);
    var next = inclusive - sum;
    if block < arrayLength(&blocks) {
        next += blocks[block].x;
    }
    for (var cell = first; cell < end; cell++) {
        let members = occupancy[cell];
        occupancy[cell] = 0u;
        start[cell] = next;
        next += members;
        if members > flock.crowded_above {
            let slot = atomicAdd(&census.crowded_cells, 1u);
            if slot < arrayLength(&crowded) {
                crowded[slot] = cell;
            }
            if slot < BUSY || slot % CROWDS_PER_WORKGROUP == 0u {
                atomicAdd(&census.workgroups, 1u);
            }
        }
    }
    if first < cells && end == cells {
        start[cells] = flock.count;
    }
}
