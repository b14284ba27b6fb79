// Passes mark_ids, count_ids and draw_order: the agents by id. Agents are kept by cell, and a picture of a
// plane stacks them by id, so that none comes to the front because it has crossed the edge of a cell.
//
// An agent's place is the number of smaller ids. A bit per id gives it without comparing ids: that costs
// three reads and two writes for each agent.

import package::dispatch::{Invocation, linear_workgroup};
import package::agents::id_of;

// A bit for each of 32 ids, set if an agent has it, and the number of agents with ids before them.
struct Ids {
    used: atomic<u32>,
    before: u32,
}

const THREADS: u32 = 256u;

@group(0) @binding(5) var<storage, read_write> ids: array<Ids>;
// The agents in the order of their ids.
@group(0) @binding(4) var<storage, read_write> order: array<u32>;

var<workgroup> sums: array<u32, THREADS>;

@compute @workgroup_size(64)
fn mark_ids(here: Invocation) {
    let agent = linear_workgroup(here.workgroup, here.workgroups) * 64u + here.local;
    if agent >= arrayLength(&order) {
        return;
    }
    let id = id_of(agent);
    atomicOr(&ids[min(id / 32u, arrayLength(&ids) - 1u)].used, 1u << (id % 32u));
}

// One workgroup: each thread counts in its own stretch.
@compute @workgroup_size(THREADS)
fn count_ids(@builtin(local_invocation_index) thread: u32) {
    let words = arrayLength(&ids);
    let stretch = (words + THREADS - 1u) / THREADS;
    let first = min(thread * stretch, words);
    let end = min(first + stretch, words);
    var sum = 0u;
    for (var word = first; word < end; word++) {
        sum += countOneBits(atomicLoad(&ids[word].used));
    }
    sums[thread] = sum;
    workgroupBarrier();
    var before = 0u;
    for (var other = 0u; other < thread; other++) {
        before += sums[other];
    }
    for (var word = first; word < end; word++) {
        ids[word].before = before;
        before += countOneBits(atomicLoad(&ids[word].used));
    }
}

@compute @workgroup_size(64)
fn draw_order(here: Invocation) {
    let agent = linear_workgroup(here.workgroup, here.workgroups) * 64u + here.local;
    let agents = arrayLength(&order);
    if agent >= agents {
        return;
    }
    let id = id_of(agent);
    let word = min(id / 32u, arrayLength(&ids) - 1u);
    let smaller = atomicLoad(&ids[word].used) & ((1u << (id % 32u)) - 1u);
    order[min(ids[word].before + countOneBits(smaller), agents - 1u)] = agent;
}
