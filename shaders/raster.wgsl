// A raster of cells over a rectangle, as the scenery's tables are sorted by.

import package::space::Vector;

struct Raster {
    // Lower left corner; world units.
    origin: Vector,
    cells_per_unit: Vector,
    columns: u32,
    rows: u32,
    // The rows of `tables` where the lists of the cells begin, and, at their end, what they list.
    lists: u32,
    items: u32,
}

// The cell that holds a position, row by row from the bottom; `columns * rows` outside.
fn raster_cell(raster: Raster, position: Vector) -> u32 {
    let place = (position - raster.origin) * raster.cells_per_unit;
    let ends = Vector(f32(raster.columns), f32(raster.rows));
    if !all((place >= Vector()) & (place <= ends)) || raster.columns == 0u {
        return raster.columns * raster.rows;
    }
    let cell = min(vec2<u32>(place), vec2<u32>(raster.columns, raster.rows) - 1u);
    return cell.y * raster.columns + cell.x;
}
