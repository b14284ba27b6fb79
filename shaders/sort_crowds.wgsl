// Pass sort_crowds: sorts the old indices within each crowded cell, so that `reorder` need not
// count. Where no cell is crowded it does nothing.
//
// A workgroup takes a cell at a time and runs a stable radix sort, four bits a round: each thread
// counts the digits of its own stretch, one scan over (digit, thread) gives every thread the places
// it writes to, and each thread moves its stretch. The number of rounds is even, so that the result
// ends where it began.

import package::flock::flock;
import package::dispatch::linear_workgroup;

struct Census {
    largest_cell: u32,
    crowded_cells: u32,
}

@group(0) @binding(1) var<storage, read> start: array<u32>;
@group(0) @binding(2) var<storage, read> census: Census;
@group(0) @binding(3) var<storage, read> crowded: array<u32>;
@group(0) @binding(4) var<storage, read_write> index: array<u32>;
@group(0) @binding(5) var<storage, read_write> scratch: array<u32>;

const THREADS = 128u;
const DIGITS = 16u;
const DIGIT_BITS = 4u;

// places[digit * THREADS + thread]: how many there are, then where the next one goes.
var<workgroup> places: array<u32, 2048>;
var<workgroup> totals: array<u32, THREADS>;
var<workgroup> cell_count: u32;

fn index_at(from_index: bool, at: u32) -> u32 {
    if from_index {
        return index[at];
    }
    return scratch[at];
}

// One round: from index to scratch or back, by the digit at `shift`.
fn sort_by_digit(begin: u32, end: u32, shift: u32, from_index: bool, thread: u32) {
    for (var digit = 0u; digit < DIGITS; digit++) {
        places[digit * THREADS + thread] = 0u;
    }
    let stretch = (end - begin + THREADS - 1u) / THREADS;
    let first = min(begin + thread * stretch, end);
    let last = min(first + stretch, end);
    for (var at = first; at < last; at++) {
        let digit = (index_at(from_index, at) >> shift) & (DIGITS - 1u);
        places[digit * THREADS + thread] += 1u;
    }
    workgroupBarrier();
    // Exclusive scan over the table: each thread sums 16 entries in a row, thread 0 the sums.
    var sum = 0u;
    for (var entry = 0u; entry < DIGITS; entry++) {
        sum += places[thread * DIGITS + entry];
    }
    totals[thread] = sum;
    workgroupBarrier();
    if thread == 0u {
        var before = begin;
        for (var other = 0u; other < THREADS; other++) {
            let own = totals[other];
            totals[other] = before;
            before += own;
        }
    }
    workgroupBarrier();
    var next = totals[thread];
    for (var entry = 0u; entry < DIGITS; entry++) {
        let members = places[thread * DIGITS + entry];
        places[thread * DIGITS + entry] = next;
        next += members;
    }
    workgroupBarrier();
    for (var at = first; at < last; at++) {
        let value = index_at(from_index, at);
        let entry = ((value >> shift) & (DIGITS - 1u)) * THREADS + thread;
        let to = min(places[entry], end - 1u);
        places[entry] += 1u;
        if from_index {
            scratch[to] = value;
        } else {
            index[to] = value;
        }
    }
    storageBarrier();
    workgroupBarrier();
}

@compute @workgroup_size(THREADS)
fn sort_crowds(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    if thread == 0u {
        cell_count = min(census.crowded_cells, arrayLength(&crowded));
    }
    let crowds = workgroupUniformLoad(&cell_count);
    // Two rounds at a time until all bits of an index are sorted.
    let bits = 32u - countLeadingZeros(flock.count);
    for (var nth = linear_workgroup(workgroup, workgroups); nth < crowds; nth += workgroups.x * workgroups.y) {
        let cell = min(crowded[nth], flock.columns * flock.rows - 1u);
        let begin = start[cell];
        let end = min(start[cell + 1u], flock.count);
        for (var shift = 0u; shift < bits; shift += 2u * DIGIT_BITS) {
            sort_by_digit(begin, end, shift, true, thread);
            sort_by_digit(begin, end, shift + DIGIT_BITS, false, thread);
        }
    }
}
