// Pass reorder: moves every agent to its place in the sorted state. Its rank within the cell is
// the number of members with a smaller old index, so the result is the stable sort of the old
// order, whatever the race for slots was.

import package::dispatch::linear_workgroup;
import package::flock::flock;

@group(0) @binding(1) var<storage, read> next_state: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> landing: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> start: array<u32>;
@group(0) @binding(4) var<storage, read> index: array<u32>;
@group(0) @binding(5) var<storage, read_write> state: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> tag: array<u32>;
@if(memory)
@group(0) @binding(7) var<storage, read_write> memory: array<u32>;

@compute @workgroup_size(64)
fn reorder(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = linear_workgroup(workgroup, workgroups) * 64u + local;
    if slot >= flock.count {
        return;
    }
    let i = min(index[slot], flock.count - 1u);
    let cell = min(landing[i].x, flock.columns * flock.rows - 1u);
    let begin = start[cell];
    let end = min(start[cell + 1u], flock.count);
    var place = slot;
    if end - begin <= flock.crowded_above {
        place = begin;
        for (var other = begin; other < end; other++) {
            place += select(0u, 1u, index[other] < i);
        }
    }
    place = min(place, flock.count - 1u);
    state[place] = next_state[i];
    tag[place] = landing[i].z;
    @if(memory) {
        memory[place] = landing[i].w;
    }
}
