// The flow field: a vector for each cell.

import package::spatial_index::SpatialIndex;
import package::space::Vector;
import package::tables::item_at;

@group(0) @binding(14) var<uniform> flow_index: SpatialIndex;

// The vector at a position. Outside the field it is the vector of the nearest cell.
fn flow_at(position: Vector) -> Vector {
    let last = max(vec2<u32>(flow_index.columns, flow_index.rows), vec2<u32>(1u)) - 1u;
    // Clamped before the conversion: a float beyond u32 has no defined integer.
    let place = clamp(position * flow_index.cells_per_unit, Vector(), vec2<f32>(last));
    let cell = min(vec2<u32>(place), last);
    // Row by row from the bottom; a row of the table holds two.
    let number = cell.y * flow_index.columns + cell.x;
    let both = item_at(flow_index, number >> 1u);
    return select(both.xy, both.zw, (number & 1u) == 1u);
}
