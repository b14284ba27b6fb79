//! Targets that move, and the agents that hit them.

use rayon::prelude::*;

use super::Flock;
use flockwork_model::memory::Shown;
use flockwork_model::vector::{Axes, Point, Space, Vector, components, each_axis};

/// The targets' hits in a tick.
#[derive(Clone, Debug, Default)]
pub struct Hits {
    /// Whether an agent has hit each target.
    pub hit: Vec<bool>,
    /// The agents that a target sends elsewhere, by their index, and the places.
    pub sent: Vec<(usize, Point)>,
}

impl<const D: usize> Flock<D>
where
    Axes<D>: Space<D>,
{
    /// Finds the agents that have come to a target.
    pub(super) fn hits(&self) -> Hits {
        let Self { scene, moved, key, .. } = self;
        let mut hits = Hits::default();
        for target in &scene.targets {
            let reach = target.hit_radius * target.hit_radius;
            let place = Vector(components(target.position));
            let near = |agent: &usize| {
                let way = scene.world.shortest(place - Vector(moved.position(*agent)));
                way.dot(way) < reach
            };
            let agents = (0..key.len()).into_par_iter();
            hits.hit.push(match target.sends_to {
                _ if reach <= 0.0 || !target.active => false,
                None => agents.any(|agent| near(&agent)),
                Some(place) => {
                    let hitters: Vec<usize> = agents.filter(near).collect();
                    hits.sent.extend(hitters.iter().map(|agent| (*agent, place)));
                    !hitters.is_empty()
                }
            });
        }
        hits
    }

    /// Moves the targets by one tick. A target that an agent has hit reappears elsewhere, and puts the
    /// agent where the target sends it.
    pub(super) fn move_targets(&mut self, hits: Hits) {
        let Self { scene, moved, key, tick, identity, grid, .. } = self;
        let shown = scene.shown();
        let world = scene.world;
        for (index, (target, hit)) in scene.targets.iter_mut().zip(hits.hit).enumerate() {
            target.advance(index as u32, hit, &world, scene.seed, *tick as u32, scene.time_step);
        }
        // Only now: every target looks at the agents before any target has sent one. If two targets
        // send the same agent, the last one decides.
        for (agent, place) in hits.sent {
            // A world that was made smaller may not hold the place any more.
            let velocity = Vector(moved.velocity(agent));
            let (place, velocity) = world.confine(Vector(components(place)), velocity);
            each_axis!(axis => {
                moved.position[axis][agent] = place.0[axis];
                moved.velocity[axis][agent] = velocity.0[axis];
            });
            key[agent] = grid.key_of(place.0);
            if shown.species(identity.species[agent]) == Shown::Age {
                moved.memory[agent] = moved.memory[agent].showing(0);
            }
        }
    }
}
