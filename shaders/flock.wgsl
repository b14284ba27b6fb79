// The uniform that describes the flock and its grid.

import package::space::{Cell, Vector};

struct Flock {
    // Number of agents.
    count: u32,
    // Cells of the grid along each axis.
    cells_along: Cell,
    // Columns on each side of an agent's own that may hold its neighbours.
    reach: u32,
    cells_per_unit: Vector,
    // The world's size in world units.
    size: Vector,
    seed: u32,
    // Length of a step; ticks.
    time_step: f32,
    // The longest run of agents that is read whole.
    run_cap: u32,
    // The sample of a long run, and the length of a long run, as powers of two.
    run_sample_bits: u32,
    long_run_bits: u32,
    // Cells with more members are sorted by passes of their own. The others are sorted by counting:
    // for each member the members before it, members² steps.
    crowded_above: u32,
    // A bit for each species that remembers a direction.
    directed: u32,
    // Bitmap words per member of a crowded cell.
    bitmap_words: u32,
    // The quantity that the looks of each species show, four bits each; see memory.wgsl.
    shown: vec2<u32>,
    // The age at the end of a palette; ticks.
    longest_age: u32,
    // Agents in the slab of one of several processes, and copies of those beside it.
    @if(slab)
    all: u32,
    // The slices of the slab, see src/model/grid/slab.rs.
    @if(slab)
    first_slice: u32,
    @if(slab)
    own_slices: u32,
    // Cells of the slab. The cell with this number is for agents that leave it.
    @if(slab)
    own_cells: u32,
    // Number of agents that a dispatch of `steer` moves. It leaves out `gap` agents from `gap_begin` on.
    @if(slab)
    steered: u32,
    @if(slab)
    gap_begin: u32,
    @if(slab)
    gap: u32,
    // Agents in `binned` before those that arrive.
    @if(slab)
    moved: u32,
    // Last, because not all passes of a scene have it.
    @if(shared || add_up)
    species_count: u32,
}

@group(0) @binding(0) var<uniform> flock: Flock;
