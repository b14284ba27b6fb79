// The obstacles near an agent, from lists per cell.

import package::spatial_index::{SpatialIndex, index_cell};
import package::space::Vector;
import package::tables::{item_at, list_at};

@group(0) @binding(13) var<uniform> obstacle_index: SpatialIndex;

// Begin and end of the list for a position.
fn obstacles_near(position: Vector) -> vec2<u32> {
    let cell = index_cell(obstacle_index, position);
    if cell >= obstacle_index.columns * obstacle_index.rows {
        return vec2<u32>();
    }
    return list_at(obstacle_index, cell);
}

// Centre and radius.
fn obstacle_at(index: u32) -> vec4<f32> {
    return item_at(obstacle_index, index);
}
