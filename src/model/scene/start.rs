//! Start positions for benchmarks, instead of the scene's.

use std::ops::Range;

use super::error::PopulateError;
use super::populate::Request;
use super::species::{Spawn, SpawnPlace};
use super::{Scene, Species};
use crate::state::FlockState;
use crate::vector::Point;
use crate::world::ratio;

/// Share of the world's area, or of its volume, that a clump covers.
const CLUMP: f32 = 0.01;

/// The start positions. Speeds and headings always follow the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartLayout {
    /// From the scene's `spawn` and `spawn_at_scale`.
    AsWritten,
    /// Anywhere in the world, at random.
    Even,
    /// Anywhere in a square in the middle of the world, a hundredth of its area; in space in a cube, a
    /// hundredth of its volume. If it does not fit, a longer one of the same size.
    Clump,
}

/// Lowest corner and sides of the clump in a world of this size; world units.
fn clump(size: Point) -> (Point, Point) {
    let axes = if size.z == 0.0 { 2 } else { 3 };
    let mut by_length: Vec<usize> = (0..axes).collect();
    by_length.sort_by(|one, other| size[*one].total_cmp(&size[*other]));
    let mut left = by_length.iter().map(|axis| size[*axis]).product::<f32>() * CLUMP;
    let mut sides = Point::ZERO;
    for (done, axis) in by_length.into_iter().enumerate() {
        let even = f64::from(left).powf(1.0 / (axes - done) as f64) as f32;
        sides[axis] = even.min(size[axis]);
        left /= sides[axis];
    }
    ((size - sides) * 0.5, sides)
}

impl Scene {
    /// [`Scene::populate_rows`] with other start positions. A clump does not avoid obstacles.
    #[doc(hidden)]
    pub fn populate_as(
        &self,
        request: &Request,
        layout: StartLayout,
        part: impl FnOnce(u64) -> Range<u64>,
    ) -> Result<(Self, FlockState), PopulateError> {
        if layout == StartLayout::AsWritten {
            return self.populate_rows(request, part);
        }
        let mut scene = self.clone();
        for species in &mut scene.species {
            // Without the place and the radius of the file, which would be keys that do nothing.
            let start = species.spawn_at_scale.start;
            species.spawn = Spawn { start, place: SpawnPlace::Uniform, ..Spawn::default() };
            species.spawn_at_scale = species.spawn;
        }
        let (scene, mut state) = scene.populate_rows(request, part)?;
        if layout == StartLayout::Clump {
            let (corner, sides) = clump(scene.world.size);
            for position in &mut state.position {
                *position = corner + ratio(*position, scene.world.size) * sides;
            }
        }
        Ok((scene, state))
    }

    /// True if `count` agents of the unscaled scene start anywhere in the world.
    #[must_use]
    pub fn starts_evenly(&self, count: u64) -> bool {
        let grown = count > self.own_count();
        let spawn = |s: &Species| if grown { s.spawn_at_scale } else { s.spawn };
        self.species.iter().all(|species| spawn(species).place == SpawnPlace::Uniform)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{BuiltIn, built_in};
    use crate::vector::flat;

    fn populated(layout: StartLayout, count: u64) -> (Scene, FlockState) {
        let text = BuiltIn::named("flock").unwrap().text;
        let scene = Scene::parse("flock", text).unwrap();
        let request = Request { count: Some(count), ..Request::default() };
        scene.populate_as(&request, layout, |count| 0..count).unwrap()
    }

    /// Sides of the smallest rectangle around all agents; world units.
    fn extent(state: &FlockState) -> Point {
        let low = state.position.iter().copied().reduce(Point::min).unwrap();
        state.position.iter().copied().reduce(Point::max).unwrap() - low
    }

    #[test]
    fn a_clump_is_a_square_of_a_hundredth_of_the_world() {
        let (scene, state) = populated(StartLayout::Clump, 20_000);
        let (world, clump) = (scene.world.size, extent(&state));
        let share = clump.x * clump.y / (world.x * world.y);
        assert!((0.0099..=0.01).contains(&share), "{share}");
        assert!((clump.x / clump.y - 1.0).abs() < 0.01, "{clump}");
        let (even_scene, even) = populated(StartLayout::Even, 20_000);
        assert_eq!((even_scene.world, even.len()), (scene.world, state.len()));
        assert_eq!(even.velocity, state.velocity);
    }

    #[test]
    fn a_narrow_world_has_a_clump_of_the_same_share() {
        for size in [flat(1e6, 10.0), flat(10.0, 1e6), flat(300.0, 200.0)] {
            let (corner, sides) = clump(size);
            assert!((sides.x * sides.y / (size.x * size.y) / CLUMP - 1.0).abs() < 1e-5);
            assert!(corner.cmpge(Point::ZERO).all() && (corner + sides).cmple(size * 1.0001).all());
        }
    }

    #[test]
    fn even_means_the_whole_world_even_where_the_scene_starts_at_a_point() {
        let (scene, state) = populated(StartLayout::AsWritten, 100);
        assert!(!scene.starts_evenly(100) && scene.starts_evenly(1000));
        assert_eq!(extent(&state), Point::ZERO);
        let (scene, state) = populated(StartLayout::Even, 100);
        assert!(scene.starts_evenly(100));
        assert!(ratio(extent(&state), scene.world.size).cmpgt(Point::splat(0.9)).all());
    }

    #[test]
    fn a_place_that_another_layout_replaces_is_no_key_that_does_nothing() {
        for scene in built_in() {
            let scene = Scene::parse(scene.name, scene.text).unwrap();
            let made = scene.populate_as(&Request::default(), StartLayout::Clump, |_| 0..1);
            assert_eq!(made.unwrap().0.idle_keys(), [""; 0], "{}", scene.name);
        }
    }
}
