// The flow field: a vector for each cell.

import package::raster::Raster;
import package::space::Vector;

@group(0) @binding(18) var<uniform> flow_raster: Raster;
// Row by row from the bottom.
@group(0) @binding(19) var<storage, read> flow_ways: array<vec2<f32>>;

// The vector at a position; that of the nearest cell outside.
fn flow_at(position: Vector) -> Vector {
    let last = max(vec2<u32>(flow_raster.columns, flow_raster.rows), vec2<u32>(1u)) - 1u;
    // Clamped before the conversion: a float beyond u32 has no defined integer.
    let place = clamp(position * flow_raster.cells_per_unit, Vector(), vec2<f32>(last));
    let cell = min(vec2<u32>(place), last);
    return flow_ways[min(cell.y * flow_raster.columns + cell.x, arrayLength(&flow_ways) - 1u)];
}
