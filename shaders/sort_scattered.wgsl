// Pass sort_scattered: a radix sort of the crowded cells that `sort_crowds` has left, because their ids are
// too far apart for a bitmap. If there are none, no workgroup runs. It is a pass of its own because llvmpipe
// executes both sides of a branch: inside `sort_crowds` the radix sort doubled the time.
//
// The loops are plain because these cells are small: a cell with a 64th of the flock fits a bitmap. With
// eight million agents a thread has at most 1,024 members, in six rounds of digits.

import package::crowds::{THREADS, bounds_of, crowd, crowds, id, index, scan_totals, tag, totals};

// Scratch memory, four words per agent: `steer` has read it and `reorder` will overwrite it.
@group(0) @binding(7) var<storage, read_write> state: array<u32>;

const DIGITS = 16u;
const DIGIT_BITS = 4u;

// places[digit * THREADS + thread]: first the count of that digit, then the place of the next one.
var<workgroup> places: array<u32, 2048>;

// The scratch word of the member at `at`.
fn room_of(begin: u32, at: u32) -> u32 {
    return 3u * begin + at;
}

fn id_at(original: bool, begin: u32, at: u32) -> u32 {
    if original {
        return id[at];
    }
    return state[room_of(begin, at)];
}

// One round of the stable radix sort, by the four bits at `shift` of (id − low). Each thread counts the
// digits of its own range; a scan over (digit, thread) gives every thread its places; each thread moves its
// range. Rounds go from `id` and `index` to the scratch memory and back.
fn sort_by_digit(begin: u32, end: u32, low: u32, shift: u32, original: bool, thread: u32) {
    for (var digit = 0u; digit < DIGITS; digit++) {
        places[digit * THREADS + thread] = 0u;
    }
    let stretch = (end - begin + THREADS - 1u) / THREADS;
    let first = min(begin + thread * stretch, end);
    let last = min(first + stretch, end);
    for (var at = first; at < last; at++) {
        let digit = ((id_at(original, begin, at) - low) >> shift) & (DIGITS - 1u);
        places[digit * THREADS + thread] += 1u;
    }
    workgroupBarrier();
    // Exclusive scan over the table: each thread sums 16 consecutive entries, thread 0 scans the sums.
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
        let own = id_at(original, begin, at);
        let entry = (((own - low) >> shift) & (DIGITS - 1u)) * THREADS + thread;
        let to = min(places[entry], end - 1u);
        places[entry] += 1u;
        if original {
            state[room_of(begin, to)] = own;
            tag[to] = index[at];
        } else {
            id[to] = own;
            index[to] = tag[at];
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
    for (var nth = workgroup.x; nth < all; nth += workgroups.x) {
        let members = crowd(nth, thread);
        let span = bounds_of(members.begin, members.end, thread);
        let bits = 32u - countLeadingZeros(span.y - span.x);
        // No digits are left: the cell is sorted.
        let left = select(0u, bits, members.is_scattered);
        // The number of rounds is even, so the result ends up in `id` and `index`.
        for (var shift = 0u; shift < left; shift += 2u * DIGIT_BITS) {
            sort_by_digit(members.begin, members.end, span.x, shift, true, thread);
            sort_by_digit(members.begin, members.end, span.x, shift + DIGIT_BITS, false, thread);
        }
    }
}
