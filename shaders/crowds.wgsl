// Shared by the two passes that sort crowded cells by id: `sort_crowds`, and `sort_scattered` for the
// cells that it leaves. A workgroup sorts one cell after the other.

import package::flock::flock;
@if(!slab) import package::space::cells_in;

struct GridStats {
    largest_cell: u32,
    workgroups: u32,
    rows: u32,
    layers: u32,
    crowded_cells: u32,
}

// A crowded cell: agents `begin` to `end`, exclusive.
struct Crowd {
    cell: u32,
    begin: u32,
    end: u32,
    is_scattered: bool,
}

@group(0) @binding(1) var<storage, read> cell_start: array<u32>;
@group(0) @binding(2) var<storage, read> grid_stats: GridStats;
// The crowded cells, in racing order. The bit SCATTERED marks those that are left to sort.
@group(0) @binding(3) var<storage, read_write> crowded: array<u32>;
// Old index and id of the agent in each slot. In a sorted cell only the index is valid afterwards.
@group(0) @binding(4) var<storage, read_write> index: array<u32>;
@group(0) @binding(5) var<storage, read_write> id: array<u32>;
// Scratch memory, one word per member: `steer` has read it and `reorder` will overwrite it.
@group(0) @binding(6) var<storage, read_write> tag: array<u32>;

const THREADS = 128u;
// There are fewer than 2³¹ cells.
const SCATTERED = 0x80000000u;
// Members per round of a long loop.
@if(unrolled) const STEPS = 8u;
@if(!unrolled) const STEPS = 1u;

var<workgroup> totals: array<u32, THREADS>;
var<workgroup> shared_crowds: u32;
var<workgroup> shared_crowd: u32;
var<workgroup> lowest: atomic<u32>;
var<workgroup> highest: atomic<u32>;
var<workgroup> bounds: vec2<u32>;

// Number of crowded cells.
fn crowds(thread: u32) -> u32 {
    if thread == 0u {
        shared_crowds = min(grid_stats.crowded_cells, arrayLength(&crowded));
    }
    return workgroupUniformLoad(&shared_crowds);
}

// The `nth` crowd. Uniform over the workgroup, because barriers follow.
fn crowd(nth: u32, thread: u32) -> Crowd {
    if thread == 0u {
        shared_crowd = crowded[nth];
    }
    let listed = workgroupUniformLoad(&shared_crowd);
    @if(!slab)
    let cell = min(listed & ~SCATTERED, cells_in(flock.cells_along) - 1u);
    @if(slab)
    let cell = min(listed & ~SCATTERED, flock.own_cells);
    return Crowd(cell, cell_start[cell], min(cell_start[cell + 1u], flock.count), (listed & SCATTERED) != 0u);
}

// The ids of four members from `at` on. Past the end the last one repeats; that changes no bound.
@if(unrolled)
fn four_ids(at: u32, end: u32) -> vec4<u32> {
    let last = end - 1u;
    return vec4<u32>(
        id[min(at, last)], id[min(at + 1u, last)],
        id[min(at + 2u, last)], id[min(at + 3u, last)],
    );
}

// The smallest and the largest id in a cell.
fn bounds_of(begin: u32, end: u32, thread: u32) -> vec2<u32> {
    if thread == 0u {
        atomicStore(&lowest, 0xffffffffu);
        atomicStore(&highest, 0u);
    }
    workgroupBarrier();
    var low = vec4<u32>(0xffffffffu);
    var high = vec4<u32>();
    for (var at = begin + STEPS * thread; at < end; at += STEPS * THREADS) {
        @if(!unrolled) {
            let own = id[at];
            low.x = min(low.x, own);
            high.x = max(high.x, own);
        }
        @if(unrolled) {
            let four = four_ids(at, end);
            let others = four_ids(at + 4u, end);
            low = min(low, min(four, others));
            high = max(high, max(four, others));
        }
    }
    atomicMin(&lowest, min(min(low.x, low.y), min(low.z, low.w)));
    atomicMax(&highest, max(max(high.x, high.y), max(high.z, high.w)));
    workgroupBarrier();
    if thread == 0u {
        bounds = vec2<u32>(atomicLoad(&lowest), atomicLoad(&highest));
    }
    return workgroupUniformLoad(&bounds);
}

// Replaces each thread's count by the sum before it; returns the sum up to and including this thread.
fn begin_of(thread: u32, before: u32) -> u32 {
    let own = totals[thread];
    totals[thread] = before;
    return before + own;
}

// The exclusive prefix sum of `totals`, plus `begin`.
fn scan_totals(begin: u32, thread: u32) -> u32 {
    workgroupBarrier();
    if thread == 0u {
        var before = begin;
        for (var other = 0u; other < THREADS; other += 4u) {
            before = begin_of(other, before);
            before = begin_of(other + 1u, before);
            before = begin_of(other + 2u, before);
            before = begin_of(other + 3u, before);
        }
    }
    workgroupBarrier();
    return totals[thread];
}
