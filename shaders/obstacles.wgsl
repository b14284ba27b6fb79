// The obstacles that may concern an agent, cell by cell.

import package::raster::{Raster, raster_cell};
import package::space::Vector;

@group(0) @binding(15) var<uniform> obstacle_raster: Raster;
// Where in `obstacles` the list of each cell begins, and the end of the last.
@group(0) @binding(16) var<storage, read> obstacle_start: array<u32>;
// Centre and radius.
@group(0) @binding(17) var<storage, read> obstacles: array<vec4<f32>>;

// First and end of the list for a position.
fn obstacles_near(position: Vector) -> vec2<u32> {
    let cell = raster_cell(obstacle_raster, position);
    if cell + 1u >= arrayLength(&obstacle_start) {
        return vec2<u32>();
    }
    let end = min(obstacle_start[cell + 1u], arrayLength(&obstacles));
    return vec2<u32>(obstacle_start[cell], end);
}
