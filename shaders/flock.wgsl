// What every agent knows of the flock it is part of: a uniform.

import package::space::Vector;

struct Flock {
    // Number of agents.
    count: u32,
    // The grid.
    columns: u32,
    rows: u32,
    // Columns on each side of an agent's own that hold neighbours of it.
    reach: u32,
    cells_per_unit: Vector,
    // The world's size in world units.
    size: Vector,
    seed: u32,
    // Ticks that a step advances the motion by.
    time_step: f32,
    // Longest run of agents that one agent reads whole.
    run_cap: u32,
    // How many members of a long run it looks at, and how long such a run is, as exponents of two.
    run_sample_bits: u32,
    long_run_bits: u32,
    // Members above which a cell is sorted by passes of its own instead of by counting, for each
    // member, the members before it: counting costs members² steps, sorting a few rounds.
    crowded_above: u32,
    // Words of a bitmap that a crowded cell has room for, for each of its members.
    bitmap_words: u32,
}

@group(0) @binding(0) var<uniform> flock: Flock;
