// Pass sort_crowds: sorts the agents of each crowded cell by id, so that `reorder` need not count. If no
// cell is crowded, no workgroup runs.
//
// The ids of a cell are marked in a bitmap; the rank of a member is the number of bits before its own. Cells
// whose ids are too far apart for their bitmap are left to `sort_scattered`.
//
// On llvmpipe the long loops are unrolled eight times: that driver ends all loops of an invocation after
// 65,535 rounds in total, and eight million agents may share a cell. Elsewhere they are plain loops:
// SwiftShader takes twelve seconds to compile the unrolled ones.

import package::crowds::{SCATTERED, STEPS, THREADS, bounds_of, crowd, crowded, crowds, id, index, scan_totals, tag, totals};
import package::flock::flock;

// The indirect dispatch of `sort_scattered`: workgroups along x, y and z.
struct Scattered {
    workgroups: atomic<u32>,
    rows: u32,
    layers: u32,
}

// Scratch memory, four words per agent: `steer` has read it and `reorder` will overwrite it. Here it holds a
// cell's bitmap and, behind each word, the place of that word's first member.
@group(0) @binding(7) var<storage, read_write> state: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> scattered: Scattered;

// The position of an id in its cell's bitmap: x is the word, y the bit.
fn bit_of(own: u32, low: u32, words: u32) -> vec2<u32> {
    let offset = max(own, low) - low;
    return vec2<u32>(min(offset >> 5u, words - 1u), 1u << (offset & 31u));
}

// Marks the id of the member at `at`.
fn mark(at: u32, room: u32, low: u32, words: u32) {
    let bit = bit_of(id[at], low, words);
    atomicOr(&state[room + 2u * bit.x], bit.y);
}

// Writes the index of the member at `at` to its place.
fn put(at: u32, room: u32, end: u32, low: u32, words: u32) {
    let bit = bit_of(id[at], low, words);
    let before = atomicLoad(&state[room + 2u * bit.x]) & (bit.y - 1u);
    let place = atomicLoad(&state[room + 2u * bit.x + 1u]) + countOneBits(before);
    tag[min(place, end - 1u)] = index[at];
}

// Four members from `at` on. Past the end the last one repeats; marking or placing it twice is harmless.
@if(unrolled)
fn mark_four(at: u32, room: u32, end: u32, low: u32, words: u32) {
    let last = end - 1u;
    mark(min(at, last), room, low, words);
    mark(min(at + 1u, last), room, low, words);
    mark(min(at + 2u, last), room, low, words);
    mark(min(at + 3u, last), room, low, words);
}

@if(unrolled)
fn put_four(at: u32, room: u32, end: u32, low: u32, words: u32) {
    let last = end - 1u;
    put(min(at, last), room, end, low, words);
    put(min(at + 1u, last), room, end, low, words);
    put(min(at + 2u, last), room, end, low, words);
    put(min(at + 3u, last), room, end, low, words);
}

@if(unrolled)
fn copy_four(at: u32, end: u32) {
    let last = end - 1u;
    index[min(at, last)] = tag[min(at, last)];
    index[min(at + 1u, last)] = tag[min(at + 1u, last)];
    index[min(at + 2u, last)] = tag[min(at + 2u, last)];
    index[min(at + 3u, last)] = tag[min(at + 3u, last)];
}

// Sorts a cell whose ids lie in the 32 · `words` ids from `low` on.
fn sort_by_bitmap(begin: u32, end: u32, low: u32, words: u32, thread: u32) {
    let room = 4u * begin;
    for (var word = thread; word < words; word += THREADS) {
        atomicStore(&state[room + 2u * word], 0u);
    }
    storageBarrier();
    for (var at = begin + STEPS * thread; at < end; at += STEPS * THREADS) {
        @if(!unrolled) {
            mark(at, room, low, words);
        }
        @if(unrolled) {
            mark_four(at, room, end, low, words);
            mark_four(at + 4u, room, end, low, words);
        }
    }
    storageBarrier();
    // Each thread sums its own range of words.
    let stretch = (words + THREADS - 1u) / THREADS;
    let first = min(thread * stretch, words);
    let last = min(first + stretch, words);
    var sum = 0u;
    for (var word = first; word < last; word++) {
        sum += countOneBits(atomicLoad(&state[room + 2u * word]));
    }
    totals[thread] = sum;
    var next = scan_totals(begin, thread);
    for (var word = first; word < last; word++) {
        atomicStore(&state[room + 2u * word + 1u], next);
        next += countOneBits(atomicLoad(&state[room + 2u * word]));
    }
    storageBarrier();
    for (var at = begin + STEPS * thread; at < end; at += STEPS * THREADS) {
        @if(!unrolled) {
            put(at, room, end, low, words);
        }
        @if(unrolled) {
            put_four(at, room, end, low, words);
            put_four(at + 4u, room, end, low, words);
        }
    }
    storageBarrier();
    for (var at = begin + STEPS * thread; at < end; at += STEPS * THREADS) {
        @if(!unrolled) {
            index[at] = tag[at];
        }
        @if(unrolled) {
            copy_four(at, end);
            copy_four(at + 4u, end);
        }
    }
    storageBarrier();
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
        let span = bounds_of(members.begin, members.end, thread);
        let words = ((span.y - span.x) >> 5u) + 1u;
        if words <= flock.bitmap_words * (members.end - members.begin) {
            sort_by_bitmap(members.begin, members.end, span.x, words, thread);
        } else if thread == 0u {
            crowded[nth] = members.cell | SCATTERED;
            atomicMax(&scattered.workgroups, workgroups.x);
        }
    }
}
