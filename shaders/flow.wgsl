// The flow field: a vector for each cell.

import package::spatial_index::SpatialIndex;
import package::space::{Cell, Vector, cell_number, first_vector, second_vector};
import package::tables::item_at;

@group(0) @binding(14) var<uniform> flow_index: SpatialIndex;

// The vector at a position. Outside the field it is the vector of the nearest cell.
fn flow_at(position: Vector) -> Vector {
    let last = max(flow_index.cells_along, Cell(1u)) - 1u;
    // Clamped before the conversion: a float beyond u32 has no defined integer.
    let place = clamp(position * flow_index.cells_per_unit, Vector(), Vector(last));
    let cell = min(Cell(place), last);
    // Row by row from the bottom; a row of the table holds two.
    let number = cell_number(cell, flow_index.cells_along);
    let both = item_at(flow_index, number >> 1u);
    return select(first_vector(both), second_vector(both), (number & 1u) == 1u);
}
