// The flock after the last tick, sorted by cell and by id within a cell. The neighbour loop reads it.

import package::space::Motion;

// Position and velocity.
@group(0) @binding(4) var<storage, read> state: array<Motion>;
// Species and id, see tag.wgsl.
@group(0) @binding(5) var<storage, read> tag: array<u32>;
// Index of the first agent of each cell, and the number of agents at the end.
@group(0) @binding(6) var<storage, read> cell_start: array<u32>;
