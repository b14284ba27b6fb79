// Pass bin: each agent takes a slot in its cell without moving, because the grid or the flock is
// another one. The passes that sort follow, as after `steer`.
//
// Agents outside the world belong to the nearest cell. Those that have been removed take no slot, and
// `place` puts them behind all others.

import package::dispatch::linear_workgroup;
import package::flock::flock as whole_flock;
import package::grid::key_of;
import package::space::position_of;
import package::tag::id_in;

@group(0) @binding(1) var<storage, read> state: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> tag: array<u32>;
// As `steer` writes them.
@group(0) @binding(3) var<storage, read_write> next_state: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> binned: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> cell_count: CellCount;
@if(memory)
@group(0) @binding(6) var<storage, read> memory: array<u32>;

// A bit for each id that has been removed; ids beyond have not.
@group(0) @binding(7) var<storage, read> removed: array<u32>;

// Beyond every slot, wherever its cell begins.
const NO_SLOT = 0x7fffffffu;

struct CellCount {
    // Hits of targets: no concern of this pass.
    hits: array<u32, 2>,
    // Agents in each cell so far.
    members: array<atomic<u32>>,
}

@compute @workgroup_size(64)
fn bin(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let flock = whole_flock;
    let i = linear_workgroup(workgroup, workgroups) * 64u + local;
    if i >= flock.count {
        return;
    }
    let own = state[i];
    let own_tag = tag[i];
    let key = key_of(flock, position_of(own));
    let id = id_in(own_tag);
    let words = arrayLength(&removed);
    let word = select(0u, removed[min(id >> 5u, words - 1u)], (id >> 5u) < words);
    var slot = NO_SLOT;
    if ((word >> (id & 31u)) & 1u) == 0u {
        slot = atomicAdd(&cell_count.members[key], 1u);
    }
    var remembered = 0u;
    @if(memory) {
        remembered = memory[i];
    }
    next_state[i] = own;
    binned[i] = vec4<u32>(key, slot, own_tag, remembered);
}
