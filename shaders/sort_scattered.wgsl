// Pass sort_scattered: sorts by radix those crowded cells whose members come from so far apart that
// `sort_crowds` has left them. Where there is none there is no workgroup: llvmpipe goes through both
// sides of a branch, and inside `sort_crowds` the radix sort doubled its time.
//
// Loops go a step a round, since cells are smaller than those of `sort_crowds`: one with a 64th of the
// flock fits a bitmap. Of eight million agents a thread has at most 1,024, in six rounds of digits.

import package::crowds::{THREADS, crowd, crowds, index, scan_totals, scratch, totals};
import package::flock::flock;

const DIGITS = 16u;
const DIGIT_BITS = 4u;

// places[digit * THREADS + thread]: how many there are, then where the next one goes.
var<workgroup> places: array<u32, 2048>;

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
fn sort_scattered(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let all = crowds(thread);
    // Two rounds at a time until all bits of an index are sorted.
    let bits = 32u - countLeadingZeros(flock.count);
    for (var nth = workgroup.x; nth < all; nth += workgroups.x) {
        let members = crowd(nth, thread);
        // A cell that is sorted has no digits left to sort by.
        let left = select(0u, bits, members.is_scattered);
        // The number of rounds is even: the result ends where it began.
        for (var shift = 0u; shift < left; shift += 2u * DIGIT_BITS) {
            sort_by_digit(members.begin, members.end, shift, true, thread);
            sort_by_digit(members.begin, members.end, shift + DIGIT_BITS, false, thread);
        }
    }
}
