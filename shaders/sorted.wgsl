// The flock as the last tick left it, sorted by cell and within a cell by id: what neighbours are looked
// for in.

// Position and velocity.
@group(0) @binding(4) var<storage, read> state: array<vec4<f32>>;
// Species and id, see tag.wgsl.
@group(0) @binding(5) var<storage, read> tag: array<u32>;
// Index of the first agent of each cell; one more entry at the end.
@group(0) @binding(6) var<storage, read> cell_start: array<u32>;
