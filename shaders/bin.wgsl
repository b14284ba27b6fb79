// Pass bin: each agent takes a slot in its cell without moving, because the grid or the flock is
// another one. The passes that sort follow, as after `steer`.
//
// Agents outside the world belong to the nearest cell. Those that are removed take no slot, and the
// others close ranks: in racing order, which the passes that sort undo.

import package::dispatch::linear_workgroup;
import package::flock::flock as whole_flock;
import package::grid::key_of;
import package::space::position_of;
import package::tag::id_of;

@group(0) @binding(1) var<storage, read> state: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> tag: array<u32>;
// As `steer` writes them.
@group(0) @binding(3) var<storage, read_write> next_state: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> binned: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> cell_count: CellCount;
@if(memory)
@group(0) @binding(6) var<storage, read> memory: array<u32>;
@group(0) @binding(7) var<storage, read_write> removed: Removed;

struct CellCount {
    // Hits of targets: no concern of this pass.
    hits: array<u32, 2>,
    // Agents in each cell so far.
    members: array<atomic<u32>>,
}

struct Removed {
    // 1 when agents are removed now.
    any: u32,
    // Agents that have stayed so far.
    stayed: atomic<u32>,
    // A bit for each id that was ever removed; ids beyond were not.
    ids: array<u32>,
}

fn is_removed(id: u32) -> bool {
    let words = arrayLength(&removed.ids);
    let word = removed.ids[min(id >> 5u, words - 1u)];
    return (id >> 5u) < words && ((word >> (id & 31u)) & 1u) == 1u;
}

@compute @workgroup_size(64)
fn bin(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let flock = whole_flock;
    let i = linear_workgroup(workgroup, workgroups) * 64u + local;
    // `flock.count` is without the agents that are removed.
    let last = arrayLength(&state) - 1u;
    let own = state[min(i, last)];
    let own_tag = tag[min(i, last)];
    let stays = i <= last && (removed.any == 0u || !is_removed(id_of(own_tag)));
    if !stays {
        return;
    }
    var place = i;
    if removed.any == 1u {
        place = min(atomicAdd(&removed.stayed, 1u), last);
    }
    var remembered = 0u;
    @if(memory) {
        remembered = memory[i];
    }
    let key = key_of(flock, position_of(own));
    next_state[place] = own;
    binned[place] = vec4<u32>(key, atomicAdd(&cell_count.members[key], 1u), own_tag, remembered);
}
