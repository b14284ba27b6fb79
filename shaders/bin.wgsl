// Pass bin: each agent takes a slot in its cell without moving, because the grid or the flock has
// changed. The sorting passes follow, as after `steer`.
//
// If the world has shrunk, agents outside it move inside, as at the end of a tick. Removed agents take no
// slot, and the others close the gaps in racing order; the sorting passes restore the order.

import package::cell_count::AtomicCellCount;
import package::dispatch::{Invocation, linear_workgroup};
import package::flock::flock as whole_flock;
import package::grid::key_of;
import package::space::{Motion, position_of, velocity_of};
import package::tag::id_of;
import package::world::confined;
@if(wrap)
import package::world::near;

@group(0) @binding(1) var<storage, read> state: array<Motion>;
@group(0) @binding(2) var<storage, read> tag: array<u32>;
// In the form that `steer` writes.
@group(0) @binding(3) var<storage, read_write> next_state: array<Motion>;
@group(0) @binding(4) var<storage, read_write> binned: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> cell_count: AtomicCellCount;
@if(memory)
@group(0) @binding(6) var<storage, read> memory: array<u32>;
@group(0) @binding(7) var<storage, read_write> edit: Edit;

struct Edit {
    // 1 if the world has changed.
    confines: u32,
    // 1 if agents are removed.
    removes: u32,
    // Number of agents kept so far.
    stayed: atomic<u32>,
    // One bit per id, set if it was ever removed. Ids beyond the end were not.
    removed: array<u32>,
}

fn is_removed(id: u32) -> bool {
    let words = arrayLength(&edit.removed);
    let word = edit.removed[min(id >> 5u, words - 1u)];
    return (id >> 5u) < words && ((word >> (id & 31u)) & 1u) == 1u;
}

@compute @workgroup_size(64)
fn bin(here: Invocation) {
    let flock = whole_flock;
    let i = linear_workgroup(here.workgroup, here.workgroups) * 64u + here.local;
    // `flock.count` excludes the removed agents.
    @if(!slab)
    let last = arrayLength(&state) - 1u;
    // In a slab `state` has room for more agents.
    @if(slab)
    let last = flock.count - 1u;
    var own = state[min(i, last)];
    let own_tag = tag[min(i, last)];
    let stays = i <= last && (edit.removes == 0u || !is_removed(id_of(own_tag)));
    if !stays {
        return;
    }
    var place = i;
    if edit.removes == 1u {
        place = min(atomicAdd(&edit.stayed, 1u), last);
    }
    var remembered = 0u;
    @if(memory) {
        remembered = memory[i];
    }
    if edit.confines == 1u {
        @if(kept)
        let kept = own.kept;
        var there = position_of(own);
        @if(wrap) {
            there = near(there, flock.size);
        }
        own = confined(there, velocity_of(own), flock.size);
        @if(kept) {
            own.kept = kept;
        }
    }
    let key = key_of(flock, position_of(own));
    next_state[place] = own;
    binned[place] = vec4<u32>(key, atomicAdd(&cell_count.members[key], 1u), own_tag, remembered);
}
