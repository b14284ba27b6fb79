// The flock as the last tick left it, sorted by cell: what neighbours are looked for in.

import package::tag::species_in;

// Position and velocity.
@group(0) @binding(4) var<storage, read> state: array<vec4<f32>>;
// Species (5 bits) and id (27 bits).
@group(0) @binding(5) var<storage, read> tag: array<u32>;
// Index of the first agent of each cell; one more entry at the end.
@group(0) @binding(6) var<storage, read> cell_start: array<u32>;

fn species_of(tag: u32) -> u32 {
    @if(several_species) {
        return species_in(tag);
    }
    return 0u;
}
