// Pass sort_crowds: sorts the old indices within each crowded cell, so that `reorder` need not
// count. Where no cell is crowded there is no workgroup.
//
// A workgroup takes one cell after the other. Members of a cell come from the cells round it, so
// their old indices lie close together, or in three such clusters, one for each row: they are marked
// in bitmaps, and the bits before a member's own are its rank. Where they are scattered more widely,
// because agents jump far, they are sorted by radix.
//
// Long loops go eight steps a round: llvmpipe ends all loops of an invocation after 65,535 rounds in
// sum, and eight million agents may share a cell.

import package::flock::flock;

struct Census {
    largest_cell: u32,
    workgroups: u32,
    rows: u32,
    layers: u32,
    crowded_cells: u32,
}

@group(0) @binding(1) var<storage, read> start: array<u32>;
@group(0) @binding(2) var<storage, read> census: Census;
@group(0) @binding(3) var<storage, read> crowded: array<u32>;
@group(0) @binding(4) var<storage, read_write> index: array<u32>;
@group(0) @binding(5) var<storage, read_write> scratch: array<u32>;
// What `steer` has read and `reorder` will write: four words an agent, of which a cell's are room for
// a bitmap and, behind each of its words, the place of the word's first member.
@group(0) @binding(6) var<storage, read_write> state: array<atomic<u32>>;

const THREADS = 128u;
const DIGITS = 16u;
const DIGIT_BITS = 4u;
// Steps of a long loop's round.
const STEPS = 8u;
// Most bitmaps that a cell is worth.
const WINDOWS = 6u;

// places[digit * THREADS + thread]: how many there are, then where the next one goes.
var<workgroup> places: array<u32, 2048>;
var<workgroup> totals: array<u32, THREADS>;
var<workgroup> shared_census: vec2<u32>;
var<workgroup> lowest: atomic<u32>;
var<workgroup> highest: atomic<u32>;
var<workgroup> bounds: vec2<u32>;
var<workgroup> end_of_window: u32;

// Four members from `at` on; at the end the last one again, which changes nothing of what is asked.
fn four_at(at: u32, end: u32) -> vec4<u32> {
    let last = end - 1u;
    return vec4<u32>(
        index[min(at, last)], index[min(at + 1u, last)],
        index[min(at + 2u, last)], index[min(at + 3u, last)],
    );
}

// The smallest index not below `least`, and the largest, of a cell.
fn bounds_of(begin: u32, end: u32, least: u32, thread: u32) -> vec2<u32> {
    if thread == 0u {
        atomicStore(&lowest, 0xffffffffu);
        atomicStore(&highest, 0u);
    }
    workgroupBarrier();
    var low = vec4<u32>(0xffffffffu);
    var high = vec4<u32>();
    for (var at = begin + STEPS * thread; at < end; at += STEPS * THREADS) {
        let four = four_at(at, end);
        low = min(low, select(vec4<u32>(0xffffffffu), four, four >= vec4<u32>(least)));
        high = max(high, four);
        let others = four_at(at + 4u, end);
        low = min(low, select(vec4<u32>(0xffffffffu), others, others >= vec4<u32>(least)));
        high = max(high, others);
    }
    atomicMin(&lowest, min(min(low.x, low.y), min(low.z, low.w)));
    atomicMax(&highest, max(max(high.x, high.y), max(high.z, high.w)));
    workgroupBarrier();
    if thread == 0u {
        bounds = vec2<u32>(atomicLoad(&lowest), atomicLoad(&highest));
    }
    return workgroupUniformLoad(&bounds);
}

// Where a cell's bitmap has member `number`: its word in x and its bit in y; where it has not, no bit.
fn bit_of(number: u32, low: u32, words: u32) -> vec2<u32> {
    let word = (number - low) >> 5u;
    if number < low || word >= words {
        return vec2<u32>();
    }
    return vec2<u32>(word, 1u << ((number - low) & 31u));
}

fn mark(number: u32, room: u32, low: u32, words: u32) {
    let bit = bit_of(number, low, words);
    atomicOr(&state[room + 2u * bit.x], bit.y);
}

fn mark_four(four: vec4<u32>, room: u32, low: u32, words: u32) {
    mark(four.x, room, low, words);
    mark(four.y, room, low, words);
    mark(four.z, room, low, words);
    mark(four.w, room, low, words);
}

// Writes member `number` to its place.
fn put(number: u32, room: u32, end: u32, low: u32, words: u32) {
    let bit = bit_of(number, low, words);
    if bit.y != 0u {
        let before = atomicLoad(&state[room + 2u * bit.x]) & (bit.y - 1u);
        let place = atomicLoad(&state[room + 2u * bit.x + 1u]) + countOneBits(before);
        scratch[min(place, end - 1u)] = number;
    }
}

