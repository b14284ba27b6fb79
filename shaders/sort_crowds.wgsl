// Pass sort_crowds: sorts the old indices within each crowded cell, so that `reorder` need not
// count. Where no cell is crowded there is no workgroup.
//
// Members of a cell come from the cells round it, so their old indices lie close together, or in
// three such clusters, one for each row: they are marked in bitmaps, and the bits before a member's
// own are its rank. Cells whose members are scattered more widely, because agents jump far, are left
// to `sort_scattered`.
//
// On llvmpipe long loops go eight steps a round: that driver ends all loops of an invocation after 65,535
// rounds in sum, and eight million agents may share a cell. Elsewhere they are plain: SwiftShader takes
// twelve seconds to compile the unrolled ones.

import package::crowds::{SCATTERED, THREADS, crowd, crowded, crowds, end_of_scan, index, scan_totals, scratch, totals};
import package::flock::flock;

// The dispatch of `sort_scattered`: workgroups along x, y and z.
struct Scattered {
    workgroups: atomic<u32>,
    rows: u32,
    layers: u32,
}

// What `steer` has read and `reorder` will write: four words an agent, of which a cell's are room for
// a bitmap and, behind each of its words, the place of the word's first member.
@group(0) @binding(6) var<storage, read_write> state: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read_write> scattered: Scattered;

// Members that a round of a long loop takes.
@if(unrolled) const STEPS = 8u;
@if(!unrolled) const STEPS = 1u;
// Most bitmaps that a cell is worth.
const WINDOWS = 6u;

var<workgroup> lowest: atomic<u32>;
var<workgroup> highest: atomic<u32>;
var<workgroup> bounds: vec2<u32>;

// Four members from `at` on; at the end the last one again, which changes nothing of what is asked.
@if(unrolled)
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
        @if(!unrolled) {
            let number = index[at];
            low.x = min(low.x, select(0xffffffffu, number, number >= least));
            high.x = max(high.x, number);
        }
        @if(unrolled) {
            let four = four_at(at, end);
            low = min(low, select(vec4<u32>(0xffffffffu), four, four >= vec4<u32>(least)));
            high = max(high, four);
            let others = four_at(at + 4u, end);
            low = min(low, select(vec4<u32>(0xffffffffu), others, others >= vec4<u32>(least)));
            high = max(high, others);
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

@if(unrolled)
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

@if(unrolled)
fn put_four(four: vec4<u32>, room: u32, end: u32, low: u32, words: u32) {
    put(four.x, room, end, low, words);
    put(four.y, room, end, low, words);
    put(four.z, room, end, low, words);
    put(four.w, room, end, low, words);
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
        @if(!unrolled) {
            mark(index[at], room, low, words);
        }
        @if(unrolled) {
            // Marked twice is marked.
            mark_four(four_at(at, end), room, low, words);
            mark_four(four_at(at + 4u, end), room, low, words);
        }
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
        @if(!unrolled) {
            put(index[at], room, end, low, words);
        }
        @if(unrolled) {
            put_four(four_at(at, end), room, end, low, words);
            put_four(four_at(at + 4u, end), room, end, low, words);
        }
    }
    storageBarrier();
}

@if(unrolled)
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
    let most = select(max(members >> 2u, 1u), all, all <= flock.bitmap_words * members);
    var next = begin;
    for (var window = 0u; window < WINDOWS; window++) {
        let words = min(((span.y - span.x) >> 5u) + 1u, most);
        sort_window(begin, end, span.x, words, next, thread);
        next = workgroupUniformLoad(&end_of_scan);
        if next >= end {
            for (var at = begin + STEPS * thread; at < end; at += STEPS * THREADS) {
                @if(!unrolled) {
                    index[at] = scratch[at];
                }
                @if(unrolled) {
                    copy_four(at, end);
                    copy_four(at + 4u, end);
                }
            }
            storageBarrier();
            return true;
        }
        span = bounds_of(begin, end, span.x + 32u * words, thread);
    }
    return false;
}

@compute @workgroup_size(THREADS)
fn sort_crowds(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let all = crowds(thread);
    for (var nth = workgroup.x; nth < all; nth += workgroups.x) {
        let members = crowd(nth, thread);
        let sorted = sort_by_bitmaps(members.begin, members.end, thread);
        if !sorted && thread == 0u {
            crowded[nth] = members.cell | SCATTERED;
            atomicMax(&scattered.workgroups, workgroups.x);
        }
    }
}
