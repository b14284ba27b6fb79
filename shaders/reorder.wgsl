// Pass reorder: moves every agent to its place in the sorted state. Its rank within the cell is
// the number of members with a smaller old index, so the result is the stable sort of the old
// order, whatever the race for slots was.

import package::dispatch::linear_workgroup;
import package::flock::flock;
@if(in_step) import package::subgroup::LANES;

@group(0) @binding(1) var<storage, read> next_state: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> landing: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> start: array<u32>;
@group(0) @binding(4) var<storage, read> index: array<u32>;
@group(0) @binding(5) var<storage, read_write> state: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> tag: array<u32>;
@if(memory)
@group(0) @binding(7) var<storage, read_write> memory: array<u32>;

// How many of the slots from `begin` to `end` hold a smaller index than `i`.
@if(!in_step)
fn smaller(begin: u32, end: u32, i: u32) -> u32 {
    var count = 0u;
    for (var other = begin; other < end; other++) {
        count += select(0u, 1u, index[other] < i);
    }
    return count;
}

// The same for a subgroup of consecutive slots: the lanes go through the slots of all their cells,
// each loads one and shows it to the others.
@if(in_step)
fn smaller(begin: u32, end: u32, i: u32, lane: u32) -> u32 {
    var count = 0u;
    // No more than two cells reach beyond the subgroup.
    let longest = 2u * flock.crowded_above + LANES;
    var base = subgroupShuffle(begin, 0u);
    let last = min(subgroupShuffle(end, LANES - 1u), base + longest);
    loop {
        let other = index[min(base + lane, flock.count - 1u)];
        for (var turn = 0u; turn < LANES; turn++) {
            let slot = base + turn;
            let counts = slot >= begin && slot < end && subgroupShuffle(other, turn) < i;
            count += select(0u, 1u, counts);
        }
        continuing {
            base += LANES;
            break if base >= last;
        }
    }
    return count;
}

@compute @workgroup_size(64)
fn reorder(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @if(in_step) @builtin(subgroup_invocation_id) lane: u32,
) {
    let number = linear_workgroup(workgroup, workgroups) * 64u + local;
    @if(!in_step) {
        if number >= flock.count {
            return;
        }
    }
    // In step nobody leaves before the count: those beyond the flock go along with the last slot.
    let slot = min(number, flock.count - 1u);
    let i = min(index[slot], flock.count - 1u);
    let cell = min(landing[i].x, flock.columns * flock.rows - 1u);
    let begin = start[cell];
    let end = min(start[cell + 1u], flock.count);
    // A crowded cell is sorted already.
    let sorted = end - begin > flock.crowded_above;
    @if(in_step)
    let rank = smaller(select(begin, slot, sorted), select(end, slot, sorted), i, lane);
    @if(!in_step)
    let rank = smaller(begin, select(end, begin, sorted), i);
    let place = min(select(begin + rank, slot, sorted), flock.count - 1u);
    @if(in_step) {
        if number >= flock.count {
            return;
        }
    }
    state[place] = next_state[i];
    tag[place] = landing[i].z;
    @if(memory) {
        memory[place] = landing[i].w;
    }
}
