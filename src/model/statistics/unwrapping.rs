//! How far agents have come. The places of a wrapped world do not tell: an agent that leaves at one edge
//! enters at the other.

use glam::DVec3;
use rayon::prelude::*;

use super::super::scene::Scene;
use super::super::state::FlockState;
use super::super::vector::Point;
use super::super::world::{Boundary, World};

/// Share of half the shortest side that an agent may come between two looks: the rest is for rounding.
const SURE: f64 = 0.999;

/// The way of an agent since it was first seen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Travel {
    /// The image of the world that it is in: how many world sizes to add to its position on each axis. It
    /// begins at 0.
    pub image: [i32; 3],
    /// From its first position to the one in its image; world units.
    pub displacement: Point,
}

impl Travel {
    /// The place of an agent in its image of the world, from its place in the world; world units.
    #[must_use]
    pub fn unwrap(&self, place: Point, world: &World) -> Point {
        let axis = |axis: usize| f64::from(self.image[axis]) * f64::from(world.size[axis]);
        (place.as_dvec3() + DVec3::from_array([0, 1, 2].map(axis))).as_vec3()
    }
}

/// A wrapped world that agents can cross by half in one tick: the edge that they leave by is not known.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "agents may move {step} world units in one tick, which is half of the shortest side of the wrapped \
     world, {side}, or more: whether they crossed its edge cannot be told; lower max_speed and the \
     velocities that agents begin with, enlarge world.size, or set world.boundary to \"walls\""
)]
pub struct TooFast {
    step: f32,
    side: f32,
}

/// Follows agents across the edges of a wrapped world. Between two looks each moves less than half a side, so
/// its way is the shortest one.
#[derive(Clone, Debug)]
pub struct Unwrapping {
    world: World,
    every: u64,
    /// By row: first and latest positions.
    first: Vec<Point>,
    last: Vec<Point>,
    travels: Vec<Travel>,
}

impl Unwrapping {
    /// Bytes per agent.
    pub const BYTES: u64 = (2 * size_of::<Point>() + size_of::<Travel>()) as u64;

    /// Begins to follow a flock of `scene`, in its final size, from `state` on.
    ///
    /// # Errors
    /// If its agents may cross half of a wrapped world in one tick.
    pub fn new(scene: &Scene, state: &FlockState) -> Result<Self, TooFast> {
        let mut every = u64::MAX;
        if scene.world.boundary == Boundary::Wrap {
            let (step, side) = (scene.largest_step(), scene.world.shortest_side());
            let ticks = |step: f32| (f64::from(side) / 2.0 * SURE / f64::from(step)) as u64;
            let first = state.species.iter().zip(&state.velocity);
            let first = first.map(|(own, v)| scene.first_way(*own, *v).max_element());
            let (most, step) = (ticks(step), first.fold(step, f32::max));
            if ticks(step) == 0 {
                return Err(TooFast { step, side });
            }
            // An agent that a target sends away comes farther than a step.
            let sends = scene.targets.iter().any(|target| target.sends_to.is_some());
            every = if sends { 1 } else { most };
        }
        let (first, last, travels) = Default::default();
        Ok(Self { world: scene.world, every, first, last, travels })
    }

    /// The most ticks between two looks. The first tick has a look of its own: the velocities of a state may be
    /// above the limits of the scene.
    #[must_use]
    pub fn every(&self) -> u64 {
        self.every
    }

    /// The next tick after `done` at which a look is due.
    #[must_use]
    pub fn next_look(&self, done: u64) -> u64 {
        if done == 0 { 1 } else { done.saturating_add(self.every - done % self.every) }
    }

    /// True if a look is due after `done` ticks: at the begin, after the first tick, and at the multiples
    /// of [`Unwrapping::every`].
    #[must_use]
    pub fn is_due(&self, done: u64) -> bool {
        done == 1 || done.is_multiple_of(self.every)
    }

    /// Looks at some agents, the ones from `row` on of the same flock at each tick, and returns their
    /// travels.
    pub fn look(&mut self, row: usize, state: &FlockState) -> &[Travel] {
        let rows = row..row + state.len();
        if let Some(new) = state.position.get(self.first.len().saturating_sub(row)..) {
            self.first.extend_from_slice(new);
            self.last.extend_from_slice(new);
            self.travels.resize(self.first.len(), Travel::default());
        }
        let World { size, boundary, .. } = self.world;
        let wraps = boundary == Boundary::Wrap;
        let places = self.first[rows.clone()].par_iter().zip(&mut self.last[rows.clone()]);
        let travels = self.travels[rows.clone()].par_iter_mut().zip(places).zip(&state.position);
        travels.for_each(|((travel, (first, last)), position)| {
            for axis in 0..3 {
                let (here, side) = (position[axis], size[axis]);
                if wraps && side > 0.0 {
                    let moved = here - last[axis];
                    travel.image[axis] += i32::from(moved < -side / 2.0);
                    travel.image[axis] -= i32::from(moved > side / 2.0);
                }
                let sides = f64::from(travel.image[axis]) * f64::from(side);
                let from_first = f64::from(here) - f64::from(first[axis]) + sides;
                travel.displacement[axis] = from_first as f32;
            }
            *last = *position;
        });
        &self.travels[rows]
    }
}

