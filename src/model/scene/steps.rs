//! How far an agent can come in one tick.

use super::{Scene, Species};
use crate::behaviours::bounds::{MAX_SPEED, MIN_PROXIMITY};
use crate::random::MAX_NORMAL;
use crate::vector::Point;
use crate::world::Boundary;

impl Scene {
    /// The longest way that an agent can come along an axis in one tick; world units.
    #[must_use]
    pub fn largest_step(&self) -> f32 {
        let step = |own: &Species| self.fastest(own) * self.time_step + self.largest_push(own);
        self.species.iter().map(step).fold(0.0, f32::max)
    }

    /// The longest way that jitter pushes an agent along an axis in one tick; world units.
    pub(super) fn largest_push(&self, species: &Species) -> f32 {
        species.largest("jitter") * self.time_step.sqrt() * MAX_NORMAL
    }

    /// The longest way along each axis in a tick of an agent that the velocity before it moves (`position_step`
    /// is "old"), which may be above the species' limit; 0 for others. World units.
    #[must_use]
    pub fn first_way(&self, species: u8, velocity: Point) -> Point {
        match self.species.get(usize::from(species)) {
            Some(own) if own.body.position_step > 0.0 => {
                velocity.abs() * self.time_step + self.largest_push(own)
            }
            _ => Point::ZERO,
        }
    }

    /// True if an agent of a species that had this velocity before a tick would go round a wrapped world in it.
    #[must_use]
    pub fn goes_round(&self, species: u8, velocity: Point) -> bool {
        let way = self.first_way(species, velocity);
        let crosses = |axis: usize| way[axis] >= self.world.size[axis];
        self.world.boundary == Boundary::Wrap && (0..self.world.axes()).any(crosses)
    }

    /// The largest speed that a species can reach; world units per tick.
    pub(super) fn fastest(&self, species: &Species) -> f32 {
        let mut fastest = species.largest("max_speed");
        for (_, spawn) in species.first_steps() {
            fastest = fastest.max(spawn.start.largest_speed());
        }
        for (_, (nearest, farthest)) in species.parameters_that(|needs| needs.limits_grow_by) {
            if farthest > 0.0 {
                // No target is farther than half the diagonal.
                let farther = self.world.size.length() / 2.0 / nearest.max(MIN_PROXIMITY);
                fastest = (fastest * farther.max(1.0)).min(MAX_SPEED);
            }
        }
        fastest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Request;
    use crate::vector::flat;

    #[test]
    fn a_first_velocity_that_crosses_the_world_is_refused_by_its_own_key() {
        let world = "[world]\nsize = [100, 80]\n[species.a]\nposition_step = \"old\"\n";
        let wrong = |line: &str| {
            let scene = Scene::parse("f", &format!("{world}{line}\n")).unwrap();
            scene.populate(&Request::default()).err().map(|error| error.to_string())
        };
        for (line, key) in [
            ("spawn.speed = 500", "spawn.speed"),
            ("spawn.velocity = { from = [-90, 0], to = [0, 0] }", "spawn.velocity"),
            ("spawn_at_scale.speed = 500", "spawn_at_scale.speed"),
            ("max_speed = 90\nspawn.speed = 1", "max_speed"),
        ] {
            let told = wrong(line).unwrap();
            let remedy = format!("lower {key} or enlarge world.size");
            assert!(told.contains(&format!("species.a.{key}: ")), "{told}");
            assert!(told.ends_with(&remedy), "{told}");
        }
        assert_eq!(wrong("spawn.speed = 79"), None);
    }

    #[test]
    fn only_the_old_velocity_takes_an_agent_round_a_wrapped_world() {
        let goes = |line: &str, velocity| {
            let text = format!("time_step = 0.5\n[world]\nsize = [100, 80]\n{line}");
            Scene::parse("f", &text).unwrap().goes_round(0, velocity)
        };
        let old = "[species.a]\nposition_step = \"old\"\n";
        for (velocity, far) in
            [(flat(199.0, 159.0), false), (flat(-200.0, 0.0), true), (flat(0.0, 160.0), true)]
        {
            assert_eq!(goes(old, velocity), far, "{velocity}");
            assert!(!goes("[species.a]\n", velocity));
            assert!(!goes(&format!("boundary = \"walls\"\n{old}"), velocity));
        }
        assert!(goes(&format!("{old}jitter = 1"), flat(199.0, 0.0)));
    }
}
