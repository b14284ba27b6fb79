// A spatial index: cells over a rectangle, each with a list of items.

import package::space::Vector;

struct SpatialIndex {
    // Lower left corner; world units.
    origin: Vector,
    cells_per_unit: Vector,
    columns: u32,
    rows: u32,
    // The row of `tables` where the cells' lists begin, and the row where the listed items begin.
    lists: u32,
    items: u32,
}

// The cell that holds a position, counted row by row from the bottom; `columns * rows` if it is outside.
fn index_cell(spatial: SpatialIndex, position: Vector) -> u32 {
    let place = (position - spatial.origin) * spatial.cells_per_unit;
    let ends = Vector(f32(spatial.columns), f32(spatial.rows));
    if !all((place >= Vector()) & (place <= ends)) || spatial.columns == 0u {
        return spatial.columns * spatial.rows;
    }
    let cell = min(vec2<u32>(place), vec2<u32>(spatial.columns, spatial.rows) - 1u);
    return cell.y * spatial.columns + cell.x;
}
