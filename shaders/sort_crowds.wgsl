// Pass sort_crowds: sorts the old indices within each crowded cell, so that `reorder` need not
// count. Where no cell is crowded it does nothing.
//
// A workgroup takes a cell at a time. Members of a cell come from the cells round it, so their old
// indices lie close together: they are marked in a bitmap, and its bits read off in order. Where
// the bitmap would be longer than the list it is sorted by radix.
//
// Long loops go four steps a round: llvmpipe ends all loops of an invocation after 65,535 rounds in
// sum, and eight million agents may share a cell.

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
// A cell's part is as long as its part of `index`.
@group(0) @binding(5) var<storage, read_write> scratch: array<atomic<u32>>;

const THREADS = 128u;
const DIGITS = 16u;
const DIGIT_BITS = 4u;

// places[digit * THREADS + thread]: how many there are, then where the next one goes.
var<workgroup> places: array<u32, 2048>;
var<workgroup> totals: array<u32, THREADS>;
var<workgroup> cell_count: u32;
var<workgroup> lowest: atomic<u32>;
var<workgroup> highest: atomic<u32>;
var<workgroup> bounds: vec2<u32>;

// The smallest and the largest old index of a cell.
fn bounds_of(begin: u32, end: u32, thread: u32) -> vec2<u32> {
    if thread == 0u {
        atomicStore(&lowest, 0xffffffffu);
        atomicStore(&highest, 0u);
    }
    workgroupBarrier();
    var low = 0xffffffffu;
    var high = 0u;
    for (var at = begin + 4u * thread; at < end; at += 4u * THREADS) {
        // Who is asked twice at the end changes nothing.
        let four = vec4<u32>(
            index[at], index[min(at + 1u, end - 1u)],
            index[min(at + 2u, end - 1u)], index[min(at + 3u, end - 1u)],
        );
        low = min(min(low, min(four.x, four.y)), min(four.z, four.w));
        high = max(max(high, max(four.x, four.y)), max(four.z, four.w));
    }
    atomicMin(&lowest, low);
    atomicMax(&highest, high);
    workgroupBarrier();
    if thread == 0u {
        bounds = vec2<u32>(atomicLoad(&lowest), atomicLoad(&highest));
    }
    return workgroupUniformLoad(&bounds);
}

fn mark(at: u32, begin: u32, end: u32, low: u32) {
    let bit = index[min(at, end - 1u)] - low;
    atomicOr(&scratch[min(begin + (bit >> 5u), end - 1u)], 1u << (bit & 31u));
}

// Turns how many a thread has into where they begin; returns where the next thread's do.
fn begin_of(thread: u32, before: u32) -> u32 {
    let own = totals[thread];
    totals[thread] = before;
    return before + own;
}

// The exclusive sum of what each thread has put into `totals`, from `begin` on.
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

// Writes `number` to place `next` if the lowest bit says so; returns the next place.
fn read_off(bits: u32, number: u32, next: u32, end: u32) -> u32 {
    if (bits & 1u) == 1u && next < end {
        index[next] = number;
        return next + 1u;
    }
    return next;
}

// Sorts a cell's indices, `low` and above, by a bitmap of `words` words.
fn sort_by_bitmap(begin: u32, end: u32, low: u32, words: u32, thread: u32) {
    for (var word = thread; word < words; word += THREADS) {
        atomicStore(&scratch[begin + word], 0u);
    }
    storageBarrier();
    for (var at = begin + 4u * thread; at < end; at += 4u * THREADS) {
        // Marked twice is marked.
        mark(at, begin, end, low);
        mark(at + 1u, begin, end, low);
        mark(at + 2u, begin, end, low);
        mark(at + 3u, begin, end, low);
    }
    storageBarrier();
    // Each thread reads off a stretch of words.
    let stretch = (words + THREADS - 1u) / THREADS;
    let first = min(thread * stretch, words);
    let last = min(first + stretch, words);
    var sum = 0u;
    for (var word = first; word < last; word++) {
        sum += countOneBits(atomicLoad(&scratch[begin + word]));
    }
    totals[thread] = sum;
    var next = scan_totals(begin, thread);
    for (var word = first; word < last; word++) {
        let bits = atomicLoad(&scratch[begin + word]);
        for (var bit = 0u; bit < 32u; bit += 4u) {
            let number = low + word * 32u + bit;
            next = read_off(bits >> bit, number, next, end);
            next = read_off(bits >> (bit + 1u), number + 1u, next, end);
            next = read_off(bits >> (bit + 2u), number + 2u, next, end);
            next = read_off(bits >> (bit + 3u), number + 3u, next, end);
        }
    }
    storageBarrier();
}

fn index_at(from_index: bool, at: u32) -> u32 {
    if from_index {
        return index[at];
    }
    return atomicLoad(&scratch[at]);
}

// One round of the stable radix sort, four bits: each thread counts the digits of its own stretch,
// one scan over (digit, thread) gives every thread the places it writes to, and each thread moves
// its stretch. From index to scratch or back, by the digit at `shift`.
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
    var next = scan_totals(begin, thread);
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
            atomicStore(&scratch[to], value);
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
        let bounds = bounds_of(begin, end, thread);
        let words = ((bounds.y - bounds.x) >> 5u) + 1u;
        if words <= end - begin {
            sort_by_bitmap(begin, end, bounds.x, words, thread);
            continue;
        }
        // The number of rounds is even: the result ends where it began.
        for (var shift = 0u; shift < bits; shift += 2u * DIGIT_BITS) {
            sort_by_digit(begin, end, shift, true, thread);
            sort_by_digit(begin, end, shift + DIGIT_BITS, false, thread);
        }
    }
}