/// The mean square displacement; world units².
pub fn mean_square_displacement(travels: &[Travel]) -> f64 {
    let squares = super::parts(travels.len(), super::SMALL, |part| {
        travels[part].iter().map(|own| own.displacement.as_dvec3().length_squared()).sum::<f64>()
    });
    squares.into_iter().sum::<f64>() / travels.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::populated;

    fn scene(set: &[&str]) -> Scene {
        populated("flock", set, 4).0
    }

    /// Agents of a world of 100 × 50 at the places of straight ways, wrapped.
    fn at(tick: f32, ways: &[(Point, Point)]) -> FlockState {
        let size = Point::new(100.0, 50.0, 1.0);
        let place = |(start, v): &(Point, Point)| {
            let place = *start + *v * tick;
            place - (place / size).floor() * size
        };
        let position: Vec<Point> = ways.iter().map(place).collect();
        FlockState { id: (0..position.len() as u32).collect(), position, ..FlockState::default() }
    }

    fn follow(scene: &Scene) -> Result<Unwrapping, TooFast> {
        Unwrapping::new(scene, &FlockState::default())
    }

    fn of_size() -> Unwrapping {
        let mut own = follow(&scene(&[])).unwrap();
        own.world.size = Point::new(100.0, 50.0, 0.0);
        own
    }

    #[test]
    fn straight_ways_are_unwrapped_whole_or_in_portions() {
        let way =
            |x: f32, y: f32, vx: f32, vy: f32| (Point::new(x, y, 0.0), Point::new(vx, vy, 0.0));
        let ways =
            [way(1.0, 49.0, 49.0, -24.0), way(0.0, 0.0, -3.0, 24.5), way(50.0, 25.0, 0.0, 0.0)];
        let (mut whole, mut portions) = (of_size(), of_size());
        for tick in 0..200 {
            let state = at(tick as f32, &ways);
            let travels = whole.look(0, &state).to_vec();
            for (travel, ((start, v), here)) in travels.iter().zip(ways.iter().zip(&state.position))
            {
                let way = *v * tick as f32;
                assert!(travel.displacement.distance(way) < 1e-2, "{tick}: {travel:?}, {way}");
                for axis in 0..2 {
                    let image = travel.image[axis] as f32 * whole.world.size[axis];
                    assert!((here[axis] + image - start[axis] - way[axis]).abs() < 1e-2, "{tick}");
                }
            }
            let halves = [0..1, 1..3].map(|rows: std::ops::Range<usize>| {
                let position = state.position[rows.clone()].to_vec();
                portions
                    .look(rows.start, &FlockState { position, ..FlockState::default() })
                    .to_vec()
            });
            assert_eq!(halves.concat(), travels);
        }
        let far = mean_square_displacement(&whole.travels);
        let expected = [49.0_f64.powi(2) + 24.0 * 24.0, 9.0 + 24.5 * 24.5, 0.0];
        let expected = expected.iter().sum::<f64>() * 199.0_f64.powi(2) / 3.0;
        assert!((far / expected - 1.0).abs() < 1e-6, "{far}, {expected}");
        // Control: looks that are too rare lose whole worlds.
        let mut rare = of_size();
        (0..200).step_by(3).for_each(|tick| drop(rare.look(0, &at(tick as f32, &ways)).to_vec()));
        assert_ne!(rare.travels[0].image, whole.travels[0].image);
    }

    #[test]
    fn looks_are_as_rare_as_the_largest_step_allows() {
        let own = scene(&[]);
        let every = follow(&own).unwrap().every();
        let way = own.largest_step() * every as f32;
        let half = own.world.shortest_side() / 2.0;
        assert!(way < half && way + 2.0 * own.largest_step() > half, "{every}: {way} of {half}");
        let mut unwrapping = follow(&own).unwrap();
        unwrapping.every = 7;
        assert_eq!([0, 1, 7, 8].map(|done| unwrapping.next_look(done)), [1, 7, 14, 14]);
        let jumpy = follow(&scene(&["starling.jitter=3"])).unwrap();
        assert!(jumpy.every() < every, "pushes count");
        let walls = follow(&scene(&["world.boundary=\"walls\""])).unwrap();
        assert_eq!(walls.every(), u64::MAX);
        assert_eq!(walls.next_look(5), u64::MAX);
        let fast = format!("starling.max_speed={half}");
        let error = follow(&scene(&[&fast])).unwrap_err().to_string();
        assert!(error.contains("lower max_speed"), "{error}");
    }
}
