// Pass export_agents: collects the agents that have left the slab of this process, for the host. They are those
// in the cell behind the last one, and their slots in it are their places here.

import package::dispatch::{Invocation, linear_workgroup};
import package::flock::flock as whole_flock;
import package::space::Motion;

@group(0) @binding(1) var<storage, read> next_state: array<Motion>;
@group(0) @binding(2) var<storage, read> binned: array<vec4<u32>>;
// Their content is not needed any more: the sorting passes write all of them.
@group(0) @binding(3) var<storage, read_write> state: array<Motion>;
// The tag of each agent that leaves.
@group(0) @binding(4) var<storage, read_write> index: array<u32>;
// Its memory.
@group(0) @binding(5) var<storage, read_write> id: array<u32>;

@compute @workgroup_size(64)
fn export_agents(here: Invocation) {
    let flock = whole_flock;
    let number = linear_workgroup(here.workgroup, here.workgroups) * 64u + here.local;
    let last = flock.count - 1u;
    let moved = next_state[min(number, last)];
    let own = binned[min(number, last)];
    if number > last || own.x != flock.own_cells {
        return;
    }
    let place = min(own.y, last);
    state[place] = moved;
    index[place] = own.z;
    id[place] = own.w;
}
