// What stays the same while the flock moves: the parameters of the species, and the scenery as rows of
// four words. One buffer for all of it, because many devices bind no more than eight to a pass.

import package::spatial_index::SpatialIndex;
import package::rules::Species;

const MAX_SPECIES = 16u;
// A table for each tick submitted at once, where parameters vary with time.
@if(varies) const SPECIES_TABLES = 64u;
@if(!varies) const SPECIES_TABLES = 1u;

struct Tables {
    // MAX_SPECIES for each table.
    species: array<Species, MAX_SPECIES * SPECIES_TABLES>,
    // Of each spatial index its lists, two to a row, and behind them what they list, one to a row.
    rows: array<vec4<u32>>,
}

@group(0) @binding(3) var<storage, read> tables: Tables;

fn species_at(species: u32, tick: u32) -> Species {
    return tables.species[tick % SPECIES_TABLES * MAX_SPECIES + min(species, MAX_SPECIES - 1u)];
}

// First and end of list number `list` of a spatial index, counted in its items; nothing where there
// is no such list. (No early return: Mesa 22's llvmpipe crashes when it compiles one here.)
fn list_at(spatial: SpatialIndex, list: u32) -> vec2<u32> {
    let place = spatial.lists + (list >> 1u);
    let last = arrayLength(&tables.rows) - 1u;
    let row = tables.rows[min(place, last)];
    let ends = select(row.xy, row.zw, (list & 1u) == 1u);
    // Never beyond the table, whatever it holds: every loop over a list ends.
    return select(min(ends, vec2<u32>(last + 1u)), vec2<u32>(), place >= spatial.items);
}

// What is listed as number `index`.
fn item_at(spatial: SpatialIndex, index: u32) -> vec4<f32> {
    return bitcast<vec4<f32>>(tables.rows[min(spatial.items + index, arrayLength(&tables.rows) - 1u)]);
}
