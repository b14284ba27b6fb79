// Data that ticks do not change: the parameters of the species, and the scenery in rows of four words. All
// of it is in one buffer, because many devices bind at most eight per pass.

import package::spatial_index::SpatialIndex;
import package::rules::Species;
import package::space::Vector;

const MAX_SPECIES = 16u;
// One table per tick of a submission if parameters vary with time.
@if(varies) const SPECIES_TABLES = 64u;
@if(!varies) const SPECIES_TABLES = 1u;

struct Tables {
    // MAX_SPECIES for each table.
    species: array<Species, MAX_SPECIES * SPECIES_TABLES>,
    // For each spatial index its lists, two per row, then the listed items: one per row, or pairs of
    // vectors, or vectors.
    rows: array<vec4<u32>>,
}

// The pass add_up writes sums into the species.
@if(!add_up)
@group(0) @binding(3) var<storage, read> tables: Tables;
@if(add_up)
@group(0) @binding(3) var<storage, read_write> tables: Tables;

fn species_at(species: u32, tick: u32) -> Species {
    return tables.species[tick % SPECIES_TABLES * MAX_SPECIES + min(species, MAX_SPECIES - 1u)];
}

// Begin and end of list number `list` of a spatial index, in items; empty if there is no such list. (There
// is no early return, because Mesa 22's llvmpipe crashes when it compiles one here.)
fn list_at(spatial: SpatialIndex, list: u32) -> vec2<u32> {
    let place = spatial.lists + (list >> 1u);
    let last = arrayLength(&tables.rows) - 1u;
    let row = tables.rows[min(place, last)];
    let ends = select(row.xy, row.zw, (list & 1u) == 1u);
    // Clamped to the table, so that every loop over a list ends whatever the table holds.
    return select(min(ends, vec2<u32>(last + 1u)), vec2<u32>(), place >= spatial.items);
}

// Two vectors.
struct Pair {
    first: Vector,
    second: Vector,
}

// The listed pair of vectors number `index`: one row of a plane, two rows of a space.
fn pair_at(spatial: SpatialIndex, index: u32) -> Pair {
    @if(flat) {
        let row = item_at(spatial, index);
        return Pair(row.xy, row.zw);
    }
    @if(!flat) {
        let first = item_at(spatial, 2u * index);
        return Pair(first.xyz, item_at(spatial, 2u * index + 1u).xyz);
    }
}

// The vector number `index` of a list of vectors: a row holds two of a plane, or one of a space.
fn vector_at(spatial: SpatialIndex, index: u32) -> Vector {
    @if(flat) {
        let both = pair_at(spatial, index >> 1u);
        return select(both.first, both.second, (index & 1u) == 1u);
    }
    @if(!flat) {
        return item_at(spatial, index).xyz;
    }
}

// The listed item number `index`.
fn item_at(spatial: SpatialIndex, index: u32) -> vec4<f32> {
    return bitcast<vec4<f32>>(tables.rows[min(spatial.items + index, arrayLength(&tables.rows) - 1u)]);
}
