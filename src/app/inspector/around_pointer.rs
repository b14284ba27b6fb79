//! The agents nearest to a place.

use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;
use flockwork_model::world::World;
use flockwork_view::camera::Camera;
use flockwork_view::shapes::geometry::MAX_DRAWN;

/// The rows of the nearest agents, as many as can be told apart.
pub fn crowd_of(distances: impl Iterator<Item = (usize, f32)>) -> Vec<usize> {
    let mut all: Vec<_> = distances.collect();
    if all.len() > MAX_DRAWN {
        all.select_nth_unstable_by(MAX_DRAWN, |a, b| a.1.total_cmp(&b.1));
        all.truncate(MAX_DRAWN);
    }
    let mut rows: Vec<_> = all.into_iter().map(|(row, _)| row).collect();
    rows.sort_unstable();
    rows
}

/// The row of the agent nearest to a place, and its distance in world units.
pub fn nearest(
    state: &FlockState,
    world: &World,
    camera: &Camera,
    place: Point,
) -> Option<(usize, f32)> {
    distances(state, world, camera, place).min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Each agent's row, and its distance from a place in world units. In space it is seen from the camera, at
/// any depth: the distance of the pixels at the focus.
pub fn distances<'a>(
    state: &'a FlockState,
    world: &'a World,
    camera: &'a Camera,
    place: Point,
) -> Box<dyn Iterator<Item = (usize, f32)> + 'a> {
    if camera.eye.is_none() {
        return Box::new(in_world(state, world, place));
    }
    let pixel = camera.pixel_from_world(place);
    Box::new(state.position.iter().enumerate().filter_map(move |(row, place)| {
        let seen = camera.seen(camera.image(*place))?;
        Some((row, seen.pixel.distance(pixel) / camera.pixels_per_unit))
    }))
}

/// The same in the world itself.
pub fn in_world<'a>(
    state: &'a FlockState,
    world: &'a World,
    place: Point,
) -> impl Iterator<Item = (usize, f32)> + 'a {
    let distance = move |p: &Point| world.shortest_between(place, *p).length();
    state.position.iter().map(distance).enumerate()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockwork_model::vector::flat;
    use flockwork_model::world::Boundary;

    #[test]
    fn a_crowd_is_the_nearest_agents() {
        let world = World { size: flat(1000.0, 100.0), boundary: Boundary::Wrap };
        let row = |row: u32| flat((row * 7 % 200) as f32 * 5.0, 50.0);
        let state = FlockState {
            position: (0..200).map(row).collect(),
            id: (0..200).collect(),
            ..FlockState::default()
        };
        let place = flat(2.0, 50.0);
        let crowd = crowd_of(in_world(&state, &world, place));
        assert_eq!(crowd.len(), MAX_DRAWN);
        let far = |row: &usize| world.shortest_between(place, state.position[*row]).length();
        let farthest = crowd.iter().map(far).fold(0.0, f32::max);
        let others = (0..200).filter(|row| !crowd.contains(row));
        assert!(others.map(|row| far(&row)).all(|distance| distance >= farthest));
        // Across the seam they are near too.
        assert!(crowd.iter().any(|row| state.position[*row].x > 900.0));
        assert_eq!(crowd_of(in_world(&state, &world, place).take(3)), [0, 1, 2]);
    }
}
