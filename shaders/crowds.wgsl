// What the two passes share that undo the race in crowded cells: `sort_crowds`, and `sort_scattered`
// for what that leaves. A workgroup takes one cell after the other.

import package::flock::flock;

struct GridStats {
    largest_cell: u32,
    workgroups: u32,
    rows: u32,
    layers: u32,
    crowded_cells: u32,
}

// A crowded cell: its agents are those from `begin` to before `end`.
struct Crowd {
    cell: u32,
    begin: u32,
    end: u32,
    is_scattered: bool,
}

@group(0) @binding(1) var<storage, read> cell_start: array<u32>;
@group(0) @binding(2) var<storage, read> grid_stats: GridStats;
// The crowded cells, in racing order; with the bit SCATTERED those that are left to sort.
@group(0) @binding(3) var<storage, read_write> crowded: array<u32>;
@group(0) @binding(4) var<storage, read_write> index: array<u32>;
@group(0) @binding(5) var<storage, read_write> scratch: array<u32>;

const THREADS = 128u;
// There are fewer than 2³¹ cells.
const SCATTERED = 0x80000000u;

var<workgroup> totals: array<u32, THREADS>;
var<workgroup> end_of_scan: u32;
var<workgroup> shared_crowds: u32;
var<workgroup> shared_crowd: u32;

// How many crowded cells there are.
fn crowds(thread: u32) -> u32 {
    if thread == 0u {
        shared_crowds = min(grid_stats.crowded_cells, arrayLength(&crowded));
    }
    return workgroupUniformLoad(&shared_crowds);
}

// The `nth` crowd, the same for all threads: they meet at barriers while they sort it.
fn crowd(nth: u32, thread: u32) -> Crowd {
    if thread == 0u {
        shared_crowd = crowded[nth];
    }
    let listed = workgroupUniformLoad(&shared_crowd);
    let cell = min(listed & ~SCATTERED, flock.columns * flock.rows - 1u);
    return Crowd(cell, cell_start[cell], min(cell_start[cell + 1u], flock.count), (listed & SCATTERED) != 0u);
}

// Turns how many a thread has into where they begin; returns where the next thread's do.
fn begin_of(thread: u32, before: u32) -> u32 {
    let own = totals[thread];
    totals[thread] = before;
    return before + own;
}

// The exclusive sum of what each thread has put into `totals`, from `begin` on; `end_of_scan` is the
// whole sum.
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
        end_of_scan = before;
    }
    workgroupBarrier();
    return totals[thread];
}
