// Shared by the passes of the prefix sum over the cells. A large grid takes two: reduce the blocks, scan each block.
// Decoupled look-back would save a pass, but WebGPU does not promise that workgroups make progress while others
// wait.

import package::cell_count::CellCount;
import package::flock::flock;

// Statistics of the grid: the fullest cell, and the number of crowded ones.
struct GridStats {
    // Agents in the fullest cell.
    largest_cell: atomic<u32>,
    // The indirect dispatch of `sort_crowds`: workgroups along x, y and z.
    workgroups: atomic<u32>,
    rows: u32,
    layers: u32,
    crowded_cells: atomic<u32>,
}

// The indirect dispatch of `sort_scattered`; `sort_crowds` counts it.
struct Scattered {
    workgroups: u32,
    rows: u32,
    layers: u32,
}

// The cells of one invocation: `first` to `end`, exclusive.
struct Share {
    first: u32,
    end: u32,
}

// The number of agents in a range of cells, and in its fullest cell.
struct Members {
    sum: u32,
    maximum: u32,
}

const THREADS = 128u;
const CELLS_PER_THREAD = 16u;
const BLOCK = 2048u;
// Up to this number each crowded cell gets its own workgroup: that keeps a large GPU busy.
const BUSY = 1024u;
// Further cells share workgroups, this many each. A dispatch has at most 65,535 workgroups along an axis,
// and llvmpipe ends all loops of an invocation after 65,535 rounds in total. A cell takes some hundreds.
// (A scattered cell of 100,000 members takes 12,800, but there are fewer than a thousand of those.)
const CROWDS_PER_WORKGROUP = 64u;

@group(0) @binding(1) var<storage, read_write> cell_count: CellCount;
@group(0) @binding(2) var<storage, read_write> cell_start: array<u32>;
@group(0) @binding(3) var<storage, read_write> grid_stats: GridStats;
// The crowded cells, in racing order.
@group(0) @binding(4) var<storage, read_write> crowded: array<u32>;
@group(0) @binding(7) var<storage, read_write> scattered: Scattered;

var<workgroup> partial: array<u32, THREADS>;

// The inclusive prefix sum over the workgroup.
fn inclusive_sum(value: u32, thread: u32) -> u32 {
    var sum = value;
    partial[thread] = sum;
    workgroupBarrier();
    for (var distance = 1u; distance < THREADS; distance <<= 1u) {
        var before = 0u;
        if thread >= distance {
            before = partial[thread - distance];
        }
        workgroupBarrier();
        sum += before;
        partial[thread] = sum;
        workgroupBarrier();
    }
    return sum;
}

fn number_of_cells() -> u32 {
    return arrayLength(&cell_count.members);
}

fn share_of(block: u32, thread: u32) -> Share {
    let first = block * BLOCK + thread * CELLS_PER_THREAD;
    return Share(first, min(first + CELLS_PER_THREAD, number_of_cells()));
}

fn members_of(share: Share) -> Members {
    var members = Members();
    for (var cell = share.first; cell < share.end; cell++) {
        members.sum += cell_count.members[cell];
        @if(!slab) {
            members.maximum = max(members.maximum, cell_count.members[cell]);
        }
        // Agents that leave are in no cell.
        @if(slab) {
            let own = select(0u, cell_count.members[cell], cell < flock.own_cells);
            members.maximum = max(members.maximum, own);
        }
    }
    return members;
}

// Statistics of a grid without crowds.
fn open_grid_stats() {
    atomicStore(&grid_stats.largest_cell, 0u);
    atomicStore(&grid_stats.workgroups, 0u);
    grid_stats.rows = 1u;
    grid_stats.layers = 1u;
    atomicStore(&grid_stats.crowded_cells, 0u);
    scattered = Scattered(0u, 1u, 1u);
}

// Writes the index of each cell's first agent, for a range of cells with `before` agents before it. Clears
// the counts and lists the crowded cells.
fn sweep(share: Share, before: u32) {
    var next = before;
    for (var cell = share.first; cell < share.end; cell++) {
        let members = cell_count.members[cell];
        cell_count.members[cell] = 0u;
        cell_start[cell] = next;
        next += members;
        @if(!slab)
        let is_crowded = members > flock.crowded_above;
        // Agents that leave need no order.
        @if(slab)
        let is_crowded = members > flock.crowded_above && cell < flock.own_cells;
        if is_crowded {
            let slot = atomicAdd(&grid_stats.crowded_cells, 1u);
            if slot < arrayLength(&crowded) {
                crowded[slot] = cell;
            }
            if slot < BUSY || slot % CROWDS_PER_WORKGROUP == 0u {
                atomicAdd(&grid_stats.workgroups, 1u);
            }
        }
    }
    let cells = number_of_cells();
    if share.first < cells && share.end == cells {
        cell_start[cells] = flock.count;
    }
}
