// The buffer `cell_count`, which agents add to as they move. The scan clears the members, and move_targets the hits.

// Where agents race for their slots.
struct AtomicCellCount {
    // One bit per target, set if an agent has hit it.
    hits: array<atomic<u32>, 2>,
    // How many forces of rules in text were no numbers so far, and a bit at the number of each such rule. No pass
    // clears them.
    broken: array<atomic<u32>, 2>,
    // Number of agents binned into each cell so far.
    members: array<atomic<u32>>,
}

// The same numbers once all agents have moved.
struct CellCount {
    hits: array<u32, 2>,
    broken: array<u32, 2>,
    members: array<u32>,
}