fn put_four(four: vec4<u32>, room: u32, end: u32, low: u32, words: u32) {
    put(four.x, room, end, low, words);
    put(four.y, room, end, low, words);
    put(four.z, room, end, low, words);
    put(four.w, room, end, low, words);
}

// Turns how many a thread has into where they begin; returns where the next thread's do.
fn begin_of(thread: u32, before: u32) -> u32 {
    let own = totals[thread];
    totals[thread] = before;
    return before + own;
}

// The exclusive sum of what each thread has put into `totals`, from `begin` on; `end_of_window` is
// the whole sum.
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
        end_of_window = before;
    }
    workgroupBarrier();
    return totals[thread];
}

// Writes those of a cell's members that are among the `words` times 32 from `low` on to `scratch`, in
// order, from place `first_place` on.
fn sort_window(begin: u32, end: u32, low: u32, words: u32, first_place: u32, thread: u32) {
    let room = 4u * begin;
    for (var word = thread; word < words; word += THREADS) {
        atomicStore(&state[room + 2u * word], 0u);
    }
    storageBarrier();
    for (var at = begin + STEPS * thread; at < end; at += STEPS * THREADS) {
        // Marked twice is marked.
        mark_four(four_at(at, end), room, low, words);
        mark_four(four_at(at + 4u, end), room, low, words);
    }
    storageBarrier();
    // Each thread adds up a stretch of words.
    let stretch = (words + THREADS - 1u) / THREADS;
    let first = min(thread * stretch, words);
    let last = min(first + stretch, words);
    var sum = 0u;
    for (var word = first; word < last; word++) {
        sum += countOneBits(atomicLoad(&state[room + 2u * word]));
    }
    totals[thread] = sum;
    var next = scan_totals(first_place, thread);
    for (var word = first; word < last; word++) {
        atomicStore(&state[room + 2u * word + 1u], next);
        next += countOneBits(atomicLoad(&state[room + 2u * word]));
    }
    storageBarrier();
    for (var at = begin + STEPS * thread; at < end; at += STEPS * THREADS) {
        put_four(four_at(at, end), room, end, low, words);
        put_four(four_at(at + 4u, end), room, end, low, words);
    }
    storageBarrier();
}

fn copy_four(at: u32, end: u32) {
    let last = end - 1u;
    index[min(at, last)] = scratch[min(at, last)];
    index[min(at + 1u, last)] = scratch[min(at + 1u, last)];
    index[min(at + 2u, last)] = scratch[min(at + 2u, last)];
    index[min(at + 3u, last)] = scratch[min(at + 3u, last)];
}

// Sorts a cell by bitmaps; false when its indices are too scattered, and then it is as it was.
fn sort_by_bitmaps(begin: u32, end: u32, thread: u32) -> bool {
    let members = end - begin;
    var span = bounds_of(begin, end, 0u, thread);
    let all = ((span.y - span.x) >> 5u) + 1u;
    // A cluster is about as long as the cell has members; a bitmap for each, or one for all.
    let most = select(max(members >> 2u, 1u), all, all <= 2u * members);
    var next = begin;
    for (var window = 0u; window < WINDOWS; window++) {
        let words = min(((span.y - span.x) >> 5u) + 1u, most);
        sort_window(begin, end, span.x, words, next, thread);
        next = workgroupUniformLoad(&end_of_window);
        if next >= end {
            for (var at = begin + STEPS * thread; at < end; at += STEPS * THREADS) {
                copy_four(at, end);
                copy_four(at + 4u, end);
            }
            storageBarrier();
            return true;
        }
        span = bounds_of(begin, end, span.x + 32u * words, thread);
    }
    return false;
}

fn index_at(from_index: bool, at: u32) -> u32 {
    if from_index {
        return index[at];
    }
    return scratch[at];
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
    @builtin(local_invocation_index) thread: u32,
) {
    if thread == 0u {
        shared_census = vec2(min(census.crowded_cells, arrayLength(&crowded)), census.workgroups);
    }
    let all = workgroupUniformLoad(&shared_census);
    // Two rounds at a time until all bits of an index are sorted.
    let bits = 32u - countLeadingZeros(flock.count);
    for (var nth = workgroup.x; nth < all.x; nth += max(all.y, 1u)) {
        let cell = min(crowded[nth], flock.columns * flock.rows - 1u);
        let begin = start[cell];
        let end = min(start[cell + 1u], flock.count);
        if sort_by_bitmaps(begin, end, thread) {
            continue;
        }
        // The number of rounds is even: the result ends where it began.
        for (var shift = 0u; shift < bits; shift += 2u * DIGIT_BITS) {
            sort_by_digit(begin, end, shift, true, thread);
            sort_by_digit(begin, end, shift + DIGIT_BITS, false, thread);
        }
    }
}
