// The shade in each cell of a coarse grid: counts the agents, then sums them from each cell towards the sun.

import package::agents::{agent_count, place_of};
import package::dispatch::{Invocation, linear_workgroup};
import package::picture::picture;
import package::shade::{shade_cell_number};

@group(0) @binding(5) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read_write> depths: array<f32>;

@compute @workgroup_size(64)
fn count_agents(here: Invocation) {
    let agent = linear_workgroup(here.workgroup, here.workgroups) * 64u + here.local;
    if agent >= agent_count() {
        return;
    }
    let at = place_of(agent) * picture.eye.shade_cells_per_unit;
    let along = picture.eye.shade_cells;
    // Also false for places that are not finite.
    if all(at >= vec3(0.0)) && all(at < vec3<f32>(along)) {
        let cell = min(vec3<u32>(at), along - 1u);
        atomicAdd(&counts[shade_cell_number(cell, along)], 1u);
    }
}

@compute @workgroup_size(64)
fn sum_depths(here: Invocation) {
    let number = linear_workgroup(here.workgroup, here.workgroups) * 64u + here.local;
    let along = picture.eye.shade_cells;
    if number >= along.x * along.y * along.z {
        return;
    }
    let row = number / along.x;
    let middle = vec3<f32>(vec3(number % along.x, row % along.y, row / along.y)) + 0.5;
    // An agent casts no shade on itself, and it may be two cells from here: see sunlit in shade.wgsl.
    var at = middle + 2.0 * picture.eye.sun;
    var agents = 0.0;
    while all(at >= vec3(0.0)) && all(at < vec3<f32>(along)) {
        let cell = min(vec3<u32>(at), along - 1u);
        agents += f32(atomicLoad(&counts[shade_cell_number(cell, along)]));
        at += picture.eye.sun;
    }
    depths[number] = agents * picture.eye.shade.x;
}
