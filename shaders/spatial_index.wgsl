// A spatial index: cells over a rectangle, each with a list of items.

import package::space::{Cell, Vector, cell_number, cells_in};

struct SpatialIndex {
    // Lower left corner; world units.
    origin: Vector,
    cells_per_unit: Vector,
    cells_along: Cell,
    // The row of `tables` where the cells' lists begin, and the row where the listed items begin.
    lists: u32,
    items: u32,
}

// The cell that holds a position, counted row by row from the bottom; the number of cells if it is outside.
fn index_cell(spatial: SpatialIndex, position: Vector) -> u32 {
    let place = (position - spatial.origin) * spatial.cells_per_unit;
    let cells = cells_in(spatial.cells_along);
    let ends = Vector(spatial.cells_along);
    if !all((place >= Vector()) & (place <= ends)) || cells == 0u {
        return cells;
    }
    return cell_number(min(Cell(place), spatial.cells_along - 1u), spatial.cells_along);
}
