// The flow field: a vector for each cell.

import package::spatial_index::SpatialIndex;
import package::space::{Cell, Vector, cell_number};
import package::tables::vector_at;

@group(0) @binding(14) var<uniform> flow_index: SpatialIndex;

// The vector at a position. Outside the field it is the vector of the nearest cell.
fn flow_at(position: Vector) -> Vector {
    let last = max(flow_index.cells_along, Cell(1u)) - 1u;
    // Clamped before the conversion: a float beyond u32 has no defined integer.
    let place = clamp(position * flow_index.cells_per_unit, Vector(), Vector(last));
    let cell = min(Cell(place), last);
    return vector_at(flow_index, cell_number(cell, flow_index.cells_along));
}
