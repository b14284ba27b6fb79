//! The places that agents seek or flee, and how they move.

use crate::random::{Purpose, unit};
use crate::vector::{Axes, Point, Space, Vector, components, point};
use crate::world::{Boundary, World, with_axes};

/// A place that agents seek or flee.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Target {
    /// Name in the scene file; `pointer` is the mouse.
    pub name: String,
    /// World units.
    pub position: Point,
    /// World units per tick. Walls reflect it.
    pub velocity: Point,
    /// An agent nearer than this hits the target, which reappears elsewhere; 0: it cannot be hit.
    /// World units.
    pub hit_radius: f32,
    /// True if a hit gives it a new direction at the same speed.
    pub turns: bool,
    /// An agent that hits the target is put here, or inside a world that is too small for the place;
    /// `None` leaves the agent where it is. World units.
    pub sends_to: Option<Point>,
    /// Number of hits so far.
    pub hits: u32,
    /// False while the target does not exist: the pointer when no button is pressed.
    pub active: bool,
}

impl Target {
    /// A target at rest that cannot be hit.
    #[must_use]
    pub fn fixed(name: &str, position: Point) -> Self {
        Self {
            name: name.into(),
            position,
            velocity: Point::ZERO,
            hit_radius: 0.0,
            turns: false,
            sends_to: None,
            hits: 0,
            active: true,
        }
    }

    /// True if engines must update it each tick.
    #[must_use]
    #[inline]
    pub fn moves(&self) -> bool {
        self.velocity != Point::ZERO || self.hit_radius > 0.0
    }

    /// Moves it by one tick of `time_step`; walls reflect it. If it was `hit`, it reappears instead
    /// at a random place, and with a random heading if it turns. Both are functions of its `index`
    /// and the `tick`.
    #[inline]
    pub fn advance(
        &mut self,
        index: u32,
        hit: bool,
        world: &World,
        seed: u32,
        tick: u32,
        time_step: f32,
    ) {
        if !self.active || !hit && self.velocity == Point::ZERO {
            return;
        }
        if hit {
            let draw = |purpose| unit(seed, index, tick, purpose);
            let place = [Purpose::TargetX, Purpose::TargetY, Purpose::TargetZ].map(draw);
            self.position = Point::from_array(place) * world.size;
            self.hits += 1;
            if self.turns {
                let numbers = [Purpose::TargetHeading, Purpose::TargetClimb].map(draw);
                let heading =
                    with_axes!(world, AXES => point(Axes::<AXES>::random_direction(numbers).0));
                let velocity: Vector<f32, 3> = Vector(components(self.velocity));
                self.velocity = heading * velocity.length();
            }
            return;
        }
        let there = self.position + self.velocity * time_step;
        let near = |axis: usize| world.boundary.near(there[axis], world.size[axis]);
        // A plane has no third axis to go round.
        let third = if world.is_flat() { there.z } else { near(2) };
        let there_on_axes = Vector([near(0), near(1), third]);
        let (inside, _) = world.confine(there_on_axes, Vector::zero(0.0));
        self.position = point(inside.0);
        if world.boundary == Boundary::Walls {
            let back = self.position.cmpne(there);
            self.velocity = Point::select(back, -self.velocity, self.velocity);
        }
    }
}
