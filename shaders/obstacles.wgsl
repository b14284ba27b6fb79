// The obstacles near an agent, from lists per cell.

import package::spatial_index::{SpatialIndex, index_cell};
import package::space::{Vector, cells_in, first_vector, number_after_vector};
import package::tables::{item_at, list_at};

@group(0) @binding(13) var<uniform> obstacle_index: SpatialIndex;

// A circle; world units.
struct Obstacle {
    centre: Vector,
    radius: f32,
}

// Begin and end of the list for a position.
fn obstacles_near(position: Vector) -> vec2<u32> {
    let cell = index_cell(obstacle_index, position);
    if cell >= cells_in(obstacle_index.cells_along) {
        return vec2<u32>();
    }
    return list_at(obstacle_index, cell);
}

fn obstacle_at(index: u32) -> Obstacle {
    let row = item_at(obstacle_index, index);
    return Obstacle(first_vector(row), number_after_vector(row));
}
