// Pass place: each agent writes its old index and its id into its slot. Within a cell the slots are still in
// racing order.

import package::dispatch::{Invocation, linear_workgroup};
import package::flock::flock;
@if(!slab) import package::space::cells_in;
import package::tag::id_of;

@group(0) @binding(1) var<storage, read> binned: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> cell_start: array<u32>;
// Old index and id of the agent in each slot, in racing order within a cell.
@group(0) @binding(3) var<storage, read_write> index: array<u32>;
@group(0) @binding(4) var<storage, read_write> id: array<u32>;

@compute @workgroup_size(64)
fn place(here: Invocation) {
    let i = linear_workgroup(here.workgroup, here.workgroups) * 64u + here.local;
    if i >= flock.count {
        return;
    }
    @if(!slab)
    let cell = min(binned[i].x, cells_in(flock.cells_along) - 1u);
    @if(slab)
    let cell = min(binned[i].x, flock.own_cells);
    let slot = min(cell_start[cell] + binned[i].y, flock.count - 1u);
    index[slot] = i;
    id[slot] = id_of(binned[i].z);
}
