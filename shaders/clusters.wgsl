// Passes begin_clusters, join_clusters and show_clusters: a number for the colour of each agent, from the smallest id
// in its cluster. Two agents nearer than the scene's largest radius are in one cluster, and so are all agents between
// which a chain of such pairs leads. src/view/clusters.rs gives the same numbers, except that
// in crowds a sample of the pairs decides here.
//
// Union-find on all pairs at once, after ECL-CC (Jaiganesh and Burtscher, HPDC 2018): each agent has a parent in its
// cluster with a smaller id, or is the root. Agents race, but the root is the smallest id in the end.

import package::dispatch::{Invocation, linear_workgroup};
import package::flock::flock;
import package::grid::{NEXT_RUN, RUNS_AROUND, cell_of, columns_around, run_around};
import package::memory::{SHOWS_CLUSTER, shown_by};
import package::sorted::{cell_start, state, tag};
import package::space::{dot, position_of};
import package::tag::{id_of, species_of};
import package::world::shortest;

@group(0) @binding(1) var<storage, read_write> parent: array<atomic<u32>>;
// For the colour of each agent: 0 for one that is alone.
@group(0) @binding(2) var<storage, read_write> number: array<atomic<u32>>;
// The numbers of species that show something else.
@group(0) @binding(3) var<storage, read> memory: array<u32>;
// Square of the radius.
@group(0) @binding(7) var<uniform> squared_radius: f32;

// The longest run of agents that is read whole. Of a longer one each agent reads a sample, each another one: a chain
// within a crowd is found by some of its many pairs.
const MAX_RUN = 512u;
const CROWD_SAMPLE = 128u;

// Multiples of the golden ratio are far apart on a circle, and so are the hues of ids that follow one another.
// NUMBER_STEP in src/view/clusters.rs is the same.
const NUMBER_STEP = 2654435769u;

fn shows_cluster(agent: u32) -> bool {
    return shown_by(flock.shown, species_of(tag[agent])) == SHOWS_CLUSTER;
}

// Halves the paths that it follows. The parent of an agent that is no root only ever becomes an earlier ancestor,
// so plain stores lose nothing.
fn root_of(agent: u32) -> u32 {
    var root = agent;
    for (var step = 0u; step < flock.count; step++) {
        let above = atomicLoad(&parent[root]);
        if above == root {
            break;
        }
        let next = atomicLoad(&parent[above]);
        atomicStore(&parent[root], next);
        root = next;
    }
    return root;
}

// Makes one cluster of two, and returns its root.
fn joined(one: u32, other: u32) -> u32 {
    var low = root_of(one);
    var high = root_of(other);
    // An exchange fails only where another invocation has joined a root meanwhile, or for no reason.
    for (var attempt = 0u; attempt < flock.count && low != high; attempt++) {
        if id_of(tag[low]) > id_of(tag[high]) {
            let larger = low;
            low = high;
            high = larger;
        }
        if atomicCompareExchangeWeak(&parent[high], high, low).exchanged {
            return low;
        }
        low = root_of(low);
        high = root_of(high);
    }
    return low;
}

@compute @workgroup_size(64)
fn begin_clusters(here: Invocation) {
    let agent = linear_workgroup(here.workgroup, here.workgroups) * 64u + here.local;
    if agent < flock.count {
        atomicStore(&parent[agent], agent);
        atomicStore(&number[agent], select(memory[agent], 0u, shows_cluster(agent)));
    }
}

@compute @workgroup_size(64)
fn join_clusters(here: Invocation) {
    let agent = linear_workgroup(here.workgroup, here.workgroups) * 64u + here.local;
    if agent >= flock.count {
        return;
    }
    let position = position_of(state[agent]);
    let cell = cell_of(flock, position);
    let columns = columns_around(flock, cell);
    var root = agent;
    for (var nth = 0u; nth < RUNS_AROUND; nth += NEXT_RUN) {
        let run = run_around(flock, cell, columns, nth);
        if !run.exists {
            continue;
        }
        let begin = cell_start[run.first];
        let whole = min(cell_start[run.last + 1u], flock.count);
        let length = max(whole, begin) - begin;
        let stride = select(1u, (length + CROWD_SAMPLE - 1u) / CROWD_SAMPLE, length > MAX_RUN);
        // Of two agents the later one looks at the earlier one, except in a crowd.
        let end = select(whole, min(whole, agent), stride == 1u);
        for (var other = begin + agent % stride; other < end; other += stride) {
            let offset = shortest(position_of(state[other]) - position, flock.size);
            // Most agents of a crowd have its root already.
            if dot(offset, offset) < squared_radius && atomicLoad(&parent[other]) != root {
                root = joined(root, other);
            }
        }
    }
}

fn show(agent: u32, shown: u32) {
    if shows_cluster(agent) {
        atomicStore(&number[agent], shown);
    }
}

@compute @workgroup_size(64)
fn show_clusters(here: Invocation) {
    let agent = linear_workgroup(here.workgroup, here.workgroups) * 64u + here.local;
    if agent >= flock.count {
        return;
    }
    let root = root_of(agent);
    if root != agent {
        let shown = max((id_of(tag[root]) * NUMBER_STEP) >> 24u, 1u);
        show(agent, shown);
        // A root that no other agent has is alone, and stays grey.
        show(root, shown);
    }
}
