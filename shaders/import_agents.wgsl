// Pass import_agents: agents that have come from other processes take slots in their cells. They follow the
// agents of the slab, in the form that `steer` writes; only their keys and slots are missing. The sorting
// passes follow.

import package::cell_count::AtomicCellCount;
import package::dispatch::{Invocation, linear_workgroup};
import package::flock::flock as whole_flock;
import package::grid::key_of;
import package::space::{Motion, position_of};

@group(0) @binding(1) var<storage, read> next_state: array<Motion>;
@group(0) @binding(2) var<storage, read_write> binned: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> cell_count: AtomicCellCount;

@compute @workgroup_size(64)
fn import_agents(here: Invocation) {
    let flock = whole_flock;
    let number = flock.moved + linear_workgroup(here.workgroup, here.workgroups) * 64u + here.local;
    let i = min(number, flock.count - 1u);
    let key = key_of(flock, position_of(next_state[i]));
    let own = binned[i];
    if number >= flock.count {
        return;
    }
    binned[i] = vec4<u32>(key, atomicAdd(&cell_count.members[key], 1u), own.z, own.w);
}
