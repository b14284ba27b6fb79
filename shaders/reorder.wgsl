// Pass reorder: moves every agent to its place in the sorted state. Its rank within the cell is the number
// of members with a smaller id, so the state alone decides the order: neither the old order nor the race
// for slots matters.

import package::dispatch::{Invocation, linear_workgroup};
import package::flock::flock;
import package::space::Motion;
@if(!slab) import package::space::cells_in;
@if(by_subgroup) import package::subgroup::LANES;
@if(by_subgroup) import package::tag::ID_BITS;

@group(0) @binding(1) var<storage, read> next_state: array<Motion>;
@group(0) @binding(2) var<storage, read> binned: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> cell_start: array<u32>;
@group(0) @binding(4) var<storage, read> index: array<u32>;
@group(0) @binding(5) var<storage, read_write> state: array<Motion>;
@group(0) @binding(6) var<storage, read_write> tag: array<u32>;
@if(memory)
@group(0) @binding(7) var<storage, read_write> memory: array<u32>;
// Id of the agent in each slot; not valid in crowded cells.
@group(0) @binding(8) var<storage, read> id: array<u32>;

// The number of slots from `begin` to `end` with a smaller id than `own`.
@if(!by_subgroup)
fn smaller(begin: u32, end: u32, own: u32) -> u32 {
    var count = 0u;
    for (var other = begin; other < end; other++) {
        count += select(0u, 1u, id[other] < own);
    }
    return count;
}

// An agent and its slot.
struct Slotted {
    slot: u32,
    // Its old index.
    index: u32,
    id: u32,
    // The slots of its cell: begin and end.
    begin: u32,
    end: u32,
    // A crowded cell is sorted already.
    sorted: bool,
}

fn placed_in(slot: u32) -> Slotted {
    let i = min(index[slot], flock.count - 1u);
    @if(!slab)
    let cell = min(binned[i].x, cells_in(flock.cells_along) - 1u);
    @if(slab)
    let cell = min(binned[i].x, flock.own_cells);
    let begin = cell_start[cell];
    let end = min(cell_start[cell + 1u], flock.count);
    return Slotted(slot, i, id[slot], begin, end, end - begin > flock.crowded_above);
}

fn move_agent(i: u32, place: u32) {
    let slot = min(place, flock.count - 1u);
    state[slot] = next_state[i];
    tag[slot] = binned[i].z;
    @if(memory) {
        memory[slot] = binned[i].w;
    }
}

@if(!by_subgroup)
@compute @workgroup_size(64)
fn reorder(here: Invocation) {
    let slot = linear_workgroup(here.workgroup, here.workgroups) * 64u + here.local;
    if slot >= flock.count {
        return;
    }
    let agent = placed_in(slot);
    let rank = smaller(agent.begin, select(agent.end, agent.begin, agent.sorted), agent.id);
    move_agent(agent.index, select(agent.begin + rank, slot, agent.sorted));
}

// Slots per invocation.
@if(by_subgroup) const SLOTS = 4u;
// Above all other keys.
@if(by_subgroup) const BEYOND = 0x7fffffff;

// The sort key of a slot: the cell's number among the 32 slots of a subgroup, above the id. It is signed
// because processors compare vectors of signed numbers in one instruction.
@if(by_subgroup)
fn key_of(cell: u32, id: u32) -> i32 {
    return bitcast<i32>(((cell << ID_BITS) | id) ^ 0x80000000u);
}

// A subgroup sorts consecutive slots, four times as many as it has lanes. Its first cell may have slots
// before them, its last cell may have slots behind. An agent's place is the number of smaller keys.
@if(by_subgroup)
@compute @workgroup_size(64u / SLOTS)
fn reorder(here: Invocation, @builtin(subgroup_invocation_id) lane: u32) {
    let first = linear_workgroup(here.workgroup, here.workgroups) * 64u + (here.local - lane) * SLOTS;
    let first_slot = min(first, flock.count - 1u);
    let end_slot = min(first + SLOTS * LANES, flock.count);
    var agents = array<Slotted, SLOTS>();
    var keys = array<i32, SLOTS>();
    for (var nth = 0u; nth < SLOTS; nth++) {
        let slot = first + nth * LANES + lane;
        let agent = placed_in(min(slot, flock.count - 1u));
        agents[nth] = agent;
        // Number the cells: the first is 0, each later one begins behind the first slot.
        let cell = max(agent.begin, first_slot) - first_slot;
        keys[nth] = select(BEYOND, key_of(cell, agent.id), slot < flock.count);
    }
    let leader = agents[0];
    let last = agents[SLOTS - 1u];
    let before = select(first_slot - min(leader.begin, first_slot), 0u, leader.sorted);
    let behind = select(max(last.end, end_slot) - end_slot, 0u, last.sorted);
    let slots_before = subgroupShuffle(before, 0u);
    let slots_behind = subgroupShuffle(behind, LANES - 1u);
    let last_cell = subgroupShuffle(max(last.begin, first_slot) - first_slot, LANES - 1u);

    var smaller = array<u32, SLOTS>();
    for (var other = 0u; other < SLOTS; other++) {
        for (var turn = 0u; turn < LANES; turn++) {
            let key = subgroupShuffle(keys[other], turn);
            for (var nth = 0u; nth < SLOTS; nth++) {
                smaller[nth] += select(0u, 1u, key < keys[nth]);
            }
        }
    }
    // Each lane loads one of the other slots and broadcasts it.
    let others = min(slots_before + slots_behind, 2u * flock.crowded_above);
    var base = 0u;
    loop {
        let other = base + lane;
        let is_before = other < slots_before;
        let slot = select(end_slot + other - slots_before, first_slot - slots_before + other, is_before);
        let found = key_of(select(last_cell, 0u, is_before), id[min(slot, flock.count - 1u)]);
        let loaded = select(BEYOND, found, other < others);
        for (var turn = 0u; turn < LANES; turn++) {
            let key = subgroupShuffle(loaded, turn);
            for (var nth = 0u; nth < SLOTS; nth++) {
                smaller[nth] += select(0u, 1u, key < keys[nth]);
            }
        }
        continuing {
            base += LANES;
            break if base >= others;
        }
    }
    for (var nth = 0u; nth < SLOTS; nth++) {
        let agent = agents[nth];
        let place = select(first_slot - slots_before + smaller[nth], agent.slot, agent.sorted);
        if first + nth * LANES + lane < flock.count {
            move_agent(agent.index, place);
        }
    }
}
