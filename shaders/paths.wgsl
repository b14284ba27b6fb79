// The path segments that may be nearest to a place, from lists per cell. See src/model/scenery/paths.rs.

import package::spatial_index::{SpatialIndex, index_cell};
import package::space::{Vector, cells_in, dot, with_length};
import package::tables::{list_at, pair_at};

@group(0) @binding(12) var<uniform> path_index: SpatialIndex;

struct Nearest {
    point: Vector,
    // Unit vector of the segment; zero if it has no length.
    along: Vector,
    // Square of the distance; 3.4e38 if there is no path.
    distance_squared: f32,
}

// The nearest point on path `choice`; on any path if `choice` is negative.
fn nearest_on_path(choice: i32, place: Vector) -> Nearest {
    var nearest = Nearest(Vector(), Vector(), 3.4e38);
    let cells = cells_in(path_index.cells_along);
    let list = u32(max(choice + 1, 0)) * (cells + 1u) + index_cell(path_index, place);
    let ends = list_at(path_index, list);
    for (var i = ends.x; i < ends.y; i++) {
        // The vector from one end to the other.
        let segment = pair_at(path_index, i);
        let start = segment.first;
        let way = segment.second - start;
        let squared = dot(way, way);
        var part = 0.0;
        if squared > 0.0 {
            part = clamp(dot(place - start, way) / squared, 0.0, 1.0);
        }
        let point = start + way * part;
        let away = point - place;
        let distance_squared = dot(away, away);
        if distance_squared < nearest.distance_squared {
            nearest = Nearest(point, way, distance_squared);
        }
    }
    nearest.along = with_length(nearest.along, 1.0);
    return nearest;
}
